//! Why a position could not be searched.

use crate::probe::ProbeError;
use std::fmt;

/// Why a position could not be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// A table that covers a position of the search could not be read.
    Probe(ProbeError),
    /// The memory is too little to begin with, or the system has not as much.
    Memory {
        /// The bytes that were to be used.
        memory: u64,
    },
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::Probe(error) => error.fmt(f),
            SearchError::Memory { memory } => {
                write!(f, "the search needs more memory than it was given ({memory} bytes)")
            }
        }
    }
}

impl std::error::Error for SearchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SearchError::Probe(error) => Some(error),
            SearchError::Memory { .. } => None,
        }
    }
}

impl From<ProbeError> for SearchError {
    fn from(error: ProbeError) -> SearchError {
        SearchError::Probe(error)
    }
}
