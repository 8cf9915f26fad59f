//! The lines about tables: those of `generate`, `verify` and `list`.

use super::Known;
use serde::Serialize;

/// The plan for a table: `generate --dry-run --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Planned {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The column bound; the key is absent if the table is to be whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
    /// Whether the table is already there, so that there is nothing to do.
    pub already_there: bool,
    /// How many positions are stored. Positions that differ only by a symmetry count once.
    pub positions: u64,
    /// How much memory is needed, in bytes.
    pub memory: u64,
    /// How much room is needed on disk at the busiest time, in bytes.
    pub disk: u64,
    /// How much memory may be used, in bytes; `null` if the system does not tell.
    pub memory_limit: Option<u64>,
    /// Whether all values are kept in memory until the table is written, and not in files on disk.
    pub in_memory: bool,
    /// The slices in the order in which they are solved.
    pub slices: Vec<PlannedSlice>,
}

/// A slice to be solved.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlannedSlice {
    /// The number of columns.
    pub columns: usize,
    /// How many positions are stored. Positions that differ only by a symmetry count once.
    pub positions: u64,
    /// How much memory is needed while it is solved, in bytes.
    pub memory: u64,
}

/// A table that has been made or was already there: `generate --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Generated {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The column bound; the key is absent if the table is whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
    /// The path of the table's `.ltbw` file.
    pub path: String,
    /// How many positions are stored. Positions that differ only by a symmetry count once.
    pub positions: u64,
    /// The length of its `.ltbw` and `.ltbd` files together, in bytes.
    pub bytes: u64,
    /// The greatest distance in plies; `null` if all is drawn.
    pub max_dtw: Option<u16>,
    /// Whether the table was already there, so that there was nothing to do.
    pub already_there: bool,
    /// How many positions this run solved. An earlier run may have solved the others.
    pub solved_positions: u64,
    /// How long it took to solve them, in seconds.
    pub solving_seconds: f64,
    /// How long all the work on this material took, writing included, in seconds.
    pub total_seconds: f64,
    /// `solved_positions` divided by `solving_seconds`; `null` if none was solved.
    pub solving_positions_per_second: Option<f64>,
    /// `solved_positions` divided by `total_seconds`; `null` if none was solved.
    pub positions_per_second: Option<f64>,
    /// How much memory each process needs for this material according to the plan, in bytes.
    pub planned_memory: u64,
    /// The most memory that the first process has used so far, in bytes, without the pages of mapped files;
    /// `null` if the system does not tell.
    pub peak_memory: Option<u64>,
}

/// The result of checking a table: `verify --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Verified {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The column bound; the key is absent if the table is whole or could not be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
    /// The path of the table's `.ltbw` file; `null` if there is none.
    pub path: Option<String>,
    /// How many positions are stored. Positions that differ only by a symmetry count once. `null` if the
    /// table could not be opened.
    pub positions: Option<u64>,
    /// Whether the table is there and all bytes match their checksums.
    pub bytes_intact: bool,
    /// Whether every value follows from the values of its successors; `null` if not checked.
    pub values_right: Option<bool>,
    /// How many values are wrong; `null` if not checked.
    pub differences: Option<u64>,
    /// The first wrong values.
    pub first_differences: Vec<Difference>,
    /// Whether the statistics in the table match its values; `null` if not checked.
    pub statistics_right: Option<bool>,
    /// The first statistics that do not match.
    pub wrong_statistics: Vec<WrongStatistic>,
    /// Whether the files of the table are those that the list `SHA256SUMS` of their folder names;
    /// `null` if it names none of them.
    pub as_listed: Option<bool>,
    /// What is wrong with a file of the table; `null` if nothing is.
    pub error: Option<String>,
    /// How long the check took, in seconds.
    pub seconds: f64,
    /// Whether the error says nothing about the table: the system cannot read a file, or it was changed
    /// during the check.
    #[serde(skip)]
    pub is_unreadable: bool,
}

/// A value that does not follow from the values of its successors.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    /// The position.
    pub position: String,
    /// The value in the table.
    pub stored: Known,
    /// The value that follows from the position's successors.
    pub expected: Known,
}

/// A statistic in a table that does not match its values.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WrongStatistic {
    /// The side to move.
    pub side: &'static str,
    /// The number of columns.
    pub columns: usize,
    /// What is counted: `win`, `draw`, `loss`, `capture`, or a distance such as `5 plies to the end`.
    pub count: String,
    /// The number in the table.
    pub stored: u64,
    /// The number counted from the values.
    pub counted: u64,
}

/// A table in a folder: `list --json`. A server gives only the names of its files, without their folders.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The column bound; the key is absent if the table is whole or there is an `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
    /// The path of the table's `.ltbw` file.
    pub path: String,
    /// The length of its `.ltbw` and `.ltbd` files together, in bytes; `null` if the first cannot be read.
    pub bytes: Option<u64>,
    /// How many positions are stored. Positions that differ only by a symmetry count once. `null` if
    /// there is an `error`.
    pub positions: Option<u64>,
    /// The greatest distance in plies; `null` if all positions are drawn, there is an `error`, or its
    /// `.ltbd` file is missing.
    pub max_dtw: Option<u16>,
    /// Whether the table has distances: its `.ltbd` file is there, and there is no `error`.
    pub distances: bool,
    /// Why the table is damaged or cannot be read; the key is absent if nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the error is one of the system, which says nothing about the table.
    #[serde(skip)]
    pub is_unreadable: bool,
}

/// The tables of a server: `/tables`.
#[cfg(feature = "server")]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tables {
    /// The rule set of its answers.
    pub rules: &'static str,
    /// All tables, as `list --json` lists them, but their paths are only the names of the files.
    pub tables: Vec<Listed>,
}
