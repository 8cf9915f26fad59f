//! The value of a position: win, draw or loss, and the distance to the win. All conversions between
//! these are here.

use std::fmt;
use std::ops::Neg;

/// Win, draw or loss, for the side to move. Negating it gives the other side's view.
///
/// ```
/// use lasca_tablebase::Wdl;
/// assert_eq!(-Wdl::Win, Wdl::Loss);
/// assert!(Wdl::Loss < Wdl::Draw && Wdl::Draw < Wdl::Win);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Wdl {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl Wdl {
    /// The name in lower case: `win`, `draw` or `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Wdl::Loss => "loss",
            Wdl::Draw => "draw",
            Wdl::Win => "win",
        }
    }

    /// The result that is stored as this number: 0 for a loss, 1 for a draw, 2 for a win. `wdl as u8` is
    /// the inverse.
    #[inline]
    pub(crate) const fn from_code(code: u8) -> Wdl {
        match code {
            0 => Wdl::Loss,
            1 => Wdl::Draw,
            _ => Wdl::Win,
        }
    }
}

impl Neg for Wdl {
    type Output = Wdl;
    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::Draw => Wdl::Draw,
            Wdl::Win => Wdl::Loss,
        }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of a position for the side to move: win, draw or loss, and for wins and losses the
/// distance to the win (DTW).
///
/// The distance is the number of plies until the loser cannot move, when the winner plays for the
/// shortest way and the loser for the longest. A loss has an even distance; it is 0 where the side to
/// move is blocked or commands no column. A win has an odd distance, with one exception: if the *other*
/// side commands no column, the game is over, and that is a win with distance 0. No table holds it.
///
/// Values are ordered by what the side to move prefers. From the greatest down: quick wins, slow wins,
/// draws, slow losses, quick losses.
///
/// ```
/// use lasca_tablebase::{Value, Wdl};
/// let value = Value::Win(5);
/// assert_eq!((value.wdl(), value.dtw()), (Wdl::Win, Some(5)));
/// assert_eq!(value.before_move(), Value::Loss(6));
/// assert!(Value::Win(5) > Value::Win(7) && Value::Draw > Value::Loss(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts", into = "Rating"))]
pub enum Value {
    /// The side to move loses in this many plies.
    Loss(u16),
    /// Neither side can force a win.
    Draw,
    /// The side to move wins in this many plies.
    Win(u16),
}

impl Value {
    /// The value with this distance: a draw for `None`, a loss if the distance is even, a win if it is
    /// odd. So this never gives the win with distance 0.
    pub const fn from_dtw(distance: Option<u16>) -> Value {
        match distance {
            None => Value::Draw,
            Some(plies) if plies % 2 == 0 => Value::Loss(plies),
            Some(plies) => Value::Win(plies),
        }
    }

    /// Win, draw or loss, without the distance.
    pub const fn wdl(self) -> Wdl {
        match self {
            Value::Loss(_) => Wdl::Loss,
            Value::Draw => Wdl::Draw,
            Value::Win(_) => Wdl::Win,
        }
    }

    /// The distance to the win in plies, for whichever side wins; `None` for a draw.
    pub const fn dtw(self) -> Option<u16> {
        match self {
            Value::Loss(plies) | Value::Win(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// The value of a move, for the side that makes it, if the move leads to a position of this value: the
    /// other side's loss is a win one ply further away.
    ///
    /// A distance of 65,535 plies, which no table holds, does not grow any more.
    #[must_use]
    pub const fn before_move(self) -> Value {
        match self {
            Value::Loss(plies) => Value::Win(plies.saturating_add(1)),
            Value::Draw => Value::Draw,
            Value::Win(plies) => Value::Loss(plies.saturating_add(1)),
        }
    }

    /// A number that is greater for values that the side to move prefers.
    const fn preference(self) -> i32 {
        match self {
            Value::Loss(plies) => plies as i32 - 0x1_0000,
            Value::Draw => 0,
            Value::Win(plies) => 0x1_0000 - plies as i32,
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> std::cmp::Ordering {
        self.preference().cmp(&other.preference())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Loss(plies) => write!(f, "loss in {plies}"),
            Value::Draw => f.write_str("draw"),
            Value::Win(plies) => write!(f, "win in {plies}"),
        }
    }
}

/// The result of a position for the side to move, and its distance if that is known. A table's WDL file
/// gives the result; only its DTW file, which may be missing, has the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts"))]
pub struct Rating {
    /// Win, draw or loss.
    pub wdl: Wdl,
    /// Plies to the end of the game; `None` for a draw, or if the distance is not known.
    pub dtw: Option<u16>,
}

impl From<Value> for Rating {
    fn from(value: Value) -> Rating {
        Rating { wdl: value.wdl(), dtw: value.dtw() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Rating {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Rating, String> {
        match parts.dtw {
            None => Ok(Rating { wdl: parts.wdl, dtw: None }),
            Some(_) => Value::try_from(parts).map(Rating::from),
        }
    }
}

impl fmt::Display for Rating {
    /// Writes `win in 5`, `draw`, or `loss` if the distance is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtw {
            Some(plies) => write!(f, "{} in {plies}", self.wdl.name()),
            None => f.write_str(self.wdl.name()),
        }
    }
}

/// The form in which serde reads a value or a rating, before it is known to be one.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(expecting = "a value such as {\"wdl\":\"win\",\"dtw\":5}")]
struct Parts {
    wdl: Wdl,
    dtw: Option<u16>,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Value {
    type Error = String;

    fn try_from(Parts { wdl, dtw }: Parts) -> Result<Value, String> {
        let expected = match (wdl, dtw) {
            (Wdl::Draw, None) => return Ok(Value::Draw),
            (Wdl::Win, Some(plies)) if plies == 0 || plies % 2 == 1 => {
                return Ok(Value::Win(plies));
            }
            (Wdl::Loss, Some(plies)) if plies % 2 == 0 => return Ok(Value::Loss(plies)),
            (Wdl::Draw, _) => "no dtw for a draw",
            (Wdl::Win, _) => "an odd dtw, or 0, for a win",
            (Wdl::Loss, _) => "an even dtw for a loss",
        };
        let found = dtw.map_or_else(|| "none".to_owned(), |plies| plies.to_string());
        Err(format!("expected {expected}, found {found}"))
    }
}
