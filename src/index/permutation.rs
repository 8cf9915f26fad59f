//! What a permutation of the columns does to an orbit's owner masks and stackings.

use super::Stackings;
use super::mask_map::{MaskMap, SmallMaskMap};
use super::stacking::Spare;
use crate::reserve::reserve_exact;
use std::collections::TryReserveError;

/// A new order of the columns. The columns of an orbit are counted from the lowest occupied square up,
/// so their order changes when a column moves or a symmetry turns the board.
///
/// ```
/// use lasca_tablebase::internals::Permutation;
/// let reversed = Permutation::new(&[2, 1, 0]).unwrap();
/// assert_eq!(reversed.image(0), 2);
/// assert_eq!(reversed.apply_mask(0b001), 0b100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    columns: u8,
    /// Four bits for each column: its new place.
    images: u64,
}

impl Permutation {
    /// The permutation that moves column `i` to place `images[i]`; `None` if the images are not
    /// `0..images.len()` in some order, or if there are more than sixteen.
    pub fn new(images: &[usize]) -> Option<Permutation> {
        let (mut packed, mut seen) = (0, 0u64);
        for (i, &image) in images.iter().enumerate() {
            if i >= 16 || image >= images.len() || seen >> image & 1 != 0 {
                return None;
            }
            seen |= 1 << image;
            packed |= (image as u64) << (4 * i);
        }
        Some(Permutation { columns: images.len() as u8, images: packed })
    }

    /// The new place of column `column`.
    #[inline]
    pub const fn image(self, column: usize) -> usize {
        (self.images >> (4 * column) & 0b1111) as usize
    }

    /// The owner mask in the new order.
    pub fn apply_mask(self, mask: u32) -> u32 {
        (0..usize::from(self.columns))
            .filter(|&column| mask >> column & 1 != 0)
            .fold(0, |moved, column| moved | 1 << self.image(column))
    }

    /// The stacking in the new order.
    pub fn apply_stacking(self, stacking: &Spare) -> Spare {
        let mut moved = Spare::default();
        for (column, &spare) in stacking.iter().enumerate().take(usize::from(self.columns)) {
            moved[self.image(column)] = spare;
        }
        moved
    }
}

/// Small tables that apply each of a list of permutations: to owner masks, four columns at a time, and
/// to the ordinals of stackings, for each number of spare counters.
///
/// ```
/// use lasca_tablebase::internals::{Permutation, PermutationMaps, Stackings};
/// let permutation = Permutation::new(&[1, 2, 0]).unwrap();
/// let maps = PermutationMaps::new(&[permutation], 3, 2).unwrap();
/// let map = maps.of(0);
/// assert_eq!(map.mask(0b101), 0b011);
/// let stackings = Stackings::new(3, 2);
/// for (ordinal, stacking) in stackings.iter().enumerate() {
///     let moved = permutation.apply_stacking(&stacking);
///     assert_eq!(map.stacking(maps.start(2) + ordinal) as usize, stackings.ordinal(&moved[..3]));
/// }
/// ```
#[derive(Clone, Debug)]
pub struct PermutationMaps {
    masks: Masks,
    /// For each permutation the new ordinals: those of stackings of 0 spare counters, then of 1, and so on.
    stackings: Vec<u16>,
    /// Where the ordinals for each number of spare counters start.
    starts: Vec<usize>,
    /// How many ordinals there are for each permutation.
    ordinals_each: usize,
}

impl PermutationMaps {
    /// The tables of permutations of `columns` columns, for up to `max_spare` spare counters of one
    /// colour.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(
        permutations: &[Permutation],
        columns: usize,
        max_spare: usize,
    ) -> Result<PermutationMaps, TryReserveError> {
        let mut starts = vec![0];
        for spare in 0..=max_spare {
            starts.push(starts[spare] + Stackings::new(columns, spare).count());
        }
        let mut maps = PermutationMaps {
            masks: if columns <= 8 { Masks::Low(Vec::new()) } else { Masks::High(Vec::new()) },
            stackings: Vec::new(),
            ordinals_each: starts[max_spare + 1],
            starts,
        };
        reserve_exact(&mut maps.stackings, permutations.len() * maps.ordinals_each)?;
        match &mut maps.masks {
            Masks::Low(masks) => reserve_exact(masks, permutations.len())?,
            Masks::High(masks) => reserve_exact(masks, permutations.len())?,
        }
        let stackings: Vec<(Stackings, Vec<Spare>)> = (0..=max_spare)
            .map(|spare| Stackings::new(columns, spare))
            .map(|stackings| (stackings, stackings.iter().collect()))
            .collect();
        for permutation in permutations {
            maps.masks.push(permutation);
            for (stackings, list) in &stackings {
                maps.stackings.extend(list.iter().map(|stacking| {
                    stackings.ordinal(&permutation.apply_stacking(stacking)[..columns]) as u16
                }));
            }
        }
        Ok(maps)
    }

    /// The tables of permutation number `permutation`.
    #[inline]
    pub fn of(&self, permutation: usize) -> PermutationMap<'_> {
        PermutationMap {
            masks: match &self.masks {
                Masks::Low(masks) => MasksOf::Low(&masks[permutation]),
                Masks::High(masks) => MasksOf::High(&masks[permutation]),
            },
            stackings: &self.stackings,
            first: permutation * self.ordinals_each,
            ordinals_each: self.ordinals_each,
        }
    }

    /// Where the stackings of `spare` counters start in [`PermutationMap::stacking`].
    ///
    /// # Panics
    /// If `spare` is more than the tables were made for.
    #[inline]
    pub fn start(&self, spare: usize) -> usize {
        self.starts[spare]
    }

    /// How many bytes of memory the tables need.
    pub fn memory(&self) -> usize {
        let masks = match &self.masks {
            Masks::Low(masks) => size_of_val(&masks[..]),
            Masks::High(masks) => size_of_val(&masks[..]),
        };
        masks + self.stackings.capacity() * size_of::<u16>()
    }
}

/// The tables of one permutation of a [`PermutationMaps`].
#[derive(Clone, Copy, Debug)]
pub struct PermutationMap<'a> {
    masks: MasksOf<'a>,
    /// The new ordinals of all permutations, and where those of this one start.
    stackings: &'a [u16],
    first: usize,
    ordinals_each: usize,
}

/// Maps of owner masks to the new order. They are stored as small as the number of columns
/// allows, because tens of thousands of permutations are in use at once.
#[derive(Clone, Debug)]
enum Masks {
    /// Up to eight columns.
    Low(Vec<SmallMaskMap>),
    /// Up to twelve columns.
    High(Vec<MaskMap>),
}

#[derive(Clone, Copy, Debug)]
enum MasksOf<'a> {
    Low(&'a SmallMaskMap),
    High(&'a MaskMap),
}

impl Masks {
    fn push(&mut self, permutation: &Permutation) {
        let columns = 0..usize::from(permutation.columns);
        let map = MaskMap::new(columns.map(|column| (column, permutation.image(column))));
        match self {
            Masks::Low(masks) => masks.push(map.small()),
            Masks::High(masks) => masks.push(map),
        }
    }
}

impl PermutationMap<'_> {
    /// The owner mask in the new order.
    #[inline]
    pub fn mask(self, mask: u32) -> u32 {
        match self.masks {
            MasksOf::Low(map) => map.image(mask),
            MasksOf::High(map) => map.image(mask),
        }
    }

    /// The ordinal of a stacking in the new order. `at` is its ordinal in the old order plus the
    /// [`PermutationMaps::start`] of its number of spare counters.
    #[inline]
    pub fn stacking(self, at: usize) -> u32 {
        debug_assert!(at < self.ordinals_each);
        u32::from(self.stackings[self.first + at])
    }
}
