//! How a move compares with the other moves of its position.

use std::fmt;

/// How a move compares with the other moves of its position. Only win, draw and loss count, except
/// that the distance tells `Best` from `Keeps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Standing {
    /// There is no other legal move.
    #[cfg_attr(feature = "serde", serde(rename = "only legal move"))]
    OnlyLegal,
    /// Every other move gives something away.
    #[cfg_attr(feature = "serde", serde(rename = "only move"))]
    Only,
    /// Other moves keep the result too, but none of them wins sooner or loses later. If several moves
    /// draw, none of them is `Best`.
    #[cfg_attr(feature = "serde", serde(rename = "best"))]
    Best,
    /// The move keeps the result, and another move also draws, or wins sooner, or loses later.
    #[cfg_attr(feature = "serde", serde(rename = "one of several"))]
    Keeps,
    /// The move has a worse result than the best move.
    #[cfg_attr(feature = "serde", serde(rename = "gives away"))]
    GivesAway,
}

impl Standing {
    /// Whether no other legal move keeps the result.
    pub const fn is_only(self) -> bool {
        matches!(self, Standing::OnlyLegal | Standing::Only)
    }

    /// The name: `only legal move`, `only move`, `best`, `one of several` or `gives away`.
    pub const fn name(self) -> &'static str {
        match self {
            Standing::OnlyLegal => "only legal move",
            Standing::Only => "only move",
            Standing::Best => "best",
            Standing::Keeps => "one of several",
            Standing::GivesAway => "gives away",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
