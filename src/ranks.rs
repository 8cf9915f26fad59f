//! Several processes that work on the same table, and what they tell each other.
//!
//! A process is a *rank*, as in MPI: it has a number from 0, and memory of its own. All ranks do the same
//! steps in the same order. At some steps they exchange bytes; such a step ends when every rank has
//! reached it.

use bincode::config::standard;
use bincode::{Decode, Encode};
use std::{error, fmt, io};

/// The ranks that work together, seen by one of them.
///
/// All methods that exchange something are *collective*: every rank calls the same one at the same
/// step. One thread of a rank at a time may call them; the other methods may be called at any time.
pub trait Ranks: Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are, at least one.
    fn count(&self) -> usize;

    /// Sends `to[i]` to rank `i`, and returns what each rank has sent to this one, in the order of the
    /// ranks. Messages may be of different lengths, and empty. Calls `work` again and again while
    /// the messages are under way, until it returns false; it is called at least once.
    ///
    /// # Errors
    /// If a rank cannot be reached, or there is not enough memory. The ranks cannot go on together then.
    fn exchange(
        &self,
        to: Vec<Vec<u8>>,
        work: &mut dyn FnMut() -> bool,
    ) -> io::Result<Vec<Vec<u8>>>;

    /// For each place, the sum of what all ranks give there. Every rank gives as many numbers.
    ///
    /// # Errors
    /// As [`Ranks::exchange`].
    fn sum(&self, numbers: &[u64]) -> io::Result<Vec<u64>> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let received = self.exchange(vec![bytes; self.count()], &mut || false)?;
        let mut sums = vec![0; numbers.len()];
        for of_rank in received {
            for (sum, number) in sums.iter_mut().zip(of_rank.as_chunks().0) {
                *sum += u64::from_le_bytes(*number);
            }
        }
        Ok(sums)
    }
}

/// What ranks tell each other at the head of every message, in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The rank has more to send in a later message.
    pub has_more: bool,
    /// The rank has failed, and the ranks do not go on.
    pub has_failed: bool,
    /// The rank wants the state to be saved.
    pub wants_save: bool,
    /// The rank wants the work to stop.
    pub wants_stop: bool,
}

impl Standing {
    const FLAGS: usize = 4;

    /// The byte that stands for this.
    pub fn byte(self) -> u8 {
        let flags = [self.has_more, self.has_failed, self.wants_save, self.wants_stop];
        (0..Self::FLAGS).map(|i| u8::from(flags[i]) << i).sum()
    }

    /// What the first bytes of the messages of all ranks say together, and the first rank that has
    /// failed.
    pub fn of_all(messages: &[Vec<u8>]) -> (Standing, Option<usize>) {
        let all = messages.iter().fold(0, |all, message| all | message.first().unwrap_or(&0));
        let is_set = |i: usize| all >> i & 1 != 0;
        let standing = Standing {
            has_more: is_set(0),
            has_failed: is_set(1),
            wants_save: is_set(2),
            wants_stop: is_set(3),
        };
        let has_failed = |message: &Vec<u8>| message.first().is_some_and(|byte| byte >> 1 & 1 != 0);
        (standing, messages.iter().position(has_failed))
    }
}

/// Agrees with all ranks whether a step has succeeded. If it has on all of them, each gets its own
/// result. Otherwise the first rank that failed gets its own error, and every other rank gets
/// `elsewhere` with the number of that one.
///
/// # Errors
/// If the step has failed on some rank, or the ranks cannot exchange data.
pub(crate) fn agree_with<T, E>(
    ranks: &dyn Ranks,
    result: Result<T, E>,
    unreachable: impl FnOnce(io::Error) -> E,
    elsewhere: impl FnOnce(usize) -> E,
) -> Result<T, E> {
    let standing = Standing { has_failed: result.is_err(), ..Standing::default() };
    let messages = vec![vec![standing.byte()]; ranks.count()];
    let received = ranks.exchange(messages, &mut || false).map_err(unreachable)?;
    match Standing::of_all(&received).1 {
        Some(rank) if rank != ranks.rank() => Err(elsewhere(rank)),
        _ => result,
    }
}

/// What rank 0 says, on every rank.
///
/// # Errors
/// If the ranks cannot exchange data.
pub(crate) fn from_first(ranks: &dyn Ranks, say: impl FnOnce() -> Vec<u8>) -> io::Result<Vec<u8>> {
    let said = if ranks.rank() == 0 { say() } else { Vec::new() };
    let messages = vec![said; ranks.count()];
    Ok(ranks.exchange(messages, &mut || false)?.swap_remove(0))
}

/// One rank alone: a process that works without others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
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

/// The error of a rank that has not failed itself, when another one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherRankFailed;

impl fmt::Display for OtherRankFailed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("another rank has failed")
    }
}

impl error::Error for OtherRankFailed {}

/// What a rank says of its work at the end of each message. A greater number is worse.
mod report {
    pub const DONE: u8 = 0;
    pub const STOPPED: u8 = 1;
    pub const FAILED: u8 = 2;
}

/// Sends the messages that this rank has made, as [`Ranks::exchange`] does, and returns what it has
/// received, together with the value of this rank. If any rank has an error instead, every rank gets one,
/// and no rank gets a message. `work` is not called on a rank that has an error.
///
/// # Errors
/// The error of this rank, if it has one. Otherwise [`Interrupted`](io::ErrorKind::Interrupted) if all
/// errors are of this kind, and else [`OtherRankFailed`]. And as [`Ranks::exchange`].
pub(crate) fn exchange_agreed<T>(
    ranks: &dyn Ranks,
    mine: io::Result<(T, Vec<Vec<u8>>)>,
    work: &mut dyn FnMut() -> bool,
) -> io::Result<(T, Vec<Vec<u8>>)> {
    let (mine, mut to) = match mine {
        Ok((value, to)) => (Ok(value), to),
        Err(error) => (Err(error), vec![Vec::new(); ranks.count()]),
    };
    let report = match &mine {
        Ok(_) => report::DONE,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => report::STOPPED,
        Err(_) => report::FAILED,
    };
    for message in &mut to {
        message.reserve_exact(1);
        message.push(report);
    }
    let exchanged = ranks.exchange(to, &mut || report == report::DONE && work());
    let (value, mut received) = (mine?, exchanged?);
    let reports = received.iter_mut().map(|message| message.pop().unwrap_or(report::FAILED));
    match reports.max() {
        None | Some(report::DONE) => Ok((value, received)),
        Some(report::STOPPED) => Err(io::ErrorKind::Interrupted.into()),
        Some(_) => Err(io::Error::other(OtherRankFailed)),
    }
}

/// Returns the value of this rank if every rank has one.
///
/// # Errors
/// As [`exchange_agreed`].
pub(crate) fn agree<T>(ranks: &dyn Ranks, mine: io::Result<T>) -> io::Result<T> {
    let mine = mine.map(|value| (value, vec![Vec::new(); ranks.count()]));
    exchange_agreed(ranks, mine, &mut || false).map(|(value, _)| value)
}

/// Gives rank 0 the values of all ranks, in the order of the ranks, and the others nothing. A message is
/// decoded when its value is asked for.
///
/// # Errors
/// As [`exchange_agreed`].
pub(crate) fn gather<T: Encode + Decode<()>>(
    ranks: &dyn Ranks,
    mine: io::Result<T>,
) -> io::Result<impl Iterator<Item = io::Result<T>>> {
    let is_first = ranks.rank() == 0;
    let mine = mine.and_then(|value| {
        let mut to = vec![Vec::new(); ranks.count()];
        if is_first {
            return Ok((Some(value), to));
        }
        to[0] = encoded(value)?;
        Ok((None, to))
    });
    let (value, received) = exchange_agreed(ranks, mine, &mut || false)?;
    let of_others = received.into_iter().skip(1).filter(move |_| is_first);
    Ok(value.map(Ok).into_iter().chain(of_others.map(|message| decoded(&message))))
}

/// Gives all ranks the value of rank 0. The other ranks have none.
///
/// # Errors
/// As [`exchange_agreed`].
pub(crate) fn share<T: Encode + Decode<()>>(
    ranks: &dyn Ranks,
    of_first: io::Result<Option<T>>,
) -> io::Result<T> {
    let mine = of_first.and_then(|value| {
        let mut to = vec![Vec::new(); ranks.count()];
        if let (Some(value), [_, others @ ..]) = (&value, &mut *to)
            && !others.is_empty()
        {
            others.fill(encoded(value)?);
        }
        Ok((value, to))
    });
    let (value, received) = exchange_agreed(ranks, mine, &mut || false)?;
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

    /// For each rank, where messages to it go in and those from it come out.
    type Ends = (Vec<Sender<Vec<u8>>>, Vec<Receiver<Vec<u8>>>);

    /// A rank that is a thread of the test.
    pub(crate) struct ThreadRank {
        rank: usize,
        count: usize,
        ends: Mutex<Ends>,
    }

    impl Ranks for ThreadRank {
        fn rank(&self) -> usize {
            self.rank
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
            let is_gone = || io::Error::other("a rank has ended");
            for (sender, bytes) in senders.iter().zip(to) {
                sender.send(bytes).map_err(|_| is_gone())?;
            }
            while work() {}
            receivers.iter().map(|receiver| receiver.recv().map_err(|_| is_gone())).collect()
        }
    }

    /// Runs `work` on so many ranks, each a thread with a pool of one rayon thread of its own, and returns
    /// what they returned, in the order of the ranks.
    pub(crate) fn on_ranks<T: Send>(count: usize, work: impl Fn(&dyn Ranks) -> T + Sync) -> Vec<T> {
        let mut ends: Vec<Ends> = (0..count).map(|_| Default::default()).collect();
        for from in 0..count {
            for to in 0..count {
                let (sender, receiver) = channel();
                ends[from].0.push(sender);
                ends[to].1.push(receiver);
            }
        }
        let ranks = ends.into_iter().enumerate();
        let ranks = ranks.map(|(rank, ends)| ThreadRank { rank, count, ends: Mutex::new(ends) });
        std::thread::scope(|scope| {
            let work = &work;
            let of_rank = |rank: ThreadRank| {
                scope.spawn(move || {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
                    pool.install(|| work(&rank))
                })
            };
            let threads: Vec<_> = ranks.map(of_rank).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn ranks_agree_on_the_first_one_that_failed() {
        let agreed = |failing: &[usize]| {
            on_ranks(3, |ranks| {
                let result = match failing.contains(&ranks.rank()) {
                    true => Err("here"),
                    false => Ok(()),
                };
                agree_with(ranks, result, |_| "unreachable", |rank| ["on 0", "on 1", "on 2"][rank])
            })
        };
        assert_eq!(agreed(&[]), [Ok(()), Ok(()), Ok(())]);
        assert_eq!(agreed(&[1, 2]), [Err("on 1"), Err("here"), Err("on 1")]);
    }

    #[test]
    fn every_rank_gets_what_each_rank_has_sent_to_it() {
        for count in [1, 2, 3, 7] {
            let received = on_ranks(count, |ranks| {
                let mut steps = 0;
                let to = (0..count).map(|to| vec![ranks.rank() as u8; to]).collect();
                let received = ranks.exchange(to, &mut || {
                    steps += 1;
                    steps < 3
                });
                assert_eq!(steps, 3);
                assert_eq!(ranks.sum(&[1, ranks.rank() as u64]).unwrap()[0], count as u64);
                received.unwrap()
            });
            for (rank, received) in received.into_iter().enumerate() {
                let expected: Vec<_> = (0..count).map(|from| vec![from as u8; rank]).collect();
                assert_eq!(received, expected);
            }
        }
    }

    #[test]
    fn rank_0_gathers_the_values_of_all_ranks_and_all_get_its_own() {
        for count in [1, 2, 3, 7] {
            let values = on_ranks(count, |ranks| {
                let mine = vec![ranks.rank() as u64; ranks.rank()];
                let shared = share(ranks, Ok((ranks.rank() == 0).then_some(vec![5u8; count])));
                assert_eq!(shared.unwrap(), vec![5; count]);
                gather(ranks, Ok(mine)).unwrap().collect::<io::Result<Vec<_>>>().unwrap()
            });
            let expected: Vec<_> = (0..count).map(|rank| vec![rank as u64; rank]).collect();
            assert_eq!(values[0], expected);
            assert!(values[1..].iter().all(Vec::is_empty));
        }
    }

    #[test]
    fn an_error_of_one_rank_is_one_of_all_ranks() {
        // For each rank, the error that it has; and the kind that the last rank gets, which has none.
        let (full, stopped) = (io::ErrorKind::StorageFull, io::ErrorKind::Interrupted);
        for (errors, expected) in [
            ([Some(full), None], io::ErrorKind::Other),
            ([None, Some(stopped)], stopped),
            ([Some(stopped), Some(full)], io::ErrorKind::Other),
        ] {
            let failed = on_ranks(3, |ranks| {
                let own = errors.get(ranks.rank()).copied().flatten();
                let mine = || own.map_or(Ok(7), |kind| Err(io::Error::from(kind)));
                let error = agree(ranks, mine()).unwrap_err();
                let mut is_asked = false;
                let messages = mine().map(|value| (value, vec![vec![1, 2]; 3]));
                let exchanged = exchange_agreed(ranks, messages, &mut || {
                    is_asked = true;
                    false
                });
                assert_eq!(is_asked, own.is_none());
                assert_eq!(exchanged.unwrap_err().kind(), error.kind());
                assert_eq!(agree(ranks, Ok(8)).unwrap(), 8);
                (own, error)
            });
            for (own, error) in failed {
                let other = own.is_none() && expected == io::ErrorKind::Other;
                assert_eq!(error.kind(), own.unwrap_or(expected));
                assert_eq!(
                    error.get_ref().is_some_and(|error| error.is::<OtherRankFailed>()),
                    other
                );
            }
        }
    }
}
