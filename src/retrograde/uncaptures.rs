//! Going back over captures that lost no column, for all positions of a group at once.
//!
//! As in [`super::captures`], unless squares may be jumped again the occupied set decides which chains are
//! possible, and the owners of the columns which of them are there. So the chains are found once for all
//! positions of an orbit, and one folding and one arrangement of the columns serve all of them.

use super::side::{Row, RowGroup, SideToMove};
use super::updates::SendUpdates;
use crate::index::{Arrangement, ColumnCounts, Laid, OrbitColumns, Split, position_of};
use crate::rules::{Continuation, SquareSet, SymmetrySet, possible_chains_back, uncaptures};

/// A chain by which some positions of an orbit may have come about, with a symmetry that folds the set that
/// was occupied before.
pub struct ChainBack {
    /// The square where the chain ended. The side not to move must command it.
    end: SquareSet,
    /// Squares of which the side to move must command none: otherwise the chain had to go on.
    open: SquareSet,
    /// The column that captured.
    capturer: usize,
    /// The columns that were jumped, as a mask.
    jumped: u32,
    /// The orbit before.
    orbit: usize,
    /// Where its columns stood.
    arrangement: Arrangement,
}

impl SideToMove<'_> {
    /// Those of the squares `ends` on which a column of the other side stands that holds a prisoner, in some
    /// position of the group. It may have come there by a capture that lost no column.
    #[inline]
    pub fn uncapture_ends(&self, group: &RowGroup, ends: SquareSet) -> SquareSet {
        let ends = ends.bits() & group.placement.other.bits();
        if ends == 0 || group.lists.split.mover_stackings.spare == 0 {
            return SquareSet::EMPTY;
        }
        let laden = |row: &Row| group.lists.mover[usize::from(row.mover)].laden();
        let laden = group.rows.iter().map(laden).fold(0, |all, laden| all | laden);
        SquareSet::from_bits(ends & group.squares.of_mask(laden).bits())
    }

    /// Sends updates by captures that lost no column: the columns of the other side go back along
    /// their chains from these `ends`. The chains of the orbit come to `chains`, if there are none yet.
    ///
    /// It is a function of its own, with a group of its own, so that the loop that goes through the groups is
    /// small.
    #[inline(never)]
    pub fn send_uncaptures(
        &self,
        group: RowGroup,
        ends: SquareSet,
        chains: &mut Vec<ChainBack>,
        updates: &mut impl SendUpdates,
    ) {
        let continuation = self.rules.continuation();
        if continuation == Continuation::Unlimited {
            self.send_each_uncapture(&group, updates);
            return;
        }
        if chains.is_empty() {
            self.find_chains_back(group.placement.occupied(), group.kept, chains);
        }
        let longest = group.lists.split.mover_stackings.spare;
        for chain in chains.iter() {
            let is_there = chain.end.bits() & ends.bits() != 0
                && chain.open.bits() & group.placement.mover.bits() == 0
                && chain.jumped.count_ones() as usize <= longest;
            if is_there {
                self.send_back(chain, &group, updates);
            }
        }
    }

    /// Finds the chains of an orbit. Of the symmetries that fold what they lead to, `kept` leaves some.
    #[cold]
    fn find_chains_back(
        &self,
        occupied: SquareSet,
        kept: SymmetrySet,
        chains: &mut Vec<ChainBack>,
    ) {
        let (columns, sets) = (OrbitColumns::of(occupied), self.index.sets());
        let most = |split: &Split| split.mover_stackings.spare;
        let longest = self.index.splits().iter().map(most).max().unwrap_or(0);
        possible_chains_back(occupied, self.rules.continuation(), longest, |chain, open| {
            let (capturer, jumped) = (columns.on(chain.to), columns.on_all(chain.jumped));
            let (orbit, symmetries) = sets.fold(occupied.without(chain.to).with(chain.from));
            let representative = sets.representative(orbit);
            chains.extend(symmetries.and(kept).into_iter().map(|symmetry| ChainBack {
                end: SquareSet::EMPTY.with(chain.to),
                open,
                capturer,
                jumped,
                orbit,
                arrangement: columns.arrangement(capturer, chain.from, symmetry, representative),
            }));
        });
    }

    /// Sends updates for each position by itself: the only way where the stacks decide how far a chain goes.
    fn send_each_uncapture(&self, group: &RowGroup, updates: &mut impl SendUpdates) {
        for &row in group.rows {
            let (mover, other) = group.stackings(row);
            let occupied = group.placement.occupied();
            let position = position_of(occupied, group.mask, &mover.spare(), &other.spare());
            uncaptures(&position, self.rules, true, |before| {
                self.send_to(group.kept, before, updates);
            });
        }
    }

    /// Sends updates by one chain.
    fn send_back(&self, chain: &ChainBack, group: &RowGroup, updates: &mut impl SendUpdates) {
        let (mask, arrangement) = (group.mask, &chain.arrangement);
        let (given_back, changed) = (chain.jumped & mask, chain.jumped & !mask);
        // The captured counters leave the column that captured them. A column that has changed hands holds
        // none of their colour.
        let captured = ColumnCounts::NONE.more(chain.capturer, chain.jumped.count_ones() as usize);
        let mut before = group.rows.iter().filter_map(|&row| {
            let (mover, other) = group.stackings(row);
            let fits = mover.laden() & changed == 0;
            fits.then(|| Some((mover.counts().without(captured)?, other)))?
        });
        let Some(first) = before.next() else { return };
        let capturer_mask = (mask | changed) ^ ((1 << self.index.columns()) - 1);
        let start = self.mask_starts.of(arrangement.image_of_mask(capturer_mask)) as usize;
        let other_rows = self.replies.split(capturer_mask.count_ones() as usize).mover_rows;
        let ordinals = self.index.laid_ordinals();
        let on_each = |mut columns: u32| {
            let mut laid = Laid::default();
            while columns != 0 {
                let column = columns.trailing_zeros() as usize;
                laid = laid.with(arrangement.image(column), ordinals);
                columns &= columns - 1;
            }
            laid
        };
        let (changed, given_back) = (on_each(changed), on_each(given_back));
        for (mover, other) in std::iter::once(first).chain(before) {
            let capturers = other.ordinal_after(arrangement, ordinals, 0, changed);
            let others = mover.ordinal_after(arrangement, ordinals, 0, given_back);
            let row = start + capturers * other_rows + others;
            updates.send(chain.orbit as u32, row as u32, std::iter::once(0));
        }
    }
}
