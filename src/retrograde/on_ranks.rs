//! Solving a slice over several ranks.
//!
//! Each rank owns a run of the partitions of each side to move and does for them what a process alone
//! does for all. Updates to partitions of other ranks leave in one message for each rank, while the next
//! partitions are expanded. All updates of a ply are made before the next ply begins.

use super::checkpoint::Reached;
use super::error::SolveError;
use super::slice_work::SliceWork;
use super::solver::Solver;
use crate::Progress;
use crate::ranks::{Ranks, Standing, agree};
use crate::values::{SliceShare, SliceValues};
use std::sync::atomic::{AtomicUsize, Ordering};

impl Solver {
    /// Solves the share of this rank of the slice of so many `columns`, for each stored side to move,
    /// as [`Solver::solve_slice`] does alone. `below[i]` holds, for the `i`-th stored side to move, the
    /// shares of this rank of the slices of 2, 3, … columns. All ranks do this together, with the
    /// same settings.
    ///
    /// # Errors
    /// As [`Solver::solve_slice`]. An error on one rank ends the work on all of them; the others get
    /// [`SolveError::OnRank`].
    pub(crate) fn solve_share(
        &self,
        columns: usize,
        below: &[Vec<SliceShare>],
        ranks: &dyn Ranks,
        progress: &dyn Progress,
    ) -> Result<Vec<SliceShare>, SolveError> {
        // 1. Divide the slice into partitions, and work out its quiet moves.
        let values: Vec<Vec<&SliceValues>> =
            below.iter().map(|shares| shares.iter().map(SliceShare::values).collect()).collect();
        let work = SliceWork::new(&self.settings, columns, &values, ranks);
        let mut work = agree(ranks, work, SolveError::Exchange, SolveError::OnRank)?;
        progress.slice_started(self.settings.material, columns, work.positions());
        // 2. Write the starting states.
        let mut reached = Reached::default();
        work.start_on_ranks(below, ranks, progress, |_, all| {
            if all.wants_stop { Err(SolveError::Stopped) } else { Ok(()) }
        })?;
        // 3. Ply by ply, every position decided at this ply updates those that lead to it.
        loop {
            let has_more = work.last_ply().is_some_and(|last| reached.ply <= last);
            let wishes = [has_more, progress.should_stop()].map(u64::from);
            let all = [&wishes[..], &[work.take_settled()]].concat();
            let all = ranks.sum(&all).map_err(SolveError::Exchange)?;
            reached.settled += all[2];
            if reached.ply > 0 {
                progress.ply_done(reached.ply - 1, reached.settled);
            }
            if all[0] == 0 {
                break;
            }
            if reached.ply > self.last_ply {
                return Err(SolveError::TooManyPlies);
            }
            if all[1] > 0 {
                return Err(SolveError::Stopped);
            }
            work.expand_and_update_on_ranks(reached.ply, ranks)?;
            reached.ply += 1;
        }
        // 4. What is left undecided is drawn.
        progress.slice_finished();
        let bounds = work.partitions.bounds(ranks.count());
        let share = |values| SliceShare::new(bounds.clone(), ranks.rank(), values);
        Ok(work.finish().into_iter().map(share).collect())
    }
}

impl SliceWork<'_> {
    /// Expands all positions of this rank decided at `ply`, and makes all updates that any rank sends to
    /// this one.
    fn expand_and_update_on_ranks(
        &mut self,
        ply: u16,
        ranks: &dyn Ranks,
    ) -> Result<(), SolveError> {
        self.make_due_updates(ply)?;
        let next = AtomicUsize::new(0);
        let mut done = self.expand_some(ply, &next, |_| false);
        loop {
            let has_more = next.load(Ordering::Relaxed) < self.agendas.len();
            let head = Standing { has_more, has_failed: done.is_err(), ..Standing::default() };
            let letters = self.letters(ranks, head.byte());
            let failure = std::mem::replace(&mut done, Ok(())).err();
            let mut work = || {
                done = self.make_updates(ply).and_then(|()| {
                    if has_more { self.expand_some(ply, &next, |_| false) } else { Ok(()) }
                });
                false
            };
            let received = ranks.exchange(letters, &mut work).map_err(SolveError::Exchange)?;
            let (all, failed) = Standing::of_all(&received);
            if let Some(rank) = failed {
                return Err(failure.unwrap_or(SolveError::OnRank(rank)));
            }
            done = done.and_then(|()| self.make_updates_of(ply, &received));
            if !all.has_more {
                return done;
            }
        }
    }

    /// For each other rank, the updates that wait for its partitions, after one byte. Each batch is
    /// preceded by the number of its partition and of its updates. All numbers have four bytes.
    fn letters(&mut self, ranks: &dyn Ranks, head: u8) -> Vec<Vec<u8>> {
        self.expanders.iter_mut().for_each(|expander| expander.outbox.sort());
        let (partitions, sides) = (self.partitions, self.sides.len());
        let to_rank = |rank: usize| {
            let mut letter = vec![head];
            if rank == ranks.rank() {
                return letter;
            }
            let run = partitions.run(rank, ranks.count());
            for side in 0..sides {
                let first = partitions.first_of(side);
                for expander in &self.expanders {
                    let run = first + run.start..first + run.end;
                    for (partition, batch) in expander.outbox.batches_in(run) {
                        letter.extend_from_slice(&(partition as u32).to_le_bytes());
                        letter.extend_from_slice(&(batch.len() as u32).to_le_bytes());
                        letter.extend(batch.iter().flat_map(|update| update.to_le_bytes()));
                    }
                }
            }
            letter
        };
        (0..ranks.count()).map(to_rank).collect()
    }

    /// Makes the updates that the ranks have sent to this one.
    fn make_updates_of(&mut self, ply: u16, letters: &[Vec<u8>]) -> Result<(), SolveError> {
        let mut batches: Vec<Vec<&[[u8; 4]]>> = vec![Vec::new(); self.agendas.len()];
        for letter in letters {
            let mut words = letter[1..].as_chunks::<4>().0;
            while let [partition, len, rest @ ..] = words {
                let (batch, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
                let partition = u32::from_le_bytes(*partition) as usize;
                batches[self.partitions.place(partition)].push(batch);
                words = rest;
            }
        }
        self.for_each_partition(
            |i, _| !batches[i].is_empty(),
            Vec::new,
            |i, mut partition, places| {
                for batch in &batches[i] {
                    places.clear();
                    places.extend(batch.iter().map(|update| u32::from_le_bytes(*update)));
                    partition.update(ply, places);
                }
                Ok(())
            },
        )
    }
}
