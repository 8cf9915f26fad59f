//! What was found out about the claims of a study.

use super::error::Location;
use super::{ClaimedOutcome, Mark};
use lasca_tablebase::ValueRange;
use lasca_tablebase::notation::{MoveNumber, TextError};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Standing};
use lasca_tablebase::rules::Position;

/// What checking a study found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StudyReport {
    /// How many moves could be played.
    pub moves: usize,
    /// How many moves could not be played, because a move before them is not legal.
    pub unplayed: usize,
    /// All claims, in the order of the text.
    pub claims: Vec<CheckedClaim>,
}

/// A claim, and what was found out about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedClaim {
    /// Where the claim stands in the text.
    pub location: Location,
    /// The position that the claim is about. For a move it is the position before the move.
    pub position: Position,
    /// The number of the move to be made in that position. For a move it is its own number.
    pub number: MoveNumber,
    /// The claim.
    pub claim: Claim,
    /// What was found out about it.
    pub finding: Finding,
}

/// A claim of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The verdict on the position at the start of the study.
    Verdict(ClaimedOutcome),
    /// The result of a line.
    Result {
        /// The result.
        claimed: ClaimedOutcome,
        /// The move after which it stands, with its number, as
        /// [`move_text`](lasca_tablebase::notation::move_text) prints it.
        after: String,
    },
    /// What the mark of a move says, or what it means that the move has none. Every move also claims to
    /// be legal.
    Move {
        /// The move as [`move_text`](lasca_tablebase::notation::move_text) prints it. If it is not legal, the text of
        /// the study, shortened.
        text: String,
        /// The mark of the move.
        mark: Option<Mark>,
    },
}

/// What was found out about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The claim is right.
    Confirmed(Truth),
    /// The claim is wrong.
    Refuted {
        /// What is true instead.
        truth: Truth,
        /// The line that shows it. For a verdict or a result, it is best play from the position. For a
        /// move, it is best play after the move. If another move is better ([`Truth::NotBest`]), it is best
        /// play with that move. Empty if the move is not legal, or if no line shows it: that a game cannot be so short.
        line: Line,
    },
    /// The tables do not cover the position, for this reason, and it was not searched.
    NotInTables(ProbeError),
    /// The tables do not cover the position, and the search has not decided the claim.
    Open {
        /// Why the tables do not cover it.
        absent: ProbeError,
        /// What is proved of the position; for a move, of the position before it.
        position: ValueRange,
        /// For a move, what is proved of it for the side that makes it.
        played: Option<ValueRange>,
    },
}

/// What is true of a position or a move that a claim is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The move is not legal, or it leads to other columns than those in the text. This only refutes.
    Illegal(TextError),
    /// The value of the position, for a verdict or a result.
    Value(ValueRange),
    /// The move keeps the result. This confirms a move, unless it is marked as a mistake; then it refutes
    /// the mark.
    Sound {
        /// The value of the position before the move.
        before: ValueRange,
        /// How the move compares with the other moves; `None` if too little is known of them.
        standing: Option<Standing>,
        /// The value of the move for the side that makes it.
        value: ValueRange,
        /// All moves, best first.
        moves: Vec<RatedMove>,
    },
    /// The move gives away a half point or a whole one. This refutes a move, unless it is marked as a
    /// mistake; then it confirms the mark.
    Mistake {
        /// The value of the position before the move.
        before: ValueRange,
        /// The value of the move for the side that makes it.
        value: ValueRange,
        /// The moves that are proved to be better, best first.
        better: Vec<RatedMove>,
    },
    /// The move is marked as good and keeps the result, but another move wins sooner or loses later. This
    /// only refutes; without a mark, such a move is [`Truth::Sound`].
    NotBest {
        /// The value of the move for the side that makes it.
        value: ValueRange,
        /// The moves that win sooner or lose later, best first.
        better: Vec<RatedMove>,
    },
}
