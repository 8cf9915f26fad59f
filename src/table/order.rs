//! The order in which a table stores the orbits of a number of columns.
//!
//! The ranks of the occupied squares add up to an even or an odd number. A quiet move changes which,
//! because it moves one column by one rank. A capture does not, unless a column vanishes, because each
//! jump moves a column by two ranks. Nor does any symmetry of the board. So this splits the orbits
//! into two **halves**. Where both sides to move have the DTWs of one half only, those of the other
//! half follow after one ply of search.
//!
//! Within a half, the orbits stand in **snake order**. Two sets are compared at the highest square where they differ.
//! Above it, both have the same squares; count those with an odd index. If that number is even, the set that has the
//! square comes later. If it is odd, it comes earlier. So each set is close to the one before it, and their values are
//! alike.

use super::TableError;
use crate::index::{OccupiedSets, SliceIndex};
use crate::reserve::make_sure_of;
use crate::rules::{Square, SquareSet};
use std::sync::OnceLock;

/// The number of orbits in a chunk. The last chunk of a half may have fewer.
pub const CHUNK_ORBITS: usize = 512;

/// One of the two halves of the orbits: half 0 if the ranks (the first one counts 0) add up to an even
/// number, otherwise half 1.
pub type Half = usize;

/// A chunk: its half, and its number in the half.
pub type ChunkId = (Half, usize);

/// The order for each number of columns, once it was asked for.
static ORDERS: [OnceLock<OrbitOrder>; OccupiedSets::MAX_COLUMNS] =
    [const { OnceLock::new() }; OccupiedSets::MAX_COLUMNS];

/// The orbits of a number of columns, by halves, in snake order.
#[derive(Debug)]
pub struct OrbitOrder {
    /// For each orbit of the index: its place in its half, twice, plus the half.
    places: Vec<u32>,
    /// For each half, the orbits in order.
    orbits: [Vec<u32>; 2],
}

impl OrbitOrder {
    /// The order of the orbits of these sets, shared by all callers.
    pub fn of(sets: &'static OccupiedSets) -> &'static OrbitOrder {
        ORDERS[sets.columns() - 1].get_or_init(|| OrbitOrder::new(sets))
    }

    /// The same, for work on whole slices. It is made once, so this asks first whether there is memory for
    /// that.
    pub fn with_memory(sets: &'static OccupiedSets) -> Result<&'static OrbitOrder, TableError> {
        if ORDERS[sets.columns() - 1].get().is_none() {
            let bytes = sets.orbits() as u64 * Self::BYTES_AN_ORBIT;
            make_sure_of(bytes).map_err(|_| TableError::Memory)?;
        }
        Ok(OrbitOrder::of(sets))
    }

    /// How many bytes are needed for each orbit while the order is made, with the list of representatives:
    /// more than enough.
    const BYTES_AN_ORBIT: u64 = 64;

    fn new(sets: &OccupiedSets) -> OrbitOrder {
        let mut orbits: [Vec<u32>; 2] = Default::default();
        for orbit in 0..sets.orbits() {
            orbits[half_of(sets.representative(orbit))].push(orbit as u32);
        }
        let mut places = vec![0; sets.orbits()];
        for (half, orbits) in orbits.iter_mut().enumerate() {
            orbits.shrink_to_fit();
            orbits.sort_by_cached_key(|&orbit| snake_key(sets.representative(orbit as usize)));
            for (place, &orbit) in orbits.iter().enumerate() {
                places[orbit as usize] = (place as u32) << 1 | half as u32;
            }
        }
        OrbitOrder { places, orbits }
    }

    /// The half of an orbit, its chunk, and its place in the chunk.
    #[inline]
    pub fn place(&self, orbit: usize) -> (Half, usize, usize) {
        let place = self.places[orbit] as usize;
        (place & 1, (place >> 1) / CHUNK_ORBITS, (place >> 1) % CHUNK_ORBITS)
    }

    pub fn orbits(&self, half: Half) -> &[u32] {
        &self.orbits[half]
    }

    pub fn chunk(&self, half: Half, chunk: usize) -> &[u32] {
        let orbits = &self.orbits[half];
        let first = (chunk * CHUNK_ORBITS).min(orbits.len());
        &orbits[first..(first + CHUNK_ORBITS).min(orbits.len())]
    }

    pub fn chunks(&self, half: Half) -> usize {
        self.orbits[half].len().div_ceil(CHUNK_ORBITS)
    }

    pub fn chunks_of(&self, halves: &[Half]) -> impl Iterator<Item = ChunkId> {
        halves.iter().flat_map(|&half| (0..self.chunks(half)).map(move |chunk| (half, chunk)))
    }
}

/// How many positions the largest chunk of a slice has.
pub fn largest_chunk(index: &SliceIndex) -> u64 {
    let [even, odd] = OccupiedSets::orbits_by_parity(index.columns());
    even.max(odd).min(CHUNK_ORBITS as u64) * index.rows() as u64
}

/// How many chunks each half has.
pub fn chunks_of(columns: usize) -> [usize; 2] {
    OccupiedSets::orbits_by_parity(columns).map(|len| (len as usize).div_ceil(CHUNK_ORBITS))
}

pub fn half_of(set: SquareSet) -> Half {
    (set.into_iter().map(Square::rank).sum::<i32>() % 2) as Half
}

/// A number that orders sets of as many squares: five bits for each index from the highest down,
/// counted from the other end where the direction is turned round.
#[inline]
fn snake_key(set: SquareSet) -> u64 {
    let (mut key, mut turned, mut rest) = (0, false, set.bits());
    while rest != 0 {
        let highest = rest.ilog2();
        rest ^= 1 << highest;
        key = key << 5 | u64::from(if turned { 31 - highest } else { highest });
        turned ^= highest % 2 == 1;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_half_has_as_many_orbits_as_are_said_to_have_such_ranks() {
        for columns in 1..=OccupiedSets::MAX_COLUMNS {
            let order = OrbitOrder::new(OccupiedSets::of(columns).unwrap());
            let found = order.orbits.map(|orbits| orbits.len() as u64);
            assert_eq!(found, OccupiedSets::orbits_by_parity(columns), "{columns} columns");
        }
    }
}
