//! Counting move sequences.

use super::{Position, RuleSet};

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
        1 => position.successors(rules).len() as u64,
        _ => {
            let successors = position.successors(rules);
            successors.iter().map(|(_, after)| perft(after, rules, depth - 1)).sum()
        }
    }
}
