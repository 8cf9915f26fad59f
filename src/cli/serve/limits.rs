//! The limits that the server keeps to.

use std::time::Duration;

/// The limits that the server keeps to, and that it holds its clients to.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many threads look positions up.
    pub workers: usize,
    /// How many requests may wait for such a thread.
    pub queue: usize,
    /// How long a request may take to be answered, waiting included.
    pub answer: Duration,
    /// How long a client may take to send a request, or to receive the answer.
    pub patience: Duration,
    /// How many connections may be open.
    pub connections: usize,
    /// What searches may use.
    pub search: SearchLimits,
}

impl Limits {
    /// How many threads work at a time.
    pub fn threads(&self) -> usize {
        self.workers + ENDINGS_WORKERS + self.search.places
    }
}

/// What searches may use.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// How many run at a time.
    pub places: usize,
    /// How long each may take.
    pub time: Duration,
    /// How many bytes each may use.
    pub memory: u64,
}

/// How many threads pick endings. They are not those that look positions up, because one request for
/// endings takes as long as thousands of others.
pub const ENDINGS_WORKERS: usize = 1;

/// How many requests for endings may wait for such a thread. Each takes long, so of many, most would wait
/// in vain.
pub const ENDINGS_QUEUE: usize = 4;

/// How many positions a request for endings looks at. The work of a request must be the same for the same
/// seed, so the limit is no time.
pub const ENDINGS_LOOKED_AT: u64 = 50_000;

/// How long the text of all moves of a position may be, in bytes. Under the rules that allow a
/// square to be jumped again, the moves can take megabytes, and the server would have to hold them for
/// each client that does not read.
pub const MOST_MOVES: usize = 256 << 10;
