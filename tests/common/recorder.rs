//! Progress that tests follow and stop.

use lasca_tablebase::index::Material;
use lasca_tablebase::{Progress, SearchStatus};
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
    warned: Mutex<Vec<String>>,
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
            warned: Mutex::default(),
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

    /// How often a search has told how far it is.
    pub fn reports(&self) -> usize {
        self.reports.load(Ordering::Relaxed)
    }

    /// How many positions the search had met when it told so last.
    pub fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    /// All warnings and notes.
    pub fn warned(&self) -> Vec<String> {
        self.warned.lock().unwrap().clone()
    }
}

impl Progress for Recorder {
    fn slice_resumed(&self, _: Material, _: usize, _: u64) {
        self.resumed.fetch_add(1, Ordering::Relaxed);
    }

    fn slice_finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    fn noted(&self, text: &str) {
        Progress::warned(self, text);
    }

    fn warned(&self, text: &str) {
        self.warned.lock().unwrap().push(text.to_owned());
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
