//! Moves and lines with what they are worth.

use crate::notation::move_text;
use crate::rules::{Move, Placement, Position, RuleSet};
use crate::{Outcome, Value, ValueRange};
use std::fmt;

/// A legal move, and what is known of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RatedMove {
    /// The move.
    pub played: Move,
    /// The position after the move.
    pub after: Position,
    /// What the move is worth to the side that makes it. Distances count from the position before the move.
    /// [`Tablebase::moves`](super::Tablebase::moves) and
    /// [`Tablebase::best_line`](super::Tablebase::best_line) give exact values.
    pub value: ValueRange,
}

impl fmt::Display for RatedMove {
    /// Writes the move with the columns that a capture leaves, as [`move_text`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&move_text(&self.played, &self.after))
    }
}

/// A line of best play, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Line {
    /// The moves, from the position that was asked about.
    pub moves: Vec<RatedMove>,
    /// How the line ends: a side has won, or the last move repeats an earlier position of the line, which
    /// is a draw. `None` if it goes no further than what is known.
    pub end: Option<Outcome>,
    /// Whether the line is best play: it draws, or it takes the exact distance. Otherwise it is the best
    /// line that a search knows, and there may be a quicker win.
    pub is_best: bool,
}

impl Line {
    /// The line of these moves from a position.
    pub(crate) fn new(
        start: &Position,
        moves: Vec<RatedMove>,
        rules: RuleSet,
        is_best: bool,
    ) -> Line {
        let passed = std::iter::once(*start).chain(moves.iter().map(|rated| rated.after));
        let end = Line::end_of(&passed.collect::<Vec<_>>(), rules);
        Line { moves, end, is_best }
    }

    /// How a line ends that passes through these positions, the one that it begins with first: a side has
    /// won, or the last position repeats an earlier one, which is a draw. `None` if there is none, or if the
    /// game could go on and nothing is repeated.
    ///
    /// ```
    /// use lasca_tablebase::Outcome;
    /// use lasca_tablebase::probe::Line;
    /// use lasca_tablebase::rules::{Color, RuleSet};
    /// let over = "a1WB w".parse()?;
    /// assert_eq!(Line::end_of(&[over], RuleSet::Lasca), Some(Outcome::Win(Color::White)));
    /// let start = "a1W g7B w".parse()?;
    /// assert_eq!(Line::end_of(&[start], RuleSet::Lasca), None);
    /// assert_eq!(Line::end_of(&[start, start], RuleSet::Lasca), Some(Outcome::Draw));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn end_of(positions: &[Position], rules: RuleSet) -> Option<Outcome> {
        let (last, before) = positions.split_last()?;
        if last.successors(rules).is_empty() {
            let value = decided(last.placement()).unwrap_or(Value::Loss(0));
            return Some(Outcome::of(value.wdl(), last.side_to_move()));
        }
        before.contains(last).then_some(Outcome::Draw)
    }
}

/// The value of a position in which a side commands no column.
#[inline]
pub(super) fn decided(placement: Placement) -> Option<Value> {
    match (placement.mover.is_empty(), placement.other.is_empty()) {
        (true, _) => Some(Value::Loss(0)),
        (false, true) => Some(Value::Win(0)),
        (false, false) => None,
    }
}
