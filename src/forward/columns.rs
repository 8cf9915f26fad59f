//! Columns of an orbit before a move and after it.
//!
//! Columns are counted from the lowest square of the occupied set, and sets of columns are masks. A
//! move changes the occupied set, and the symmetry that folds the new set puts the columns in a new
//! order: an [`Arrangement`] says where each goes.

use crate::index::{OccupiedSets, Spare, Stackings};
use crate::rules::{Placement, Square, SquareSet};
use std::collections::HashMap;

/// The squares of the columns in `mask`.
#[inline]
pub fn squares_of(mask: u32, occupied: SquareSet) -> SquareSet {
    let (mut squares, mut rest, mut columns) = (0, occupied.bits(), mask);
    while columns != 0 {
        let lowest = rest & rest.wrapping_neg();
        squares |= lowest & (columns & 1).wrapping_neg();
        rest ^= lowest;
        columns >>= 1;
    }
    SquareSet::from_bits(squares)
}

/// The placement in which the mover commands the columns in `mask` and the other side the others.
#[inline]
pub fn placement_of(mask: u32, occupied: SquareSet) -> Placement {
    let mover = squares_of(mask, occupied);
    Placement { mover, other: SquareSet::from_bits(occupied.bits() ^ mover.bits()) }
}

/// All subsets of `mask`, the empty one first.
#[inline]
pub fn subsets(mask: u32) -> impl Iterator<Item = u32> {
    let mut next = Some(0u32);
    std::iter::from_fn(move || {
        let subset = next?;
        let following = subset.wrapping_sub(mask) & mask;
        next = (following != 0).then_some(following);
        Some(subset)
    })
}

/// Where each column of an orbit stands after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement {
    columns: usize,
    /// The new place of each column; what it says of a column that is gone means nothing.
    images: [u8; OccupiedSets::MAX_COLUMNS],
}

impl Arrangement {
    /// The orbit and the arrangement after the column `moved` has gone `to` another square (or
    /// round to its own) and the columns `gone` have vanished. `sets` are those of as many columns
    /// as are left.
    #[inline]
    pub fn after(
        occupied: SquareSet,
        moved: usize,
        to: Square,
        gone: u32,
        sets: &OccupiedSets,
    ) -> (usize, Arrangement) {
        let (mut stands, mut left) = ([to; OccupiedSets::MAX_COLUMNS], SquareSet::EMPTY.with(to));
        for (column, square) in occupied.into_iter().enumerate() {
            if column != moved && gone >> column & 1 == 0 {
                stands[column] = square;
                left.insert(square);
            }
        }
        let (orbit, symmetries) = sets.fold(left);
        let Some(symmetry) = symmetries.into_iter().next() else {
            unreachable!("some symmetry folds each set")
        };
        let mut places = [0; Square::COUNT];
        for (place, square) in sets.representative(orbit).into_iter().enumerate() {
            places[square.index()] = place as u8;
        }
        let columns = occupied.len();
        let mut images = [0; OccupiedSets::MAX_COLUMNS];
        for (image, &square) in images.iter_mut().zip(&stands).take(columns) {
            *image = places[symmetry.apply(square).index()];
        }
        (orbit, Arrangement { columns, images })
    }

    /// Where the column `column` stands.
    #[inline]
    pub fn image(&self, column: usize) -> usize {
        usize::from(self.images[column])
    }

    /// Where the columns in `mask`, none of them gone, stand.
    #[inline]
    pub fn image_of_mask(&self, mut mask: u32) -> u32 {
        let mut image = 0;
        while mask != 0 {
            image |= 1 << self.images[mask.trailing_zeros() as usize];
            mask &= mask - 1;
        }
        image
    }

    /// The arrangement as a map of masks.
    pub fn mask_map(&self) -> MaskMap {
        let mut parts = [[0u16; 16]; 3];
        for (part, images) in parts.iter_mut().zip(self.images.as_chunks::<4>().0) {
            for (i, &image) in images.iter().enumerate() {
                for rest in 0..1 << i {
                    part[1 << i | rest] = part[rest] | 1 << image;
                }
            }
        }
        MaskMap(parts)
    }

    /// Spare counters where their columns stand, when the columns `gone`, which held none, have
    /// vanished, and each of the columns in `less` has one less.
    #[inline]
    pub fn image_of_spare(&self, spare: &Spare, gone: u32, less: u32) -> Spare {
        let mut image = Spare::default();
        for (column, &count) in spare.iter().enumerate().take(self.columns) {
            if gone >> column & 1 == 0 {
                image[self.image(column)] = count - (less >> column & 1) as u8;
            }
        }
        image
    }

    /// The arrangement as one number, four bits a column.
    fn packed(&self) -> u64 {
        self.images.iter().fold(0, |packed, &image| packed << 4 | u64::from(image))
    }
}

/// An arrangement of columns that all remain, applied to masks four columns at a time.
#[derive(Clone, Copy, Debug)]
pub struct MaskMap([[u16; 16]; 3]);

impl MaskMap {
    /// Where the columns in `mask` stand.
    #[inline]
    pub fn image(&self, mask: u32) -> u32 {
        let part = |i: usize| u32::from(self.0[i][(mask >> (4 * i) & 15) as usize]);
        part(0) | part(1) | part(2)
    }
}

/// What arrangements of columns that all remain do to the ordinals of stackings, each worked out when
/// it is first met.
pub struct StackingMaps {
    /// Every stacking, for no spare counter, for one, and so on.
    stackings: Vec<(Stackings, Vec<Spare>)>,
    /// Where in an arrangement's ordinals those for each number of spare counters start.
    starts: Vec<usize>,
    ordinals: Vec<u16>,
    known: HashMap<u64, usize>,
}

impl StackingMaps {
    /// For up to `max_spare` counters of a side on `columns` columns; no arrangement is known yet.
    pub fn new(columns: usize, max_spare: usize) -> StackingMaps {
        let stackings: Vec<(Stackings, Vec<Spare>)> = (0..=max_spare)
            .map(|spare| Stackings::new(columns, spare))
            .map(|stackings| (stackings, stackings.iter().collect()))
            .collect();
        let mut starts = vec![0];
        for (spare, (stackings, _)) in stackings.iter().enumerate() {
            starts.push(starts[spare] + stackings.count());
        }
        let mut maps =
            StackingMaps { stackings, starts, ordinals: Vec::new(), known: HashMap::new() };
        if max_spare == 0 {
            // The only stacking stays the only one.
            maps.ordinals.push(0);
        }
        maps
    }

    /// Where the ordinals of this arrangement start, for [`StackingMaps::ordinals`].
    pub fn of(&mut self, arrangement: &Arrangement) -> usize {
        if self.stackings.len() == 1 {
            return 0;
        }
        *self.known.entry(arrangement.packed()).or_insert_with(|| {
            let start = self.ordinals.len();
            for (stackings, list) in &self.stackings {
                self.ordinals.extend(list.iter().map(|spare| {
                    stackings
                        .ordinal(&arrangement.image_of_spare(spare, 0, 0)[..arrangement.columns])
                        as u16
                }));
            }
            start
        })
    }

    /// For each ordinal of a stacking of `spare` counters, its ordinal after the arrangement whose ordinals
    /// start at `start`.
    #[inline]
    pub fn ordinals(&self, start: usize, spare: usize) -> &[u16] {
        &self.ordinals[start + self.starts[spare]..start + self.starts[spare + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_columns_are_inverse() {
        let occupied = SquareSet::from_bits(0b1_0010_0000_1000_0110);
        for mask in 0..1 << occupied.len() {
            assert_eq!(crate::index::columns_on(squares_of(mask, occupied), occupied), mask);
            assert_eq!(placement_of(mask, occupied), Placement::with_owners(occupied, mask));
        }
    }

    #[test]
    fn subsets_are_listed_once_each() {
        assert_eq!(subsets(0b1010).collect::<Vec<u32>>(), [0, 0b10, 0b1000, 0b1010]);
        assert_eq!(subsets(0).collect::<Vec<u32>>(), [0]);
    }

    #[test]
    fn an_arrangement_follows_the_columns_onto_the_representative() {
        let sets = OccupiedSets::of(4).unwrap();
        let (three, five) = (OccupiedSets::of(3).unwrap(), OccupiedSets::of(5).unwrap());
        for orbit in (0..five.orbits()).step_by(7) {
            let occupied = five.representative(orbit);
            let moved = 2;
            for to in Square::all().filter(|&to| !occupied.contains(to)) {
                for (gone, sets) in [(0, five), (0b1, sets), (0b1_1000, three)] {
                    let (target, arrangement) = Arrangement::after(occupied, moved, to, gone, sets);
                    let left = squares_of(0b1_1111 & !gone & !(1 << moved), occupied).with(to);
                    assert_eq!(sets.fold(left).0, target);
                    let remaining = 0b1_1111 & !gone;
                    let all = (1 << remaining.count_ones()) - 1;
                    assert_eq!(arrangement.image_of_mask(remaining), all);
                    if gone == 0 {
                        let map = arrangement.mask_map();
                        for mask in 0..1 << 5 {
                            assert_eq!(map.image(mask), arrangement.image_of_mask(mask));
                        }
                    }
                }
            }
        }
    }
}
