//! The ranks of an MPI job, as the library sees them.

use crate::generate::say;
use lasca_tablebase::ranks::Ranks;
use mpi::request::{multiple_scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The longest message that is sent in one piece: MPI counts bytes in 31 bits.
const PIECE: usize = 1 << 30;

/// How long a thread sleeps before it looks again whether messages have come, while this rank works. It
/// shares the processor with the work.
const SLEEP_AT_WORK: Duration = Duration::from_micros(200);

/// The same while this rank has nothing else to do.
const SLEEP: Duration = Duration::from_micros(20);

/// How often a thread that has nothing else to do looks for messages before it sleeps.
const LOOKS: u32 = 200;

/// The ranks of the job that this process belongs to.
///
/// MPI must have been initialized, so that one thread at a time may call it, whichever that is. Each
/// exchange calls it from a thread of its own, so messages go on their way while this rank works.
pub struct MpiRanks {
    rank: usize,
    count: usize,
    traffic: Mutex<Traffic>,
}

/// What a rank has sent, and how long it has waited.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// How many exchanges there were.
    pub exchanges: u64,
    /// The time in which this rank had nothing to do but to wait for others, or for messages.
    pub waited: Duration,
    /// The longest wait.
    pub longest: Duration,
}

impl MpiRanks {
    /// The ranks of the whole job.
    pub fn of_world() -> MpiRanks {
        let world = SimpleCommunicator::world();
        let (rank, count) = (world.rank() as usize, world.size() as usize);
        MpiRanks { rank, count, traffic: Mutex::default() }
    }

    /// What this rank has sent so far.
    pub fn traffic(&self) -> Traffic {
        *self.traffic.lock().unwrap_or_else(|error| error.into_inner())
    }
}

/// Ends all ranks at once, with this exit status.
pub fn abort(status: i32) -> ! {
    SimpleCommunicator::world().abort(status)
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn exchange(
        &self,
        mut to: Vec<Vec<u8>>,
        work: &mut dyn FnMut() -> bool,
    ) -> io::Result<Vec<Vec<u8>>> {
        let own = std::mem::take(&mut to[self.rank]);
        let sent = to.iter().map(|message| message.len() as u64).sum::<u64>();
        let is_at_work = AtomicBool::new(true);
        let (received, waited) = thread::scope(|scope| {
            let messenger = scope.spawn(|| self.send_and_receive(&to, &is_at_work));
            while work() {}
            is_at_work.store(false, Ordering::Relaxed);
            let begun = Instant::now();
            (messenger.join(), begun.elapsed())
        });
        let Ok(received) = received else { abort(101) };
        // The other ranks would wait for this one for ever.
        let mut received = received.unwrap_or_else(|error| {
            say(&format!("rank {}: the messages to it cannot be received: {error}", self.rank));
            abort(2)
        });
        received[self.rank] = own;
        let mut traffic = self.traffic.lock().unwrap_or_else(|error| error.into_inner());
        traffic.sent += sent;
        traffic.exchanges += 1;
        traffic.waited += waited;
        traffic.longest = traffic.longest.max(waited);
        Ok(received)
    }
}

impl MpiRanks {
    /// Sends the messages and receives those of the other ranks. All ranks first tell each other how
    /// long the messages are.
    fn send_and_receive(
        &self,
        to: &[Vec<u8>],
        is_at_work: &AtomicBool,
    ) -> io::Result<Vec<Vec<u8>>> {
        let world = SimpleCommunicator::world();
        let lens: Vec<u64> = to.iter().map(|message| message.len() as u64).collect();
        let mut lens_received = vec![0_u64; self.count];
        scope(|scope| {
            let mut patience = Patience::new(is_at_work);
            let lens_received = &mut lens_received[..];
            let mut request = world.immediate_all_to_all_into(scope, &lens[..], lens_received);
            while let Err(not_yet) = request.test() {
                request = not_yet;
                patience.sleep();
            }
        });
        let mut received = Vec::with_capacity(self.count);
        for &len in &lens_received {
            let (len, mut message) = (len as usize, Vec::new());
            message.try_reserve_exact(len).map_err(io::Error::other)?;
            message.resize(len, 0);
            received.push(message);
        }
        multiple_scope(2 * self.count, |scope, requests| {
            let mut patience = Patience::new(is_at_work);
            for (rank, message) in (0..).zip(&mut received) {
                let process = world.process_at_rank(rank);
                for piece in message.chunks_mut(PIECE) {
                    requests.add(process.immediate_receive_into(scope, piece));
                }
            }
            // Not all ranks begin with the same one.
            for step in 1..self.count {
                let rank = (self.rank + step) % self.count;
                let process = world.process_at_rank(rank as i32);
                for piece in to[rank].chunks(PIECE) {
                    requests.add(process.immediate_send(scope, piece));
                }
            }
            let mut done = Vec::new();
            while !requests.test_all(&mut done) {
                patience.sleep();
            }
        });
        Ok(received)
    }
}

/// Waits a little between two looks at what has come.
struct Patience<'a> {
    is_at_work: &'a AtomicBool,
    looks: u32,
}

impl Patience<'_> {
    fn new(is_at_work: &AtomicBool) -> Patience<'_> {
        Patience { is_at_work, looks: 0 }
    }

    fn sleep(&mut self) {
        if self.is_at_work.load(Ordering::Relaxed) {
            thread::sleep(SLEEP_AT_WORK);
        } else if self.looks < LOOKS {
            self.looks += 1;
            thread::yield_now();
        } else {
            thread::sleep(SLEEP);
        }
    }
}
