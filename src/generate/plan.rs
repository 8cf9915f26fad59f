//! How much memory a generation will need, and how it keeps within a limit.

use crate::forward::proof_memory;
use crate::index::{Extent, OccupiedSets, SliceIndex, binomial};
use crate::retrograde::{Resources, batch_bytes};
use crate::rules::Square;
use crate::table::TableWriter;
use std::path::Path;

/// How one material is generated on the threads of the current rayon pool, and how much memory that
/// takes.
///
/// ```
/// use lasca_tablebase::generate::{Plan, Storage};
/// use lasca_tablebase::index::Extent;
/// let extent = Extent::whole("4-3".parse().unwrap()).unwrap();
/// let plan = Plan::new(extent);
/// assert_eq!((plan.slices.len(), plan.storage), (6, Storage::Memory));
/// assert!(plan.memory() > plan.positions());
/// let frugal = Plan::within(extent, plan.memory() / 2).unwrap();
/// assert_eq!(frugal.storage, Storage::Scratch);
/// assert!(Plan::within(extent, 1 << 20).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The positions that are solved.
    pub extent: Extent,
    /// Where the values of slices are kept.
    pub storage: Storage,
    /// Its slices in the order in which they are solved.
    pub slices: Vec<SlicePlan>,
    threads: usize,
    partition_bytes: usize,
    waiting_bytes: usize,
    /// How many chunks are worked on at once while the table is written.
    pub(super) chunks_at_once: usize,
    /// How many bytes a sample may take from which the codes of a table are chosen.
    pub(super) sample_bytes: u64,
    /// For each slice, what writing it takes.
    writing: Vec<Writing>,
}

/// Bytes of memory for writing a slice, beside what the program holds all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Writing {
    /// For what stays when slices are written, up to this number of columns.
    kept: u64,
    /// For the proof that captures end.
    proof: u64,
    /// How many chunks there are.
    chunks: u64,
    /// For the sample from which codes are chosen, if it is held whole.
    sample: u64,
    /// How many rows an orbit has.
    rows: u64,
}

/// Where the values of slices are kept while a material is solved. The tables do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory: the fastest way.
    Memory,
    /// The slice in work in memory, and those that are solved in files.
    OneSlice,
    /// All in files: the slice in work in scratch files, of which parts are read, changed and written.
    /// This way is the slowest, and takes the least memory.
    Scratch,
}

/// The size of one slice, and how much memory it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlicePlan {
    /// The number of columns.
    pub columns: usize,
    /// Positions to store, folded, with all stored sides to move.
    pub positions: u64,
    /// Bytes of memory that the program will hold while it solves the slice, or later writes it,
    /// whichever is more.
    pub memory: u64,
}

/// Bytes that the program holds whatever it does: buffers, codes, the compressor.
pub(super) const BASE_MEMORY: u64 = 2048 << 10;
/// Bytes that each thread holds beside that.
pub(super) const THREAD_MEMORY: u64 = 300 << 10;

impl Plan {
    /// The plan for one table with as much memory as makes it faster.
    pub fn new(extent: Extent) -> Plan {
        Plan::with(extent, Storage::Memory, Resources::PARTITION_BYTES, Resources::WAITING_BYTES)
    }

    /// The plan for one table in at most `limit` bytes of memory: the fastest way that fits.
    ///
    /// # Errors
    /// If no way fits: the least number of bytes that would do.
    pub fn within(extent: Extent, limit: u64) -> Result<Plan, u64> {
        let part = |share: u64, least: usize, most: usize| {
            usize::try_from(limit / share).unwrap_or(most).clamp(least, most)
        };
        let least_partition = 1 << 15;
        let least_waiting = 1 << 17;
        // Updates made in smaller batches cost little; slices on disk cost much. So each way to keep
        // values is tried with less and less beside them before the next way is.
        let in_memory = [Resources::WAITING_BYTES, part(16, 8 << 20, Resources::WAITING_BYTES)]
            .map(|waiting| (Resources::PARTITION_BYTES, waiting));
        let on_disk = [4, 8, 16].map(|share| {
            let partition = part(16 * share, least_partition, Resources::PARTITION_BYTES);
            (partition, part(share, least_waiting, Resources::WAITING_BYTES))
        });
        let on_disk = [&on_disk[..], &[(least_partition, least_waiting)]].concat();
        let mut least = u64::MAX;
        for (storage, ways) in [
            (Storage::Memory, &in_memory[..]),
            (Storage::OneSlice, &in_memory),
            (Storage::Scratch, &on_disk),
        ] {
            let plans: Vec<Plan> = ways
                .iter()
                .map(|&(partition, waiting)| Plan::with(extent, storage, partition, waiting))
                .map(|plan| plan.writing_within(limit))
                .collect();
            least = plans.iter().map(Plan::memory).fold(least, u64::min);
            let fits = |memory: u64| memory <= limit;
            // Where there is a choice, leave room for what the plan does not foresee.
            let roomy = plans.iter().find(|plan| fits(plan.memory() + plan.memory() / 16));
            let chosen = roomy.or_else(|| plans.iter().rev().find(|plan| fits(plan.memory())));
            if let Some(plan) = chosen {
                return Ok(plan.clone());
            }
        }
        Err(least)
    }

    fn with(
        extent: Extent,
        storage: Storage,
        partition_bytes: usize,
        waiting_bytes: usize,
    ) -> Plan {
        let threads = rayon::current_num_threads();
        let material = extent.material();
        let mut plan = Plan {
            extent,
            storage,
            slices: Vec::new(),
            threads,
            partition_bytes,
            waiting_bytes,
            chunks_at_once: threads,
            sample_bytes: u64::MAX,
            writing: Vec::new(),
        };
        let mut kept = 0;
        for columns in extent.columns() {
            let sides = material.stored_sides().iter().filter_map(|&side| {
                let (mover, other) = (material.counters(side), material.counters(!side));
                SliceIndex::folded_positions(mover, other, columns)
            });
            let sides: Vec<u64> = sides.collect();
            let positions = sides.iter().sum();
            plan.slices.push(SlicePlan { columns, positions, memory: 0 });
            let orbits = OccupiedSets::orbits_of(columns);
            let of_side = sides.into_iter().max().unwrap_or(0);
            let rows = of_side / orbits.max(1);
            kept += TableWriter::kept_memory(columns);
            plan.writing.push(Writing {
                kept,
                proof: proof_memory(material, positions, rows),
                chunks: TableWriter::chunks(columns),
                sample: TableWriter::sample_memory(of_side),
                rows,
            });
        }
        plan.count_memory();
        plan
    }

    /// The same plan, with a sample as large and as many chunks at once while the table is written as fit
    /// in `limit` bytes: at least a small sample, and one chunk.
    fn writing_within(mut self, limit: u64) -> Plan {
        let fits = |plan: &Plan| (0..plan.slices.len()).all(|i| plan.writing_memory(i) <= limit);
        // A sample in parts is read again for each part, but takes less memory.
        let largest = self.writing.iter().map(|writing| writing.sample).max().unwrap_or(0);
        let smaller = (0..8).map(|halvings| largest >> halvings);
        for sample_bytes in smaller {
            if !fits(&self) {
                self.sample_bytes = sample_bytes;
            }
        }
        while self.chunks_at_once > 1 && !fits(&self) {
            self.chunks_at_once -= 1;
        }
        self.count_memory();
        self
    }

    /// Works out the memory for each slice.
    fn count_memory(&mut self) {
        let mut below = 0;
        for i in 0..self.slices.len() {
            let solving = self.solving_memory(i, below) + self.lists_memory(i);
            self.slices[i].memory = solving.max(self.writing_memory(i));
            below += self.slices[i].positions;
        }
    }

    /// Bytes held while the `i`-th slice is written, or it is proved that its captures end. All
    /// slices are solved then.
    fn writing_memory(&self, i: usize) -> u64 {
        let values = match self.storage {
            Storage::Memory => self.positions(),
            Storage::OneSlice | Storage::Scratch => 0,
        };
        let sets: u64 =
            self.slices.iter().map(|slice| OccupiedSets::memory_of(slice.columns)).sum();
        let Writing { kept, proof, chunks, sample, rows } = self.writing[i];
        let SlicePlan { columns, positions, .. } = self.slices[i];
        let (at_once, sample) =
            (chunks.min(self.chunks_at_once as u64), sample.min(self.sample_bytes));
        let work = proof.max(TableWriter::add_memory((columns, rows, positions), at_once, sample));
        BASE_MEMORY + self.threads as u64 * THREAD_MEMORY + values + sets + kept + work
    }

    /// About how many bytes a partition of the `i`-th slice has: at least those of an orbit.
    fn partition(&self, i: usize) -> u64 {
        (self.partition_bytes as u64).max(self.writing[i].rows)
    }

    /// Bytes held while the `i`-th slice is solved, where those below it have `below` positions; without
    /// the lists of updates.
    fn solving_memory(&self, i: usize, below: u64) -> u64 {
        let SlicePlan { columns, positions, .. } = self.slices[i];
        let threads = self.threads as u64;
        // Values: a byte a position, for this slice and for those that its captures lead to.
        let values = match self.storage {
            Storage::Memory => positions + below,
            Storage::OneSlice => positions,
            Storage::Scratch => 3 * threads * self.partition(i),
        };
        let sets: u64 = (2..=columns).map(OccupiedSets::memory_of).sum();
        let moves = transitions_memory(self.extent, columns);
        // Which plies occur where.
        let present = positions / 64;
        let rows = rows_memory(self.extent, self.writing[i].rows, threads);
        BASE_MEMORY + threads * THREAD_MEMORY + values + sets + moves + present + rows
    }

    /// Bytes for the lists of updates that wait or are due later. They are shares of the positions, found
    /// by measuring: the greatest for each difference in counters.
    fn lists_memory(&self, i: usize) -> u64 {
        let SlicePlan { columns, positions, .. } = self.slices[i];
        // The more unequal the sides, the more positions are decided at the same ply. Most are where one
        // side has a single counter.
        let material = self.extent.material();
        let difference = material.white().abs_diff(material.black());
        let is_lone = difference > 6 && material.white().min(material.black()) == 1;
        let waiting_percent = match is_lone {
            true if columns > 6 => 620,
            true => 520,
            false => [60, 70, 90, 150, 260, 360, 470][difference.min(6)],
        };
        let waiting_bytes = self.waiting_bytes as u64;
        let waiting = (positions * waiting_percent / 100).min(waiting_bytes);
        // Every thread has a batch open for each partition, half full.
        let batches = self.threads as u64 * (positions / self.partition(i) + 1);
        let batch = batch_bytes(batches, waiting_bytes);
        // Captures that lose a column beside others that do not: an update of eight bytes is due later.
        let may_stay = columns < material.total();
        let due_percent = if is_lone { (12 * columns as u64).saturating_sub(10) } else { 15 };
        let due = if may_stay { positions * due_percent / 100 } else { 0 };
        waiting + batches * batch / 2 + due
    }

    /// Positions to store, folded, all stored sides to move.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| slice.positions).sum()
    }

    /// Bytes of memory at the busiest time. They were measured with the allocator settings of the
    /// program. Pages of files that the system maps (the program's own code, 5 MiB) or keeps for
    /// reading again are not counted. Neither are positions decided after more than 190 plies, which
    /// take 16 bytes each: few are known.
    pub fn memory(&self) -> u64 {
        self.slices.iter().map(|slice| slice.memory).max().unwrap_or(0)
    }

    /// The folder for scratch files, if there are any, when the work is done in `folder`.
    fn scratch<'a>(&self, folder: &'a Path) -> Option<&'a Path> {
        (self.storage == Storage::Scratch).then_some(folder)
    }

    /// About the most room on disk, in bytes, that the work takes: all that is saved of unfinished work,
    /// and the table. A short run saves less. The tables of other materials come on top.
    ///
    /// ```
    /// use lasca_tablebase::generate::Plan;
    /// use lasca_tablebase::index::Extent;
    /// let plan = Plan::new(Extent::whole("4-3".parse().unwrap()).unwrap());
    /// assert!(plan.disk() > plan.positions());
    /// ```
    pub fn disk(&self) -> u64 {
        let scratch_files = u64::from(self.storage == Storage::Scratch);
        let (mut solved, mut most) = (0, 0);
        for &SlicePlan { positions, .. } in &self.slices {
            // Two checkpoints, because the old one stays until the new one is whole. Each holds the
            // values, and what is due later.
            let checkpoints = 2 * (positions + positions / 4);
            most = most.max(solved + scratch_files * positions + checkpoints);
            // A solved slice keeps which plies occur where.
            solved += positions + positions / 32;
        }
        // A table takes about a sixth of that, and under some rule sets up to half.
        most.max(solved + solved / 2)
    }

    /// The resources of a solver that keeps to this plan, with its scratch files in `folder`.
    pub(super) fn resources(&self, folder: &Path) -> Resources {
        Resources {
            scratch: self.scratch(folder).map(Path::to_owned),
            solved_in_files: self.storage != Storage::Memory,
            partition_bytes: self.partition_bytes,
            waiting_bytes: self.waiting_bytes,
            checkpoints: None,
        }
    }
}

/// Bytes for what is kept for each row while a slice with so many rows is solved.
pub(super) fn rows_memory(extent: Extent, rows: u64, threads: u64) -> u64 {
    // For each side to move, what a row stands for; for each thread, what the captures of a row lead to
    // and where that is looked up, and later which rows are expanded.
    let sides = extent.material().stored_sides().len() as u64;
    rows * (6 * sides + 32 * threads)
}

/// Bytes for what quiet moves of so many columns do.
pub(super) fn transitions_memory(extent: Extent, columns: usize) -> u64 {
    // Eight bytes for each, and five for each orbit. There are 72 steps on the board, each between an
    // occupied and an empty square; an eighth of the sets are representatives, and a few more that
    // have symmetries of their own.
    let steps = 72 * binomial(Square::COUNT - 2, columns - 1) / 8 * 102 / 100;
    8 * steps + 5 * OccupiedSets::orbits_of(columns) + permutations_memory(extent, columns)
}

/// Bytes for the permutations of so many columns. No more of them occur than exist, and no more than
/// half as many as there are orbits.
fn permutations_memory(extent: Extent, columns: usize) -> u64 {
    let all: u64 = (1..=columns as u64).product();
    // Each takes two bytes for each stacking of up to as many counters as one side can have to spare,
    // beside its owner masks.
    let material = extent.material();
    let most_spare = (material.white().max(material.black()) - 1).min(material.total() - columns);
    let stackings = binomial(columns + most_spare, columns);
    all.min(OccupiedSets::orbits_of(columns) / 2) * (160 + 2 * stackings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_threads<T: Send>(threads: usize, plan: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(plan)
    }

    #[test]
    fn a_plan_covers_the_chunks_that_all_threads_hold_while_the_table_is_written() {
        // The values in chunks alone, as measured when every thread worked on a chunk.
        for (text, threads, chunks) in [("5-5", 16, 319 << 20), ("5-4", 64, 251 << 20)] {
            let extent = Extent::whole(text.parse().unwrap()).unwrap();
            on_threads(threads, || {
                let frugal = || Plan::with(extent, Storage::Scratch, 1 << 15, 1 << 17);
                assert!(frugal().memory() > chunks, "{text}");
                assert!(frugal().writing_within(chunks).chunks_at_once < threads, "{text}");
                assert_eq!(frugal().writing_within(2 * chunks).chunks_at_once, threads, "{text}");
                let least = Plan::within(extent, 0).unwrap_err();
                let plan = Plan::within(extent, least).unwrap();
                assert!(plan.memory() <= least && plan.chunks_at_once < threads, "{text}");
            });
        }
    }

    #[test]
    fn a_plan_covers_the_proof_that_captures_end() {
        let extent = Extent::whole("6-5".parse().unwrap()).unwrap();
        let plan = Plan::with(extent, Storage::Scratch, 1 << 15, 1 << 17);
        let plan = plan.writing_within(0);
        assert_eq!(plan.chunks_at_once, 1);
        assert!(plan.slices.iter().all(|slice| slice.memory > slice.positions / 8));
    }

    #[test]
    fn a_plan_covers_what_is_kept_for_each_row_and_an_orbit_in_each_partition() {
        let extent = Extent::bounded("11-11".parse().unwrap(), 4).unwrap();
        // An orbit is twenty times as large as the partitions that were asked for.
        for threads in [1, 16] {
            on_threads(threads, || {
                let plan = Plan::with(extent, Storage::Scratch, 1 << 15, 1 << 17);
                let i = plan.slices.len() - 1;
                let rows = plan.writing[i].rows;
                assert!(rows > 20 << 15, "{rows}");
                // The partition that a thread holds in three places, what captures lead to, and which rows
                // are expanded.
                let solving = plan.solving_memory(i, 0);
                assert!(solving > threads as u64 * (3 + 8 + 16 + 4) * rows, "{solving}");
                let least = Plan::within(extent, 0).unwrap_err();
                assert!(Plan::within(extent, least).is_ok_and(|plan| plan.memory() <= least));
            });
        }
    }

    #[test]
    fn a_plan_for_few_orbits_is_near_the_peaks_that_were_measured() {
        // Of the release build, on two threads. Chunks with less than half of the usual orbits, and the
        // proof that captures end, in the first; whole chunks in the second; updates in the others.
        for (text, columns, measured) in
            [("11-11", 3, 26.3), ("6-6", 4, 65.0), ("8-1", 9, 218.3), ("21-1", 4, 119.4)]
        {
            let extent = Extent::bounded(text.parse().unwrap(), columns).unwrap();
            let planned = on_threads(2, || Plan::new(extent)).memory() as f64 / f64::from(1 << 20);
            assert!(
                (planned / measured - 1.0).abs() <= 0.1,
                "{text}: {planned} and {measured} MiB"
            );
        }
    }
}
