//! For how many turns each position of a table has only moves.
//!
//! 1. The moves of all positions are counted, orbit by orbit: which positions have one turn of only
//!    moves?
//! 2. A position that has `k` turns has `k + 1` if its only move leads to positions that have `k` turns
//!    after each reply of the defence. This is asked for `k` = 1, 2 and so on, up to the number of turns
//!    that is wanted.
//!
//! No move adds columns, so this is done for one number of columns after the other. If the solver has won
//! after `k` turns at the latest, nothing more is asked. How many turns the solver has at all follows from
//! the distance.

use super::{Defence, Filter, solver_turns};
use crate::statistics::{Place, Values};
use lasca_tablebase::internals::{
    Done, Lookahead, Portion, Selection, Workspace, filled, has_only_move, push,
};
use lasca_tablebase::rules::OfficerPosition;
use lasca_tablebase::{Value, Wdl};
use rayon::prelude::*;
use std::collections::TryReserveError;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// Batch size: roughly how many positions a thread looks at before it takes new work.
const BATCH_POSITIONS: usize = 1 << 16;

/// For each position in which the solver is to move, for how many turns it has only moves, whether or not
/// the game lasts so long. It is 0 if the solver is not to move.
pub(super) struct Turns {
    /// For each stored side to move and number of columns, by number.
    turns: Vec<Vec<Vec<u8>>>,
}

impl Turns {
    /// More turns than any other number: the solver has won.
    const WON: u8 = u8::MAX;
    /// Numbers of turns are right up to this one at most.
    pub const MOST: u8 = u8::MAX - 1;

    /// For no slice yet, and this many stored sides to move.
    pub fn new(sides: usize) -> Turns {
        Turns { turns: vec![Vec::new(); sides] }
    }

    /// Adds the slices of the next number of columns: for how many turns each position has only moves. This
    /// is right up to as many turns as are looked for, in positions that matter for the filter, unless the work
    /// is stopped.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn add(
        &mut self,
        values: &Values,
        columns: usize,
        filter: &Filter,
        done: &Done,
    ) -> Result<(), TryReserveError> {
        self.count(values, columns, done)?;
        self.go_on(values, columns, filter, done)
    }

    /// Adds slices: whether each position has an only move.
    fn count(
        &mut self,
        values: &Values,
        columns: usize,
        done: &Done,
    ) -> Result<(), TryReserveError> {
        let Values { stored_material, rules, slices, .. } = *values;
        // Where squares may be jumped again, several moves may be counted as one.
        let is_certain = |only: &bool| !only || !rules.jumps_again();
        for side in 0..slices.len() {
            let looking = Lookahead::new(stored_material, rules, slices, side, columns);
            let rows = looking.index.rows();
            let mut turns = filled(looking.index.positions() as usize, 0)?;
            let batch_orbits = (BATCH_POSITIONS / rows).max(1);
            let batches = turns.par_chunks_mut(batch_orbits * rows).enumerate();
            let count = |work: &mut Workspace, (batch, turns): (usize, &mut [u8])| {
                if done.should_stop() {
                    return Ok(());
                }
                work.make_room(rows)?;
                for (orbit, turns) in (batch * batch_orbits..).zip(turns.chunks_mut(rows)) {
                    looking.select(orbit, Selection::All, work);
                    looking.count_selected(orbit, work);
                    for (row, (turns, &counts)) in turns.iter_mut().zip(&work.grades).enumerate() {
                        let counted = has_only_move(counts).filter(is_certain);
                        *turns = u8::from(counted.unwrap_or_else(|| {
                            let number = (orbit * rows + row) as u64;
                            has_only_move_by_values(values, Place { columns, side, number })
                        }));
                    }
                }
                done.add(turns.len() as u64, Portion::Quarter);
                Ok::<(), TryReserveError>(())
            };
            batches.try_for_each_init(Workspace::default, count)?;
            self.turns[side].push(turns);
        }
        Ok(())
    }

    /// Finds out which positions have only moves for more turns.
    fn go_on(
        &mut self,
        values: &Values,
        columns: usize,
        filter: &Filter,
        done: &Done,
    ) -> Result<(), TryReserveError> {
        for turns in 1..filter.turns() {
            for side in 0..self.turns.len() {
                let found = self.that_go_on(values, side, columns, turns, filter, done)?;
                for (number, more) in found.into_iter().flatten() {
                    self.turns[side][columns - 2][number] = more;
                }
            }
        }
        Ok(())
    }

    /// The numbers of the positions of a slice that have this many turns and more of them, with their turns,
    /// batch by batch.
    fn that_go_on(
        &self,
        values: &Values,
        side: usize,
        columns: usize,
        turns: u8,
        filter: &Filter,
        done: &Done,
    ) -> Result<Vec<Vec<(usize, u8)>>, TryReserveError> {
        let slice = values.slice(side, columns);
        let batches = self.turns[side][columns - 2].par_chunks(BATCH_POSITIONS).enumerate();
        let that_go_on = |(batch, found): (usize, &[u8])| {
            if done.should_stop() {
                return Ok(Vec::new());
            }
            let numbers = (batch * BATCH_POSITIONS..).zip(found);
            let that_have = numbers.filter(|&(_, &found)| found == turns);
            let go_on = |(number, _): (usize, &u8)| {
                let value = slice.value(number as u64);
                let place = Place { columns, side, number: number as u64 };
                let more = match () {
                    () if !is_needed(filter, value) => return None,
                    () if solver_turns(value) <= usize::from(turns) => Turns::WON,
                    () if self.go_on_from(values, place, value, turns, filter.defence) => turns + 1,
                    () => return None,
                };
                Some((number, more))
            };
            let mut found_now = Vec::new();
            that_have.filter_map(go_on).try_for_each(|found| push(&mut found_now, found))?;
            // Almost all of the time is spent on the first turn.
            if turns == 1 {
                done.add(found.len() as u64, Portion::Quarter);
            }
            Ok(found_now)
        };
        batches.map(that_go_on).collect()
    }

    /// Whether there are only moves for this many turns after the only move of a position of this value.
    fn go_on_from(
        &self,
        values: &Values,
        place: Place,
        value: Value,
        turns: u8,
        defence: Defence,
    ) -> bool {
        let (mut go_on, next) = (false, values.next_side(place.side));
        let _ = values.position(place).try_for_each_move(values.rules, |_, after| {
            let value_after = values.value(next, after);
            if value_after.before_move().wdl() != value.wdl() {
                return ControlFlow::Continue(());
            }
            go_on = self.replies_leave(values, next, after, value_after, turns, defence);
            ControlFlow::Break(())
        });
        go_on
    }

    /// Whether there are only moves for so many turns after each reply that the defence allows in a
    /// position of this value.
    fn replies_leave(
        &self,
        values: &Values,
        side: usize,
        position: &OfficerPosition,
        value: Value,
        turns: u8,
        defence: Defence,
    ) -> bool {
        let next = values.next_side(side);
        let each = position.try_for_each_move(values.rules, |_, after| {
            let Some(place) = values.place(next, after) else { return ControlFlow::Continue(()) };
            let reply = || values.slice(next, place.columns).value(place.number).before_move();
            if self.found(place) < turns && (defence == Defence::Every || reply() == value) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        each.is_continue()
    }

    fn found(&self, place: Place) -> u8 {
        self.turns[place.side][place.columns - 2][place.number as usize]
    }

    /// Whether the solver has only moves for as many turns as are looked for, or wins before, in a position
    /// of this value.
    pub fn suffice(&self, values: &Values, place: Place, value: Value, filter: &Filter) -> bool {
        let turns = filter.turns();
        match value {
            Value::Win(_) | Value::Draw => self.found(place) >= turns,
            Value::Loss(_) => {
                let position = values.position(place);
                self.replies_leave(values, place.side, &position, value, turns, filter.defence)
            }
        }
    }
}

/// Whether the solver may come to a position of this value, from one that a filter looks for.
fn is_needed(filter: &Filter, value: Value) -> bool {
    let is_decided = filter.plies.is_some() || !matches!(filter.result, None | Some(Wdl::Draw));
    match value {
        Value::Draw => !is_decided,
        // Against every defence, a drawn game may become a win.
        _ => filter.result != Some(Wdl::Draw) || filter.defence == Defence::Every,
    }
}

/// Whether the right move of a position is the only one.
fn has_only_move_by_values(values: &Values, place: Place) -> bool {
    let wdl = values.at(place).wdl();
    let (mut right, next) = (0, values.next_side(place.side));
    let _: ControlFlow<Infallible> =
        values.position(place).try_for_each_move(values.rules, |_, after| {
            right += usize::from(values.value(next, after).before_move().wdl() == wdl);
            ControlFlow::Continue(())
        });
    wdl != Wdl::Loss && right == 1
}
