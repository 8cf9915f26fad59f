//! For how many turns a position has only moves.
//!
//! A position has `k` turns if it has an only move and, with `k` > 1, each reply that the defence allows leads to a
//! position that has `k − 1` turns, or in which the solver has just won. This is asked of one position after the other.
//! What is found out about a position is noted for the others whose lines come to it.

use super::{Defence, solver_turns};
use crate::statistics::{Place, Values};
use lasca_tablebase::rules::{MOST_MOVES, OfficerPosition};
use lasca_tablebase::{Value, Wdl};
use std::collections::TryReserveError;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// What is known of the turns of all positions.
pub(crate) struct Turns {
    defence: Defence,
    /// For each stored side to move and number of columns, by number.
    known: Vec<Vec<Vec<Known>>>,
}

/// For how many turns the solver, who is to move, has only moves at least and at most, whether or not the game lasts so
/// long.
struct Known {
    least: AtomicU8,
    most: AtomicU8,
}

impl Turns {
    /// How many bytes this takes for each position.
    pub const BYTES_A_POSITION: u64 = size_of::<Known>() as u64;

    /// Nothing is known yet, and there is no room for what is found out.
    pub fn new(defence: Defence, sides: usize) -> Turns {
        Turns { defence, known: (0..sides).map(|_| Vec::new()).collect() }
    }

    /// Makes room for the positions with the next number of columns.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn make_room(&mut self, values: &Values, columns: usize) -> Result<(), TryReserveError> {
        for (side, slices) in self.known.iter_mut().enumerate() {
            let (mut known, positions) = (Vec::new(), values.slice(side, columns).len() as usize);
            known.try_reserve_exact(positions)?;
            known.resize_with(positions, || Known { least: 0.into(), most: u8::MAX.into() });
            slices.push(known);
        }
        Ok(())
    }

    /// Whether the solver has only moves for this many turns, or wins before, in a position of this value. There is
    /// room for the positions with as many columns.
    pub fn suffice(
        &self,
        values: &Values,
        place: Place,
        position: &OfficerPosition,
        value: Value,
        turns: u8,
    ) -> bool {
        match value {
            Value::Win(_) | Value::Draw => self.has(values, place, position, value, turns),
            Value::Loss(_) => self.replies_leave(values, place.side, position, value, turns),
        }
    }

    /// The same where the solver is to move.
    fn has(
        &self,
        values: &Values,
        place: Place,
        position: &OfficerPosition,
        value: Value,
        turns: u8,
    ) -> bool {
        let Place { columns, side, number } = place;
        let known = &self.known[side][columns - 2][number as usize];
        if turns <= known.least.load(Relaxed) || turns > known.most.load(Relaxed) {
            return turns <= known.least.load(Relaxed);
        }
        let next = values.next_side(side);
        let only = only_move(values, next, position, value.wdl());
        let has = only.is_some_and(|(after, value_after)| {
            turns == 1
                || solver_turns(value) == 1
                || self.replies_leave(values, next, &after, value_after, turns - 1)
        });
        match (has, only) {
            (true, _) => known.least.fetch_max(turns, Relaxed),
            (false, Some(_)) => known.most.fetch_min(turns - 1, Relaxed),
            (false, None) => known.most.fetch_min(0, Relaxed),
        };
        has
    }

    /// Whether there are only moves for this many turns after each reply that the defence allows in a position of
    /// this value.
    fn replies_leave(
        &self,
        values: &Values,
        side: usize,
        position: &OfficerPosition,
        value: Value,
        turns: u8,
    ) -> bool {
        let (next, mut left) = (values.next_side(side), MOST_MOVES);
        let each = position.try_for_each_move(values.rules, |_, after| {
            // A position with so many moves is not listed.
            left = left.checked_sub(1).map_or(ControlFlow::Break(()), ControlFlow::Continue)?;
            let Some(place) = values.place(next, after) else { return ControlFlow::Continue(()) };
            let reply = values.at(place);
            let is_allowed = self.defence == Defence::Every || reply.before_move() == value;
            if is_allowed && !self.has(values, place, after, reply, turns) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        each.is_continue()
    }
}

/// The position after the only move that keeps this result, with its value; `None` if several do, or none.
fn only_move(
    values: &Values,
    next: usize,
    position: &OfficerPosition,
    result: Wdl,
) -> Option<(OfficerPosition, Value)> {
    let (mut only, mut left) = (None, MOST_MOVES);
    let listed = position.try_for_each_move(values.rules, |_, after| {
        left = left.checked_sub(1).map_or(ControlFlow::Break(()), ControlFlow::Continue)?;
        let value = values.value(next, after);
        if value.before_move().wdl() == result && only.replace((*after, value)).is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    only.filter(|_| listed.is_continue())
}
