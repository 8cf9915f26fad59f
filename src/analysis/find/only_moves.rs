//! How long a side has only moves: the plain way, from one position.

use super::Defence;
use lasca_tablebase::Value;
use lasca_tablebase::probe::{ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::Position;
use std::collections::HashSet;

/// For how many turns from here, up to `most`, the solver has exactly one right move at each of its
/// turns. The [module](crate::find#only-moves) says what these words mean.
///
/// # Errors
/// As [`Tablebase::value`], for the position and all positions that are looked at.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use lasca_analysis::find::{Defence, only_moves};
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// // Black holds the draw only by f2-g3.
/// let position = "d2W d4W f2B f4B b".parse()?;
/// assert_eq!(only_moves(&tables, &position, Defence::Best, 1)?, 1);
/// // White wins by c3-b4 and by e5-d6.
/// let position = "c3W d4B c5B e5W w".parse()?;
/// assert_eq!(only_moves(&tables, &position, Defence::Best, 1)?, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn only_moves(
    tables: &Tablebase,
    position: &Position,
    defence: Defence,
    most: usize,
) -> Result<usize, ProbeError> {
    let value = tables.value(position)?;
    // The positions in which the solver is to move after this many turns. Each is looked at once, even
    // if play comes back to it.
    let mut positions = match value {
        Value::Loss(_) => replies(tables.moves(position)?, defence),
        Value::Draw | Value::Win(_) => vec![*position],
    };
    let mut met: HashSet<Position> = positions.iter().copied().collect();
    let most = most.min(super::solver_turns(value));
    for turns in 0..most {
        let mut next = Vec::new();
        for position in positions {
            let Some(only) = only_move(tables.moves(&position)?) else { return Ok(turns) };
            let replies = replies(tables.moves(&only.after)?, defence);
            next.extend(replies.into_iter().filter(|&reply| met.insert(reply)));
        }
        positions = next;
    }
    Ok(most)
}

/// The only right move of these; `None` if there are several.
fn only_move(moves: Vec<RatedMove<Value>>) -> Option<RatedMove<Value>> {
    let mut moves = moves.into_iter();
    let (best, second) = (moves.next(), moves.next());
    let wdl = |rated: &Option<RatedMove<Value>>| rated.as_ref().map(|rated| rated.value.wdl());
    if wdl(&best) == wdl(&second) { None } else { best }
}

/// The positions after those of these replies that the defence allows.
fn replies(moves: Vec<RatedMove<Value>>, defence: Defence) -> Vec<Position> {
    let best = moves.first().map(|best| best.value);
    let is_looked_at =
        |reply: &RatedMove<Value>| defence == Defence::Every || Some(reply.value) == best;
    moves.into_iter().filter(is_looked_at).map(|reply| reply.after).collect()
}
