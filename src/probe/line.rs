//! Moves and lines with what they are worth.

use crate::notation::move_text;
use crate::rules::{Move, Placement, Position};
use crate::{Outcome, Value, ValueRange};
use std::fmt;

/// A legal move, and its value, as far as it is known. The moves of [`Tablebase::moves`](super::Tablebase::moves)
/// have exact values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RatedMove<V = ValueRange> {
    /// The move.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub played: Move,
    /// The position after the move.
    #[cfg_attr(feature = "serde", serde(rename = "position"))]
    pub after: Position,
    /// What the move is worth to the side that makes it. Distances count from the position before the move.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub value: V,
}

impl From<RatedMove<Value>> for RatedMove {
    fn from(rated: RatedMove<Value>) -> RatedMove {
        let RatedMove { played, after, value } = rated;
        RatedMove { played, after, value: value.into() }
    }
}

impl<V> fmt::Display for RatedMove<V> {
    /// Writes the move with the columns that a capture leaves, as [`move_text`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&move_text(&self.played, &self.after))
    }
}

/// A line of best play, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Line<V = ValueRange> {
    /// The moves, from the position that was asked about.
    pub moves: Vec<RatedMove<V>>,
    /// How the line ends: a side has won, or the last move repeats an earlier position of the line, which
    /// is a draw. `None` if it goes no further than what is known.
    pub end: Option<Outcome>,
    /// Whether the line is best play: it draws, or it takes the exact distance. Otherwise it is the best
    /// line that a search knows, and there may be a quicker win.
    pub is_best: bool,
}

impl<V> Default for Line<V> {
    fn default() -> Line<V> {
        Line { moves: Vec::new(), end: None, is_best: false }
    }
}

impl From<Line<Value>> for Line {
    fn from(line: Line<Value>) -> Line {
        let Line { moves, end, is_best } = line;
        Line { moves: moves.into_iter().map(RatedMove::from).collect(), end, is_best }
    }
}

impl<V> Line<V> {
    /// The line of these moves from a position.
    #[doc(hidden)]
    pub fn new(start: &Position, moves: Vec<RatedMove<V>>, is_best: bool) -> Line<V> {
        let passed = std::iter::once(*start).chain(moves.iter().map(|rated| rated.after));
        let end = Line::end_of(&passed.collect::<Vec<_>>());
        Line { moves, end, is_best }
    }
}

impl Line {
    /// How a line ends that passes through these positions, the one that it begins with first: a side has
    /// won, or the last position repeats an earlier one, which is a draw. `None` if there is none, or if the
    /// game could go on and nothing is repeated.
    ///
    /// ```
    /// use lasca_tablebase::Outcome;
    /// use lasca_tablebase::probe::Line;
    /// use lasca_tablebase::rules::Color;
    /// let over = "a1WB w".parse()?;
    /// assert_eq!(Line::end_of(&[over]), Some(Outcome::Win(Color::White)));
    /// let start = "a1W g7B w".parse()?;
    /// assert_eq!(Line::end_of(&[start]), None);
    /// assert_eq!(Line::end_of(&[start, start]), Some(Outcome::Draw));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn end_of(positions: &[Position]) -> Option<Outcome> {
        let (last, before) = positions.split_last()?;
        last.outcome().or_else(|| before.contains(last).then_some(Outcome::Draw))
    }
}

/// The value of a position in which the game is over, as the rules alone tell.
pub fn value_if_over(position: &Position) -> Option<Value> {
    // Who has columns but no move is blocked.
    position.is_over().then(|| decided(position.placement()).unwrap_or(Value::Loss(0)))
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

/// Whether the side to move commands columns of officers alone, and has no move.
pub(super) fn is_blocked(placement: Placement) -> bool {
    !placement.must_capture() && placement.steps().next().is_none()
}
