//! How a move compares with the other moves of its position.

use super::{Line, ProbeError, RatedMove, Tablebase};
use crate::rules::Position;
use crate::{Value, Wdl};
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
    /// How a move of this value compares with all moves of its position, itself included.
    ///
    /// ```
    /// use lasca_tablebase::Value::{Draw, Loss, Win};
    /// use lasca_tablebase::probe::Standing;
    /// assert_eq!(Standing::among(Win(7), [Win(7), Draw]), Standing::Only);
    /// assert_eq!(Standing::among(Win(7), [Win(7), Win(9)]), Standing::Best);
    /// assert_eq!(Standing::among(Win(9), [Win(7), Win(9)]), Standing::Keeps);
    /// assert_eq!(Standing::among(Draw, [Draw, Draw, Loss(8)]), Standing::Keeps);
    /// assert_eq!(Standing::among(Draw, [Draw, Win(5)]), Standing::GivesAway);
    /// assert_eq!(Standing::among(Loss(4), [Loss(4)]), Standing::OnlyLegal);
    /// ```
    pub fn among(value: Value, all: impl IntoIterator<Item = Value>) -> Standing {
        let (mut legal, mut as_good, mut best) = (0, 0, value);
        for other in all {
            legal += 1;
            as_good += u32::from(other.wdl() >= value.wdl());
            best = best.max(other);
        }
        match () {
            () if best.wdl() > value.wdl() => Standing::GivesAway,
            () if legal <= 1 => Standing::OnlyLegal,
            () if as_good <= 1 => Standing::Only,
            () if best == value && value != Value::Draw => Standing::Best,
            () => Standing::Keeps,
        }
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

/// A legal move with the line that proves its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Alternative {
    /// The move and its value.
    pub rated: RatedMove,
    /// How the move compares with the others.
    pub standing: Standing,
    /// Best play after the move: to the end of the game, or to the first repetition.
    pub line: Line,
    /// How many legal replies the other side has.
    pub replies: usize,
    /// The replies that hold the draw, if the move draws. Empty for other moves.
    pub holding: Vec<RatedMove>,
}

impl Tablebase {
    /// All legal moves, best first. Each comes with its standing, with best play after it, and, if it
    /// draws, with the replies that hold the draw. The list is empty if the game is over.
    ///
    /// # Errors
    /// As [`Tablebase::best_line`].
    ///
    /// ```
    /// use lasca_tablebase::probe::{Standing, Tablebase};
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let moves = tables.alternatives(&"d2W d4W f2B f4B b".parse()?)?;
    /// assert_eq!(moves[0].rated.played.to_string(), "f2-g3");
    /// assert_eq!(moves[0].standing, Standing::Only);
    /// assert_eq!((moves[0].holding.len(), moves[0].replies), (2, 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn alternatives(&self, position: &Position) -> Result<Vec<Alternative>, ProbeError> {
        let moves = self.moves(position)?;
        let values: Vec<Value> = moves.iter().map(|rated| rated.value).collect();
        let alternative = |rated: RatedMove| {
            let mut holding = self.moves(&rated.after)?;
            let replies = holding.len();
            let drawn = rated.value == Value::Draw;
            holding.retain(|reply| drawn && reply.value.wdl() == Wdl::Draw);
            Ok(Alternative {
                standing: Standing::among(rated.value, values.iter().copied()),
                line: self.best_line(&rated.after)?,
                replies,
                holding,
                rated,
            })
        };
        moves.into_iter().map(alternative).collect()
    }
}
