//! The files of one table, opened when they are first needed.

use super::ProbeError;
use crate::index::Material;
use crate::rules::RuleSet;
use crate::table::{Access, FileBytes, Kind, OpenError, Table, TableError, file_name};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The files of one table. They are opened when they are first needed.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    material: Material,
    rules: RuleSet,
    access: Access,
    /// The table with its DTW file, if that is there.
    table: Opened,
    /// The table without its DTW file, which is damaged or cannot be read.
    wdl_alone: Opened,
}

/// The result of opening a table, once that was tried. A failure that may pass is not kept.
type Opened = OnceLock<Result<Table<FileBytes>, ProbeError>>;

impl TableFile {
    /// The table whose WDL file is at `path`; `None` if that is not the name of such a file.
    pub(super) fn from_path(path: PathBuf, access: Access) -> Option<TableFile> {
        let name = path.file_name()?.to_str()?;
        let stem = name.strip_suffix(Kind::Wdl.extension())?.strip_suffix('.')?;
        let (rules, material) = stem.split_once('-')?;
        let (rules, material) = (rules.parse().ok()?, material.parse().ok()?);
        (file_name(material, rules, Kind::Wdl) == name).then(|| TableFile {
            path,
            material,
            rules,
            access,
            table: OnceLock::new(),
            wdl_alone: OnceLock::new(),
        })
    }

    /// The path of the WDL file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the WDL file or of the DTW file. The DTW file need not be there.
    pub fn path_of(&self, kind: Kind) -> PathBuf {
        self.path.with_extension(kind.extension())
    }

    /// The material, according to the file's name.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The rule set, according to the file's name.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The table. The first call opens it and checks the headers of its files. If the system cannot
    /// read a file, the next call tries again.
    ///
    /// # Errors
    /// If a file cannot be opened, is damaged, or holds another table than its name says.
    pub fn table(&self) -> Result<&Table<FileBytes>, ProbeError> {
        opened(&self.table, || self.check(Table::open_with(&self.path, self.access)))
    }

    /// The table for looking up WDLs, whatever its DTW file may be like.
    #[inline]
    pub(super) fn wdl_table(&self) -> Result<&Table<FileBytes>, ProbeError> {
        match (self.table.get(), self.wdl_alone.get()) {
            (Some(Ok(table)), _) | (_, Some(Ok(table))) => Ok(table),
            _ => self.open_for_wdl(),
        }
    }

    #[cold]
    fn open_for_wdl(&self) -> Result<&Table<FileBytes>, ProbeError> {
        let error = match self.table() {
            Ok(table) => return Ok(table),
            Err(error) => error,
        };
        let (ProbeError::Damaged { path, .. } | ProbeError::Unreadable { path, .. }) = &error
        else {
            return Err(error);
        };
        if *path == self.path {
            return Err(error);
        }
        opened(&self.wdl_alone, || self.check(Table::open_wdl(&self.path, self.access)))
    }

    /// The table, if it is the one that the file's name says and its sizes are right.
    fn check(
        &self,
        opened: Result<Table<FileBytes>, OpenError>,
    ) -> Result<Table<FileBytes>, ProbeError> {
        let table = opened.map_err(|error| self.refused(error))?;
        let expected = (self.material, self.rules);
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(ProbeError::WrongTable { path: self.path.clone(), expected, found });
        }
        table.check_whole().map_err(|error| self.damaged(error))?;
        Ok(table)
    }

    fn refused(&self, error: OpenError) -> ProbeError {
        let path = self.path_of(error.kind());
        match error {
            OpenError::Table(error) => self.damaged(error),
            OpenError::Io(error) | OpenError::InDtw(error) => {
                ProbeError::Unreadable { path, kind: error.kind(), message: error.to_string() }
            }
        }
    }

    /// The error for a table that turned out to be damaged, or to have no DTW file.
    #[cold]
    pub(super) fn damaged(&self, error: TableError) -> ProbeError {
        if error == TableError::NoDtw {
            return ProbeError::MissingDtw { path: self.path_of(Kind::Dtw) };
        }
        ProbeError::Damaged { path: self.path_of(error.kind()), error }
    }
}

/// The table that was opened before, or is opened now.
fn opened(
    place: &Opened,
    open: impl FnOnce() -> Result<Table<FileBytes>, ProbeError>,
) -> Result<&Table<FileBytes>, ProbeError> {
    let remembered = match place.get() {
        Some(remembered) => remembered,
        None => match open() {
            Err(error @ ProbeError::Unreadable { .. }) => return Err(error),
            opened => place.get_or_init(|| opened),
        },
    };
    remembered.as_ref().map_err(Clone::clone)
}
