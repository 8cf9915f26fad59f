//! Counting move sequences.

use super::{Move, Position, RuleSet, TooManyMoves};
use std::ops::ControlFlow;

/// The number of sequences of `depth` legal moves from `position`; 1 for depth 0. Moves that pass other
/// squares, or the same in another order, are different moves even if they lead to the same position.
///
/// ```
/// use lasca_tablebase::rules::{Position, RuleSet, perft};
/// assert_eq!(perft(&Position::start(), RuleSet::Lasca, 4), 54);
/// ```
pub fn perft(position: &Position, rules: RuleSet, depth: u32) -> u64 {
    match depth {
        0 => 1,
        // The last moves need not be made.
        1 => position.count_moves(rules),
        _ => {
            let mut count = 0;
            let _: ControlFlow<()> = position.try_for_each_move(rules, |_, after| {
                count += perft(after, rules, depth - 1);
                ControlFlow::Continue(())
            });
            count
        }
    }
}

/// The number of sequences of `depth` legal moves that begin with each move, which [`perft`] adds up. Depth 0 stands for
/// depth 1.
///
/// ```
/// use lasca_tablebase::rules::{Position, RuleSet, perft, perft_by_move};
/// let start = Position::start();
/// let counts = perft_by_move(&start, RuleSet::Lasca, 4)?;
/// assert_eq!((counts[0].0.to_string(), counts.len()), ("a3-b4".to_owned(), 6));
/// assert_eq!(counts.iter().map(|&(_, count)| count).sum::<u64>(), perft(&start, RuleSet::Lasca, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Position::moves`]. [`perft`] counts also what cannot be listed.
pub fn perft_by_move(
    position: &Position,
    rules: RuleSet,
    depth: u32,
) -> Result<Vec<(Move, u64)>, TooManyMoves> {
    let rest = depth.saturating_sub(1);
    let count = |played: &Move| (*played, perft(&position.play_unchecked(played), rules, rest));
    Ok(position.moves(rules)?.iter().map(count).collect())
}
