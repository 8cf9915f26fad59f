//! A slice being solved: what one process owns of it, and which threads work on which partitions.

use super::SliceSolver;
use super::below::Below;
use super::error::SolveError;
use super::partitions::Partitions;
use super::resources::Resources;
use super::side::{Row, SideToMove};
use super::state::{Agenda, State};
use super::transitions::UnMoves;
use super::updates::{Outbox, ToPartitions};
use crate::index::SliceIndex;
use crate::processes::Processes;
use crate::rules::Color;
use crate::values::SliceShare;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A slice being solved.
pub struct SliceWork<'a> {
    /// Those that solve it together.
    pub(super) processes: &'a dyn Processes,
    /// For each stored side to move, what this process owns of the slices of 2, 3, … columns.
    pub(super) below: &'a [Vec<SliceShare>],
    pub(super) sides: Vec<SideToMove<'a>>,
    un_moves: UnMoves,
    /// What this process owns of the slice.
    pub(super) state: State,
    /// How many of its partitions some thread has begun to expand at this ply.
    begun: usize,
    /// One for each thread that expands.
    pub(super) expanders: Vec<Expander>,
    /// Messages of other processes that are of no more use: the next messages are written in their memory, as
    /// new memory takes longer than what is written.
    pub(super) room: Vec<Vec<u8>>,
    pub(super) resources: &'a Resources,
}

/// What a thread that expands partitions holds. It is aligned so that no two of them share a cache line:
/// threads write to them all the time.
#[repr(align(128))]
pub(super) struct Expander {
    pub(super) outbox: Outbox,
    /// The bytes of a partition, where they are not in memory.
    bytes: Vec<u8>,
    /// The rows of an orbit's positions that are expanded.
    rows: Vec<Row>,
    /// How many positions it has expanded at this ply.
    pub(super) expanded: u64,
    /// The partition that it has begun to expand, and the stretches of it that are left: there was no room for
    /// more updates.
    left: Option<(usize, u64)>,
}

/// About how many bytes it takes to solve a slice, beside its values, the occupied sets and the updates. It has
/// this many stored `sides` to move.
pub fn work_memory(index: &SliceIndex, sides: u64, threads: u64) -> u64 {
    // For each side to move, what a row stands for; for each thread, what the captures of a row lead to,
    // where that is looked up and which rows wait for it, and later which rows are expanded.
    UnMoves::memory_of(index) + index.rows() as u64 * (6 * sides + 32 * threads)
}

/// It pays to call another thread for every this many updates to be made.
const UPDATES_A_THREAD: usize = 1 << 15;
/// It pays to call another thread for every this many bytes to be searched for positions to expand.
const BYTES_A_THREAD: usize = 1 << 14;
/// It pays to call another thread for every this many agendas that are only looked at.
const AGENDAS_A_THREAD: usize = 256;

impl<'a> SliceWork<'a> {
    /// What this process owns of the slice of this many columns, of which nothing is known yet. It is
    /// divided into `partitions`. Of the slices below, `below` holds what this process owns.
    pub fn new(
        solver: &'a SliceSolver,
        columns: usize,
        partitions: Partitions,
        below: &'a [Vec<SliceShare>],
        processes: &'a dyn Processes,
    ) -> Result<SliceWork<'a>, SolveError> {
        let SliceSolver { material, rules, codes, resources, .. } = solver;
        let stored = material.stored_sides();
        let side = |(i, &side): (usize, &Color)| {
            // The replies to a move of `side` are the other side's, if that is stored.
            let replying = &below[(i + 1) % stored.len()];
            let slices = (2..columns).zip(replying).map(|(columns, share)| {
                let first = share.bounds[share.process];
                (material.slice(!side, columns), first, &share.values)
            });
            SideToMove::new(*rules, material.slice(side, columns), Below::new(slices))
        };
        let sides: Vec<SideToMove> = stored.iter().enumerate().map(side).collect();
        let threads = rayon::current_num_threads();
        let expander = |_| Expander {
            outbox: Outbox::new(partitions.count(), resources.waiting_bytes / threads),
            bytes: Vec::new(),
            rows: Vec::new(),
            expanded: 0,
            left: None,
        };
        Ok(SliceWork {
            processes,
            below,
            un_moves: UnMoves::new(&sides[0].index, *rules),
            state: State::new(*codes, partitions, resources.scratch.as_deref())?,
            begun: 0,
            expanders: (0..threads).map(expander).collect(),
            room: Vec::new(),
            resources,
            sides,
        })
    }

    /// Begins this ply: makes the updates from slices below that are due. What they decide is expanded at the
    /// next one.
    pub(super) fn begin_ply(&mut self, ply: u16) -> Result<(), SolveError> {
        self.begun = 0;
        let agendas = self.state.agendas.par_iter().with_min_len(AGENDAS_A_THREAD);
        let updates: usize = agendas.map(|agenda| agenda.due_at(ply)).sum();
        if updates == 0 {
            return Ok(());
        }
        let threads = threads_for([updates], UPDATES_A_THREAD, rayon::current_num_threads());
        self.state.for_each_partition(
            threads,
            |_, agenda| agenda.due_at(ply) > 0,
            || (),
            |_, mut partition, ()| {
                partition.make_due_updates(ply);
                Ok(())
            },
        )
    }

    /// Whether some of the own partitions are still to be expanded at this ply, or the rest of one.
    pub(super) fn has_more_to_expand(&self) -> bool {
        let is_left = |expander: &Expander| expander.left.is_some();
        self.begun < self.state.agendas.len() || self.expanders.iter().any(is_left)
    }

    /// Expands own partitions, until all are done or enough updates wait.
    pub(super) fn expand_some(&mut self, ply: u16) -> Result<(), SolveError> {
        if !self.has_more_to_expand() {
            return Ok(());
        }
        let (next, agendas) = (AtomicUsize::new(self.begun), &self.state.agendas);
        let due = agendas.par_iter().with_min_len(AGENDAS_A_THREAD);
        let due: usize = due.map(Agenda::due_bytes).sum();
        let mut expanders = std::mem::take(&mut self.expanders);
        let threads = expanders.len();
        expanders.iter_mut().for_each(|expander| expander.outbox.leave_room(due / threads));
        let of_ply = |i: usize| (i, agendas[i].stretches_at(ply));
        let begun = expanders.iter().filter_map(|expander| expander.left);
        let left = begun.chain((self.begun..agendas.len()).map(of_ply));
        let bytes = left.map(|(i, stretches)| agendas[i].bytes_in(stretches));
        let least = threads.div_ceil(threads_for(bytes, BYTES_A_THREAD, threads));
        let expanded = expanders.par_iter_mut().with_min_len(least).try_for_each(|expander| {
            while !expander.outbox.is_full() {
                let (i, stretches) = match expander.left.take() {
                    Some(left) => left,
                    None => match next.fetch_add(1, Ordering::Relaxed) {
                        i if i < agendas.len() => of_ply(i),
                        _ => break,
                    },
                };
                self.expand_partition(ply, i, stretches, expander)?;
            }
            Ok(())
        });
        self.begun = next.into_inner().min(agendas.len());
        self.expanders = expanders;
        expanded
    }

    /// Expands these stretches of a partition, until enough updates wait.
    fn expand_partition(
        &self,
        ply: u16,
        i: usize,
        stretches: u64,
        expander: &mut Expander,
    ) -> Result<(), SolveError> {
        if stretches == 0 {
            return Ok(());
        }
        let State { partitions, agendas, bytes: all_bytes, .. } = &self.state;
        let (side, first_orbit) = partitions.side_and_orbit(i);
        let replying = (side + 1) % self.sides.len();
        let rows_per_orbit = partitions.rows;
        let Expander { outbox, bytes, rows, expanded, left: not_done } = expander;
        let first_replying = partitions.first_of(replying);
        let side_to_move = &self.sides[side];
        let mut expand = |outbox: &mut Outbox, orbit: usize, rows: &mut Vec<Row>| {
            *expanded += rows.len() as u64;
            let mut updates = ToPartitions::new(outbox, first_replying, *partitions);
            let (moves, orbit) = (&self.un_moves, first_orbit + orbit);
            side_to_move.expand_orbit(moves, orbit, rows, &mut updates);
            rows.clear();
        };
        let bytes = all_bytes[side].read(partitions.own_range(i), bytes)?;
        let (mut left, mut orbit, mut orbit_end) = (stretches, 0, 0);
        rows.clear();
        rows.reserve(rows_per_orbit);
        while left != 0 && !outbox.is_full() {
            let stretch = left.trailing_zeros();
            left &= left - 1;
            agendas[i].decided_at(bytes, ply, stretch, |at| {
                if at >= orbit_end {
                    expand(outbox, orbit, rows);
                    orbit = at / rows_per_orbit;
                    orbit_end = (orbit + 1) * rows_per_orbit;
                }
                rows.push(side_to_move.row((at + rows_per_orbit - orbit_end) as u32));
            });
        }
        expand(outbox, orbit, rows);
        *not_done = (left != 0).then_some((i, left));
        Ok(())
    }

    /// Makes all updates that wait and go to partitions that this process owns, and drops the others.
    pub(super) fn make_updates(&mut self, ply: u16) -> Result<(), SolveError> {
        let (expanders, partitions) = (&self.expanders, self.state.partitions);
        let updates = expanders.iter().flat_map(|expander| expander.outbox.counts());
        let threads = threads_for(updates, UPDATES_A_THREAD, expanders.len());
        let made = self.state.for_each_partition(
            threads,
            |i, _| {
                let number = partitions.number(i);
                expanders.iter().any(|expander| !expander.outbox.is_empty(number))
            },
            || (),
            |i, mut partition, ()| {
                let i = partitions.number(i);
                for batch in expanders.iter().flat_map(|expander| expander.outbox.batches(i)) {
                    partition.update(ply, batch);
                }
                Ok(())
            },
        );
        self.expanders.par_iter_mut().for_each(|expander| expander.outbox.clear());
        made
    }
}

/// How many threads it pays to call for the work of all `parts` together, if each thread needs `enough` work: at
/// least one, and at most `most`.
fn threads_for(parts: impl IntoIterator<Item = usize>, enough: usize, most: usize) -> usize {
    let mut sum = 0;
    for part in parts {
        sum += part;
        if sum >= enough * most {
            return most;
        }
    }
    1 + sum / enough
}
