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

use super::columns::{Arrangement, OrbitColumns, squares_of, subsets};
use crate::index::owner_masks::set_of;
use crate::index::{LaidOrdinals, SliceIndex, Spare, Split, Stackings};
use crate::rules::{Chain, Placement, Square, SquareSet};

/// A split with its owner masks and stackings listed.
pub struct SplitLists {
    pub split: Split,
    pub masks: Vec<u32>,
    /// The same masks as a set of bits.
    pub words: Vec<u64>,
    pub mover: Vec<ListedStacking>,
    pub other: Vec<ListedStacking>,
    /// The split to which quiet moves lead.
    pub reply: Split,
}

/// The spare counters of one side on each column.
#[derive(Clone, Copy)]
pub struct ListedStacking {
    /// The column of each counter, rising, in three or four bits each, and how many there are.
    columns: u64,
    counters: u8,
    bits: u8,
    /// The columns that hold any, as a mask.
    laden: u32,
}

impl ListedStacking {
    /// A stacking on so many columns. On more than eight columns there are at most 13 spare counters,
    /// and on fewer at most 20: their columns fit 64 bits.
    fn new(spare: &Spare, columns: usize) -> ListedStacking {
        let bits = if columns <= 8 { 3 } else { 4 };
        let mut stacking = ListedStacking { columns: 0, counters: 0, bits, laden: 0 };
        for (column, &count) in spare.iter().enumerate() {
            (0..count).for_each(|_| stacking.add(column));
        }
        stacking
    }

    /// Adds a counter to a column that is not before those that hold any.
    #[inline]
    fn add(&mut self, column: usize) {
        self.columns |= (column as u64) << (self.bits * self.counters);
        self.counters += 1;
        self.laden |= 1 << column;
    }

    /// The column of each counter, rising.
    #[inline]
    fn each_column(&self) -> impl Iterator<Item = usize> + use<> {
        let (mut columns, bits) = (self.columns, self.bits);
        (0..self.counters).map(move |_| {
            let column = columns & ((1 << bits) - 1);
            columns >>= bits;
            column as usize
        })
    }

    /// What is left without these counters; `None` if some of them are not there.
    #[inline]
    fn without(&self, mut gone: Again) -> Option<ListedStacking> {
        if gone == Again::NONE {
            return Some(*self);
        }
        let mut rest = ListedStacking { columns: 0, counters: 0, laden: 0, ..*self };
        for column in self.each_column() {
            if gone.of(column) > 0 {
                gone = gone.less(column);
            } else {
                rest.add(column);
            }
        }
        (gone == Again::NONE).then_some(rest)
    }

    /// The ordinal of the stacking when its columns stand where `arrangement` says, each of the columns
    /// in `less` has one less, and the counters of `on_top`, which is an ordinal and how many counters that
    /// stands for, are added.
    #[inline]
    pub fn ordinal_after(
        &self,
        arrangement: &Arrangement,
        ordinals: &LaidOrdinals,
        mut less: u32,
        on_top: (usize, usize),
    ) -> usize {
        let (mut ordinal, mut laid) = on_top;
        for column in self.each_column() {
            if less >> column & 1 != 0 {
                less ^= 1 << column;
                continue;
            }
            ordinal = ordinals.with_one_more(laid, ordinal, arrangement.image(column));
            laid += 1;
        }
        ordinal
    }
}

fn listed(stackings: Stackings, columns: usize) -> Vec<ListedStacking> {
    stackings.iter().map(|spare| ListedStacking::new(&spare, columns)).collect()
}

impl SplitLists {
    /// The splits of `index`, listed; `reply` numbers the positions that quiet moves lead to.
    pub fn of(index: &SliceIndex, reply: &SliceIndex) -> Vec<SplitLists> {
        let lists = |&split: &Split| {
            let masks: Vec<u32> = split.owner_masks().collect();
            SplitLists {
                split,
                words: set_of(index.columns(), masks.iter().copied()),
                masks,
                mover: listed(split.mover_stackings, index.columns()),
                other: listed(split.other_stackings, index.columns()),
                reply: *reply.split(index.columns() - split.mover_columns),
            }
        };
        index.splits().iter().map(lists).collect()
    }

    /// How many stackings the other side has.
    #[inline]
    pub fn other_count(&self) -> usize {
        self.other.len()
    }
}

/// How often each column is jumped after its first time, in five bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Again(u64);

impl Again {
    /// No column is jumped twice.
    pub const NONE: Again = Again(0);

    /// How often a column is jumped again.
    #[inline]
    fn of(self, column: usize) -> usize {
        (self.0 >> (5 * column) & 31) as usize
    }

    /// One time more.
    #[inline]
    #[must_use]
    pub fn more(self, column: usize) -> Again {
        Again(self.0 + (1 << (5 * column)))
    }

    /// One time less.
    #[inline]
    fn less(self, column: usize) -> Again {
        Again(self.0 - (1 << (5 * column)))
    }

    /// How often all columns are jumped again.
    #[inline]
    pub fn jumps(self) -> usize {
        // As 32 is 1 more than 31, a number and its digits' sum leave the same rest. The other side has
        // fewer counters than 31.
        (self.0 % 31) as usize
    }
}

/// A chain of jumps in an orbit, whoever commands the other columns.
#[derive(Clone, Copy)]
pub struct OrbitChain {
    /// The column that captures.
    pub capturer: usize,
    pub to: Square,
    /// The columns jumped.
    pub jumped: u32,
    /// Those of them that are jumped again. Each time takes a spare counter of the other side.
    pub again: Again,
}

/// Stackings in which a chain does the same.
#[derive(Clone, Copy)]
pub struct Class {
    /// The jumped columns on which the other side has no spare counter.
    pub bare: u32,
    /// Those of them on which the mover has none either: they vanish.
    pub gone: u32,
}

/// Where the columns are after a capture under which certain columns vanish.
#[derive(Clone, Copy)]
pub struct Landing {
    pub orbit: usize,
    pub arrangement: Arrangement,
    ordinals: &'static LaidOrdinals,
}

impl OrbitChain {
    /// A chain of an orbit.
    #[inline]
    pub fn new(chain: Chain, columns: &OrbitColumns) -> OrbitChain {
        let jumped = columns.on_all(chain.jumped);
        OrbitChain { capturer: columns.on(chain.from), to: chain.to, jumped, again: Again::NONE }
    }

    /// Whether a class has stackings in a split: whether the other side has a spare counter for each jump
    /// over a column again and for each jumped column that is not bare, and the mover a prisoner for each
    /// column that changes hands.
    #[inline]
    pub fn has_stackings(&self, class: Class, split: &Split) -> bool {
        let stay = (self.jumped ^ class.bare).count_ones() as usize;
        stay + self.again.jumps() <= split.other_spare
            && (class.bare ^ class.gone).count_ones() as usize <= split.mover_spare
    }

    /// Where a capture leads under which the columns `gone` vanish. `reply` numbers the positions of as
    /// many columns as are left.
    #[inline]
    pub fn landing(&self, gone: u32, columns: &OrbitColumns, reply: &SliceIndex) -> Landing {
        let (orbit, arrangement) = columns.after(self.capturer, self.to, gone, reply.sets());
        Landing { orbit, arrangement, ordinals: reply.laid_ordinals() }
    }

    /// The mover's stackings of a class, each with its ordinal.
    #[inline]
    pub fn movers<'a>(
        &self,
        class: Class,
        lists: &'a SplitLists,
    ) -> impl Iterator<Item = (usize, ListedStacking)> + use<'a> {
        of_class(&lists.mover, Again::NONE, class.bare, class.gone)
    }

    /// The other side's stackings of a class, each with its ordinal, without the counters that are taken
    /// when columns are jumped again.
    #[inline]
    pub fn others<'a>(
        &self,
        class: Class,
        lists: &'a SplitLists,
    ) -> impl Iterator<Item = (usize, ListedStacking)> + use<'a> {
        of_class(&lists.other, self.again, self.jumped, class.bare)
    }

    /// For each stacking of the mover in a class: its ordinal, and its ordinal after the capture, when
    /// the mover has become the other side.
    #[inline]
    pub fn movers_after<'a>(
        &self,
        class: Class,
        lists: &'a SplitLists,
        landing: &'a Landing,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let changed = class.bare ^ class.gone;
        let Landing { arrangement, ordinals, .. } = landing;
        self.movers(class, lists).map(move |(ordinal, stacking)| {
            (ordinal, stacking.ordinal_after(arrangement, ordinals, changed, (0, 0)))
        })
    }

    /// For each stacking of the other side in a class: its ordinal, and its ordinal after the capture, when
    /// the other side is to move and the captured counters are its prisoners.
    #[inline]
    pub fn others_after<'a>(
        &self,
        class: Class,
        lists: &'a SplitLists,
        landing: &'a Landing,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let stay = self.jumped ^ class.bare;
        let Landing { arrangement, ordinals, .. } = landing;
        let at = arrangement.image(self.capturer);
        let captured = self.jumped.count_ones() as usize + self.again.jumps();
        let pile = (0..captured).fold(0, |ordinal, laid| ordinals.with_one_more(laid, ordinal, at));
        self.others(class, lists).map(move |(ordinal, stacking)| {
            (ordinal, stacking.ordinal_after(arrangement, ordinals, stay, (pile, captured)))
        })
    }
}

/// A chain of jumps in an orbit, under one owner mask.
pub struct ChainInSplit<'a> {
    pub lists: &'a SplitLists,
    columns: OrbitColumns,
    chain: OrbitChain,
    /// The columns that the other side commands.
    others: u32,
}

/// Where a class of stackings is after a capture, for the side that is then to move.
pub struct LandingInSplit<'a> {
    pub orbit: usize,
    pub owner_mask: u32,
    pub split: &'a Split,
    landing: Landing,
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
        let columns = OrbitColumns::of(occupied);
        ChainInSplit { lists, columns, chain: OrbitChain::new(chain, &columns), others }
    }

    /// The classes that have stackings and in which no column vanishes.
    #[inline]
    pub fn classes_that_keep_all_columns(&self) -> impl Iterator<Item = Class> + '_ {
        let classes = subsets(self.chain.jumped).map(|bare| Class { bare, gone: 0 });
        classes.filter(|&class| self.chain.has_stackings(class, &self.lists.split))
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
        let OrbitChain { capturer, to, .. } = self.chain;
        let mover = squares_of(self.left(class), self.columns.occupied());
        let from = squares_of(1 << capturer, self.columns.occupied());
        let left = SquareSet::from_bits(self.columns.occupied().bits() ^ from.bits());
        let occupied = left.with(to);
        Placement { mover, other: SquareSet::from_bits(occupied.bits() ^ mover.bits()) }
    }

    /// Where the capture leads. `reply` numbers the positions of as many columns as are left.
    #[inline]
    pub fn landing<'b>(&self, class: Class, reply: &'b SliceIndex) -> LandingInSplit<'b> {
        let landing = self.chain.landing(class.gone, &self.columns, reply);
        let left = self.left(class);
        LandingInSplit {
            orbit: landing.orbit,
            owner_mask: landing.arrangement.image_of_mask(left),
            split: reply.split(left.count_ones() as usize),
            landing,
        }
    }

    /// For each stacking of the mover in a class: its ordinal, and its ordinal after the capture, when
    /// the mover has become the other side.
    #[inline]
    pub fn movers_after<'b>(
        &'b self,
        class: Class,
        landing: &'b LandingInSplit,
    ) -> impl Iterator<Item = (usize, usize)> + 'b {
        self.chain.movers_after(class, self.lists, &landing.landing)
    }

    /// For each stacking of the other side in a class: its ordinal, and what it adds after the capture,
    /// when the other side is to move, to the offset from the first row of the owner mask.
    #[inline]
    pub fn others_after<'b>(
        &'b self,
        class: Class,
        landing: &'b LandingInSplit,
    ) -> impl Iterator<Item = (usize, usize)> + 'b {
        let rows = landing.split.mover_rows;
        self.chain
            .others_after(class, self.lists, &landing.landing)
            .map(move |(ordinal, after)| (ordinal, after * rows))
    }
}

/// The stackings that have, besides these counters, no spare counter on exactly the columns `without`
/// among `columns`: what they have besides, with their ordinals.
#[inline]
fn of_class(
    stackings: &[ListedStacking],
    besides: Again,
    columns: u32,
    without: u32,
) -> impl Iterator<Item = (usize, ListedStacking)> {
    stackings.iter().enumerate().filter_map(move |(ordinal, stacking)| {
        let rest = stacking.without(besides)?;
        (columns & !rest.laden == without).then_some((ordinal, rest))
    })
}
