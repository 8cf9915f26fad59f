//! The lines of `study`.

use super::LineEnd;
use serde::Serialize;

/// A study with its findings: `study --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Study {
    /// The file, or `standard input`.
    pub file: String,
    /// The line of the file that has the position, from 1.
    pub line: usize,
    /// The title; `null` if there is none.
    pub title: Option<String>,
    /// The position in list form.
    pub position: String,
    /// The rule set.
    pub rules: &'static str,
    /// How many moves were played.
    pub moves: usize,
    /// How many moves were not played because they follow an illegal move.
    pub unplayed: usize,
    /// How many claims are confirmed.
    pub confirmed: usize,
    /// How many claims are refuted.
    pub refuted: usize,
    /// How many claims the search has not decided.
    pub open: usize,
    /// How many claims no table covers, if nothing is searched.
    pub not_in_tables: usize,
    /// All claims in the order of the text.
    pub claims: Vec<CheckedClaim>,
}

/// A claim of a study with its finding.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckedClaim {
    /// The line of the file that has the claim, from 1.
    pub line: usize,
    /// The character in that line at which the claim starts, from 1.
    pub column: usize,
    /// What is claimed: who wins the position, how the line ends, or that a move can be played and is as
    /// good as its mark says.
    pub kind: &'static str,
    /// `1-0`, `0-1` or `1/2`; or the move with its number and mark.
    pub claim: String,
    /// The mark of a move; `null` if there is none.
    pub mark: Option<&'static str>,
    /// The position that the claim is about; for a move, the position before it.
    pub position: String,
    /// Whether the claim holds.
    pub finding: &'static str,
    /// The reason, in words.
    pub explanation: String,
    /// Who wins, for the side to move, or for the side that makes the move; `null` if that is not known.
    pub wdl: Option<&'static str>,
    /// The exact distance that goes with it, in plies; `null` for a draw, or if it is not known.
    pub dtw: Option<u16>,
    /// The plies that a win or a loss takes at most; `null` for a draw, or if that is not known.
    pub at_most: Option<u16>,
    /// How a move compares with the others; `null` if the claim is not a move, or this is not known.
    pub standing: Option<&'static str>,
    /// If the move gives something away, the moves that do not. If a move marked as good is not the
    /// best, the moves that win sooner or lose later.
    pub better: Vec<String>,
    /// The line of best play that refutes the claim. It starts from the position, or from the reply to
    /// a move that gives something away or is marked as if it did.
    pub best_line: Vec<String>,
    /// How that line ends; `null` if there is none.
    pub line_end: Option<LineEnd>,
}

/// A study that cannot be checked, because a table is damaged or memory is not enough, or a file that
/// cannot be read as studies: `study --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unchecked<'a> {
    /// The file, or `standard input`.
    pub file: &'a str,
    /// The line of the file that has the position, from 1; the key is absent if the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The reason.
    pub error: &'a str,
}
