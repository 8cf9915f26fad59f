//! What an author can claim: outcomes and marks.

use crate::rules::Color;
use crate::{Value, Wdl};
use std::fmt;

/// How a game ends if both sides play best.
///
/// ```
/// use lasca_tablebase::Value;
/// use lasca_tablebase::rules::Color;
/// use lasca_tablebase::study::Outcome;
/// assert_eq!(Outcome::of(Value::Loss(4), Color::White), Outcome::Win(Color::Black));
/// assert_eq!(Outcome::Win(Color::Black).symbol(), "0-1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side wins.
    Win(Color),
    /// Neither side wins.
    Draw,
}

impl Outcome {
    /// What a value means when it is the value for `side_to_move`.
    pub fn of(value: Value, side_to_move: Color) -> Outcome {
        match value.wdl() {
            Wdl::Win => Outcome::Win(side_to_move),
            Wdl::Draw => Outcome::Draw,
            Wdl::Loss => Outcome::Win(!side_to_move),
        }
    }

    /// `1-0`, `0-1` or `1/2`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Outcome::Win(Color::White) => "1-0",
            Outcome::Win(Color::Black) => "0-1",
            Outcome::Draw => "1/2",
        }
    }

    /// The outcome that these characters stand for.
    pub(super) fn from_symbol(symbol: &str) -> Option<Outcome> {
        match symbol {
            "1-0" | "+-" => Some(Outcome::Win(Color::White)),
            "0-1" | "-+" => Some(Outcome::Win(Color::Black)),
            "1/2" | "1/2-1/2" | "½" | "½-½" | "=" => Some(Outcome::Draw),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    /// Prints `White wins`, `Black wins` or `a draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Win(side) => write!(f, "{side} wins"),
            Outcome::Draw => f.write_str("a draw"),
        }
    }
}

/// A sign after a move that says how good the move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// `!`: a good move.
    Good,
    /// `!!`: an excellent move.
    Excellent,
    /// `?`: a mistake.
    Bad,
    /// `??`: a blunder.
    Blunder,
    /// `!?`: an interesting move.
    Interesting,
    /// `?!`: a dubious move.
    Dubious,
}

impl Mark {
    /// All marks.
    pub const ALL: [Mark; 6] =
        [Mark::Good, Mark::Excellent, Mark::Bad, Mark::Blunder, Mark::Interesting, Mark::Dubious];

    /// The mark as it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Mark::Good => "!",
            Mark::Excellent => "!!",
            Mark::Bad => "?",
            Mark::Blunder => "??",
            Mark::Interesting => "!?",
            Mark::Dubious => "?!",
        }
    }

    pub(super) fn from_symbol(symbol: &str) -> Option<Mark> {
        Mark::ALL.into_iter().find(|mark| mark.symbol() == symbol)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}
