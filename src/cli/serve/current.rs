//! The tables that the server answers from. When files change, their tables are opened anew.

use super::log;
use super::refusal::file_name;
use crate::failure::Failure;
use crate::folders::Folders;
use crate::make::Maker;
use crate::threads::lock;
use crate::watch::Watch;
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{TableEntry, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{Access, FileKind};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock, TryLockError};
use std::time::Duration;

/// The tables as they are now.
#[derive(Debug)]
pub struct CurrentTables {
    folders: Folders,
    /// How many bytes of them may be read into memory.
    room: u64,
    tables: RwLock<Tablebase>,
    /// Whoever holds this may open the tables anew. The text says why that failed the last time; it is empty if it did
    /// not.
    watch: Mutex<(Watch, String)>,
}

/// Opens tables in the first of the three ways that takes at most `room` bytes of memory once all of them was
/// read: none is mapped, those with large files are, or all are.
fn open(folders: &Folders, rules: RuleSet, room: u64) -> Result<Tablebase, Failure> {
    let options = Tablebase::options(rules);
    let tables = folders.open_with(options)?;
    match fitting(&tables, room) {
        access if access == tables.access() => Ok(tables),
        access => folders.open_with(options.access(access)),
    }
}

/// The tables under the rules of the answers that cannot be opened, and why.
fn broken(tables: &Tablebase) -> Vec<(Material, String)> {
    let why = |file: &TableEntry| {
        let failure = Failure::from(file.table().err()?);
        Some((file.material(), failure.lines().join(", ")))
    };
    of_rules(tables).filter_map(why).collect()
}

/// Tells in the log if some tables are mapped, and what happens where files are `broken`.
fn tell(tables: &Tablebase, broken: Vec<(Material, String)>) {
    if tables.access() != Access::Private {
        log::line(
            "- there is too little free memory for all tables, so those with large files, or all, are \
             memory-mapped, and must not be overwritten in place while the server runs",
        );
    }
    for (material, why) in broken {
        let what = match tables.table(material) {
            Ok(_) => "the table that was there before answers",
            Err(_) => "requests get status 500",
        };
        log::line(format_args!("- {what}, as a table cannot be opened: {why}"));
    }
}

/// The tables under the rules of the answers.
fn of_rules(tables: &Tablebase) -> impl Iterator<Item = &TableEntry> {
    tables.tables().into_iter().filter(|file| file.rules() == tables.rules())
}

fn fitting(tables: &Tablebase, room: u64) -> Access {
    let paths =
        of_rules(tables).flat_map(|file| FileKind::ALL.map(|kind| file.path_of(kind))).flatten();
    let lengths: Vec<u64> = paths.filter_map(|path| Some(fs::metadata(path).ok()?.len())).collect();
    let fits = |access: &Access| {
        let private = lengths.iter().filter(|&&len| access.of(len) == Access::Private);
        private.sum::<u64>() <= room
    };
    let access = [Access::Private, Access::Automatic].into_iter().find(fits);
    access.unwrap_or(Access::Mapped)
}

impl CurrentTables {
    /// Opens tables, of which `room` bytes may be read into memory.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open(folders: &Folders, rules: RuleSet, room: u64) -> Result<CurrentTables, Failure> {
        let watch = Mutex::new((Watch::new(folders), String::new()));
        let tables = open(folders, rules, room)?;
        tell(&tables, broken(&tables));
        let tables = RwLock::new(tables);
        Ok(CurrentTables { folders: folders.clone(), room, tables, watch })
    }

    /// The tables, after a look at their folders if the last one is long ago. This may read files, so it is for
    /// threads that may wait.
    pub fn get(&self) -> Tablebase {
        self.look_again();
        self.now()
    }

    /// Works with the tables, which are not opened anew meanwhile: a table that is added to them stays.
    pub fn as_they_are<T>(&self, work: impl FnOnce(&Tablebase) -> T) -> T {
        self.look_again();
        let _alone = lock(&self.watch);
        work(&self.now())
    }

    /// What makes tables that take so long at most.
    pub fn maker(&self, time: Duration) -> Maker {
        Maker::new(time, &self.folders, self.now().rules())
    }

    /// The tables as they were at the last look.
    fn now(&self) -> Tablebase {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens the tables anew whose files have changed. If another thread looks, the tables do as they are.
    fn look_again(&self) {
        let mut held = match self.watch.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let (watch, failed) = &mut *held;
        let before = self.now();
        let (mut names, mut wrong) = (Vec::new(), Vec::new());
        let open = |changed: &BTreeSet<PathBuf>| {
            let tables = open(&self.folders, before.rules(), self.room)?;
            names.extend(changed.iter().map(|path| file_name(path)));
            wrong = broken(&tables);
            Ok(tables)
        };
        let Some(renewed) = watch.renew(false, Some(&before), open) else { return };
        match renewed {
            Ok(tables) => {
                let names = names.join(", ");
                log::line(format_args!("- tables opened anew, as these have changed: {names}"));
                tell(&tables, wrong);
                failed.clear();
                *self.tables.write().unwrap_or_else(PoisonError::into_inner) = tables;
            }
            // Each look finds the same until the folder can be read again.
            Err(failure) => {
                let why = failure.lines().join(", ");
                if why != *failed {
                    log::line(format_args!("- {why}"));
                    *failed = why;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_not_opened_anew_while_one_is_made() {
        let folders = Folders::default();
        let tables = CurrentTables {
            room: 0,
            tables: RwLock::new(Tablebase::options(RuleSet::Lasca).empty()),
            watch: Mutex::new((Watch::new(&folders), String::new())),
            folders,
        };
        tables.as_they_are(|_| assert!(tables.watch.try_lock().is_err()));
        assert!(tables.watch.try_lock().is_ok());
    }

    #[test]
    fn tables_are_read_into_memory_if_there_is_room_for_all_and_mapped_otherwise() {
        let tables = Tablebase::open("../../tables", RuleSet::Lasca).unwrap();
        let files = tables.tables().into_iter();
        let bytes: u64 = files.map(|file| file.table().unwrap().bytes()).sum();
        assert_eq!(
            [bytes, bytes - 1, 0].map(|room| fitting(&tables, room)),
            [Access::Private, Access::Mapped, Access::Mapped]
        );
    }
}
