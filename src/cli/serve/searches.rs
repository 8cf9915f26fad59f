//! The places of the searches, of which each client has at most one.
//!
//! A search that is over may be kept for the next one of its client. It keeps its place, but gives it to another search
//! that needs one.

use crate::threads::lock;
use lasca_analysis::answer::Search;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::time::sleep;

/// How long a search waits for a place. One that its client has left ends sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// The places of the searches.
#[derive(Debug)]
pub struct Searches {
    places: usize,
    taken: Mutex<TakenPlaces>,
    /// Tells those that wait that a search is over.
    over: Notify,
    /// Becomes true when all searches must end.
    pub stopping: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct TakenPlaces {
    /// Who searches, and when each search is over at the latest.
    running: HashMap<Who, Instant>,
    /// Searches that are over, and when they have ended.
    kept: HashMap<Who, (Instant, Search)>,
}

/// Who searches. A client with an address of IPv6 has all addresses with the same first half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Who(IpAddr);

impl From<IpAddr> for Who {
    fn from(addr: IpAddr) -> Who {
        Who(match addr.to_canonical() {
            IpAddr::V6(addr) => Ipv6Addr::from_bits(addr.to_bits() >> 64 << 64).into(),
            addr => addr,
        })
    }
}

/// The place of a search. It is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    searches: Arc<Searches>,
    who: Who,
    /// The search of the client that was kept, or that is to be.
    pub kept: Option<Search>,
    /// The search of another client that is kept no longer. To drop it may take a while.
    pub left_out: Option<Search>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = lock(&self.searches.taken);
        taken.running.remove(&self.who);
        let kept = self.kept.take().map(|search| (Instant::now(), search));
        taken.kept.extend(kept.map(|kept| (self.who, kept)));
        drop(taken);
        self.searches.over.notify_waiters();
    }
}

/// Why there is no place now.
#[derive(Debug)]
pub struct Taken {
    /// Whether the client itself searches already. Otherwise other clients have all places.
    pub by_client: bool,
    /// In how many seconds there is a place at the latest, unless another client takes it.
    pub wait: u64,
}

impl Searches {
    /// At most so many searches run at a time.
    pub fn new(places: usize) -> Searches {
        Searches { places, taken: Mutex::default(), over: Notify::new(), stopping: Arc::default() }
    }

    /// How many searches run.
    pub fn running(&self) -> usize {
        lock(&self.taken).running.len()
    }

    /// Takes a place for a search of a client that takes no longer than this, and waits a moment for it.
    pub async fn enter(
        self: &Arc<Searches>,
        client: IpAddr,
        longest: Duration,
    ) -> Result<Place, Taken> {
        let mut patience = pin!(sleep(PATIENCE));
        loop {
            let over = self.over.notified();
            match self.try_enter(client, longest) {
                Err(taken) => tokio::select! {
                    () = over => {}
                    () = &mut patience => return Err(taken),
                },
                entered => return entered,
            }
        }
    }

    fn try_enter(self: &Arc<Searches>, client: IpAddr, longest: Duration) -> Result<Place, Taken> {
        let (who, now) = (Who::from(client), Instant::now());
        let mut taken = lock(&self.taken);
        let TakenPlaces { running, kept } = &mut *taken;
        let own = running.get(&who).copied();
        if own.is_some() || running.len() >= self.places {
            let ends = own.or_else(|| running.values().min().copied()).unwrap_or(now);
            let wait = ends.saturating_duration_since(now).as_secs() + 1;
            return Err(Taken { by_client: own.is_some(), wait });
        }
        let of_client = kept.remove(&who).map(|(_, search)| search);
        let mut left_out = None;
        if running.len() + kept.len() >= self.places {
            let oldest = kept.iter().min_by_key(|(_, (ended, _))| *ended).map(|(&who, _)| who);
            left_out = oldest.and_then(|oldest| kept.remove(&oldest));
        }
        running.insert(who, now + longest);
        let left_out = left_out.map(|(_, search)| search);
        Ok(Place { searches: self.clone(), who, kept: of_client, left_out })
    }

    /// Ends all searches.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_analysis::answer::{Question, SearchLimits};
    use lasca_tablebase::rules::{Position, RuleSet};

    const LONGEST: Duration = Duration::from_secs(60);

    fn client(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn what_a_client_has_found_is_kept_until_another_needs_the_place() {
        let searches = Arc::new(Searches::new(2));
        let enter = |last| searches.try_enter(client(last), LONGEST).unwrap();
        let leave = |last| {
            let limits = SearchLimits { memory: 1 << 24, ..SearchLimits::default() };
            let search = Question::new(RuleSet::Lasca).search(&Position::start(), limits).unwrap();
            let mut place = enter(last);
            assert!(place.kept.is_none());
            place.kept = Some(search);
        };
        leave(1);
        leave(2);
        assert_eq!(searches.running(), 0);
        // Its own is no hindrance, and is not kept again.
        let has_kept = |last| enter(last).kept.take().is_some();
        assert!(has_kept(2));
        assert!(!has_kept(2));
        // Who has no place takes that of the oldest.
        leave(2);
        leave(3);
        assert!(!has_kept(1));
        assert!(!has_kept(2));
        assert!(has_kept(3));
    }

    #[test]
    fn the_addresses_of_one_network_of_ipv6_are_one_client() {
        let who = |addr: &str| Who::from(addr.parse::<IpAddr>().unwrap());
        assert_eq!(who("2001:db8::1"), who("2001:db8::ffff:1"));
        assert_ne!(who("2001:db8::1"), who("2001:db8:0:1::1"));
        assert_ne!(who("10.0.0.1"), who("10.0.0.2"));
        assert_eq!(who("::ffff:10.0.0.1"), who("10.0.0.1"));
    }
}
