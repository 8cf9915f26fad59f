//! Why a walk through the graph of a search has ended.

use super::memory::Full;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::TooManyMoves;

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
