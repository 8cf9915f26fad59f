//! Lists of moves.

use super::mobility::{Mobility, Movers, NEIGHBOURS, Ways, square_of};
use super::{Move, Position, RuleSet, SquareSet};
use smallvec::SmallVec;
use std::ops::{ControlFlow, Deref, DerefMut};

/// The most moves of a position that are listed. Only under [`RuleSet::Rejump`] can a position have more, and then it
/// may have over a hundred thousand. No known game has come near to such a position.
pub const MOST_MOVES: usize = 4096;

/// A position has more moves than are listed: more than [`MOST_MOVES`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a position with at most {MOST_MOVES} legal moves, found more in {position}")]
pub struct TooManyMoves {
    /// The position.
    pub position: Box<Position>,
}

/// The legal moves of a position, sorted by their squares. It can be used as a slice, and sorted in another way.
///
/// Up to [`MoveList::ON_STACK`] moves are kept on the stack, and memory is allocated only for more. The order of the
/// list does not change from run to run. So the place of a move in the list, which fits into two bytes, can stand for the
/// move in a table of positions. Note the place before you sort the list in another way.
///
/// ```
/// use lasca_tablebase::rules::{Position, RuleSet};
/// let start = Position::start();
/// let mut moves = start.moves(RuleSet::Lasca)?;
/// assert_eq!((moves.len(), moves[0].to_string()), (6, "a3-b4".to_owned()));
/// // Moves to the middle first.
/// moves.sort_by_key(|played| (played.to().file() - 3).abs());
/// assert_eq!(moves[0].to_string(), "c3-d4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveList(SmallVec<[Move; MoveList::ON_STACK]>);

impl MoveList {
    /// The most moves that a list has on the stack. No position has more quiet moves.
    pub const ON_STACK: usize = 36;
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.0
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    #[inline]
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
    /// let position: Position = "c3W e5B w".parse()?;
    /// let moves = position.moves(RuleSet::Lasca)?;
    /// assert_eq!(moves.iter().map(|played| played.to()).collect::<Vec<_>>().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are more than [`MOST_MOVES`], which only [`RuleSet::Rejump`] allows. It takes no longer than finding that
    /// many.
    pub fn moves(&self, rules: RuleSet) -> Result<MoveList, TooManyMoves> {
        let mut list = MoveList::default();
        let Some(Ways { mobility, mobile, .. }) = self.ways() else { return Ok(list) };
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
                    for &(to, _) in down.iter().chain(up) {
                        if to & empty != 0 {
                            list.0.push(Move::starting(from).step(square_of(to)));
                        }
                    }
                }
            }
            Mobility::Captures(_) => {
                self.for_each_listed(rules, |played, _| list.0.push(*played))?;
                list.sort_unstable();
            }
        }
        Ok(list)
    }

    /// All legal moves with the positions that they lead to, sorted by their squares. There are none
    /// when the [game is over](Position::is_over).
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let position: Position = "a1W b2BB w".parse()?;
    /// let (capture, after) = &position.successors(RuleSet::Lasca)?[0];
    /// assert_eq!((capture.to_string(), after.to_string()), ("a1-b2-c3".into(), "b2B c3WB b".into()));
    /// assert_eq!(position.successors(RuleSet::Rejump)?[0].0.to_string(), "a1-b2-c3-b2-a1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Position::moves`].
    pub fn successors(&self, rules: RuleSet) -> Result<Vec<(Move, Position)>, TooManyMoves> {
        let moves = self.moves(rules)?;
        Ok(moves.iter().map(|played| (*played, self.play_unchecked(played))).collect())
    }

    /// Calls `visit` with each legal move and the position that it leads to, as [`Position::try_for_each_move`] does. Every
    /// list of moves is made by this.
    ///
    /// # Errors
    /// If there are more than [`MOST_MOVES`], after so many.
    #[doc(hidden)]
    #[inline]
    pub fn for_each_listed(
        &self,
        rules: RuleSet,
        mut visit: impl FnMut(&Move, &Position),
    ) -> Result<(), TooManyMoves> {
        let mut left = MOST_MOVES;
        let visited = self.try_for_each_move(rules, |played, after| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            visit(played, after);
            ControlFlow::Continue(())
        });
        match visited {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(TooManyMoves { position: Box::new(*self) }),
        }
    }
}
