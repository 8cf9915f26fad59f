//! What a solver solves, and what it may use.

use crate::durable::Interval;
use crate::index::Material;
use crate::rules::RuleSet;
use std::path::PathBuf;

/// What a solver was asked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The material.
    pub material: Material,
    /// The rule set.
    pub rules: RuleSet,
    /// Positions decided at this ply or later are listed apart from the bytes.
    pub first_late: u16,
    /// What may be used.
    pub resources: Resources,
}

/// What a solver may use. The values do not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    /// The folder for scratch files, if slices are kept there and not in memory.
    pub scratch: Option<PathBuf>,
    /// Whether the quiet un-moves of each placement are worked out beforehand, where that is worth while.
    pub known_unsteps: bool,
    /// About how many bytes of a slice a thread works on at once (at least an orbit).
    pub partition_bytes: usize,
    /// About how many bytes of updates may wait before they are made.
    pub waiting_bytes: usize,
    /// Where the state of an unfinished slice is saved, and how often.
    pub checkpoints: Option<Checkpoints>,
}

/// Where the state of an unfinished slice is saved, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkpoints {
    /// The file.
    pub path: PathBuf,
    /// How often.
    pub interval: Interval,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources {
            scratch: None,
            known_unsteps: true,
            partition_bytes: Resources::PARTITION_BYTES,
            waiting_bytes: Resources::WAITING_BYTES,
            checkpoints: None,
        }
    }
}

impl Resources {
    /// What a thread works on at once where memory does not matter: about as much as a cache holds.
    pub const PARTITION_BYTES: usize = 1 << 20;
    /// The bytes of updates that may wait where memory does not matter.
    pub const WAITING_BYTES: usize = 256 << 20;
}
