//! Why a slice could not be solved.

use super::codes::Codes;
use crate::processes::{Processes, StepFailure, agree_on};
use crate::values::Distance;
use std::io;

/// Why a slice could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A scratch file, or the file of a slice, could not be made, read or written. The error names the file.
    #[error("{0}")]
    File(#[source] io::Error),
    /// There is not enough memory.
    #[error("there is not enough memory")]
    Memory,
    /// A position has more moves than the solver can count.
    #[error("a position has more than {} moves, and the solver counts no more", Codes::MAX_OPEN)]
    TooManyMoves,
    /// A position is won or lost in more than 65,534 plies.
    #[error("a position is won or lost in more than {} plies", Distance::MAX_DTW)]
    TooManyPlies,
}

/// Why a step of solving has failed on this process or on another one.
pub type Failure = StepFailure<SolveError>;

/// Returns the value of this process if every process has one.
pub fn agree<T>(
    processes: &dyn Processes,
    mine: Result<T, impl Into<SolveError>>,
) -> Result<T, Failure> {
    agree_on(processes, mine.map_err(|error| StepFailure::Own(error.into())))
}

impl From<io::Error> for SolveError {
    fn from(error: io::Error) -> SolveError {
        match error.kind() {
            io::ErrorKind::OutOfMemory => SolveError::Memory,
            _ => SolveError::File(error),
        }
    }
}
