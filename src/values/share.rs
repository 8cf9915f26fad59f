//! The values of a slice, of which each process holds a share.

use super::SliceValues;

/// What one process holds of the values of a slice: those of a run of consecutive orbits.
///
/// The runs of all processes follow one another in the order of the processes and make up the slice. A run
/// may be empty.
#[derive(Debug)]
pub(crate) struct SliceShare {
    /// For each process, its first orbit; then the number of orbits. All processes have the same bounds.
    pub bounds: Vec<usize>,
    /// The process that holds this share.
    pub process: usize,
    /// The values of the orbits of this process: all values of the slice, if one process holds them alone. Their
    /// numbers count from the first position of its first orbit.
    pub values: SliceValues,
}

impl SliceShare {
    /// The process that holds an orbit.
    pub fn owner(&self, orbit: usize) -> usize {
        self.bounds.partition_point(|&first| first <= orbit) - 1
    }
}
