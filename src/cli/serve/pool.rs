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
    /// Holds a permit for each piece of work that may run or wait.
    places: Arc<Semaphore>,
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
    /// At most `threads` pieces of work run at a time, and at most `queue` more wait.
    pub fn new(threads: usize, queue: usize) -> Pool {
        Pool {
            places: Arc::new(Semaphore::new(threads + queue)),
            threads: Arc::new(Semaphore::new(threads)),
            max_threads: threads,
        }
    }

    /// Finds a place for work, which then [runs](run) as soon as a thread is free; `None` if there is no place. It
    /// begins when what this returns is awaited for the first time.
    ///
    /// Work that nobody waits for any more keeps its place until it has ended. So the limits hold at all
    /// times.
    pub fn begin<T, W>(
        &self,
        work: W,
    ) -> Option<impl Future<Output = Result<T, Refusal>> + use<T, W>>
    where
        T: Send + 'static,
        W: FnOnce(&Cancel) -> Result<T, Refusal> + Send + 'static,
    {
        let place = self.places.clone().try_acquire_owned().ok()?;
        let threads = self.threads.clone();
        Some(async move {
            let thread = threads.acquire_owned().await;
            run(work, (thread, place), Arc::default()).await
        })
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
    use std::sync::mpsc;

    /// Work that has this result.
    fn done(result: &'static str) -> impl FnOnce(&Cancel) -> Result<&'static str, Refusal> {
        move |_| Ok(result)
    }

    #[tokio::test]
    async fn work_beyond_the_queue_finds_no_place_until_there_is_room_again() {
        let pool = Pool::new(1, 1);
        let (go, wait) = mpsc::channel::<String>();
        let first = task::spawn(pool.begin(move |_| Ok(wait.recv().unwrap())).unwrap());
        let second = task::spawn(pool.begin(done("second")).unwrap());
        while pool.working() == 0 {
            task::yield_now().await;
        }
        assert!(pool.begin(done("third")).is_none());
        go.send("first".to_owned()).unwrap();
        assert_eq!(first.await.unwrap().unwrap(), "first");
        assert_eq!(second.await.unwrap().unwrap(), "second");
        while pool.working() > 0 {
            task::yield_now().await;
        }
        assert_eq!(pool.begin(done("fourth")).unwrap().await.unwrap(), "fourth");
    }

    #[tokio::test]
    async fn work_that_panics_gives_its_place_back() {
        let pool = Pool::new(1, 0);
        let broken = pool.begin(|_| -> Result<(), Refusal> { panic!("on purpose") }).unwrap();
        assert!(broken.await.unwrap_err().failed.error.contains("because of a bug"));
        assert_eq!(pool.begin(done("next")).unwrap().await.unwrap(), "next");
    }
}
