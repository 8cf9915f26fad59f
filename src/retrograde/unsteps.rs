//! Going back over quiet moves, for all positions of a group at once.

use super::side::{Row, RowGroup, SideToMove};
use super::steps::StepSet;
use super::transitions::{OrbitTransitions, Transition, Transitions};
use super::updates::SendUpdates;
use crate::index::{ArrangementMaps, SliceIndex, SplitLists};
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
        let SplitLists { split, mover, .. } = group.lists;
        let spare = [split.mover_stackings.spare, split.other_stackings.spare];
        let targets = UnstepTargets {
            rows: group.rows,
            other_mask: group.mask ^ ((1 << self.index.columns()) - 1),
            mask_starts: &self.mask_starts,
            has_spare: spare.map(|spare| spare > 0),
            starts: spare.map(|spare| maps.start(spare)),
            stacking_rows: mover.len() as u32,
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
    /// Whether the mover and the other side have counters to spare.
    has_spare: [bool; 2],
    /// Where the stackings of the mover's and of the other side's start in the maps of an arrangement.
    starts: [usize; 2],
    /// In the split that the un-steps lead to: how many rows share the owner mask and the stacking of the
    /// side that moved.
    stacking_rows: u32,
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
        let starts = self.starts.map(|start| maps.first(number) + start);
        let stacking =
            |side: usize, ordinal: u16| maps.stacking(starts[side] + usize::from(ordinal));
        match self.has_spare {
            [false, false] => updates.send(transition.orbit, std::iter::once(start)),
            [true, true] => {
                let row = |row: &Row| {
                    stacking(1, row.other) * self.stacking_rows + stacking(0, row.mover)
                };
                updates.send(transition.orbit, self.rows.iter().map(|of| start + row(of)));
            }
            [is_mover, _] => {
                let side = usize::from(!is_mover);
                let rows = self.rows.iter().map(|row| start + stacking(side, row.only));
                updates.send(transition.orbit, rows);
            }
        }
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
    // The squares from which a jump over the enemy would end on an own square, or on an empty one.
    let [to_own, to_empty] =
        SquareSet::jump_starts(placement.other, [placement.mover, placement.empty()]);
    // A column that steps back must not uncover a capture, nor have one from where it stood.
    let from = own & !to_own.bits();
    let to = empty & !to_empty.bits();
    // The columns that could capture as things stand, and where they would land. The step must
    // end that, by taking away the only such column, or by filling the only such square.
    let capturers = own & to_empty.bits();
    let landings = empty & to_own.bits();
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
