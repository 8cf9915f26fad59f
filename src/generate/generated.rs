//! What a run has done.

use crate::index::Extent;
use std::path::PathBuf;
use std::time::Duration;

/// What a run did for one material.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The positions that the table covers. They may be more than were asked for, if the table was there
    /// already.
    pub extent: Extent,
    /// The table's WDL file.
    pub path: PathBuf,
    /// Whether the table was there already, so that nothing was done.
    pub was_there: bool,
    /// Positions stored.
    pub positions: u64,
    /// The length of both files in bytes.
    pub bytes: u64,
    /// The greatest DTW in plies; `None` if all positions are drawn.
    pub max_dtw: Option<u16>,
    /// Positions solved by this run, not read from the work files of an earlier one.
    pub solved: u64,
    /// The time spent on solving them.
    pub solving: Duration,
    /// The time of the whole run for this material, including the time spent waiting for the disk.
    pub total: Duration,
}
