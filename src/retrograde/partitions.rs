//! How the orbits of a slice are divided into partitions.

use crate::index::SliceIndex;

/// How the orbits of a slice are divided into partitions: consecutive orbits of one side to move,
/// which one thread changes at a time. The partitions of the first stored side come first.
#[derive(Clone, Copy, Debug)]
pub struct Partitions {
    /// A partition holds `1 << orbit_shift` orbits; the last one of a side may hold fewer.
    pub orbit_shift: u32,
    /// How many rows an orbit has.
    pub rows: usize,
    /// How many partitions each side to move has.
    pub per_side: usize,
}

impl Partitions {
    /// Partitions of about this many positions, and of at least one orbit.
    pub fn new(index: &SliceIndex, positions: usize) -> Partitions {
        let rows = index.rows();
        let orbit_shift = (positions / rows).max(1).ilog2();
        Partitions { orbit_shift, rows, per_side: index.orbits().div_ceil(1 << orbit_shift) }
    }

    /// How many positions a whole partition holds.
    pub fn positions(self) -> usize {
        self.rows << self.orbit_shift
    }

    /// The stored side to move and the first orbit of a partition.
    pub fn side_and_orbit(self, partition: usize) -> (usize, usize) {
        (partition / self.per_side, (partition % self.per_side) << self.orbit_shift)
    }

    /// The first partition of a stored side to move.
    pub fn first_of(self, side: usize) -> usize {
        side * self.per_side
    }
}
