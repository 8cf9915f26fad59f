//! The values of a slice, of which each rank holds a share.

use super::SliceValues;

/// What one rank holds of the values of a slice: those of a run of consecutive orbits.
///
/// The runs of all ranks follow one another in the order of the ranks and make up the slice. A run
/// may be empty.
#[derive(Debug)]
pub(crate) struct SliceShare {
    bounds: Vec<usize>,
    rank: usize,
    values: SliceValues,
}

impl SliceShare {
    /// The share of `rank`. `bounds` are as in [`SliceShare::bounds`], and `values` as in
    /// [`SliceShare::values`].
    pub fn new(bounds: Vec<usize>, rank: usize, values: SliceValues) -> SliceShare {
        debug_assert!(bounds.is_sorted() && rank + 1 < bounds.len());
        SliceShare { bounds, rank, values }
    }

    /// For each rank, its first orbit; then the number of orbits. All ranks have the same bounds.
    pub fn bounds(&self) -> &[usize] {
        &self.bounds
    }

    /// The rank that holds this share.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The rank that holds an orbit.
    pub fn owner(&self, orbit: usize) -> usize {
        self.bounds.partition_point(|&first| first <= orbit) - 1
    }

    /// What [`SliceShare::values`] returns: all values of the slice, if one rank holds them alone.
    pub fn into_values(self) -> SliceValues {
        self.values
    }

    /// The values of the orbits of this rank. Their numbers count from the first position of its first
    /// orbit.
    pub fn values(&self) -> &SliceValues {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Distance;

    #[test]
    fn each_orbit_has_the_owner_whose_run_holds_it() {
        let bounds = vec![0, 0, 3, 3, 7, 7];
        let values = SliceValues::from_distances(std::iter::empty::<Distance>());
        let share = SliceShare::new(bounds.clone(), 0, values);
        for orbit in 0..7 {
            let holds = |&rank: &usize| (bounds[rank]..bounds[rank + 1]).contains(&orbit);
            let owners: Vec<usize> = (0..5).filter(holds).collect();
            assert_eq!(owners, [share.owner(orbit)]);
        }
    }
}
