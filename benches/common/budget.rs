//! What the bench of endings and `tools/learn` have in common: their options, and searches that stop
//! when they have met so many positions.

use lasca_tablebase::{Progress, SearchStatus};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// What follows an option, or something else if it is not given. What cannot be read ends the program.
pub fn option<T: FromStr>(arguments: &[String], name: &str, default: T) -> T {
    let Some(at) = arguments.iter().position(|argument| argument == name) else { return default };
    let given = arguments.get(at + 1).map_or("", String::as_str);
    given.parse().unwrap_or_else(|_| {
        eprintln!("expected a value after {name}, found {given:?}");
        std::process::exit(2)
    })
}

/// Stops a search that has met so many positions.
pub struct Budget {
    /// How many positions it may meet.
    pub positions: u64,
    /// How many it has met.
    pub met: AtomicU64,
}

impl Progress for Budget {
    fn searching(&self, status: &SearchStatus) {
        self.met.store(status.positions, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.met.load(Ordering::Relaxed) >= self.positions
    }
}
