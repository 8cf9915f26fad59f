//! Several processes that work on the same table, and what they tell each other.
//!
//! As in MPI, each process has a number from 0, and memory of its own. All processes do the same steps in
//! the same order. At some steps they exchange bytes; such a step ends when every process has reached it.

use bincode::config::standard;
use bincode::{Decode, Encode};
use std::io;

/// The processes that work together, seen by one of them.
///
/// All methods that exchange something are *collective*: every process calls the same one at the same
/// step. One thread of a process at a time may call them; the other methods may be called at any time.
pub trait Processes: Sync {
    /// The number of this process, from 0.
    fn number(&self) -> usize;

    /// How many processes there are, at least one.
    fn count(&self) -> usize;

    /// Sends `to[i]` to process `i`, and returns what each process has sent to this one, in the order of
    /// the processes. Messages may be of different lengths, and empty. Calls `work` again and again while
    /// the messages are under way, until it returns false; it is called at least once.
    ///
    /// # Errors
    /// If a process cannot be reached, or there is not enough memory. The processes cannot go on together
    /// then.
    fn exchange(
        &self,
        to: Vec<Vec<u8>>,
        work: &mut dyn FnMut() -> bool,
    ) -> io::Result<Vec<Vec<u8>>>;

    /// For each place, the sum of what all processes give there. Every process gives as many numbers.
    ///
    /// # Errors
    /// As [`Processes::exchange`].
    fn sum(&self, numbers: &[u64]) -> io::Result<Vec<u64>> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let received = self.exchange(vec![bytes; self.count()], &mut || false)?;
        let mut sums = vec![0; numbers.len()];
        for of_process in received {
            for (sum, number) in sums.iter_mut().zip(of_process.as_chunks().0) {
                *sum += u64::from_le_bytes(*number);
            }
        }
        Ok(sums)
    }
}

/// A process that works without others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Processes for Alone {
    fn number(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn exchange(
        &self,
        to: Vec<Vec<u8>>,
        work: &mut dyn FnMut() -> bool,
    ) -> io::Result<Vec<Vec<u8>>> {
        while work() {}
        Ok(to)
    }
}

/// The error of a process that has not failed itself: the first process that has is the one with this
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("process {0} has failed")]
pub(crate) struct OtherProcessFailed(pub usize);

/// Why a step that all processes do together has not succeeded, as one of them sees it:
///
/// * the first process that has failed gets its own error;
/// * all others get the number of that process;
/// * if none has failed, all are stopped.
#[derive(Debug)]
pub(crate) enum StepFailure<E> {
    /// This process has failed.
    Own(E),
    /// The process with this number has failed.
    OnProcess(usize),
    /// Some process shall stop, and none has failed.
    Stopped,
    /// The processes cannot exchange data, and cannot go on.
    Exchange(io::Error),
}

impl StepFailure<io::Error> {
    /// An error of the kind [`Interrupted`](io::ErrorKind::Interrupted) says that this process is stopped.
    fn of(error: io::Error) -> StepFailure<io::Error> {
        match error.kind() {
            io::ErrorKind::Interrupted => StepFailure::Stopped,
            _ => StepFailure::Own(error),
        }
    }
}

impl From<StepFailure<io::Error>> for io::Error {
    fn from(failure: StepFailure<io::Error>) -> io::Error {
        match failure {
            StepFailure::Own(error) | StepFailure::Exchange(error) => error,
            StepFailure::OnProcess(process) => io::Error::other(OtherProcessFailed(process)),
            StepFailure::Stopped => io::ErrorKind::Interrupted.into(),
        }
    }
}

/// What processes want beside what they send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    /// There is more to send in a later message.
    pub has_more: bool,
    /// The state is to be saved.
    pub wants_save: bool,
    /// The work is to stop.
    pub wants_stop: bool,
}

/// What a process says of itself at the end of each message, in one byte, beside its wishes.
const IS_STOPPED: u8 = 8;
const HAS_FAILED: u8 = 16;

impl Wishes {
    fn to_bits(self) -> u8 {
        u8::from(self.has_more) | u8::from(self.wants_save) << 1 | u8::from(self.wants_stop) << 2
    }

    fn from_bits(bits: u8) -> Wishes {
        let is_set = |bit: u32| bits >> bit & 1 != 0;
        Wishes { has_more: is_set(0), wants_save: is_set(1), wants_stop: is_set(2) }
    }
}

/// What one process gets when processes exchange messages: its own value, the messages to it in the order
/// of the processes, and what any of them wants.
pub(crate) type Exchanged<T> = (T, Vec<Vec<u8>>, Wishes);

/// Sends the messages that this process has made, as [`Processes::exchange`] does, together with what it
/// wants, and returns what it has received, together with its value. If any process has a failure instead,
/// every process gets one, and no process gets a message. `work` is not called on a process that has a
/// failure.
///
/// # Errors
/// If any process has failed or is stopped, as [`StepFailure`] says, or the processes cannot exchange data.
pub(crate) fn exchange_wishes<T, E>(
    processes: &dyn Processes,
    wishes: Wishes,
    mine: Result<(T, Vec<Vec<u8>>), StepFailure<E>>,
    work: &mut dyn FnMut() -> bool,
) -> Result<Exchanged<T>, StepFailure<E>> {
    let (mine, to) = match mine {
        Ok((value, to)) => (Ok(value), to),
        Err(failure) => (Err(failure), vec![Vec::new(); processes.count()]),
    };
    let fate = match &mine {
        Ok(_) => 0,
        Err(StepFailure::Stopped) => IS_STOPPED,
        Err(_) => HAS_FAILED,
    };
    let work = &mut || fate == 0 && work();
    let exchanged = exchange_said(processes, fate | wishes.to_bits(), to, work);
    let (received, reports) = exchanged.map_err(StepFailure::Exchange)?;
    if let Some(process) = reports.iter().position(|said| said & HAS_FAILED != 0) {
        return Err(match mine {
            Err(own @ StepFailure::Own(_)) if process == processes.number() => own,
            _ => StepFailure::OnProcess(process),
        });
    }
    let all = reports.iter().fold(0, |all, said| all | said);
    match mine {
        Ok(value) if all & IS_STOPPED == 0 => Ok((value, received, Wishes::from_bits(all))),
        _ => Err(StepFailure::Stopped),
    }
}

/// Exchanges messages, each with what its process says of itself behind it. Returns the messages to this
/// process, and what each process says. This part knows no types, so it is compiled once.
fn exchange_said(
    processes: &dyn Processes,
    said: u8,
    mut to: Vec<Vec<u8>>,
    work: &mut dyn FnMut() -> bool,
) -> io::Result<(Vec<Vec<u8>>, Vec<u8>)> {
    for message in &mut to {
        // A long one must not take twice its length for that.
        message.reserve_exact(1);
        message.push(said);
    }
    let mut received = processes.exchange(to, work)?;
    let reports = received.iter_mut().map(|message| message.pop().unwrap_or(HAS_FAILED)).collect();
    Ok((received, reports))
}

/// Returns the value of this process if every process has one.
pub(crate) fn agree_on<T, E>(
    processes: &dyn Processes,
    mine: Result<T, StepFailure<E>>,
) -> Result<T, StepFailure<E>> {
    let mine = mine.map(|value| (value, vec![Vec::new(); processes.count()]));
    exchange_wishes(processes, Wishes::default(), mine, &mut || false).map(|(value, ..)| value)
}

/// As [`exchange_wishes`], where nothing is wanted. An error of the kind
/// [`Interrupted`](io::ErrorKind::Interrupted) says that the process is stopped.
///
/// # Errors
/// The error of this process, if it is the first one that has failed, and [`OtherProcessFailed`] if it is
/// not. If no process has failed and any is stopped, `Interrupted`. And as [`Processes::exchange`].
pub(crate) fn exchange_agreed<T>(
    processes: &dyn Processes,
    mine: io::Result<(T, Vec<Vec<u8>>)>,
    work: &mut dyn FnMut() -> bool,
) -> io::Result<(T, Vec<Vec<u8>>)> {
    let exchanged =
        exchange_wishes(processes, Wishes::default(), mine.map_err(StepFailure::of), work);
    let (value, received, _) = exchanged?;
    Ok((value, received))
}

/// Returns the value of this process if every process has one.
pub(crate) fn agree<T>(processes: &dyn Processes, mine: io::Result<T>) -> io::Result<T> {
    Ok(agree_on(processes, mine.map_err(StepFailure::of))?)
}

/// Gives process 0 the values of all processes, in the order of the processes, and the others nothing. A
/// message is decoded when its value is asked for.
pub(crate) fn gather<T: Encode + Decode<()>>(
    processes: &dyn Processes,
    mine: io::Result<T>,
) -> io::Result<impl Iterator<Item = io::Result<T>>> {
    let is_first = processes.number() == 0;
    let mine = mine.and_then(|value| {
        let mut to = vec![Vec::new(); processes.count()];
        if is_first {
            return Ok((Some(value), to));
        }
        to[0] = encoded(value)?;
        Ok((None, to))
    });
    let (value, received) = exchange_agreed(processes, mine, &mut || false)?;
    let of_others = received.into_iter().skip(1).filter(move |_| is_first);
    Ok(value.map(Ok).into_iter().chain(of_others.map(|message| decoded(&message))))
}

/// Gives all processes the value of process 0. The other processes have none.
pub(crate) fn tell_all<T: Encode + Decode<()>>(
    processes: &dyn Processes,
    of_first: io::Result<Option<T>>,
) -> io::Result<T> {
    let mine = of_first.and_then(|value| {
        let mut to = vec![Vec::new(); processes.count()];
        if let (Some(value), [_, others @ ..]) = (&value, &mut *to)
            && !others.is_empty()
        {
            others.fill(encoded(value)?);
        }
        Ok((value, to))
    });
    let (value, received) = exchange_agreed(processes, mine, &mut || false)?;
    value.map_or_else(|| decoded(&received[0]), Ok)
}

fn encoded(value: impl Encode) -> io::Result<Vec<u8>> {
    bincode::encode_to_vec(value, standard()).map_err(io::Error::other)
}

fn decoded<T: Decode<()>>(message: &[u8]) -> io::Result<T> {
    bincode::decode_from_slice(message, standard())
        .map(|(value, _)| value)
        .map_err(io::Error::other)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// For each process, where messages to it go in and those from it come out.
    type Ends = (Vec<Sender<Vec<u8>>>, Vec<Receiver<Vec<u8>>>);

    /// A process that is a thread of the test.
    pub(crate) struct ThreadProcess {
        process: usize,
        count: usize,
        ends: Mutex<Ends>,
    }

    impl Processes for ThreadProcess {
        fn number(&self) -> usize {
            self.process
        }

        fn count(&self) -> usize {
            self.count
        }

        fn exchange(
            &self,
            to: Vec<Vec<u8>>,
            work: &mut dyn FnMut() -> bool,
        ) -> io::Result<Vec<Vec<u8>>> {
            let (senders, receivers) = &*self.ends.lock().unwrap();
            assert_eq!(to.len(), senders.len());
            let is_gone = || io::Error::other("a process has ended");
            for (sender, bytes) in senders.iter().zip(to) {
                sender.send(bytes).map_err(|_| is_gone())?;
            }
            while work() {}
            receivers.iter().map(|receiver| receiver.recv().map_err(|_| is_gone())).collect()
        }
    }

    /// Runs `work` on this many processes, each a thread with a pool of rayon threads of its own, and returns
    /// what they returned, in the order of the processes. The pools have one to three threads.
    pub(crate) fn on_processes<T: Send>(
        count: usize,
        work: impl Fn(&dyn Processes) -> T + Sync,
    ) -> Vec<T> {
        let mut ends: Vec<Ends> = (0..count).map(|_| Default::default()).collect();
        for from in 0..count {
            for to in 0..count {
                let (sender, receiver) = channel();
                ends[from].0.push(sender);
                ends[to].1.push(receiver);
            }
        }
        let processes = ends.into_iter().enumerate();
        let processes = processes.map(|(process, ends)| ThreadProcess {
            process,
            count,
            ends: Mutex::new(ends),
        });
        std::thread::scope(|scope| {
            let work = &work;
            let of_process = |process: ThreadProcess| {
                scope.spawn(move || {
                    let threads = 1 + process.process % 3;
                    let pool =
                        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| work(&process))
                })
            };
            let threads: Vec<_> = processes.map(of_process).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn process_0_gathers_the_values_of_all_processes_and_all_get_its_own() {
        for count in [1, 2, 3, 7] {
            let values = on_processes(count, |processes| {
                let mine = vec![processes.number() as u64; processes.number()];
                let shared =
                    tell_all(processes, Ok((processes.number() == 0).then_some(vec![5u8; count])));
                assert_eq!(shared.unwrap(), vec![5; count]);
                gather(processes, Ok(mine)).unwrap().collect::<io::Result<Vec<_>>>().unwrap()
            });
            let expected: Vec<_> =
                (0..count).map(|process| vec![process as u64; process]).collect();
            assert_eq!(values[0], expected);
            assert!(values[1..].iter().all(Vec::is_empty));
        }
    }

    #[test]
    fn an_error_of_one_process_is_one_of_all_processes() {
        // The error of each process, and the kind that the last process gets, which has none.
        let (full, stopped) = (io::ErrorKind::StorageFull, io::ErrorKind::Interrupted);
        for (errors, expected) in [
            ([Some(full), None], io::ErrorKind::Other),
            ([None, Some(stopped)], stopped),
            ([Some(stopped), Some(full)], io::ErrorKind::Other),
            ([Some(full), Some(full)], io::ErrorKind::Other),
        ] {
            let failed = on_processes(3, |processes| {
                let own = errors.get(processes.number()).copied().flatten();
                let mine = || own.map_or(Ok(7), |kind| Err(io::Error::from(kind)));
                let error = agree(processes, mine()).unwrap_err();
                let mut is_asked = false;
                let messages = mine().map(|value| (value, vec![vec![1, 2]; 3]));
                let exchanged = exchange_agreed(processes, messages, &mut || {
                    is_asked = true;
                    false
                });
                assert_eq!(is_asked, own.is_none());
                assert_eq!(exchanged.unwrap_err().kind(), error.kind());
                assert_eq!(agree(processes, Ok(8)).unwrap(), 8);
                (own, error)
            });
            // Only the first process that failed has its own error.
            let first = errors.iter().position(|error| *error == Some(full));
            for (process, (own, error)) in failed.into_iter().enumerate() {
                let is_own = first.is_none_or(|first| first == process);
                assert_eq!(error.kind(), own.filter(|_| is_own).unwrap_or(expected));
                let other = error.get_ref().and_then(|error| error.downcast_ref());
                assert_eq!(other, first.filter(|_| !is_own).map(OtherProcessFailed).as_ref());
            }
        }
    }
}
