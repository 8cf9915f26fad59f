//! What one chain of jumps does in all stackings of a split at once.
//!
//! What becomes of a column that is jumped depends on the counters under its commander:
//!
//! * No counter: the column is **gone**.
//! * Prisoners alone: the column **changes hands**.
//! * Otherwise the column stays with the other side.
//!
//! So the stackings fall into [classes](Class): by the jumped columns on which the other side has no
//! spare counter (the **bare** ones), and by those of them on which the mover has none either. In a
//! class the capture leads to one placement, and what it does to the spare counters of one side does
//! not depend on those of the other.

use super::columns::{Arrangement, squares_of, subsets};
use crate::index::{SliceIndex, Spare, Split, Stackings, columns_on};
use crate::rules::{Chain, Placement, Square, SquareSet};

/// A split with its owner masks and stackings listed.
pub struct SplitLists {
    pub split: Split,
    pub masks: Vec<u32>,
    mover: Vec<ListedStacking>,
    other: Vec<ListedStacking>,
    /// The split to which quiet moves lead.
    pub reply: Split,
}

/// The spare counters of one side on each column.
struct ListedStacking {
    spare: Spare,
    /// The columns that hold any, as a mask.
    laden: u32,
}

fn listed(stackings: Stackings) -> Vec<ListedStacking> {
    let with_mask = |spare: Spare| ListedStacking {
        spare,
        laden: spare.iter().enumerate().fold(0, |laden, (i, &n)| laden | u32::from(n > 0) << i),
    };
    stackings.iter().map(with_mask).collect()
}

impl SplitLists {
    /// The splits of `index`, listed; `reply` numbers the positions that quiet moves lead to.
    pub fn of(index: &SliceIndex, reply: &SliceIndex) -> Vec<SplitLists> {
        let lists = |&split: &Split| SplitLists {
            split,
            masks: split.owner_masks().collect(),
            mover: listed(split.mover_stackings),
            other: listed(split.other_stackings),
            reply: *reply.split(index.columns() - split.mover_columns),
        };
        index.splits().iter().map(lists).collect()
    }

    /// How many stackings the other side has.
    #[inline]
    pub fn other_count(&self) -> usize {
        self.other.len()
    }
}

/// A chain of jumps in an orbit, under one owner mask.
pub struct ChainInSplit<'a> {
    pub lists: &'a SplitLists,
    occupied: SquareSet,
    /// The columns that the other side commands.
    others: u32,
    from: Square,
    to: Square,
    /// The columns jumped.
    jumped: u32,
}

/// Stackings in which a chain does the same.
#[derive(Clone, Copy)]
pub struct Class {
    /// The jumped columns on which the other side has no spare counter.
    bare: u32,
    /// Those of them on which the mover has none either: they vanish.
    gone: u32,
}

impl Class {
    /// How many columns vanish.
    #[inline]
    pub fn lost_columns(self) -> usize {
        self.gone.count_ones() as usize
    }
}

/// Where a class of stackings is after a capture, for the side that is then to move.
pub struct Landing<'a> {
    pub orbit: usize,
    pub owner_mask: u32,
    pub split: &'a Split,
    arrangement: Arrangement,
    columns: usize,
}

impl<'a> ChainInSplit<'a> {
    /// A chain on the squares `occupied`, of which the mover commands those of `owner_mask`.
    #[inline]
    pub fn new(
        chain: Chain,
        lists: &'a SplitLists,
        owner_mask: u32,
        occupied: SquareSet,
    ) -> ChainInSplit<'a> {
        let others = owner_mask ^ ((1u32 << occupied.len()) - 1);
        let jumped = columns_on(chain.jumped, occupied);
        ChainInSplit { lists, occupied, others, from: chain.from, to: chain.to, jumped }
    }

    /// The classes that have stackings.
    #[inline]
    pub fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        let bare = subsets(self.jumped).filter(|&bare| self.other_fits(bare));
        let classes = bare.flat_map(|bare| subsets(bare).map(move |gone| Class { bare, gone }));
        classes.filter(|&class| self.mover_fits(class))
    }

    /// The classes that have stackings and in which no column vanishes.
    #[inline]
    pub fn classes_that_keep_all_columns(&self) -> impl Iterator<Item = Class> + '_ {
        let classes = subsets(self.jumped).map(|bare| Class { bare, gone: 0 });
        classes.filter(|&class| self.other_fits(class.bare) && self.mover_fits(class))
    }

    /// Whether the other side has a spare counter for each jumped column that is not bare.
    #[inline]
    fn other_fits(&self, bare: u32) -> bool {
        (self.jumped ^ bare).count_ones() as usize <= self.lists.split.other_spare
    }

    /// Whether the mover has a prisoner for each column that changes hands.
    #[inline]
    fn mover_fits(&self, class: Class) -> bool {
        (class.bare ^ class.gone).count_ones() as usize <= self.lists.split.mover_spare
    }

    /// The columns that the other side commands after the capture, as they were counted before it.
    #[inline]
    pub fn left(&self, class: Class) -> u32 {
        self.others ^ class.bare
    }

    /// The placement after a capture under which no column vanishes, for the side that is then to
    /// move.
    #[inline]
    pub fn placement_after(&self, class: Class) -> Placement {
        let mover = squares_of(self.left(class), self.occupied);
        let occupied = self.occupied.without(self.from).with(self.to);
        Placement { mover, other: SquareSet::from_bits(occupied.bits() ^ mover.bits()) }
    }

    /// Where the capture leads. `reply` numbers the positions of as many columns as are left.
    #[inline]
    pub fn landing<'b>(&self, class: Class, reply: &'b SliceIndex) -> Landing<'b> {
        let from = self.occupied.ordinal_of(self.from);
        let (orbit, arrangement) =
            Arrangement::after(self.occupied, from, self.to, class.gone, reply.sets());
        let left = self.left(class);
        Landing {
            orbit,
            owner_mask: arrangement.image_of_mask(left),
            split: reply.split(left.count_ones() as usize),
            arrangement,
            columns: reply.columns(),
        }
    }

    /// The mover's stackings of a class, by their ordinals.
    #[inline]
    pub fn movers(&self, class: Class) -> impl Iterator<Item = usize> + Clone + '_ {
        of_class(&self.lists.mover, class.bare, class.gone).map(|(ordinal, _)| ordinal)
    }

    /// The other side's stackings of a class, by their ordinals.
    #[inline]
    pub fn others(&self, class: Class) -> impl Iterator<Item = usize> + Clone + '_ {
        of_class(&self.lists.other, self.jumped, class.bare).map(|(ordinal, _)| ordinal)
    }

    /// For each stacking of the mover in a class: its ordinal, and its ordinal after the capture, when
    /// the mover has become the other side.
    #[inline]
    pub fn movers_after<'b>(
        &'b self,
        class: Class,
        landing: &'b Landing,
    ) -> impl Iterator<Item = (usize, usize)> + 'b {
        let changed = class.bare ^ class.gone;
        of_class(&self.lists.mover, class.bare, class.gone).map(move |(ordinal, stacking)| {
            let spare = landing.arrangement.image_of_spare(&stacking.spare, class.gone, changed);
            (ordinal, landing.split.other_stackings.ordinal(&spare[..landing.columns]))
        })
    }

    /// For each stacking of the other side in a class: its ordinal, and what it adds after the capture,
    /// when the other side is to move, to the offset from the first row of the owner mask.
    #[inline]
    pub fn others_after<'b>(
        &'b self,
        class: Class,
        landing: &'b Landing,
    ) -> impl Iterator<Item = (usize, usize)> + 'b {
        let stay = self.jumped ^ class.bare;
        let from = landing.arrangement.image(self.occupied.ordinal_of(self.from));
        let prisoners = self.jumped.count_ones() as u8;
        of_class(&self.lists.other, self.jumped, class.bare).map(move |(ordinal, stacking)| {
            let mut spare = landing.arrangement.image_of_spare(&stacking.spare, class.gone, stay);
            spare[from] += prisoners;
            let after = landing.split.mover_stackings.ordinal(&spare[..landing.columns]);
            (ordinal, after * landing.split.mover_rows)
        })
    }
}

/// The stackings that have no spare counter on exactly the columns `without` among `columns`, with
/// their ordinals.
#[inline]
fn of_class(
    stackings: &[ListedStacking],
    columns: u32,
    without: u32,
) -> impl Iterator<Item = (usize, &ListedStacking)> + Clone {
    stackings.iter().enumerate().filter(move |(_, stacking)| columns & !stacking.laden == without)
}
