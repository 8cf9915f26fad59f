//! What the commands that search have in common: limits, Ctrl-C, and a line that shows progress.

use crate::failure::{Failure, Status};
use crate::interrupt::{self, CTRL_C};
use crate::memory::{self, Available};
use crate::parsers;
use crate::progress::spinner;
use crate::text;
use indicatif::ProgressBar;
use lasca_tablebase::answer::Follow;
use lasca_tablebase::rules::Color;
use lasca_tablebase::search::{SearchError, Status as Searched, Watch};
use std::sync::atomic::{AtomicBool, Ordering};

/// The memory that a search may use if neither the user nor the system sets a limit, in bytes.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The option that limits the memory of a search.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryLimit {
    /// The memory limit, such as 800M or 12G [default: half of what is free]
    #[arg(short, long, value_name = "SIZE", value_parser = parsers::size)]
    memory: Option<u64>,
}

impl MemoryLimit {
    /// The memory for a search, by this option or else by what is free.
    pub fn memory(self) -> SearchMemory {
        let free = memory::available();
        SearchMemory { given: self.memory, free, has_option: true }
    }
}

/// The memory that a search may use, and what limits it.
#[derive(Clone, Copy, Debug)]
pub struct SearchMemory {
    /// The limit that the user sets, in bytes.
    given: Option<u64>,
    /// What was free when the command began.
    free: Option<Available>,
    /// Whether the command has the option `--memory`.
    has_option: bool,
}

impl SearchMemory {
    /// The memory for a search of a command that has no option for it.
    pub fn of_free() -> SearchMemory {
        SearchMemory { given: None, free: memory::available(), has_option: false }
    }

    /// The limit in bytes. If the user sets none, it is half of what is free.
    pub fn bytes(self) -> u64 {
        let by_default = || self.free.map_or(DEFAULT_MEMORY, |free| free.bytes / 2);
        self.given.unwrap_or_else(by_default)
    }

    /// What limits a search that needs more memory, and what allows more.
    pub fn limit(self) -> String {
        let free = |free: Available| {
            format!("only {} was {}", text::bytes_or_less(free.bytes), free.within)
        };
        match (self.given, self.free) {
            (Some(given), Some(there)) if there.bytes < given => free(there),
            (Some(_), _) => "--memory allows more".to_owned(),
            (None, Some(there)) => {
                // Within a limit of the process, the other half would not last long either.
                let option = match self.has_option && !there.within.is_of_process() {
                    true => "; --memory allows more",
                    false => "",
                };
                format!("{}, and a search uses half of that{option}", free(there))
            }
            (None, None) => {
                let option = if self.has_option { "; --memory allows more" } else { "" };
                format!("a search uses {}{option}", text::bytes(self.bytes()))
            }
        }
    }
}

/// The memory that searches may use if the user sets no limit, in bytes.
#[cfg(feature = "server")]
pub fn free_memory() -> u64 {
    SearchMemory::of_free().bytes()
}

/// Becomes true when the user presses Ctrl-C.
pub static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Whether a search is at work.
static SEARCHING: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C end a search early. If none is at work, or at the second time, it ends the program.
/// Call this once, before the first search.
pub fn watch_for_ctrl_c() -> Result<(), Failure> {
    interrupt::watch(&[CTRL_C], |_| {
        if CANCELLED.swap(true, Ordering::Relaxed) || !SEARCHING.load(Ordering::Relaxed) {
            std::process::exit(Status::Negative.code().into());
        }
    })
}

/// Does the work of a search, which must look at [`CANCELLED`].
pub fn until_cancelled<T>(search: impl FnOnce() -> T) -> T {
    SEARCHING.store(true, Ordering::Relaxed);
    let found = search();
    SEARCHING.store(false, Ordering::Relaxed);
    found
}

/// What a failed search that could use this memory means for the command.
pub fn failed(error: &SearchError, memory: SearchMemory) -> Failure {
    match error {
        SearchError::Probe(error) => Failure::from(error.clone()),
        SearchError::Memory { .. } => Failure::Wrong(format!("{error}; {}", memory.limit())),
    }
}

/// A line on standard error that shows how far a search is. It is hidden if that is no terminal.
pub struct SearchProgress(ProgressBar);

impl SearchProgress {
    /// Shows the line.
    pub fn new() -> SearchProgress {
        SearchProgress(spinner("positions"))
    }
}

impl Watch for SearchProgress {
    fn searching(&self, status: &Searched) {
        let question = |color: Color| match status.numbers[color] {
            Some((proof, disproof)) => {
                format!("can {color} win: {proof} to prove, {disproof} to disprove")
            }
            None => format!("can {color} win: answered"),
        };
        self.0.set_position(status.positions);
        self.0.set_message(Color::ALL.map(question).join("; "));
    }
}

impl Follow for SearchProgress {}

impl Drop for SearchProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
