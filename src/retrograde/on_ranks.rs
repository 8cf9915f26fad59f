//! Solving a slice over several ranks.
//!
//! Each rank owns a run of the partitions of each side to move and does for them what a process alone
//! does for all. Updates to partitions of other ranks leave in one message for each rank, while the next
//! partitions are expanded. All updates of a ply are made before the next ply begins.

use super::checkpoint::{Identity, Reached};
use super::error::SolveError;
use super::partitions::Partitions;
use super::resources::{Checkpoints, Settings};
use super::shared_checkpoint::SharedCheckpoint;
use super::slice_work::{SliceWork, finished, fresh_agendas};
use super::solver::Solver;
use super::state::Codes;
use crate::Progress;
use crate::durable::Pace;
use crate::ranks::{Failure, Ranks, Wishes, agree_on, exchange_wishes, share};
use crate::reserve::{reserve, reserve_exact};
use crate::values::bytes::Bytes;
use crate::values::{SliceShare, SliceValues};
use std::collections::TryReserveError;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

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
        let Settings { material, ref resources, first_late, .. } = self.settings;
        let index = material.slice(material.stored_sides()[0], columns);
        let partitions = Partitions::new(&index, resources.partition_bytes);
        let partitions = partitions.of_rank(ranks.rank(), ranks.count());
        let identity = Identity::of(&self.settings, &index, partitions);
        let shares = |values: Vec<SliceValues>| {
            let bounds = partitions.bounds(ranks.count());
            let share = |values| SliceShare::new(bounds.clone(), ranks.rank(), values);
            values.into_iter().map(share).collect()
        };
        // 1. Look for what an earlier run has left. If that has solved the slice, its values are read.
        let mut saver =
            SharedSaver::new(resources.checkpoints.as_ref(), ranks, identity, progress)?;
        let sides = material.stored_sides().len();
        if let Some(saver) = saver.as_mut().filter(|saver| saver.is_finished())
            && let Some(values) = saver.load_finished(partitions, sides, first_late, progress)?
        {
            progress.slice_resumed(material, columns, sides as u64 * index.positions());
            return Ok(shares(values));
        }
        // 2. Divide the slice into partitions, and work out its quiet moves.
        let values: Vec<Vec<&SliceValues>> =
            below.iter().map(|shares| shares.iter().map(SliceShare::values).collect()).collect();
        let work = SliceWork::new(&self.settings, columns, &values, ranks);
        let mut work = agree_on(ranks, work.map_err(Failure::Own))?;
        progress.slice_started(material, columns, work.positions());
        let mut run = SharedRun { ranks, progress, saver };
        // 3. Go on from a checkpoint, and write the starting state of every position that has none.
        let mut reached = run.resume(&mut work)?;
        run.start(&mut work, below, reached)?;
        // 4. Ply by ply, every position decided at this ply updates those that lead to it.
        let mut done = Ok(());
        while run.has_more(&mut work, &mut reached, done)? {
            if reached.ply > self.last_ply {
                // One rank is enough to say so.
                let is_first = ranks.rank() == 0;
                return Err(if is_first {
                    SolveError::TooManyPlies
                } else {
                    SolveError::OnRank(0)
                });
            }
            done = work.expand_and_update_on_ranks(reached.ply, ranks)?;
            reached.ply += 1;
        }
        // 5. What is left undecided is drawn.
        if let Some(saver) = &mut run.saver {
            saver.save_finished(&work, reached)?;
        }
        progress.slice_finished();
        let finished = work.finish().map_err(Failure::Own);
        Ok(shares(agree_on(ranks, finished)?))
    }
}

/// A run of several ranks that solve a slice, as one of them sees it.
struct SharedRun<'a> {
    ranks: &'a dyn Ranks,
    progress: &'a dyn Progress,
    /// `None` if the state is never saved.
    saver: Option<SharedSaver<'a>>,
}

impl SharedRun<'_> {
    /// Goes on from what an earlier run has saved, if there is something that can be used.
    fn resume(&mut self, work: &mut SliceWork) -> Result<Reached, SolveError> {
        match &mut self.saver {
            Some(saver) => saver.resume(work, self.progress),
            None => Ok(Reached::default()),
        }
    }

    /// Writes the starting state of every position that has none.
    fn start(
        &mut self,
        work: &mut SliceWork,
        below: &[Vec<SliceShare>],
        reached: Reached,
    ) -> Result<(), SolveError> {
        let mut starting = work.begin_start(below, self.ranks);
        loop {
            let wishes = Wishes {
                wants_save: self.is_save_due(),
                wants_stop: self.progress.should_stop(),
                ..Wishes::default()
            };
            let all = work.go_on_with_start(&mut starting, below, self.ranks, wishes)?;
            if all.wants_save || all.wants_stop {
                self.pause(work, reached, all.wants_stop)?;
            }
            if !all.has_more {
                return Ok(());
            }
        }
    }

    /// Ends a ply, of which `done` says whether this rank has: whether any rank has something to do at the
    /// next one. Between two plies is a safe point.
    fn has_more(
        &mut self,
        work: &mut SliceWork,
        reached: &mut Reached,
        done: Result<(), SolveError>,
    ) -> Result<bool, SolveError> {
        let wishes = Wishes {
            has_more: work.last_ply().is_some_and(|last| reached.ply <= last),
            wants_save: self.is_save_due(),
            wants_stop: self.progress.should_stop(),
        };
        let settled = work.take_settled().to_le_bytes().to_vec();
        let mine = done.map(|()| ((), vec![settled; self.ranks.count()])).map_err(Failure::Own);
        let ((), received, all) = exchange_wishes(self.ranks, wishes, mine, &mut || false)?;
        let settled = received.iter().flat_map(|message| message.as_chunks().0);
        reached.settled += settled.map(|settled| u64::from_le_bytes(*settled)).sum::<u64>();
        if reached.ply > 0 {
            self.progress.ply_done(reached.ply - 1, reached.settled);
        }
        if all.has_more && (all.wants_stop || all.wants_save) {
            self.pause(work, *reached, all.wants_stop)?;
        }
        Ok(all.has_more)
    }

    /// Whether it is time to save the state. Rank 0 has the clock.
    fn is_save_due(&self) -> bool {
        self.ranks.rank() == 0 && self.saver.as_ref().is_some_and(|saver| saver.pace.is_due())
    }

    /// A safe point that all ranks have agreed on: saves the state, and stops if that is wanted.
    fn pause(&mut self, work: &SliceWork, reached: Reached, stops: bool) -> Result<(), SolveError> {
        if let Some(saver) = &mut self.saver {
            saver.save(work, reached, self.progress);
        }
        if stops { Err(SolveError::Stopped) } else { Ok(()) }
    }
}

/// Saves the state of a slice that several ranks solve when it is time.
struct SharedSaver<'a> {
    checkpoint: SharedCheckpoint<'a>,
    path: &'a Path,
    pace: Pace,
}

impl<'a> SharedSaver<'a> {
    /// The slice is begun now. The result is `None` if its state is never saved.
    fn new(
        checkpoints: Option<&'a Checkpoints>,
        ranks: &'a dyn Ranks,
        identity: Identity,
        progress: &dyn Progress,
    ) -> Result<Option<SharedSaver<'a>>, SolveError> {
        let Some(Checkpoints { path, interval }) = checkpoints else { return Ok(None) };
        let pace = Pace::new(*interval);
        if !pace.is_ever_due() {
            return Ok(None);
        }
        let ignored = |why| progress.work_ignored(path, why);
        let checkpoint = SharedCheckpoint::find(ranks, path, identity, ignored);
        let checkpoint = checkpoint?;
        Ok(Some(SharedSaver { checkpoint, path, pace }))
    }

    /// Whether what an earlier run left is a solved slice.
    fn is_finished(&self) -> bool {
        self.checkpoint.note.as_ref().is_some_and(|note| note.is_finished)
    }

    /// Reads the values of a solved slice; `None` if they cannot be read on every rank.
    fn load_finished(
        &self,
        partitions: Partitions,
        sides: usize,
        first_late: u16,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<SliceValues>>, SolveError> {
        let ranks = self.checkpoint.ranks();
        let Some(codes) = Codes::new(first_late) else {
            unreachable!("the solver keeps the first late ply in bounds")
        };
        let bytes = (0..sides).map(|_| Bytes::in_memory(partitions.own_positions()));
        let bytes = bytes.collect::<io::Result<Vec<Bytes>>>().map_err(|_| SolveError::Memory);
        let mut bytes = agree_on(ranks, bytes.map_err(Failure::Own))?;
        let agendas = fresh_agendas(codes, partitions, sides);
        let mut agendas = agree_on(ranks, agendas.map_err(|refused| Failure::Own(refused.into())))?;
        let loaded = self.checkpoint.load(partitions, &mut agendas, &mut bytes);
        match loaded.map_err(SolveError::Exchange)? {
            Ok(()) => {
                let values = finished(codes.late(), partitions, agendas, bytes);
                Ok(Some(agree_on(ranks, values.map_err(Failure::Own))?))
            }
            Err(why) => {
                progress.work_ignored(self.path, why);
                Ok(None)
            }
        }
    }

    /// Goes on from what an earlier run has saved, if there is something that can be used.
    fn resume(
        &mut self,
        work: &mut SliceWork,
        progress: &dyn Progress,
    ) -> Result<Reached, SolveError> {
        let Some(note) = self.checkpoint.note.clone().filter(|note| !note.is_finished) else {
            return Ok(Reached::default());
        };
        let (agendas, bytes) = (&mut work.agendas, &mut work.bytes);
        let loaded = self.checkpoint.load(work.partitions, agendas, bytes);
        match loaded.map_err(SolveError::Exchange)? {
            Ok(()) => Ok(note.reached),
            Err(why) => {
                progress.work_ignored(self.path, why);
                agree_on(self.checkpoint.ranks(), work.forget().map_err(Failure::Own))?;
                Ok(Reached::default())
            }
        }
    }

    /// Saves the state. If it cannot be saved, a later run loses time and nothing else, so the work goes
    /// on.
    fn save(&mut self, work: &SliceWork, reached: Reached, progress: &dyn Progress) {
        let begun = Instant::now();
        let state = (&work.agendas[..], &work.bytes[..]);
        if let Err(error) = self.checkpoint.save((reached, false), work.partitions, state) {
            progress.checkpoint_failed(self.path, &error);
        }
        self.pace.saved(begun);
    }

    /// Saves the values of a slice that is solved, unless that took so little time that a later run
    /// may solve it again.
    ///
    /// # Errors
    /// If they cannot be saved on some rank.
    fn save_finished(&mut self, work: &SliceWork, reached: Reached) -> Result<(), SolveError> {
        let ranks = self.checkpoint.ranks();
        let is_first = ranks.rank() == 0;
        let is_due = is_first.then(|| self.pace.is_due_at_end_of_part());
        if !share(ranks, Ok(is_due)).map_err(SolveError::Exchange)? {
            return Ok(());
        }
        let state = (&work.agendas[..], &work.bytes[..]);
        let saved = self.checkpoint.save((reached, true), work.partitions, state);
        // The others have learned that the first rank with an error has one.
        let saved = saved.map(drop).map_err(|error| Failure::Own(SolveError::Save(error)));
        Ok(agree_on(ranks, saved)?)
    }
}

impl SliceWork<'_> {
    /// Expands all positions of this rank decided at `ply`, and makes all updates that any rank sends to
    /// this one. The inner result is that of this rank after the last exchange, which the others do not
    /// know yet.
    fn expand_and_update_on_ranks(
        &mut self,
        ply: u16,
        ranks: &dyn Ranks,
    ) -> Result<Result<(), SolveError>, SolveError> {
        let next = AtomicUsize::new(0);
        let mut done = self.make_due_updates(ply);
        done = done.and_then(|()| self.expand_some(ply, &next, |_| false));
        loop {
            let has_more = next.load(Ordering::Relaxed) < self.agendas.len();
            let wishes = Wishes { has_more, ..Wishes::default() };
            let mine = std::mem::replace(&mut done, Ok(())).map_err(Failure::Own);
            let mine = mine.and_then(|()| match self.letters(ranks) {
                Ok(letters) => Ok(((), letters)),
                Err(refused) => Err(Failure::Own(refused.into())),
            });
            let mut work = || {
                done = self.make_updates(ply).and_then(|()| {
                    if has_more { self.expand_some(ply, &next, |_| false) } else { Ok(()) }
                });
                false
            };
            let ((), received, all) = exchange_wishes(ranks, wishes, mine, &mut work)?;
            done = done.and_then(|()| self.make_updates_of(ply, &received));
            if !all.has_more {
                return Ok(done);
            }
        }
    }

    /// For each other rank, the updates that wait for its partitions. Each batch is
    /// preceded by the number of its partition and of its updates. All numbers have four bytes.
    fn letters(&mut self, ranks: &dyn Ranks) -> Result<Vec<Vec<u8>>, TryReserveError> {
        self.expanders.iter_mut().for_each(|expander| expander.outbox.sort());
        let (partitions, sides) = (self.partitions, self.sides.len());
        let to_rank = |rank: usize| {
            let mut letter = Vec::new();
            if rank == ranks.rank() {
                return Ok(letter);
            }
            let run = partitions.run(rank, ranks.count());
            for side in 0..sides {
                let first = partitions.first_of(side);
                for expander in &self.expanders {
                    let run = first + run.start..first + run.end;
                    for (partition, batch) in expander.outbox.batches_in(run) {
                        reserve(&mut letter, 8 + size_of_val(batch))?;
                        letter.extend_from_slice(&(partition as u32).to_le_bytes());
                        letter.extend_from_slice(&(batch.len() as u32).to_le_bytes());
                        letter.extend(batch.iter().flat_map(|update| update.to_le_bytes()));
                    }
                }
            }
            // Behind the updates there is room for what the rank wants.
            reserve_exact(&mut letter, 1)?;
            Ok(letter)
        };
        (0..ranks.count()).map(to_rank).collect()
    }

    /// Makes the updates that the ranks have sent to this one.
    fn make_updates_of(&mut self, ply: u16, letters: &[Vec<u8>]) -> Result<(), SolveError> {
        let mut batches: Vec<Vec<&[[u8; 4]]>> = vec![Vec::new(); self.agendas.len()];
        for letter in letters {
            let mut words = letter.as_chunks::<4>().0;
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
                    reserve(places, batch.len())?;
                    places.extend(batch.iter().map(|update| u32::from_le_bytes(*update)));
                    partition.update(ply, places)?;
                }
                Ok(())
            },
        )
    }
}
