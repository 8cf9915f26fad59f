//! Going back over takes that lost no column, for all positions of a group at once.
//!
//! As in [`super::takes`], unless squares may be jumped again the placement decides the chains, and
//! one folding and one permutation of the columns serve all stackings.

use super::columns::{NewPlaces, unfold};
use super::kernel::{Side, Stacking, Updates};
use crate::index::{LaidOrdinals, columns_on};
use crate::rules::{Chain, Continuation, Placement, SquareSet, SymmetrySet};

impl Side<'_> {
    /// Updates by takes that lost no column: the other side's columns go back along their chains.
    /// The positions at `offsets` share the owner mask `mask`, and so the placement; their targets
    /// may be folded with the symmetries `kept`.
    #[inline]
    pub fn send_uncaptures(
        &self,
        at_once: bool,
        kept: SymmetrySet,
        placement: Placement,
        mask: u32,
        offsets: &[u32],
        updates: &mut impl Updates,
    ) {
        if self.index.split(mask.count_ones() as usize).mover_spare == 0 {
            return;
        }
        let ends = chain_ends(placement);
        if ends == SquareSet::EMPTY {
            return;
        }
        // The column that took holds a prisoner.
        let stacks = self.stacks_of(mask);
        let bare = |&offset: &u32| self.stackings(stacks, offset).0.bare;
        let laden = !offsets.iter().map(bare).fold(u32::MAX, |all, bare| all & bare);
        if columns_on(ends, placement.occupied()) & laden == 0 {
            return;
        }
        if !at_once || self.rules.continuation() == Continuation::Unlimited {
            self.send_each_uncapture(kept, placement, mask, offsets, updates);
        } else {
            let split = self.index.split(mask.count_ones() as usize);
            let (continuation, longest) = (self.rules.continuation(), split.mover_spare);
            placement.chains_back(continuation, longest, ends, |chain| {
                self.send_back(kept, placement, mask, chain, offsets, updates);
            });
        }
    }

    /// The same for each position by itself: the plain way, and the only one where the stacks decide
    /// how far a chain goes.
    fn send_each_uncapture(
        &self,
        kept: SymmetrySet,
        placement: Placement,
        mask: u32,
        offsets: &[u32],
        updates: &mut impl Updates,
    ) {
        let stacks = self.stacks_of(mask);
        for &offset in offsets {
            let (mover, other) = self.stackings(stacks, offset);
            let position = unfold(placement, mask, &mover.spare, &other.spare);
            position.uncaptures(self.rules, true, |before| self.send_to(kept, before, updates));
        }
    }

    /// Updates by one chain.
    fn send_back(
        &self,
        kept: SymmetrySet,
        placement: Placement,
        mask: u32,
        chain: Chain,
        offsets: &[u32],
        updates: &mut impl Updates,
    ) {
        let occupied = placement.occupied();
        let stacks = self.stacks_of(mask);
        let taker = occupied.ordinal_of(chain.to);
        let jumped = columns_on(chain.jumped, occupied);
        let (given, changed) = (jumped & mask, jumped & !mask);
        let taken = chain.jumped.len() as u8;
        let fits = |&offset: &u32| {
            let mover = self.stackings(stacks, offset).0;
            mover.spare[taker] >= taken && changed & !mover.bare == 0
        };
        if !offsets.iter().any(fits) {
            return;
        }
        let sets = self.index.sets();
        let before = occupied.without(chain.to).with(chain.from);
        let (target, symmetries) = sets.fold(before);
        let representative = sets.representative(target);
        let columns = self.index.columns();
        let taker_mask = (mask | changed) ^ ((1 << columns) - 1);
        let split = self.replies.split(taker_mask.count_ones() as usize);
        let Some(ordinals) = LaidOrdinals::of(columns) else {
            unreachable!("a slice has no more columns than the index numbers")
        };
        for symmetry in symmetries.and(kept) {
            let places = NewPlaces::new(occupied, chain.to, chain.from, symmetry, representative);
            let moved = Moved { places, ordinals };
            let start = split.mask_start(places.mask(taker_mask));
            let untaken = |offset: &u32| {
                let (mover, other) = self.stackings(stacks, *offset);
                let taker_ordinal = moved.ordinal(other, changed, (0, 0));
                let other_ordinal = moved.ordinal(mover, given, (taker, taken));
                (start + taker_ordinal * split.mover_rows + other_ordinal) as u32
            };
            for offset in offsets.iter().filter(|offset| fits(offset)) {
                updates.send(target as u32, std::iter::once(untaken(offset)));
            }
        }
    }
}

/// Columns in their new places.
struct Moved {
    places: NewPlaces,
    ordinals: &'static LaidOrdinals,
}

impl Moved {
    /// The ordinal of a stacking in its new place, with one more counter on each of the columns `more`,
    /// and so many `fewer` on one column.
    fn ordinal(&self, stacking: &Stacking, mut more: u32, mut fewer: (usize, u8)) -> usize {
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
