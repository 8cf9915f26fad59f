//! Why a search, or a part of it, could not be made.

use super::memory::Full;
use lasca_tablebase::Reason;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::TooManyMoves;

/// Why a position could not be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A table that covers a position of the search could not be read.
    #[error("{0}")]
    Probe(#[from] ProbeError),
    /// The memory is too little to begin with, or the system has not as much.
    #[error("the search needs more memory than it was given ({memory} bytes{})", at_least(*needed))]
    Memory {
        /// The bytes that were to be used.
        memory: u64,
        /// How many bytes are needed at least, if that is known.
        needed: Option<u64>,
    },
    /// A position whose moves were to be told has more than are listed.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
}

impl SearchError {
    /// The reason, in a word for programs.
    pub fn reason(&self) -> Reason {
        match self {
            SearchError::Probe(error) => error.reason(),
            SearchError::Memory { .. } => Reason::NoMemory,
            SearchError::TooManyMoves(_) => Reason::TooManyMoves,
        }
    }
}

fn at_least(needed: Option<u64>) -> String {
    needed.map_or(String::new(), |needed| format!("; it needs at least {needed} bytes"))
}

/// Why a walk through the graph or a pass over it has ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The time is over, or the search was cancelled.
    Stopped,
    /// There is no room for more.
    Full,
    /// A position has more moves than are listed.
    TooManyMoves(TooManyMoves),
    /// A table could not be read.
    Probe(ProbeError),
}

impl From<Full> for Halt {
    fn from(_: Full) -> Halt {
        Halt::Full
    }
}

impl From<TooManyMoves> for Halt {
    fn from(error: TooManyMoves) -> Halt {
        Halt::TooManyMoves(error)
    }
}

impl From<ProbeError> for Halt {
    fn from(error: ProbeError) -> Halt {
        Halt::Probe(error)
    }
}
