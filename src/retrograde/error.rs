//! Why a slice could not be solved.

use super::state::Codes;
use crate::processes::Failure;
use crate::values::Distance;
use std::collections::TryReserveError;
use std::fmt;
use std::io;

/// Why a slice could not be solved.
#[derive(Debug)]
#[non_exhaustive]
pub enum SolveError {
    /// A scratch file could not be made, read or written, or the file of a solved slice not read.
    Scratch(io::Error),
    /// A slice that is solved could not be saved.
    Save(io::Error),
    /// There is not enough memory for the values.
    Memory,
    /// A position has more moves than the solver can count.
    TooManyMoves,
    /// A position is won or lost in more than 65,534 plies.
    TooManyPlies,
    /// The processes that work together could not exchange data.
    Exchange(io::Error),
    /// The process with this number has failed, and says why.
    OnProcess(usize),
    /// [`Progress::should_stop`](crate::Progress::should_stop) has asked for it.
    Stopped,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Scratch(error) => write!(f, "a file of values failed: {error}"),
            SolveError::Save(error) => write!(f, "the solved slice could not be saved: {error}"),
            SolveError::Memory => f.write_str("there is not enough memory for the values"),
            SolveError::TooManyMoves => {
                write!(
                    f,
                    "a position has more than {} moves, and the solver counts no more",
                    Codes::MAX_OPEN
                )
            }
            SolveError::Exchange(error) => write!(f, "the processes cannot exchange data: {error}"),
            SolveError::OnProcess(process) => write!(f, "process {process} has failed"),
            SolveError::Stopped => f.write_str("the work was stopped"),
            SolveError::TooManyPlies => {
                write!(f, "a position is won or lost in more than {} plies", Distance::MAX_DTW)
            }
        }
    }
}

impl From<io::Error> for SolveError {
    fn from(error: io::Error) -> SolveError {
        match error.kind() {
            io::ErrorKind::OutOfMemory => SolveError::Memory,
            _ => SolveError::Scratch(error),
        }
    }
}

impl From<Failure<SolveError>> for SolveError {
    fn from(failure: Failure<SolveError>) -> SolveError {
        match failure {
            Failure::Own(error) => error,
            Failure::OnProcess(process) => SolveError::OnProcess(process),
            Failure::Stopped => SolveError::Stopped,
            Failure::Exchange(error) => SolveError::Exchange(error),
        }
    }
}

impl From<TryReserveError> for SolveError {
    fn from(_: TryReserveError) -> SolveError {
        SolveError::Memory
    }
}

impl std::error::Error for SolveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SolveError::Scratch(error) | SolveError::Exchange(error) | SolveError::Save(error) => {
                Some(error)
            }
            SolveError::Memory
            | SolveError::TooManyMoves
            | SolveError::TooManyPlies
            | SolveError::OnProcess(_)
            | SolveError::Stopped => None,
        }
    }
}
