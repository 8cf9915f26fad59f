//! Why a text is not a position or not a move.

use super::MAX_TEXT_LEN;
use crate::rules::{Color, Column, PositionError, Square};
use std::fmt;

/// Why a text is not a position.
///
/// `at` is the place of the trouble: the first character of the text is number 1. The alternate form
/// (`{error:#}`) leaves the place out of the message.
///
/// ```
/// use lasca_tablebase::notation::ParsePositionError;
/// use lasca_tablebase::rules::Position;
///
/// let error = "a1WWW a2BBB w".parse::<Position>().unwrap_err();
/// assert_eq!(error, ParsePositionError::UnknownSquare { at: 7, found: "a2".into() });
/// assert_eq!(
///     error.to_string(),
///     "at character 7: expected one of the 25 squares (a1, c1 … g7, or 1 to 25), \
///      found \"a2\""
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsePositionError {
    /// The text is longer than [`MAX_TEXT_LEN`].
    TooLong {
        /// How many bytes it has.
        found: usize,
    },
    /// The text holds nothing.
    NoText,
    /// No square where one should be, or one that is not played on, such as `a2`, `h1` or `26`.
    UnknownSquare {
        /// The character at which the square should start.
        at: usize,
        /// What stands there.
        found: String,
    },
    /// A square is named a second time.
    SquareTwice {
        /// The character at which it is named again.
        at: usize,
        /// The square.
        square: Square,
    },
    /// A square is named without any counters.
    NoCounters {
        /// The character at which the counters should start.
        at: usize,
        /// The square.
        square: Square,
    },
    /// A character in a column that is none of `w`, `b`, `W`, `B`.
    UnknownCounter {
        /// Where it is.
        at: usize,
        /// The character.
        found: char,
    },
    /// The text ends without saying who is to move.
    SideMissing {
        /// The character at which the side to move should start.
        at: usize,
    },
    /// The last word names no side.
    UnknownSide {
        /// The character at which it starts.
        at: usize,
        /// The word.
        found: String,
    },
    /// A row form without exactly seven rows.
    RowCount {
        /// The character at which the surplus starts, or the rows end too soon.
        at: usize,
        /// How many rows there are.
        found: usize,
    },
    /// A row of the row form that has too many or too few squares.
    SquareCount {
        /// The character at which the row starts.
        at: usize,
        /// The row, 7 to 1.
        row: usize,
        /// How many squares the row has on the board.
        expected: usize,
        /// How many it has in the text.
        found: usize,
    },
    /// The columns make no position: the board is empty, or there are too many counters.
    Board(PositionError),
}

impl ParsePositionError {
    /// The place of the trouble, in characters from 1; `None` if it is the text as a whole.
    pub fn at(&self) -> Option<usize> {
        use ParsePositionError::*;
        match self {
            UnknownSquare { at, .. }
            | SquareTwice { at, .. }
            | NoCounters { at, .. }
            | UnknownCounter { at, .. }
            | SideMissing { at, .. }
            | UnknownSide { at, .. }
            | RowCount { at, .. }
            | SquareCount { at, .. } => Some(*at),
            _ => None,
        }
    }
}

impl fmt::Display for ParsePositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ParsePositionError::*;
        if let Some(at) = self.at().filter(|_| !f.alternate()) {
            write!(f, "at character {at}: ")?;
        }
        match self {
            TooLong { found } => {
                write!(f, "expected a position of at most {MAX_TEXT_LEN} bytes, found {found}")
            }
            NoText => {
                f.write_str("expected a position such as \"a1WWW b2BBB w\", found an empty text")
            }
            UnknownSquare { found, .. } => write!(
                f,
                "expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found {found:?}"
            ),
            SquareTwice { square, .. } => {
                write!(f, "expected each square once, found {square} again")
            }
            NoCounters { square, .. } => {
                write!(f, "expected counters (w, b, W or B) after {square}, found none")
            }
            UnknownCounter { found, .. } => write!(
                f,
                "expected a counter (w or b for a soldier, W or B for an officer), found {found:?}"
            ),
            SideMissing { .. } => write!(
                f,
                "expected the side to move (w or b, White or Black), found the end of the position"
            ),
            UnknownSide { found, .. } => {
                write!(f, "expected the side to move (w or b, White or Black), found {found:?}")
            }
            RowCount { found, .. } => {
                write!(f, "expected 7 rows with '/' between them, found {found}")
            }
            SquareCount { row, expected, found, .. } => write!(
                f,
                "expected {expected} squares with ',' between them in row {row}, found {found}"
            ),
            Board(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ParsePositionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ParsePositionError::Board(error) => Some(error),
            _ => None,
        }
    }
}

/// Why a text is not a move of a position.
///
/// `at` is the place of the trouble: the first character of the text is number 1. The alternate form
/// (`{error:#}`) leaves the place out of the message. Moves are listed as [`super::move_text`] prints
/// them.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseMoveError {
    /// The text is longer than [`MAX_TEXT_LEN`].
    TooLong {
        /// How many bytes it has.
        found: usize,
    },
    /// The text holds nothing.
    NoText,
    /// No square where one should be, or one that is not played on.
    UnknownSquare {
        /// The character at which the square should start.
        at: usize,
        /// What stands there, up to the next separator; empty at the end of the text.
        found: String,
    },
    /// A character after a square that neither goes on with its column nor leads to the next
    /// square.
    Unexpected {
        /// Where it is.
        at: usize,
        /// The character.
        found: char,
    },
    /// Only one square is named.
    OneSquare {
        /// The square.
        square: Square,
    },
    /// There is no move: the side to move is blocked, or one side commands no column.
    GameOver {
        /// The side to move.
        side_to_move: Color,
    },
    /// No legal move passes these squares.
    NotLegal {
        /// The text.
        found: String,
        /// All legal moves.
        legal: Vec<String>,
    },
    /// The text stops in the middle of a take, which must go on.
    Unfinished {
        /// The text.
        found: String,
        /// The legal moves that begin so.
        legal: Vec<String>,
    },
    /// An abbreviation that fits several legal moves.
    Ambiguous {
        /// The text.
        found: String,
        /// The moves that it fits.
        fitting: Vec<String>,
    },
    /// The squares fit one legal move, but it does not lead to the column that is written.
    WrongColumn {
        /// The character at which the square is named.
        at: usize,
        /// The square.
        square: Square,
        /// The column in the text.
        written: String,
        /// The column that arises there.
        arises: Column,
    },
    /// The squares fit several legal moves, and none of them leads to the columns that are written.
    WrongColumns {
        /// The text.
        found: String,
        /// The moves that the squares fit.
        fitting: Vec<String>,
    },
}

impl ParseMoveError {
    /// The place of the trouble, in characters from 1; `None` if it is the text as a whole.
    pub fn at(&self) -> Option<usize> {
        use ParseMoveError::*;
        match self {
            UnknownSquare { at, .. } | Unexpected { at, .. } | WrongColumn { at, .. } => Some(*at),
            _ => None,
        }
    }
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ParseMoveError::*;
        if let Some(at) = self.at().filter(|_| !f.alternate()) {
            write!(f, "at character {at}: ")?;
        }
        match self {
            TooLong { found } => {
                write!(f, "expected a move of at most {MAX_TEXT_LEN} bytes, found {found}")
            }
            NoText => f.write_str("expected a move such as \"c3-d4\", found an empty text"),
            UnknownSquare { found, .. } if found.is_empty() => write!(
                f,
                "expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found \
                 the end of the move"
            ),
            UnknownSquare { found, .. } => write!(
                f,
                "expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found {found:?}"
            ),
            Unexpected { found, .. } => {
                write!(f, "expected a counter (w, b, W or B), '-' or 'x', found {found:?}")
            }
            OneSquare { square } => {
                write!(f, "expected at least two squares, such as \"c3-d4\", found {square} alone")
            }
            GameOver { side_to_move } => {
                write!(f, "expected no move: the game is over, {side_to_move} to move has none")
            }
            NotLegal { found, legal } => {
                write!(f, "expected a legal move ({}), found {found:?}", Listed(legal))
            }
            Unfinished { found, legal } => {
                write!(f, "expected the whole take ({}), found {found:?}", Listed(legal))
            }
            Ambiguous { found, fitting } => write!(
                f,
                "expected one move, found {found:?}, which fits {}: {}",
                fitting.len(),
                Listed(fitting)
            ),
            WrongColumn { square, written, arises, .. } if arises.is_empty() => {
                write!(f, "expected {square} bare, as it is left empty, found {square}{written}")
            }
            WrongColumn { square, written, arises, .. } => write!(
                f,
                "expected {square}{arises}, the column that arises, found {square}{written}"
            ),
            WrongColumns { found, fitting } => {
                write!(f, "expected the columns that arise ({}), found {found:?}", Listed(fitting))
            }
        }
    }
}

impl std::error::Error for ParseMoveError {}

/// Moves for a message: the first few, and how many there are if that is not all.
struct Listed<'a>(&'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        for (i, text) in self.0.iter().take(SHOWN).enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            f.write_str(text)?;
        }
        if self.0.len() > SHOWN {
            write!(f, ", … {} in all", self.0.len())?;
        }
        Ok(())
    }
}
