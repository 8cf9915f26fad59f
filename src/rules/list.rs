//! Lists of moves.

use super::mobility::{Mobility, Movers, NEIGHBOURS, Ways, square_of};
use super::{Move, Position, RuleSet, SquareSet};
use smallvec::SmallVec;
use std::ops::{ControlFlow, Deref, DerefMut};

/// The legal moves of a position, sorted by their squares. It can be used as a slice, and sorted in another way.
///
/// Up to [`MoveList::ON_STACK`] moves are kept on the stack, and memory is allocated only for more. The order of the
/// list does not change from run to run. So the place of a move in the list, which fits into two bytes under all rules
/// but [`RuleSet::Rejump`], can stand for the move in a table of positions.
///
/// ```
/// use lasca_tablebase::rules::{Position, RuleSet};
/// let start = Position::start();
/// let mut moves = start.moves(RuleSet::Lasca);
/// assert_eq!((moves.len(), moves[0].to_string()), (6, "a3-b4".to_owned()));
/// // Moves to the middle first.
/// moves.sort_by_key(|played| (played.to().file() - 3).abs());
/// assert_eq!(moves[0].to_string(), "c3-d4");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveList(SmallVec<[Move; MoveList::ON_STACK]>);

impl MoveList {
    /// The most moves that a list has on the stack. No position has more quiet moves.
    pub const ON_STACK: usize = 36;
}

impl Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl DerefMut for MoveList {
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.0
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Position {
    /// All legal moves. There are none when the [game is over](Position::is_over). [`Position::play_unchecked`] makes
    /// one of them.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let position: Position = "c3W e5B w".parse().unwrap();
    /// let moves = position.moves(RuleSet::Lasca);
    /// assert_eq!(moves.iter().map(|played| played.to()).collect::<Vec<_>>().len(), 4);
    /// ```
    pub fn moves(&self, rules: RuleSet) -> MoveList {
        let mut list = MoveList::default();
        let Some(Ways { mobility, mobile, .. }) = self.ways() else { return list };
        match mobility {
            Mobility::None => {}
            Mobility::Quiet(_) => {
                let side = self.side_to_move();
                let movers = Movers::new(side, self.commanded_by(side), self.under_officers());
                let empty = !self.occupied().bits();
                for from in SquareSet::from_bits(mobile) {
                    let (up, down) = NEIGHBOURS[from.index()].split_at(2);
                    let down = if movers.down.contains(from) { down } else { &[] };
                    let up = if movers.up.contains(from) { up } else { &[] };
                    // The squares down the board come first in order.
                    let to = down.iter().chain(up).filter(|(to, _)| to & empty != 0);
                    list.0.extend(to.map(|&(to, _)| Move::starting(from).step(square_of(to))));
                }
            }
            Mobility::Captures(_) => {
                let _: ControlFlow<()> = self.try_for_each_move(rules, |played, _| {
                    list.0.push(*played);
                    ControlFlow::Continue(())
                });
                list.sort_unstable();
            }
        }
        list
    }

    /// The legal moves that are captures: all moves, or none, as capturing is compulsory.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let captures = |text: &str| text.parse().map(|position: Position| position.captures(RuleSet::Lasca).len());
    /// assert_eq!((captures("a1W b2B w"), captures("a1W g7B w")), (Ok(1), Ok(0)));
    /// ```
    pub fn captures(&self, rules: RuleSet) -> MoveList {
        if self.must_capture() { self.moves(rules) } else { MoveList::default() }
    }
}
