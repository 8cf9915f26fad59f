//! Solving: retrograde analysis by plies, one slice after another.
//!
//! Each position of a slice is a byte, and is decided once. What is known at the start: positions
//! whose side to move is blocked are lost; takes that lose a column lead to slices that are solved
//! already; for the rest, the number of moves. Then ply by ply: a position found lost at ply `n`
//! makes every position with a move to it won at ply `n + 1`; a position found won refutes one
//! move of every position that leads to it, and where that was the last one, the position is lost
//! at ply `n + 1`. What no ply decides is drawn.
//!
//! Positions are worked on in **partitions** of consecutive orbits. A partition that is expanded
//! only reads its own bytes, and sends updates (partition, place) to others; then every partition
//! makes the updates sent to it. So no two threads ever write to the same bytes, no update needs an
//! atomic operation, and each pass over memory stays within one partition that fits a cache. The
//! `kernel` says which updates an orbit sends, with `takes` (looking ahead into slices below),
//! `uncaptures` (going back over takes) and `transitions` (where quiet moves lead, worked out once);
//! `solver` says when and where they are made.

mod captures;
mod checkpoint;
mod columns;
mod kernel;
mod solver;
mod state;
#[cfg(test)]
mod tests;
mod transitions;
mod uncaptures;

pub(crate) use solver::Resources;
pub use solver::{SolveError, Solver};
