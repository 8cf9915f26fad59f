//! The tablebase: all tables of some folders under one rule set.

use super::{FolderError, ProbeError};
use crate::index::Material;
use crate::rules::{Color, Move, OfficerPosition, Position, RuleSet};
use crate::table::{
    Access, BlockCache, BlockId, DecodedBlock, FileBytes, Kind, OpenError, Table, TableError,
    file_name,
};
use crate::{Value, Wdl};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The tables of some folders under one rule set.
///
/// Opening it lists the folders; a table is opened, and its header checked, when it is first needed.
/// Decoded blocks are kept up to a limit. It can be shared between threads.
#[derive(Debug)]
pub struct Tablebase {
    rules: RuleSet,
    folders: Vec<PathBuf>,
    tables: Vec<TableFile>,
    /// The table of each material under `rules`, by White's and Black's counters.
    by_counters: [[Option<u16>; Material::MAX_COUNTERS]; Material::MAX_COUNTERS],
    decoded: Cache<(usize, BlockId), Arc<DecodedBlock>, ByLength>,
}

/// How a [`Tablebase`] uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The bytes of decoded blocks of DTWs that are kept at most: 64 MiB by default.
    pub cache: u64,
    /// How the files are reached: memory-mapped by default.
    pub access: Access,
}

impl Default for Options {
    fn default() -> Options {
        Options { cache: 64 << 20, access: Access::default() }
    }
}

/// One table's files in a folder, opened when they are needed.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    material: Material,
    rules: RuleSet,
    access: Access,
    opened: OnceLock<Result<Opened, ProbeError>>,
}

/// A table with its WDL file at the least.
#[derive(Debug)]
struct Opened {
    table: Table<FileBytes>,
    /// What is wrong with its DTW file, if it is there and something is.
    dtw_error: Option<ProbeError>,
}

impl TableFile {
    fn from_path(path: PathBuf, access: Access) -> Option<TableFile> {
        let name = path.file_name()?.to_str()?;
        let stem = name.strip_suffix(Kind::Wdl.extension())?.strip_suffix('.')?;
        let (rules, material) = stem.split_once('-')?;
        let (rules, material) = (rules.parse().ok()?, material.parse().ok()?);
        (file_name(material, rules, Kind::Wdl) == name).then(|| TableFile {
            path,
            material,
            rules,
            access,
            opened: OnceLock::new(),
        })
    }

    /// The WDL file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of a kind, which need not be there if it is the DTW file.
    pub fn path_of(&self, kind: Kind) -> PathBuf {
        self.path.with_extension(kind.extension())
    }

    #[cold]
    fn damaged(&self, error: TableError) -> ProbeError {
        if error == TableError::NoDtw {
            return ProbeError::MissingDtw { path: self.path_of(Kind::Dtw) };
        }
        ProbeError::Damaged { path: self.path_of(error.kind()), error }
    }

    /// The material that the file's name says.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The rule set that the file's name says.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The table, opened and its headers checked on the first call.
    ///
    /// # Errors
    /// If a file cannot be opened, is damaged, or holds another table than its name says.
    pub fn table(&self) -> Result<&Table<FileBytes>, ProbeError> {
        let opened = self.opened()?;
        opened.dtw_error.clone().map_or(Ok(&opened.table), Err)
    }

    /// The table for WDLs, whatever its DTW file may be.
    fn wdl_table(&self) -> Result<&Table<FileBytes>, ProbeError> {
        Ok(&self.opened()?.table)
    }

    fn opened(&self) -> Result<&Opened, ProbeError> {
        self.opened.get_or_init(|| self.open()).as_ref().map_err(Clone::clone)
    }

    fn refused(&self, error: OpenError) -> ProbeError {
        match error {
            OpenError::Table(error) => self.damaged(error),
            error => ProbeError::Unreadable {
                path: self.path_of(error.kind()),
                error: error.to_string(),
            },
        }
    }

    fn open(&self) -> Result<Opened, ProbeError> {
        let (table, dtw_error) = match Table::open_with(&self.path, self.access) {
            Ok(table) => (table, None),
            Err(error) if error.kind() == Kind::Dtw => {
                let alone = Table::open_wdl(&self.path, self.access);
                (alone.map_err(|error| self.refused(error))?, Some(self.refused(error)))
            }
            Err(error) => return Err(self.refused(error)),
        };
        let expected = (self.material, self.rules);
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(ProbeError::WrongTable { path: self.path.clone(), expected, found });
        }
        table.check_whole().map_err(|error| self.damaged(error))?;
        Ok(Opened { table, dtw_error })
    }
}

/// Weighs decoded blocks by their bytes.
#[derive(Clone, Debug)]
struct ByLength;

impl Weighter<(usize, BlockId), Arc<DecodedBlock>> for ByLength {
    fn weight(&self, _: &(usize, BlockId), block: &Arc<DecodedBlock>) -> u64 {
        block.bytes()
    }
}

/// The decoded blocks of one table.
struct Decoded<'a> {
    of_all: &'a Cache<(usize, BlockId), Arc<DecodedBlock>, ByLength>,
    table: usize,
}

impl BlockCache for Decoded<'_> {
    fn block(
        &self,
        id: BlockId,
        decode: &mut dyn FnMut() -> Result<DecodedBlock, TableError>,
    ) -> Result<Arc<DecodedBlock>, TableError> {
        let key = (self.table, id);
        if let Some(block) = self.of_all.get(&key) {
            return Ok(block);
        }
        // Two threads may decode the same block; neither waits for the other.
        let block = Arc::new(decode()?);
        self.of_all.insert(key, Arc::clone(&block));
        Ok(block)
    }
}

/// A move with what it is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedMove {
    /// The move.
    pub played: Move,
    /// The position that it leads to.
    pub after: Position,
    /// What the move is worth to the side that makes it, counted from the position before it.
    pub value: Value,
}

/// A line of best play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The moves from the position asked about.
    pub moves: Vec<RatedMove>,
    /// How the line ends.
    pub end: LineEnd,
}

/// How a line of best play ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// The game is over.
    GameOver {
        /// The side that has won.
        winner: Color,
    },
    /// The last move leads to a position that the line has passed before: a draw.
    Repetition,
}

impl Tablebase {
    /// Opens the tables under `rules` in these folders. Where two folders hold the same table, the
    /// first one's is used.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open(folders: &[impl AsRef<Path>], rules: RuleSet) -> Result<Tablebase, FolderError> {
        Tablebase::open_with(folders, rules, Options::default())
    }

    /// As [`Tablebase::open`], with other options than the default ones.
    ///
    /// ```
    /// use lasca_tablebase::probe::{Options, Tablebase};
    /// use lasca_tablebase::rules::RuleSet;
    /// use lasca_tablebase::table::Access;
    /// let options = Options { cache: 16 << 20, access: Access::InMemory };
    /// let tables = Tablebase::open_with(&["tables"], RuleSet::Lasca, options)?;
    /// assert!(!tables.tables().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open_with(
        folders: &[impl AsRef<Path>],
        rules: RuleSet,
        options: Options,
    ) -> Result<Tablebase, FolderError> {
        let cache = options.cache;
        let mut tables: Vec<TableFile> = Vec::new();
        for folder in folders {
            let folder = folder.as_ref();
            let failed = |error| FolderError { folder: folder.to_owned(), error };
            let mut found = Vec::new();
            for entry in fs::read_dir(folder).map_err(failed)? {
                found.extend(TableFile::from_path(entry.map_err(failed)?.path(), options.access));
            }
            found.retain(|file| {
                !tables.iter().any(|t| (t.material, t.rules) == (file.material, file.rules))
            });
            tables.append(&mut found);
        }
        tables.sort_by_key(|file| {
            (file.rules, file.material.total(), std::cmp::Reverse(file.material.white()))
        });
        let mut by_counters = [[None; Material::MAX_COUNTERS]; Material::MAX_COUNTERS];
        for (number, file) in tables.iter().enumerate().filter(|(_, file)| file.rules == rules) {
            by_counters[file.material.white() - 1][file.material.black() - 1] = Some(number as u16);
        }
        Ok(Tablebase {
            rules,
            by_counters,
            folders: folders.iter().map(|folder| folder.as_ref().to_owned()).collect(),
            tables,
            decoded: Cache::with_weighter((cache >> 10).max(16) as usize, cache, ByLength),
        })
    }

    /// The rule set of the answers.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The files of all tables found, under whatever rules: by rule set, then by counters.
    pub fn tables(&self) -> &[TableFile] {
        &self.tables
    }

    /// The table that holds a material, or the one with the colours exchanged.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn table(&self, material: Material) -> Result<&Table<FileBytes>, ProbeError> {
        Ok(self.table_and_number(material)?.1)
    }

    fn table_and_number(
        &self,
        material: Material,
    ) -> Result<(usize, &Table<FileBytes>), ProbeError> {
        let number = self.number_of(material)?;
        Ok((number, self.tables[number].table()?))
    }

    #[inline]
    fn number_of(&self, material: Material) -> Result<usize, ProbeError> {
        let material = material.normalized();
        match self.by_counters[material.white() - 1][material.black() - 1] {
            Some(number) => Ok(number.into()),
            None => Err(self.missing(material)),
        }
    }

    #[cold]
    fn missing(&self, material: Material) -> ProbeError {
        let of_material = || self.tables.iter().filter(move |file| file.material == material);
        if of_material().next().is_some() {
            return ProbeError::OtherRules {
                material,
                asked: self.rules,
                found: of_material().map(|file| file.rules).collect(),
            };
        }
        let older = |folder: &PathBuf| folder.join(format!("{}-{material}.ltb", self.rules));
        ProbeError::MissingTable {
            material,
            rules: self.rules,
            folders: self.folders.clone(),
            older: self.folders.iter().map(older).find(|path| path.exists()),
        }
    }

    /// The value of a position for the side to move, with its distance.
    ///
    /// # Errors
    /// If a counter is a soldier or a column is one that officers cannot reach (unless the game is
    /// over), or the table is missing or damaged.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        if position.commanded_by(position.side_to_move()).is_empty() {
            return Ok(Value::Loss(0));
        }
        if position.commanded_by(!position.side_to_move()).is_empty() {
            return Ok(Value::Win(0));
        }
        let officers = OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
        self.officers_value(&officers)
    }

    /// As [`Tablebase::value`], for a position given as counts.
    ///
    /// # Errors
    /// As [`Tablebase::value`], but for what counts cannot say.
    pub fn officers_value(&self, position: &OfficerPosition) -> Result<Value, ProbeError> {
        if position.placement().mover.is_empty() {
            return Ok(Value::Loss(0));
        }
        if position.placement().other.is_empty() {
            return Ok(Value::Win(0));
        }
        let number = self.number_of(material_of(position)?)?;
        let table = self.tables[number].table()?;
        let decoded = Decoded { of_all: &self.decoded, table: number };
        table.value(position, &decoded).map_err(|error| self.tables[number].damaged(error))
    }

    /// Win, draw or loss of a position for the side to move: quicker than [`Tablebase::value`], and
    /// from the WDL file alone.
    ///
    /// # Errors
    /// As [`Tablebase::value`], but for what may be wrong with a DTW file.
    pub fn wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        if position.commanded_by(position.side_to_move()).is_empty() {
            return Ok(Wdl::Loss);
        }
        if position.commanded_by(!position.side_to_move()).is_empty() {
            return Ok(Wdl::Win);
        }
        let officers = OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
        self.officers_wdl(&officers)
    }

    /// As [`Tablebase::wdl`], for a position given as counts.
    ///
    /// ```
    /// use lasca_tablebase::Wdl;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet};
    /// let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
    /// let position: Position = "a1WWW b2BBB w".parse()?;
    /// assert_eq!(tables.officers_wdl(&OfficerPosition::try_from(&position)?)?, Wdl::Win);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::officers_value`].
    pub fn officers_wdl(&self, position: &OfficerPosition) -> Result<Wdl, ProbeError> {
        if position.placement().mover.is_empty() {
            return Ok(Wdl::Loss);
        }
        if position.placement().other.is_empty() {
            return Ok(Wdl::Win);
        }
        let number = self.number_of(material_of(position)?)?;
        let table = self.tables[number].wdl_table()?;
        table.wdl(position).map_err(|error| self.tables[number].damaged(error))
    }

    /// The distance to the win in plies, for whichever side wins; `None` for a draw.
    ///
    /// # Errors
    /// As [`Tablebase::value`].
    pub fn dtw(&self, position: &Position) -> Result<Option<u16>, ProbeError> {
        self.value(position).map(Value::dtw)
    }

    /// All legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
    /// quick losses; moves of equal value in the order of their squares. None if the game is over.
    ///
    /// # Errors
    /// As [`Tablebase::value`].
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let mut moves = position
            .successors(self.rules)
            .into_iter()
            .map(|(played, after)| {
                let value = self.value(&after)?.before_move();
                Ok(RatedMove { played, after, value })
            })
            .collect::<Result<Vec<_>, _>>()?;
        moves.sort_by_key(|rated| std::cmp::Reverse(rated.value));
        Ok(moves)
    }

    /// The best move, the first of [`Tablebase::moves`]; `None` if the game is over.
    ///
    /// # Errors
    /// As [`Tablebase::value`].
    pub fn best_move(&self, position: &Position) -> Result<Option<RatedMove>, ProbeError> {
        Ok(self.moves(position)?.into_iter().next())
    }

    /// The line of best play from a position: to the end of the game if one side wins, to the first
    /// repetition if it is a draw.
    ///
    /// # Errors
    /// As [`Tablebase::value`]; or if the tables contradict themselves, so that a line that wins
    /// does not come nearer to its end.
    pub fn best_line(&self, position: &Position) -> Result<Line, ProbeError> {
        let mut moves: Vec<RatedMove> = Vec::new();
        let mut passed = HashSet::from([*position]);
        let mut at = *position;
        let mut expected = self.value(position)?;
        loop {
            let Some(best) = self.best_move(&at)? else {
                let winner = match self.value(&at)? {
                    Value::Win(0) => at.side_to_move(),
                    Value::Loss(0) => !at.side_to_move(),
                    _ => return Err(ProbeError::Inconsistent { position: at.to_string() }),
                };
                return Ok(Line { moves, end: LineEnd::GameOver { winner } });
            };
            if best.value != expected {
                return Err(ProbeError::Inconsistent { position: at.to_string() });
            }
            expected = match best.value {
                Value::Win(plies) => Value::Loss(plies.saturating_sub(1)),
                Value::Draw => Value::Draw,
                Value::Loss(plies) => Value::Win(plies.saturating_sub(1)),
            };
            at = best.after;
            moves.push(best);
            if !passed.insert(at) {
                if expected == Value::Draw {
                    return Ok(Line { moves, end: LineEnd::Repetition });
                }
                return Err(ProbeError::Inconsistent { position: at.to_string() });
            }
        }
    }
}

#[inline]
fn material_of(position: &OfficerPosition) -> Result<Material, ProbeError> {
    let (mover, other) = position.mover_and_other();
    Material::new(mover, other).map_err(ProbeError::Material)
}
