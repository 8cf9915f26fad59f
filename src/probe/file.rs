//! The files of one table, opened when they are first needed.

use super::ProbeError;
use crate::index::Material;
use crate::resolve::LoadedTable;
use crate::rules::RuleSet;
use crate::table::{Access, FileKind, Seen, Table, TableError, file_name, is_preferred};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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
    table: OnceLock<Table>,
    /// The table without its DTW file, which was damaged or could not be read.
    wdl_alone: OnceLock<Table>,
    /// Why the files could not be opened as a whole when they were last needed; if they are open, why those
    /// that stand here now do not replace them.
    failure: Remembered,
    /// The values that were loaded into memory.
    loaded: OnceLock<LoadedTable>,
}

/// A failure, as long as it is worth remembering, and what was seen before at the paths of both files.
#[derive(Debug, Default)]
struct Remembered(Mutex<Option<(ProbeError, [Seen; 2])>>);

impl TableFile {
    /// The table whose WDL file is at `path`; `None` if that is not the name of such a file.
    pub(super) fn from_path(path: PathBuf, access: Access) -> Option<TableFile> {
        let stem = path.file_name()?.to_str()?.strip_suffix(FileKind::Wdl.extension())?;
        let (rules, material) = stem.strip_suffix('.')?.split_once('-')?;
        let (rules, material): (RuleSet, Material) = (rules.parse().ok()?, material.parse().ok()?);
        let is_name = path.ends_with(file_name(material, rules, FileKind::Wdl));
        is_name.then(|| TableFile::new(path, material, rules, access))
    }

    fn new(path: PathBuf, material: Material, rules: RuleSet, access: Access) -> TableFile {
        TableFile(Arc::new(Shared {
            path,
            material,
            rules,
            access,
            table: OnceLock::new(),
            wdl_alone: OnceLock::new(),
            failure: Remembered::default(),
            loaded: OnceLock::new(),
        }))
    }

    /// The same files, none of them open. What is opened through this is closed when it is dropped,
    /// whatever becomes of `self`.
    #[must_use]
    pub fn closed(&self) -> TableFile {
        self.closed_for(self.0.access)
    }

    /// The same files, none of them open, to be read in this way.
    pub(super) fn closed_for(&self, access: Access) -> TableFile {
        TableFile::new(self.0.path.clone(), self.0.material, self.0.rules, access)
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
            None => self.open(),
        }
    }

    /// The table for looking up WDLs, whatever its DTW file may be like.
    #[inline]
    pub(super) fn wdl_table(&self) -> Result<&Table, ProbeError> {
        match self.open_table() {
            Some(table) => Ok(table),
            None => self.open().or_else(|error| self.open_table().ok_or(error)),
        }
    }

    /// Opens the table, unless that failed before and nothing has changed since. If only its DTW file is
    /// at fault, win, draw or loss is there afterwards.
    #[cold]
    fn open(&self) -> Result<&Table, ProbeError> {
        self.0.failure.unless_known(self.seen(), || match self.open_files()? {
            (table, None) => Ok(self.0.table.get_or_init(|| table)),
            (table, Some(in_dtw)) => {
                self.0.wdl_alone.get_or_init(|| table);
                Err(in_dtw)
            }
        })
    }

    /// The table, and what is wrong with its DTW file. If anything is, the table has no distances.
    fn open_files(&self) -> Result<(Table, Option<ProbeError>), ProbeError> {
        let open = || Table::open_parts(&self.0.path, self.0.access);
        let opened = match open() {
            // One of the files may have been replaced before the other was opened.
            Ok((_, Err(error))) if *error.cause() == TableError::Mismatched => open(),
            opened => opened,
        };
        let (table, dtw) = opened.map_err(|error| self.error(error))?;
        self.check(&table)?;
        Ok((table, dtw.err().map(|error| self.error(error))))
    }

    /// What stands at the paths of the files now.
    fn seen(&self) -> [Seen; 2] {
        FileKind::ALL.map(|kind| Seen::at(self.path_of(kind)))
    }

    /// Why these files do not replace those that are open in `self`. Files that were refused before are not
    /// read again until they change.
    pub(super) fn refusal(&self, files: &TableFile) -> Option<ProbeError> {
        let check = || {
            let table = files.table()?;
            table.check_bytes().map_err(|error| files.error(error))
        };
        self.0.failure.unless_known(files.seen(), check).err()
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
        let changed = |table: &Table| table.seen().any(Seen::has_changed);
        self.open_table().is_some_and(changed) || self.0.table.get().is_some_and(is_new)
    }

    /// Whether the table could not be opened as a whole when it was last needed.
    pub(super) fn has_failed(&self) -> bool {
        !self.is_whole() && (self.0.failure.is_some() || self.0.wdl_alone.get().is_some())
    }

    /// Whether opening the files anew may give something else. If nobody has needed them so far, it
    /// does not.
    pub(super) fn may_be_outdated(&self) -> bool {
        let may_be = |table: &Table| table.found_damage() || table.seen().any(Seen::is_fresh);
        self.has_failed() || self.open_table().is_some_and(may_be) || self.has_changed()
    }

    /// The table, if it is the one that the file's name says and its sizes are right.
    fn check(&self, table: &Table) -> Result<(), ProbeError> {
        let expected = (self.0.material, self.0.rules);
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(ProbeError::WrongTable { path: self.0.path.clone(), expected, found });
        }
        table.check_whole().map_err(|error| self.error(error))
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

impl Remembered {
    fn lock(&self) -> MutexGuard<'_, Option<(ProbeError, [Seen; 2])>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_some(&self) -> bool {
        self.lock().is_some()
    }

    /// What `attempt` comes to, unless it failed before when the same was seen as now. What the system could
    /// not read is tried again each time.
    fn unless_known<T>(
        &self,
        now: [Seen; 2],
        attempt: impl FnOnce() -> Result<T, ProbeError>,
    ) -> Result<T, ProbeError> {
        let is_same = |seen: &[Seen; 2]| seen.iter().zip(&now).all(|(seen, now)| seen.is_same(now));
        if let Some((error, _)) = self.lock().as_ref().filter(|(_, seen)| is_same(seen)) {
            return Err(error.clone());
        }
        let attempted = attempt();
        let failure = attempted.as_ref().err();
        let stays = failure.filter(|error| !matches!(error, ProbeError::Unreadable { .. }));
        *self.lock() = stays.map(|error| (error.clone(), now));
        attempted
    }
}
