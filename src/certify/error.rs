//! Why a position gets no certificate.

use crate::probe::ProbeError;
use crate::rules::{ByColor, Color};
use crate::search::{SearchError, Stop};
use std::fmt;

/// Why a position gets no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertifyError {
    /// The tables do not give its value, or the value of a position that the proof needs.
    Probe(ProbeError),
    /// The proof would hold more positions than it may.
    TooLarge {
        /// The side whose strategy did not fit.
        side: Color,
        /// Whether that strategy is to win; otherwise it is to draw.
        wins: bool,
        /// The most positions that all strategies together may hold.
        max_positions: usize,
    },
    /// The search has not found out who wins.
    Open {
        /// The sides that are proved to be unable to win.
        excluded: ByColor<bool>,
        /// Why the search ended, if [`Certificate::find`](super::Certificate::find) has made it.
        stop: Option<Stop>,
    },
    /// There is not enough memory to read the proof off the search.
    Search(SearchError),
}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertifyError::Probe(error) => error.fmt(f),
            CertifyError::TooLarge { side, wins, max_positions } => write!(
                f,
                "expected a proof of at most {max_positions} positions, found that more are \
                 needed to show that {side} {}",
                if *wins { "wins" } else { "does not lose" }
            ),
            CertifyError::Open { excluded, .. } => {
                match Color::ALL.into_iter().find(|&side| excluded[side]) {
                    Some(side) => write!(
                        f,
                        "the result is open: {side} cannot win, but whether {} can win is not \
                         known",
                        !side
                    ),
                    None => write!(f, "the result is open: neither a win nor a draw is proved"),
                }
            }
            CertifyError::Search(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CertifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CertifyError::Probe(error) => Some(error),
            CertifyError::Search(error) => Some(error),
            CertifyError::TooLarge { .. } | CertifyError::Open { .. } => None,
        }
    }
}

impl From<ProbeError> for CertifyError {
    fn from(error: ProbeError) -> CertifyError {
        CertifyError::Probe(error)
    }
}

impl From<SearchError> for CertifyError {
    fn from(error: SearchError) -> CertifyError {
        match error {
            SearchError::Probe(error) => CertifyError::Probe(error),
            error => CertifyError::Search(error),
        }
    }
}
