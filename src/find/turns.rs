//! For how many turns each position of a table has only moves.
//!
//! 1. The moves of all positions are counted, orbit by orbit: which positions have one turn of only
//!    moves?
//! 2. A position that has `k` turns has `k + 1` if its only move leads to positions that have `k` turns
//!    after each reply of the defence. This is asked for `k` = 1, 2 and so on, until no position is
//!    left, or until all that are left pass.
//!
//! A position in which the only move wins at once passes each time. How many turns the solver has at all
//! follows from the distance.

use super::values::{Place, Values};
use super::{Defence, solver_turns};
use crate::forward::grade::has_only_move;
use crate::forward::{Lookahead, Selection, Workspace};
use crate::rules::OfficerPosition;
use crate::{Progress, Value, Wdl};
use rayon::prelude::*;
use std::sync::Mutex;

/// Batch size: roughly how many positions a thread looks at before it takes new work.
const BATCH_POSITIONS: usize = 1 << 16;

/// For each position in which the solver is to move, for how many turns it has only moves, whether or not
/// the game lasts so long. It is 0 if the solver is not to move.
pub(super) struct Turns {
    /// For each stored side to move and number of columns, by number.
    turns: Vec<Vec<Vec<u8>>>,
}

impl Turns {
    /// More turns than any other number: they never end.
    pub const FOREVER: u8 = u8::MAX;
    /// Numbers of turns are exact up to this one.
    pub const MOST: u8 = u8::MAX - 1;

    /// For no slice yet, and so many stored sides to move.
    pub fn new(sides: usize) -> Turns {
        Turns { turns: vec![Vec::new(); sides] }
    }

    /// Adds the slices of the next number of columns: whether each position has an only move.
    pub fn add(&mut self, values: &Values, columns: usize, progress: &dyn Progress) {
        let Values { material, rules, slices, .. } = *values;
        let done = Mutex::new(0);
        let sides = Lookahead::of_each_side(material, rules, slices, columns);
        for (side, (_, looking)) in sides.iter().enumerate() {
            let rows = looking.index.rows();
            let mut turns = vec![0; looking.index.positions() as usize];
            let batch_orbits = (BATCH_POSITIONS / rows).max(1);
            let batches = turns.par_chunks_mut(batch_orbits * rows).enumerate();
            batches.for_each_init(Workspace::default, |work, (batch, turns)| {
                for (orbit, turns) in (batch * batch_orbits..).zip(turns.chunks_mut(rows)) {
                    looking.select(orbit, Selection::All, work);
                    looking.count_selected(orbit, work);
                    for (row, (turns, &counts)) in turns.iter_mut().zip(&work.grades).enumerate() {
                        *turns = u8::from(has_only_move(counts).unwrap_or_else(|| {
                            let number = (orbit * rows + row) as u64;
                            has_only_move_by_values(values, Place { columns, side, number })
                        }));
                    }
                }
                if let Ok(mut done) = done.lock() {
                    *done += turns.len() as u64;
                    progress.positions_checked(*done);
                }
            });
            self.turns[side].push(turns);
        }
    }

    /// Finds out for how many turns the positions that have an only move have one.
    pub fn go_on(&mut self, values: &Values, defence: Defence) {
        for turns in 1..Turns::MOST {
            let (mut before, mut after) = (0, 0);
            for side in 0..self.turns.len() {
                for slice in 0..self.turns[side].len() {
                    let (had, have) = self.that_go_on(values, (side, slice + 2), turns, defence);
                    before += had;
                    after += have.len();
                    for number in have {
                        self.turns[side][slice][number] = turns + 1;
                    }
                }
            }
            if after == 0 {
                return;
            }
            if after == before {
                // Each of them leads to others of them, again and again.
                let all = self.turns.iter_mut().flatten();
                all.for_each(|slice| {
                    let forever = |found: &mut u8| {
                        if *found == turns + 1 {
                            *found = Turns::FOREVER;
                        }
                    };
                    slice.par_iter_mut().with_min_len(BATCH_POSITIONS).for_each(forever);
                });
                return;
            }
        }
    }

    /// How many positions of a slice have exactly so many turns, and the numbers of those that have one
    /// more.
    fn that_go_on(
        &self,
        values: &Values,
        (side, columns): (usize, usize),
        turns: u8,
        defence: Defence,
    ) -> (usize, Vec<usize>) {
        let batches = self.turns[side][columns - 2].par_chunks(BATCH_POSITIONS).enumerate();
        let that_go_on = |(batch, found): (usize, &[u8])| {
            let numbers = (batch * BATCH_POSITIONS..).zip(found);
            let mut had = 0;
            let mut have = Vec::new();
            for (number, _) in numbers.filter(|&(_, &found)| found == turns) {
                had += 1;
                let place = Place { columns, side, number: number as u64 };
                if self.after_only_move(values, place, defence) >= turns {
                    have.push(number);
                }
            }
            (had, have)
        };
        batches.map(that_go_on).reduce(
            || (0, Vec::new()),
            |(had, mut have), (more_had, more_have)| {
                have.extend(more_have);
                (had + more_had, have)
            },
        )
    }

    /// For how many turns there are only moves after the only move of a position.
    fn after_only_move(&self, values: &Values, place: Place, defence: Defence) -> u8 {
        let position = values.position(place);
        let wdl = values.slice(place.side, place.columns).value(place.number).wdl();
        let (mut only, next) = (None, values.next_side(place.side));
        values.each_move(&position, |after| {
            let value = values.value(next, after);
            if value.before_move().wdl() == wdl {
                only = Some((*after, value));
            }
        });
        match only {
            Some((after, value)) => self.after_replies(values, next, &after, value, defence),
            None => 0,
        }
    }

    /// The least number of turns of only moves after the replies that the defence allows in a position of
    /// this value; [`Turns::FOREVER`] if the game is over.
    fn after_replies(
        &self,
        values: &Values,
        side: usize,
        position: &OfficerPosition,
        value: Value,
        defence: Defence,
    ) -> u8 {
        let (mut least, next) = (Turns::FOREVER, values.next_side(side));
        if position.placement().mover.is_empty() {
            return least;
        }
        values.each_move(position, |after| {
            let Some(place) = values.place(next, after) else { return };
            let reply = || values.slice(next, place.columns).value(place.number).before_move();
            if defence == Defence::Every || reply() == value {
                least = least.min(self.found(place));
            }
        });
        least
    }

    fn found(&self, place: Place) -> u8 {
        self.turns[place.side][place.columns - 2][place.number as usize]
    }

    /// For how many turns the solver has only moves in a position of this value; [`Turns::FOREVER`] if
    /// they never end.
    pub fn of(&self, values: &Values, place: Place, value: Value, defence: Defence) -> u8 {
        let turns = match value {
            Value::Win(_) | Value::Draw => self.found(place),
            Value::Loss(_) => {
                let position = values.position(place);
                self.after_replies(values, place.side, &position, value, defence)
            }
        };
        match solver_turns(value) {
            usize::MAX => turns,
            most => turns.min(most.min(Turns::MOST.into()) as u8),
        }
    }
}

/// Whether the right move of a position is the only one.
fn has_only_move_by_values(values: &Values, place: Place) -> bool {
    let wdl = values.slice(place.side, place.columns).value(place.number).wdl();
    let moves = values.moves(place.side, &values.position(place));
    let right = moves.iter().filter(|(_, value)| value.wdl() == wdl).count();
    wdl != Wdl::Loss && right == 1
}
