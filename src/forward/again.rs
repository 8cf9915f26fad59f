//! The chains of jumps of an orbit, where a square may be jumped again.
//!
//! How far such a chain goes depends on the stacks: a column can be jumped as long as the other side
//! commands it. But the order of the jumps does not matter to what a chain does. So a chain is known by the
//! column that captures, by where it ends, and by how often it jumps each column.

use super::chain::OrbitChain;
use crate::index::{ColumnCounts, OrbitColumns};
use crate::rules::{Square, SquareSet, jumps};
use rustc_hash::FxHashSet;

/// What was passed of the chains of one column: where a chain has come, and what it has jumped.
pub type Passed = FxHashSet<(Square, u32, ColumnCounts)>;

/// The search for the chains of one column.
pub struct ChainsAgain<'a, Visit> {
    pub columns: &'a OrbitColumns,
    /// How often squares can be jumped again: as often as the other side has spare counters.
    pub most_again: usize,
    pub passed: &'a mut Passed,
    pub visit: Visit,
}

impl<Visit: FnMut(OrbitChain, u32)> ChainsAgain<'_, Visit> {
    /// Visits each chain of the orbit once. With it comes a set of columns: the chain ends where it does
    /// because the other side commands none of them after it.
    pub fn find(&mut self) {
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
        let next =
            || jumps(chain.to).filter(|&(over, to)| others.contains(over) && !others.contains(to));
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
