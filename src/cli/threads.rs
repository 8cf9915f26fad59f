//! The option for the number of threads.

use crate::args::number;
use crate::failure::Failure;
use std::num::NonZero;
use std::thread;

/// How many threads are allowed on any machine.
const ALWAYS_ALLOWED: usize = 16;

/// How many threads are allowed for each processor. More of them would only need more memory.
const PER_PROCESSOR: usize = 4;

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
    /// Starts the threads. Call this once, before the work.
    pub fn start(&self) -> Result<(), Failure> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let most = (PER_PROCESSOR * processors).max(ALWAYS_ALLOWED);
        if usize::from(self.threads) > most {
            return Err(Failure::Wrong(format!(
                "expected at most {most} threads on this machine ({PER_PROCESSOR} for each of its \
                 {processors} processors, or {ALWAYS_ALLOWED} if that is more), found {}",
                self.threads
            )));
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(self.threads))
            .build_global()
            .map_err(|error| Failure::Wrong(format!("cannot start the threads: {error}")))
    }
}
