//! The splits of a slice with their owner masks and stackings listed, for code that works on all positions
//! of an orbit at once.

use super::owner_masks::{bits_in, retain_quiet, set_of};
use super::{ListedStacking, SliceIndex, Split};
use crate::rules::SquareSet;

/// The splits of a slice, listed.
pub struct SliceLists {
    /// The splits in the order of their rows.
    pub splits: Vec<SplitLists>,
    /// The owner masks of all splits, as a set.
    pub masks: Vec<u64>,
    /// For each owner mask, the first row that has it.
    starts: Vec<u32>,
}

/// A split with its owner masks and stackings listed.
pub struct SplitLists {
    pub split: Split,
    /// Its owner masks, as a set.
    pub masks: Vec<u64>,
    /// The mover's stackings, by ordinal.
    pub mover: Vec<ListedStacking>,
    /// The other side's stackings, by ordinal.
    pub other: Vec<ListedStacking>,
}

impl SliceLists {
    pub fn new(index: &SliceIndex) -> SliceLists {
        let all = index.splits().iter().flat_map(Split::owner_masks);
        let of_split = |&split: &Split| SplitLists {
            split,
            masks: set_of(index.columns(), split.owner_masks()),
            mover: ListedStacking::all(split.mover_stackings).collect(),
            other: ListedStacking::all(split.other_stackings).collect(),
        };
        SliceLists {
            splits: index.splits().iter().map(of_split).collect(),
            masks: set_of(index.columns(), all),
            starts: index.mask_starts(),
        }
    }

    #[inline]
    pub fn first_row(&self, mask: u32) -> usize {
        self.starts[mask as usize] as usize
    }

    #[inline]
    pub fn split_of(&self, mask: u32) -> &SplitLists {
        &self.splits[mask.count_ones() as usize - self.splits[0].split.mover_columns]
    }

    /// Finds the owner masks under which the mover, on these squares, need not capture.
    pub fn find_quiet(&self, occupied: SquareSet, quiet: &mut Vec<u64>) {
        quiet.clone_from(&self.masks);
        retain_quiet(occupied, quiet);
    }

    /// Replaces a set of owner masks by that of all others.
    pub fn complement(&self, set: &mut [u64]) {
        set.iter_mut().zip(&self.masks).for_each(|(set, all)| *set ^= all);
    }
}

impl SplitLists {
    /// The owner masks of the split that are in a set, rising.
    #[inline]
    pub fn masks_in<'a>(&'a self, set: &'a [u64]) -> impl Iterator<Item = u32> + 'a {
        let words = self.masks.iter().zip(set).enumerate();
        words.flat_map(|(word, (of_split, set))| bits_in(word, of_split & set))
    }

    /// Whether an owner mask of the split is in a set.
    #[inline]
    pub fn has_any(&self, set: &[u64]) -> bool {
        self.masks.iter().zip(set).any(|(of_split, set)| of_split & set != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Placement;

    #[test]
    fn lists_name_the_masks_of_each_split_their_rows_and_which_need_not_capture() {
        for (mover, other, columns) in [(2, 1, 3), (3, 3, 4), (4, 4, 7), (5, 5, 9)] {
            let index = SliceIndex::new(mover, other, columns).unwrap();
            let lists = SliceLists::new(&index);
            for (of_split, split) in lists.splits.iter().zip(index.splits()) {
                assert!(of_split.masks_in(&lists.masks).eq(split.owner_masks()));
                for mask in split.owner_masks() {
                    assert_eq!(lists.first_row(mask), split.mask_start(mask));
                    assert_eq!(lists.split_of(mask).split, *split);
                }
            }
            let mut quiet = Vec::new();
            for orbit in (0..index.orbits()).step_by(index.orbits() / 40 + 1) {
                let occupied = index.sets().representative(orbit);
                lists.find_quiet(occupied, &mut quiet);
                for lists in &lists.splits {
                    let is_quiet =
                        |&mask: &u32| !Placement::with_owners(occupied, mask).must_capture();
                    let expected = lists.split.owner_masks().filter(is_quiet);
                    assert!(lists.masks_in(&quiet).eq(expected));
                    assert_eq!(lists.has_any(&quiet), lists.masks_in(&quiet).next().is_some());
                }
            }
        }
    }
}
