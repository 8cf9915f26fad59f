//! Long work that Ctrl-C can end, and `progress`.

use crate::goes_on;
use lasca_tablebase::internals::beside;
use lasca_tablebase::{Progress, SearchStatus};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the interpreter is asked whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// What the work and the thread of the call tell each other.
#[derive(Default)]
pub(crate) struct Messages {
    stop: AtomicBool,
    /// How many positions and bytes a search has, unless `progress` knows it.
    news: Mutex<Option<(u64, u64)>>,
}

impl Messages {
    fn news(&self) -> MutexGuard<'_, Option<(u64, u64)>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Messages {
    fn searching(&self, status: &SearchStatus) {
        *self.news() = Some((status.positions, status.bytes));
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Does work in a thread of its own, without the interpreter's lock. The thread of the call alone learns of Ctrl-C, and
/// it calls `progress`. Either can stop the work. What the interpreter raises meanwhile is the error, and the last word
/// is Ctrl-C's, however short the work was.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Messages) -> T + Send,
) -> PyResult<T> {
    let (messages, mut raised) = (Messages::default(), Ok(()));
    let ask = || {
        if messages.should_stop() {
            return;
        }
        let news = messages.news().take();
        let goes_on = Python::attach(|py| goes_on(py, progress, news));
        if !matches!(goes_on, Ok(true)) {
            messages.stop.store(true, Ordering::Relaxed);
        }
        raised = goes_on.map(drop);
    };
    let done = py.detach(|| beside(|| work(&messages), ASK_EVERY, ask))?;
    raised?;
    py.check_signals()?;
    Ok(done)
}
