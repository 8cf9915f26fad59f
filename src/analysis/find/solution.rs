//! The line that is shown with a position that was found.

use super::Find;
use crate::statistics::{Place, Values};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Standing};
use lasca_tablebase::rules::OfficerPosition;
use lasca_tablebase::{Value, Wdl};
use std::convert::Infallible;
use std::ops::ControlFlow;

/// The positions of a line. Both sides play best. The first of several best moves is taken; in a drawn
/// game, the first that leads to a position that the line has not passed.
pub(super) struct Solution {
    /// For each position the stored side to move, and what its moves are worth to that side.
    steps: Vec<Step>,
    /// How many of the turns of only moves have several legal moves.
    pub choices: u8,
}

struct Step {
    side: usize,
    position: OfficerPosition,
    values: Vec<Value>,
}

impl Solution {
    /// The line from a position that has only moves for this many turns. A decided game is played to its end if the
    /// line is `whole`, a drawn one for this many turns or until a position is repeated.
    ///
    /// # Errors
    /// If the table contradicts itself, so that the line need not end.
    pub fn of(
        values: &Values,
        place: Place,
        turns: u8,
        whole: bool,
    ) -> Result<Solution, ProbeError> {
        let (mut side, mut position) = (place.side, values.position(place));
        let mut solver_to_move = values.at(place).wdl() != Wdl::Loss;
        let mut solution = Solution { steps: Vec::new(), choices: 0 };
        let mut left = turns;
        loop {
            let moves = values.moves(side, &position)?;
            let best = moves.iter().map(|&(_, value)| value).max();
            // A decided game comes nearer to its end with each move.
            if best.unwrap_or(Value::Loss(0)) != values.value(side, &position) {
                let position = Box::new(position.in_colors(values.color(side)));
                return Err(ProbeError::Inconsistent { position });
            }
            let step = Step { side, position, values: moves.iter().map(|&(_, v)| v).collect() };
            let is_drawn = best == Some(Value::Draw);
            let is_repeated = is_drawn && solution.has_passed(solution.steps.len(), &position);
            solution.steps.push(step);
            if is_repeated || (is_drawn || !whole) && solver_to_move && left == 0 {
                return Ok(solution);
            }
            if solver_to_move && left > 0 {
                solution.choices += u8::from(moves.len() > 1);
                left -= 1;
            }
            let ply = solution.steps.len();
            let mut best_moves = moves.iter().filter(|&&(_, value)| Some(value) == best);
            let new = best_moves.clone().find(|(after, _)| !solution.has_passed(ply, after));
            let Some(&(after, _)) = new.or_else(|| best_moves.next()) else { return Ok(solution) };
            (side, position, solver_to_move) = (values.next_side(side), after, !solver_to_move);
        }
    }

    /// Whether the line has come to a position with the same side to move as after this many plies.
    fn has_passed(&self, plies: usize, position: &OfficerPosition) -> bool {
        let same_side = self.steps.iter().skip(plies % 2).step_by(2);
        same_side.map(|step| &step.position).any(|passed| passed == position)
    }

    /// For each position of the line the place that stands for it; `None` where the game is over.
    pub fn places(&self, values: &Values) -> impl Iterator<Item = Option<Place>> {
        self.steps.iter().map(|step| values.first_place(step.side, &step.position))
    }

    /// The line in colours, exchanged or not. The values are those of the line's positions, and `value` is
    /// that of the first one.
    pub fn into_find(self, values: &Values, side: usize, exchanged: bool, value: Value) -> Find {
        let color = values.stored_color(side);
        // Where only White to move is stored, the sides take turns all the same.
        let mut positions = (0..).zip(&self.steps).map(|(ply, step)| {
            let mover = if ply % 2 == 0 { color } else { !color };
            let position = step.position.in_colors(mover);
            if exchanged { position.swap_colors() } else { position }
        });
        let Some(first) = positions.next() else { unreachable!("a line has a first position") };
        let (mut before, mut moves, mut standings) = (first, Vec::new(), Vec::new());
        for (after, step) in positions.zip(&self.steps) {
            // Of several moves to one position, the first by its squares.
            let mut first = None;
            let _: ControlFlow<Infallible> =
                before.try_for_each_move(values.rules, |&played, to| {
                    if *to == after && first.is_none_or(|first| played < first) {
                        first = Some(played);
                    }
                    ControlFlow::Continue(())
                });
            let Some(played) = first else { unreachable!("a line is made of moves") };
            let best = (0..step.values.len()).max_by_key(|&number| step.values[number]);
            let Some((number, standing)) =
                best.and_then(|n| Some((n, Standing::of(&step.values, n)?)))
            else {
                unreachable!("a line is made of moves whose values are known")
            };
            moves.push(RatedMove { played, after, value: step.values[number] });
            standings.push(standing);
            before = after;
        }
        let solution = Line::new(&first, moves, true);
        Find { position: first, value, only_moves: 0, choices: 0, solution, standings }
    }
}
