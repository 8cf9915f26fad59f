//! How the orbits of a slice are divided into partitions.

use crate::index::SliceIndex;
use std::ops::Range;

/// How the orbits of a slice are divided into partitions: consecutive orbits of one side to move,
/// which one thread changes at a time. The partitions of the first stored side come first.
///
/// A process that works alone owns all of them. Each of several processes owns a run of the partitions of
/// each side. The division does not depend on how many processes there are.
#[derive(Clone, Copy, Debug)]
pub struct Partitions {
    /// A partition holds `1 << orbit_shift` orbits; the last one of a side may hold fewer.
    pub orbit_shift: u32,
    /// How many rows an orbit has.
    pub rows: usize,
    /// How many stored sides to move there are.
    pub sides: usize,
    /// How many partitions each side to move has.
    pub per_side: usize,
    /// How many orbits each side to move has.
    orbits: usize,
    /// The first partition of each side to move that this process owns.
    first_own: usize,
    /// How many partitions of each side to move this process owns.
    own_per_side: usize,
}

impl Partitions {
    /// Partitions of about this many positions, and of at least one orbit, all owned by one process.
    pub fn new(index: &SliceIndex, positions: usize) -> Partitions {
        Partitions::of_orbits(index, (positions / index.rows()).max(1).ilog2())
    }

    /// Partitions of `1 << orbit_shift` orbits, all owned by one process.
    pub fn of_orbits(index: &SliceIndex, orbit_shift: u32) -> Partitions {
        let (rows, orbits) = (index.rows(), index.orbits());
        let sides = if index.mover_counters() == index.other_counters() { 1 } else { 2 };
        let per_side = orbits.div_ceil(1 << orbit_shift);
        let (first_own, own_per_side) = (0, per_side);
        Partitions { orbit_shift, rows, sides, per_side, orbits, first_own, own_per_side }
    }

    /// Whether partitions of this slice can hold `1 << orbit_shift` orbits: the places in one are numbers of 32
    /// bits.
    pub fn can_have(index: &SliceIndex, orbit_shift: u32) -> bool {
        let positions = 1u64
            .checked_shl(orbit_shift)
            .and_then(|orbits| orbits.checked_mul(index.rows() as u64));
        orbit_shift == 0 || positions.is_some_and(|positions| positions <= u32::MAX.into())
    }

    /// The same partitions, as one of this many processes owns them.
    pub fn of_process(self, process: usize, processes: usize) -> Partitions {
        let own = self.run(process, processes);
        Partitions { first_own: own.start, own_per_side: own.len(), ..self }
    }

    /// The partitions of each side to move that a process owns.
    pub fn run(self, process: usize, processes: usize) -> Range<usize> {
        let first = |process| (self.per_side as u64 * process as u64 / processes as u64) as usize;
        first(process)..first(process + 1)
    }

    /// For each of this many processes, the first orbit that it owns; then the number of orbits.
    pub fn bounds(self, processes: usize) -> Vec<usize> {
        let first =
            |process| (self.run(process, processes).start << self.orbit_shift).min(self.orbits);
        (0..processes).map(first).chain(std::iter::once(self.orbits)).collect()
    }

    /// Whether this process owns the partition with this number among all partitions.
    pub fn owns(self, number: usize) -> bool {
        let at = number % self.per_side;
        (self.first_own..self.first_own + self.own_per_side).contains(&at)
    }

    /// How many positions a whole partition holds.
    pub fn positions(self) -> usize {
        self.rows << self.orbit_shift
    }

    /// How many partitions there are, of all stored sides to move.
    pub fn count(self) -> usize {
        self.sides * self.per_side
    }

    /// How many partitions this process owns, of all stored sides to move.
    pub fn own_count(self) -> usize {
        self.sides * self.own_per_side
    }

    /// How many positions of each side to move this process owns.
    pub fn own_positions(self) -> u64 {
        let orbit = |partition: usize| (partition << self.orbit_shift).min(self.orbits);
        let orbits = orbit(self.first_own + self.own_per_side) - orbit(self.first_own);
        orbits as u64 * self.rows as u64
    }

    /// The stored side to move and the first orbit of the `i`-th partition that this process owns.
    pub fn side_and_orbit(self, i: usize) -> (usize, usize) {
        let (side, at) = (i / self.own_per_side, i % self.own_per_side);
        (side, (self.first_own + at) << self.orbit_shift)
    }

    /// How many orbits the `i`-th own partition holds.
    pub fn orbits(self, i: usize) -> usize {
        (self.orbits - self.side_and_orbit(i).1).min(1 << self.orbit_shift)
    }

    /// Where the positions of the `i`-th own partition are among the own positions of its side.
    pub fn own_range(self, i: usize) -> Range<u64> {
        let start = (i % self.own_per_side) as u64 * self.positions() as u64;
        start..start + self.orbits(i) as u64 * self.rows as u64
    }

    /// The number of the `i`-th own partition among all partitions.
    pub fn number(self, i: usize) -> usize {
        let (side, at) = (i / self.own_per_side, i % self.own_per_side);
        side * self.per_side + self.first_own + at
    }

    /// The place of a partition that this process owns among those that it owns: the inverse of
    /// [`Partitions::number`].
    pub fn place(self, number: usize) -> usize {
        let (side, in_side) = (number / self.per_side, number % self.per_side);
        side * self.own_per_side + in_side - self.first_own
    }

    /// The first partition of a stored side to move.
    pub fn first_of(self, side: usize) -> usize {
        side * self.per_side
    }
}
