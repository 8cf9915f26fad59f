//! Why a position could not be searched.

use crate::probe::ProbeError;

/// Why a position could not be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// A table that covers a position of the search could not be read.
    #[error("{0}")]
    Probe(#[from] ProbeError),
    /// The memory is too little to begin with, or the system has not as much.
    #[error("the search needs more memory than it was given ({memory} bytes)")]
    Memory {
        /// The bytes that were to be used.
        memory: u64,
    },
}
