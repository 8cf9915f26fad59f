//! Annotated endings: their text, and whether the tables confirm what it claims.
//!
//! # The text
//!
//! ```text
//! # A fork that fails
//! c3W e5W c5B e3B, Black to move loses
//! {A retreat would leave two separate oppositions.}
//! 1... e3-d4  2. c3-b4! (2. c3-d2? d4-e5-f6BW 0-1)  d4-e5-f6BW
//! 3. b4-c5-d6WB f6-e7  4. d6-e5  1-0
//! ```
//!
//! A file holds any number of studies. Line breaks mean no more than blanks do, but for titles and
//! for comments after `;`. A study is, in this order:
//!
//! | part | how it is written |
//! | --- | --- |
//! | title, if any | a line that begins with `#` |
//! | position | in list or row form, with the side to move ([`crate::notation`]); `to move` or `to play` may follow |
//! | verdict, if any | `wins`, `draws` or `loses`, of the side to move or of a side that is named (`White wins`); with `and`, `can`, `is` or `to` before it; or a result |
//! | moves | as [`crate::notation::parse_move`] reads them, with or without numbers, marks and results |
//!
//! * A **number** is `3.` before White's move and `3...` or `3. . .` before Black's. The first number
//!   says where to count from; all others must go on from there.
//! * A **mark** stands at a move's end, or after it: `!`, `!!`, `?`, `??`, `!?`, `?!`.
//! * A **result** stands after the move it speaks about: `1-0` or `+-` (White wins), `0-1` or `-+`
//!   (Black wins), `1/2`, `1/2-1/2`, `½` or `=` (a draw).
//! * A **variation** stands in parentheses or brackets, in others if need be, and is played instead
//!   of the move before it; or after that move, if its first number says so. The words `or`, `not`
//!   and `nor` may introduce it.
//! * A **comment** stands in braces, or from `;` to the end of the line.
//!
//! # The claims
//!
//! [`check()`] plays every move of every line. The rules must allow it, and the columns that are
//! written must be the ones that arise. Then the tables are asked about these claims:
//!
//! | claim | is confirmed if |
//! | --- | --- |
//! | the verdict | the position has that value, neither better nor worse |
//! | a result | the position in which it stands has that value |
//! | `!`, `!!` | the move is the best, or the only one, to keep the result of its position: no other wins sooner or loses later. Of several that draw none is better |
//! | `?`, `??` | the move gives something away: half a point or a whole one. A loss that only comes sooner is no such thing |
//! | no mark | the move keeps the result, as what is not marked as a mistake is taken to be sound |
//! | `!?`, `?!` | these claim nothing |
//!
//! A claim that is not confirmed is refuted, and the refutation has the line that shows it, from the
//! best reply to a mistake or from the better move on; or its position is not in the tables: soldiers are on the board, there are too many
//! counters, or the table is missing.
//!
//! ```
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! use lasca_tablebase::study::{Finding, check, parse};
//!
//! let studies = parse("c3W e5W c5B e3B, Black to move draws  1... e3-d4 2. c3-d2? d4-e5-f6BW 0-1")?;
//! let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
//! let report = check(&studies[0], &tables)?;
//! assert_eq!(report.moves, 3);
//! let refuted = |finding: &Finding| matches!(finding, Finding::Refuted(_));
//! let found: Vec<bool> = report.claims.iter().map(|claim| refuted(&claim.finding)).collect();
//! // The verdict is wrong; the moves and the result are right.
//! assert_eq!(found, [true, false, false, false, false]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod claim;
mod error;
mod parse;
mod scan;

pub use check::{CheckedClaim, Claim, Confirmation, Finding, Refutation, StudyReport, check};
pub use claim::{Mark, Outcome};
pub use error::{ParseStudyError, Place, StudyProblem};
pub use parse::parse;

use crate::notation::MoveNumber;
use crate::rules::Position;

/// How deep variations may stand within each other.
pub const MAX_NESTING: usize = 64;

/// An annotated ending, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Study {
    /// The title.
    pub title: Option<String>,
    /// Where the position begins.
    pub place: Place,
    /// The position.
    pub position: Position,
    /// What the author says of it.
    pub verdict: Option<Stated>,
    /// The main line.
    pub moves: Vec<StudyMove>,
}

/// A result that is claimed somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stated {
    /// Where it stands.
    pub place: Place,
    /// The result.
    pub outcome: Outcome,
}

/// A move as it is written. Whether it is legal is for [`check()`] to say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StudyMove {
    /// Where it begins.
    pub place: Place,
    /// Its number, written or not.
    pub number: MoveNumber,
    /// The text, without number, mark and result.
    pub text: String,
    /// The mark.
    pub mark: Option<Mark>,
    /// The results that stand after it.
    pub results: Vec<Stated>,
    /// The variations that stand after it.
    pub variations: Vec<Variation>,
}

/// A side variation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variation {
    /// From where it is played.
    pub start: VariationStart,
    /// Its moves, at least one.
    pub moves: Vec<StudyMove>,
}

/// From where a variation is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariationStart {
    /// Instead of the move that it stands after.
    Instead,
    /// After that move.
    After,
}
