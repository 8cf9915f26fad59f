//! The files of one table, opened when they are first needed.

use super::ProbeError;
use super::budget::{Budget, Share};
use super::load::Loaded;
use crate::index::Material;
use crate::rules::RuleSet;
use crate::table::{Access, FileKind, OpenError, Origin, Stamp, Table, TableError, is_preferred};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

/// The files of one table. They are opened when they are first needed. Clones share what is open.
#[derive(Clone, Debug)]
pub struct TableFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    material: Material,
    rules: RuleSet,
    reading: Reading,
    /// The table with its DTW file, if that is there.
    table: Opened,
    /// The table without its DTW file, which is damaged or cannot be read.
    wdl_alone: Opened,
    /// The values that were loaded into memory.
    loaded: Loaded,
    /// Why the files that stand here now do not replace those that are open.
    refused: Remembered,
}

/// How files are read.
#[derive(Clone, Debug)]
pub struct Reading {
    pub access: Access,
    /// What is left for files that are not mapped. Tables that do not fit are mapped.
    pub budget: Budget,
}

/// A table, once it was opened without a failure; and the last failure.
#[derive(Debug, Default)]
struct Opened {
    table: OnceLock<(Table, Option<Share>)>,
    failure: Remembered,
}

/// A failure, as long as it is worth remembering.
#[derive(Debug, Default)]
struct Remembered(Mutex<Option<(ProbeError, Seen)>>);

/// What stood at the paths of both files of a table at a time.
#[derive(Debug)]
pub(super) struct Seen {
    path: PathBuf,
    stamps: [Option<Stamp>; 2],
    at: SystemTime,
}

/// The table that a file with this extension is named after; `None` if that is not its name.
pub(super) fn table_named(path: &Path, extension: &str) -> Option<(Material, RuleSet)> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(extension)?.strip_suffix('.')?;
    let (rules, material) = stem.split_once('-')?;
    let (rules, material): (RuleSet, Material) = (rules.parse().ok()?, material.parse().ok()?);
    (format!("{rules}-{material}") == stem).then_some((material, rules))
}

impl TableFile {
    /// The table whose WDL file is at `path`; `None` if that is not the name of such a file.
    pub(super) fn from_path(path: PathBuf, reading: &Reading) -> Option<TableFile> {
        let table = table_named(&path, FileKind::Wdl.extension())?;
        Some(TableFile::new(path, table, reading.clone()))
    }

    fn new(path: PathBuf, (material, rules): (Material, RuleSet), reading: Reading) -> TableFile {
        TableFile(Arc::new(Shared {
            path,
            material,
            rules,
            reading,
            table: Opened::default(),
            wdl_alone: Opened::default(),
            loaded: Loaded::default(),
            refused: Remembered::default(),
        }))
    }

    /// The same files, none of them open. What is opened through this is closed when it is dropped,
    /// whatever becomes of `self`.
    #[must_use]
    pub fn closed(&self) -> TableFile {
        let Shared { path, material, rules, reading, .. } = &*self.0;
        TableFile::new(path.clone(), (*material, *rules), reading.clone())
    }

    /// The values that were loaded into memory.
    #[inline]
    pub(super) fn loaded(&self) -> &Loaded {
        &self.0.loaded
    }

    /// Whether this is the table of the same material and rules.
    pub(super) fn is_same_table(&self, other: &TableFile) -> bool {
        (self.material(), self.rules()) == (other.material(), other.rules())
    }

    /// Whether this is the same table as another one and is used rather than that: it alone has a DTW
    /// file, or both or neither have one and it covers more columns. This looks at the headers of the
    /// WDL files only. `false` if one of them is not sound.
    pub fn is_preferred_to(&self, other: &TableFile) -> bool {
        self.is_same_table(other) && is_preferred(self.path(), other.path())
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

    /// The table. The first call opens it and checks the headers of its files. After a failure, the
    /// next call tries again if a file has changed since, or if the system could not read it.
    ///
    /// # Errors
    /// If a file cannot be opened, is damaged, or holds another table than its name says.
    #[inline]
    pub fn table(&self) -> Result<&Table, ProbeError> {
        match self.0.table.get() {
            Some(table) => Ok(table),
            None => self.open(&self.0.table, Table::open_with),
        }
    }

    /// The table for looking up WDLs, whatever its DTW file may be like.
    #[inline]
    pub(super) fn wdl_table(&self) -> Result<&Table, ProbeError> {
        match self.open_table() {
            Some(table) => Ok(table),
            None => self.open_for_wdl(),
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
        self.open(&self.0.wdl_alone, Table::open_wdl)
    }

    /// Opens a table, unless it failed before and nothing has changed since.
    #[cold]
    fn open<'a>(
        &self,
        place: &'a Opened,
        open: fn(&Path, Access) -> Result<Table, OpenError>,
    ) -> Result<&'a Table, ProbeError> {
        let seen = self.seen();
        if let Some(error) = place.failure.still_valid(&seen) {
            return Err(error);
        }
        let mut share = self.0.reading.budget.take(self.bytes());
        let access = if share.is_some() { self.0.reading.access } else { Access::Mapped };
        let opened = match open(&self.0.path, access) {
            // One of the files may have been replaced before the other was opened.
            Err(OpenError::Table(error)) if *error.cause() == TableError::Mismatched => {
                open(&self.0.path, access)
            }
            opened => opened,
        };
        match self.check(opened) {
            Ok(table) => {
                if let Some(share) = &mut share {
                    share.shrink(table.private_bytes());
                }
                place.failure.forget();
                Ok(&place.table.get_or_init(|| (table, share)).0)
            }
            Err(error) => {
                place.failure.remember(&error, seen);
                Err(error)
            }
        }
    }

    /// The length of both files, as far as they are there.
    fn bytes(&self) -> u64 {
        let len = |kind| fs::metadata(self.path_of(kind)).map_or(0, |found| found.len());
        FileKind::ALL.map(len).iter().fold(0, |sum, &len| sum.saturating_add(len))
    }

    /// What stands at the paths of the files now.
    pub(super) fn seen(&self) -> Seen {
        let at = SystemTime::now();
        let stamps = FileKind::ALL.map(|kind| Stamp::at(&self.path_of(kind)));
        Seen { path: self.0.path.clone(), stamps, at }
    }

    /// Remembers why these files do not replace those that are open in `self`.
    pub(super) fn refuse(&self, error: &ProbeError, seen: Seen) {
        self.0.refused.remember(error, seen);
    }

    /// Why these files do not replace those that are open in `self`, if that was found out before.
    pub(super) fn refusal(&self, seen: &Seen) -> Option<ProbeError> {
        self.0.refused.still_valid(seen)
    }

    /// What is open: the table, or its WDL file alone. Nothing is opened now.
    #[inline]
    pub(super) fn open_table(&self) -> Option<&Table> {
        self.0.table.get().or_else(|| self.0.wdl_alone.get())
    }

    /// Whether the table is open, with its DTW file if there is one.
    pub(super) fn is_whole(&self) -> bool {
        self.0.table.get().is_some()
    }

    /// Whether a file changed since it was opened: it was written to, replaced or removed, or there is
    /// a DTW file that was not there before.
    pub(super) fn has_changed(&self) -> bool {
        let is_new = |table: &Table| !table.has_dtw() && self.path_of(FileKind::Dtw).exists();
        let changed = |table: &Table| table.origins().any(Origin::has_changed);
        self.open_table().is_some_and(changed) || self.0.table.get().is_some_and(is_new)
    }

    /// Whether the table could not be opened as a whole when it was last needed.
    pub(super) fn has_failed(&self) -> bool {
        let failed = || self.0.table.failure.is_some() || self.0.wdl_alone.get().is_some();
        !self.is_whole() && failed()
    }

    /// Whether opening the files anew may give something else. If nobody has needed them so far, it
    /// does not.
    pub(super) fn may_be_outdated(&self) -> bool {
        let may_be = |table: &Table| table.found_damage() || table.origins().any(Origin::is_fresh);
        self.has_failed() || self.open_table().is_some_and(may_be) || self.has_changed()
    }

    /// The table, if it is the one that the file's name says and its sizes are right.
    fn check(&self, opened: Result<Table, OpenError>) -> Result<Table, ProbeError> {
        let table = opened.map_err(|error| self.refused(error))?;
        let expected = (self.0.material, self.0.rules);
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(ProbeError::WrongTable { path: self.0.path.clone(), expected, found });
        }
        table.check_whole().map_err(|error| self.error(error))?;
        Ok(table)
    }

    fn refused(&self, error: OpenError) -> ProbeError {
        let path = self.path_of(error.kind());
        match error {
            OpenError::Table(error) => self.error(error),
            OpenError::Io(error) | OpenError::InDtw(error) => {
                ProbeError::Unreadable { path, kind: error.kind(), message: error.to_string() }
            }
        }
    }

    /// The error of a question to the table, for what is wrong with one of its files: it names the file.
    #[cold]
    pub fn error(&self, error: TableError) -> ProbeError {
        match error {
            TableError::NoDtw => ProbeError::MissingDtw { path: self.path_of(FileKind::Dtw) },
            TableError::BeyondColumns { max_columns, columns } => ProbeError::BeyondColumns {
                material: self.0.material,
                rules: self.0.rules,
                path: self.0.path.clone(),
                max_columns,
                columns,
            },
            error => ProbeError::in_file(self.path_of(error.kind()), error),
        }
    }
}

impl Opened {
    #[inline]
    fn get(&self) -> Option<&Table> {
        self.table.get().map(|(table, _)| table)
    }
}

impl Remembered {
    fn lock(&self) -> MutexGuard<'_, Option<(ProbeError, Seen)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_some(&self) -> bool {
        self.lock().is_some()
    }

    fn forget(&self) {
        *self.lock() = None;
    }

    /// Remembers a failure that came after this was seen. What the system could not read is tried
    /// again each time.
    fn remember(&self, error: &ProbeError, seen: Seen) {
        let passes = matches!(error, ProbeError::Unreadable { .. });
        *self.lock() = (!passes).then(|| (error.clone(), seen));
    }

    /// The failure, if what is seen now is what was seen then.
    fn still_valid(&self, now: &Seen) -> Option<ProbeError> {
        self.lock().as_ref().filter(|(_, seen)| seen.is_same(now)).map(|(error, _)| error.clone())
    }
}

impl Seen {
    /// Whether the same is seen now, and a change would have shown.
    fn is_same(&self, now: &Seen) -> bool {
        let is_fresh = |stamp: &Stamp| stamp.is_fresh_at(self.at);
        (&self.path, self.stamps) == (&now.path, now.stamps)
            && !self.stamps.iter().flatten().any(is_fresh)
    }
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

        let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
        let position = "b2B d2W a7W w".parse().unwrap();
        let material = "2-1".parse().unwrap();
        for error in [
            tables.value(&position).unwrap_err(),
            tables.extent_with_distances(material).unwrap_err(),
        ] {
            let ProbeError::Unreadable { path, kind, .. } = error else { panic!("{error}") };
            assert_eq!(path, dtw);
            assert_ne!(kind, ErrorKind::NotFound);
        }
        assert_eq!(tables.wdl(&position), Ok(Wdl::Win));
        assert!(tables.covers(material) && !tables.covers_distances(material));

        fs::remove_dir(&dtw).unwrap();
        copy("lasca-2-1.ltbd");
        assert_eq!(tables.value(&position), Ok(Value::Win(5)));
        assert!(tables.covers_distances(material));
    }

    #[test]
    fn a_damaged_dtw_file_does_not_matter_to_win_draw_or_loss() {
        let folder = tempfile::tempdir().unwrap();
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/lasca-2-1.ltbw");
        fs::copy(shipped, folder.path().join("lasca-2-1.ltbw")).unwrap();
        fs::write(folder.path().join("lasca-2-1.ltbd"), "damaged").unwrap();
        let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
        let material = "1-2".parse().unwrap();
        assert!(tables.covers(material) && !tables.covers_distances(material));
        assert_eq!(tables.wdl(&"b2B d2W a7W w".parse().unwrap()), Ok(Wdl::Win));
        let error = tables.extent_with_distances(material).unwrap_err();
        assert!(matches!(error, ProbeError::Damaged { .. }), "{error}");
    }
}
