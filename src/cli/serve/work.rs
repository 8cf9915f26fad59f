//! Work on other threads than the one that talks to clients.

use super::refusal::Refusal;
use hyper::StatusCode;
use lasca_tablebase::Progress;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task;

/// Says when work must end.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    /// Becomes true when nobody waits for the work any more.
    cancelled: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
}

/// Cancels work when it is dropped.
struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs work on another thread, and returns what it returns, or a refusal if it panicked. It must end when this is
/// dropped, or when `stopping` becomes true. What it holds is dropped when it has ended.
pub async fn run<T: Send + 'static>(
    work: impl FnOnce(&Cancel) -> Result<T, Refusal> + Send + 'static,
    holds: impl Send + 'static,
    stopping: Arc<AtomicBool>,
) -> Result<T, Refusal> {
    let cancel = Cancel { stopping, ..Cancel::default() };
    let _guard = Guard(cancel.cancelled.clone());
    let done = task::spawn_blocking(move || {
        let _holds = holds;
        work(&cancel)
    });
    done.await.unwrap_or_else(|_| {
        let error = "the server failed to answer because of a bug in it";
        Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error))
    })
}

impl Cancel {
    /// Whether nobody waits for what the work finds out.
    pub fn is_unwanted(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl Progress for Cancel {
    fn should_stop(&self) -> bool {
        self.stopping.load(Ordering::Relaxed) || self.is_unwanted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_panics_is_refused_and_gives_back_what_it_holds() {
        let held = Arc::new(());
        let broken = |_: &Cancel| -> Result<(), Refusal> { panic!("on purpose") };
        let refused = run(broken, held.clone(), Arc::default()).await.unwrap_err();
        assert!(refused.failed.error.contains("because of a bug"));
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
