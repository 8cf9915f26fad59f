//! The threads that look positions up, and the queue of requests that wait for one. When the queue is
//! full, further requests are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task;
use tokio::time::timeout;

/// Runs work on other threads than the one that talks to clients, within limits.
#[derive(Debug)]
pub struct Workers {
    /// Holds a permit for each request that may be worked on or wait.
    requests: Arc<Semaphore>,
    /// Holds a permit for each request that may be worked on.
    threads: Arc<Semaphore>,
    max_requests: usize,
    max_threads: usize,
    time_limit: Duration,
}

/// Why work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkError {
    /// The queue is full.
    QueueFull,
    /// The work took too long, waiting included.
    TimedOut,
    /// The work panicked, which is a bug in this program.
    Panicked,
}

/// Whoever waits for work. Long work looks at `is_over` to end when nobody waits for it any more.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Becomes true when this value is dropped.
    pub is_over: Arc<AtomicBool>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Workers {
    /// At most `threads` requests are worked on at a time, and at most `queue` more wait. Waiting and
    /// work together may take as long as `time_limit`.
    pub fn new(threads: usize, queue: usize, time_limit: Duration) -> Workers {
        let max_requests = threads + queue;
        Workers {
            requests: Arc::new(Semaphore::new(max_requests)),
            threads: Arc::new(Semaphore::new(threads)),
            max_requests,
            max_threads: threads,
            time_limit,
        }
    }

    /// Runs the work on another thread as soon as one is free.
    ///
    /// Work that takes too long, or that nobody waits for any more, still runs to its end and counts
    /// until then. So the limits hold at all times.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let request =
            self.requests.clone().try_acquire_owned().map_err(|_| WorkError::QueueFull)?;
        let done = timeout(self.time_limit, async {
            let thread = self.threads.clone().acquire_owned().await;
            task::spawn_blocking(move || {
                let _permits = (request, thread);
                work()
            })
            .await
        });
        match done.await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) => Err(WorkError::Panicked),
            Err(_) => Err(WorkError::TimedOut),
        }
    }

    /// How many requests are being worked on.
    pub fn working(&self) -> usize {
        self.max_threads - self.threads.available_permits()
    }

    /// How many requests wait for a thread.
    pub fn waiting(&self) -> usize {
        let requests = self.max_requests - self.requests.available_permits();
        requests.saturating_sub(self.working())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tokio::time::advance;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn requests_beyond_the_queue_are_refused_until_there_is_room_again() {
        let workers = Workers::new(1, 1, Duration::from_secs(60));
        let (go, wait) = mpsc::channel::<()>();
        run(async {
            let first = workers.work(move || wait.recv().is_ok());
            let second = workers.work(|| 2);
            let third = async {
                while (workers.working(), workers.waiting()) != (1, 1) {
                    task::yield_now().await;
                }
                let third = workers.work(|| 3).await;
                go.send(()).unwrap();
                third
            };
            let done = tokio::join!(first, second, third);
            assert_eq!(done, (Ok(true), Ok(2), Err(WorkError::QueueFull)));
            assert_eq!(workers.work(|| 4).await, Ok(4));
        });
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_is_late_keeps_its_thread() {
        let limit = Duration::from_secs(10);
        let workers = Workers::new(1, 1, limit);
        // When the work has begun or waits, the clock of the test goes beyond the limit.
        let pass = || advance(limit + Duration::from_millis(1));
        let (go, wait) = mpsc::channel::<()>();
        let (first, ()) = tokio::join!(workers.work(move || wait.recv().is_ok()), pass());
        assert_eq!(first, Err(WorkError::TimedOut));
        assert_eq!((workers.working(), workers.waiting()), (1, 0));
        let (second, ()) = tokio::join!(workers.work(|| 2), pass());
        assert_eq!(second, Err(WorkError::TimedOut));
        assert_eq!((workers.working(), workers.waiting()), (1, 0));
        go.send(()).unwrap();
        while workers.working() > 0 {
            task::yield_now().await;
        }
        assert_eq!(workers.work(|| 3).await, Ok(3));
    }

    #[test]
    fn work_that_panics_gives_its_thread_back() {
        let workers = Workers::new(1, 0, Duration::from_secs(60));
        run(async {
            let broken = workers.work::<()>(|| panic!("on purpose")).await;
            assert_eq!(broken, Err(WorkError::Panicked));
            assert_eq!(workers.work(|| 1).await, Ok(1));
        });
    }
}
