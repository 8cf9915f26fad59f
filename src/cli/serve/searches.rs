//! The places for searches. Few searches run at a time, each on a thread of its own, and each ends
//! soon when nobody waits for it any more or when the server stops.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio::sync::Semaphore;
use tokio::task::{self, JoinError, JoinHandle};

/// The places for searches.
#[derive(Debug)]
pub struct Searches {
    places: Arc<Semaphore>,
    limit: usize,
    stopping: Arc<AtomicBool>,
}

/// Says when a search must end.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    /// Becomes true when the search must end.
    pub cancelled: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
}

/// A search that runs. Dropping it cancels the search; its place becomes free when it has ended.
#[derive(Debug)]
pub struct Running<T> {
    done: JoinHandle<T>,
    cancelled: Arc<AtomicBool>,
}

impl Searches {
    /// As many places as `limit` says, all free.
    pub fn new(limit: usize) -> Searches {
        Searches {
            places: Arc::new(Semaphore::new(limit)),
            limit,
            stopping: Arc::new(AtomicBool::new(false)),
        }
    }

    /// How many places are taken.
    pub fn taken(&self) -> usize {
        self.limit - self.places.available_permits()
    }

    /// Begins a search on another thread; `None` if all places are taken.
    pub fn begin<T: Send + 'static>(
        &self,
        search: impl FnOnce(&Cancel) -> T + Send + 'static,
    ) -> Option<Running<T>> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        let cancel = Cancel { stopping: self.stopping.clone(), ..Cancel::default() };
        let cancelled = cancel.cancelled.clone();
        let done = task::spawn_blocking(move || {
            let _place = place;
            search(&cancel)
        });
        Some(Running { done, cancelled })
    }

    /// Ends all searches. They answer with what they have found.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }
}

impl Cancel {
    /// Cancels the search if the server stops. A search calls this several times a second.
    pub fn check(&self) {
        if self.stopping.load(Ordering::Relaxed) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the search was cancelled because nobody waits for it.
    pub fn is_unwanted(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) && !self.stopping.load(Ordering::Relaxed)
    }
}

impl<T> Future for Running<T> {
    /// What the search has returned; an error if it panicked, which is a bug in this program.
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.done).poll(context)
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;
    use std::time::Duration;

    /// A search without end.
    fn endless(cancel: &Cancel) -> &'static str {
        while !cancel.cancelled.load(Ordering::Relaxed) {
            sleep(Duration::from_millis(1));
            cancel.check();
        }
        "ended"
    }

    #[tokio::test]
    async fn a_place_is_free_again_when_the_search_that_nobody_waits_for_has_ended() {
        let searches = Searches::new(2);
        let running = [(); 2].map(|()| searches.begin(endless).unwrap());
        assert_eq!(searches.taken(), 2);
        assert!(searches.begin(endless).is_none());
        let [first, second] = running;
        drop(first);
        while searches.taken() > 1 {
            task::yield_now().await;
        }
        let third = searches.begin(|_| 3).unwrap();
        assert_eq!(third.await.unwrap(), 3);
        searches.stop();
        assert_eq!(second.await.unwrap(), "ended");
        let broken = searches.begin::<()>(|_| panic!("on purpose")).unwrap();
        assert!(broken.await.is_err());
        assert_eq!(searches.taken(), 0);
    }
}
