//! What one chain of jumps does in all positions of an orbit at once.
//!
//! What becomes of a column that is jumped depends on the counters under its commander:
//!
//! * No counter: the column is **gone**.
//! * Prisoners alone: the column **changes hands**.
//! * Otherwise the column stays with the other side.
//!
//! So the stackings fall into groups, each with one [`Fate`] of the jumped columns: which of them are
//! **bare**, with no spare counter of the other side, and on which of those the mover has none either. In a
//! group the capture leads to one placement, and what it does to the spare counters of one side does
//! not depend on those of the other.

use crate::index::{
    Arrangement, ColumnCounts, Laid, LaidOrdinals, ListedStacking, OrbitColumns, SliceIndex, Split,
    SplitLists,
};
use crate::rules::{Chain, Square};

/// A chain of jumps in an orbit, whoever commands the other columns.
#[derive(Clone, Copy)]
pub struct OrbitChain {
    /// The column that captures.
    pub capturer: usize,
    pub to: Square,
    /// The columns jumped.
    pub jumped: u32,
    /// How often each of them is jumped again. Each time takes a spare counter of the other side.
    pub again: ColumnCounts,
}

/// What becomes of the columns that a chain jumps.
#[derive(Clone, Copy)]
pub struct Fate {
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
        let (capturer, jumped) = (columns.on(chain.from), columns.on_all(chain.jumped));
        OrbitChain { capturer, to: chain.to, jumped, again: ColumnCounts::NONE }
    }

    /// Whether some stackings of a split have this fate. The other side needs a spare counter for each jump
    /// over a column again and for each jumped column that is not bare. The mover needs a prisoner for each
    /// column that changes hands.
    #[inline]
    pub fn has_stackings(&self, fate: Fate, split: &Split) -> bool {
        let stay = (self.jumped ^ fate.bare).count_ones() as usize;
        stay + self.again.sum() <= split.other_stackings.spare
            && (fate.bare ^ fate.gone).count_ones() as usize <= split.mover_stackings.spare
    }

    /// Where a capture leads under which the columns `gone` vanish. `reply` numbers the positions of as
    /// many columns as are left.
    #[inline]
    pub fn landing(&self, gone: u32, columns: &OrbitColumns, reply: &SliceIndex) -> Landing {
        let (orbit, arrangement) = columns.after(self.capturer, self.to, gone, reply.sets());
        Landing { orbit, arrangement, ordinals: reply.laid_ordinals() }
    }

    /// The mover's stackings with this fate, each with its ordinal.
    #[inline]
    pub fn movers<'a>(
        &self,
        fate: Fate,
        lists: &'a SplitLists,
    ) -> impl Iterator<Item = (usize, ListedStacking)> + use<'a> {
        with_fate(&lists.mover, ColumnCounts::NONE, fate.bare, fate.gone)
    }

    /// The other side's stackings with this fate, each with its ordinal, without the counters that are
    /// taken when columns are jumped again.
    #[inline]
    pub fn others<'a>(
        &self,
        fate: Fate,
        lists: &'a SplitLists,
    ) -> impl Iterator<Item = (usize, ListedStacking)> + use<'a> {
        with_fate(&lists.other, self.again, self.jumped, fate.bare)
    }

    /// Pairs the stackings with this fate. `after` is the split that the capture leads to.
    #[inline]
    pub fn pair(
        &self,
        fate: Fate,
        lists: &SplitLists,
        landing: &Landing,
        after: &Split,
        pairs: &mut Pairs,
    ) {
        let Landing { arrangement, ordinals, .. } = landing;
        let changed = fate.bare ^ fate.gone;
        let movers = self.movers(fate, lists).map(|(ordinal, stacking)| {
            (
                ordinal,
                stacking.counts.ordinal_after(arrangement, ordinals, changed, Laid::default()),
            )
        });
        // The captured counters are the prisoners of the column that captured.
        let (stay, at) = (self.jumped ^ fate.bare, arrangement.image(self.capturer));
        let captured = self.jumped.count_ones() as usize + self.again.sum();
        let pile = (0..captured).fold(Laid::default(), |pile, _| pile.with(at, ordinals));
        let others = self.others(fate, lists).map(|(ordinal, stacking)| {
            (ordinal, stacking.counts.ordinal_after(arrangement, ordinals, stay, pile))
        });
        pairs.list(lists, movers, others, after);
    }
}

/// The stackings that have, besides these counters, no spare counter on exactly the columns `without`
/// among `columns`: what they have besides, with their ordinals.
#[inline]
fn with_fate(
    stackings: &[ListedStacking],
    besides: ColumnCounts,
    columns: u32,
    without: u32,
) -> impl Iterator<Item = (usize, ListedStacking)> {
    stackings.iter().enumerate().filter_map(move |(ordinal, stacking)| {
        let rest = stacking.without(besides)?;
        (columns & !rest.laden == without).then_some((ordinal, rest))
    })
}

/// What a move does to the positions that share an owner mask.
#[derive(Default)]
pub struct Pairs {
    /// The other side's stackings.
    others: Vec<Pair>,
    /// The pairs found.
    pub all: Vec<Pair>,
}

/// A pair of stackings before a move and after it: its place among the positions that share an owner
/// mask.
#[derive(Clone, Copy)]
pub struct Pair {
    pub before: u32,
    pub after: u32,
}

impl Pairs {
    /// Pairs stackings of both sides, each given by its ordinals before and after a move to positions of
    /// the split `after`, in which the mover has become the other side.
    #[inline]
    pub fn list(
        &mut self,
        lists: &SplitLists,
        movers: impl Iterator<Item = (usize, usize)>,
        others: impl Iterator<Item = (usize, usize)>,
        after: &Split,
    ) {
        let Pairs { others: listed, all } = self;
        listed.clear();
        // A filtered list is gone through with fewer instructions like this than in a plain loop.
        others.for_each(|(other, new)| {
            listed.push(Pair { before: other as u32, after: (new * after.mover_rows) as u32 });
        });
        all.clear();
        movers.for_each(|(mover, new)| {
            let (before, after) = ((mover * lists.split.mover_rows) as u32, new as u32);
            // There are often only one or two, for which `extend` takes longer.
            for other in &*listed {
                all.push(Pair { before: before + other.before, after: after + other.after });
            }
        });
    }
}
