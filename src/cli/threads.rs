//! The pool of threads that work is done on.

use crate::failure::Failure;

/// The option for commands that use several threads.
#[derive(Clone, Debug, clap::Args)]
pub struct Threads {
    /// How many threads to use; 0 for one for each core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

impl Threads {
    /// Starts them: to be called once, before the work.
    pub fn start(&self) -> Result<(), Failure> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(self.threads))
            .build_global()
            .map_err(|error| Failure::Wrong(format!("starting the threads: {error}")))
    }
}
