//! The updates that follow from decided positions: those that lead to them are found by un-moves.

use super::side::{Row, RowGroup, SideToMove};
use super::transitions::UnMoves;
use super::updates::SendUpdates;
use crate::index::ColumnSquares;
use crate::rules::{SquareSet, jump_starts};

impl SideToMove<'_> {
    /// Sends the updates that follow from the positions in `rows` of `orbit`, rising, all decided at
    /// the same ply, to the positions that lead to them.
    ///
    /// It is a function of its own, because its inner loops need all registers.
    #[inline(never)]
    pub fn expand_orbit(
        &self,
        un_moves: &UnMoves,
        orbit: usize,
        rows: &[Row],
        updates: &mut impl SendUpdates,
    ) {
        let occupied = self.index.sets().representative(orbit);
        let moves = un_moves.of(orbit, occupied);
        let squares = ColumnSquares::of(occupied);
        let ends = jump_starts(occupied);
        // Positions that share an owner mask share their un-moves.
        for rows in rows.chunk_by(|a, b| a.mask == b.mask) {
            let mask = u32::from(rows[0].mask);
            let group = RowGroup {
                squares: &squares,
                placement: squares.placement(mask),
                mask,
                rows,
                lists: self.lists.split_of(mask),
            };
            self.send_unsteps(&un_moves.maps, &moves, &group, updates);
            let ends = self.uncapture_ends(&group, ends);
            if ends != SquareSet::EMPTY {
                self.send_uncaptures(group, ends, &moves.chains, updates);
            }
        }
    }
}
