//! Looking forward: what the moves of all positions of an orbit lead to, an orbit at a time.
//!
//! `side` finds the best moves by values that are known; `runs` finds whether takes always come to an
//! end, for which no values are needed. `columns` says where columns stand after a move, `grade` turns
//! moves into bytes of which the least is the best, `replies` holds the values that moves lead to.
//! Nothing here is shared with the [solver](crate::retrograde), which looks backward.

mod columns;
mod grade;
mod replies;
mod runs;
mod side;

pub use replies::Replies;
pub use runs::capture_runs_end;
pub use side::{Placements, Side, Workspace};
