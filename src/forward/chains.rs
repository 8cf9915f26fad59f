//! All chains of jumps of an orbit.
//!
//! Where a square may be jumped again, how far a chain goes depends on the stacks: a column can be jumped as
//! long as the other side commands it. But the order of the jumps does not matter to what a chain does. So a
//! chain is known by the column that captures, by where it ends, and by how often it jumps each column.

use super::chain::OrbitChain;
use crate::index::{ColumnCounts, OrbitColumns, SliceLists};
use crate::rules::{RuleSet, Square, SquareSet, jumps, possible_chains};
use rustc_hash::FxHashSet;

/// What was passed of the chains of one column: where a chain has come, and what it has jumped.
pub type Passed = FxHashSet<(Square, u32, ColumnCounts)>;

/// Calls `visit` for each chain that some positions of an orbit have. With it come two sets of columns. The
/// mover must command those of the first: the column that captures, and those that it could jump otherwise.
/// The other side must not keep those of the second, jumped columns that it could jump again.
pub fn each_chain(
    rules: RuleSet,
    columns: &OrbitColumns,
    lists: &SliceLists,
    passed: &mut Passed,
    mut visit: impl FnMut(OrbitChain, u32, u32),
) {
    let mut visit = |chain: OrbitChain, open: u32| {
        visit(chain, 1 << chain.capturer | open & !chain.jumped, open & chain.jumped);
    };
    if rules.jumps_again() {
        let most_again = lists.splits.iter().map(|lists| lists.split.other_stackings.spare).max();
        let most_again = most_again.unwrap_or(0);
        ChainsAgain { columns, most_again, passed, visit }.visit_all();
    } else {
        let occupied = columns.occupied();
        possible_chains(occupied, rules, occupied.len(), |chain, spared| {
            visit(OrbitChain::new(chain, columns), columns.on_all(spared));
        });
    }
}

/// A search for the chains of an orbit where a square may be jumped again.
struct ChainsAgain<'a, Visit> {
    columns: &'a OrbitColumns,
    /// How often squares can be jumped again: as often as the other side has spare counters.
    most_again: usize,
    passed: &'a mut Passed,
    visit: Visit,
}

impl<Visit: FnMut(OrbitChain, u32)> ChainsAgain<'_, Visit> {
    /// Visits each chain of the orbit once. With it comes a set of columns: the chain ends where it does
    /// because the other side commands none of them after it.
    fn visit_all(&mut self) {
        for from in self.columns.occupied() {
            self.passed.clear();
            let capturer = self.columns.on(from);
            let start = OrbitChain { capturer, to: from, jumped: 0, again: ColumnCounts::NONE };
            self.go_on(&start, self.columns.occupied().without(from));
        }
    }

    /// Goes on where a chain has come to, `others` being the squares of the other columns.
    fn go_on(&mut self, chain: &OrbitChain, others: SquareSet) {
        if !self.passed.insert((chain.to, chain.jumped, chain.again)) {
            // What follows was found as well.
            return;
        }
        let next = || jumps(chain.to, others, !others);
        if chain.jumped != 0 {
            let open = next().fold(0, |open, (over, _)| open | 1 << self.columns.on(over));
            (self.visit)(*chain, open);
        }
        for (over, to) in next() {
            let column = self.columns.on(over);
            let is_again = chain.jumped >> column & 1 != 0;
            if is_again && chain.again.sum() == self.most_again {
                continue;
            }
            let again = if is_again { chain.again.more(column, 1) } else { chain.again };
            let jumped = chain.jumped | 1 << column;
            self.go_on(&OrbitChain { to, jumped, again, ..*chain }, others);
        }
    }
}
