//! Going back over captures that lost no column, for all positions of a group at once.
//!
//! As in [`super::captures`], unless squares may be jumped again the placement decides the chains,
//! and one folding and one permutation of the columns serve all stackings.

use super::columns::{NewPlaces, unfold};
use super::side::{RowGroup, SideToMove};
use super::stackings::ListedStacking;
use super::updates::SendUpdates;
use crate::index::{LaidOrdinals, columns_on};
use crate::rules::{Chain, Continuation, Placement, SquareSet};

impl SideToMove<'_> {
    /// Sends updates by captures that lost no column: the columns of the other side go back along
    /// their chains.
    #[inline]
    pub fn send_uncaptures(&self, group: &RowGroup, updates: &mut impl SendUpdates) {
        let split = self.index.split(group.mask.count_ones() as usize);
        if split.mover_spare == 0 {
            return;
        }
        let ends = chain_ends(group.placement);
        if ends == SquareSet::EMPTY {
            return;
        }
        // The column that captured holds a prisoner.
        let bare = |&row: &u32| self.stackings(group, row).0.bare;
        let laden = !group.rows.iter().map(bare).fold(u32::MAX, |all, bare| all & bare);
        let ends = SquareSet::from_bits(ends.bits() & group.squares.of(laden));
        if ends == SquareSet::EMPTY {
            return;
        }
        let continuation = self.rules.continuation();
        if continuation == Continuation::Unlimited {
            self.send_each_uncapture(group, updates);
        } else {
            group.placement.chains_back(continuation, split.mover_spare, ends, |chain| {
                self.send_back(chain, group, updates);
            });
        }
    }

    /// The same for each position by itself: the only way where the stacks decide how far a chain goes.
    fn send_each_uncapture(&self, group: &RowGroup, updates: &mut impl SendUpdates) {
        for &row in group.rows {
            let (mover, other) = self.stackings(group, row);
            let position = unfold(group.placement, group.mask, &mover.spare, &other.spare);
            position.uncaptures(self.rules, true, |before| {
                self.send_to(group.kept, before, updates);
            });
        }
    }

    /// Sends updates by one chain.
    fn send_back(&self, chain: Chain, group: &RowGroup, updates: &mut impl SendUpdates) {
        let RowGroup { placement, mask, rows, .. } = *group;
        let occupied = placement.occupied();
        let capturer = occupied.ordinal_of(chain.to);
        let jumped = columns_on(chain.jumped, occupied);
        let (given_back, changed) = (jumped & mask, jumped & !mask);
        let captured = chain.jumped.len() as u8;
        let fits = |&row: &u32| {
            let mover = self.stackings(group, row).0;
            mover.spare[capturer] >= captured && changed & !mover.bare == 0
        };
        if !rows.iter().any(fits) {
            return;
        }
        let sets = self.index.sets();
        let before = occupied.without(chain.to).with(chain.from);
        let (target, symmetries) = sets.fold(before);
        let representative = sets.representative(target);
        let columns = self.index.columns();
        let capturer_mask = (mask | changed) ^ ((1 << columns) - 1);
        let split = self.replies.split(capturer_mask.count_ones() as usize);
        let ordinals = self.index.laid_ordinals();
        for symmetry in symmetries.and(group.kept) {
            let places = NewPlaces::new(occupied, chain.to, chain.from, symmetry, representative);
            let target_columns = TargetColumns { places, ordinals };
            let start = split.mask_start(places.mask(capturer_mask));
            let target_row = |row: &u32| {
                let (mover, other) = self.stackings(group, *row);
                let capturer_ordinal = target_columns.ordinal(other, changed, (0, 0));
                let other_ordinal = target_columns.ordinal(mover, given_back, (capturer, captured));
                (start + capturer_ordinal * split.mover_rows + other_ordinal) as u32
            };
            for row in rows.iter().filter(|row| fits(row)) {
                updates.send(target as u32, std::iter::once(target_row(row)));
            }
        }
    }
}

/// The columns in the places that they had before the capture.
struct TargetColumns {
    places: NewPlaces,
    ordinals: &'static LaidOrdinals,
}

impl TargetColumns {
    /// The ordinal of a stacking in these places, with one more counter on each of the columns
    /// `more`, and on one column `fewer` counters less.
    fn ordinal(&self, stacking: &ListedStacking, mut more: u32, mut fewer: (usize, u8)) -> usize {
        let (mut ordinal, mut laid) = (0, 0);
        let mut lay = |column: usize| {
            ordinal = self.ordinals.with_one_more(laid, ordinal, self.places.of(column));
            laid += 1;
        };
        for &column in stacking.counters() {
            if fewer.1 > 0 && usize::from(column) == fewer.0 {
                fewer.1 -= 1;
            } else {
                lay(usize::from(column));
            }
        }
        while more != 0 {
            lay(more.trailing_zeros() as usize);
            more &= more - 1;
        }
        ordinal
    }
}

/// The squares of the side not to move from which a column could go back over another column.
#[inline]
fn chain_ends(placement: Placement) -> SquareSet {
    let starts = SquareSet::jump_starts(placement.occupied(), placement.empty());
    SquareSet::from_bits(starts.bits() & placement.other.bits())
}
