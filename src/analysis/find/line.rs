//! The line that is shown with a position that was found by search or at random.

use super::Find;
use lasca_tablebase::probe::{Line, RatedMove, Standing};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Value, Wdl};
use std::collections::HashSet;

/// A position of this value with a line in which both sides play best. A decided game is played to its end, a drawn one
/// for these turns of the solver, or until a position is repeated. Of several best moves, the line takes the first, or if
/// it `goes_on`, the first that leads to a position which it has not passed.
///
/// `moves` lists the moves of a position, best first; if it does not know them, the result is `None`.
pub(super) fn line_of<E>(
    first: &Position,
    value: Value,
    turns: usize,
    goes_on: bool,
    moves: &mut impl FnMut(&Position) -> Result<Option<Vec<RatedMove<Value>>>, E>,
) -> Result<Option<Find>, E> {
    let (mut at, mut passed) = (*first, HashSet::from([*first]));
    let (mut line, mut standings, mut choices, mut turn) = (Vec::new(), Vec::new(), 0, 0);
    loop {
        let is_turn = line.len() % 2 == usize::from(value.wdl() == Wdl::Loss);
        if value == Value::Draw && is_turn && turn == turns {
            break;
        }
        let Some(rated) = moves(&at)? else { return Ok(None) };
        let Some(best) = rated.first() else { break };
        if is_turn && turn < turns {
            choices += usize::from(rated.len() > 1);
            turn += 1;
        }
        let is_new =
            |rated: &&RatedMove<Value>| rated.value == best.value && !passed.contains(&rated.after);
        let new = rated.iter().find(is_new).filter(|_| goes_on);
        let played = new.unwrap_or(best).clone();
        let values: Vec<Value> = rated.iter().map(|rated| rated.value).collect();
        standings.extend(Standing::of(&values, 0));
        at = played.after;
        line.push(played);
        if !passed.insert(at) {
            break;
        }
    }
    let (position, solution) = (*first, Line::new(first, line, true));
    Ok(Some(Find { position, value, only_moves: turns, choices, solution, standings }))
}
