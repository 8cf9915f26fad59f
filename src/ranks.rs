//! Several processes that work on the same table, and what they tell each other.
//!
//! A process is a *rank*, as in MPI: it has a number from 0, and memory of its own. All ranks do the same
//! steps in the same order. At some steps they exchange bytes; such a step ends when every rank has
//! reached it.

use std::io;

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
pub(crate) fn from_first(
    ranks: &dyn Ranks,
    say: impl FnOnce() -> Vec<u8>,
) -> io::Result<Vec<u8>> {
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// A rank that is a thread of the test.
    pub(crate) struct ThreadRank {
        rank: usize,
        count: usize,
        ends: Mutex<(Vec<Sender<Vec<u8>>>, Vec<Receiver<Vec<u8>>>)>,
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
        let mut ends: Vec<(Vec<_>, Vec<_>)> = (0..count).map(|_| Default::default()).collect();
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
}
