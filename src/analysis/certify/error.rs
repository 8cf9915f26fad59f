//! Why a position gets no certificate.

use crate::search::Stop;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::{ByColor, Color};

/// Why a position gets no certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertifyError {
    /// The tables do not give its value, or the value of a position that the proof needs; or there is not
    /// enough memory for the search, or to read the proof off it.
    #[error("{0}")]
    Probe(#[from] ProbeError),
    /// The proof would hold more positions than it may.
    #[error(
        "expected a proof of at most {max_positions} positions, found that more are needed to show \
         that {side} {}",
        if *wins { "wins" } else { "does not lose" }
    )]
    TooLarge {
        /// The side whose strategy did not fit.
        side: Color,
        /// Whether that strategy is to win; otherwise it is to draw.
        wins: bool,
        /// The most positions that all strategies together may hold.
        max_positions: usize,
    },
    /// The search has not found out who wins.
    #[error(
        "the result is open: {}",
        match Color::ALL.into_iter().find(|&side| excluded[side]) {
            Some(side) => format!("{side} cannot win, but whether {} can win is not known", !side),
            None => "neither a win nor a draw is proved".to_owned(),
        }
    )]
    Open {
        /// The sides that are proved to be unable to win.
        excluded: ByColor<bool>,
        /// Why the search ended, if [`Certificate::prove`](super::Certificate::prove) has made it.
        stop: Option<Stop>,
    },
}

#[cfg(feature = "generate")]
impl crate::answer::Searched for Result<super::Certificate, CertifyError> {
    fn stop(&self) -> Stop {
        match self {
            Err(CertifyError::Open { stop: Some(stop), .. }) => *stop,
            Err(CertifyError::Probe(ProbeError::SearchMemory { .. })) => Stop::Memory,
            _ => Stop::Solved,
        }
    }
}
