//! What is known of a value that may not be known exactly.

use crate::probe::Standing;
use crate::rules::{ByColor, Color};
use crate::{Rating, Value, Wdl};
use std::fmt;

/// What is known of a value: it is one of those from a worst to a best one. The tables know values
/// exactly; a search may know only that a win takes some number of plies at most, or that a side does
/// not lose.
///
/// ```
/// use lasca_tablebase::answer::ValueRange;
/// use lasca_tablebase::{Value, Wdl};
/// let proved = ValueRange::new(Value::Win(9), Value::Win(5)).unwrap();
/// assert_eq!((proved.wdl(), proved.at_most(), proved.exact()), (Some(Wdl::Win), Some(9), None));
/// assert_eq!(proved.to_string(), "win in at most 9");
/// assert_eq!(ValueRange::from(Value::Loss(4)).to_string(), "loss in 4");
/// assert_eq!(ValueRange::new(Value::Draw, Value::Win(0)).unwrap().to_string(), "at least a draw");
/// assert_eq!(ValueRange::UNKNOWN.wdl(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        let plies = match self.wdl()? {
            Wdl::Win => self.worst.dtw(),
            Wdl::Draw => None,
            Wdl::Loss => self.best.dtw(),
        };
        plies.filter(|&plies| plies < u16::MAX)
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
    #[must_use]
    pub(crate) fn or(self, other: ValueRange) -> ValueRange {
        ValueRange { worst: self.worst.max(other.worst), best: self.best.max(other.best) }
    }

    /// The values that are possible by both ranges. If there is none, which only tables that
    /// contradict each other can bring about, it is this range.
    #[must_use]
    pub(crate) fn and(self, other: ValueRange) -> ValueRange {
        let (worst, best) = (self.worst.max(other.worst), self.best.min(other.best));
        ValueRange::new(worst, best).unwrap_or(self)
    }
}

impl From<Value> for ValueRange {
    fn from(value: Value) -> ValueRange {
        ValueRange { worst: value, best: value }
    }
}

impl From<Rating> for ValueRange {
    /// Without a distance, a win or a loss may take any number of plies.
    fn from(rating: Rating) -> ValueRange {
        let (worst, best) = match (rating.wdl, rating.dtw) {
            (Wdl::Draw, _) => (Value::Draw, Value::Draw),
            (Wdl::Win, Some(plies)) => (Value::Win(plies), Value::Win(plies)),
            (Wdl::Win, None) => (Value::Win(u16::MAX), Value::Win(0)),
            (Wdl::Loss, Some(plies)) => (Value::Loss(plies), Value::Loss(plies)),
            (Wdl::Loss, None) => (Value::Loss(0), Value::Loss(u16::MAX)),
        };
        ValueRange { worst, best }
    }
}

/// How the move with this number compares with the other moves of its position; `None` if too little is
/// known. `values` are those of all moves.
///
/// ```
/// use lasca_tablebase::Value::{self, Draw, Loss, Win};
/// use lasca_tablebase::answer::{ValueRange, standing};
/// use lasca_tablebase::probe::Standing;
/// let first = |values: &[Value]| {
///     let values: Vec<ValueRange> = values.iter().map(|&value| value.into()).collect();
///     standing(&values, 0)
/// };
/// assert_eq!(first(&[Win(7), Draw]), Some(Standing::Only));
/// assert_eq!(first(&[Win(7), Win(9)]), Some(Standing::Best));
/// assert_eq!(first(&[Win(9), Win(7)]), Some(Standing::Keeps));
/// assert_eq!(first(&[Draw, Draw, Loss(8)]), Some(Standing::Keeps));
/// assert_eq!(first(&[Draw, Win(5)]), Some(Standing::GivesAway));
/// assert_eq!(first(&[Loss(4)]), Some(Standing::OnlyLegal));
/// let unknown = [Draw.into(), ValueRange::UNKNOWN];
/// assert_eq!((standing(&unknown, 0), standing(&unknown, 1)), (None, None));
/// ```
///
/// # Panics
/// If there is no move with this number.
pub fn standing(values: &[ValueRange], number: usize) -> Option<Standing> {
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
        assert_eq!(range(Loss(4), Draw).or(Win(9).into()), Win(9).into());
        assert_eq!(ValueRange::UNKNOWN.or(Draw.into()), range(Draw, Win(0)));
        assert_eq!(range(Draw, Win(0)).and(range(Loss(0), Draw)), Draw.into());
        assert_eq!(ValueRange::from(Draw).and(Win(3).into()), Draw.into());
        assert!(ValueRange::new(Win(3), Draw).is_none());
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
