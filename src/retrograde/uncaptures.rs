//! Going back over captures that lost no column, for all positions of a group at once.
//!
//! As in [`super::captures`], unless squares may be jumped again the placement decides the chains,
//! and one folding and one arrangement of the columns serve all stackings.

use super::side::{Row, RowGroup, SideToMove};
use super::updates::SendUpdates;
use crate::index::{ColumnCounts, Laid, position_of};
use crate::rules::{Chain, Continuation, Placement, SquareSet, chains_back, uncaptures};

impl SideToMove<'_> {
    /// The squares of columns of the other side that may have come there by a capture that lost no column.
    #[inline]
    pub fn uncapture_ends(&self, group: &RowGroup) -> SquareSet {
        if group.lists.split.mover_stackings.spare == 0 {
            return SquareSet::EMPTY;
        }
        let ends = chain_ends(group.placement);
        if ends == SquareSet::EMPTY {
            return SquareSet::EMPTY;
        }
        // The column that captured holds a prisoner.
        let laden = |row: &Row| group.lists.mover[usize::from(row.mover)].laden();
        let laden = group.rows.iter().map(laden).fold(0, |all, laden| all | laden);
        SquareSet::from_bits(ends.bits() & group.columns.squares_of(laden).bits())
    }

    /// Sends updates by captures that lost no column: the columns of the other side go back along
    /// their chains from these `ends`.
    ///
    /// It is a function of its own, with a group of its own, so that the loop that goes through the groups is
    /// small.
    #[inline(never)]
    pub fn send_uncaptures(
        &self,
        group: RowGroup,
        ends: SquareSet,
        updates: &mut impl SendUpdates,
    ) {
        let group = &group;
        let continuation = self.rules.continuation();
        if continuation == Continuation::Unlimited {
            self.send_each_uncapture(group, updates);
        } else {
            let longest = group.lists.split.mover_stackings.spare;
            chains_back(group.placement, continuation, longest, ends, |chain| {
                self.send_back(chain, group, updates);
            });
        }
    }

    /// The same for each position by itself: the only way where the stacks decide how far a chain goes.
    fn send_each_uncapture(&self, group: &RowGroup, updates: &mut impl SendUpdates) {
        for &row in group.rows {
            let (mover, other) = group.stackings(row);
            let occupied = group.columns.occupied();
            let position = position_of(occupied, group.mask, &mover.spare(), &other.spare());
            uncaptures(&position, self.rules, true, |before| {
                self.send_to(group.kept, before, updates);
            });
        }
    }

    /// Sends updates by one chain.
    fn send_back(&self, chain: Chain, group: &RowGroup, updates: &mut impl SendUpdates) {
        let RowGroup { columns, mask, rows, .. } = *group;
        let (capturer, jumped) = (columns.on(chain.to), columns.on_all(chain.jumped));
        let (given_back, changed) = (jumped & mask, jumped & !mask);
        // The captured counters leave the column that captured them. A column that has changed hands holds
        // none of their colour.
        let captured = ColumnCounts::NONE.more(capturer, chain.jumped.len());
        let before = |&row: &Row| {
            let (mover, other) = group.stackings(row);
            (mover.laden() & changed == 0).then(|| Some((mover.without(captured)?, other)))?
        };
        if rows.iter().all(|row| before(row).is_none()) {
            return;
        }
        let sets = self.index.sets();
        let occupied = columns.occupied().without(chain.to).with(chain.from);
        let (target, symmetries) = sets.fold(occupied);
        let representative = sets.representative(target);
        let capturer_mask = (mask | changed) ^ ((1 << self.index.columns()) - 1);
        let split = self.replies.split(capturer_mask.count_ones() as usize);
        let ordinals = self.index.laid_ordinals();
        for symmetry in symmetries.and(group.kept) {
            let arrangement = columns.arrangement(capturer, chain.from, symmetry, representative);
            let start = split.mask_start(arrangement.image_of_mask(capturer_mask));
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
            for (mover, other) in rows.iter().filter_map(before) {
                let capturers = other.ordinal_after(&arrangement, ordinals, 0, changed);
                let others = mover.ordinal_after(&arrangement, ordinals, 0, given_back);
                let row = start + capturers * split.mover_rows + others;
                updates.send(target as u32, std::iter::once(row as u32));
            }
        }
    }
}

/// The squares of the side not to move from which a column could go back over another column.
#[inline]
fn chain_ends(placement: Placement) -> SquareSet {
    let starts = SquareSet::jump_starts(placement.occupied(), placement.empty());
    SquareSet::from_bits(starts.bits() & placement.other.bits())
}
