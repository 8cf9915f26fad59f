//! The tablebase: tables of some folders, and tables in memory, under one rule set.

use super::line::{decided, is_blocked, value_if_over};
use super::made::Made;
use super::{Line, ProbeError, RatedMove, TableEntry};
use crate::Reason;
use crate::capture_search::position::value_with;
use crate::index::Material;
use crate::rules::{ByColor, Move, OfficerPosition, Position, RuleSet};
use crate::table::{Access, BlockCache, BlockId, DecodedBlock, Table, TableError};
use crate::{Value, ValueRange, Wdl};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Tables in folders and in memory, under one rule set.
///
/// [`Tablebase::open`] takes one folder, [`Tablebase::options`] several, and [`Tablebase::add_directory`] adds
/// one. All of them only list the folders. Each table is opened, and its headers are checked, when it is first needed.
/// It stays as it is then: tables that come, change or go later are for a tablebase that is opened later.
/// [`Tablebase::add_table`] adds a table in memory. Decoded blocks are cached, up to a limit. Threads can share a
/// tablebase.
///
/// A clone is quick to make. It shares everything: the tables that are open, the values that are loaded, and
/// the cache. If a table is added to one of them, the other one stays as it is. A table that `Tablebase::make` makes,
/// which needs the feature `generate`, is there for all of them.
///
/// A function that can do without tables takes `impl Into<Tablebase>`: a reference to a tablebase, of which it has a
/// clone, or a [`RuleSet`], which makes one without tables.
#[derive(Clone)]
pub struct Tablebase(pub(super) Arc<Opened>);

/// What a tablebase and its clones share.
pub(super) struct Opened {
    pub options: Options,
    /// The folders that were added.
    pub folders: Vec<PathBuf>,
    pub tables: Vec<TableEntry>,
    /// The table of each material under `rules`, by White's and Black's counters.
    by_counters: [[Option<u16>; Material::MAX_COUNTERS + 1]; Material::MAX_COUNTERS + 1],
    decoded: Cache<(usize, BlockId), Arc<DecodedBlock>, ByLength>,
    /// The tables that were made for questions.
    pub made: Made,
    /// Held while values are loaded into memory. All tablebases that may share tables share it.
    pub loading: Arc<Mutex<()>>,
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables().len();
        f.debug_struct("Tablebase").field("rules", &self.rules()).field("tables", &tables).finish()
    }
}

/// How tables are opened. Begin with [`Tablebase::options`].
///
/// ```
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::table::Access;
/// let options = Tablebase::options(RuleSet::Lasca).cache(16 << 20).access(Access::Private);
/// let tables = options.open(["tables"])?;
/// assert_eq!(tables.access(), Access::Private);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Options {
    pub(super) rules: RuleSet,
    cache: u64,
    pub(super) access: Access,
}

impl Options {
    /// The default size limit of the cache of decoded blocks: 64 MiB.
    pub const DEFAULT_CACHE: u64 = 64 << 20;

    /// The size limit of the cache of decoded DTW blocks, in bytes; 0 caches nothing.
    pub fn cache(self, bytes: u64) -> Options {
        Options { cache: bytes, ..self }
    }

    /// How files are read. Without this, it is [`Access::Automatic`].
    pub fn access(self, access: Access) -> Options {
        Options { access, ..self }
    }

    /// A tablebase without tables, for [`Tablebase::add_table`] and [`Tablebase::add_directory`] to fill.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let mut tables = Tablebase::options(RuleSet::Lasca).empty();
    /// assert_eq!(tables.most_counters(), 0);
    /// assert!(tables.add_directory("tables")? > 0);
    /// assert!(tables.extent("3-2".parse()?).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn empty(self) -> Tablebase {
        Tablebase::of_tables(self, Vec::new(), Vec::new(), None)
    }
}

impl From<RuleSet> for Tablebase {
    /// A tablebase [without tables](Options::empty) for these rules.
    fn from(rules: RuleSet) -> Self {
        Tablebase::options(rules).empty()
    }
}

impl From<&Tablebase> for Tablebase {
    /// A clone.
    fn from(tables: &Tablebase) -> Self {
        tables.clone()
    }
}

/// The order in which tables are listed.
fn order(entry: &TableEntry) -> impl Ord + use<> {
    (entry.rules(), entry.material().total(), Reverse(entry.material().white()))
}

/// Adds a table to a list. Of the same table twice, [the preferred one](TableEntry::is_preferred_to) stays,
/// or the first.
fn merge(tables: &mut Vec<TableEntry>, entry: TableEntry) {
    match tables.iter_mut().find(|table| table.is_same_table(&entry)) {
        Some(before) => {
            if entry.is_preferred_to(before) {
                *before = entry;
            }
        }
        None => tables.push(entry),
    }
}

/// Where to look a position up.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The table.
    pub entry: &'a TableEntry,
    /// Its number in the cache.
    number: usize,
    /// The stored side to move.
    pub side: usize,
}

/// Weighs decoded blocks by their bytes.
#[derive(Clone, Debug)]
struct ByLength;

impl Weighter<(usize, BlockId), Arc<DecodedBlock>> for ByLength {
    fn weight(&self, _: &(usize, BlockId), block: &Arc<DecodedBlock>) -> u64 {
        (size_of::<DecodedBlock>() + size_of_val(block.as_slice())) as u64
    }
}

/// The part of the cache that belongs to one table.
struct Decoded<'a> {
    of_all: &'a Cache<(usize, BlockId), Arc<DecodedBlock>, ByLength>,
    table: usize,
}

impl BlockCache for Decoded<'_> {
    fn get(&self, id: BlockId) -> Option<Arc<DecodedBlock>> {
        self.of_all.get(&(self.table, id))
    }

    fn put(&self, id: BlockId, block: &Arc<DecodedBlock>) {
        self.of_all.insert((self.table, id), Arc::clone(block));
    }
}

impl Tablebase {
    /// How to open tables for a rule set. What is not said is as [`Tablebase::open`] has it.
    pub fn options(rules: RuleSet) -> Options {
        Options { rules, cache: Options::DEFAULT_CACHE, access: Access::default() }
    }

    /// Adds a table in memory: the bytes of its WDL file and, for distances, those of its DTW file. They are
    /// borrowed for ever, as those of `include_bytes!` are, or owned, and are not copied. Of the same table in
    /// memory and in folders, [the preferred one](TableEntry::is_preferred_to) is used, or the first of
    /// several such tables.
    ///
    /// The headers are checked now, and every other byte when it is first read. The cache of decoded blocks
    /// is emptied.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// use std::fs;
    /// let mut tables = Tablebase::options(RuleSet::Lasca).empty();
    /// tables.add_table(fs::read("tables/lasca-2-1.ltbw")?, None)?;
    /// let (wdl, dtw) = (fs::read("tables/lasca-2-2.ltbw")?, fs::read("tables/lasca-2-2.ltbd")?);
    /// tables.add_table(wdl, Some(dtw.into()))?;
    /// assert!(tables.extent("2-1".parse()?).is_ok());
    /// assert!(tables.extent_with_distances("2-2".parse()?).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not those of a sound table. The tablebase is then as it was before.
    pub fn add_table(
        &mut self,
        wdl: impl Into<Cow<'static, [u8]>>,
        dtw: Option<Cow<'static, [u8]>>,
    ) -> Result<(), TableError> {
        let table = Table::open(wdl, dtw)?;
        table.check_whole()?;
        self.add([TableEntry::in_memory(table)], self.0.folders.clone());
        Ok(())
    }

    /// Adds tables. The folders are then these.
    pub(super) fn add(
        &mut self,
        entries: impl IntoIterator<Item = TableEntry>,
        folders: Vec<PathBuf>,
    ) {
        let mut tables = self.0.tables.clone();
        entries.into_iter().for_each(|entry| merge(&mut tables, entry));
        let before = Arc::clone(&self.0);
        *self = Tablebase::of_tables(before.options, folders, tables, Some(&before));
    }

    /// Takes over those tables of an `earlier` tablebase that are in the same files, read in the same way, for which
    /// `keeps` says so of the table that stands here now. What is open and loaded of them is shared. Tables that were
    /// made for questions are taken over too, unless what is here covers as much.
    ///
    /// ```
    /// use lasca_tablebase::probe::{Load, Tablebase};
    /// use lasca_tablebase::rules::RuleSet;
    /// let earlier = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let mut now = Tablebase::open("tables", RuleSet::Lasca)?;
    /// // No file has changed.
    /// now.take_over(&earlier, |_| true);
    /// earlier.load(&Load::default());
    /// assert!(now.load(&Load::default()).errors.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_over(&mut self, earlier: &Tablebase, keeps: impl Fn(&TableEntry) -> bool) {
        let take = |now: &TableEntry| {
            let before = earlier.0.tables.iter().find(|before| before.is_of_same_files(now));
            before.filter(|_| keeps(now)).unwrap_or(now).clone()
        };
        let tables = self.0.tables.iter().map(take).collect();
        let folders = self.0.folders.clone();
        *self = Tablebase::of_tables(self.0.options, folders, tables, Some(&earlier.0));
    }

    /// A tablebase of these tables, and of what was made `before` and is preferred to them.
    fn of_tables(
        options: Options,
        folders: Vec<PathBuf>,
        mut tables: Vec<TableEntry>,
        before: Option<&Opened>,
    ) -> Tablebase {
        let Options { rules, cache, .. } = options;
        tables.sort_by_key(order);
        let mut by_counters = [[None; Material::MAX_COUNTERS + 1]; Material::MAX_COUNTERS + 1];
        let of_rules = |(_, file): &(usize, &TableEntry)| file.rules() == rules;
        for (number, file) in tables.iter().enumerate().filter(of_rules) {
            by_counters[file.material().white()][file.material().black()] = Some(number as u16);
        }
        let blocks = (cache >> 10).clamp(16, 1 << 20) as usize;
        let decoded = Cache::with_weighter(blocks, cache, ByLength);
        let made = Made::default();
        for entry in before.iter().flat_map(|before| before.made.tables()) {
            let other = tables.iter().find(|other| other.is_same_table(entry));
            if entry.rules() == rules && other.is_none_or(|other| entry.is_preferred_to(other)) {
                made.add(entry.clone());
            }
        }
        let loading = before.map(|before| Arc::clone(&before.loading)).unwrap_or_default();
        Tablebase(Arc::new(Opened {
            options,
            folders,
            tables,
            by_counters,
            decoded,
            made,
            loading,
        }))
    }

    /// The tables that were made for questions.
    #[cfg(feature = "generate")]
    pub(crate) fn made(&self) -> &Made {
        &self.0.made
    }

    /// How files are read.
    pub fn access(&self) -> Access {
        self.0.options.access
    }

    /// The rule set of the answers.
    pub fn rules(&self) -> RuleSet {
        self.0.options.rules
    }

    /// All tables in the folders and in memory, for all rule sets. They are sorted by rule set, then by the number
    /// of counters.
    pub fn tables(&self) -> Vec<&TableEntry> {
        let is_used = |entry: &&TableEntry| {
            entry.rules() != self.rules()
                || self.file_of(entry.material()).is_ok_and(|used| std::ptr::eq(used, *entry))
        };
        let mut tables: Vec<&TableEntry> =
            self.0.tables.iter().chain(self.0.made.tables()).filter(is_used).collect();
        tables.sort_by_key(|entry| order(entry));
        tables
    }

    /// Those for the rules of the answers.
    pub(super) fn of_own_rules(&self) -> impl DoubleEndedIterator<Item = &TableEntry> {
        self.tables().into_iter().filter(|file| file.rules() == self.rules())
    }

    /// The table of a material. It also serves the material with the colours exchanged.
    ///
    /// # Errors
    /// If a file of the table is missing (the DTW file may be), damaged, or cannot be read.
    pub fn table(&self, material: Material) -> Result<&Table, ProbeError> {
        self.file_of(material)?.table()
    }

    /// The files of the table of a material, open or not.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn file_of(&self, material: Material) -> Result<&TableEntry, ProbeError> {
        let place = self.place_of((material.white(), material.black()));
        Ok(place.ok_or_else(|| self.missing(material, None))?.entry)
    }

    /// Whether there is a table for positions with so many counters. It is not opened.
    #[doc(hidden)]
    #[inline]
    pub fn has_table_of(&self, counters: ByColor<usize>) -> bool {
        self.place_of((counters.white, counters.black)).is_some()
    }

    /// Where to look a position up; `None` if there is no table.
    #[inline]
    pub(super) fn table_of(&self, position: &OfficerPosition) -> Option<Place<'_>> {
        self.place_of(position.mover_and_other())
    }

    /// The same for positions in which the side to move and the other one have this many counters.
    #[inline]
    fn place_of(&self, (mover, other): (usize, usize)) -> Option<Place<'_>> {
        let (most, fewest) = (mover.max(other), mover.min(other));
        let side = Material::stored_side((mover, other));
        // What was made was missing, or covered less.
        if let Some((number, entry)) = self.0.made.find((most, fewest)) {
            return Some(Place { entry, number: usize::MAX - number, side });
        }
        let number = usize::from((*self.0.by_counters.get(most)?.get(fewest)?)?);
        Some(Place { entry: &self.0.tables[number], number, side })
    }

    /// A position as one of officers, and where to look it up, if there may be a table for it. That most positions
    /// have a soldier on top of a column, or too many counters, is seen before they are converted.
    #[inline]
    fn covered_officers(&self, position: &Position) -> Option<(OfficerPosition, Place<'_>)> {
        if position.under_officers() != position.occupied() || !position.both_command() {
            return None;
        }
        let (counters, side) = (position.counters(), position.side_to_move());
        let place = self.place_of((counters[side], counters[!side]))?;
        Some((OfficerPosition::try_from(position).ok()?, place))
    }

    /// Why there is no table for a position.
    #[cold]
    fn missing_for(&self, position: &OfficerPosition) -> ProbeError {
        let (mover, other) = position.mover_and_other();
        match Material::new(mover, other) {
            Ok(material) => self.missing(material, Some(position.placement().occupied().len())),
            Err(error) => ProbeError::Material(error),
        }
    }

    #[cold]
    fn missing(&self, material: Material, columns: Option<usize>) -> ProbeError {
        let material = material.normalized();
        let of_material = || self.0.tables.iter().filter(move |file| file.material() == material);
        if of_material().next().is_some() {
            return ProbeError::OtherRules {
                material,
                asked: self.rules(),
                found: of_material().map(|file| file.rules()).collect(),
                columns,
            };
        }
        let (rules, folders) = (self.rules(), self.0.folders.clone());
        ProbeError::MissingTable { material, rules, folders, columns }
    }

    /// The value of a position for the side to move, with its distance. Where the game is over, no table is
    /// needed.
    ///
    /// # Errors
    /// If there is a soldier or a column that officers cannot build; if the table or its DTW file is missing;
    /// if the position has more columns than a bounded table covers; or if a file is damaged or cannot be read.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        match OfficerPosition::try_from(position) {
            Ok(officers) => self.officers_value(&officers),
            Err(error) => value_if_over(position).ok_or(ProbeError::NotOfficers(error)),
        }
    }

    /// The value of a position of officers for the side to move, as [`Tablebase::value`] gives it.
    ///
    /// # Errors
    /// As [`Tablebase::value`], except that soldiers and other columns cannot occur.
    pub fn officers_value(&self, position: &OfficerPosition) -> Result<Value, ProbeError> {
        self.find(position, Tablebase::value_in, |value| value)
    }

    /// The same as [`Tablebase::value`] for a program that asks about many positions which the tables do not
    /// cover: `None` stands for every error that [is one of those](ProbeError::is_not_covered), and costs a
    /// few nanoseconds.
    ///
    /// ```
    /// use lasca_tablebase::Value;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// assert_eq!(tables.try_value(&"b2B d2W a7W w".parse()?)?, Some(Value::Win(5)));
    /// assert_eq!(tables.try_value(&"b2b d2W a7W w".parse()?)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If something is wrong with a table: a file is damaged or cannot be read.
    #[inline]
    pub fn try_value(&self, position: &Position) -> Result<Option<Value>, ProbeError> {
        match self.covered_officers(position) {
            Some((officers, place)) => {
                self.try_find(&officers, Some(place), Tablebase::value_in, |value| value)
            }
            None => Ok(value_if_over(position)),
        }
    }

    /// The value of a position of officers, as [`Tablebase::try_value`] gives it.
    ///
    /// # Errors
    /// As [`Tablebase::try_value`].
    #[inline]
    pub fn try_officers_value(
        &self,
        position: &OfficerPosition,
    ) -> Result<Option<Value>, ProbeError> {
        let place = self.table_of(position);
        self.try_find(position, place, Tablebase::value_in, |value| value)
    }

    /// The same as [`Tablebase::wdl`]; `None` as in [`Tablebase::try_value`].
    ///
    /// # Errors
    /// As [`Tablebase::try_value`], except that the DTW file may be missing or damaged.
    #[inline]
    pub fn try_wdl(&self, position: &Position) -> Result<Option<Wdl>, ProbeError> {
        match self.covered_officers(position) {
            Some((officers, place)) => {
                self.try_find(&officers, Some(place), Tablebase::wdl_in, Value::wdl)
            }
            None => Ok(value_if_over(position).map(Value::wdl)),
        }
    }

    /// Win, draw or loss of a position of officers, as [`Tablebase::try_wdl`] gives it.
    ///
    /// # Errors
    /// As [`Tablebase::try_wdl`].
    #[inline]
    pub fn try_officers_wdl(&self, position: &OfficerPosition) -> Result<Option<Wdl>, ProbeError> {
        self.try_find(position, self.table_of(position), Tablebase::wdl_in, Value::wdl)
    }

    /// Win, draw or loss of a position for the side to move. This is faster than
    /// [`Tablebase::value`] and needs only the table's WDL file.
    ///
    /// # Errors
    /// As [`Tablebase::value`], except that the DTW file may be missing or damaged.
    pub fn wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        match OfficerPosition::try_from(position) {
            Ok(officers) => self.officers_wdl(&officers),
            Err(error) => {
                let value = value_if_over(position).map(Value::wdl);
                value.ok_or(ProbeError::NotOfficers(error))
            }
        }
    }

    /// Win, draw or loss of a position of officers, as [`Tablebase::wdl`] gives it.
    ///
    /// ```
    /// use lasca_tablebase::Wdl;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet};
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let position: Position = "a1WW b2BB w".parse()?;
    /// assert_eq!(tables.officers_wdl(&OfficerPosition::try_from(&position)?)?, Wdl::Win);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::wdl`], except that soldiers and other columns cannot occur.
    pub fn officers_wdl(&self, position: &OfficerPosition) -> Result<Wdl, ProbeError> {
        self.find(position, Tablebase::wdl_in, Value::wdl)
    }

    /// What `look_up` finds in the table of a position, or `of` makes of its value where the game is over.
    fn find<T>(
        &self,
        position: &OfficerPosition,
        look_up: impl Fn(&Tablebase, Place<'_>, &OfficerPosition) -> Result<Option<T>, ProbeError>,
        of: impl Fn(Value) -> T,
    ) -> Result<T, ProbeError> {
        let place = self.table_of(position);
        self.try_find(position, place, look_up, of)?
            .ok_or_else(|| self.not_covered(position, place))
    }

    /// The same in the table at `place`; `None` if it does not cover the position and the game goes on.
    #[inline]
    fn try_find<T>(
        &self,
        position: &OfficerPosition,
        place: Option<Place<'_>>,
        look_up: impl Fn(&Tablebase, Place<'_>, &OfficerPosition) -> Result<Option<T>, ProbeError>,
        of: impl Fn(Value) -> T,
    ) -> Result<Option<T>, ProbeError> {
        if let Some(value) = decided(position.placement()) {
            return Ok(Some(of(value)));
        }
        if let Some(place) = place
            && let Some(found) = look_up(self, place, position)?
        {
            return Ok(Some(found));
        }
        Ok(is_blocked(position.placement()).then(|| of(Value::Loss(0))))
    }

    /// Why no table covers a position, to be looked up at `place`.
    #[cold]
    fn not_covered(&self, position: &OfficerPosition, place: Option<Place<'_>>) -> ProbeError {
        let Some(Place { entry, side, .. }) = place else { return self.missing_for(position) };
        let columns = position.placement().occupied().len();
        match entry.wdl_table().map(|table| table.find_slice(side, columns).err()) {
            Ok(beyond) => entry.error(beyond.unwrap_or(TableError::NoDtw)),
            Err(error) => error,
        }
    }

    #[inline]
    fn value_in(
        &self,
        Place { entry, number: table, side }: Place<'_>,
        position: &OfficerPosition,
    ) -> Result<Option<Value>, ProbeError> {
        entry.covered(match entry.loaded_with_distances() {
            Some(loaded) => loaded.value_of(position, side),
            None => {
                let decoded = Decoded { of_all: &self.0.decoded, table };
                value_with(entry.table()?, position, side, &decoded)
            }
        })
    }

    #[inline]
    fn wdl_in(
        &self,
        Place { entry, side, .. }: Place<'_>,
        position: &OfficerPosition,
    ) -> Result<Option<Wdl>, ProbeError> {
        entry.covered(match entry.loaded().get() {
            Some(loaded) => loaded.wdl_of(position, side),
            None => entry.wdl_table()?.wdl_of(position, side),
        })
    }

    /// The value of a position for the side to move, as far as it is known: if the table has no DTW file,
    /// only who wins.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// assert_eq!(tables.known_value(&"b2B d2W a7W w".parse()?)?.to_string(), "win in 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::value`], except that a missing DTW file is no error.
    pub fn known_value(&self, position: &Position) -> Result<ValueRange, ProbeError> {
        match self.value(position) {
            Err(error) if error.reason() == Reason::NoDistances => Ok(self.wdl(position)?.into()),
            value => Ok(value?.into()),
        }
    }

    /// All legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
    /// quick losses. Moves of equal value are in the order of their squares. The list is empty if the
    /// game is over, whether there is a table or not.
    ///
    /// # Errors
    /// As [`Tablebase::value`], for the position or for one that a move leads to; or if there are
    /// [too many](crate::rules::MOST_MOVES) moves.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove<Value>>, ProbeError> {
        // Soldiers that must promote lead to positions of officers.
        if !position.is_over() {
            OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
        }
        self.rated_moves(position, |after| Ok(self.value(after)?.before_move()), |value| value)
    }

    /// All legal moves, best first, as far as their values are known. Without distances, they are ordered by
    /// result alone; a move that ends the game then comes first among those with the same result, because
    /// its distance is known.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let moves = tables.known_moves(&"b2B d2W a7W w".parse()?)?;
    /// assert_eq!(moves[0].value.to_string(), "win in 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::known_value`], for a position that a move leads to; or if there are
    /// [too many](crate::rules::MOST_MOVES) moves.
    pub fn known_moves(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let known = |after: &Position| Ok(self.known_value(after)?.before_move());
        // A result without a distance is no better than any with one.
        self.rated_moves(position, known, ValueRange::worst)
    }

    /// All legal moves with what they are worth, sorted by the worst that this may be.
    fn rated_moves<V: Copy>(
        &self,
        position: &Position,
        value: impl Fn(&Position) -> Result<V, ProbeError>,
        worst: impl Fn(V) -> Value,
    ) -> Result<Vec<RatedMove<V>>, ProbeError> {
        let rated = |(played, after): (Move, Position)| {
            Ok(RatedMove { value: value(&after)?, played, after })
        };
        let moves = position.successors(self.rules())?.into_iter().map(rated);
        let mut moves = moves.collect::<Result<Vec<_>, ProbeError>>()?;
        moves.sort_by_key(|rated| std::cmp::Reverse(worst(rated.value)));
        Ok(moves)
    }

    /// The best move, the first of [`Tablebase::moves`]; `None` if the game is over.
    ///
    /// # Errors
    /// As [`Tablebase::moves`].
    pub fn best_move(&self, position: &Position) -> Result<Option<RatedMove<Value>>, ProbeError> {
        Ok(self.moves(position)?.into_iter().next())
    }

    /// Best play from a position. The line ends with the game if one side wins, and with the first
    /// repetition if the position is drawn.
    ///
    /// # Errors
    /// As [`Tablebase::moves`]; or if the tables contradict themselves, so that the winning side
    /// makes no progress.
    pub fn best_line(&self, position: &Position) -> Result<Line<Value>, ProbeError> {
        let (mut at, mut line) = (*position, Vec::new());
        let mut passed = HashSet::new();
        // A decided game comes nearer to its end with each move, so only a drawn one is repeated.
        while passed.insert(at) {
            let Some(best) = self.consistent_moves(&at)?.into_iter().next() else { break };
            at = best.after;
            line.push(best);
        }
        Ok(Line::new(position, line, true))
    }

    /// The same as [`Tablebase::moves`], with an error if the tables contradict themselves.
    ///
    /// # Errors
    /// As [`Tablebase::best_line`].
    #[doc(hidden)]
    pub fn consistent_moves(
        &self,
        position: &Position,
    ) -> Result<Vec<RatedMove<Value>>, ProbeError> {
        let (value, moves) = (self.value(position)?, self.moves(position)?);
        let is_consistent = match moves.first() {
            Some(best) => best.value == value,
            None => value.dtw() == Some(0),
        };
        match is_consistent {
            true => Ok(moves),
            false => Err(ProbeError::Inconsistent { position: Box::new(*position) }),
        }
    }
}
