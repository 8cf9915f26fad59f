//! Looking forward: what the moves of all positions of an orbit lead to, one orbit at a time.
//!
//! The value of each position is found in this way, given the values after its moves: [`verify`](crate::verify)
//! checks values so, and [`capture_search`](crate::capture_search) finds those that a table does not store, when
//! whole slices are read. In the same way, tests prove where all sequences of captures end:
//! [`generate`](crate::generate) leaves out the values of capture positions there.
//!
//! | module | what is there |
//! | --- | --- |
//! | `chain` | what one chain of jumps does in all positions of an orbit at once |
//! | `chains` | all chains of jumps of an orbit |
//! | `lookahead` | the best moves of all positions of an orbit, given the values after them |
//! | `grade` | moves as bytes, of which the least is the best |
//! | `replies` | the values that moves lead to |
//! | `tests_that_captures_end` | tests that prove where all sequences of captures end |

mod chain;
mod chains;
pub mod grade;
mod lookahead;
mod replies;
#[cfg(test)]
mod tests_that_captures_end;

pub use lookahead::{Lookahead, Selection, Workspace};

use crate::index::Material;
use crate::rules::RuleSet;

/// Rule sets, with numbers of columns and of counters, both sides together: with at most so many, every sequence of
/// captures ends, for every material.
///
/// With four columns, captures can go in circles in 8-7 under the rules `lasca`, and in 6-5 under `bignor`.
const PROVED: [(RuleSet, usize, usize); 8] = [
    (RuleSet::Lasca, usize::MAX, 11),
    (RuleSet::Lasca, 5, 14),
    (RuleSet::Lasca, 3, Material::MAX_COUNTERS),
    (RuleSet::Bignor, usize::MAX, 10),
    (RuleSet::Bignor, 3, Material::MAX_COUNTERS),
    (RuleSet::Rejump, usize::MAX, 11),
    (RuleSet::Rejump, 5, 14),
    (RuleSet::Rejump, 4, Material::MAX_COUNTERS),
];

/// Whether it is proved that every sequence of captures from positions of this many columns, the sides taking turns,
/// comes to a quiet position, loses a column or ends the game. The value of such a position follows from the values
/// after its captures, so it need not be stored.
///
/// A sequence that never ends keeps its number of columns. So this holds for each number of columns by itself, in
/// bounded tables too.
pub fn captures_end(material: Material, columns: usize, rules: RuleSet) -> bool {
    PROVED.iter().any(|&(of, most_columns, counters)| {
        of == rules && columns <= most_columns && material.total() <= counters
    })
}
