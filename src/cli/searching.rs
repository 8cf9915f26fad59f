//! What the commands that search have in common: limits, Ctrl-C, and a line that shows progress.

use crate::failure::{Failure, Status};
use crate::interrupt::{self, CTRL_C};
use crate::memory;
use indicatif::{ProgressBar, ProgressStyle};
use lasca_tablebase::rules::Color;
use lasca_tablebase::search::{SearchError, Status as Searched, Watch};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The memory that a search may use if neither the user nor the system sets a limit, in bytes.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The option that limits the memory of a search.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryLimit {
    /// The memory limit, such as 800M or 12G [default: half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    memory: Option<u64>,
}

impl MemoryLimit {
    /// The limit in bytes.
    pub fn bytes(self) -> u64 {
        self.memory.unwrap_or_else(free_memory)
    }
}

/// The memory that searches may use if the user sets no limit: half of what is free, in bytes.
pub fn free_memory() -> u64 {
    memory::available().map_or(DEFAULT_MEMORY, |free| free.bytes / 2)
}

/// A number of seconds, at least 0.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("expected a number of seconds such as 10 or 0.5, found {text:?}"))
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

/// What a failed search means for the command.
pub fn failed(error: &SearchError) -> Failure {
    match error {
        SearchError::Probe(error) => Failure::from(error.clone()),
        _ => Failure::Wrong(format!("{error}; --memory sets the limit")),
    }
}

/// A line on standard error that shows how far a search is. It is hidden if that is no terminal.
pub struct SearchProgress(ProgressBar);

impl SearchProgress {
    /// Shows the line.
    pub fn new() -> SearchProgress {
        let bar = ProgressBar::new_spinner();
        let style =
            ProgressStyle::with_template("{spinner} {human_pos} positions, {per_sec}; {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        SearchProgress(bar)
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

impl Drop for SearchProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
