//! When unfinished work is saved.

use crate::clock::Instant;
use std::time::Duration;

/// How often the state of unfinished work is saved: at the end of the first ply after so much time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interval {
    /// After five seconds of work, and from then on so that saving takes at most three per cent of the
    /// time.
    #[default]
    Adapted,
    /// After so much work.
    Every(Duration),
    /// Never, nor finished pieces of work where they can stay in memory: if the run is stopped, a later one begins
    /// again.
    Never,
}

/// Decides when the state of unfinished work is saved.
#[derive(Debug)]
pub struct Pace {
    interval: Interval,
    /// When the run was begun.
    begun: Instant,
    /// When the state was saved last, or this piece of work was begun.
    since: Instant,
    /// How much later it is saved next; `None` if never.
    wait: Option<Duration>,
}

impl Pace {
    /// The work before the first save, and the least between two saves, unless the user sets it.
    const LEAST: Duration = Duration::from_secs(5);
    /// The work that is worth a save of its own when it is finished.
    const PART: Duration = Duration::from_secs(1);
    /// How many seconds are worked for each second that the last save took.
    const SECONDS_FOR_ONE: u32 = 32;

    /// A piece of work is begun now, in a run that was begun at this time.
    pub fn new(interval: Interval, begun: Instant) -> Pace {
        let wait = match interval {
            Interval::Never => None,
            Interval::Every(time) => Some(time),
            Interval::Adapted => Some(Pace::LEAST),
        };
        Pace { interval, begun, since: Instant::now(), wait }
    }

    /// Whether the state is ever saved.
    pub fn is_ever_due(&self) -> bool {
        self.wait.is_some()
    }

    /// Whether it is time to save the state.
    pub fn is_due(&self) -> bool {
        self.wait.is_some_and(|wait| self.since.elapsed() >= wait)
    }

    /// Whether to save this piece of work now that it is finished: because it is time, or because a run that
    /// is not short has done too much since the state was saved to do it again.
    pub fn is_due_at_end(&self) -> bool {
        let is_long = self.is_ever_due() && self.begun.elapsed() >= Pace::LEAST;
        self.is_due() || is_long && self.since.elapsed() >= Pace::PART
    }

    /// The state has been saved, which was begun at this time, or it cannot be.
    pub fn saved(&mut self, begun: Instant) {
        self.since = Instant::now();
        if self.interval == Interval::Adapted {
            let took = self.since.duration_since(begun);
            self.wait = Some(Pace::LEAST.max(Pace::SECONDS_FOR_ONE * took));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_takes_a_small_share_of_the_time() {
        let mut pace = Pace::new(Interval::Adapted, Instant::now());
        pace.saved(Instant::now() - Duration::from_secs(2));
        assert!(pace.wait.unwrap() >= Duration::from_secs(64));
        pace.saved(Instant::now());
        assert_eq!(pace.wait, Some(Pace::LEAST));
        let mut pace = Pace::new(Interval::Every(Duration::ZERO), Instant::now());
        pace.saved(Instant::now() - Duration::from_secs(2));
        assert!(pace.is_due());
        assert!(!Pace::new(Interval::Never, Instant::now()).is_ever_due());
    }
}
