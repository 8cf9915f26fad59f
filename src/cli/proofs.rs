//! Certificates, for the commands that write them.

use crate::failure::Failure;
use crate::memory::{ALLOWS_MORE, search_failure};
use lasca_analysis::certify::CertifyError;
use lasca_analysis::search::Stop;
use lasca_tablebase::Reason;

/// What it means for a command with the option `--memory` that there is no certificate.
pub fn failure(error: CertifyError) -> Failure {
    let hint = match &error {
        CertifyError::Probe(error) => return search_failure(error),
        CertifyError::TooLarge { .. } => {
            Some("with certify, --max-positions allows more".to_owned())
        }
        CertifyError::Open { stop: Some(Stop::Time), .. } => {
            Some("a larger --seconds may be enough".to_owned())
        }
        CertifyError::Open { stop: Some(Stop::Memory), .. } => {
            Some(format!("the memory was full: {ALLOWS_MORE}"))
        }
        _ => None,
    };
    let why = match error {
        CertifyError::Open { stop: Some(Stop::Cancelled), .. } => {
            format!("the search was stopped: {error}")
        }
        CertifyError::Open { stop: Some(Stop::TooManyMoves), .. } => {
            format!("a position has more moves than are listed: {error}")
        }
        error => error.to_string(),
    };
    let failure = Failure::negative(Reason::NotCovered, why);
    hint.into_iter().fold(failure, Failure::with_hint)
}
