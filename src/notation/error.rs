//! What is wrong with the text of a position or a move.

use crate::Reason;
use crate::rules::Color;

/// Why a text is not a position, or not a move of a position.
///
/// ```
/// use lasca_tablebase::Reason;
/// use lasca_tablebase::notation::parse_move;
/// use lasca_tablebase::rules::{Position, RuleSet};
///
/// let error = "a1WWW a2BBB w".parse::<Position>().unwrap_err();
/// assert_eq!((error.at, error.reason()), (Some(7), Reason::NotAPosition));
/// assert_eq!(
///     error.to_string(),
///     "at character 7: expected one of the 25 squares (a1, c1 … g7, or 1 to 25), \
///      found \"a2\""
/// );
///
/// let ring: Position = "c3W d4BB d6BB b6BB b4BB w".parse().unwrap();
/// let error = parse_move("c3-c3", &ring, RuleSet::Lasca).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected one move, found \"c3-c3\", which fits 2: \
///      c3-b4B-a5-b6B-c7-d6B-e5-d4B-c3WBBBB, c3-d4B-e5-d6B-c7-b6B-a5-b4B-c3WBBBB"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", at.map(|at| format!("at character {at}: ")).unwrap_or_default())]
#[non_exhaustive]
pub struct TextError {
    /// The number of the character where the missing or wrong part should start, from 1; `None` if the
    /// text as a whole is wrong.
    pub at: Option<usize>,
    /// What was expected, and what was found. Moves are listed as [`super::move_text`] prints them.
    pub problem: String,
    reason: Reason,
}

impl TextError {
    /// The reason, in a word for programs.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// There is no move, because the game is over: the side to move is blocked, or one side commands no column.
    pub fn game_over(side_to_move: Color) -> TextError {
        let problem =
            format!("expected no move: the game is over, {side_to_move} to move has none");
        TextError::new(Reason::GameOver, problem)
    }

    /// The text as a whole is wrong.
    pub(super) fn new(reason: Reason, problem: impl Into<String>) -> TextError {
        TextError { at: None, problem: problem.into(), reason }
    }

    /// The same problem at this character.
    pub(super) fn at(self, character: usize) -> TextError {
        TextError { at: Some(character), ..self }
    }
}
