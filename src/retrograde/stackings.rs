//! The stackings of a slice, listed so that code can walk over their counters.

use crate::index::{Material, Spare, Split, Stackings};

/// The stackings of a split, listed by ordinal.
pub struct SplitStackings {
    /// How many counters both sides have to spare together.
    pub spare: usize,
    /// The mover's stackings.
    pub mover: Vec<ListedStacking>,
    /// The other side's stackings.
    pub other: Vec<ListedStacking>,
}

impl SplitStackings {
    /// The stackings of a split of a slice with this many columns.
    pub fn new(split: &Split, columns: usize) -> SplitStackings {
        let list = |stackings: Stackings| {
            stackings.iter().map(|spare| ListedStacking::new(spare, columns)).collect()
        };
        SplitStackings {
            spare: split.mover_spare + split.other_spare,
            mover: list(split.mover_stackings),
            other: list(split.other_stackings),
        }
    }

    /// All pairs of stackings, the mover's and the other side's, in the order of their rows.
    pub fn pairs(&self) -> impl Iterator<Item = (&ListedStacking, &ListedStacking)> {
        self.mover.iter().flat_map(|mover| self.other.iter().map(move |other| (mover, other)))
    }
}

/// A stacking of the spare counters of one colour.
#[derive(Clone, Copy, Debug)]
pub struct ListedStacking {
    /// How many spare counters lie on each column.
    pub spare: Spare,
    /// The columns that hold no spare counter, as a mask.
    pub bare: u32,
    /// The column of each counter, rising.
    counters: [u8; Material::MAX_COUNTERS],
    /// How many counters there are.
    count: u8,
}

impl ListedStacking {
    fn new(spare: Spare, columns: usize) -> ListedStacking {
        let mut stacking =
            ListedStacking { spare, bare: 0, counters: [0; Material::MAX_COUNTERS], count: 0 };
        for (column, &counters) in spare.iter().enumerate().take(columns) {
            stacking.bare |= u32::from(counters == 0) << column;
            for _ in 0..counters {
                stacking.counters[usize::from(stacking.count)] = column as u8;
                stacking.count += 1;
            }
        }
        stacking
    }

    /// The column of each counter, rising.
    #[inline]
    pub fn counters(&self) -> &[u8] {
        &self.counters[..usize::from(self.count)]
    }
}
