//! Going back over quiet moves, for all positions of a group at once.

use super::side::{RowGroup, SideToMove};
use super::steps::StepSet;
use super::transitions::{OrbitTransitions, Transition};
use super::updates::SendUpdates;
use crate::index::{ArrangementMaps, MaskMap, Masks, SplitLists};
use crate::rules::{Placement, SquareSet};

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
        let slots = transitions.by(quiet_unsteps(group.placement));
        match &maps.masks {
            Masks::Low(masks) => self.send_by(slots, masks, maps, transitions, group, updates),
            Masks::High(masks) => self.send_by(slots, masks, maps, transitions, group, updates),
        }
    }

    /// Sends updates by the transitions of a slot that has none or several.
    ///
    /// It is not inlined, and begins anew, so that the loop that calls it keeps all registers.
    #[cold]
    #[inline(never)]
    fn send_by_several<Part: Copy + Into<u32>, const PARTS: usize>(
        &self,
        slot: Transition,
        masks: &[MaskMap<Part, PARTS>],
        maps: &ArrangementMaps,
        transitions: &OrbitTransitions,
        group: &RowGroup,
        updates: &mut impl SendUpdates,
    ) {
        let several = transitions.several(slot).iter().copied();
        self.send_by(several, masks, maps, transitions, group, updates);
    }

    /// Sends updates by the transitions of these slots. `masks` are those of `maps`.
    #[inline(always)]
    fn send_by<Part: Copy + Into<u32>, const PARTS: usize, Updates: SendUpdates>(
        &self,
        slots: impl Iterator<Item = Transition>,
        masks: &[MaskMap<Part, PARTS>],
        maps: &ArrangementMaps,
        transitions: &OrbitTransitions,
        group: &RowGroup,
        updates: &mut Updates,
    ) {
        let SplitLists { split, mover, .. } = group.lists;
        let spare = [split.mover_stackings.spare, split.other_stackings.spare];
        let [of_mover, of_other] = spare.map(|spare| maps.start(spare));
        let other_mask = group.mask ^ self.all_columns;
        let first_row =
            |number: usize| masks.get(number).map(|map| self.first_reply(map.image(other_mask)));
        let several = |slot, updates: &mut Updates| {
            self.send_by_several(slot, masks, maps, transitions, group, updates);
        };
        let (rows, stackings, stacking_rows) = (group.rows, &maps.stackings, mover.len() as u32);
        // There is a loop for each case, so that it needs few registers.
        match spare {
            [0, 0] => send_each(slots, first_row, |_| std::iter::once(0), several, updates),
            [0, _] | [_, 0] => {
                let start = if spare[0] == 0 { of_other } else { of_mover };
                let rows = |number| {
                    let first = maps.first(number) + start;
                    rows.iter().map(move |row| u32::from(stackings[first + usize::from(row.only)]))
                };
                send_each(slots, first_row, rows, several, updates);
            }
            _ => {
                let rows = |number| {
                    let first = maps.first(number);
                    let [first_other, first_mover] = [first + of_other, first + of_mover];
                    rows.iter().map(move |row| {
                        let other = stackings[first_other + usize::from(row.other)];
                        let mover = stackings[first_mover + usize::from(row.mover)];
                        u32::from(other) * stacking_rows + u32::from(mover)
                    })
                };
                send_each(slots, first_row, rows, several, updates);
            }
        }
    }
}

/// Sends updates by the transitions of these slots. To the number of an arrangement, `rows` says where a group's
/// rows lead, counted from the `first_row` of the owner mask there. `several` gets the slots that have none or
/// several: there is no arrangement with such a number.
#[inline(always)]
fn send_each<Rows: ExactSizeIterator<Item = u32>, Updates: SendUpdates>(
    slots: impl Iterator<Item = Transition>,
    first_row: impl Fn(usize) -> Option<u32>,
    rows: impl Fn(usize) -> Rows,
    several: impl Fn(Transition, &mut Updates),
    updates: &mut Updates,
) {
    for slot in slots {
        let number = slot.arrangement as usize;
        match first_row(number) {
            Some(first) => updates.send(slot.orbit, first, rows(number)),
            None => several(slot, updates),
        }
    }
}

/// The un-steps of the side not to move that lead to positions in which it had no capture. `placement` is
/// seen by the side to move there.
#[inline(always)]
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
