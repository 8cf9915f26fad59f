//! What a search may use, and what it tells while it is at work.

use super::error::{Halt, SearchError};
use super::graph::MAX_THREADS;
use crate::portable::Instant;
use crate::rules::ByColor;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What a call of the search may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The longest time from the call on; `None` for as long as it takes.
    pub time: Option<Duration>,
    /// How many threads search, at least 1; more than 8 count as 8.
    pub threads: usize,
    /// The search stops soon after this becomes true.
    pub cancelled: Option<&'a AtomicBool>,
}

impl Default for Limits<'_> {
    /// One thread, for as long as it takes.
    fn default() -> Self {
        Limits { time: None, threads: 1, cancelled: None }
    }
}

/// Why a search has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The position is solved.
    Solved,
    /// The time is over.
    Time,
    /// There is no room for more positions.
    Memory,
    /// A position has more moves than a search can list: 32,766 that lead to different positions. Under the
    /// rules `rejump`, a capture may go on in very many ways.
    TooManyMoves,
    /// It is known who wins, but the exact distance rests on tables that do not have it.
    NoDistances,
    /// It was cancelled.
    Cancelled,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// How many positions have been met.
    pub positions: u64,
    /// How many of them have been expanded: their moves were looked at.
    pub expanded: u64,
    /// The bytes that the search holds.
    pub bytes: u64,
    /// For each side whose question "can it win?" is open: how hard it looks to prove that it can,
    /// and how hard that it cannot, from 1 to 60,000. Smaller is closer.
    pub numbers: ByColor<Option<(u16, u16)>>,
}

/// Told what a search is doing.
pub trait Watch {
    /// Some more positions have been searched. It is called several times a second or more often,
    /// from the thread that called the search.
    fn searching(&self, _status: &Status) {}
}

/// Is told, and says nothing.
impl Watch for crate::Silent {}

/// The limits of a search that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock<'a> {
    deadline: Option<Instant>,
    cancelled: &'a AtomicBool,
    pub(super) threads: usize,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> Clock<'a> {
    pub(super) fn new(limits: &Limits<'a>) -> Clock<'a> {
        Clock {
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            cancelled: limits.cancelled.unwrap_or(&NEVER),
            threads: limits.threads.clamp(1, MAX_THREADS),
        }
    }

    /// The same limits, but for a time that ends so much earlier.
    #[must_use]
    pub(super) fn earlier(&self, by: Duration) -> Clock<'a> {
        let deadline = self.deadline.map(|at| at.checked_sub(by).unwrap_or(at));
        Clock { deadline, ..*self }
    }

    /// Ends a walk or a pass if it is time to stop.
    pub(super) fn check(&self) -> Result<(), Halt> {
        if self.is_over() { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// Whether it is time to stop.
    fn is_over(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// Why a search stops whose walk or pass could not go on.
    ///
    /// # Errors
    /// If that was because of a table.
    pub(super) fn stop(&self, halt: Halt) -> Result<Stop, SearchError> {
        match halt {
            Halt::Stopped if self.is_cancelled() => Ok(Stop::Cancelled),
            Halt::Stopped => Ok(Stop::Time),
            Halt::Full => Ok(Stop::Memory),
            Halt::TooManyMoves => Ok(Stop::TooManyMoves),
            Halt::Probe(error) => Err(error.into()),
        }
    }
}
