//! The line of `find`.

use super::Answer;
use serde::Serialize;

/// A position that was found: `find --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Find {
    /// The material of the position.
    pub material: String,
    /// The position, with a line of best play: to the end of a decided game, and for the turns that are
    /// asked for in a drawn one.
    #[serde(flatten)]
    pub answer: Answer,
    /// For how many turns the solver has only moves; in a draw counted up to those asked for. Only with
    /// `--only-moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_moves: Option<usize>,
    /// How many choices the line has within the turns that `--only-moves` asks for: turns with one right
    /// move and at least one other legal move. Only with `--only-moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<usize>,
}
