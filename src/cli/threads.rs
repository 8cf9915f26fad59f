//! The pool of threads that work is done on.

use crate::failure::Failure;
use std::num::NonZero;
use std::thread;

/// How many threads may be asked for on any machine.
const ALWAYS_ALLOWED: usize = 16;

/// How many threads may be asked for, for each processor: more only take memory.
const A_PROCESSOR: usize = 4;

/// The option for commands that use several threads.
#[derive(Clone, Debug, clap::Args)]
pub struct Threads {
    /// How many threads to use; 0 for one for each processor
    ///
    /// At most four for each processor, or 16 if that is more.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: u16,
}

impl Threads {
    /// Starts them: to be called once, before the work.
    pub fn start(&self) -> Result<(), Failure> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let most = (A_PROCESSOR * processors).max(ALWAYS_ALLOWED);
        if usize::from(self.threads) > most {
            return Err(Failure::Wrong(format!(
                "expected at most {most} threads on this machine ({A_PROCESSOR} for each of \
                 {processors} processors, or {ALWAYS_ALLOWED} if that is more), found {}",
                self.threads
            )));
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(self.threads))
            .build_global()
            .map_err(|error| Failure::Wrong(format!("starting the threads: {error}")))
    }
}
