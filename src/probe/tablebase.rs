//! The tablebase: all tables of some folders under one rule set.

use super::{FolderError, ProbeError};
use crate::index::Material;
use crate::rules::{Color, Move, OfficerPosition, Position, RuleSet};
use crate::table::{Access, BlockId, EXTENSION, FileBytes, OpenError, Table, file_name};
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
    decoded: Cache<(usize, BlockId), Arc<Vec<u8>>, ByLength>,
}

/// How a [`Tablebase`] uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The bytes of decoded blocks that are kept at most: 64 MiB by default.
    pub cache: u64,
    /// How the files are reached: memory-mapped by default.
    pub access: Access,
}

impl Default for Options {
    fn default() -> Options {
        Options { cache: 64 << 20, access: Access::default() }
    }
}

/// One table's file in a folder, opened when it is needed.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    material: Material,
    rules: RuleSet,
    access: Access,
    opened: OnceLock<Result<Table<FileBytes>, ProbeError>>,
}

impl TableFile {
    fn from_path(path: PathBuf, access: Access) -> Option<TableFile> {
        let name = path.file_name()?.to_str()?;
        let (rules, material) = name.strip_suffix(EXTENSION)?.strip_suffix('.')?.split_once('-')?;
        let (rules, material) = (rules.parse().ok()?, material.parse().ok()?);
        (file_name(material, rules) == name).then(|| TableFile {
            path,
            material,
            rules,
            access,
            opened: OnceLock::new(),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The material that the file's name says.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The rule set that the file's name says.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The table, opened and its header checked on the first call.
    ///
    /// # Errors
    /// If the file cannot be opened, is damaged, or holds another table than its name says.
    pub fn table(&self) -> Result<&Table<FileBytes>, ProbeError> {
        self.opened.get_or_init(|| self.open()).as_ref().map_err(Clone::clone)
    }

    fn open(&self) -> Result<Table<FileBytes>, ProbeError> {
        let path = self.path.clone();
        let table = Table::open_with(&self.path, self.access).map_err(|error| match error {
            OpenError::Io(error) => {
                ProbeError::Unreadable { path: path.clone(), error: error.to_string() }
            }
            OpenError::Table(error) => ProbeError::Damaged { path: path.clone(), error },
        })?;
        let expected = (self.material, self.rules);
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(ProbeError::WrongTable { path, expected, found });
        }
        table.check_whole().map_err(|error| ProbeError::Damaged { path, error })?;
        Ok(table)
    }
}

/// Weighs decoded blocks by their bytes.
#[derive(Clone, Debug)]
struct ByLength;

impl Weighter<(usize, BlockId), Arc<Vec<u8>>> for ByLength {
    fn weight(&self, _: &(usize, BlockId), block: &Arc<Vec<u8>>) -> u64 {
        block.len() as u64
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
        Ok(Tablebase {
            rules,
            folders: folders.iter().map(|folder| folder.as_ref().to_owned()).collect(),
            tables,
            decoded: Cache::with_weighter((cache >> 15).max(16) as usize, cache, ByLength),
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
        let material = material.normalized();
        let of_material = || self.tables.iter().filter(move |file| file.material == material);
        let wanted = self
            .tables
            .iter()
            .position(|file| file.material == material && file.rules == self.rules);
        match wanted {
            Some(number) => Ok((number, self.tables[number].table()?)),
            None if of_material().next().is_some() => Err(ProbeError::OtherRules {
                material,
                asked: self.rules,
                found: of_material().map(|file| file.rules).collect(),
            }),
            None => Err(ProbeError::MissingTable {
                material,
                rules: self.rules,
                folders: self.folders.clone(),
            }),
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
    /// If the table is missing or damaged.
    pub fn officers_value(&self, position: &OfficerPosition) -> Result<Value, ProbeError> {
        let sum = |counts: &[u8]| counts.iter().map(|&count| usize::from(count)).sum();
        if position.placement().mover.is_empty() {
            return Ok(Value::Loss(0));
        }
        if position.placement().other.is_empty() {
            return Ok(Value::Win(0));
        }
        let mover = sum(position.mover_counters());
        let material =
            Material::new(mover, sum(position.other_counters())).map_err(ProbeError::Material)?;
        let (file, table) = self.table_and_number(material)?;
        let columns = position.placement().occupied().len();
        let damaged = |error| ProbeError::Damaged { path: self.tables[file].path.clone(), error };
        let place = table
            .section_of(mover, columns)
            .and_then(|section| Some((section, section.index().number(position)?)));
        let Some((section, number)) = place else {
            unreachable!("a whole table has a section for every number of columns")
        };
        let block = table.block_of(section, number).map_err(damaged)?;
        let codes = self
            .decoded
            .get_or_insert_with(&(file, block), || table.decode_block(block).map(Arc::new));
        Ok(table.value_in(section, &codes.map_err(damaged)?, number))
    }

    /// Win, draw or loss of a position for the side to move.
    ///
    /// # Errors
    /// As [`Tablebase::value`].
    pub fn wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.value(position).map(Value::wdl)
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
