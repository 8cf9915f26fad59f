//! What the benches of the search and `tools/learn` share: their options, and searches that stop when they have met so
//! many positions.

#![allow(dead_code, reason = "not all of them use all of it")]

use lasca_tablebase::{Progress, SearchStatus};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether the program was given this option.
pub fn has(name: &str) -> bool {
    std::env::args().any(|argument| argument == name)
}

/// What follows an option of the program, or something else if it is not given. What cannot be read ends the
/// program.
pub fn option<T: FromStr>(name: &str, default: T) -> T {
    let mut from_there = std::env::args().skip_while(|argument| argument != name);
    if from_there.next().is_none() {
        return default;
    }
    let given = from_there.next().unwrap_or_default();
    given.parse().unwrap_or_else(|_| {
        eprintln!("expected a value after {name}, found {given:?}");
        std::process::exit(2)
    })
}

/// Stops a search that has met so many positions.
pub struct MostPositions {
    /// How many positions it may meet.
    pub positions: u64,
    /// How many it has met.
    pub met: AtomicU64,
}

impl Progress for MostPositions {
    fn searching(&self, status: &SearchStatus) {
        self.met.store(status.positions, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.met.load(Ordering::Relaxed) >= self.positions
    }
}
