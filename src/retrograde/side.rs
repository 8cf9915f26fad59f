//! One side to move of the slice being solved, and the rows of its orbits.

use super::below::Below;
use super::updates::SendUpdates;
use crate::index::{
    ColumnSquares, ListedStacking, OccupiedSets, SliceIndex, SliceLists, SplitLists,
};
use crate::rules::{OfficerPosition, Placement, RuleSet, SymmetrySet};

/// More than any owner mask.
const MASKS: usize = 1 << OccupiedSets::MAX_COLUMNS;

/// One side to move of the slice being solved: what is the same for all its orbits.
pub struct SideToMove<'a> {
    /// The numbering of the positions with this side to move.
    pub index: SliceIndex,
    /// The numbering of the positions with the other side to move.
    pub replies: SliceIndex,
    /// What a capture that loses a column leads to.
    pub below: Below<'a>,
    /// The rule set.
    pub rules: RuleSet,
    /// The owner masks and stackings.
    pub lists: SliceLists,
    /// The mask of all columns.
    pub all_columns: u32,
    rows: Vec<Row>,
    /// For each owner mask, its first row in an orbit of [`SideToMove::replies`]. There is room for all masks, so
    /// that none is out of bounds.
    mask_starts: Box<[u32; MASKS]>,
}

/// What a row of an orbit stands for: the same in all orbits of a slice. It is aligned so that it is copied
/// as one word.
#[derive(Clone, Copy, Debug)]
#[repr(align(8))]
pub struct Row {
    /// The owner mask.
    pub mask: u16,
    /// The ordinal of the mover's stacking.
    pub mover: u16,
    /// The ordinal of the other side's stacking.
    pub other: u16,
    /// Where only one side has counters to spare, the ordinal of its stacking.
    pub only: u16,
}

impl<'a> SideToMove<'a> {
    /// The side to move whose positions `index` numbers.
    pub fn new(rules: RuleSet, index: SliceIndex, below: Below<'a>) -> SideToMove<'a> {
        let replies = index.for_other_side();
        let mut rows = Vec::with_capacity(index.rows());
        for split in index.splits() {
            for mask in split.owner_masks() {
                for mover in 0..split.mover_stackings.count() {
                    for other in 0..split.mover_rows {
                        let (mover, other) = (mover as u16, other as u16);
                        rows.push(Row { mask: mask as u16, mover, other, only: mover | other });
                    }
                }
            }
        }
        let (lists, mut mask_starts) = (SliceLists::new(&index), Box::new([0; MASKS]));
        let starts = replies.mask_starts();
        mask_starts[..starts.len()].copy_from_slice(&starts);
        let all_columns = (1 << index.columns()) - 1;
        SideToMove { index, replies, below, rules, lists, all_columns, rows, mask_starts }
    }

    /// What a row stands for.
    #[inline]
    pub fn row(&self, row: u32) -> Row {
        self.rows[row as usize]
    }

    /// The first row of an owner mask in an orbit of [`SideToMove::replies`].
    #[inline]
    pub fn first_reply(&self, mask: u32) -> u32 {
        self.mask_starts[mask as usize % MASKS]
    }

    /// Sends an update to a position of the other side to move, under each of its numbers that
    /// `kept` leaves.
    pub fn send_to(
        &self,
        kept: SymmetrySet,
        before: &OfficerPosition,
        updates: &mut impl SendUpdates,
    ) {
        let sets = self.index.sets();
        let (target, symmetries) = sets.fold(before.placement().occupied());
        for symmetry in symmetries.and(kept).iter() {
            let (row, _) = self.replies.row_and_mask(before, symmetry);
            updates.send(target as u32, row as u32, std::iter::once(0));
        }
    }
}

/// Positions of an orbit that share an owner mask, and therefore their un-moves, and that are
/// decided at the same ply.
pub struct RowGroup<'a> {
    /// The squares of the orbit's columns.
    pub squares: &'a ColumnSquares,
    /// The placement that they share.
    pub placement: Placement,
    /// The owner mask that they share.
    pub mask: u32,
    /// Their rows, rising.
    pub rows: &'a [Row],
    /// Their split.
    pub lists: &'a SplitLists,
}

impl<'a> RowGroup<'a> {
    /// The mover's and the other side's stacking of a row of the group.
    #[inline]
    pub fn stackings(&self, row: Row) -> (&'a ListedStacking, &'a ListedStacking) {
        (&self.lists.mover[usize::from(row.mover)], &self.lists.other[usize::from(row.other)])
    }
}
