//! Sets of occupied squares, folded by the symmetries of the board.

use super::binomial::{binomial, next_subset, subset_rank};
use crate::rules::{Square, SquareSet, Symmetry, SymmetrySet};
use std::sync::OnceLock;

/// All sets of `k` occupied squares, up to the eight symmetries of the board.
///
/// Of the images of a set, the one with the smallest bits is its **representative**; the
/// representatives, numbered in the order of their bits, are the **blocks** of a slice.
///
/// What is kept is a table of four bytes for each of the `C(25, k)` sets (4 MB for eight columns,
/// 21 MB for twelve), made on first use.
///
/// ```
/// use lasca_tablebase::index::OccupiedSets;
/// use lasca_tablebase::rules::{Square, SquareSet, Symmetry};
/// let sets = OccupiedSets::of(2).unwrap();
/// assert_eq!(sets.blocks(), 50);
/// let set = ["e1", "g3"].iter().filter_map(|name| Square::from_name(name)).collect::<SquareSet>();
/// let (block, symmetries) = sets.fold(set);
/// for g in symmetries {
///     assert_eq!(g.apply_set(set), sets.representative(block));
/// }
/// ```
#[derive(Debug)]
pub struct OccupiedSets {
    columns: usize,
    representatives: Vec<u32>,
    /// For the set of each rank: the block in the upper 24 bits; below them, the symmetries that
    /// map the set onto the block's representative.
    folded: Vec<u32>,
}

impl OccupiedSets {
    /// The most columns for which sets can be folded.
    pub const MAX_COLUMNS: usize = super::Material::MAX_COUNTERS;

    /// The sets of `columns` squares, shared by all that ask; `None` for 0 or more than
    /// [`OccupiedSets::MAX_COLUMNS`].
    pub fn of(columns: usize) -> Option<&'static OccupiedSets> {
        static SETS: [OnceLock<OccupiedSets>; OccupiedSets::MAX_COLUMNS] =
            [const { OnceLock::new() }; OccupiedSets::MAX_COLUMNS];
        let cell = SETS.get(columns.checked_sub(1)?)?;
        Some(cell.get_or_init(|| OccupiedSets::fold_all(columns)))
    }

    fn fold_all(columns: usize) -> OccupiedSets {
        let count = binomial(Square::COUNT, columns) as usize;
        let mut sets = OccupiedSets {
            columns,
            representatives: Vec::new(),
            folded: Vec::with_capacity(count),
        };
        let mut bits: u32 = (1 << columns) - 1;
        for rank in 0..count {
            if rank > 0 {
                bits = next_subset(bits);
            }
            let (mut least, mut symmetries) = (bits, 0u32);
            for g in Symmetry::all() {
                let image = g.apply_set(SquareSet::from_bits(bits)).bits();
                if image < least {
                    (least, symmetries) = (image, 0);
                }
                if image == least {
                    symmetries |= 1 << g.index();
                }
            }
            let block = if least == bits {
                sets.representatives.push(bits);
                sets.representatives.len() as u32 - 1
            } else {
                // Smaller bits come first, so the representative is already numbered.
                sets.folded[subset_rank(least) as usize] >> 8
            };
            sets.folded.push(block << 8 | symmetries);
        }
        sets.representatives.shrink_to_fit();
        sets
    }

    /// How many squares the sets have.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.representatives.len()
    }

    /// The set that stands for `block`.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn representative(&self, block: usize) -> SquareSet {
        SquareSet::from_bits(self.representatives[block])
    }

    /// The block of a set, and all symmetries that map the set onto the block's representative.
    ///
    /// # Panics
    /// If the set has another number of squares than [`OccupiedSets::columns`].
    #[inline]
    pub fn fold(&self, set: SquareSet) -> (usize, SymmetrySet) {
        assert_eq!(set.len(), self.columns);
        let folded = self.folded[set_rank(set) as usize];
        ((folded >> 8) as usize, SymmetrySet::from_bits(folded as u8))
    }

    /// The symmetries that map the block's representative onto itself.
    pub fn stabilizer(&self, block: usize) -> SymmetrySet {
        self.fold(self.representative(block)).1
    }

    /// How many sets fold onto this block.
    pub fn orbit_len(&self, block: usize) -> usize {
        Symmetry::COUNT / self.stabilizer(block).len()
    }

    /// How many blocks there are for `columns` columns, by Burnside's lemma: the average over the
    /// symmetries of the number of sets that each leaves as it is.
    ///
    /// # Panics
    /// If `columns` is more than 25.
    pub fn blocks_of(columns: usize) -> u64 {
        let fixed = |g: Symmetry| -> u64 {
            // A set is left as it is when it is a union of the orbits of single squares. Count the
            // unions of each size, orbit by orbit.
            let mut unions = [0u64; Square::COUNT + 1];
            unions[0] = 1;
            let mut seen = SquareSet::EMPTY;
            for start in Square::all() {
                let (mut square, mut len) = (start, 0);
                while !seen.contains(square) {
                    seen.insert(square);
                    square = g.apply(square);
                    len += 1;
                }
                for size in (len..=Square::COUNT).rev().filter(|_| len > 0) {
                    unions[size] += unions[size - len];
                }
            }
            unions[columns]
        };
        Symmetry::all().map(fixed).sum::<u64>() / Symmetry::COUNT as u64
    }

    /// The bytes of memory that the sets of `columns` squares take.
    pub fn memory_of(columns: usize) -> u64 {
        let sets = binomial(Square::COUNT, columns);
        4 * (sets + OccupiedSets::blocks_of(columns))
    }
}

/// The rank of a set of squares among all sets with as many: [`subset_rank`], looked up in two
/// parts of 13 and 12 squares.
#[inline]
fn set_rank(set: SquareSet) -> u32 {
    const LOW: u32 = 13;
    static LOW_RANKS: [u32; 1 << LOW] = {
        let mut ranks = [0; 1 << LOW];
        let mut bits = 0;
        while bits < ranks.len() {
            ranks[bits] = subset_rank(bits as u32) as u32;
            bits += 1;
        }
        ranks
    };
    /// For each number of low squares in the set, what the high squares add.
    static HIGH_RANKS: OnceLock<Vec<[u32; 1 << (Square::COUNT as u32 - LOW)]>> = OnceLock::new();
    let high_ranks = HIGH_RANKS.get_or_init(|| {
        (0..=LOW)
            .map(|low| {
                std::array::from_fn(|high| {
                    let fill = (1 << low) - 1;
                    (subset_rank((high as u32) << LOW | fill) - subset_rank(fill)) as u32
                })
            })
            .collect()
    });
    let low = set.bits() & ((1 << LOW) - 1);
    LOW_RANKS[low as usize] + high_ranks[low.count_ones() as usize][(set.bits() >> LOW) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_of_all_blocks_add_up_to_all_sets() {
        for columns in 1..=6 {
            let sets = OccupiedSets::of(columns).unwrap();
            let total: usize = (0..sets.blocks()).map(|block| sets.orbit_len(block)).sum();
            assert_eq!(total as u64, binomial(25, columns));
            assert_eq!(sets.blocks() as u64, OccupiedSets::blocks_of(columns));
        }
    }

    #[test]
    fn folding_maps_onto_the_representative_and_no_other_symmetry_does() {
        let sets = OccupiedSets::of(4).unwrap();
        let mut bits = 0b1111;
        for _ in 0..binomial(25, 4) {
            let set = SquareSet::from_bits(bits);
            let (block, symmetries) = sets.fold(set);
            for g in Symmetry::all() {
                let onto = g.apply_set(set) == sets.representative(block);
                assert_eq!(onto, symmetries.contains(g));
            }
            bits = next_subset(bits);
        }
    }
}
