//! Counting move sequences.

use super::{Position, RuleSet};
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
