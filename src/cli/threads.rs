//! Starting threads, and the option for their number. All threads of the program are started here,
//! except those of the server and of a single search, which do with fewer if they must.

use crate::args::number;
use crate::failure::Failure;
use std::error::Error;
use std::io;
use std::num::NonZero;
use std::sync::OnceLock;
#[cfg(feature = "server")]
use std::sync::{Arc, Barrier};
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
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::<u16>(0..=u16::MAX.into()))]
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
        match self.threads {
            0 => start(processors)
                .map_err(|failure| failure.with_hint("--threads 1 starts only one")),
            threads => start(usize::from(threads)),
        }
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

/// Makes sure that so many threads can be started: those that start later have nobody to tell.
#[cfg(feature = "server")]
pub fn try_to_start(threads: usize) -> Result<(), Failure> {
    let started = Arc::new(Barrier::new(threads + 1));
    let mut waiting = Vec::new();
    for _ in 0..threads {
        let other = started.clone();
        let wait = move || {
            other.wait();
        };
        // If one cannot be started, the others wait until the program ends, which is now.
        waiting.push(spawn("trial", wait).map_err(|error| refused(threads, &error))?);
    }
    started.wait();
    waiting.into_iter().for_each(|thread| drop(thread.join()));
    Ok(())
}

fn refused(threads: usize, error: &dyn Error) -> Failure {
    let plural = if threads == 1 { "" } else { "s" };
    Failure::Wrong(format!("cannot start {threads} thread{plural}: {error}"))
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn start(threads: usize) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().map_err(|error| refused(threads, &error))?;
    let _ = COUNT.set(threads);
    Ok(())
}
