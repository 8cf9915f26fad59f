//! Annotated endings: reading their text, and checking their claims against tables or by search.
//!
//! ```text
//! # A fork that fails
//! c3W e5W c5B e3B, Black to move loses
//! {A retreat would leave two separate oppositions.}
//! 1... e3-d4  2. c3-b4! (2. c3-d2? d4-e5-f6BW 0-1)  d4-e5-f6BW
//! 3. b4-c5-d6WB f6-e7  4. d6-e5  1-0
//! ```
//!
//! `docs/STUDY_FORMAT.md` describes the text, and says when each claim is confirmed. [`check()`] plays every move of every
//! line, and asks the tables about the claims. A refutation holds the line that proves it. A position that the tables do
//! not cover, because of soldiers, too many counters or a missing table, can be searched; without a search, [`check()`]
//! can neither confirm nor refute what is claimed of it. What a search finds out may be less than an exact value, so it
//! is a [`ValueRange`](lasca_tablebase::ValueRange); a claim that it does not decide is open.

mod check;
mod error;
mod finding;
pub mod json;
mod judge;
mod mark;
mod parse;
mod review;
mod scan;

pub use check::check;
pub use error::{Location, ParseStudyError};
pub use finding::{CheckedClaim, Claim, Finding, StudyReport, Truth};
pub use mark::Mark;
pub use parse::parse;
pub use review::{Review, ReviewError, ReviewedMove, ReviewedPly, review};

pub(crate) use scan::BOARD;

use lasca_tablebase::Outcome;
use lasca_tablebase::notation::{MoveNumber, parse_move};
use lasca_tablebase::rules::{Move, Position, RuleSet};
use std::fmt;

/// How deeply variations may be nested.
pub const MAX_NESTING: usize = 64;

/// An annotated ending as its text has it. Nothing in it has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Study {
    /// The title, if there is one.
    pub title: Option<String>,
    /// Where the position stands in the text.
    pub location: Location,
    /// The position.
    pub position: Position,
    /// What the author claims about the position, if anything.
    pub verdict: Option<ClaimedOutcome>,
    /// The comments before the first move.
    pub comments: Vec<String>,
    /// How many of these comments stand before the position.
    pub introduction: usize,
    /// The main line.
    pub moves: Vec<StudyMove>,
}

impl Study {
    /// The positions that come up, in the main line and in all variations, as far as their moves are legal.
    ///
    /// ```
    /// use lasca_analysis::study::parse;
    /// use lasca_tablebase::rules::RuleSet;
    /// let studies = parse("c3W e5W c5B e3B b\n1... e3-d4 2. c3-b4 (2. c3-d2)")?;
    /// assert_eq!(studies[0].positions(RuleSet::Lasca).len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn positions(&self, rules: RuleSet) -> Vec<Position> {
        let mut found = vec![self.position];
        add_positions(&self.moves, &self.position, rules, &mut found);
        found
    }
}

/// Adds the positions after these moves and those of their variations.
fn add_positions(
    moves: &[StudyMove],
    position: &Position,
    rules: RuleSet,
    found: &mut Vec<Position>,
) {
    let mut at = *position;
    for played in moves {
        let before = at;
        let Ok((_, after)) = played.play(&at, rules) else { return };
        at = after;
        found.push(at);
        for variation in &played.variations {
            let start = variation.start.of(before, at);
            add_positions(&variation.moves, &start, rules, found);
        }
    }
}

/// An outcome that the author claims, with its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimedOutcome {
    /// Where it stands in the text.
    pub location: Location,
    /// The outcome.
    pub outcome: Outcome,
    /// How many plies are claimed until the game ends, both sides playing best; `None` if nothing is claimed.
    pub plies: Option<u16>,
}

impl fmt::Display for ClaimedOutcome {
    /// Writes `1-0`, or `1-0 in 12` if a length is claimed; `White wins in 12` in the alternate form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => self.outcome.fmt(f)?,
            false => f.write_str(self.outcome.symbol())?,
        }
        self.plies.map_or(Ok(()), |plies| write!(f, " in {plies}"))
    }
}

/// A move as the text has it. [`check()`] finds out whether it is legal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StudyMove {
    /// Where the move stands in the text.
    pub location: Location,
    /// Its number, whether the text has it or not.
    pub number: MoveNumber,
    /// The text of the move, without its number, mark and result.
    pub text: String,
    /// The mark, if there is one.
    pub mark: Option<Mark>,
    /// The results that stand after the move.
    pub results: Vec<ClaimedOutcome>,
    /// The comments that stand after the move. A comment at the beginning of a variation belongs to its first move.
    pub comments: Vec<String>,
    /// The variations that stand after the move.
    pub variations: Vec<Variation>,
}

impl StudyMove {
    /// Plays the move in a position.
    pub(crate) fn play(
        &self,
        position: &Position,
        rules: RuleSet,
    ) -> Result<(Move, Position), ParseStudyError> {
        parse_move(&self.text, position, rules)
            .map_err(|error| ParseStudyError::in_move(self.location, error))
    }
}

/// A variation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variation {
    /// Where it begins.
    pub start: VariationStart,
    /// How many of the comments of the move before it stand between that move and the variation.
    pub comments_before: usize,
    /// The words `or`, `not` and `nor` that introduce it; empty if there are none.
    pub lead_in: String,
    /// Its moves, at least one.
    pub moves: Vec<StudyMove>,
}

/// Where a variation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariationStart {
    /// Before the move that stands before it in the text: it replaces that move.
    Instead,
    /// After that move.
    After,
}

impl VariationStart {
    /// What belongs to the position where the variation begins, of what belongs to those before and after the move.
    pub(crate) fn of<T>(self, before: T, after: T) -> T {
        match self {
            VariationStart::Instead => before,
            VariationStart::After => after,
        }
    }
}
