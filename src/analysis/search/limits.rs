//! What a search may use, and why it stops.

use super::error::{Halt, SearchError};
use super::graph::MAX_THREADS;
use crate::clock::Instant;
use lasca_tablebase::Progress;
use lasca_tablebase::internals::Threads;
use std::num::NonZero;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Duration;

/// What a call of the search may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest time from the call on; `None` for as long as it takes.
    pub time: Option<Duration>,
    /// How many threads search, at least 1; more than 255 count as 255.
    pub threads: usize,
}

impl Default for Limits {
    /// One thread, for as long as it takes.
    fn default() -> Self {
        Limits { time: None, threads: 1 }
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
    /// A position has more than [`MOST_MOVES`](lasca_tablebase::rules::MOST_MOVES). Under the rules `rejump`, a capture may go on in
    /// very many ways.
    TooManyMoves,
    /// It is known who wins, but the exact distance rests on tables that do not have it.
    NoDistances,
    /// [`Progress::should_stop`] said so.
    Cancelled,
}

/// The least time that there is for what is told after a search that has come to its limit or was stopped.
const GRACE: Duration = Duration::from_secs(1);

/// How long it may take to work out what is told after a search of so long; `None` for as long as it takes.
pub(crate) fn grace(search: Duration, is_limited: bool, is_stopped: bool) -> Option<Duration> {
    match (is_stopped, is_limited) {
        (true, _) => Some(GRACE),
        (false, true) => Some(GRACE.max(search / 4)),
        (false, false) => None,
    }
}

/// Asks what is told after a search to stop, but only some time after `progress` has said so.
pub(crate) struct StopsLater<'a> {
    progress: &'a dyn Progress,
    /// When `progress` said so.
    since: OnceLock<Instant>,
    grace: Duration,
}

impl<'a> StopsLater<'a> {
    pub(crate) fn new(progress: &'a dyn Progress) -> StopsLater<'a> {
        StopsLater::after(GRACE, progress)
    }

    /// Asks to stop so long after `progress` has said so. It may have said so already.
    fn after(grace: Duration, progress: &'a dyn Progress) -> StopsLater<'a> {
        let stops = StopsLater { progress, since: OnceLock::new(), grace };
        stops.should_stop();
        stops
    }
}

impl Progress for StopsLater<'_> {
    fn should_stop(&self) -> bool {
        self.progress.should_stop() && self.since.get_or_init(Instant::now).elapsed() >= self.grace
    }
}

/// The limits of a search that has begun.
#[derive(Clone, Copy)]
pub(crate) struct Clock<'a> {
    begun: Instant,
    deadline: Option<Instant>,
    pub(super) progress: &'a dyn Progress,
    pub(super) threads: Threads,
}

/// A pass takes this many positions at a time, and asks each time whether it has to stop.
pub(super) const RANGE: usize = 1 << 14;

impl<'a> Clock<'a> {
    pub(crate) fn new(limits: &Limits, progress: &'a dyn Progress) -> Clock<'a> {
        Clock {
            begun: Instant::now(),
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            progress,
            threads: Threads::new(NonZero::new(limits.threads.clamp(1, MAX_THREADS))),
        }
    }

    /// The limits of what is told after a search of so long with these limits.
    pub(crate) fn after(
        search: Duration,
        limits: &Limits,
        progress: &'a StopsLater<'_>,
    ) -> Clock<'a> {
        let time = grace(search, limits.time.is_some(), false);
        Clock::new(&Limits { time, ..*limits }, progress)
    }

    /// The limits of what is told after a search with these limits that has ended now: see [`grace`].
    pub(super) fn telling(&self, limits: &Limits) -> Limits {
        let time = grace(self.begun.elapsed(), limits.time.is_some(), self.progress.should_stop());
        Limits { time, ..*limits }
    }

    /// The same limits, but for a time that ends so much earlier.
    #[must_use]
    pub(super) fn earlier(&self, by: Duration) -> Clock<'a> {
        let deadline = self.deadline.map(|at| at.checked_sub(by).unwrap_or(at));
        Clock { deadline, ..*self }
    }

    /// The same limits, but for a time that ends no later than that of another clock.
    #[must_use]
    pub(super) fn and(&self, other: &Clock<'_>) -> Clock<'a> {
        Clock { deadline: self.deadline.into_iter().chain(other.deadline).min(), ..*self }
    }

    /// Ends a walk or a pass if it is time to stop.
    pub(super) fn check(&self) -> Result<(), Halt> {
        if self.is_over() { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// Does the work for all numbers below `length`, in ranges, on all threads. Returns what it came to, in
    /// the order of the ranges.
    pub(super) fn in_ranges<T: Send>(
        &self,
        length: usize,
        work: impl Fn(Range<usize>) -> T + Sync,
    ) -> Result<Vec<T>, Halt> {
        let task = |number: usize, _: &mut ()| {
            self.check()?;
            let begin = number * RANGE;
            Ok(work(begin..length.min(begin + RANGE)))
        };
        self.threads.map(length.div_ceil(RANGE), || (), task)
    }

    /// Whether it is time to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.progress.should_stop()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why it is time to stop.
    pub(crate) fn why_over(&self) -> Stop {
        if self.progress.should_stop() { Stop::Cancelled } else { Stop::Time }
    }

    /// Why a search stops whose walk or pass could not go on.
    ///
    /// # Errors
    /// If that was because of a table.
    pub(super) fn stop(&self, halt: Halt) -> Result<Stop, SearchError> {
        match halt {
            Halt::Stopped => Ok(self.why_over()),
            Halt::Full => Ok(Stop::Memory),
            Halt::TooManyMoves(_) => Ok(Stop::TooManyMoves),
            Halt::Probe(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_common::recorder::Recorder;
    use lasca_tablebase::Silent;

    #[test]
    fn what_is_told_goes_on_for_a_while_after_it_is_asked_to_stop() {
        // It says so from the second question on.
        let stopping = || Recorder::stopping_at(1);
        for (progress, grace, is_over) in [
            (&stopping() as &dyn Progress, Duration::MAX, false),
            (&stopping(), Duration::ZERO, true),
            (&Silent, Duration::ZERO, false),
        ] {
            let progress = StopsLater::after(grace, progress);
            let clock = Clock::after(Duration::ZERO, &Limits::default(), &progress);
            assert_eq!([clock.is_over(), clock.is_over()], [is_over; 2]);
        }
    }
}
