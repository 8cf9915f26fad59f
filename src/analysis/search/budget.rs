//! What a search may use, and why it stops.

use super::error::Halt;
use super::graph::MAX_THREADS;
use lasca_tablebase::internals::{Instant, Threads};
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::{Progress, Silent};
use std::num::NonZero;
use std::ops::Range;
use std::time::Duration;

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

/// What a question to a search may use from now on: time and threads. It also says who follows the work and may
/// stop it. Several questions can share a budget.
///
/// ```
/// use lasca_analysis::search::Budget;
/// use lasca_tablebase::Silent;
/// use std::time::Duration;
/// let budget = Budget::new(Some(Duration::from_secs(60)), 1, &Silent);
/// assert!(budget.share(4).left() <= Some(Duration::from_secs(15)));
/// assert_eq!(Budget::default().left(), None);
/// ```
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// When it began; for the later parts of a search, as if they had followed the first one without a break.
    begun: Instant,
    /// When its time is over; `None` if it has no limit of time.
    until: Option<Instant>,
    /// When a search in parts shall pause, once it has found something.
    pause: Option<Instant>,
    pub(super) progress: &'a dyn Progress,
    pub(super) threads: Threads,
}

impl Default for Budget<'static> {
    /// One thread, for as long as it takes.
    fn default() -> Self {
        Budget::new(None, 1, &Silent)
    }
}

/// The least time that there is for what is told after a search.
const LEAST: Duration = Duration::from_secs(1);

/// A pass takes this many positions at a time, and asks each time whether it has to stop.
pub(super) const RANGE: usize = 1 << 14;

impl<'a> Budget<'a> {
    /// So much time from now on, `None` for as long as it takes, and so many threads, at least 1; more than 255
    /// count as 255.
    pub fn new(time: Option<Duration>, threads: usize, progress: &'a dyn Progress) -> Budget<'a> {
        let threads = Threads::new(NonZero::new(threads.clamp(1, MAX_THREADS)));
        let begun = Instant::now();
        Budget { begun, until: None, pause: None, progress, threads }.within(time)
    }

    /// The same, but with one of so many equal parts of the time that is left. 0 parts count as 1.
    #[must_use]
    pub fn share(&self, parts: usize) -> Budget<'a> {
        let parts = u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
        self.within(self.left().map(|left| left / parts))
    }

    /// What it may take to tell what a search within this budget has found, which ends now. If the time was
    /// limited, that is a quarter of the time that the search has taken, but at least a second. If the search was
    /// stopped, it is a second.
    #[must_use]
    pub fn afterwards(&self) -> Budget<'a> {
        let budget = Budget { until: None, pause: None, ..*self };
        match (self.is_stopped(), self.until) {
            (true, _) => Budget { progress: &Silent, ..budget.within(Some(LEAST)) },
            (false, Some(_)) => budget.within(Some(LEAST.max(self.elapsed() / 4))),
            (false, None) => budget,
        }
    }

    /// The time that is left; `None` if there is no limit.
    pub fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// The same, but at most so much time from now on.
    #[must_use]
    pub(crate) fn within(&self, time: Option<Duration>) -> Budget<'a> {
        let begun = Instant::now();
        let until = time.and_then(|time| begun.checked_add(time));
        Budget { begun, until: self.until.into_iter().chain(until).min(), ..*self }
    }

    /// The same, of which so much time has been used before.
    #[must_use]
    pub(crate) fn used(&self, time: Duration) -> Budget<'a> {
        let begun = self.begun.checked_sub(time).unwrap_or(self.begun);
        Budget { begun, ..self.earlier(time) }
    }

    /// The same, but for a time that ends so much earlier. It does not pause earlier.
    #[must_use]
    pub(super) fn earlier(&self, by: Duration) -> Budget<'a> {
        let until = self.until.map(|at| at.checked_sub(by).unwrap_or(at));
        Budget { until, ..*self }
    }

    /// The same for a search that pauses after so much time from now on, and then goes on with another budget.
    #[must_use]
    pub(crate) fn pausing_after(&self, time: Option<Duration>) -> Budget<'a> {
        Budget { pause: time.and_then(|time| Instant::now().checked_add(time)), ..*self }
    }

    /// The time since it began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether [`Progress::should_stop`] says so.
    pub(crate) fn is_stopped(&self) -> bool {
        self.progress.should_stop()
    }

    /// Whether it is time to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.is_stopped() || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether it is time to pause, but not to stop for good.
    pub(crate) fn is_paused(&self) -> bool {
        let is_before_end = |pause| self.until.is_none_or(|until| pause < until);
        self.pause.is_some_and(|pause| Instant::now() >= pause && is_before_end(pause))
    }

    /// Why it is time to stop.
    pub(crate) fn why_over(&self) -> Stop {
        if self.is_stopped() { Stop::Cancelled } else { Stop::Time }
    }

    /// Ends a walk or a pass if it is time to stop.
    pub(super) fn check(&self) -> Result<(), Halt> {
        if self.is_over() { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// Ends a search that has found something if it is time to pause. A walk or a pass goes on to its end, so each
    /// part of a search gets further, however short it shall be.
    pub(super) fn check_pause(&self) -> Result<(), Halt> {
        if self.is_paused() { Err(Halt::Stopped) } else { Ok(()) }
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

    /// Why a search stops whose walk or pass could not go on.
    ///
    /// # Errors
    /// If that was because of a table.
    pub(super) fn stop(&self, halt: Halt) -> Result<Stop, ProbeError> {
        match halt {
            Halt::Stopped => Ok(self.why_over()),
            Halt::Full => Ok(Stop::Memory),
            Halt::TooManyMoves(_) => Ok(Stop::TooManyMoves),
            Halt::Probe(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_common::recorder::Recorder;

    #[test]
    fn what_is_told_after_a_search_has_time_of_its_own_unless_it_is_stopped_meanwhile() {
        let [stopped, stopping] = [0, 1].map(Recorder::stopping_at);
        // The search has taken 8 seconds.
        let after = |time: Option<u64>, progress| {
            let limit = time.map(Duration::from_secs);
            Budget::new(limit, 1, progress).used(Duration::from_secs(8)).afterwards()
        };
        let seconds = |budget: Budget<'_>| budget.left().map(|left| left.as_secs_f64().round());
        assert_eq!(seconds(after(Some(8), &Silent)), Some(2.0));
        assert_eq!(seconds(after(None, &Silent)), None);
        assert_eq!(seconds(after(Some(8), &stopped)), Some(1.0));
        assert!(!after(None, &stopped).is_over());
        assert!(after(None, &stopping).is_over());
        assert_eq!(seconds(Budget::new(Some(Duration::ZERO), 1, &Silent).afterwards()), Some(1.0));
    }

    #[test]
    fn a_share_is_a_part_of_the_time_that_is_left() {
        let whole =
            Budget::new(Some(Duration::from_secs(8)), 1, &Silent).used(Duration::from_secs(4));
        let seconds = |budget: Budget<'_>| budget.left().map(|left| left.as_secs_f64().round());
        assert_eq!([0, 1, 4].map(|parts| seconds(whole.share(parts))), [4.0, 4.0, 1.0].map(Some));
        assert_eq!(seconds(Budget::default().share(2)), None);
        assert_eq!(seconds(Budget::new(Some(Duration::MAX), 1, &Silent)), None);
    }

    #[test]
    fn a_pause_comes_before_the_end_or_not_at_all() {
        let budget = |time| Budget::new(Some(time), 1, &Silent);
        let hour = Duration::from_secs(3600);
        let zero = Some(Duration::ZERO);
        assert!(budget(hour).pausing_after(zero).is_paused());
        assert!(!budget(hour).pausing_after(Some(hour / 2)).is_paused());
        assert!(!budget(Duration::ZERO).pausing_after(zero).is_paused());
        assert!(!budget(hour).pausing_after(zero).afterwards().is_paused());
    }
}
