//! Errors in the texts of positions and moves.

use super::MAX_TEXT_LEN;
use crate::rules::{Color, Column, PositionError, Square};
use std::fmt;

/// Why a text is not a position.
///
/// `at` is the number of the character where the problem is, counted from 1. The alternate form
/// (`{error:#}`) leaves it out of the message.
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
#[non_exhaustive]
pub enum ParsePositionError {
    /// The text is longer than [`MAX_TEXT_LEN`].
    TooLong {
        /// How many bytes it has.
        found: usize,
    },
    /// The text is empty.
    NoText,
    /// There is no square where one should be, or one that is not played on, such as `a2`, `h1` or `26`.
    UnknownSquare {
        /// The character at which the square should start.
        at: usize,
        /// The text at that place.
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
    /// A column has a character other than `w`, `b`, `W` and `B`.
    UnknownCounter {
        /// The number of that character.
        at: usize,
        /// The character.
        found: char,
    },
    /// The text ends without saying who is to move.
    SideMissing {
        /// The character at which the side to move should start.
        at: usize,
    },
    /// The last word is not the name of a side.
    UnknownSide {
        /// The character at which it starts.
        at: usize,
        /// The word.
        found: String,
    },
    /// A text in row form does not have seven parts, one for each rank.
    RankCount {
        /// The character where the eighth part starts, or where the text ends too soon.
        at: usize,
        /// How many parts there are.
        found: usize,
    },
    /// A rank of the row form has too many or too few squares.
    SquareCount {
        /// The character at which the rank starts.
        at: usize,
        /// The rank, from 7 down to 1.
        rank: usize,
        /// How many squares the rank has on the board.
        expected: usize,
        /// How many it has in the text.
        found: usize,
    },
    /// The columns do not make a position: the board is empty, or there are too many counters.
    Board(PositionError),
}

impl ParsePositionError {
    /// The number of the character where the problem is, from 1; `None` if it is the text as a whole.
    pub fn at(&self) -> Option<usize> {
        use ParsePositionError::*;
        match self {
            UnknownSquare { at, .. }
            | SquareTwice { at, .. }
            | NoCounters { at, .. }
            | UnknownCounter { at, .. }
            | SideMissing { at, .. }
            | UnknownSide { at, .. }
            | RankCount { at, .. }
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
            RankCount { found, .. } => {
                write!(f, "expected 7 ranks with '/' between them, found {found}")
            }
            SquareCount { rank, expected, found, .. } => write!(
                f,
                "expected {expected} squares with ',' between them in rank {rank}, found {found}"
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
/// `at` is the number of the character where the problem is, counted from 1. The alternate form
/// (`{error:#}`) leaves it out of the message. Moves are listed as [`super::move_text`] prints them.
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
#[non_exhaustive]
pub enum ParseMoveError {
    /// The text is longer than [`MAX_TEXT_LEN`].
    TooLong {
        /// How many bytes it has.
        found: usize,
    },
    /// The text is empty.
    NoText,
    /// There is no square where one should be, or one that is not played on.
    UnknownSquare {
        /// The character at which the square should start.
        at: usize,
        /// The text at that place, up to the next separator; empty at the end of the text.
        found: String,
    },
    /// After a square stands a character that belongs neither to its column nor to a separator.
    Unexpected {
        /// The number of that character.
        at: usize,
        /// The character.
        found: char,
    },
    /// The text has only one square.
    OneSquare {
        /// The square.
        square: Square,
    },
    /// The position has no moves: the side to move is blocked, or one side commands no column.
    GameOver {
        /// The side to move.
        side_to_move: Color,
    },
    /// No legal move has these squares.
    NotLegal {
        /// The text, shortened.
        found: String,
        /// All legal moves.
        legal: Vec<String>,
    },
    /// The text stops in the middle of a capture, which must go on.
    Unfinished {
        /// The text, shortened.
        found: String,
        /// The legal moves that begin like this.
        legal: Vec<String>,
    },
    /// The text is an abbreviation that fits several legal moves.
    Ambiguous {
        /// The text, shortened.
        found: String,
        /// Those moves.
        fitting: Vec<String>,
    },
    /// The squares fit one legal move, but that move does not lead to the column in the text.
    WrongColumn {
        /// The character at which the square starts.
        at: usize,
        /// The square.
        square: Square,
        /// The column in the text.
        written: String,
        /// The column that the move leads to on that square.
        arises: Column,
    },
    /// The squares fit several legal moves, but none of them leads to the columns in the text.
    WrongColumns {
        /// The text, shortened.
        found: String,
        /// The moves that the squares fit.
        fitting: Vec<String>,
    },
}

impl ParseMoveError {
    /// The number of the character where the problem is, from 1; `None` if it is the text as a whole.
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
                write!(f, "expected a legal move ({}), found {found:?}", MoveList(legal))
            }
            Unfinished { found, legal } => {
                write!(f, "expected the whole capture ({}), found {found:?}", MoveList(legal))
            }
            Ambiguous { found, fitting } => write!(
                f,
                "expected one move, found {found:?}, which fits {}: {}",
                fitting.len(),
                MoveList(fitting)
            ),
            WrongColumn { square, written, arises, .. } if arises.is_empty() => {
                write!(f, "expected {square} bare, as it is left empty, found {square}{written}")
            }
            WrongColumn { square, written, arises, .. } => write!(
                f,
                "expected {square}{arises}, the column that arises, found {square}{written}"
            ),
            WrongColumns { found, fitting } => {
                write!(
                    f,
                    "expected the columns that arise ({}), found {found:?}",
                    MoveList(fitting)
                )
            }
        }
    }
}

impl std::error::Error for ParseMoveError {}

/// Moves for a message: the first few, followed by how many there are if these are not all.
struct MoveList<'a>(&'a [String]);

impl fmt::Display for MoveList<'_> {
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
