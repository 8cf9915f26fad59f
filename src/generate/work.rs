//! The work on one material: where it is done, and what stands there.

use super::error::{GenerateError, io_error};
use super::{Generated, existing};
use crate::Progress;
use crate::clock::Instant;
use crate::durable::{self, is_same_file, is_without_locks};
use crate::file_at::open_regular;
use crate::index::{Extent, Material};
use crate::rules::RuleSet;
use crate::table::{Coverage, FileKind, Table, file_name};
use std::convert::identity;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    folder: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.file.take());
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
        let name = file_name(self.material, self.rules, FileKind::Wdl);
        let others = self.others.iter().map(|folder| folder.join(&name));
        let places = std::iter::once(self.target.clone()).chain(others);
        // What cannot be looked at is not nothing: at the target, it would be replaced.
        let is_there = |path: &PathBuf| path.try_exists().unwrap_or(*path == self.target);
        let mut places: Vec<PathBuf> = places.filter(is_there).collect();
        let is_preferred = |path: &Path, other: &Path| {
            let (found, other) = (Coverage::of_file(path), Coverage::of_file(other));
            found.zip(other).is_some_and(|(found, other)| found.is_preferred_to(other))
        };
        let mut unreadable = None;
        while let Some(best) = (0..places.len()).reduce(|best, next| {
            if is_preferred(&places[next], &places[best]) { next } else { best }
        }) {
            let path = places.remove(best);
            match existing::sound_table(&path, self.extent, self.rules) {
                Ok(Some(table)) => return Ok(Some((path, table))),
                Ok(None) => {}
                Err(error) => unreadable = unreadable.or(Some(error)),
            }
            // Questions would be answered from this one, and it can be made again.
            if path == self.target {
                break;
            }
        }
        if let Some(error) = unreadable {
            return Err(error);
        }
        existing::check_may_be_written(&self.target, self.extent, self.rules)?;
        Ok(None)
    }

    /// Whether a damaged table is to be replaced, or one without distances.
    pub(super) fn repairs(&self) -> Result<bool, GenerateError> {
        let least = Extent::bounded(self.material, 2).map_err(GenerateError::Extent)?;
        let sound = || existing::sound_table(&self.target, least, self.rules);
        Ok(self.target.exists() && sound()?.is_none())
    }

    /// Whether anything is kept from which a run would go on.
    pub(super) fn is_begun(&self) -> bool {
        self.extent.columns().any(|columns| self.keeps(columns))
    }

    /// Locks the work folder, and says so if it cannot be locked at all. `None` if another run holds it.
    pub(super) fn try_lock(&self, progress: &dyn Progress) -> Result<Option<Lock>, GenerateError> {
        let path = self.folder.join("lock");
        let mut failed = durable::never_the_same();
        // Runs that come to their end remove the folders meanwhile; how often is their number.
        for _ in 0..durable::TRIES {
            let made = durable::create_folder(&self.folder)
                .and_then(|()| open_regular(File::options().create(true).append(true), &path));
            let lock = match made {
                // A folder that is removed while it is made shows as either.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
                    ) =>
                {
                    failed = error;
                    continue;
                }
                made => made.map_err(io_error("making", &path))?,
            };
            match lock.try_lock() {
                // The run that held the lock may have removed the folder; then the lock is on a file
                // that nobody else can see.
                Ok(()) => {
                    match is_same_file(&lock, &path).map_err(io_error("looking at", &path))? {
                        true => return Ok(Some(self.lock(Some(lock)))),
                        false => failed = durable::never_the_same(),
                    }
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) if is_without_locks(&error) => {
                    // The same for all materials.
                    let all = self.folder.parent().unwrap_or(&self.folder);
                    progress.warned(&format!(
                        "{} cannot be locked: {error}; the work goes on, but start no second run of the \
                         same table meanwhile",
                        all.display()
                    ));
                    return Ok(Some(self.lock(Some(lock))));
                }
                Err(TryLockError::Error(error)) => return Err(io_error("locking", &path)(error)),
            }
        }
        Err(io_error("making", &path)(failed))
    }

    fn lock(&self, file: Option<File>) -> Lock {
        Lock { file, folder: self.folder.clone() }
    }

    /// What is saved of a slice: the note of its checkpoint. Each slice has its own.
    pub(super) fn slice_path(&self, columns: usize) -> PathBuf {
        self.folder.join(format!("columns-{columns}"))
    }

    /// Whether anything is kept of a slice. What cannot be read is kept.
    fn keeps(&self, columns: usize) -> bool {
        self.slice_path(columns).try_exists().unwrap_or(true)
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
        if !self.holds_larger_slices() {
            let _ = self.remove_all();
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

    /// Whether slices of more columns than are wanted are solved or begun.
    fn holds_larger_slices(&self) -> bool {
        let mut larger = self.material.columns().filter(|k| !self.extent.columns().contains(k));
        larger.any(|columns| self.keeps(columns))
    }

    /// Removes what a run that was stopped after its last step may have left, perhaps only an empty folder. If
    /// another run works there, that run removes it.
    pub(super) fn clean_up_if_unused(&self) {
        let path = self.folder.join("lock");
        // This makes no folder, and so does not disturb a run that removes one.
        let mut options = File::options();
        let options = options.create(self.folder.exists()).append(true);
        let lock = self.lock(open_regular(options, &path).ok());
        if let Some(file) = &lock.file
            && file.try_lock().is_ok()
            && is_same_file(file, &path).is_ok_and(identity)
        {
            self.clean_up();
        }
    }

    /// What to say of a table that was there already.
    pub(super) fn report(&self, path: PathBuf, table: &Table, started: Instant) -> Generated {
        Generated {
            extent: table.extent(),
            path,
            was_there: true,
            repaired: false,
            positions: table.positions(),
            bytes: table.bytes(),
            max_dtw: table.slices().iter().filter_map(|s| s.stats().max_dtw()).max(),
            solved: 0,
            solving: Duration::ZERO,
            total: started.elapsed(),
            keeps_larger: self.holds_larger_slices(),
        }
    }
}
