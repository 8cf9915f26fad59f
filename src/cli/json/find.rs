//! The line of `find`.

use super::{LineEnd, RatedMove, Rating, by_name};
use lasca_tablebase::probe::Standing;
use serde::Serialize;

/// A position that was found: `find --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Find {
    /// The material of the position.
    pub material: String,
    /// The position in list form.
    pub position: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
    /// For how many turns the solver has only moves; in a draw counted up to those asked for. Only with
    /// `--only-moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_moves: Option<usize>,
    /// How many choices the line has within the turns that `--only-moves` asks for: turns with one right
    /// move and at least one other legal move. Only with `--only-moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<usize>,
    /// A line of best play: to the end of a decided game, and for the turns that are asked for in a drawn
    /// one.
    pub line: Vec<SolutionMove>,
    /// How the line ends; `null` if it stops in a drawn position.
    pub line_end: Option<LineEnd>,
}

/// A move of the line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SolutionMove {
    /// The move with its value.
    #[serde(flatten)]
    pub rated: RatedMove,
    /// How it compares with the other moves.
    #[serde(serialize_with = "by_name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub standing: Standing,
}
