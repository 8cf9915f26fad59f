//! Threads for one kind of work, within limits.

use super::refusal::Refusal;
use hyper::StatusCode;
use lasca_tablebase::Progress;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;
use tokio::task;

/// Runs work on other threads than the one that talks to clients.
#[derive(Debug)]
pub struct Pool {
    /// Holds a permit for each piece of work that may run.
    threads: Arc<Semaphore>,
    /// How many threads there are.
    pub max_threads: usize,
}

/// Says when work must end.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    /// Becomes true when nobody waits for the work any more.
    pub cancelled: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
}

/// Cancels work when it is dropped.
struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Pool {
    /// At most so many pieces of work run at a time. Others wait.
    pub fn new(threads: usize) -> Pool {
        Pool { threads: Arc::new(Semaphore::new(threads)), max_threads: threads }
    }

    /// Waits until a thread is free for work that [holds](run) what this returns.
    pub async fn enter(&self) -> impl Send + 'static + use<> {
        self.threads.clone().acquire_owned().await
    }

    /// [Runs](run) work as soon as a thread is free. Work that nobody waits for any more keeps its thread until it has
    /// ended, so the limit holds at all times.
    pub async fn begin<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Cancel) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let thread = self.enter().await;
        run(work, thread, Arc::default()).await
    }

    /// How many threads are busy.
    #[cfg(test)]
    pub fn working(&self) -> usize {
        self.max_threads - self.threads.available_permits()
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
    async fn work_that_panics_gives_its_thread_back() {
        let pool = Pool::new(1);
        let broken = pool.begin(|_| -> Result<(), Refusal> { panic!("on purpose") });
        assert!(broken.await.unwrap_err().failed.error.contains("because of a bug"));
        assert_eq!(pool.begin(|_| Ok("next")).await.unwrap(), "next");
    }
}
