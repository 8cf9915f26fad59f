//! The line of `stats`.

use super::{Answer, Known};
use serde::Serialize;

/// Counts of a material: `stats --json`. They cover all positions in which both sides command a column,
/// or those of at most `max_columns` columns. Positions that differ only by a symmetry count
/// separately.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stats {
    /// The material as it was asked for.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The column bound; the key is absent if the table is whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
    /// The positions with White to move.
    pub white: SideStats,
    /// The positions with Black to move.
    pub black: SideStats,
    /// By number of columns, for both sides to move together.
    pub columns: Vec<ColumnStats>,
    /// By how many columns each side commands. Only with `--by pieces`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<Pieces>>,
    /// By the columns of each side, wherever they stand. Only with `--by stackings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stackings: Option<Vec<Stacking>>,
    /// The longest wins of the side to move. Only with `--longest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<Vec<Answer>>,
    /// Mutual zugzwangs. Only with `--zugzwang`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zugzwangs: Option<Zugzwangs>,
    /// Runs of plies without a capture in best play. Only with `--without-takes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_takes: Option<WithoutTakes>,
}

/// Runs of plies without a capture, in lines of best play from the positions that the side to move wins.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WithoutTakes {
    /// How many positions have a longest run of each length that occurs: `[[plies, positions], …]`.
    pub won: Vec<(u16, u64)>,
    /// A position with the longest run of all; `null` if no position is won.
    pub longest: Option<LongestRun>,
}

/// A position with the longest run of plies without a capture.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LongestRun {
    /// The length of the run, in plies.
    pub plies: u16,
    /// The position with its value.
    #[serde(flatten)]
    pub answer: Answer,
}

/// How many positions are won, drawn and lost for the side to move.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tally {
    /// How many the side to move wins.
    pub win: u64,
    /// How many are drawn.
    pub draw: u64,
    /// How many it loses.
    pub loss: u64,
}

/// Counts of the positions in which each side commands a certain number of columns.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Pieces {
    /// How many columns White and Black command, such as `2v3`.
    pub pieces: String,
    /// The positions with White to move.
    pub white: Tally,
    /// The positions with Black to move.
    pub black: Tally,
}

/// Counts of the positions with certain columns.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stacking {
    /// White's columns and Black's, such as `WWB W v BB`.
    pub stacking: String,
    /// The positions with White to move.
    pub white: Tally,
    /// The positions with Black to move.
    pub black: Tally,
}

/// Mutual zugzwangs of both kinds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Zugzwangs {
    /// The side to move loses, whichever side it is.
    pub full_point: ZugzwangKind,
    /// One side loses if it is to move, and the game is drawn if the other side is to move.
    pub half_point: ZugzwangKind,
}

/// Mutual zugzwangs of one kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ZugzwangKind {
    /// How many boards there are. Symmetric boards count separately.
    pub boards: u64,
    /// How many boards there are if symmetric boards count once.
    pub distinct: u64,
    /// The boards with the fewest columns, the longest first.
    pub listed: Vec<Zugzwang>,
}

/// A mutual zugzwang.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Zugzwang {
    /// The board with White to move.
    pub position: String,
    /// The value for White if White is to move.
    pub white: Known,
    /// The value for Black if Black is to move.
    pub black: Known,
}

/// Counts of positions with one side to move.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SideStats {
    /// How many the side to move wins.
    pub win: u64,
    /// How many are drawn.
    pub draw: u64,
    /// How many it loses.
    pub loss: u64,
    /// The longest win in plies; `null` if there is none.
    pub max_win: Option<u16>,
    /// The longest loss in plies; `null` if there is none.
    pub max_loss: Option<u16>,
    /// In how many it must capture.
    pub capture: u64,
    /// How many positions have each distance that occurs: `[[plies, positions], …]`.
    pub histogram: Vec<(u16, u64)>,
}

/// Counts of the positions with a certain number of columns.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ColumnStats {
    /// The number of columns.
    pub columns: usize,
    /// How many the side to move wins.
    pub win: u64,
    /// How many are drawn.
    pub draw: u64,
    /// How many it loses.
    pub loss: u64,
}
