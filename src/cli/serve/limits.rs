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
}
