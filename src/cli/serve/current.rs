//! The tables that the server answers from. When their files change, they are opened anew.

use super::log;
use super::refusal::{Refusal, file_name};
use hyper::StatusCode;
use lasca_tablebase::probe::{Refreshed, Tablebase};
use lasca_tablebase::table::{Access, FileKind};
use std::fs;
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The time between two looks at the files, at least.
const PACE: Duration = Duration::from_millis(100);

/// How many times as long as a look took is the time until the next one, at least. So looks do not take
/// much of the time, even if a large file is being copied.
const REST: u32 = 9;

/// The tables as they are now.
#[derive(Debug)]
pub struct CurrentTables {
    tables: watch::Sender<Tablebase>,
    /// How many bytes of them may be read into memory.
    room: u64,
    looked: Mutex<Looked>,
}

/// What the last look at the files has left.
#[derive(Debug)]
struct Looked {
    /// When they may be looked at again.
    next: Instant,
    /// What was wrong with them.
    errors: Vec<String>,
}

/// These tables, read in the first of the three ways that takes at most `room` bytes of memory once all of
/// them was read: none is mapped, those with large files are, or all are.
pub fn fitted(tables: Tablebase, room: u64) -> Tablebase {
    let of_rules = tables.tables().iter().filter(|file| file.rules() == tables.rules());
    let paths = of_rules.flat_map(|file| FileKind::ALL.map(|kind| file.path_of(kind))).flatten();
    let lengths: Vec<u64> = paths.filter_map(|path| Some(fs::metadata(path).ok()?.len())).collect();
    let fits = |access: &Access| {
        let private = lengths.iter().filter(|&&len| access.of(len) == Access::Private);
        private.sum::<u64>() <= room
    };
    let access = [Access::Private, Access::Automatic].into_iter().find(fits);
    let access = access.unwrap_or(Access::Mapped);
    if tables.access() == access { tables } else { tables.with_access(access) }
}

/// What to say of these [`fitted`] tables if some of them are memory-mapped.
pub fn mapped(tables: &Tablebase) -> Option<&'static str> {
    (tables.access() != Access::Private).then_some(
        "there is too little free memory for all tables, so those with large files, or all, are \
         memory-mapped, and must not be overwritten in place while the server runs",
    )
}

impl CurrentTables {
    /// Answers from these tables until their files change. The new ones are [`fitted`].
    pub fn new(tables: Tablebase, room: u64) -> CurrentTables {
        CurrentTables {
            tables: watch::Sender::new(tables),
            room,
            looked: Mutex::new(Looked { next: Instant::now() + PACE, errors: Vec::new() }),
        }
    }

    /// The tables, without a look at their files.
    fn get(&self) -> Tablebase {
        self.tables.borrow().clone()
    }

    /// Answers a question from the tables, after a look at their files if the last one is long ago. If
    /// something is wrong with the tables, and their files have changed, the question is put again to
    /// the new ones. This reads files, so it is for threads that may wait.
    pub fn answer<T>(
        &self,
        question: impl Fn(&Tablebase) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.look_again();
        let tables = self.get();
        let refusal = match question(&tables) {
            Err(refusal) if refusal.status == StatusCode::INTERNAL_SERVER_ERROR => refusal,
            answered => return answered,
        };
        self.look_again();
        let newer = self.get();
        if tables.is_clone_of(&newer) { Err(refusal) } else { question(&newer) }
    }

    /// Looks at the files if it is time. If another thread is looking, the tables do as they are.
    fn look_again(&self) {
        let mut looked = match self.looked.try_lock() {
            Ok(looked) => looked,
            // A look that ended in a panic has changed nothing.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if Instant::now() >= looked.next {
            self.look(&mut looked);
        }
    }

    /// Looks at the files, and opens those anew that have changed.
    fn look(&self, looked: &mut Looked) {
        let begun = Instant::now();
        let errors = match self.get().refreshed() {
            Ok(refreshed) => {
                log_changes(&refreshed);
                if let Some(tables) = refreshed.tables {
                    let tables = fitted(tables, self.room);
                    if let Some(mapped) = mapped(&tables) {
                        log::line(format_args!("- {mapped}"));
                    }
                    // The old tables are closed here, and nobody waits for that.
                    drop(self.tables.send_replace(tables));
                }
                refreshed
                    .errors
                    .iter()
                    .map(|error| format!("{error}; it is not used so far"))
                    .collect()
            }
            Err(error) => vec![error.to_string()],
        };
        // What is wrong for a while is logged once.
        for error in errors.iter().filter(|error| !looked.errors.contains(error)) {
            log::line(format_args!("- {error}"));
        }
        let now = Instant::now();
        *looked = Looked { next: now + PACE.max(REST * (now - begun)), errors };
    }
}

/// Logs which tables have come, changed and gone.
fn log_changes(refreshed: &Refreshed) {
    for (what, paths) in [
        ("tables opened that are new or have changed", &refreshed.changed),
        ("tables that are no longer there", &refreshed.gone),
    ] {
        if !paths.is_empty() {
            let names: Vec<String> = paths.iter().map(|path| file_name(path)).collect();
            log::line(format_args!("- {what}: {}", names.join(", ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::rules::RuleSet;

    #[test]
    fn tables_are_read_into_memory_if_there_is_room_for_all_and_mapped_otherwise() {
        let tables = Tablebase::open("../../tables", RuleSet::Lasca).unwrap();
        let files = tables.tables().iter();
        let bytes: u64 = files.map(|file| file.table().unwrap().bytes()).sum();
        let access = |room| fitted(tables.clone(), room).access();
        assert_eq!(
            [bytes, bytes - 1, 0].map(access),
            [Access::Private, Access::Mapped, Access::Mapped]
        );
        assert_eq!(
            [bytes, 0].map(|room| mapped(&fitted(tables.clone(), room)).is_some()),
            [false, true]
        );
    }
}
