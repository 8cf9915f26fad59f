//! A slice being solved: which partitions are worked on when, and by which threads.

use super::below::Below;
use super::checkpoint::{self, Found, Identity, Reached, Saver};
use super::error::SolveError;
use super::partitions::Partitions;
use super::resources::{Resources, Settings};
use super::side::SideToMove;
use super::start::StartWorkspace;
use super::state::{Agenda, Codes, Partition};
use super::unsteps::QuietMoves;
use super::updates::{Outbox, ToPartitions};
use crate::Progress;
use crate::ranks::Ranks;
use crate::reserve::{reserve, reserve_exact};
use crate::rules::Color;
use crate::values::bytes::{Bytes, BytesPart, FileBytes};
use crate::values::{Distance, SliceValues};
use rayon::prelude::*;
use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A slice being solved.
pub struct SliceWork<'a> {
    codes: Codes,
    pub(super) sides: Vec<SideToMove<'a>>,
    quiet_moves: Option<QuietMoves>,
    pub(super) partitions: Partitions,
    /// For each stored side to move, one byte for each position that this process owns.
    pub(super) bytes: Vec<Bytes>,
    /// For each partition that this process owns, what is kept beside the bytes.
    pub(super) agendas: Vec<Agenda>,
    /// One for each thread that expands.
    pub(super) expanders: Vec<Expander>,
    pub(super) resources: &'a Resources,
    pub(super) identity: Identity,
    pub(super) saver: Saver<'a>,
}

/// What a thread that expands partitions holds.
pub(super) struct Expander {
    pub(super) outbox: Outbox,
    /// The bytes of a partition, where they are not in memory.
    bytes: Vec<u8>,
    /// The rows of an orbit's positions that are expanded.
    rows: Vec<u32>,
    /// How many positions it has expanded at this ply.
    pub(super) settled: u64,
}

impl<'a> SliceWork<'a> {
    /// What this process owns of the slice of so many columns, of which nothing is known yet. Of the
    /// slices below, `below` holds what this process owns.
    ///
    /// # Errors
    /// If a scratch file cannot be made, or there is not enough memory.
    pub fn new(
        settings: &'a Settings,
        columns: usize,
        below: &[Vec<&'a SliceValues>],
        ranks: &dyn Ranks,
    ) -> Result<SliceWork<'a>, SolveError> {
        let Settings { material, rules, first_late, resources } = settings;
        let Some(codes) = Codes::new(*first_late) else {
            unreachable!("the solver keeps the first late ply in bounds")
        };
        let stored = material.stored_sides();
        let side = |(i, &side): (usize, &Color)| {
            // The replies to a move of `side` are the other side's, if that is stored.
            let replying = &below[(i + 1) % stored.len()];
            let slices = (2..columns)
                .zip(replying)
                .map(|(columns, &slice)| (material.slice(!side, columns), slice));
            let side = SideToMove::new(*rules, material.slice(side, columns), Below::new(slices))?;
            Ok(if resources.known_unsteps { side.knowing_unsteps() } else { side })
        };
        let sides = stored.iter().enumerate().map(side);
        let sides = sides.collect::<Result<Vec<SideToMove>, SolveError>>()?;
        let index = &sides[0].index;
        let partitions =
            Partitions::new(index, resources.partition_bytes).of_rank(ranks.rank(), ranks.count());
        let positions = partitions.own_positions();
        let bytes = |_: &SideToMove| {
            Ok(match &resources.scratch {
                None => {
                    let mut bytes = Vec::new();
                    reserve_exact(&mut bytes, positions as usize)?;
                    bytes.resize(positions as usize, 0);
                    Bytes::Memory(bytes)
                }
                Some(folder) => Bytes::File(FileBytes::scratch(folder, positions)?),
            })
        };
        let threads = rayon::current_num_threads();
        let waiting_bytes = resources.waiting_bytes / threads;
        let outboxes = Outbox::for_threads(threads, partitions.count(sides.len()), waiting_bytes)?;
        let expander =
            |outbox| Expander { outbox, bytes: Vec::new(), rows: Vec::new(), settled: 0 };
        Ok(SliceWork {
            codes,
            quiet_moves: resources.quiet_moves.then(|| QuietMoves::new(index)).transpose()?,
            partitions,
            bytes: sides.iter().map(bytes).collect::<Result<_, SolveError>>()?,
            agendas: fresh_agendas(codes, partitions, sides.len())?,
            expanders: outboxes.into_iter().map(expander).collect(),
            resources,
            identity: Identity::of(settings, index, partitions),
            saver: Saver::new(resources.checkpoints.as_ref()),
            sides,
        })
    }

    /// How many positions the slice has, with all stored sides to move.
    pub fn positions(&self) -> u64 {
        self.sides.iter().map(|side| side.index.positions()).sum()
    }

    /// The last ply at which there is something to do already; `None` if there is nothing to do.
    pub fn last_ply(&self) -> Option<u16> {
        self.agendas.iter().filter_map(Agenda::last_ply).max()
    }

    /// Lets `change` change every partition for which there is something to do, each by one thread.
    /// `memory` makes what a thread uses again from partition to partition.
    pub(super) fn for_each_partition<M>(
        &mut self,
        is_needed: impl Fn(usize, &Agenda) -> bool + Sync,
        memory: impl Fn() -> M + Sync,
        change: impl Fn(usize, Partition, &mut M) -> Result<(), SolveError> + Sync,
    ) -> Result<(), SolveError> {
        let len = self.partitions.positions();
        let bytes = self.bytes.iter_mut().flat_map(|bytes| bytes.parts(len));
        let parts: Vec<(BytesPart, &mut Agenda)> = bytes.zip(&mut self.agendas).collect();
        parts.into_par_iter().enumerate().try_for_each_init(
            || (Vec::new(), memory()),
            |(buffer, memory), (i, (bytes, agenda))| {
                if !is_needed(i, agenda) {
                    return Ok(());
                }
                bytes.change(buffer, |bytes| change(i, Partition { bytes, agenda }, memory))
            },
        )
    }

    /// Goes on from a checkpoint, if there is one that fits.
    ///
    /// # Errors
    /// If a scratch file cannot be written, or there is not enough memory.
    pub fn resume(&mut self, progress: &dyn Progress) -> Result<Reached, SolveError> {
        let Some(path) = self.saver.path() else { return Ok(Reached::default()) };
        let (agendas, bytes) = (&mut self.agendas, &mut self.bytes);
        match checkpoint::load(path, &self.identity, self.partitions, agendas, bytes)? {
            Found::State(reached) => return Ok(reached),
            Found::Unfit(why) => progress.work_ignored(path, why),
            Found::Nothing => {}
        }
        self.forget()?;
        Ok(Reached::default())
    }

    /// Begins again, as if nothing were known.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn forget(&mut self) -> Result<(), SolveError> {
        self.agendas = fresh_agendas(self.codes, self.partitions, self.sides.len())?;
        Ok(())
    }

    /// Whether the threads come to a safe point now, because the state is to be saved or the work to
    /// be stopped.
    fn is_pause_due(&self, progress: &dyn Progress) -> bool {
        self.saver.is_due() || progress.should_stop()
    }

    /// A safe point: the state is what is on disk if the work goes on later. Saves it if it is time
    /// for that.
    ///
    /// # Errors
    /// If the work is to be stopped; then the state has been saved, if it can be.
    fn pause(&mut self, reached: Reached, progress: &dyn Progress) -> Result<(), SolveError> {
        if !self.is_pause_due(progress) {
            return Ok(());
        }
        let (identity, partitions) = (&self.identity, self.partitions);
        let state = (&self.agendas[..], &self.bytes[..]);
        self.saver
            .save(progress, |path| checkpoint::save(path, identity, reached, partitions, state));
        if progress.should_stop() { Err(SolveError::Stopped) } else { Ok(()) }
    }

    /// Writes the starting state of all orbits of which it is not known yet.
    ///
    /// # Errors
    /// If a position has too many moves, a scratch file fails, or the work is stopped.
    pub fn start(&mut self, progress: &dyn Progress) -> Result<(), SolveError> {
        while !self.agendas.iter().all(Agenda::is_started) {
            self.start_some(progress)?;
            self.pause(Reached::default(), progress)?;
        }
        Ok(())
    }

    /// Writes the starting state of partitions until a pause is due, and of at least one.
    fn start_some(&mut self, progress: &dyn Progress) -> Result<(), SolveError> {
        let sides = std::mem::take(&mut self.sides);
        let partitions = self.partitions;
        let (saver, begun) = (self.saver, AtomicBool::new(false));
        let started = self.for_each_partition(
            |_, agenda| {
                let goes_on = || !(saver.is_due() || progress.should_stop());
                !agenda.is_started() && (!begun.swap(true, Ordering::Relaxed) || goes_on())
            },
            StartWorkspace::default,
            |i, mut partition, workspace| {
                let (side, first) = partitions.side_and_orbit(i);
                for orbit in 0..partition.bytes.len() / partitions.rows {
                    let start = orbit * partitions.rows;
                    sides[side].start_orbit(first + orbit, &mut partition, start, workspace)?;
                }
                partition.agenda.end_start();
                Ok(())
            },
        );
        self.sides = sides;
        started
    }

    /// Expands all positions decided at the ply reached and makes the updates they send.
    ///
    /// # Errors
    /// If a scratch file fails, or the work is stopped.
    pub fn expand_and_update(
        &mut self,
        reached: &mut Reached,
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        let ply = reached.ply;
        self.make_due_updates(ply)?;
        // Expanding reads partitions only, and making updates sends nothing. The two take turns, so
        // that no more updates wait than there is room for.
        let partitions = self.agendas.len();
        while reached.expanded < partitions as u64 {
            let next = AtomicUsize::new(reached.expanded as usize);
            self.expand_some(ply, &next, |work| work.is_pause_due(progress))?;
            self.make_updates(ply)?;
            reached.expanded = next.into_inner().min(partitions) as u64;
            reached.settled += self.take_settled();
            self.pause(*reached, progress)?;
        }
        Ok(())
    }

    /// Makes the updates from slices below that are due at this ply. They come first: they may decide
    /// positions at this very ply.
    pub(super) fn make_due_updates(&mut self, ply: u16) -> Result<(), SolveError> {
        self.for_each_partition(
            |_, agenda| agenda.is_due(ply),
            || (),
            |_, mut partition, ()| Ok(partition.make_due_updates(ply)?),
        )
    }

    /// How many positions have been expanded since this was asked last.
    pub(super) fn take_settled(&mut self) -> u64 {
        let settled = |expander: &mut Expander| std::mem::take(&mut expander.settled);
        self.expanders.iter_mut().map(settled).sum()
    }

    /// Expands own partitions from `next` on, until all are done, enough updates wait or a pause is due,
    /// and at least one.
    pub(super) fn expand_some(
        &mut self,
        ply: u16,
        next: &AtomicUsize,
        is_pause_due: impl Fn(&Self) -> bool + Sync,
    ) -> Result<(), SolveError> {
        let mut expanders = std::mem::take(&mut self.expanders);
        let limit = (self.resources.waiting_bytes / expanders.len() / size_of::<u32>()).max(1);
        let expanded = expanders.par_iter_mut().try_for_each(|expander| {
            while expander.outbox.sent() < limit {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= self.agendas.len() {
                    break;
                }
                self.expand_partition(ply, i, expander)?;
                if is_pause_due(self) {
                    break;
                }
            }
            Ok(())
        });
        self.expanders = expanders;
        expanded
    }

    fn expand_partition(
        &self,
        ply: u16,
        i: usize,
        expander: &mut Expander,
    ) -> Result<(), SolveError> {
        if !self.agendas[i].may_hold(ply) {
            return Ok(());
        }
        let (side, first_orbit) = self.partitions.side_and_orbit(i);
        let replying = (side + 1) % self.sides.len();
        let rows_per_orbit = self.partitions.rows;
        let Expander { outbox, bytes, rows, settled } = expander;
        let mut updates =
            ToPartitions::new(outbox, self.partitions.first_of(replying), self.partitions);
        let mut expand = |orbit: usize, rows: &[u32]| {
            let (orbit, quiet_moves) = (first_orbit + orbit, self.quiet_moves.as_ref());
            self.sides[side].expand_orbit(quiet_moves, orbit, rows, &mut updates);
        };
        let bytes = self.bytes[side].read(self.partitions.own_range(i), bytes)?;
        let (mut orbit, mut orbit_end) = (0, 0);
        rows.clear();
        reserve(rows, rows_per_orbit)?;
        self.agendas[i].decided_at(bytes, ply, |at| {
            *settled += 1;
            if at >= orbit_end {
                if !rows.is_empty() {
                    expand(orbit, rows);
                    rows.clear();
                }
                orbit = at / rows_per_orbit;
                orbit_end = (orbit + 1) * rows_per_orbit;
            }
            rows.push((at + rows_per_orbit - orbit_end) as u32);
        })?;
        if !rows.is_empty() {
            expand(orbit, rows);
        }
        Ok(expander.outbox.check()?)
    }

    /// Makes all updates that wait and go to partitions that this process owns, and drops the others.
    pub(super) fn make_updates(&mut self, ply: u16) -> Result<(), SolveError> {
        let mut expanders = std::mem::take(&mut self.expanders);
        expanders.iter_mut().for_each(|expander| expander.outbox.sort());
        let partitions = self.partitions;
        let made = self.for_each_partition(
            |i, _| {
                let number = partitions.number(i);
                expanders.iter().any(|expander| !expander.outbox.is_empty(number))
            },
            || (),
            |i, mut partition, ()| {
                let i = partitions.number(i);
                for batch in expanders.iter().flat_map(|expander| expander.outbox.batches(i)) {
                    partition.update(ply, batch)?;
                }
                Ok(())
            },
        );
        for expander in &mut expanders {
            expander.outbox.clear();
        }
        self.expanders = expanders;
        made
    }

    /// The values of what this process owns, once no ply has anything left to do: what is undecided is drawn.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn finish(self) -> Result<Vec<SliceValues>, SolveError> {
        finished(self.codes.late(), self.partitions, self.agendas, self.bytes)
    }
}

/// The values of what a process owns of a slice, with this late code, once no ply has anything left to do.
///
/// # Errors
/// If there is not enough memory.
pub fn finished(
    late_code: u8,
    partitions: Partitions,
    agendas: Vec<Agenda>,
    bytes: Vec<Bytes>,
) -> Result<Vec<SliceValues>, SolveError> {
    let mut late: Vec<Vec<(u64, Distance)>> = vec![Vec::new(); bytes.len()];
    for (i, agenda) in agendas.into_iter().enumerate() {
        let (side, start) = (partitions.side_and_orbit(i).0, partitions.own_range(i).start);
        let listed = agenda.into_late();
        reserve(&mut late[side], listed.len())?;
        late[side].extend(listed.map(|(at, ply)| {
            let Some(distance) = Distance::new(Some(ply)) else {
                unreachable!("the solver gives up before a ply that has no distance")
            };
            (start + u64::from(at), distance)
        }));
    }
    let values = bytes.into_iter().zip(late);
    Ok(values.map(|(bytes, late)| SliceValues::new(bytes, late_code, late)).collect())
}

/// For each own partition, the agenda of positions of which nothing is known yet.
///
/// # Errors
/// If there is not enough memory.
pub fn fresh_agendas(
    codes: Codes,
    partitions: Partitions,
    sides: usize,
) -> Result<Vec<Agenda>, TryReserveError> {
    let agenda = |i| Agenda::new(codes, partitions.orbits(i) * partitions.rows);
    (0..partitions.own_count(sides)).map(agenda).collect()
}
