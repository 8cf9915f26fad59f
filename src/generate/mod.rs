//! Solving: retrograde analysis by plies, one slice after another.

mod kernel;
mod progress;
mod solve;
mod solved;
mod state;
mod transitions;

pub use progress::{Progress, Silent};
pub use solve::{SolveError, Solver};
pub use solved::SolvedSlice;
