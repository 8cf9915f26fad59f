//! The slots for open connections, and which connection gives way to a new one when all are taken.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::yield_now;

/// How long each connection has to send its request before another one may have its slot. The time
/// starts when the server first attends to the connection.
const FAIR_CHANCE: Duration = Duration::from_millis(100);

/// As [`FAIR_CHANCE`], for a connection that has sent nothing yet. It has more time because its
/// request may be on its way. A connection that sends slowly, or that has already had an answer, is
/// more likely to keep the server waiting.
const FIRST_CHANCE: Duration = Duration::from_millis(300);

/// The slots for open connections.
#[derive(Debug)]
pub struct Slots {
    limit: usize,
    taken: Mutex<TakenSlots>,
    clock: fn() -> Instant,
    /// Notified whenever a slot becomes free.
    pub freed: Notify,
}

#[derive(Debug, Default)]
struct TakenSlots {
    by_id: HashMap<u64, TakenSlot>,
    next_id: u64,
}

impl TakenSlots {
    /// Tells the connection whose chance ended first to give way, if there is one. Only one is told at a
    /// time. Either its slot becomes free, or it sends a request and another one is told.
    fn make_room(&mut self, now: Instant) {
        if self.by_id.values().any(|slot| slot.is_told) {
            return;
        }
        let waiting = self.by_id.iter_mut();
        let waiting = waiting.filter_map(|(&id, slot)| Some((slot.state.chance_ends()?, id, slot)));
        if let Some((ends, _, slot)) = waiting.min_by_key(|&(ends, id, _)| (ends, id))
            && ends <= now
        {
            slot.is_told = true;
            slot.give_way.notify_one();
        }
    }
}

/// What the server knows about the connection in a slot.
#[derive(Debug)]
struct TakenSlot {
    state: State,
    /// Tells the connection to give way.
    give_way: Arc<Notify>,
    /// Whether the connection was told to give way, and has neither closed nor sent a request since.
    is_told: bool,
}

/// What a connection is waiting for.
#[derive(Clone, Copy, Debug)]
enum State {
    /// It waits for the server to attend to it.
    New,
    /// It waits for its client, which has sent nothing so far.
    Silent(Instant),
    /// It waits for its client, which has sent a part of a request, or has had an answer.
    Idle(Instant),
    /// It waits for an answer.
    Busy,
}

impl State {
    /// The time from which on another connection may have the slot; `None` if none may.
    fn chance_ends(self) -> Option<Instant> {
        match self {
            State::New | State::Busy => None,
            State::Silent(since) => Some(since + FIRST_CHANCE),
            State::Idle(since) => Some(since + FAIR_CHANCE),
        }
    }
}

/// The slot of one connection. Dropping it frees the slot.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    id: u64,
    /// The address of the client.
    pub client: SocketAddr,
    give_way: Arc<Notify>,
    has_sent_request: AtomicBool,
}

/// What a new connection gets.
#[derive(Debug)]
pub enum Admission {
    /// A slot.
    Admitted(Slot),
    /// No slot yet, but one will be free soon.
    Wait,
    /// No slot: all connections are being answered.
    AllBusy,
}

impl Slots {
    /// As many slots as `limit` says, all free.
    pub fn new(limit: usize) -> Slots {
        Slots { limit, taken: Mutex::default(), clock: Instant::now, freed: Notify::new() }
    }

    fn taken(&self) -> MutexGuard<'_, TakenSlots> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the connection whose chance ended first to give way, although slots may be free: the
    /// system has no room for another connection.
    pub fn make_room(&self) {
        self.taken().make_room((self.clock)());
    }

    /// Asks for a slot. If none is free, the connection whose chance ended first is told to give
    /// way.
    pub fn admit(self: &Arc<Slots>, client: SocketAddr) -> Admission {
        let mut taken = self.taken();
        if taken.by_id.len() >= self.limit {
            if taken.by_id.values().all(|slot| matches!(slot.state, State::Busy)) {
                return Admission::AllBusy;
            }
            taken.make_room((self.clock)());
            return Admission::Wait;
        }
        let id = taken.next_id;
        taken.next_id += 1;
        let give_way = Arc::new(Notify::new());
        let slot = TakenSlot { state: State::New, give_way: give_way.clone(), is_told: false };
        taken.by_id.insert(id, slot);
        let has_sent_request = AtomicBool::new(false);
        Admission::Admitted(Slot { slots: self.clone(), id, client, give_way, has_sent_request })
    }
}

impl Slot {
    fn update(&self, update: impl FnOnce(&mut TakenSlot)) {
        if let Some(slot) = self.slots.taken().by_id.get_mut(&self.id) {
            update(slot);
        }
    }

    fn now(&self) -> Instant {
        (self.slots.clock)()
    }

    /// Notes that the server attends to the connection. Its time starts now.
    pub fn attend(&self) {
        let now = self.now();
        self.update(|slot| slot.state = State::Silent(now));
    }

    /// Notes that the client has sent at least a part of a request.
    pub fn note_received(&self) {
        self.update(|slot| {
            if let State::Silent(since) = slot.state {
                slot.state = State::Idle(since);
            }
        });
    }

    /// Whether the client has sent a whole request.
    pub fn has_sent_request(&self) -> bool {
        self.has_sent_request.load(Ordering::Relaxed)
    }

    /// Waits until the connection has to give way. Whatever the client had sent by then is read
    /// first, so that a request which came in time is answered even if the server is late.
    pub async fn wait_to_give_way(&self) {
        loop {
            self.give_way.notified().await;
            // After two turns, everything that the system had received has been read.
            for _ in 0..2 {
                yield_now().await;
            }
            let mut taken = self.slots.taken();
            match taken.by_id.get_mut(&self.id) {
                Some(slot) if matches!(slot.state, State::Busy) || !slot.is_told => {
                    slot.is_told = false;
                }
                _ => break,
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken().by_id.remove(&self.id);
        self.slots.freed.notify_one();
    }
}

/// A slot whose client is being answered, for as long as this value lives.
#[derive(Debug)]
pub struct Busy(Arc<Slot>);

impl Busy {
    /// Notes that a whole request has come, and that it is being answered.
    pub fn new(slot: &Arc<Slot>) -> Busy {
        slot.has_sent_request.store(true, Ordering::Relaxed);
        slot.update(|slot| slot.state = State::Busy);
        Busy(slot.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let now = self.0.now();
        self.0.update(|slot| {
            slot.state = State::Idle(now);
            // It has sent a request since it was told, so it may stay.
            slot.is_told = false;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::LazyLock;
    use tokio::runtime;
    use tokio::time::timeout;

    thread_local! {
        static PASSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    /// The clock of the tests: it stands still until [`pass`] moves it.
    fn stopped_clock() -> Instant {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        *START + PASSED.get()
    }

    fn pass(time: Duration) {
        PASSED.set(PASSED.get() + time);
    }

    fn slots(limit: usize) -> Arc<Slots> {
        Arc::new(Slots { clock: stopped_clock, ..Slots::new(limit) })
    }

    /// A slot, which must be free.
    fn admitted(slots: &Arc<Slots>) -> Arc<Slot> {
        match slots.admit(SocketAddr::from(([127, 0, 0, 1], 1))) {
            Admission::Admitted(slot) => Arc::new(slot),
            other => panic!("expected a slot, found {other:?}"),
        }
    }

    /// Asks for a slot, of which none may be free, and returns which of `among` are told to give way.
    fn told(slots: &Arc<Slots>, among: &[&Slot]) -> Vec<bool> {
        let admission = slots.admit(SocketAddr::from(([127, 0, 0, 1], 1)));
        assert!(matches!(admission, Admission::Wait), "{admission:?}");
        among.iter().map(|slot| slots.taken().by_id[&slot.id].is_told).collect()
    }

    #[test]
    fn the_connection_that_was_idle_for_the_longest_time_gives_way() {
        let slots = slots(2);
        let [first, second] = [(); 2].map(|()| admitted(&slots));
        first.attend();
        let busy = Busy::new(&first);
        pass(FAIR_CHANCE);
        assert_eq!(told(&slots, &[&second]), [false], "the server has not attended to it");
        second.attend();
        second.note_received();
        assert_eq!(told(&slots, &[&second]), [false], "it has not had its chance");
        pass(FAIR_CHANCE);
        assert_eq!(told(&slots, &[&first, &second]), [false, true]);
        drop(second);
        let third = admitted(&slots);
        let third_busy = Busy::new(&third);
        assert!(matches!(slots.admit(third.client), Admission::AllBusy));
        drop((busy, third_busy));
        drop((first, third));
        assert!(slots.taken().by_id.is_empty());
    }

    #[test]
    fn an_idle_connection_gives_way_if_the_system_has_no_room_for_others() {
        let slots = slots(3);
        let [busy, idle] = [(); 2].map(|()| admitted(&slots));
        let _busy = Busy::new(&busy);
        idle.attend();
        let told = || [&busy, &idle].map(|slot| slots.taken().by_id[&slot.id].is_told);
        slots.make_room();
        assert_eq!(told(), [false, false], "it has not had its chance");
        pass(FIRST_CHANCE);
        slots.make_room();
        assert_eq!(told(), [false, true]);
    }

    #[test]
    fn a_connection_that_has_sent_something_gives_way_before_a_silent_one() {
        let slots = slots(2);
        let [silent, slow] = [(); 2].map(|()| admitted(&slots));
        silent.attend();
        slow.attend();
        slow.note_received();
        pass(FAIR_CHANCE);
        assert_eq!(told(&slots, &[&silent, &slow]), [false, true]);
    }

    #[test]
    fn a_connection_that_asks_in_the_last_moment_keeps_its_slot() {
        let slots = slots(1);
        let slot = admitted(&slots);
        slot.attend();
        slot.note_received();
        pass(FAIR_CHANCE);
        assert_eq!(told(&slots, &[&slot]), [true]);
        let runtime = runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let busy = Busy::new(&slot);
            let short = Duration::from_millis(50);
            assert!(timeout(short, slot.wait_to_give_way()).await.is_err());
            drop(busy);
            pass(FAIR_CHANCE);
            assert_eq!(told(&slots, &[&slot]), [true]);
            let long = Duration::from_secs(60);
            assert!(timeout(long, slot.wait_to_give_way()).await.is_ok());
        });
    }
}
