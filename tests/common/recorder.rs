//! Progress that tests follow and stop.

use lasca_tablebase::index::Material;
use lasca_tablebase::{Progress, SearchStatus};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Wants the work to stop at some time, and notes what it reports.
pub struct Recorder {
    stops: Box<dyn Fn(&Recorder) -> bool + Sync>,
    asked: AtomicUsize,
    finished: AtomicUsize,
    resumed: AtomicUsize,
    reports: AtomicUsize,
    searched: AtomicU64,
    ignored: Mutex<Vec<String>>,
    failed: Mutex<Vec<PathBuf>>,
}

impl Default for Recorder {
    /// It never wants the work to stop.
    fn default() -> Recorder {
        Recorder::stopping_when(|_| false)
    }
}

impl Recorder {
    /// It wants the work to stop when it has been asked this many times.
    pub fn stopping_at(questions: usize) -> Recorder {
        Recorder::stopping_when(move |seen| seen.asked() > questions)
    }

    /// It wants the work to stop when this many slices are finished.
    pub fn stopping_after(slices: usize) -> Recorder {
        Recorder::stopping_when(move |seen| seen.finished.load(Ordering::Relaxed) >= slices)
    }

    /// It wants the work to stop when this is true of what it has seen.
    pub fn stopping_when(stops: impl Fn(&Recorder) -> bool + Sync + 'static) -> Recorder {
        Recorder {
            stops: Box::new(stops),
            asked: 0.into(),
            finished: 0.into(),
            resumed: 0.into(),
            reports: 0.into(),
            searched: 0.into(),
            ignored: Mutex::default(),
            failed: Mutex::default(),
        }
    }

    /// How often it was asked whether to stop.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// How many slices the work took from an earlier run.
    pub fn resumed(&self) -> usize {
        self.resumed.load(Ordering::Relaxed)
    }

    /// Under which paths checkpoints could not be saved, each as often as that happened.
    pub fn failed(&self) -> Vec<PathBuf> {
        self.failed.lock().unwrap().clone()
    }

    /// How often a search has told how far it is.
    pub fn reports(&self) -> usize {
        self.reports.load(Ordering::Relaxed)
    }

    /// How many positions the search had met when it told so last.
    pub fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    /// The names of the files that were ignored, and why.
    pub fn ignored(&self) -> Vec<String> {
        self.ignored.lock().unwrap().clone()
    }
}

impl Progress for Recorder {
    fn slice_resumed(&self, _: Material, _: usize, _: u64) {
        self.resumed.fetch_add(1, Ordering::Relaxed);
    }

    fn slice_finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    fn work_ignored(&self, path: &Path, why: &str) {
        let name = path.file_name().unwrap().to_string_lossy();
        self.ignored.lock().unwrap().push(format!("{name}: {why}"));
    }

    fn checkpoint_failed(&self, path: &Path, _: &io::Error) {
        self.failed.lock().unwrap().push(path.to_owned());
    }

    fn searching(&self, status: &SearchStatus) {
        self.reports.fetch_add(1, Ordering::Relaxed);
        self.searched.store(status.positions, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        (self.stops)(self)
    }
}
