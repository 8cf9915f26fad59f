//! The tables that the server answers from. When their files change, they are opened anew.

use super::records::Records;
use super::refusal::{Refusal, file_name};
use hyper::StatusCode;
use lasca_tablebase::probe::{Refreshed, Tablebase};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The files are looked at once in this time at most, except after an error.
const PACE: Duration = Duration::from_secs(1);

/// The tables as they are now.
#[derive(Debug)]
pub struct CurrentTables {
    tables: RwLock<Arc<Tablebase>>,
    looked: Mutex<Looked>,
    records: Arc<Records>,
}

/// The last look at the files.
#[derive(Debug)]
struct Looked {
    at: Instant,
    /// What was wrong with them.
    errors: Vec<String>,
}

impl CurrentTables {
    /// Answers from these tables until their files change.
    pub fn new(tables: Tablebase, records: Arc<Records>) -> CurrentTables {
        CurrentTables {
            tables: RwLock::new(Arc::new(tables)),
            looked: Mutex::new(Looked { at: Instant::now(), errors: Vec::new() }),
            records,
        }
    }

    /// The tables, without a look at their files.
    pub fn get(&self) -> Arc<Tablebase> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers a question from the tables, after a look at their files if the last one is long ago. If
    /// something is wrong with the tables, and their files have changed, the question is put again to
    /// the new ones. This reads files, so it is for threads that may wait.
    pub fn answer<T>(
        &self,
        question: impl Fn(&Tablebase) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        // If another thread is looking, the old tables do for now.
        if let Ok(mut looked) = self.looked.try_lock()
            && looked.at.elapsed() >= PACE
        {
            self.look(&mut looked);
        }
        let tables = self.get();
        let refusal = match question(&tables) {
            Err(refusal) if refusal.status == StatusCode::INTERNAL_SERVER_ERROR => refusal,
            answered => return answered,
        };
        self.newer_than(&tables).map_or(Err(refusal), |newer| question(&newer))
    }

    /// Other tables than these, if there are some now.
    fn newer_than(&self, tables: &Arc<Tablebase>) -> Option<Arc<Tablebase>> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(tables, &self.get()) {
            self.look(&mut looked);
        }
        Some(self.get()).filter(|now| !Arc::ptr_eq(now, tables))
    }

    /// Looks at the files, and opens those anew that have changed.
    fn look(&self, looked: &mut Looked) {
        let errors = match self.get().refreshed() {
            Ok(refreshed) => {
                self.log_changes(&refreshed);
                if let Some(tables) = refreshed.tables {
                    *self.tables.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tables);
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
            self.records.log(error);
        }
        *looked = Looked { at: Instant::now(), errors };
    }

    fn log_changes(&self, refreshed: &Refreshed) {
        let names = |paths: &[PathBuf]| {
            paths.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", ")
        };
        let (changed, gone) = (names(&refreshed.changed), names(&refreshed.gone));
        if !changed.is_empty() {
            self.records.log(format_args!("tables opened that are new or have changed: {changed}"));
        }
        if !gone.is_empty() {
            self.records.log(format_args!("tables that are no longer there: {gone}"));
        }
    }
}
