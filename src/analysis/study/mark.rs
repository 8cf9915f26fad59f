//! How an author marks moves.

use std::fmt;

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
