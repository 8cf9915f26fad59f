//! Starting threads, and the option for their number. All threads of the program are started here,
//! except those of the server and of a single search, which do with fewer if they must.

use crate::failure::Failure;
use std::io;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::{self, JoinHandle};

/// How many threads are allowed on any machine.
const ALWAYS_ALLOWED: usize = 16;

/// How many threads are allowed for each processor. More of them would only need more memory.
const PER_PROCESSOR: usize = 4;

/// How many threads share work.
static COUNT: OnceLock<usize> = OnceLock::new();

/// The option for commands that use several threads.
#[derive(Clone, Debug, clap::Args)]
pub struct Threads {
    /// The number of threads; 0 means one per processor
    ///
    /// At most four per processor are allowed, or 16 if that is more.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: u16,
}

impl Threads {
    /// Starts the threads that share work. Call this once, before the work.
    pub fn start(&self) -> Result<(), Failure> {
        let processors = processors();
        let most = (PER_PROCESSOR * processors).max(ALWAYS_ALLOWED);
        if usize::from(self.threads) > most {
            return Err(Failure::Wrong(format!(
                "expected at most {most} threads on this machine ({PER_PROCESSOR} for each of its \
                 {processors} processors, or {ALWAYS_ALLOWED} if that is more), found {}",
                self.threads
            )));
        }
        start(if self.threads == 0 { processors } else { usize::from(self.threads) })
    }
}

/// Starts one thread per processor for work that is shared, unless they have been started. Call this
/// before the work in commands without the option.
pub fn start_default() -> Result<(), Failure> {
    if COUNT.get().is_some() { Ok(()) } else { start(processors()) }
}

/// How many threads may share work: those that were started, or one per processor.
pub fn count() -> usize {
    COUNT.get().copied().unwrap_or_else(processors)
}

/// Starts a thread beside those that share work.
///
/// # Errors
/// If the system does not allow another thread.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn start(threads: usize) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let failed = |error| {
        let advice = if threads > 1 { "; fewer need less memory: --threads 1" } else { "" };
        Failure::Wrong(format!("cannot start {threads} threads: {error}{advice}"))
    };
    pool.build_global().map_err(failed)?;
    let _ = COUNT.set(threads);
    Ok(())
}
