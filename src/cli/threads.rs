//! Starting threads. All threads of the program are started here, with two exceptions. The server and a single
//! search start their own, and do with fewer if they must. The package indicatif starts the thread of the bars.

use crate::failure::Failure;
use std::error::Error;
use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

/// How many threads share work, or may do so.
static COUNT: OnceLock<usize> = OnceLock::new();

/// Whether they have been started.
static ARE_STARTED: AtomicBool = AtomicBool::new(false);

/// Chooses how many threads will share work; 0 means one per processor. Call this once, before the
/// command starts.
pub fn choose(wanted: u16) {
    if wanted > 0 {
        // There is no second call, and it would change nothing.
        let _ = COUNT.set(wanted.into());
    }
}

/// Starts the threads that share work, unless they have been started. Call this before the work.
pub fn start() -> Result<(), Failure> {
    if ARE_STARTED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let threads = count();
    // This thread is one of them, so that it takes part in the work that it waits for.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread();
    let pool = pool.spawn_handler(|thread| spawn("work", || thread.run()).map(drop));
    let hint = "--threads 1 starts only one";
    pool.build_global().map_err(|error| refused(threads, &error).with_hint(hint))
}

/// How many threads share work, or may do so.
pub fn count() -> usize {
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Starts a thread.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

/// Locks, also after a panic of another thread.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes sure that this many threads can be started: those that start later have nobody to tell.
#[cfg(feature = "server")]
pub fn try_to_start(threads: usize) -> Result<(), Failure> {
    // If one cannot be started, the others wait until the program ends, which is now.
    let waiting: io::Result<Vec<_>> = (0..threads).map(|_| spawn("trial", thread::park)).collect();
    for thread in waiting.map_err(|error| refused(threads, &error))? {
        thread.thread().unpark();
        let _ = thread.join();
    }
    Ok(())
}

/// The system starts no more threads, of which so many are needed.
pub fn refused(threads: usize, error: &dyn Error) -> Failure {
    let plural = if threads == 1 { "" } else { "s" };
    Failure::system(format!("cannot start {threads} thread{plural}: {error}"))
}
