//! The updates that follow from decided positions: those that lead to them are found by un-moves.

use super::side::{RowGroup, SideToMove};
use super::transitions::Transitions;
use super::unsteps::QuietMoves;
use super::updates::SendUpdates;
use crate::index::OrbitColumns;

impl SideToMove<'_> {
    /// Sends the updates that follow from the positions at `rows` of `orbit`, rising, all decided at
    /// the same ply, to the positions that lead to them.
    pub fn expand_orbit(
        &self,
        quiet_moves: &QuietMoves,
        orbit: usize,
        mut rows: &[u32],
        updates: &mut impl SendUpdates,
    ) {
        let columns = OrbitColumns::of(self.index.sets().representative(orbit));
        let steps = Transitions::steps(self.index.sets(), orbit);
        let kept = quiet_moves.kept(orbit);
        while let Some(&first) = rows.first() {
            // Positions that share an owner mask share their un-moves.
            let mask = self.row(first).mask;
            let same = |&&row: &&u32| self.row(row).mask == mask;
            let len = 1 + rows[1..].iter().take_while(same).count();
            let of_mask;
            (of_mask, rows) = rows.split_at(len);
            let mask = u32::from(mask);
            let group = RowGroup {
                orbit,
                columns: &columns,
                placement: columns.placement(mask),
                mask,
                rows: of_mask,
                lists: self.lists.split_of(mask),
                kept,
            };
            self.send_unsteps(quiet_moves, steps, &group, updates);
            self.send_uncaptures(&group, updates);
        }
    }
}
