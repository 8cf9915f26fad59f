//! The processes of an MPI job, as the library sees them.

use crate::failure::{Failure, Status, say};
use crate::terminal::be_quiet;
use crate::threads::lock;
use lasca_tablebase::processes::Processes;
use mpi::Threading;
use mpi::request::{multiple_scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The longest message that is sent in one piece: MPI counts bytes in 31 bits.
const PIECE: usize = 1 << 30;

/// How long a thread sleeps before it looks again whether messages have come, while this process works. It
/// shares the processor with the work, and is woken when that is done.
const SLEEP_AT_WORK: Duration = Duration::from_micros(500);

/// The same while this process has nothing else to do.
const SLEEP: Duration = Duration::from_micros(20);

/// How often a thread that has nothing else to do looks for messages before it sleeps.
const LOOKS: u32 = 200;

/// Does work with all processes of the job, as [`together`](super::together) says.
pub fn together(
    work: impl FnOnce(&dyn Processes) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    // When this is dropped, this process waits until the others have come to their end too.
    let Some((_universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        unreachable!("MPI is initialized once")
    };
    let processes = MpiProcesses::of_world();
    if processes.number > 0 {
        be_quiet();
    }
    // All processes find the same here, and one of them says so.
    if threading < Threading::Serialized {
        let why = "this MPI lets only one thread call it; install one with thread support";
        if processes.number == 0 {
            say(&why);
        }
        return Err(Failure::elsewhere(Status::Wrong));
    }
    // A process that ends without a word to MPI ends the whole job.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        usual(info);
        std::process::abort();
    }));
    let done = work(&processes);
    // Launchers end all processes when one has ended with an error. So it is told before.
    done.map_err(|failure| Failure::elsewhere(failure.tell()))
}

/// The processes of the job that this one belongs to.
///
/// MPI must have been initialized, so that one thread at a time may call it, whichever that is. Each
/// exchange calls it from a thread of its own, so messages go on their way while this process works.
struct MpiProcesses {
    number: usize,
    count: usize,
    /// The messages that were sent last: the next ones are received in their memory, as new memory takes
    /// longer than what is received.
    spare: Mutex<Vec<Vec<u8>>>,
}

/// Ends all processes at once, with this exit status.
fn abort(status: i32) -> ! {
    SimpleCommunicator::world().abort(status)
}

impl Processes for MpiProcesses {
    fn number(&self) -> usize {
        self.number
    }

    fn count(&self) -> usize {
        self.count
    }

    fn exchange(
        &self,
        mut to: Vec<Vec<u8>>,
        work: &mut dyn FnMut() -> bool,
    ) -> io::Result<Vec<Vec<u8>>> {
        let own = std::mem::take(&mut to[self.number]);
        let is_at_work = AtomicBool::new(true);
        let received = thread::scope(|scope| {
            let messenger = scope.spawn(|| self.send_and_receive(&to, &is_at_work));
            while work() {}
            is_at_work.store(false, Ordering::Relaxed);
            messenger.thread().unpark();
            messenger.join()
        });
        // The others would wait for this one for ever.
        let Ok(mut received) = received else { abort(101) };
        received[self.number] = own;
        *lock(&self.spare) = to;
        Ok(received)
    }
}

impl MpiProcesses {
    /// All processes of the job.
    fn of_world() -> MpiProcesses {
        let world = SimpleCommunicator::world();
        let (number, count) = (world.rank() as usize, world.size() as usize);
        MpiProcesses { number, count, spare: Mutex::default() }
    }

    /// Sends the messages and receives those of the other processes. All of them first tell each other how
    /// long the messages are.
    fn send_and_receive(&self, to: &[Vec<u8>], is_at_work: &AtomicBool) -> Vec<Vec<u8>> {
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
        let mut received = std::mem::take(&mut *lock(&self.spare));
        received.resize(self.count, Vec::new());
        for (message, &len) in received.iter_mut().zip(&lens_received) {
            let len = len as usize;
            message.clear();
            message.reserve_exact(len);
            message.resize(len, 0);
        }
        multiple_scope(2 * self.count, |scope, requests| {
            let mut patience = Patience::new(is_at_work);
            for (number, message) in (0..).zip(&mut received) {
                let process = world.process_at_rank(number);
                for piece in message.chunks_mut(PIECE) {
                    requests.add(process.immediate_receive_into(scope, piece));
                }
            }
            // Not all processes begin with the same one.
            for step in 1..self.count {
                let number = (self.number + step) % self.count;
                let process = world.process_at_rank(number as i32);
                for piece in to[number].chunks(PIECE) {
                    requests.add(process.immediate_send(scope, piece));
                }
            }
            let mut done = Vec::new();
            while !requests.test_all(&mut done) {
                patience.sleep();
            }
        });
        received
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
            thread::park_timeout(SLEEP_AT_WORK);
        } else if self.looks < LOOKS {
            self.looks += 1;
            thread::yield_now();
        } else {
            thread::sleep(SLEEP);
        }
    }
}
