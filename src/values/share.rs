//! The values of a slice, of which each process holds a share.

use super::SliceValues;

/// What one process holds of the values of a slice: those of a run of consecutive orbits.
///
/// The runs of all processes follow one another in the order of the processes and make up the slice. A run
/// may be empty.
#[derive(Debug)]
pub(crate) struct SliceShare {
    bounds: Vec<usize>,
    process: usize,
    values: SliceValues,
}

impl SliceShare {
    /// The share of `process`. `bounds` are as in [`SliceShare::bounds`], and `values` as in
    /// [`SliceShare::values`].
    pub fn new(bounds: Vec<usize>, process: usize, values: SliceValues) -> SliceShare {
        debug_assert!(bounds.is_sorted() && process + 1 < bounds.len());
        SliceShare { bounds, process, values }
    }

    /// For each process, its first orbit; then the number of orbits. All processes have the same bounds.
    pub fn bounds(&self) -> &[usize] {
        &self.bounds
    }

    /// The process that holds this share.
    pub fn number(&self) -> usize {
        self.process
    }

    /// The process that holds an orbit.
    pub fn owner(&self, orbit: usize) -> usize {
        self.bounds.partition_point(|&first| first <= orbit) - 1
    }

    /// What [`SliceShare::values`] returns: all values of the slice, if one process holds them alone.
    pub fn into_values(self) -> SliceValues {
        self.values
    }

    /// The values of the orbits of this process. Their numbers count from the first position of its first
    /// orbit.
    pub fn values(&self) -> &SliceValues {
        &self.values
    }
}
