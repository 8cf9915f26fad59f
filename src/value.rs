//! The value of a position: win, draw or loss, and the distance to the win.

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
pub enum Wdl {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl Wdl {
    /// `win`, `draw` or `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Wdl::Loss => "loss",
            Wdl::Draw => "draw",
            Wdl::Win => "win",
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

/// The value of a position for the side to move, with the distance to the win (DTW) in plies: the
/// number of moves until the loser cannot move, the winner playing for the shortest way and the
/// loser for the longest. Draws have none.
///
/// A loss is an even number of plies away (0 where the side to move is blocked or commands no
/// column), a win an odd number, but for the game that is over because the *other* side commands no
/// column: that is a win with DTW 0.
///
/// Values are ordered by what the side to move prefers: quick wins, slow wins, draws, slow losses,
/// quick losses, from the greatest down.
///
/// ```
/// use lasca_tablebase::{Value, Wdl};
/// let value = Value::Win(5);
/// assert_eq!((value.wdl(), value.dtw()), (Wdl::Win, Some(5)));
/// assert_eq!(value.before_move(), Value::Loss(6));
/// assert!(Value::Win(5) > Value::Win(7) && Value::Draw > Value::Loss(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move is lost in this many plies.
    Loss(u16),
    /// Neither side can force a win.
    Draw,
    /// The side to move wins in this many plies.
    Win(u16),
}

impl Value {
    /// The value with this distance, `None` for a draw: a loss is an even number of plies away, a
    /// win an odd number. (The win with DTW 0 of a game that is over is not in any table.)
    pub const fn from_dtw(distance: Option<u16>) -> Value {
        match distance {
            None => Value::Draw,
            Some(plies) if plies % 2 == 0 => Value::Loss(plies),
            Some(plies) => Value::Win(plies),
        }
    }

    /// Win, draw or loss alone.
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

    /// What a move that leads to a position of this value is worth to the side that makes it: a
    /// loss for the opponent is a win one ply further away.
    ///
    /// A distance of 65,535 plies, which no table holds, stays one.
    #[must_use]
    pub const fn before_move(self) -> Value {
        match self {
            Value::Loss(plies) => Value::Win(plies.saturating_add(1)),
            Value::Draw => Value::Draw,
            Value::Win(plies) => Value::Loss(plies.saturating_add(1)),
        }
    }

    /// A key that orders values by what the side to move prefers.
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
