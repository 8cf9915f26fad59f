//! Sets of quiet steps, as bits.

use crate::rules::{Direction, Square, SquareSet, steps_between};

/// A set of steps: 32 bits a direction, in the order of [`Direction::ALL`], the first lowest, for the
/// squares that they start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSet(u128);

impl StepSet {
    /// All steps that start on squares of `from` and end on squares of `to`.
    #[inline]
    pub fn between(from: SquareSet, to: SquareSet) -> StepSet {
        let steps = steps_between(from, to);
        let half =
            |low: SquareSet, high: SquareSet| u64::from(low.bits()) | u64::from(high.bits()) << 32;
        StepSet(u128::from(half(steps[0], steps[1])) | u128::from(half(steps[2], steps[3])) << 64)
    }

    /// The steps that are in one of the sets.
    #[inline]
    pub fn or(self, other: StepSet) -> StepSet {
        StepSet(self.0 | other.0)
    }

    /// How many steps there are.
    #[inline]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The steps in the order of their bits.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = StepNumber> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let step = StepNumber(rest.trailing_zeros());
                rest &= rest - 1;
                step
            })
        })
    }

    /// How many steps of the set come before this one in the order of their bits.
    #[inline]
    pub fn before(self, step: StepNumber) -> usize {
        (self.0 & ((1 << step.0) - 1)).count_ones() as usize
    }
}

/// A step, as its place in a [`StepSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepNumber(u32);

impl StepNumber {
    /// The square that the step starts from and the one that it ends on.
    #[inline]
    pub fn squares(self) -> (Square, Square) {
        let from = self.0 & 31;
        let to = match Direction::ALL[(self.0 >> 5) as usize] {
            Direction::NorthEast => from + 4,
            Direction::NorthWest => from + 3,
            Direction::SouthEast => from - 3,
            Direction::SouthWest => from - 4,
        };
        match [from, to].map(|square| Square::from_index(square as usize)) {
            [Some(from), Some(to)] => (from, to),
            _ => unreachable!("a step stays on the board"),
        }
    }
}
