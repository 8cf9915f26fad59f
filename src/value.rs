//! The value of a position: win, draw or loss, the distance to the win, and what is known of them. All
//! conversions between these are here.

use crate::rules::{ByColor, Color, Position};
use std::fmt;
use std::ops::Neg;

/// Win, draw or loss, for the side to move.
///
/// Negating it gives the other side's view.
///
/// ```
/// use lasca_tablebase::Wdl;
/// assert_eq!(-Wdl::Win, Wdl::Loss);
/// assert!(Wdl::Loss < Wdl::Draw && Wdl::Draw < Wdl::Win);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(into = "Parts"))]
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

/// What is known of a value: it is one of those from a worst to a best one. Tables know values exactly,
/// or, without their DTW files, only who wins. A search may know only that a win takes some number of plies
/// at most, or that a side does not lose.
///
/// ```
/// use lasca_tablebase::{Value, ValueRange, Wdl};
/// let proved = ValueRange::new(Value::Win(9), Value::Win(5)).unwrap();
/// assert_eq!((proved.wdl(), proved.at_most(), proved.exact()), (Some(Wdl::Win), Some(9), None));
/// assert_eq!(proved.to_string(), "win in at most 9");
/// assert_eq!(ValueRange::from(Value::Loss(4)).to_string(), "loss in 4");
/// assert_eq!(ValueRange::new(Value::Draw, Value::Win(0)).unwrap().to_string(), "at least a draw");
/// assert_eq!(ValueRange::from(Wdl::Loss).to_string(), "loss");
/// assert_eq!(ValueRange::UNKNOWN.wdl(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(into = "RangeParts"))]
pub struct ValueRange {
    worst: Value,
    best: Value,
}

impl ValueRange {
    /// All values.
    pub const UNKNOWN: ValueRange = ValueRange { worst: Value::Loss(0), best: Value::Win(0) };

    /// The values from a worst to a best one; `None` if the worst is better than the best.
    pub fn new(worst: Value, best: Value) -> Option<ValueRange> {
        (worst <= best).then_some(ValueRange { worst, best })
    }

    /// A win or a loss in at most the plies of this value, or a draw.
    #[doc(hidden)]
    pub const fn in_at_most(value: Value) -> ValueRange {
        let (worst, best) = match value {
            Value::Loss(_) => (Value::Loss(0), value),
            Value::Draw => (value, value),
            Value::Win(_) => (value, Value::Win(0)),
        };
        ValueRange { worst, best }
    }

    /// No value that is worse is possible.
    pub const fn worst(self) -> Value {
        self.worst
    }

    /// No value that is better is possible.
    pub const fn best(self) -> Value {
        self.best
    }

    /// The value, if only one is possible.
    pub fn exact(self) -> Option<Value> {
        (self.worst == self.best).then_some(self.worst)
    }

    /// Win, draw or loss, if only one of them is possible.
    pub fn wdl(self) -> Option<Wdl> {
        (self.worst.wdl() == self.best.wdl()).then_some(self.worst.wdl())
    }

    /// The plies that a win or a loss takes at most; `None` if there is no such number.
    pub fn at_most(self) -> Option<u16> {
        self.longest()?.dtw().filter(|&plies| plies < u16::MAX)
    }

    /// The value that takes most plies, if only one result is possible.
    #[doc(hidden)]
    pub fn longest(self) -> Option<Value> {
        self.wdl().map(|wdl| if wdl == Wdl::Win { self.worst } else { self.best })
    }

    /// The value that takes fewest plies, if only one result is possible.
    #[doc(hidden)]
    pub fn shortest(self) -> Option<Value> {
        self.wdl().map(|wdl| if wdl == Wdl::Win { self.best } else { self.worst })
    }

    /// The same as if nothing were known of quicker wins; `None` if several results are possible.
    #[doc(hidden)]
    pub fn without_quicker(self) -> Option<ValueRange> {
        self.longest().map(ValueRange::in_at_most)
    }

    /// The sides that cannot win if the position has this side to move.
    pub fn excluded(self, side_to_move: Color) -> ByColor<bool> {
        let mut excluded = ByColor { white: false, black: false };
        excluded[side_to_move] = self.best.wdl() <= Wdl::Draw;
        excluded[!side_to_move] = self.worst.wdl() >= Wdl::Draw;
        excluded
    }

    /// The values of a move that leads to a position with these values, for the side that makes it.
    #[must_use]
    pub fn before_move(self) -> ValueRange {
        // The position is worth what the moves from it allow, but not at once: 0 plies become 1.
        ValueRange { worst: self.best.before_move(), best: self.worst.before_move() }
    }

    /// The values of a position in which the side to move chooses between two moves with these.
    #[doc(hidden)]
    #[must_use]
    pub fn or(self, other: ValueRange) -> ValueRange {
        ValueRange { worst: self.worst.max(other.worst), best: self.best.max(other.best) }
    }

    /// The values that are possible by both ranges. If there is none, which only tables that
    /// contradict each other can bring about, it is this range.
    #[doc(hidden)]
    #[must_use]
    pub fn and(self, other: ValueRange) -> ValueRange {
        let (worst, best) = (self.worst.max(other.worst), self.best.min(other.best));
        ValueRange::new(worst, best).unwrap_or(self)
    }
}

impl From<Value> for ValueRange {
    fn from(value: Value) -> ValueRange {
        ValueRange { worst: value, best: value }
    }
}

impl PartialEq<Value> for ValueRange {
    /// Whether this is the only value that is possible.
    fn eq(&self, value: &Value) -> bool {
        self.exact() == Some(*value)
    }
}

impl From<Wdl> for ValueRange {
    /// A win or a loss may take any number of plies.
    fn from(wdl: Wdl) -> ValueRange {
        match wdl {
            Wdl::Win => ValueRange::in_at_most(Value::Win(u16::MAX)),
            Wdl::Draw => Value::Draw.into(),
            Wdl::Loss => ValueRange::in_at_most(Value::Loss(u16::MAX)),
        }
    }
}

impl fmt::Display for ValueRange {
    /// Writes what is proved: `win in 5`, `win in at most 9`, `draw`, `at least a draw`, `unknown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exact(), self.wdl(), self.at_most()) {
            (Some(value), ..) => value.fmt(f),
            (None, Some(wdl), Some(plies)) => write!(f, "{} in at most {plies}", wdl.name()),
            (None, Some(wdl), None) => f.write_str(wdl.name()),
            (None, None, _) if self.worst.wdl() == Wdl::Draw => f.write_str("at least a draw"),
            (None, None, _) if self.best.wdl() == Wdl::Draw => f.write_str("at most a draw"),
            (None, None, _) => f.write_str("unknown"),
        }
    }
}

/// How a game ends, or how it ends if both sides play best.
///
/// ```
/// use lasca_tablebase::rules::Color;
/// use lasca_tablebase::{Outcome, Wdl};
/// assert_eq!(Outcome::of(Wdl::Loss, Color::White), Outcome::Win(Color::Black));
/// assert_eq!(Outcome::Win(Color::Black).symbol(), "0-1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Outcome {
    /// This side wins.
    Win(Color),
    /// Neither side wins.
    Draw,
}

impl Position {
    /// Who has won, if the game is over: the side to move has lost if it is blocked, and a side that commands no column
    /// has lost. It is the same under all rules. A draw by repetition is one of a game, and not of a position.
    ///
    /// ```
    /// use lasca_tablebase::Outcome;
    /// use lasca_tablebase::rules::{Color, Position};
    /// let outcome = |text: &str| text.parse().map(|position: Position| position.outcome());
    /// assert_eq!(outcome("a1W g7B w"), Ok(None));
    /// assert_eq!(outcome("a1W w"), Ok(Some(Outcome::Win(Color::White))));
    /// assert_eq!(outcome("g7w a1B w"), Ok(Some(Outcome::Win(Color::Black)))); // The soldier is on its last row.
    /// ```
    pub fn outcome(&self) -> Option<Outcome> {
        let side = self.side_to_move();
        let has_won = self.commanded_by(!side).is_empty();
        self.is_over().then_some(Outcome::Win(if has_won { side } else { !side }))
    }
}

impl Outcome {
    /// What this result means for the side to move.
    pub fn of(wdl: Wdl, side_to_move: Color) -> Outcome {
        match wdl {
            Wdl::Win => Outcome::Win(side_to_move),
            Wdl::Draw => Outcome::Draw,
            Wdl::Loss => Outcome::Win(!side_to_move),
        }
    }

    /// The side that wins; `None` for a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Win(side) => Some(side),
            Outcome::Draw => None,
        }
    }

    /// `1-0`, `0-1` or `1/2`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Outcome::Win(Color::White) => "1-0",
            Outcome::Win(Color::Black) => "0-1",
            Outcome::Draw => "1/2",
        }
    }
}

impl fmt::Display for Outcome {
    /// Prints `White wins`, `Black wins` or `a draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Win(side) => write!(f, "{side} wins"),
            Outcome::Draw => f.write_str("a draw"),
        }
    }
}

/// The form in which serde writes a value.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Parts {
    /// The result for the side to move.
    wdl: Wdl,
    /// The distance to the end of the game, in plies; `null` for a draw, or if it is not known.
    dtw: Option<u16>,
}

#[cfg(feature = "serde")]
impl From<Value> for Parts {
    fn from(value: Value) -> Parts {
        Parts { wdl: value.wdl(), dtw: value.dtw() }
    }
}

/// The same for what is known of a value. A result may be all that is known.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
#[serde(untagged)]
enum RangeParts {
    Known(Parts),
    Between { worst: Parts, best: Parts },
}

#[cfg(feature = "serde")]
impl From<ValueRange> for RangeParts {
    fn from(range: ValueRange) -> RangeParts {
        match (range.exact(), range.wdl()) {
            (Some(value), _) => RangeParts::Known(value.into()),
            (None, Some(wdl)) if range == ValueRange::from(wdl) => {
                RangeParts::Known(Parts { wdl, dtw: None })
            }
            _ => RangeParts::Between { worst: range.worst.into(), best: range.best.into() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Draw, Loss, Win};

    fn range(worst: Value, best: Value) -> ValueRange {
        ValueRange::new(worst, best).unwrap()
    }

    #[test]
    fn a_choice_is_worth_the_better_move_and_a_move_the_other_sides_loss() {
        assert_eq!(range(Draw, Win(3)).before_move(), range(Loss(4), Draw));
        assert_eq!(range(Loss(8), Loss(12)).before_move(), range(Win(13), Win(9)));
        assert_eq!(range(Loss(4), Draw).or(range(Draw, Win(1))), range(Draw, Win(1)));
        assert_eq!(range(Loss(4), Draw).or(Win(9).into()), Win(9));
        assert_eq!(ValueRange::UNKNOWN.or(Draw.into()), range(Draw, Win(0)));
        assert_eq!(range(Draw, Win(0)).and(range(Loss(0), Draw)), Draw);
        assert_eq!(ValueRange::from(Draw).and(Win(3).into()), Draw);
        assert!(ValueRange::new(Win(3), Draw).is_none());
    }

    #[test]
    fn of_two_upper_bounds_the_lesser_counts() {
        for value in [Win as fn(u16) -> Value, Loss] {
            let at_most = |plies| ValueRange::in_at_most(value(plies));
            for (a, b) in [(5, 7), (7, 5), (u16::MAX, 5), (5, u16::MAX)] {
                assert_eq!(at_most(a).and(at_most(b)).at_most(), Some(5));
            }
            assert_eq!(at_most(u16::MAX).and(at_most(u16::MAX)).at_most(), None);
        }
    }

    #[test]
    fn a_win_whose_plies_are_not_known_has_no_bound() {
        let won = range(Win(u16::MAX), Win(1));
        assert_eq!((won.wdl(), won.at_most()), (Some(Wdl::Win), None));
        assert_eq!(won.to_string(), "win");
        assert_eq!(range(Loss(2), Loss(u16::MAX)).to_string(), "loss");
        assert_eq!(range(Loss(2), Loss(8)).at_most(), Some(8));
        assert_eq!(range(Loss(0), Draw).to_string(), "at most a draw");
    }
}
