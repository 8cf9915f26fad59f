//! What a solver may use.

use super::pace::Interval;
use crate::clock::Instant;
use std::path::PathBuf;

/// What a solver may use. The values do not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    /// The folder for scratch files, if the slice in work is kept there and not in memory.
    pub scratch: Option<PathBuf>,
    /// Whether solved slices are saved at once, and kept in the files of their checkpoints and not in
    /// memory.
    pub solved_in_files: bool,
    /// About how many bytes of a slice a thread works on at once (at least an orbit).
    pub partition_bytes: usize,
    /// About how many bytes of updates may wait: those of later plies, and those that are made next.
    pub waiting_bytes: usize,
    /// Where the slice is saved, and how often.
    pub checkpoints: Option<Checkpoints>,
}

/// Where a slice is saved, and how often before it is solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkpoints {
    /// The note that names the files.
    pub path: PathBuf,
    /// How often.
    pub interval: Interval,
    /// When the run was begun. One of a few seconds saves nothing.
    pub begun: Instant,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources {
            scratch: None,
            solved_in_files: false,
            partition_bytes: Resources::PARTITION_BYTES,
            waiting_bytes: Resources::waiting_bytes(1),
            checkpoints: None,
        }
    }
}

impl Resources {
    /// What a thread works on at once where memory does not matter: about as much as a cache holds.
    pub const PARTITION_BYTES: usize = 1 << 20;

    /// The bytes of updates of so many threads that may wait where memory does not matter.
    pub fn waiting_bytes(threads: usize) -> usize {
        threads.max(4).saturating_mul(64 << 20)
    }
}
