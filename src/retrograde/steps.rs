//! Sets of quiet steps, as bits.

use crate::rules::{Direction, Square, SquareSet, stepped};

/// A set of steps of the columns on some squares, each to an empty square.
///
/// Of two neighbouring squares, only one is occupied, and so there is at most one step between them. It is
/// named by the lower one of the two: bits 0 to 24 if the other one is to its north-east, bits 32 to 56 if it
/// is to its north-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSet(u64);

impl StepSet {
    /// All steps that start on squares of `from` and end on squares of `to`, which have none in common.
    #[inline]
    pub fn between(from: SquareSet, to: SquareSet) -> StepSet {
        /// The squares with a neighbour to their north-east, and those with one to their north-west.
        const LOWER: [u32; 2] = {
            let all = SquareSet::FULL.bits();
            [stepped(all, Direction::SouthWest), stepped(all, Direction::SouthEast)]
        };
        let (from, to) = (from.bits(), to.bits());
        // A step is named by its lower square, wherever it starts.
        let steps = |ahead: u32| from & to >> ahead | to & from >> ahead;
        let (east, west) = (steps(4) & LOWER[0], steps(3) & LOWER[1]);
        StepSet(u64::from(east) | u64::from(west) << 32)
    }

    /// The steps that are in one of the sets.
    #[inline]
    pub fn or(self, other: StepSet) -> StepSet {
        StepSet(self.0 | other.0)
    }

    /// The steps in the order of their bits, each as a set of one.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = StepSet> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let step = rest & rest.wrapping_neg();
                rest ^= step;
                StepSet(step)
            })
        })
    }

    /// The steps for which a condition is met.
    pub fn filter(self, is_met: impl Fn(StepSet) -> bool) -> StepSet {
        StepSet(self.iter().filter(|&step| is_met(step)).fold(0, |set, step| set | step.0))
    }

    /// For each step in the order of their bits, how many steps of `all` come before it.
    #[inline]
    pub fn places_in(self, all: StepSet) -> impl Iterator<Item = usize> {
        debug_assert_eq!(self.0 & !all.0, 0, "the steps are among all");
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let before = !rest & (rest - 1);
                rest &= rest - 1;
                (all.0 & before).count_ones() as usize
            })
        })
    }

    /// The squares where a single step starts and ends. It starts in `from`.
    #[inline]
    pub fn squares(self, from: SquareSet) -> (Square, Square) {
        let number = self.0.trailing_zeros();
        let (low, high) =
            if number < 32 { (number, number + 4) } else { (number - 32, number - 29) };
        match [low, high].map(|square| Square::from_index(square as usize)) {
            [Some(low), Some(high)] if from.contains(low) => (low, high),
            [Some(low), Some(high)] => (high, low),
            _ => unreachable!("a step stays on the board"),
        }
    }
}
