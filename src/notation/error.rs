//! Errors in the texts of positions and moves.

use super::scan::character_number;
use crate::Reason;
use crate::rules::{Color, PositionError, TooManyMoves};
use std::error::Error;
use std::fmt;

/// What is wrong with a text, and where. The alternate form (`{error:#}`) leaves the place out of the
/// message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextError<Problem> {
    /// The number of the character where the problem is, from 1; `None` if it is the text as a whole.
    pub at: Option<usize>,
    /// What is wrong.
    pub problem: Problem,
}

/// Why a text is not a position.
///
/// ```
/// use lasca_tablebase::notation::PositionProblem;
/// use lasca_tablebase::rules::Position;
///
/// let error = "a1WWW a2BBB w".parse::<Position>().unwrap_err();
/// assert_eq!(error.at, Some(7));
/// assert_eq!(error.problem, PositionProblem::UnknownSquare { found: "a2".into() });
/// assert_eq!(
///     error.to_string(),
///     "at character 7: expected one of the 25 squares (a1, c1 … g7, or 1 to 25), \
///      found \"a2\""
/// );
/// ```
pub type ParsePositionError = TextError<PositionProblem>;

/// Why a text is not a move of a position. Moves are listed as [`super::move_text`] prints them.
///
/// ```
/// use lasca_tablebase::notation::parse_move;
/// use lasca_tablebase::rules::{Position, RuleSet};
///
/// let ring: Position = "c3W d4BB d6BB b6BB b4BB w".parse().unwrap();
/// let error = parse_move("c3-c3", &ring, RuleSet::Lasca).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected one move, found \"c3-c3\", which fits 2: \
///      c3-b4B-a5-b6B-c7-d6B-e5-d4B-c3WBBBB, c3-d4B-e5-d6B-c7-b6B-a5-b4B-c3WBBBB"
/// );
/// ```
pub type ParseMoveError = TextError<MoveProblem>;

impl<Problem: fmt::Display> fmt::Display for TextError<Problem> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.at.filter(|_| !f.alternate()) {
            write!(f, "at character {at}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl<Problem: Error> Error for TextError<Problem> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.problem.source()
    }
}

impl<Problem> TextError<Problem> {
    /// A problem at the beginning of a part of a text.
    pub(super) fn in_text(text: &str, part: &str, problem: Problem) -> TextError<Problem> {
        TextError { at: Some(character_number(text, part)), problem }
    }
}

impl<Problem> From<Problem> for TextError<Problem> {
    /// A problem of the text as a whole.
    fn from(problem: Problem) -> TextError<Problem> {
        TextError { at: None, problem }
    }
}

impl TextError<MoveProblem> {
    /// The reason, in a word for programs.
    pub fn reason(&self) -> Reason {
        match self.problem {
            MoveProblem::GameOver { .. } => Reason::GameOver,
            MoveProblem::TooManyMoves(_) => Reason::TooManyMoves,
            _ => Reason::NotAMove,
        }
    }
}

/// What is wrong with the text of a position. Its place is where the missing or wrong part should start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionProblem {
    /// The text does not have the form of a position. This says what was expected, and what was found.
    #[error("{0}")]
    Form(String),
    /// There is no square where one should be, or one that is not played on, such as `a2`, `h1` or `26`.
    #[error("expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found {found:?}")]
    UnknownSquare {
        /// The text at that place.
        found: String,
    },
    /// The columns do not make a position: the board is empty, or there are too many counters.
    #[error("{0}")]
    Board(#[source] PositionError),
}

/// What is wrong with the text of a move. Its place is where the missing or wrong part should start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveProblem {
    /// The text does not have the form of a move. This says what was expected, and what was found.
    #[error("{0}")]
    Form(String),
    /// The text names a column that does not arise. This says which one arises, and what was found.
    #[error("{0}")]
    ColumnDoesNotArise(String),
    /// The position has no moves: the side to move is blocked, or one side commands no column.
    #[error("expected no move: the game is over, {side_to_move} to move has none")]
    GameOver {
        /// The side to move.
        side_to_move: Color,
    },
    /// The position has more moves than are listed, so it is not known which one the text means.
    #[error(transparent)]
    TooManyMoves(TooManyMoves),
    /// No legal move has these squares.
    #[error("expected a legal move ({}), found {found:?}", MoveList(legal))]
    NotLegal {
        /// The text, shortened.
        found: String,
        /// All legal moves.
        legal: Vec<String>,
    },
    /// The text stops in the middle of a capture, which must go on.
    #[error("expected the whole capture ({}), found {found:?}", MoveList(legal))]
    Unfinished {
        /// The text, shortened.
        found: String,
        /// The legal moves that begin like this.
        legal: Vec<String>,
    },
    /// The text is an abbreviation that fits several legal moves.
    #[error(
        "expected one move, found {found:?}, which fits {}: {}", fitting.len(), MoveList(fitting)
    )]
    Ambiguous {
        /// The text, shortened.
        found: String,
        /// Those moves.
        fitting: Vec<String>,
    },
    /// The squares fit several legal moves, but none of them leads to the columns in the text.
    #[error("expected the columns that arise ({}), found {found:?}", MoveList(fitting))]
    WrongColumns {
        /// The text, shortened.
        found: String,
        /// The moves that the squares fit.
        fitting: Vec<String>,
    },
}

/// Moves for a message: the first few, followed by how many there are if these are not all.
struct MoveList<'a>(&'a [String]);

impl fmt::Display for MoveList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        f.write_str(&self.0[..self.0.len().min(SHOWN)].join(", "))?;
        if self.0.len() > SHOWN {
            write!(f, ", … {} in all", self.0.len())?;
        }
        Ok(())
    }
}
