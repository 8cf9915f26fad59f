//! The two sides, and a pair of values with one for each of them.

use std::fmt;
use std::ops::{Index, IndexMut, Not};
use std::str::FromStr;

/// One of the two sides. White moves up the board (from rank 1 to rank 7) and starts the game.
///
/// ```
/// use lasca_tablebase::rules::Color;
/// assert_eq!(!Color::White, Color::Black);
/// assert_eq!("b".parse(), Ok(Color::Black));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Color {
    /// The side that moves up the board.
    White,
    /// The side that moves down the board.
    Black,
}

impl Color {
    /// Both sides, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// The side's name in lower case: `white` or `black`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::White => "white",
            Color::Black => "black",
        }
    }

    /// The letter that ends a position in text: `w` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Color;
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl FromStr for Color {
    type Err = ParseColorError;

    /// Reads a name or a letter: `white`, `black`, `w` or `b`, in any case.
    fn from_str(text: &str) -> Result<Color, ParseColorError> {
        let is = |color: &Color| {
            let letter = color.letter().encode_utf8(&mut [0; 4]).eq_ignore_ascii_case(text);
            letter || color.name().eq_ignore_ascii_case(text)
        };
        Color::ALL.into_iter().find(is).ok_or(ParseColorError)
    }
}

/// A text that is no [`Color`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected white, black, w or b")]
pub struct ParseColorError;

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "White",
            Color::Black => "Black",
        })
    }
}

/// A pair of values, one for White and one for Black, indexed by [`Color`].
///
/// ```
/// use lasca_tablebase::rules::{ByColor, Color};
/// let counters = ByColor { white: 4, black: 3 };
/// assert_eq!(counters[Color::Black], 3);
/// assert_eq!(counters.swapped()[Color::Black], 4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByColor<T> {
    /// White's value.
    pub white: T,
    /// Black's value.
    pub black: T,
}

impl<T> ByColor<T> {
    /// Makes each side's value from its colour.
    pub fn from_fn(mut f: impl FnMut(Color) -> T) -> Self {
        ByColor { white: f(Color::White), black: f(Color::Black) }
    }

    /// The pair with the sides exchanged.
    pub fn swapped(self) -> Self {
        ByColor { white: self.black, black: self.white }
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;
    fn index(&self, color: Color) -> &T {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    fn index_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }
}
