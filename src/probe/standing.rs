//! How a move compares with the other moves of its position.

use crate::{ValueRange, Wdl};
use std::fmt;

/// How a move compares with the other moves of its position.
///
/// Only win, draw and loss count, except that the distance tells `Best` from `Keeps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// How the move with this number compares with the other moves of its position; `None` if too little is
    /// known. `values` are those of all moves.
    ///
    /// ```
    /// use lasca_tablebase::Value::{self, Draw, Loss, Win};
    /// use lasca_tablebase::ValueRange;
    /// use lasca_tablebase::probe::Standing;
    /// let first = |values: &[Value]| Standing::of(values, 0);
    /// assert_eq!(first(&[Win(7), Draw]), Some(Standing::Only));
    /// assert_eq!(first(&[Win(7), Win(9)]), Some(Standing::Best));
    /// assert_eq!(first(&[Win(9), Win(7)]), Some(Standing::Keeps));
    /// assert_eq!(first(&[Draw, Draw, Loss(8)]), Some(Standing::Keeps));
    /// assert_eq!(first(&[Draw, Win(5)]), Some(Standing::GivesAway));
    /// assert_eq!(first(&[Loss(4)]), Some(Standing::OnlyLegal));
    /// let unknown = [Draw.into(), ValueRange::UNKNOWN];
    /// assert_eq!((Standing::of(&unknown, 0), Standing::of(&unknown, 1)), (None, None));
    /// ```
    ///
    /// # Panics
    /// If there is no move with this number.
    pub fn of<V: Copy + Into<ValueRange>>(values: &[V], number: usize) -> Option<Standing> {
        let values: Vec<ValueRange> = values.iter().map(|&value| value.into()).collect();
        let value = values[number];
        let wdl = value.wdl()?;
        let others = || values[..number].iter().chain(&values[number + 1..]);
        if others().any(|other| other.worst().wdl() > wdl) {
            return Some(Standing::GivesAway);
        }
        if others().any(|other| other.best().wdl() > wdl) {
            return None;
        }
        if others().next().is_none() {
            return Some(Standing::OnlyLegal);
        }
        if others().all(|other| other.best().wdl() < wdl) {
            return Some(Standing::Only);
        }
        if !others().any(|other| other.wdl() == Some(wdl)) {
            return None;
        }
        if wdl == Wdl::Draw || others().any(|other| other.worst() > value.best()) {
            return Some(Standing::Keeps);
        }
        others().all(|other| other.best() <= value.worst()).then_some(Standing::Best)
    }

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
