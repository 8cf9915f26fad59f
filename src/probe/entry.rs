//! One table of a tablebase, wherever its bytes are.

use super::ProbeError;
use crate::capture_search::LoadedTable;
use crate::index::Material;
use crate::rules::RuleSet;
use crate::table::{Access, Coverage, FileKind, Table, TableError, file_name};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// One table of a [`Tablebase`](super::Tablebase): its files, which are opened when they are first needed,
/// or its bytes in memory. Clones share what is open.
#[derive(Clone, Debug)]
pub struct TableEntry(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Of files, these two are according to their names.
    material: Material,
    rules: RuleSet,
    /// The path of the WDL file; `None` if the table is in memory.
    path: Option<PathBuf>,
    /// How the files are read.
    access: Access,
    /// The table, with its DTW file if there is one.
    whole: OnceLock<Table>,
    /// The table without its DTW file, which was damaged or could not be read when this was opened.
    wdl_alone: OnceLock<Table>,
    /// The values that were loaded into memory.
    loaded: OnceLock<LoadedTable>,
}

/// Where the bytes of one of the two files of a table come from. It is written as the path of the file, or
/// as `lasca-4-3.ltbw in memory`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The file under this path.
    File(PathBuf),
    /// Bytes that were [added](super::Tablebase::add_table). A file of these bytes would have this name.
    Memory(String),
}

impl Origin {
    /// The path, if this is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::File(path) => Some(path),
            Origin::Memory(_) => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => path.display().fmt(f),
            Origin::Memory(name) => write!(f, "{name} in memory"),
        }
    }
}

impl TableEntry {
    /// A table in memory.
    pub(crate) fn in_memory(table: Table) -> TableEntry {
        TableEntry(Arc::new(Shared {
            material: table.material(),
            rules: table.rules(),
            path: None,
            access: Access::default(),
            whole: OnceLock::from(table),
            wdl_alone: OnceLock::new(),
            loaded: OnceLock::new(),
        }))
    }

    /// The table whose WDL file is at `path`; `None` if that is not the name of such a file.
    pub(super) fn in_files(path: PathBuf, access: Access) -> Option<TableEntry> {
        let stem = path.file_name()?.to_str()?.strip_suffix(FileKind::Wdl.extension())?;
        let (rules, material) = stem.strip_suffix('.')?.split_once('-')?;
        let (rules, material): (RuleSet, Material) = (rules.parse().ok()?, material.parse().ok()?);
        let is_name = path.ends_with(file_name(material, rules, FileKind::Wdl));
        is_name.then(|| TableEntry::new(material, rules, path, access))
    }

    fn new(material: Material, rules: RuleSet, path: PathBuf, access: Access) -> TableEntry {
        let (path, [whole, wdl_alone], loaded) = (Some(path), Default::default(), OnceLock::new());
        let shared = Shared { material, rules, path, access, whole, wdl_alone, loaded };
        TableEntry(Arc::new(shared))
    }

    /// The same table. If it is in files, none of them is open: what is opened through this is closed when
    /// it is dropped, whatever becomes of `self`.
    #[must_use]
    pub fn closed(&self) -> TableEntry {
        if let Some(path) = &self.0.path {
            return TableEntry::new(self.0.material, self.0.rules, path.clone(), self.0.access);
        }
        self.clone()
    }

    /// The values of the table, once they were loaded into memory.
    #[inline]
    pub(super) fn loaded(&self) -> &OnceLock<LoadedTable> {
        &self.0.loaded
    }

    /// The same, once distances are among them.
    #[inline]
    pub(super) fn loaded_with_distances(&self) -> Option<&LoadedTable> {
        self.loaded().get().filter(|loaded| loaded.has_distances())
    }

    /// Whether this is the table of the same material and rules.
    pub(super) fn is_same_table(&self, other: &TableEntry) -> bool {
        (self.material(), self.rules()) == (other.material(), other.rules())
    }

    /// Whether this is the table of the same files, read in the same way.
    pub(super) fn is_of_same_files(&self, other: &TableEntry) -> bool {
        !self.is_in_memory() && (&self.0.path, self.0.access) == (&other.0.path, other.0.access)
    }

    /// Whether this is the same table as another one, and is preferred to it. In this order, a table is
    /// preferred if it has distances, if it covers more columns, or if it is in memory. Of files, this looks
    /// at the headers of the WDL files only. A table in memory is preferred to a file with a damaged header.
    pub fn is_preferred_to(&self, other: &TableEntry) -> bool {
        let alone_in_memory = || self.is_in_memory() && !other.is_in_memory();
        self.is_same_table(other)
            && match (self.coverage(), other.coverage()) {
                (Some(found), Some(of_other)) if found == of_other => alone_in_memory(),
                (Some(found), Some(of_other)) => found.is_preferred_to(of_other),
                (Some(_), None) => alone_in_memory(),
                (None, _) => false,
            }
    }

    fn is_in_memory(&self) -> bool {
        self.0.path.is_none()
    }

    fn coverage(&self) -> Option<Coverage> {
        if let Some(path) = &self.0.path {
            return Coverage::of_file(path);
        }
        self.0.whole.get().map(Table::coverage)
    }

    /// The path of the WDL file; `None` if the table is in memory.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The path of the WDL file or of the DTW file, which need not be there; `None` if the table is in memory.
    pub fn path_of(&self, kind: FileKind) -> Option<PathBuf> {
        self.path().map(|path| path.with_extension(kind.extension()))
    }

    /// The origin of the WDL file.
    pub fn origin(&self) -> Origin {
        self.origin_of(FileKind::Wdl)
    }

    fn origin_of(&self, kind: FileKind) -> Origin {
        match self.path_of(kind) {
            Some(path) => Origin::File(path),
            None => Origin::Memory(file_name(self.material(), self.rules(), kind)),
        }
    }

    /// The length of both files in bytes, whether they are sound or not; `None` if the WDL file cannot be
    /// found.
    pub fn bytes(&self) -> Option<u64> {
        if self.is_in_memory() {
            return self.0.whole.get().map(Table::bytes);
        }
        let len = |kind| Some(fs::metadata(self.path_of(kind)?).ok()?.len());
        Some(len(FileKind::Wdl)? + len(FileKind::Dtw).unwrap_or(0))
    }

    /// The material; of files, according to their names.
    pub fn material(&self) -> Material {
        self.0.material
    }

    /// The rule set; of files, according to their names.
    pub fn rules(&self) -> RuleSet {
        self.0.rules
    }

    /// The table. If it is in files, the first call opens them and checks their headers. What is open stays
    /// open. After a failure, the next call tries again.
    ///
    /// # Errors
    /// If a file cannot be opened, is damaged, or holds another table than its name says.
    #[inline]
    pub fn table(&self) -> Result<&Table, ProbeError> {
        match self.0.whole.get() {
            Some(table) => Ok(table),
            None => self.open(),
        }
    }

    /// The table for looking up WDLs, whatever its DTW file may be like.
    #[inline]
    pub(super) fn wdl_table(&self) -> Result<&Table, ProbeError> {
        match self.open_table() {
            Some(table) => Ok(table),
            None => self.open().or_else(|error| self.0.wdl_alone.get().ok_or(error)),
        }
    }

    /// What is open: the table, or its WDL file alone. Nothing is opened now.
    #[inline]
    pub(super) fn open_table(&self) -> Option<&Table> {
        self.0.whole.get().or_else(|| self.0.wdl_alone.get())
    }

    /// Opens the files. If only the DTW file is at fault, win, draw or loss is there afterwards.
    #[cold]
    fn open(&self) -> Result<&Table, ProbeError> {
        let Shared { path: Some(path), access, whole, wdl_alone, .. } = &*self.0 else {
            unreachable!("a table in memory is open")
        };
        let open = || Table::open_parts(path, *access);
        let opened = match open() {
            // One of the files may have been replaced before the other was opened.
            Ok((_, Err(TableError::Mismatched))) => open(),
            opened => opened,
        };
        let (table, dtw) = opened.map_err(|error| self.error(error))?;
        let expected = (self.material(), self.rules());
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(self.error(TableError::WrongTable { expected, found }));
        }
        table.check_whole().map_err(|error| self.error(error))?;
        match dtw {
            Ok(()) => Ok(whole.get_or_init(|| table)),
            Err(error) => {
                wdl_alone.get_or_init(|| table);
                Err(self.error(error))
            }
        }
    }

    /// The answer to a question; `None` if the table does not cover the position.
    #[inline]
    pub(super) fn covered<T>(
        &self,
        answer: Result<T, TableError>,
    ) -> Result<Option<T>, ProbeError> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(TableError::NoDtw | TableError::BeyondColumns { .. }) => Ok(None),
            Err(error) => Err(self.error(error)),
        }
    }

    /// The error of a question to the table: it names the file that is at fault.
    #[cold]
    pub fn error(&self, error: TableError) -> ProbeError {
        let origin = self.origin_of(error.kind());
        ProbeError::Table { material: self.material(), rules: self.rules(), origin, error }
    }
}
