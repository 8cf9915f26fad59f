//! The places of the searches, of which each client has at most one.

use super::refusal::Refusal;
use crate::threads::lock;
use lasca_tablebase::Reason;
use std::collections::HashSet;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How long a search waits for a place. One that its client has left ends sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// It looks for one this often.
const PAUSE: Duration = Duration::from_millis(20);

/// The places of the searches.
#[derive(Debug)]
pub struct Searches {
    places: usize,
    /// Who searches.
    running: Mutex<HashSet<Who>>,
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
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.searches.running).remove(&self.who);
    }
}

impl Searches {
    /// At most so many searches run at a time.
    pub fn new(places: usize) -> Searches {
        Searches { places, running: Mutex::default() }
    }

    /// How many searches run.
    pub fn running(&self) -> usize {
        lock(&self.running).len()
    }

    /// Takes a place for a search of a client, and waits a moment for it.
    pub async fn enter(self: &Arc<Searches>, client: IpAddr) -> Result<Place, Refusal> {
        let begun = Instant::now();
        loop {
            match self.try_enter(client) {
                Err(_) if begun.elapsed() < PATIENCE => sleep(PAUSE).await,
                entered => return entered,
            }
        }
    }

    fn try_enter(self: &Arc<Searches>, client: IpAddr) -> Result<Place, Refusal> {
        let (who, places) = (Who::from(client), self.places);
        let mut running = lock(&self.running);
        let error = if running.contains(&who) {
            "expected one search of a client at a time, found another one".to_owned()
        } else if running.len() >= places {
            format!("expected at most {places} searches at a time, found as many of other clients")
        } else {
            running.insert(who);
            return Ok(Place { searches: self.clone(), who });
        };
        Err(Refusal::busy(error).because(Reason::SearchesBusy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_one_network_of_ipv6_are_one_client() {
        let who = |addr: &str| Who::from(addr.parse::<IpAddr>().unwrap());
        assert_eq!(who("2001:db8::1"), who("2001:db8::ffff:1"));
        assert_ne!(who("2001:db8::1"), who("2001:db8:0:1::1"));
        assert_ne!(who("10.0.0.1"), who("10.0.0.2"));
        assert_eq!(who("::ffff:10.0.0.1"), who("10.0.0.1"));
    }
}
