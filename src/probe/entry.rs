//! One table of a tablebase, wherever its bytes are.

use super::ProbeError;
#[cfg(feature = "files")]
use super::files::TableFiles;
use crate::capture_search::LoadedTable;
use crate::index::Material;
use crate::rules::RuleSet;
use crate::table::{Coverage, FileKind, Table, TableError, file_name};
use std::fmt;
#[cfg(feature = "files")]
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
    bytes: Bytes,
    /// The values that were loaded into memory.
    loaded: OnceLock<LoadedTable>,
}

/// Where the bytes of a table are.
#[allow(clippy::large_enum_variant, reason = "it lies within an `Arc`, and most are files")]
#[derive(Debug)]
enum Bytes {
    Memory(Table),
    #[cfg(feature = "files")]
    Files(TableFiles),
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
    fn new(material: Material, rules: RuleSet, bytes: Bytes) -> TableEntry {
        TableEntry(Arc::new(Shared { material, rules, bytes, loaded: OnceLock::new() }))
    }

    /// A table in memory.
    pub(super) fn in_memory(table: Table) -> TableEntry {
        TableEntry::new(table.material(), table.rules(), Bytes::Memory(table))
    }

    /// A table in files.
    #[cfg(feature = "files")]
    pub(super) fn in_files(files: TableFiles) -> TableEntry {
        TableEntry::new(files.material, files.rules, Bytes::Files(files))
    }

    /// The files of the table; `None` if it is in memory.
    #[cfg(feature = "files")]
    pub(super) fn files(&self) -> Option<&TableFiles> {
        match &self.0.bytes {
            Bytes::Memory(_) => None,
            Bytes::Files(files) => Some(files),
        }
    }

    /// The same table. If it is in files, none of them is open: what is opened through this is closed when
    /// it is dropped, whatever becomes of `self`.
    #[must_use]
    pub fn closed(&self) -> TableEntry {
        match &self.0.bytes {
            Bytes::Memory(_) => self.clone(),
            #[cfg(feature = "files")]
            Bytes::Files(files) => TableEntry::in_files(files.closed(files.access)),
        }
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
        matches!(self.0.bytes, Bytes::Memory(_))
    }

    fn coverage(&self) -> Option<Coverage> {
        match &self.0.bytes {
            Bytes::Memory(table) => Some(table.coverage()),
            #[cfg(feature = "files")]
            Bytes::Files(files) => Coverage::of_file(&files.path),
        }
    }

    /// The path of the WDL file; `None` if the table is in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.0.bytes {
            Bytes::Memory(_) => None,
            #[cfg(feature = "files")]
            Bytes::Files(files) => Some(&files.path),
        }
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
        match &self.0.bytes {
            Bytes::Memory(table) => Some(table.bytes()),
            #[cfg(feature = "files")]
            Bytes::Files(files) => {
                let len = |kind| fs::metadata(files.path_of(kind)).ok().map(|found| found.len());
                Some(len(FileKind::Wdl)? + len(FileKind::Dtw).unwrap_or(0))
            }
        }
    }

    /// The material; of files, according to their names.
    pub fn material(&self) -> Material {
        self.0.material
    }

    /// The rule set; of files, according to their names.
    pub fn rules(&self) -> RuleSet {
        self.0.rules
    }

    /// The table. If it is in files, the first call opens them and checks their headers. After a failure,
    /// the next call tries again if a file has changed since, or if the system could not read it.
    ///
    /// # Errors
    /// If a file cannot be opened, is damaged, or holds another table than its name says.
    #[inline]
    pub fn table(&self) -> Result<&Table, ProbeError> {
        match &self.0.bytes {
            Bytes::Memory(table) => Ok(table),
            #[cfg(feature = "files")]
            Bytes::Files(files) => files.table(),
        }
    }

    /// The table for looking up WDLs, whatever its DTW file may be like.
    #[inline]
    pub(super) fn wdl_table(&self) -> Result<&Table, ProbeError> {
        match &self.0.bytes {
            Bytes::Memory(table) => Ok(table),
            #[cfg(feature = "files")]
            Bytes::Files(files) => files.wdl_table(),
        }
    }

    /// What is open: the table, or its WDL file alone. Nothing is opened now.
    pub(super) fn open_table(&self) -> Option<&Table> {
        match &self.0.bytes {
            Bytes::Memory(table) => Some(table),
            #[cfg(feature = "files")]
            Bytes::Files(files) => files.state().table(),
        }
    }

    /// The error of a question to the table: it names the file that is at fault.
    #[cold]
    pub fn error(&self, error: TableError) -> ProbeError {
        ProbeError::of_table(self.material(), self.rules(), |kind| self.origin_of(kind), error)
    }
}
