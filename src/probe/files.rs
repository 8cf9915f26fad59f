//! The files of one table, opened when they are first needed.

use super::{Origin, ProbeError};
use crate::index::Material;
use crate::rules::RuleSet;
use crate::table::{Access, FileKind, Seen, Table, TableError, file_name};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The files of one table. What is open stays open.
#[derive(Debug)]
pub struct TableFiles {
    /// The path of the WDL file.
    pub path: PathBuf,
    /// The material, according to the file's name.
    pub material: Material,
    /// The rule set, according to the file's name.
    pub rules: RuleSet,
    /// How the files are read.
    pub access: Access,
    /// The table with its DTW file, if that is there.
    whole: OnceLock<Table>,
    /// The table without its DTW file, which was damaged or could not be read when this was opened.
    wdl_alone: OnceLock<Table>,
    /// Why the last try to open the files failed. What was opened before stays.
    failure: Remembered,
}

/// What has become of the files of a table so far.
#[derive(Clone, Copy, Debug)]
pub enum State<'a> {
    /// Nobody has needed them.
    Closed,
    /// The WDL file could not be opened when it was last needed.
    Failed,
    /// The WDL file is open. The DTW file could not be opened when it was last needed.
    WdlAlone(&'a Table),
    /// The table is open, with its DTW file if there is one.
    Whole(&'a Table),
}

impl<'a> State<'a> {
    /// What is open.
    pub fn table(self) -> Option<&'a Table> {
        match self {
            State::Closed | State::Failed => None,
            State::WdlAlone(table) | State::Whole(table) => Some(table),
        }
    }
}

/// A failure, as long as it is worth remembering, and what was seen before at the paths of both files.
#[derive(Debug, Default)]
struct Remembered(Mutex<Option<(ProbeError, [Seen; 2])>>);

impl TableFiles {
    /// The table whose WDL file is at `path`; `None` if that is not the name of such a file.
    pub fn from_path(path: PathBuf, access: Access) -> Option<TableFiles> {
        let stem = path.file_name()?.to_str()?.strip_suffix(FileKind::Wdl.extension())?;
        let (rules, material) = stem.strip_suffix('.')?.split_once('-')?;
        let (rules, material): (RuleSet, Material) = (rules.parse().ok()?, material.parse().ok()?);
        let is_name = path.ends_with(file_name(material, rules, FileKind::Wdl));
        is_name.then(|| TableFiles::new(path, material, rules, access))
    }

    fn new(path: PathBuf, material: Material, rules: RuleSet, access: Access) -> TableFiles {
        let (whole, wdl_alone, failure) = Default::default();
        TableFiles { path, material, rules, access, whole, wdl_alone, failure }
    }

    /// The same files, none of them open, to be read in this way.
    pub fn closed(&self, access: Access) -> TableFiles {
        TableFiles::new(self.path.clone(), self.material, self.rules, access)
    }

    /// The path of the WDL file or of the DTW file. The DTW file need not be there.
    pub fn path_of(&self, kind: FileKind) -> PathBuf {
        self.path.with_extension(kind.extension())
    }

    /// The table. The first call opens it and checks the headers of its files. After a failure, the
    /// next call tries again if a file has changed since, or if the system could not read it.
    ///
    /// # Errors
    /// If a file cannot be opened, is damaged, or holds another table than its name says.
    #[inline]
    pub fn table(&self) -> Result<&Table, ProbeError> {
        match self.whole.get() {
            Some(table) => Ok(table),
            None => self.open(),
        }
    }

    /// The table for looking up WDLs, whatever its DTW file may be like.
    #[inline]
    pub fn wdl_table(&self) -> Result<&Table, ProbeError> {
        match self.state().table() {
            Some(table) => Ok(table),
            None => self.open().or_else(|error| self.state().table().ok_or(error)),
        }
    }

    /// Opens the table, unless that failed before and nothing has changed since. If only its DTW file is
    /// at fault, win, draw or loss is there afterwards.
    #[cold]
    fn open(&self) -> Result<&Table, ProbeError> {
        self.failure.unless_known(self.seen(), || match self.open_files()? {
            (table, None) => Ok(self.whole.get_or_init(|| table)),
            (table, Some(in_dtw)) => {
                self.wdl_alone.get_or_init(|| table);
                Err(in_dtw)
            }
        })
    }

    /// The table, and what is wrong with its DTW file. If anything is, the table has no distances.
    fn open_files(&self) -> Result<(Table, Option<ProbeError>), ProbeError> {
        let open = || Table::open_parts(&self.path, self.access);
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

    /// The table, if all its bytes are sound.
    pub fn sound_table(&self) -> Result<&Table, ProbeError> {
        let table = self.table()?;
        table.check_bytes().map_err(|error| self.error(error))?;
        Ok(table)
    }

    /// Why these files do not replace those that are open in `self`. Files that were refused before are not
    /// read again until they change.
    pub fn refusal(&self, files: &TableFiles) -> Option<ProbeError> {
        self.failure.unless_known(files.seen(), || files.sound_table()).err()
    }

    /// What has become of the files so far.
    #[inline]
    pub fn state(&self) -> State<'_> {
        match (self.whole.get(), self.wdl_alone.get()) {
            (Some(table), _) => State::Whole(table),
            (None, Some(table)) => State::WdlAlone(table),
            (None, None) if self.failure.is_some() => State::Failed,
            (None, None) => State::Closed,
        }
    }

    /// Whether a file changed since it was opened: it was written to, replaced or removed, or there is
    /// a DTW file that was not there before.
    pub fn has_changed(&self) -> bool {
        let changed = |table: &Table| table.seen().any(Seen::has_changed);
        let is_new = |table: &Table| !table.has_dtw() && self.path_of(FileKind::Dtw).exists();
        match self.state() {
            State::Closed | State::Failed => false,
            State::WdlAlone(table) => changed(table),
            State::Whole(table) => changed(table) || is_new(table),
        }
    }

    /// Whether opening the files anew may give something else.
    pub fn may_be_outdated(&self) -> bool {
        match self.state() {
            State::Closed => false,
            State::Failed | State::WdlAlone(_) => true,
            State::Whole(table) => {
                table.found_damage() || table.seen().any(Seen::is_fresh) || self.has_changed()
            }
        }
    }

    /// The table, if it is the one that the file's name says and its sizes are right.
    fn check(&self, table: &Table) -> Result<(), ProbeError> {
        let expected = (self.material, self.rules);
        let found = (table.material(), table.rules());
        if found != expected {
            return Err(ProbeError::WrongTable { path: self.path.clone(), expected, found });
        }
        table.check_whole().map_err(|error| self.error(error))
    }

    /// The error that names the file that is at fault.
    #[cold]
    fn error(&self, error: TableError) -> ProbeError {
        let origin = |kind| Origin::File(self.path_of(kind));
        ProbeError::of_table(self.material, self.rules, origin, error)
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
