//! The work on one material: where it is done, and what stands there.

use super::error::{GenerateError, io_error};
use super::{Generated, existing};
use crate::clock::Instant;
use crate::file_at::open_regular;
use crate::index::{Extent, Material};
use crate::rules::RuleSet;
use crate::table::{Coverage, FileKind, Table, file_name};
use crate::{Progress, Silent};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a folder is made that others may remove meanwhile.
const TRIES: usize = 1000;

/// The work on one material.
pub(super) struct Work<'a> {
    pub(super) material: Material,
    pub(super) rules: RuleSet,
    /// The positions that are wanted.
    pub(super) extent: Extent,
    /// The WDL file that is made.
    pub(super) target: PathBuf,
    /// Other folders in which the table may be.
    others: &'a [PathBuf],
    /// Where the work is done.
    pub(super) folder: PathBuf,
}

/// The lock of a work folder. Dropping it unlocks the folder. Then the folder, and the folder of all work, are
/// removed if nothing is in them: many file systems keep a folder in which a file was removed, but is still open.
pub(super) struct Lock {
    file: Option<File>,
    /// Whether no other run can have it: not on a file system without locks.
    pub(super) is_sure: bool,
    folder: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.file = None;
        for folder in self.folder.ancestors().take(2) {
            let _ = fs::remove_dir(folder);
        }
    }
}

impl Work<'_> {
    /// The work on a table in the folder `tables`.
    pub(super) fn new<'a>(
        tables: &Path,
        others: &'a [PathBuf],
        extent: Extent,
        rules: RuleSet,
    ) -> Work<'a> {
        let material = extent.material();
        let target = tables.join(file_name(material, rules, FileKind::Wdl));
        let folder = tables.join(".work").join(format!("{rules}-{material}"));
        Work { material, rules, extent, target, others, folder }
    }

    /// The finished table and its path, if it is there and sound.
    pub(super) fn finished(&self) -> Result<Option<(PathBuf, Table)>, GenerateError> {
        if let Some(table) = existing::sound_table(&self.target, self.extent, self.rules)? {
            return Ok(Some((self.target.clone(), table)));
        }
        // If questions would be answered from the target, and not from the other table, the target is damaged.
        let target = Coverage::of_file(&self.target);
        let is_preferred = |other: &PathBuf| match (target, Coverage::of_file(other)) {
            (Some(target), Some(other)) => other.is_preferred_to(target),
            (Some(target), None) => !target.has_dtw || !target.extent.includes(self.extent),
            (None, _) => !self.target.try_exists().unwrap_or(true),
        };
        let name = file_name(self.material, self.rules, FileKind::Wdl);
        let mut unreadable = None;
        for path in self.others.iter().map(|folder| folder.join(&name)).filter(is_preferred) {
            match existing::sound_table(&path, self.extent, self.rules) {
                Ok(Some(table)) => return Ok(Some((path, table))),
                Ok(None) => {}
                Err(error) => unreadable = unreadable.or(Some(error)),
            }
        }
        if let Some(error) = unreadable {
            return Err(error);
        }
        existing::check_may_be_written(&self.target, self.extent, self.rules)?;
        Ok(None)
    }

    /// Locks the work folder, and says so if it cannot be locked at all.
    ///
    /// # Errors
    /// [`GenerateError::Busy`] if another run holds it.
    pub(super) fn lock(&self, progress: &dyn Progress) -> Result<Lock, GenerateError> {
        let path = self.folder.join("lock");
        let busy = || GenerateError::Busy { material: self.material };
        // Runs on other materials that come to their end may remove the folder of all work meanwhile. A folder that is
        // removed while it is made shows as either.
        let is_gone = |made: &io::Result<()>| {
            let error = made.as_ref().err().map(io::Error::kind);
            matches!(error, Some(io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists))
        };
        let mut made = Ok(());
        for _ in 0..TRIES {
            made = fs::create_dir_all(&self.folder);
            if !is_gone(&made) {
                break;
            }
        }
        made.map_err(io_error("making", &self.folder))?;
        let file = open_regular(File::options().create(true).append(true), &path);
        let file = file.map_err(|error| match error.kind() {
            // The run that made the folder has removed it.
            io::ErrorKind::NotFound => busy(),
            _ => io_error("making", &path)(error),
        })?;
        let is_sure = match file.try_lock() {
            // The run that held the lock may have ended and removed the folder; then nobody else can see this file.
            Ok(()) if is_same_file(&file, &path).map_err(io_error("looking at", &path))? => true,
            Ok(()) | Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) if is_without_locks(&error) => {
                // The same for all materials.
                progress.warned(&format!(
                    "{} cannot be locked: {error}; the work goes on, but start no second run of the same \
                     table meanwhile",
                    self.folder.parent().unwrap_or(&self.folder).display()
                ));
                false
            }
            Err(TryLockError::Error(error)) => return Err(io_error("locking", &path)(error)),
        };
        Ok(Lock { file: Some(file), is_sure, folder: self.folder.clone() })
    }

    /// What is saved of a slice: the note of its checkpoint. Each slice has its own.
    pub(super) fn slice_path(&self, columns: usize) -> PathBuf {
        self.folder.join(format!("columns-{columns}"))
    }

    /// The table that has just been written.
    pub(super) fn written(&self) -> Result<Table, GenerateError> {
        let damaged = |error| GenerateError::Work { path: self.target.clone(), error };
        let table = Table::open_file(&self.target).map_err(damaged)?;
        table.check_whole().map_err(damaged)?;
        Ok(table)
    }

    /// Removes what is in the work folder; when the lock is dropped, the folder goes too. What cannot be
    /// removed does no harm: the next run of this material removes it. Slices of more columns than this
    /// run wanted are the work of another run, which can still go on: then all stays.
    pub(super) fn clean_up(&self) {
        let mut larger = self.material.columns().filter(|k| !self.extent.columns().contains(k));
        // What cannot be read is kept.
        if !larger.any(|columns| self.slice_path(columns).try_exists().unwrap_or(true)) {
            let _ = self.remove_all();
        }
    }

    /// Removes what a run that was stopped after its last step may have left, perhaps only an empty folder. If
    /// another run works there, that run removes it.
    pub(super) fn clean_up_if_unused(&self) {
        if self.folder.exists() {
            if let Ok(lock) = self.lock(&Silent)
                && lock.is_sure
            {
                self.clean_up();
            }
        } else if let Some(all) = self.folder.parent() {
            // It stays if there is anything in it.
            let _ = fs::remove_dir(all);
        }
    }

    /// Removes all that is in the work folder. The lock comes last: a run that gets a new one finds nothing else.
    fn remove_all(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            match path.is_dir() {
                true => fs::remove_dir_all(&path)?,
                false if path.ends_with("lock") => {}
                false => fs::remove_file(&path)?,
            }
        }
        // The folder stays if another run has a lock in it already.
        let _ = fs::remove_dir_all(&self.folder);
        Ok(())
    }

    /// What to say of a table that was there already.
    pub(super) fn report(&self, path: PathBuf, table: &Table, started: Instant) -> Generated {
        Generated {
            extent: table.extent(),
            path,
            was_there: true,
            positions: table.positions(),
            bytes: table.bytes(),
            max_dtw: table.slices().iter().filter_map(|s| s.stats().max_dtw()).max(),
            solved: 0,
            solving: Duration::ZERO,
            total: started.elapsed(),
        }
    }
}

/// Whether this error of a lock says that the file system, or the system around it, has none for this program.
fn is_without_locks(error: &io::Error) -> bool {
    // No kind of errors stands for this number.
    const ENOLCK: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };
    let is_of_unix = || {
        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Interrupted)
            || error.raw_os_error() == Some(ENOLCK)
    };
    error.kind() == io::ErrorKind::Unsupported || cfg!(unix) && is_of_unix()
}

/// Whether an open file is the one that now stands at `path`.
fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(named) => is_file_of(file, path, &named),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The same of a file that was there a moment ago, with this metadata.
#[cfg(unix)]
fn is_file_of(file: &File, _: &Path, named: &fs::Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// The same of a file that was there a moment ago.
#[cfg(not(unix))]
fn is_file_of(file: &File, path: &Path, _: &fs::Metadata) -> io::Result<bool> {
    use same_file::Handle;
    Ok(Handle::from_file(file.try_clone()?)? == Handle::from_path(path)?)
}
