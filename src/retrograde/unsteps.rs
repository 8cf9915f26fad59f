//! Going back over quiet moves, for all positions of a group at once.

use super::side::{Row, RowGroup, SideToMove};
use super::steps::StepSet;
use super::transitions::{OrbitTransitions, Transition, Transitions};
use super::updates::SendUpdates;
use crate::index::{ArrangementMaps, SliceIndex};
use crate::rules::{Placement, SquareSet};
use std::collections::TryReserveError;

/// What the quiet moves of a slice do, worked out once for all its positions.
pub struct QuietMoves {
    /// How they lead from orbit to orbit.
    transitions: Transitions,
    /// What their arrangements do within an orbit.
    pub maps: ArrangementMaps,
}

impl QuietMoves {
    /// Works out the quiet moves of the slice that `index` numbers, for both sides.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(index: &SliceIndex) -> Result<QuietMoves, TryReserveError> {
        index.sets().tabulate();
        let transitions = Transitions::new(index.sets())?;
        let maps = ArrangementMaps::new(transitions.arrangements(), index)?;
        Ok(QuietMoves { transitions, maps })
    }

    /// The transitions of one orbit, whose representative is `occupied`.
    #[inline]
    pub fn of(&self, orbit: usize, occupied: SquareSet) -> OrbitTransitions<'_> {
        self.transitions.of(orbit, occupied)
    }
}

impl SideToMove<'_> {
    /// Sends updates by quiet moves: the columns of the other side step back.
    #[inline]
    pub fn send_unsteps(
        &self,
        maps: &ArrangementMaps,
        transitions: &OrbitTransitions,
        group: &RowGroup,
        updates: &mut impl SendUpdates,
    ) {
        let columns = self.index.columns();
        let before = self.replies.split(columns - group.mask.count_ones() as usize);
        let targets = UnstepTargets {
            rows: group.rows,
            other_mask: group.mask ^ ((1 << columns) - 1),
            mask_starts: &self.mask_starts,
            mask_rows: before.mask_rows as u32,
            stacking_rows: before.mover_rows as u32,
            mover_start: maps.start(before.other_stackings.spare),
            other_start: maps.start(before.mover_stackings.spare),
        };
        for slot in transitions.by(quiet_unsteps(group.placement)) {
            if slot.is_one() {
                targets.send(slot, maps, updates);
            } else {
                targets.send_several(transitions.several(slot), maps, updates);
            }
        }
    }
}

/// What the un-steps of a group have in common.
#[derive(Clone, Copy)]
struct UnstepTargets<'a> {
    /// The rows of the group.
    rows: &'a [Row],
    /// The columns of the side not to move.
    other_mask: u32,
    /// For each owner mask, its first row in the orbits that the un-steps lead to.
    mask_starts: &'a [u32],
    /// In the split that the un-steps lead to: how many rows share an owner mask.
    mask_rows: u32,
    /// In that split: how many rows share the owner mask and the stacking of the side that moved.
    stacking_rows: u32,
    /// Where the stackings of each side's spare counters start in the maps of an arrangement.
    mover_start: usize,
    other_start: usize,
}

impl UnstepTargets<'_> {
    /// It takes a copy, which is made only here: a reference would keep the targets out of registers.
    #[cold]
    #[inline(never)]
    fn send_several(
        self,
        several: &[Transition],
        maps: &ArrangementMaps,
        updates: &mut impl SendUpdates,
    ) {
        for &transition in several {
            self.send(transition, maps, updates);
        }
    }

    #[inline(always)]
    fn send(&self, transition: Transition, maps: &ArrangementMaps, updates: &mut impl SendUpdates) {
        let number = transition.arrangement as usize;
        let start = self.mask_starts[maps.mask(number, self.other_mask) as usize];
        if self.mask_rows == 1 {
            // No counters to spare.
            updates.send(transition.orbit, std::iter::once(start));
            return;
        }
        let first = maps.first(number);
        let (mover_start, other_start) = (first + self.mover_start, first + self.other_start);
        let rows = self.rows.iter().map(|row| {
            let other = maps.stacking(other_start + usize::from(row.other));
            let mover = maps.stacking(mover_start + usize::from(row.mover));
            start + other * self.stacking_rows + mover
        });
        updates.send(transition.orbit, rows);
    }
}

/// The un-steps of the side not to move that lead to positions in which it had no capture. `placement` is
/// seen by the side to move there.
///
/// It is a function of its own so that the loop that goes through them is small enough to be inlined.
#[inline(never)]
fn quiet_unsteps(placement: Placement) -> StepSet {
    let placement = placement.for_other_side();
    let (own, empty) = (placement.mover.bits(), placement.empty().bits());
    let steps = |from, to| StepSet::between(SquareSet::from_bits(from), SquareSet::from_bits(to));
    // The squares of `start` from which a jump over the enemy would end on a square of `landing`.
    let lines = |start: u32, landing: u32| {
        let landing = SquareSet::from_bits(landing);
        start & SquareSet::jump_starts(placement.other, landing).bits()
    };
    // A column that steps back must not uncover a capture, nor have one from where it stood.
    let from = own & !lines(own, own);
    let to = empty & !lines(empty, empty);
    // The columns that could capture as things stand, and where they would land. The step must
    // end that, by taking away the only such column, or by filling the only such square.
    let capturers = own & lines(own, empty);
    let landings = lines(empty, own);
    let is_one = |bits: u32| bits & bits.wrapping_sub(1) == 0;
    match (is_one(capturers), is_one(landings)) {
        _ if capturers == 0 => steps(from, to),
        (true, true) => steps(from & capturers, to).or(steps(from, to & landings)),
        (true, false) => steps(from & capturers, to),
        (false, true) => steps(from, to & landings),
        // It may leave a capture.
        (false, false) => steps(from & capturers, to & landings).filter(|step| {
            let (from, to) = step.squares(placement.mover);
            let mover = placement.mover.without(from).with(to);
            !Placement { mover, ..placement }.must_capture()
        }),
    }
}
