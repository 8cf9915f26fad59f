//! Places for searches, which clients take in turns.
//!
//! Every search begins with a short slice of time, for which it waits hardly ever. Most searches are over
//! then. Each of the others waits for one of a few places, where it may take long.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How many searches of one client may wait for a place.
const MOST_OF_CLIENT: usize = 4;

/// How many searches may wait for a place. Each holds a connection.
const MOST_WAITING: usize = 64;

/// The places of the searches.
#[derive(Debug)]
pub struct Searches {
    /// The places for the slices of time with which searches begin.
    pub slices: Arc<Turns>,
    /// The places for the searches that go on after that.
    pub places: Arc<Turns>,
    /// Becomes true when all searches must end.
    pub stopping: Arc<AtomicBool>,
}

impl Searches {
    /// At most `count` long searches run at a time, and as many are in their first part.
    pub fn new(count: usize) -> Searches {
        let places = || Arc::new(Turns::new(count));
        Searches { slices: places(), places: places(), stopping: Arc::default() }
    }

    /// Ends all searches, and lets none wait any more.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.slices.close();
        self.places.close();
    }
}

/// Who waits for a place. A client with an address of IPv6 has all addresses with the same first half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Who(IpAddr);

impl From<IpAddr> for Who {
    fn from(addr: IpAddr) -> Who {
        Who(match addr.to_canonical() {
            IpAddr::V6(addr) => Ipv6Addr::from_bits(addr.to_bits() >> 64 << 64).into(),
            addr => addr,
        })
    }
}

/// Places, of which each client has at most one. Clients that wait get one in turns, however much each of
/// them has to do.
#[derive(Debug)]
pub struct Turns {
    count: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// All that have a place or wait.
    clients: HashMap<Who, Client>,
    /// Those that wait and have no place, the next one first.
    next: VecDeque<Who>,
    is_closed: bool,
}

#[derive(Debug, Default)]
struct Client {
    /// When its work will be over at the latest, if it has a place.
    until: Option<Instant>,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    longest: Duration,
    sender: oneshot::Sender<Turn>,
}

/// A place that a client has. The next client gets it when this is dropped.
#[derive(Debug)]
pub struct Turn {
    turns: Arc<Turns>,
    who: Who,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.pass_on(self.who);
    }
}

/// Too many wait. In this many seconds there is room for another, if all work takes as long as it may, and no other
/// client comes.
#[derive(Debug, PartialEq, Eq)]
pub struct Full(pub u64);

impl Turns {
    fn new(count: usize) -> Turns {
        let state =
            State { free: count, clients: HashMap::new(), next: VecDeque::new(), is_closed: false };
        Turns { count, state: Mutex::new(state) }
    }

    /// How many places are taken.
    pub fn taken(&self) -> usize {
        self.count - self.state().free
    }

    /// Waits in the queue for a place, for work that takes no longer than this. What it returns fails if the
    /// queue is closed before.
    pub fn enter(
        self: &Arc<Turns>,
        who: Who,
        longest: Duration,
    ) -> Result<oneshot::Receiver<Turn>, Full> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        if state.is_closed {
            return Ok(receiver);
        }
        state.forget_those_who_left();
        let all_waiting = state.clients.values().map(|client| client.waiting.len()).sum::<usize>();
        if state.waits_enough(who) || all_waiting >= MOST_WAITING {
            return Err(Full(state.time_to_room(who, self.count).as_secs() + 1));
        }
        let client = state.clients.entry(who).or_default();
        client.waiting.push_back(Waiting { longest, sender });
        if client.until.is_none() && !state.next.contains(&who) {
            state.next.push_back(who);
        }
        self.give(state);
        Ok(receiver)
    }

    /// Takes the place of a client back, and gives it to the next one.
    fn pass_on(self: &Arc<Turns>, who: Who) {
        let mut state = self.state();
        state.free += 1;
        if let Some(client) = state.clients.get_mut(&who) {
            client.until = None;
            state.next.push_back(who);
        }
        self.give(state);
    }

    /// Gives the free places to those that wait.
    fn give(self: &Arc<Turns>, mut state: MutexGuard<'_, State>) {
        let mut given = Vec::new();
        while state.free > 0
            && let Some(who) = state.next.pop_front()
        {
            let Some(client) = state.clients.get_mut(&who) else { continue };
            match client.waiting.pop_front() {
                None => drop(state.clients.remove(&who)),
                Some(Waiting { longest, sender }) => {
                    client.until = Some(Instant::now() + longest);
                    state.free -= 1;
                    given.push((sender, Turn { turns: self.clone(), who }));
                }
            }
        }
        drop(state);
        for (sender, turn) in given {
            // Whoever has left gives the place back at once, because it is dropped here.
            let _ = sender.send(turn);
        }
    }

    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.clients.values_mut().for_each(|client| client.waiting.clear());
    }

    /// No code that holds the lock panics.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_those_who_left(&mut self) {
        self.clients.retain(|_, client| {
            client.waiting.retain(|waiting| !waiting.sender.is_closed());
            client.until.is_some() || !client.waiting.is_empty()
        });
        self.next.retain(|who| self.clients.contains_key(who));
    }

    /// Whether no more of a client may wait.
    fn waits_enough(&self, who: Who) -> bool {
        self.clients.get(&who).is_some_and(|client| client.waiting.len() >= MOST_OF_CLIENT)
    }

    /// When there is room for another of a client, if all take as long as they may: when the next one of its own
    /// begins, if they are too many, and otherwise when any one begins.
    fn time_to_room(&self, who: Who, places: usize) -> Duration {
        let now = Instant::now();
        if !self.waits_enough(who) {
            let left = self.clients.values().filter_map(|client| client.left(now));
            return left.min().unwrap_or_default();
        }
        let own = self.clients.get(&who).and_then(|client| client.left(now)).unwrap_or_default();
        // Once it has no place, each other client comes before it at most once. Until it gets one, all places
        // are taken by them.
        let others = self.clients.iter().filter(|&(&other, _)| other != who);
        let others: Vec<Duration> = others.map(|(_, client)| client.longest(now)).collect();
        let taken = others.len() >= places.max(1);
        let wait = others.iter().sum::<Duration>() / places.max(1) as u32;
        own + if taken { wait } else { Duration::ZERO }
    }
}

impl Client {
    /// How long its work goes on at most, if it has a place.
    fn left(&self, now: Instant) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(now))
    }

    /// How long it can have a place without giving it back.
    fn longest(&self, now: Instant) -> Duration {
        let waiting = self.waiting.iter().map(|waiting| waiting.longest).max();
        waiting.max(self.left(now)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(60);

    fn who(last: u8) -> Who {
        IpAddr::from([10, 0, 0, last]).into()
    }

    /// Expects to be told the rest of this time, which has begun after `before`.
    #[track_caller]
    fn assert_says_rest<T>(entered: Result<T, Full>, of: Duration, before: Instant) {
        let Full(seconds) = entered.err().expect("there is room");
        let least = of.saturating_sub(before.elapsed()).as_secs() + 1;
        assert!((least..=of.as_secs() + 1).contains(&seconds), "{seconds} of {of:?}");
    }

    #[test]
    fn clients_have_one_place_each_and_take_turns() {
        let turns = Arc::new(Turns::new(2));
        let mut enter = |last| turns.enter(who(last), LONGEST).unwrap();
        let [mut first, mut second, mut third, mut other, mut last] =
            [1, 1, 1, 2, 3].map(&mut enter);
        let one = first.try_recv().unwrap();
        // There are two places, but the first client has one.
        let two = other.try_recv().unwrap();
        assert_eq!(turns.taken(), 2);
        drop(one);
        // Another waits, so it comes before the rest of the first client.
        let three = last.try_recv().unwrap();
        assert!(second.try_recv().is_err());
        drop(two);
        let four = second.try_recv().unwrap();
        drop(three);
        assert!(third.try_recv().is_err());
        drop(four);
        drop(third.try_recv().unwrap());
        assert_eq!((turns.taken(), turns.state().clients.len()), (0, 0));
    }

    #[test]
    fn a_full_queue_says_when_there_will_be_room() {
        let turns = Arc::new(Turns::new(2));
        let of_client = |last, count| -> Vec<_> {
            (0..count).map(|_| turns.enter(who(last), u32::from(last) * LONGEST).unwrap()).collect()
        };
        let before = Instant::now();
        // One works, and four wait.
        let _first = of_client(1, 1 + MOST_OF_CLIENT);
        let second = of_client(2, 1 + MOST_OF_CLIENT);
        let enter = |last| turns.enter(who(last), LONGEST);
        assert_says_rest(enter(1), LONGEST, before);
        assert_says_rest(enter(2), 2 * LONGEST, before);
        // Those without a place may enter until the queue is full.
        let others: Vec<_> = (3..).map_while(|last| enter(last).ok()).collect();
        assert_eq!(others.len(), MOST_WAITING - 2 * MOST_OF_CLIENT);
        assert_says_rest(enter(200), LONGEST, before);
        drop(second);
        assert!(enter(200).is_ok());
    }

    #[test]
    fn the_time_until_there_is_room_counts_those_who_come_before() {
        let turns = Arc::new(Turns::new(1));
        let enter = |last, seconds| turns.enter(who(last), Duration::from_secs(seconds));
        let _others = [enter(1, 1).unwrap(), enter(2, 12).unwrap()];
        let _own: Vec<_> = (0..MOST_OF_CLIENT).map(|_| enter(3, 1).unwrap()).collect();
        assert!(matches!(enter(3, 1), Err(Full(12..=13))));
    }

    #[test]
    fn who_is_refused_or_has_left_is_forgotten_while_others_are_at_work() {
        let turns = Arc::new(Turns::new(1));
        let enter = |addr: u32| turns.enter(IpAddr::from(addr.to_be_bytes()).into(), LONGEST);
        let before = Instant::now();
        let mut at_work = enter(0).unwrap();
        let turn = at_work.try_recv().unwrap();
        for addr in 1..1000 {
            drop(enter(addr).unwrap());
        }
        let mut waiting: Vec<_> = (0..MOST_WAITING as u32).map(|i| enter(i / 4).unwrap()).collect();
        for addr in 1000..2000 {
            assert_says_rest(enter(addr), LONGEST, before);
        }
        let state = turns.state();
        assert_eq!(
            (state.clients.len(), state.next.len()),
            (MOST_WAITING / 4, MOST_WAITING / 4 - 1)
        );
        drop(state);
        // Among them the next one.
        waiting.drain(..8);
        drop(turn);
        // Of those who wait, one has the place, as those who have left are passed over.
        assert!(waiting.iter_mut().any(|turn| turn.try_recv().is_ok()));
    }

    #[test]
    fn when_the_queue_closes_nobody_waits_any_more() {
        let turns = Arc::new(Turns::new(1));
        let mut at_work = turns.enter(who(1), LONGEST).unwrap();
        let turn = at_work.try_recv().unwrap();
        let mut waiting = turns.enter(who(2), LONGEST).unwrap();
        turns.close();
        let mut late = turns.enter(who(3), LONGEST).unwrap();
        drop(turn);
        for receiver in [&mut waiting, &mut late] {
            assert_eq!(receiver.try_recv().unwrap_err(), oneshot::error::TryRecvError::Closed);
        }
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
