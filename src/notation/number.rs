//! The numbers of moves, as players write them.

use crate::rules::Color;
use std::{fmt, iter};

/// The number of a move: `3.` for White's third move, `3...` for Black's answer to it.
///
/// ```
/// use lasca_tablebase::notation::MoveNumber;
/// use lasca_tablebase::rules::Color;
/// let number = MoveNumber::first(Color::Black);
/// assert_eq!(number.to_string(), "1...");
/// assert_eq!(number.next().to_string(), "2.");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveNumber {
    /// The number without its dots. White's move and Black's answer have the same one.
    pub number: u32,
    /// Whose move it is.
    pub side: Color,
}

impl MoveNumber {
    /// Number 1 for this side.
    pub const fn first(side: Color) -> MoveNumber {
        MoveNumber { number: 1, side }
    }

    /// The number of the next move. The greatest number is followed by itself.
    #[must_use]
    pub fn next(self) -> MoveNumber {
        let number = match self.side {
            Color::White => self.number,
            Color::Black => self.number.saturating_add(1),
        };
        MoveNumber { number, side: !self.side }
    }

    /// A move as it stands in a line: with its number if it is White's, or the first one of the line.
    #[doc(hidden)]
    pub fn before(self, played: &str, is_first: bool) -> String {
        match is_first || self.side == Color::White {
            true => format!("{self} {played}"),
            false => played.to_owned(),
        }
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = match self.side {
            Color::White => ".",
            Color::Black => "...",
        };
        write!(f, "{}{dots}", self.number)
    }
}

/// Consecutive moves as text. White's moves have numbers, and so has the first move if it is Black's.
///
/// ```
/// use lasca_tablebase::notation::{MoveNumber, numbered};
/// use lasca_tablebase::rules::Color;
/// let moves = ["e3-f4", "c3-d2", "f4-g3"];
/// assert_eq!(numbered(MoveNumber::first(Color::Black), moves), "1... e3-f4 2. c3-d2 f4-g3");
/// ```
pub fn numbered(first: MoveNumber, moves: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let numbers = iter::successors(Some(first), |number| Some(number.next()));
    let numbered = |(at, (played, number)): (usize, (_, MoveNumber))| {
        let played: &str = AsRef::as_ref(&played);
        number.before(played, at == 0)
    };
    moves.into_iter().zip(numbers).enumerate().map(numbered).collect::<Vec<_>>().join(" ")
}
