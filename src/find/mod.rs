//! Finding positions that authors and trainers look for: wins and draws by only moves.
//!
//! # Words
//!
//! | word | meaning |
//! | --- | --- |
//! | right | said of a move that keeps the result for the side that makes it: a win stays a win, and a draw stays a draw |
//! | solver | the side that has something to find: the winner, or in a drawn position the side to move. In a lost position, that is the side *not* to move |
//! | turn | a position in which the solver is to move |
//! | only move | the right move of a turn that has no other one. It may also be the only legal move |
//! | choice | a turn with an only move and at least one other legal move |
//! | defence | the replies of the other side that are looked at, see [`Defence`] |
//!
//! A position has *N turns of only moves* if the solver has an only move at each of its next N turns,
//! whichever of these replies the other side chooses. A side line that ends sooner because the solver
//! wins is as good as one that goes on. But if both sides play best, the solver must have N turns: a
//! win in `2 N − 1` plies or more, or a loss in `2 N` or more. A drawn game always goes on.
//!
//! Two captures that pass the same squares in another order are two moves, as everywhere in this crate.

mod only_moves;

use crate::Value;

pub use only_moves::only_moves;

/// The replies of the other side that are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Defence {
    /// The best replies: in a decided game those that hold out longest, in a drawn game those that keep
    /// the draw. If there are several, all of them count.
    #[default]
    Best,
    /// All legal replies. If a reply loses a drawn game, the solver must find the only winning move, and
    /// so on.
    Every,
}

/// How many turns the solver has until the game ends, if both sides play best.
fn solver_turns(value: Value) -> usize {
    match value {
        Value::Win(plies) => usize::from(plies).div_ceil(2),
        Value::Loss(plies) => usize::from(plies) / 2,
        Value::Draw => usize::MAX,
    }
}
