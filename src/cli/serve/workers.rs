//! The threads that probe: so many work at a time, so many requests wait, and more are sent away.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task;
use tokio::time::timeout;

/// Bounds on the work that is done away from the thread that talks to clients.
#[derive(Debug)]
pub struct Workers {
    /// Requests that work or wait.
    places: Arc<Semaphore>,
    /// Requests that work.
    threads: Arc<Semaphore>,
    all_places: usize,
    all_threads: usize,
    time: Duration,
}

/// Why work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// As many wait as may wait.
    Crowded,
    /// It has taken too long.
    Late,
    /// It has panicked, which is a mistake in this program.
    Broken,
}

impl Workers {
    /// So many threads, so many requests waiting for one, and so much time for waiting and work.
    pub fn new(threads: usize, queue: usize, time: Duration) -> Workers {
        let all_places = threads + queue;
        Workers {
            places: Arc::new(Semaphore::new(all_places)),
            threads: Arc::new(Semaphore::new(threads)),
            all_places,
            all_threads: threads,
            time,
        }
    }

    /// Does the work on a thread of its own when its turn has come.
    ///
    /// Work that takes too long, or that nobody waits for any more, goes on to its end and keeps its
    /// place until then: so there is never more of it than there may be.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| Undone::Crowded)?;
        let done = timeout(self.time, async {
            let thread = self.threads.clone().acquire_owned().await;
            task::spawn_blocking(move || {
                let _held = (place, thread);
                work()
            })
            .await
        });
        match done.await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) => Err(Undone::Broken),
            Err(_) => Err(Undone::Late),
        }
    }

    /// How many requests are worked on.
    pub fn working(&self) -> usize {
        self.all_threads - self.threads.available_permits()
    }

    /// How many requests wait for a thread.
    pub fn waiting(&self) -> usize {
        let places = self.all_places - self.places.available_permits();
        places.saturating_sub(self.working())
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
    fn what_does_not_fit_is_sent_away_and_there_is_room_again_after_it() {
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
            assert_eq!(done, (Ok(true), Ok(2), Err(Undone::Crowded)));
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
        assert_eq!(first, Err(Undone::Late));
        assert_eq!((workers.working(), workers.waiting()), (1, 0));
        let (second, ()) = tokio::join!(workers.work(|| 2), pass());
        assert_eq!(second, Err(Undone::Late));
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
            assert_eq!(broken, Err(Undone::Broken));
            assert_eq!(workers.work(|| 1).await, Ok(1));
        });
    }
}
