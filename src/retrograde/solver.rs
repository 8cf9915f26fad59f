//! The solver: all slices of a material, in the order of their columns.

use super::checkpoint::{self, Identity, Reached};
use super::kernel::{Below, Side, StartError, Tables, Updates, Workspace};
use super::state::{Codes, Notes, Partition};
use super::transitions::Transitions;
use crate::Progress;
use crate::index::{Material, PermutationMaps, Split};
use crate::rules::RuleSet;
use crate::values::bytes::{Bytes, BytesPart, ScratchFile};
use crate::values::{Distance, SliceValues};
use rayon::prelude::*;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Why a slice could not be solved.
#[derive(Debug)]
pub enum SolveError {
    /// A scratch file could not be made, read or written.
    Scratch(io::Error),
    /// A position has more moves than the solver can count.
    TooManyMoves,
    /// A distance is beyond 65,534 plies.
    TooManyPlies,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Scratch(error) => write!(f, "a scratch file failed: {error}"),
            SolveError::TooManyMoves => {
                f.write_str("a position has more moves than the solver can count")
            }
            SolveError::TooManyPlies => f.write_str("a win takes more than 65,534 plies"),
        }
    }
}

impl From<io::Error> for SolveError {
    fn from(error: io::Error) -> SolveError {
        SolveError::Scratch(error)
    }
}

impl std::error::Error for SolveError {}

impl From<StartError> for SolveError {
    fn from(error: StartError) -> SolveError {
        match error {
            StartError::TooManyMoves => SolveError::TooManyMoves,
            StartError::Io(error) => SolveError::Scratch(error),
        }
    }
}

/// Solves the slices of one material.
#[derive(Clone, Debug)]
pub struct Solver {
    material: Material,
    rules: RuleSet,
    first_late: u16,
    resources: Resources,
}

/// What a solver may use. The values do not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    /// The folder for scratch files, if slices are kept there and not in memory.
    pub scratch: Option<PathBuf>,
    /// Whether what quiet moves do is worked out beforehand, in memory.
    pub tables: bool,
    /// About how many bytes of a slice are worked on at once by a thread (at least an orbit).
    pub partition_bytes: usize,
    /// About how many bytes of updates may wait before they are made.
    pub waiting_bytes: usize,
    /// Where the state of an unfinished slice is saved, and how often.
    pub checkpoint: Option<(PathBuf, Duration)>,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources {
            scratch: None,
            tables: true,
            partition_bytes: Resources::PARTITION_BYTES,
            waiting_bytes: Resources::WAITING_BYTES,
            checkpoint: None,
        }
    }
}

impl Resources {
    /// What a thread works on at once where memory is no matter: about as much as a cache holds.
    pub const PARTITION_BYTES: usize = 1 << 20;
    /// The bytes of updates that may wait where memory is no matter.
    pub const WAITING_BYTES: usize = 256 << 20;

    /// The bytes of a lot of updates, where so many are open and take at most about `bytes`.
    pub fn lot_bytes(open: u64, bytes: u64) -> u64 {
        // Of many partitions each gets little at a time, so few lots are large; allocators that keep
        // small pieces give large ones back to the system when they are done with.
        let most = if open < 512 { 8 << 10 } else { 64 << 10 };
        (bytes / open.max(1)).clamp(64, most)
    }
}

impl Solver {
    /// A solver of `material` under `rules`.
    pub fn new(material: Material, rules: RuleSet) -> Solver {
        Solver { material, rules, first_late: Codes::MAX_LATE, resources: Resources::default() }
    }

    /// Lists positions decided at ply `first_late` or later apart. The values do not depend on it;
    /// tests use it to reach that path with short endgames. It is at least 1, at most the default.
    #[must_use]
    pub fn first_late_ply(self, first_late: u16) -> Solver {
        Solver { first_late: first_late.clamp(1, Codes::MAX_LATE), ..self }
    }

    /// Uses these resources.
    #[must_use]
    pub(crate) fn resources(self, resources: Resources) -> Solver {
        Solver { resources, ..self }
    }

    /// The stored sides of slice `columns`, given those of all slices below: `below[i]` holds, for
    /// the `i`-th stored side to move, the slices of 2, 3, … columns.
    ///
    /// Runs on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If a limit of the solver is met; no known endgame does.
    ///
    /// # Panics
    /// If `columns` is not a number of columns of the material, or a slice below is missing.
    pub fn solve_slice(
        &self,
        columns: usize,
        below: &[Vec<SliceValues>],
        progress: &dyn Progress,
    ) -> Result<Vec<SliceValues>, SolveError> {
        let mut work = SliceWork::new(self, columns, below)?;
        progress.slice_started(self.material, columns, work.positions());
        // 1. Count moves, and look at takes that lead to slices below; or go on from a checkpoint.
        let mut reached = match work.resume()? {
            Some(reached) => reached,
            None => work.start()?,
        };
        // 2. Ply by ply, each position decided at this ply updates those that lead to it.
        while work.last_ply().is_some_and(|last| reached.ply <= last) {
            reached.settled += work.expand_and_update(reached.ply)?;
            progress.ply_done(reached.ply, reached.settled);
            reached.ply += 1;
            if reached.ply >= u16::MAX - 1 {
                return Err(SolveError::TooManyPlies);
            }
            work.save_now_and_then(reached)?;
        }
        // 3. What is left undecided is drawn.
        progress.slice_finished();
        Ok(work.finish())
    }

    /// All slices of the material: for each stored side to move, those of 2, 3, … columns.
    ///
    /// # Errors
    /// As [`Solver::solve_slice`].
    pub fn solve(&self, progress: &dyn Progress) -> Result<Vec<Vec<SliceValues>>, SolveError> {
        let mut solved: Vec<Vec<SliceValues>> =
            self.material.stored_sides().iter().map(|_| Vec::new()).collect();
        for columns in self.material.columns() {
            let slices = self.solve_slice(columns, &solved, progress)?;
            for (side, slice) in solved.iter_mut().zip(slices) {
                side.push(slice);
            }
        }
        Ok(solved)
    }
}

/// A slice being solved.
struct SliceWork<'a> {
    codes: Codes,
    sides: Vec<Side<'a>>,
    tables: Option<Tables>,
    /// For each stored side to move, one byte a position.
    bytes: Vec<Bytes>,
    /// For each partition of the first side, then of the second, what is kept beside the bytes.
    notes: Vec<Notes>,
    layout: Layout,
    lanes: Vec<Lane>,
    resources: &'a Resources,
    identity: Identity,
    saved: Instant,
}

/// How the orbits of a slice are divided into partitions.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// A partition holds `1 << orbit_shift` orbits.
    orbit_shift: u32,
    rows: usize,
    partitions_a_side: usize,
}

impl Layout {
    fn partition_len(self) -> usize {
        self.rows << self.orbit_shift
    }

    /// The side to move and the first orbit of a partition.
    fn place(self, partition: usize) -> (usize, usize) {
        (
            partition / self.partitions_a_side,
            (partition % self.partitions_a_side) << self.orbit_shift,
        )
    }
}

/// One thread's updates that wait to be made.
#[derive(Default)]
struct Lane {
    waiting: Waiting,
    bytes: Vec<u8>,
    offsets: Vec<u32>,
    settled: u64,
}

/// Updates by the partition they go to, in lots of limited size, so that what is set aside for one
/// partition at one ply serves any other at the next.
#[derive(Default)]
struct Waiting {
    /// For each partition, the lot that is being filled.
    open: Vec<Vec<u32>>,
    /// Lots that are full, with the partition they go to.
    full: Vec<(usize, Vec<u32>)>,
    /// Empty lots.
    spare: Vec<Vec<u32>>,
    /// About how many updates are in a full lot.
    lot: usize,
    /// How many updates there is room for in full lots.
    sent: usize,
}

impl Waiting {
    /// Room for updates to so many partitions; the open lots together take at most about `bytes`.
    fn new(partitions: usize, bytes: usize) -> Waiting {
        let lot = Resources::lot_bytes(partitions as u64, bytes as u64) as usize / size_of::<u32>();
        Waiting { open: vec![Vec::new(); partitions], lot, ..Waiting::default() }
    }

    #[inline(always)]
    fn push(&mut self, partition: usize, updates: impl ExactSizeIterator<Item = u32>) {
        let lot = &self.open[partition];
        if updates.len() > lot.capacity() - lot.len() {
            self.begin_lot(partition, updates.len());
        }
        self.open[partition].extend(updates);
    }

    /// Sets the open lot of a partition aside as full, and begins one with room for so many updates.
    #[cold]
    #[inline(never)]
    fn begin_lot(&mut self, partition: usize, room: usize) {
        let mut empty = self.spare.pop().unwrap_or_default();
        empty.reserve_exact(self.lot.max(room));
        let full = std::mem::replace(&mut self.open[partition], empty);
        if !full.is_empty() {
            self.sent += full.capacity();
            self.full.push((partition, full));
        }
    }

    /// Puts the full lots in the order of their partitions.
    fn sort(&mut self) {
        self.full.sort_unstable_by_key(|lot| lot.0);
    }

    /// The lots that go to a partition, once sorted.
    fn lots(&self, partition: usize) -> impl Iterator<Item = &[u32]> {
        let first = self.full.partition_point(|lot| lot.0 < partition);
        let full = self.full[first..].iter().take_while(move |lot| lot.0 == partition);
        full.map(|lot| &lot.1[..]).chain(std::iter::once(&self.open[partition][..]))
    }

    fn is_empty(&self, partition: usize) -> bool {
        self.lots(partition).all(<[u32]>::is_empty)
    }

    fn clear(&mut self) {
        self.sent = 0;
        self.open.iter_mut().for_each(Vec::clear);
        let usual = self.lot;
        self.spare.extend(self.full.drain(..).filter(|(_, lot)| lot.capacity() <= usual).map(
            |(_, mut lot)| {
                lot.clear();
                lot
            },
        ));
    }
}

/// Sends updates to the partitions of one side to move.
struct ToPartitions<'a> {
    waiting: &'a mut Waiting,
    first_partition: usize,
    layout: Layout,
}

impl Updates for ToPartitions<'_> {
    #[inline(always)]
    fn send(&mut self, orbit: u32, offsets: impl ExactSizeIterator<Item = u32>) {
        let in_partition = orbit & ((1 << self.layout.orbit_shift) - 1);
        let start = in_partition * self.layout.rows as u32;
        let partition = self.first_partition + (orbit >> self.layout.orbit_shift) as usize;
        self.waiting.push(partition, offsets.map(|offset| start + offset));
    }
}

impl<'a> SliceWork<'a> {
    fn new(
        solver: &'a Solver,
        columns: usize,
        below: &'a [Vec<SliceValues>],
    ) -> io::Result<SliceWork<'a>> {
        let Some(codes) = Codes::new(solver.first_late) else {
            unreachable!("the solver keeps the first late ply in bounds")
        };
        let stored = solver.material.stored_sides();
        let sides: Vec<Side> = stored
            .iter()
            .enumerate()
            .map(|(i, &side)| {
                // The replies to a move of `side` are the other side's, if that is stored.
                let replying = &below[(i + 1) % stored.len()];
                let slices = (2..columns)
                    .zip(replying)
                    .map(|(columns, slice)| (solver.material.slice(!side, columns), slice));
                Side::new(solver.rules, solver.material.slice(side, columns), Below::new(slices))
            })
            .collect();

        let index = &sides[0].index;
        let rows = index.rows();
        let orbit_shift = (solver.resources.partition_bytes / rows).max(1).ilog2();
        let partitions_a_side = index.orbits().div_ceil(1 << orbit_shift);
        let layout = Layout { orbit_shift, rows, partitions_a_side };
        let partitions = sides.len() * partitions_a_side;

        let tables = solver.resources.tables.then(|| {
            index.sets().tabulate();
            let transitions = Transitions::new(index.sets());
            let spare = |split: &Split| split.mover_spare.max(split.other_spare);
            let max_spare = index.splits().iter().map(spare).max().unwrap_or(0);
            let maps = PermutationMaps::new(transitions.permutations(), columns, max_spare);
            Tables { transitions, maps }
        });
        let bytes = |side: &Side| {
            let positions = side.index.positions();
            Ok(match &solver.resources.scratch {
                // Every byte is written before it is read.
                None => Bytes::Memory(vec![0; positions as usize]),
                Some(folder) => Bytes::Scratch(ScratchFile::new(folder, positions)?),
            })
        };
        let partition_len = |i: usize| {
            let orbits = index.orbits() - layout.place(i).1;
            orbits.min(1 << orbit_shift) * rows
        };
        let threads = rayon::current_num_threads();
        let open_bytes = solver.resources.waiting_bytes / threads;
        Ok(SliceWork {
            codes,
            bytes: sides.iter().map(bytes).collect::<io::Result<_>>()?,
            tables,
            notes: (0..partitions).map(|i| Notes::new(codes, partition_len(i))).collect(),
            layout,
            lanes: (0..threads)
                .map(|_| Lane { waiting: Waiting::new(partitions, open_bytes), ..Lane::default() })
                .collect(),
            resources: &solver.resources,
            identity: Identity {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                rules: solver.rules.id(),
                counters: (index.mover_counters() as u8, index.other_counters() as u8),
                columns: columns as u8,
                first_late: codes.late(),
                orbit_shift,
            },
            saved: Instant::now(),
            sides,
        })
    }

    fn positions(&self) -> u64 {
        self.sides.iter().map(|side| side.index.positions()).sum()
    }

    fn last_ply(&self) -> Option<u16> {
        self.notes.iter().filter_map(Notes::last_ply).max()
    }

    /// Lets `change` change every partition for which there is something to do, each by one thread.
    fn for_each_partition(
        &mut self,
        is_needed: impl Fn(usize, &Notes) -> bool + Sync,
        change: impl Fn(usize, Partition, &mut Workspace) -> Result<(), SolveError> + Sync,
    ) -> Result<(), SolveError> {
        let len = self.layout.partition_len();
        let parts: Vec<(BytesPart, &mut Notes)> =
            self.bytes.iter_mut().flat_map(|bytes| bytes.parts(len)).zip(&mut self.notes).collect();
        parts.into_par_iter().enumerate().try_for_each_init(
            || (Vec::new(), Workspace::default()),
            |(buffer, workspace), (i, (bytes, notes))| {
                if !is_needed(i, notes) {
                    return Ok(());
                }
                bytes.change(buffer, |bytes| change(i, Partition { bytes, notes }, workspace))
            },
        )
    }

    /// Goes on from a checkpoint, if there is one that fits.
    fn resume(&mut self) -> Result<Option<Reached>, SolveError> {
        let Some((path, _)) = &self.resources.checkpoint else { return Ok(None) };
        Ok(checkpoint::load(path, &self.identity, &mut self.notes, &mut self.bytes)?)
    }

    /// Saves the state between two plies, if it is time for that.
    fn save_now_and_then(&mut self, reached: Reached) -> Result<(), SolveError> {
        if let Some((path, every)) = &self.resources.checkpoint
            && self.saved.elapsed() >= *every
        {
            checkpoint::save(path, &self.identity, reached, &self.notes, &self.bytes)?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    /// Writes the starting state of all orbits.
    fn start(&mut self) -> Result<Reached, SolveError> {
        let sides = std::mem::take(&mut self.sides);
        let (codes, layout) = (self.codes, self.layout);
        let started = self.for_each_partition(
            |_, _| true,
            |i, mut partition, workspace| {
                let (side, first) = layout.place(i);
                for orbit in 0..partition.bytes.len() / layout.rows {
                    let start = orbit * layout.rows;
                    sides[side].start_orbit(
                        codes,
                        first + orbit,
                        &mut partition,
                        start,
                        workspace,
                    )?;
                }
                partition.notes.sort_due();
                Ok(())
            },
        );
        self.sides = sides;
        started.map(|()| Reached { ply: 0, settled: 0 })
    }

    /// Expands all positions decided at `ply` and makes the updates they send. Returns how many
    /// positions were decided at `ply`.
    fn expand_and_update(&mut self, ply: u16) -> Result<u64, SolveError> {
        self.for_each_partition(
            |_, notes| notes.is_due(ply),
            |_, mut partition, _| {
                partition.make_due_updates(ply);
                Ok(())
            },
        )?;
        let next = AtomicUsize::new(0);
        while next.load(Ordering::Relaxed) < self.notes.len() {
            self.expand_some(ply, &next)?;
            self.make_updates(ply)?;
        }
        Ok(self.lanes.iter_mut().map(|lane| std::mem::take(&mut lane.settled)).sum())
    }

    /// Expands partitions from `next` on, until all are done or enough updates wait.
    fn expand_some(&mut self, ply: u16, next: &AtomicUsize) -> Result<(), SolveError> {
        let mut lanes = std::mem::take(&mut self.lanes);
        let limit = (self.resources.waiting_bytes / lanes.len() / size_of::<u32>()).max(1);
        let expanded = lanes.par_iter_mut().try_for_each(|lane| {
            while lane.waiting.sent < limit {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= self.notes.len() {
                    break;
                }
                self.expand_partition(ply, i, lane)?;
            }
            Ok(())
        });
        self.lanes = lanes;
        expanded
    }

    fn expand_partition(&self, ply: u16, i: usize, lane: &mut Lane) -> Result<(), SolveError> {
        if !self.notes[i].may_hold(ply) {
            return Ok(());
        }
        let (side, first_orbit) = self.layout.place(i);
        let replying = (side + 1) % self.sides.len();
        let Layout { rows, partitions_a_side, .. } = self.layout;
        let Lane { waiting, bytes, offsets, settled } = lane;
        let mut updates = ToPartitions {
            waiting,
            first_partition: replying * partitions_a_side,
            layout: self.layout,
        };
        let mut expand = |orbit: usize, offsets: &[u32]| {
            let orbit = first_orbit + orbit;
            let tables = self.tables.as_ref();
            self.sides[side].expand_orbit(tables, orbit, offsets, &mut updates);
        };
        let start = (first_orbit * rows) as u64;
        let end = (start + self.layout.partition_len() as u64).min(self.bytes[side].len());
        let bytes = self.bytes[side].read(start..end, bytes)?;
        let (mut orbit, mut orbit_end) = (0, 0);
        offsets.clear();
        self.notes[i].decided_at(bytes, ply, |at| {
            *settled += 1;
            if at >= orbit_end {
                if !offsets.is_empty() {
                    expand(orbit, offsets);
                    offsets.clear();
                }
                orbit = at / rows;
                orbit_end = (orbit + 1) * rows;
            }
            offsets.push((at + rows - orbit_end) as u32);
        });
        if !offsets.is_empty() {
            expand(orbit, offsets);
        }
        Ok(())
    }

    /// Makes all updates that wait.
    fn make_updates(&mut self, ply: u16) -> Result<(), SolveError> {
        let mut lanes = std::mem::take(&mut self.lanes);
        lanes.iter_mut().for_each(|lane| lane.waiting.sort());
        let made = self.for_each_partition(
            |i, _| lanes.iter().any(|lane| !lane.waiting.is_empty(i)),
            |i, mut partition, _| {
                for lot in lanes.iter().flat_map(|lane| lane.waiting.lots(i)) {
                    partition.update(ply, lot);
                }
                Ok(())
            },
        );
        for lane in &mut lanes {
            lane.waiting.clear();
        }
        self.lanes = lanes;
        made
    }

    fn finish(self) -> Vec<SliceValues> {
        let mut late: Vec<Vec<(u64, Distance)>> = vec![Vec::new(); self.sides.len()];
        for (i, notes) in self.notes.into_iter().enumerate() {
            let (side, first_orbit) = self.layout.place(i);
            let start = (first_orbit * self.layout.rows) as u64;
            late[side].extend(
                notes.into_late().filter_map(|(at, ply)| {
                    Some((start + u64::from(at), Distance::new(Some(ply))?))
                }),
            );
        }
        let code = self.codes.late();
        self.bytes
            .into_iter()
            .zip(late)
            .map(|(bytes, late)| SliceValues::new(bytes, code, late))
            .collect()
    }
}
