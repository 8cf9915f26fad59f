//! Going back over captures that lost no column, for all positions of a group at once.
//!
//! As in [`super::captures`], unless squares may be jumped again the occupied set decides which chains are
//! possible, and the owners of the columns which of them are there. So the chains are found once for all
//! positions of an orbit, with either side to move, before the first is expanded. One folding and one
//! arrangement of the columns serve all of them.

use super::side::{Row, RowGroup, SideToMove};
use super::updates::SendUpdates;
use crate::index::{
    Arrangement, ColumnCounts, Laid, OccupiedSets, OrbitColumns, SliceIndex, binomial, position_of,
};
use crate::rules::{RuleSet, Square, SquareSet, SymmetrySet, possible_chains_back, uncaptures};

/// A chain by which some positions of an orbit may have come about, with a symmetry that folds the set that
/// was occupied before.
pub struct ChainBack {
    /// The square where the chain ended. The side not to move must command it.
    end: SquareSet,
    /// Squares of which the side to move must command none: otherwise the chain had to go on.
    open: SquareSet,
    /// The column that captured.
    capturer: u8,
    /// The columns that were jumped, as a mask.
    jumped: u16,
    /// The orbit before.
    orbit: u32,
    /// Where its columns stood.
    arrangement: Arrangement,
}

/// The chains by which positions of an orbit may have come about.
pub struct OrbitChains<'a> {
    pub chains: &'a [ChainBack],
    /// The symmetries that un-moves of the orbit's positions may fold their targets with: a
    /// transversal of its stabilizer.
    pub kept: SymmetrySet,
}

/// Finds the chains that may have led to the positions of a slice.
#[derive(Clone, Copy)]
pub struct ChainSearch {
    rules: RuleSet,
    /// The most squares that a chain jumps. Each jump has left a prisoner in the column that captured, and a
    /// prisoner is a spare counter of the side to move.
    longest: usize,
}

impl ChainSearch {
    /// The search for a slice, with either side to move. It finds none where squares may be jumped again: then the
    /// stacks decide how far a chain goes.
    pub fn new(index: &SliceIndex, rules: RuleSet) -> ChainSearch {
        let longest = if rules.jumps_again() { 0 } else { index.most_spare() };
        ChainSearch { rules, longest }
    }

    /// Adds the chains of an orbit with these columns to `found`. Of the symmetries that fold what they lead to,
    /// `kept` leaves some.
    pub fn find(
        self,
        columns: &OrbitColumns,
        sets: &OccupiedSets,
        kept: SymmetrySet,
        found: &mut Vec<ChainBack>,
    ) {
        if self.longest == 0 {
            return;
        }
        let occupied = columns.occupied();
        possible_chains_back(occupied, self.rules, self.longest, |chain, open| {
            let (capturer, jumped) = (columns.on(chain.to), columns.on_all(chain.jumped));
            let (orbit, symmetries) = sets.fold(occupied.without(chain.to).with(chain.from));
            let representative = sets.representative(orbit);
            for symmetry in symmetries.and(kept).iter() {
                found.push(ChainBack {
                    end: SquareSet::EMPTY.with(chain.to),
                    open,
                    capturer: capturer as u8,
                    jumped: jumped as u16,
                    orbit: orbit as u32,
                    arrangement: columns.arrangement(
                        capturer,
                        chain.from,
                        symmetry,
                        representative,
                    ),
                });
            }
        });
    }
}

/// About how many bytes the chains of all orbits of this many columns take, if they jump at most `longest` squares.
/// With rules that allow fewer chains than `lasca`, they take less.
pub fn chains_bytes(columns: usize, longest: usize) -> u64 {
    // The board has 52 jumps. Backwards, one leads from a column over another to an empty square; an eighth of the
    // sets are representatives.
    let single = 52 * binomial(Square::COUNT - 3, columns - 2) / 8;
    // With twelve columns, there are 0.6 longer chains for each single jump, and fewer with fewer columns.
    let chains = [0, single, single * 8 / 5][longest.min(2)];
    chains * size_of::<ChainBack>() as u64
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
        let laden = |row: &Row| group.lists.mover[usize::from(row.mover)].laden;
        let laden = group.rows.iter().map(laden).fold(0, |all, laden| all | laden);
        SquareSet::from_bits(ends & group.squares.of_mask(laden).bits())
    }

    /// Sends updates by captures that lost no column: the columns of the other side go back along
    /// the chains of the orbit from these `ends`.
    ///
    /// It is a function of its own, with a group of its own, so that the loop that goes through the groups is
    /// small.
    #[inline(never)]
    pub fn send_uncaptures(
        &self,
        group: RowGroup,
        ends: SquareSet,
        orbit: &OrbitChains,
        updates: &mut impl SendUpdates,
    ) {
        if self.rules.jumps_again() {
            self.send_each_uncapture(&group, orbit.kept, updates);
            return;
        }
        let longest = group.lists.split.mover_stackings.spare;
        for chain in orbit.chains {
            let is_there = chain.end.bits() & ends.bits() != 0
                && chain.open.bits() & group.placement.mover.bits() == 0
                && chain.jumped.count_ones() as usize <= longest;
            if is_there {
                self.send_back(chain, &group, updates);
            }
        }
    }

    /// Sends updates for each position by itself: the only way where the stacks decide how far a chain goes.
    fn send_each_uncapture(
        &self,
        group: &RowGroup,
        kept: SymmetrySet,
        updates: &mut impl SendUpdates,
    ) {
        for &row in group.rows {
            let (mover, other) = group.stackings(row);
            let occupied = group.placement.occupied();
            let position = position_of(occupied, group.mask, &mover.spare(), &other.spare());
            uncaptures(&position, self.rules, true, |before| {
                self.send_to(kept, before, updates);
            });
        }
    }

    /// Sends updates by one chain.
    fn send_back(&self, chain: &ChainBack, group: &RowGroup, updates: &mut impl SendUpdates) {
        let (mask, arrangement) = (group.mask, &chain.arrangement);
        let (capturer, jumped) = (usize::from(chain.capturer), u32::from(chain.jumped));
        let (given_back, changed) = (jumped & mask, jumped & !mask);
        // The captured counters leave the column that captured them. A column that has changed hands holds
        // none of their colour.
        let captured = ColumnCounts::NONE.more(capturer, jumped.count_ones() as usize);
        let mut before = group.rows.iter().filter_map(|&row| {
            let (mover, other) = group.stackings(row);
            let fits = mover.laden & changed == 0;
            fits.then(|| Some((mover.counts.without(captured)?, other)))?
        });
        let Some(first) = before.next() else { return };
        let capturer_mask = (mask | changed) ^ self.all_columns;
        let start = self.first_reply(arrangement.image_of_mask(capturer_mask)) as usize;
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
            let capturers = other.counts.ordinal_after(arrangement, ordinals, 0, changed);
            let others = mover.ordinal_after(arrangement, ordinals, 0, given_back);
            let row = start + capturers * other_rows + others;
            updates.send(chain.orbit, row as u32, std::iter::once(0));
        }
    }
}
