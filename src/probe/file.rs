//! The files of one table, opened when they are first needed.

use super::ProbeError;
use crate::index::Material;
use crate::rules::RuleSet;
use crate::table::{Access, FileKind, OpenError, Origin, Table, TableError, file_name};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The files of one table. They are opened when they are first needed. Clones share what is open.
#[derive(Clone, Debug)]
pub struct TableFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
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
type Opened = OnceLock<Result<Table, ProbeError>>;

impl TableFile {
    /// The table whose WDL file is at `path`; `None` if that is not the name of such a file.
    pub(super) fn from_path(path: PathBuf, access: Access) -> Option<TableFile> {
        let name = path.file_name()?.to_str()?;
        let stem = name.strip_suffix(FileKind::Wdl.extension())?.strip_suffix('.')?;
        let (rules, material) = stem.split_once('-')?;
        let (rules, material) = (rules.parse().ok()?, material.parse().ok()?);
        if file_name(material, rules, FileKind::Wdl) != name {
            return None;
        }
        let (table, wdl_alone) = (OnceLock::new(), OnceLock::new());
        Some(TableFile(Arc::new(Shared { path, material, rules, access, table, wdl_alone })))
    }

    /// The path of the WDL file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The path of the WDL file or of the DTW file. The DTW file need not be there.
    pub fn path_of(&self, kind: FileKind) -> PathBuf {
        self.0.path.with_extension(kind.extension())
    }

    /// The material, according to the file's name.
    pub fn material(&self) -> Material {
        self.0.material
    }

    /// The rule set, according to the file's name.
    pub fn rules(&self) -> RuleSet {
        self.0.rules
    }

    /// The table. The first call opens it and checks the headers of its files. If the system cannot
    /// read a file, the next call tries again.
    ///
    /// # Errors
    /// If a file cannot be opened, is damaged, or holds another table than its name says.
    pub fn table(&self) -> Result<&Table, ProbeError> {
        opened(&self.0.table, || self.check(Table::open_with(&self.0.path, self.0.access)))
    }

    /// The table for looking up WDLs, whatever its DTW file may be like.
    #[inline]
    pub(super) fn wdl_table(&self) -> Result<&Table, ProbeError> {
        match (self.0.table.get(), self.0.wdl_alone.get()) {
            (Some(Ok(table)), _) | (_, Some(Ok(table))) => Ok(table),
            _ => self.open_for_wdl(),
        }
    }

    #[cold]
    fn open_for_wdl(&self) -> Result<&Table, ProbeError> {
        let error = match self.table() {
            Ok(table) => return Ok(table),
            Err(error) => error,
        };
        let (ProbeError::Damaged { path, .. } | ProbeError::Unreadable { path, .. }) = &error
        else {
            return Err(error);
        };
        if *path == self.0.path {
            return Err(error);
        }
        opened(&self.0.wdl_alone, || self.check(Table::open_wdl(&self.0.path, self.0.access)))
    }

    /// What is open: the table, or its WDL file alone. Nothing is opened now.
    fn open_table(&self) -> Option<&Table> {
        let places = [&self.0.table, &self.0.wdl_alone].into_iter();
        places.filter_map(OnceLock::get).find_map(|opened| opened.as_ref().ok())
    }

    /// Whether a file changed since it was opened: it was written to, replaced or removed, or there is
    /// a DTW file that was not there before.
    pub(super) fn has_changed(&self) -> bool {
        let is_new = || {
            let whole = self.0.table.get().and_then(|opened| opened.as_ref().ok());
            whole.is_some_and(|table| !table.has_dtw()) && self.path_of(FileKind::Dtw).exists()
        };
        let changed = |table: &Table| table.origins().any(Origin::has_changed);
        self.open_table().is_some_and(changed) || is_new()
    }

    /// Whether opening the files anew may give something else. If nobody has needed them so far, it
    /// does not.
    pub(super) fn may_be_outdated(&self) -> bool {
        let failed = matches!(self.0.table.get(), Some(Err(_))) || self.0.wdl_alone.get().is_some();
        let is_fresh = |table: &Table| table.origins().any(Origin::is_fresh);
        failed || self.open_table().is_some_and(is_fresh) || self.has_changed()
    }

    /// The table, if it is the one that the file's name says and its sizes are right.
    fn check(&self, opened: Result<Table, OpenError>) -> Result<Table, ProbeError> {
        let table = opened.map_err(|error| self.refused(error))?;
        let expected = (self.0.material, self.0.rules);
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(ProbeError::WrongTable { path: self.0.path.clone(), expected, found });
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
        match error {
            TableError::NoDtw => ProbeError::MissingDtw { path: self.path_of(FileKind::Dtw) },
            error => ProbeError::in_file(self.path_of(error.kind()), error),
        }
    }
}

/// The table that was opened before, or is opened now.
fn opened(
    place: &Opened,
    open: impl FnOnce() -> Result<Table, ProbeError>,
) -> Result<&Table, ProbeError> {
    let remembered = match place.get() {
        Some(remembered) => remembered,
        None => match open() {
            Err(error @ ProbeError::Unreadable { .. }) => return Err(error),
            opened => place.get_or_init(|| opened),
        },
    };
    remembered.as_ref().map_err(Clone::clone)
}

#[cfg(test)]
mod tests {
    use crate::probe::{ProbeError, Tablebase};
    use crate::rules::RuleSet;
    use crate::{Value, Wdl};
    use std::fs;
    use std::io::ErrorKind;

    #[test]
    fn a_dtw_file_that_cannot_be_read_is_tried_again_and_wdls_are_answered_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let copy = |name: &str| {
            let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/");
            fs::copy(format!("{shipped}{name}"), folder.path().join(name)).unwrap();
        };
        copy("lasca-2-1.ltbw");
        let dtw = folder.path().join("lasca-2-1.ltbd");
        fs::create_dir(&dtw).unwrap();

        let tables = Tablebase::open(&[folder.path()], RuleSet::Lasca).unwrap();
        let position = "b2B d2W a7W w".parse().unwrap();
        let material = "2-1".parse().unwrap();
        for error in
            [tables.value(&position).unwrap_err(), tables.covers_dtw(material).unwrap_err()]
        {
            let ProbeError::Unreadable { path, kind, .. } = error else { panic!("{error}") };
            assert_eq!(path, dtw);
            assert_ne!(kind, ErrorKind::NotFound);
        }
        assert_eq!(tables.wdl(&position), Ok(Wdl::Win));
        assert_eq!(tables.covers_wdl(material), Ok(()));

        fs::remove_dir(&dtw).unwrap();
        copy("lasca-2-1.ltbd");
        assert_eq!(tables.value(&position), Ok(Value::Win(5)));
        assert_eq!(tables.covers_dtw(material), Ok(()));
    }

    #[test]
    fn a_damaged_dtw_file_does_not_matter_to_win_draw_or_loss() {
        let folder = tempfile::tempdir().unwrap();
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/lasca-2-1.ltbw");
        fs::copy(shipped, folder.path().join("lasca-2-1.ltbw")).unwrap();
        fs::write(folder.path().join("lasca-2-1.ltbd"), "damaged").unwrap();
        let tables = Tablebase::open(&[folder.path()], RuleSet::Lasca).unwrap();
        let material = "1-2".parse().unwrap();
        assert_eq!(tables.covers_wdl(material), Ok(()));
        assert_eq!(tables.wdl(&"b2B d2W a7W w".parse().unwrap()), Ok(Wdl::Win));
        let error = tables.covers_dtw(material).unwrap_err();
        assert!(matches!(error, ProbeError::Damaged { .. }), "{error}");
    }
}
