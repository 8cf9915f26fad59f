//! All owner masks of a slice, so that what they share is worked out once for all.

use crate::index::SliceIndex;

/// The owner masks of a slice in the order of their rows, with sets of them as bits.
///
/// A question about the owners of some columns has the same answer for many masks. The masks that fit are
/// found 64 at a time.
pub struct OwnerMasks {
    masks: Vec<OwnerMask>,
    /// For each column, a bit for each mask: whether the mover commands the column. Each column has as
    /// many words as are needed for all masks.
    owned: Vec<u64>,
    words: usize,
    /// For each mask of so many columns, its place among those of the slice.
    places: Vec<u16>,
}

/// An owner mask of a slice.
#[derive(Clone, Copy, Debug)]
pub struct OwnerMask {
    /// The columns that the mover commands.
    pub mask: u32,
    /// Its first row in every orbit.
    pub first_row: u32,
    /// The place of its split in the list of splits.
    pub split: u32,
}

impl OwnerMasks {
    /// The owner masks of the slice that `index` numbers.
    pub fn new(index: &SliceIndex) -> OwnerMasks {
        let mut masks = Vec::new();
        for (split, at) in index.splits().iter().zip(0..) {
            let rows = (split.start as u32..).step_by(split.mask_rows);
            let of_split = split.owner_masks().zip(rows);
            masks.extend(of_split.map(|(mask, first_row)| OwnerMask {
                mask,
                first_row,
                split: at,
            }));
        }
        let words = masks.len().div_ceil(64);
        let mut owned = vec![0; index.columns() * words];
        for column in 0..index.columns() {
            for (i, _) in masks.iter().enumerate().filter(|(_, m)| m.mask >> column & 1 != 0) {
                owned[column * words + i / 64] |= 1 << (i % 64);
            }
        }
        let mut places = vec![0; 1 << index.columns()];
        for (owners, place) in masks.iter().zip(0..) {
            places[owners.mask as usize] = place;
        }
        OwnerMasks { masks, owned, words, places }
    }

    /// All masks.
    pub fn all(&self) -> &[OwnerMask] {
        &self.masks
    }

    /// The place of a mask among all.
    #[inline]
    pub fn place(&self, mask: u32) -> usize {
        usize::from(self.places[mask as usize])
    }

    /// The masks in which the mover commands all columns of `own`, and the other side those of
    /// `others`; in the order of their rows.
    #[inline]
    pub fn fitting(&self, own: u32, others: u32) -> impl Iterator<Item = OwnerMask> + '_ {
        self.listed(move |word| {
            let owned = columns_of(own).map(|column| self.owned_word(column, word));
            let not_owned = columns_of(others).map(|column| !self.owned_word(column, word));
            owned.chain(not_owned).fold(u64::MAX, |all, fitting| all & fitting)
        })
    }

    /// The masks under which one of these jumps is a capture, or those under which none is; in the order
    /// of their rows. A jump is the column that jumps and the one that is jumped.
    #[inline]
    pub fn capturing<'a>(
        &'a self,
        jumps: &'a [(u8, u8)],
        captures: bool,
    ) -> impl Iterator<Item = OwnerMask> + 'a {
        self.listed(move |word| {
            let some = jumps.iter().fold(0, |some, &(from, over)| {
                let (from, over) = (usize::from(from), usize::from(over));
                some | self.owned_word(from, word) & !self.owned_word(over, word)
            });
            if captures { some } else { !some }
        })
    }

    #[inline]
    fn owned_word(&self, column: usize, word: usize) -> u64 {
        self.owned[column * self.words + word]
    }

    /// The masks of a set whose words are given.
    #[inline]
    fn listed<'a>(
        &'a self,
        set: impl Fn(usize) -> u64 + 'a,
    ) -> impl Iterator<Item = OwnerMask> + 'a {
        self.masks.chunks(64).enumerate().flat_map(move |(word, masks)| {
            let mut rest = set(word) & (u64::MAX >> (64 - masks.len()));
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let mask = masks[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                    mask
                })
            })
        })
    }
}

/// The columns of a set of columns, rising.
#[inline]
fn columns_of(mut columns: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (columns != 0).then(|| {
            let column = columns.trailing_zeros() as usize;
            columns &= columns - 1;
            column
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_listed_by_row_and_found_by_the_owners_of_columns() {
        for (mover, other, columns) in [(2, 1, 3), (3, 3, 4), (4, 4, 7), (5, 5, 9)] {
            let index = SliceIndex::new(mover, other, columns).unwrap();
            let masks = OwnerMasks::new(&index);
            let all = masks.all();
            assert!(all.iter().enumerate().all(|(at, m)| masks.place(m.mask) == at));
            let expected = index.splits().iter().enumerate().flat_map(|(at, split)| {
                split.owner_masks().map(move |mask| (mask, split.mask_start(mask), at))
            });
            let found = all.iter().map(|m| (m.mask, m.first_row as usize, m.split as usize));
            assert!(found.eq(expected));
            for (own, others) in [(0b1, 0b10), (0b100, 0b1), (0b11, 0b100), (0b101, 0)] {
                let fits = |m: &&OwnerMask| m.mask & own == own && m.mask & others == 0;
                let expected = all.iter().filter(fits).map(|m| m.mask);
                assert!(masks.fitting(own, others).map(|m| m.mask).eq(expected));
            }
            let jumps = [(0, 1), (2, 1), (1, 0)];
            let is_capture =
                |mask: u32, jump: (u8, u8)| mask >> jump.0 & !(mask >> jump.1) & 1 != 0;
            for captures in [true, false] {
                let fits =
                    |m: &&OwnerMask| jumps.iter().any(|&jump| is_capture(m.mask, jump)) == captures;
                let expected = all.iter().filter(fits).map(|m| m.mask);
                assert!(masks.capturing(&jumps, captures).map(|m| m.mask).eq(expected));
            }
        }
    }
}
