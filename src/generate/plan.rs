//! How much memory and room on disk a generation will need, and how it keeps within a limit.

use super::GenerateError;
use crate::forward::captures_end;
use crate::index::{Extent, OccupiedSets, SliceIndex};
use crate::reserve::make_sure_of;
use crate::retrograde::{Resources, SolveError, due_bytes, work_memory};
use crate::rules::RuleSet;
use crate::table::TableWriter;
use crate::threads::{THREAD_MEMORY, most_that_fit};
use std::path::Path;

/// Bytes that the program holds whatever it does: buffers, codes, the compressor.
const BASE_MEMORY: u64 = 1024 << 10;

/// How many partitions there are for each thread where a slice is large enough.
const PARTITIONS_A_THREAD: u64 = 8;

/// The least room for the updates of each thread where memory does not matter: so few bytes are worth no second
/// pass, and less would make the batches small in which they are sent.
const LEAST_WAITING: u64 = 512 << 10;

/// Who makes a table together. 0 counts as 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    /// How many processes there are.
    pub processes: usize,
    /// How many threads each of them has.
    pub threads: usize,
}

impl Workers {
    /// So many processes, each with as many threads as the current rayon pool has.
    pub fn of_pool(processes: usize) -> Workers {
        Workers { processes, threads: rayon::current_num_threads() }
    }
}

/// How one material is generated, and how much memory that takes.
///
/// ```
/// use lasca_tablebase::generate::{Plan, Storage, Workers};
/// use lasca_tablebase::index::Extent;
/// let (extent, alone) = (Extent::whole("5-4".parse()?)?, Workers::of_pool(1));
/// let plan = Plan::new(extent, alone);
/// assert_eq!((plan.slices.len(), plan.storage), (8, Storage::Memory));
/// assert!(plan.memory() > plan.positions());
/// let frugal = Plan::within(extent, alone, plan.memory() / 2).unwrap();
/// assert_ne!(frugal.storage, Storage::Memory);
/// assert!(Plan::within(extent, alone, 1 << 20).is_err());
/// // Several processes share the values.
/// let shared = Plan::new(extent, Workers { processes: 16, ..alone });
/// assert!(shared.memory() < plan.memory());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The positions that are solved.
    pub extent: Extent,
    /// Who solves them.
    pub workers: Workers,
    /// Where the values of slices are kept.
    pub storage: Storage,
    /// Its slices in the order in which they are solved.
    pub slices: Vec<SlicePlan>,
    partition_bytes: usize,
    /// Bytes of updates that wait, or are on their way from process to process.
    waiting_bytes: usize,
    /// How many chunks a process works on at once while the table is written.
    pub(super) chunks_at_once: usize,
    /// How many bytes a sample may take from which the codes of a table are chosen, in each process.
    pub(super) sample_bytes: u64,
    /// Whether the table is written to memory.
    is_written_to_memory: bool,
}

/// Where the values of slices are kept while a material is solved. The tables do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// In memory: the fastest way, and the only one of several processes. These need less memory each if
    /// there are more of them, and would work in the files of one shared folder.
    Memory,
    /// The slice in work in memory, and those that are solved in files.
    OneSlice,
    /// All in files: the slice in work in scratch files, of which parts are read, changed and written.
    /// This way is the slowest, and takes the least memory.
    Scratch,
}

impl Storage {
    /// How many times as long the work takes as with all values in memory.
    pub(super) fn times_longer(self) -> f64 {
        match self {
            Storage::Memory => 1.0,
            Storage::OneSlice => 1.3,
            Storage::Scratch => 2.0,
        }
    }
}

/// The size of one slice, and how much memory it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SlicePlan {
    /// The number of columns.
    pub columns: usize,
    /// How many positions are stored. Positions that differ only by a symmetry count once.
    pub positions: u64,
    /// Bytes of memory that each process will hold while it solves the slice, or later writes it,
    /// whichever is more.
    pub memory: u64,
}

impl Plan {
    /// The plan for one table with as much memory as makes it faster.
    pub fn new(extent: Extent, workers: Workers) -> Plan {
        let plan = Plan::in_memory(extent, workers);
        if !plan.is_shared() {
            return plan;
        }
        // The exchange of values takes memory. So writing takes no more of it than solving does, if a
        // smaller sample and fewer chunks can do that.
        let solving = (0..plan.slices.len()).map(|i| plan.solving_memory(i)).max();
        plan.writing_within(solving.unwrap_or(0))
    }

    /// The plan for one table in at most `limit` bytes of memory for each process: the fastest way that
    /// fits. The plan has fewer threads where there is not enough for all, and fewer are faster than files.
    ///
    /// # Errors
    /// If no way fits, not even with one thread: the least number of bytes that would do.
    pub fn within(extent: Extent, workers: Workers, limit: u64) -> Result<Plan, u64> {
        // Several processes would need one folder for their files.
        let storages = match workers.processes > 1 {
            true => &[Storage::Memory][..],
            false => &[Storage::Memory, Storage::OneSlice, Storage::Scratch],
        };
        let with_most_threads = |&storage: &Storage| {
            let plan =
                |threads| Plan::kept_within(extent, Workers { threads, ..workers }, storage, limit);
            plan(most_that_fit(workers.threads.max(1), |threads| plan(threads).is_ok()).max(1))
        };
        let (mut fastest, mut least) = (None::<Plan>, u64::MAX);
        for plan in storages.iter().map(with_most_threads) {
            match plan {
                Ok(plan) => {
                    // How many times as fast as one thread with all values in memory.
                    let speed =
                        |plan: &Plan| plan.workers.threads as f64 / plan.storage.times_longer();
                    let is_faster = |other: &Plan| speed(&plan) > speed(other);
                    if fastest.as_ref().is_none_or(is_faster) {
                        fastest = Some(plan);
                    }
                }
                Err(needed) => least = least.min(needed),
            }
        }
        fastest.ok_or(least)
    }

    /// The plan for one table that is written to memory too, in at most `limit` bytes: with as many threads as that
    /// allows. If it does not fit, not even with one thread, it takes more memory.
    pub(super) fn in_memory_within(extent: Extent, workers: Workers, limit: u64) -> Plan {
        let most_waiting = most_waiting(workers);
        let with = |threads| {
            let plan = Plan::in_memory(extent, Workers { threads, ..workers });
            let plan = Plan { is_written_to_memory: true, ..plan };
            let partition = plan.partition_bytes;
            let less = [most_waiting, most_waiting / 16].map(|waiting| {
                plan.clone().kept_in(Storage::Memory, partition, waiting).writing_within(limit)
            });
            let fitting = less.iter().find(|plan| plan.memory() <= limit);
            fitting.unwrap_or(&less[1]).clone()
        };
        let fits = |threads| with(threads).memory() <= limit;
        with(most_that_fit(workers.threads.max(1), fits).max(1))
    }

    /// The same with values kept in this way, and with all threads.
    fn kept_within(
        extent: Extent,
        workers: Workers,
        storage: Storage,
        limit: u64,
    ) -> Result<Plan, u64> {
        let part = |share: u64, least: usize, most: usize| {
            usize::try_from(limit / share).unwrap_or(most).clamp(least, most)
        };
        let least_partition = 1 << 15;
        let least_waiting = 1 << 17;
        // Updates made in smaller batches cost little; slices on disk cost much. So each way to keep
        // values is tried with less and less beside them before the next way is.
        let most_waiting = most_waiting(workers);
        let ways = match storage {
            Storage::Memory | Storage::OneSlice => [most_waiting, part(16, 8 << 20, most_waiting)]
                .map(|waiting| (Resources::PARTITION_BYTES, waiting))
                .to_vec(),
            Storage::Scratch => {
                let partition = part(256, least_partition, Resources::PARTITION_BYTES);
                let ways =
                    [3, 6, 12].map(|share| (partition, part(share, least_waiting, most_waiting)));
                [&ways[..], &[(least_partition, least_waiting)]].concat()
            }
        };
        let plan = Plan::in_memory(extent, workers);
        let plans = ways.into_iter().map(|(partition, waiting)| {
            plan.clone().kept_in(storage, partition, waiting).writing_within(limit)
        });
        let plans: Vec<Plan> = plans.collect();
        let fits = |memory: u64| memory <= limit;
        // Where there is a choice, leave room for what the plan does not foresee.
        let roomy = plans.iter().find(|plan| fits(plan.memory() + plan.memory() / 16));
        let chosen = roomy.or_else(|| plans.iter().rev().find(|plan| fits(plan.memory())));
        let least = || plans.iter().map(Plan::memory).min().unwrap_or(u64::MAX);
        chosen.cloned().ok_or_else(least)
    }

    /// The plan with all values in memory, and as much beside them as makes it faster.
    fn in_memory(extent: Extent, Workers { processes, threads }: Workers) -> Plan {
        let of_columns = |columns| {
            let sides = extent.material().stored_sides().len() as u64;
            let positions = sides * index_of(extent, columns).positions();
            SlicePlan { columns, positions, memory: 0 }
        };
        let workers = Workers { processes: processes.max(1), threads: threads.max(1) };
        let mut plan = Plan {
            extent,
            workers,
            storage: Storage::Memory,
            slices: extent.columns().map(of_columns).collect(),
            partition_bytes: Resources::PARTITION_BYTES,
            waiting_bytes: most_waiting(workers),
            chunks_at_once: workers.threads,
            sample_bytes: u64::MAX,
            is_written_to_memory: false,
        };
        plan.count_memory();
        plan
    }

    /// The same plan, with values kept in this way, and so many bytes beside them.
    fn kept_in(self, storage: Storage, partition_bytes: usize, waiting_bytes: usize) -> Plan {
        let mut plan = Plan { storage, partition_bytes, waiting_bytes, ..self };
        plan.count_memory();
        plan
    }

    /// The same plan, with a sample as large and as many chunks at once while the table is written as fit
    /// in `limit` bytes: at least a small sample, and one chunk.
    fn writing_within(mut self, limit: u64) -> Plan {
        let all = 0..self.slices.len();
        let fits = |plan: &Plan| all.clone().all(|i| plan.writing_memory(i) <= limit);
        // A sample in parts is read again for each part, but takes less memory.
        let samples = all.clone().map(|i| TableWriter::sample_memory(&self.index(i)));
        let largest = samples.max().unwrap_or(0);
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
        for i in 0..self.slices.len() {
            self.slices[i].memory = self.solving_memory(i).max(self.writing_memory(i));
        }
    }

    /// Whether several processes share the values.
    fn is_shared(&self) -> bool {
        self.workers.processes > 1
    }

    /// How many of so many positions each process has.
    fn share(&self, positions: u64) -> u64 {
        positions.div_ceil(self.workers.processes as u64)
    }

    /// Bytes that a process holds whatever it works on.
    fn base_memory(&self) -> u64 {
        BASE_MEMORY + self.workers.threads as u64 * THREAD_MEMORY
    }

    /// The numbering of the `i`-th slice, with one side to move.
    fn index(&self, i: usize) -> SliceIndex {
        index_of(self.extent, self.slices[i].columns)
    }

    /// Bytes held while the `i`-th slice is written. All slices are solved then.
    fn writing_memory(&self, i: usize) -> u64 {
        let values = match self.storage {
            Storage::Memory => self.share(self.positions()),
            Storage::OneSlice | Storage::Scratch => 0,
        };
        let sets = |slice: &SlicePlan| OccupiedSets::memory_of(slice.columns);
        let sets: u64 = self.slices.iter().map(sets).sum();
        let kept = |slice: &SlicePlan| TableWriter::kept_memory(slice.columns);
        let kept: u64 = self.slices[..=i].iter().map(kept).sum();
        let written: u64 = self.slices[..=i].iter().map(|slice| slice.positions / 4).sum();
        let written = if self.is_written_to_memory { written } else { 0 };
        let (index, positions) = (self.index(i), self.slices[i].positions);
        let (processes, chunks) = (self.workers.processes as u64, self.chunks_at_once);
        let adding =
            TableWriter::add_memory(&index, positions, processes, chunks, self.sample_bytes);
        self.base_memory() + values + sets + kept + written + adding
    }

    /// About how many bytes a partition of the `i`-th slice has: at least those of an orbit.
    fn partition(&self, i: usize) -> u64 {
        let (index, most) = (self.index(i), self.partition_bytes as u64);
        let (parts, least) = match self.is_shared() {
            // Small enough that all processes get their part, whatever their number.
            true => (64, 1 << 12),
            // Small enough that all threads have work, also where only some partitions have any.
            false => (PARTITIONS_A_THREAD.saturating_mul(self.workers.threads as u64), 1 << 14),
        };
        (index.positions() / parts).max(least).min(most).max(index.rows() as u64)
    }

    /// How many sides to move are stored.
    fn sides(&self) -> u64 {
        self.extent.material().stored_sides().len() as u64
    }

    /// Bytes of values while the `i`-th slice is solved: one a position, for this slice and for those that its captures
    /// lead to. A share is made up of whole partitions.
    fn values_memory(&self, i: usize) -> u64 {
        let positions = self.slices[i].positions;
        let below: u64 = self.slices[..i].iter().map(|slice| slice.positions).sum();
        let (threads, partition) = (self.workers.threads as u64, self.partition(i));
        match self.storage {
            Storage::Memory if self.is_shared() => {
                self.share(positions + below) + 2 * self.sides() * partition
            }
            Storage::Memory => positions + below,
            Storage::OneSlice => positions,
            Storage::Scratch => 3 * threads * partition,
        }
    }

    /// Bytes held while the `i`-th slice is solved.
    fn solving_memory(&self, i: usize) -> u64 {
        let SlicePlan { columns, positions, .. } = self.slices[i];
        let sets: u64 = (2..=columns).map(OccupiedSets::memory_of).sum();
        let work = work_memory(&self.index(i), self.sides(), self.workers.threads as u64);
        // Which plies occur where.
        let present = self.share(positions) / 64;
        self.base_memory() + self.values_memory(i) + sets + work + present + self.updates_memory(i)
    }

    /// In how many places updates are at a time: in the outbox, and of several processes also on their
    /// way, and where they have come.
    fn places_of_updates(&self) -> u64 {
        if self.is_shared() { 4 } else { 1 }
    }

    /// How many bytes of updates may wait in each place while the `i`-th slice is solved. With less room,
    /// updates are made more often, which means more passes over all values.
    fn waiting(&self, i: usize) -> u64 {
        let own = self.share(self.slices[i].positions);
        // A pass takes longer where values are in files, or messages are sent to other processes.
        let is_slow = self.is_shared() || self.storage == Storage::Scratch;
        let wanted = if is_slow { own / 2 } else { own / 4 };
        let least = LEAST_WAITING.saturating_mul(self.workers.threads as u64);
        wanted.max(least).min(self.waiting_bytes as u64 / self.places_of_updates())
    }

    /// Bytes for the updates that wait, and for those from slices below that fall due later.
    fn updates_memory(&self, i: usize) -> u64 {
        // A thread stops expanding when its room is full. It notices that only after each 64th of a
        // partition, so the updates of one 64th come on top.
        let last = self.workers.threads as u64 * self.partition(i) / 8;
        let SlicePlan { columns, positions, .. } = self.slices[i];
        let due = due_bytes(self.extent.material(), columns, self.share(positions));
        // Updates that fall due later may take a quarter of the outbox: half is kept for full batches, and a
        // quarter for open ones.
        let waiting = self.waiting(i);
        self.places_of_updates() * waiting + due.saturating_sub(waiting / 4) + last
    }

    /// Positions to store, folded, all stored sides to move.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| slice.positions).sum()
    }

    /// Bytes of memory that each process needs at its busiest time. They were measured with the allocator
    /// settings of the program. Pages of files that the system maps (the program's own code, 5 MiB) or
    /// keeps for reading again are not counted. Neither are positions decided after more than 190 plies,
    /// which take 16 bytes each: few are known.
    pub fn memory(&self) -> u64 {
        self.slices.iter().map(|slice| slice.memory).max().unwrap_or(0)
    }

    /// Makes sure that the system gives the memory for values and updates, before work by this plan begins. The rest of
    /// [what is needed](Plan::memory) is small, or an earlier table has taken it.
    ///
    /// # Errors
    /// If it does not, so that the slice that takes the most of it cannot be solved.
    pub(super) fn make_sure_of_memory(&self) -> Result<(), GenerateError> {
        let needed = |i: &usize| self.values_memory(*i) + self.updates_memory(*i);
        let Some(busiest) = (0..self.slices.len()).max_by_key(needed) else { return Ok(()) };
        make_sure_of(needed(&busiest)).map_err(|_| GenerateError::Solve {
            material: self.extent.material(),
            columns: self.slices[busiest].columns,
            error: SolveError::Memory,
        })
    }

    /// About the most room on disk, in bytes, that the work takes: all that is saved of unfinished work,
    /// and the table. A short run saves less. The tables of other materials come on top.
    ///
    /// ```
    /// use lasca_tablebase::generate::{Plan, Workers};
    /// use lasca_tablebase::index::Extent;
    /// let plan = Plan::new(Extent::whole("4-3".parse().unwrap()).unwrap(), Workers::of_pool(1));
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

    /// About how many bytes the finished table takes, both files together. It is an estimate by what others take, and
    /// is within a third of what 37 tables of more than a hundred thousand bytes take.
    ///
    /// ```
    /// use lasca_tablebase::generate::{Plan, Workers};
    /// use lasca_tablebase::index::Extent;
    /// use lasca_tablebase::rules::RuleSet;
    /// let plan = Plan::new(Extent::whole("4-3".parse().unwrap()).unwrap(), Workers::of_pool(1));
    /// // It takes 3,016,472.
    /// assert!((2_500_000..3_500_000).contains(&plan.table_bytes(RuleSet::Lasca)));
    /// ```
    pub fn table_bytes(&self, rules: RuleSet) -> u64 {
        let material = self.extent.material();
        let [fewer, more] =
            [material.white().min(material.black()), material.white().max(material.black())];
        let bits = match self.extent.max_columns() {
            None => BITS[(more - fewer).min(BITS.len() - 1)],
            Some(_) => BITS_OF_BOUNDED[(fewer - 1).min(BITS_OF_BOUNDED.len() - 1)],
        };
        let bytes = |slice: &SlicePlan| {
            let times = match captures_end(material, slice.columns, rules) {
                true => 1.0,
                false => WITH_ALL_CAPTURES,
            };
            LEAST_BYTES + (slice.positions as f64 * bits * times / 8.0) as u64
        };
        self.slices.iter().map(bytes).sum()
    }

    /// The resources of a solver of the `i`-th slice that keeps to this plan, with its scratch files in
    /// `folder`.
    pub(super) fn resources(&self, i: usize, folder: &Path) -> Resources {
        Resources {
            scratch: (self.storage == Storage::Scratch).then(|| folder.to_owned()),
            solved_in_files: self.storage != Storage::Memory,
            partition_bytes: self.partition(i) as usize,
            waiting_bytes: self.waiting(i) as usize,
            checkpoints: None,
        }
    }
}

/// How many bits of a finished table a position takes, by how many counters one side has more than the other.
const BITS: [f64; 6] = [1.1, 1.0, 0.83, 0.67, 0.6, 0.55];

/// The same for bounded tables, by how many counters the side with fewer has, from one on.
const BITS_OF_BOUNDED: [f64; 4] = [0.6, 0.85, 0.95, 1.3];

/// How many times as many they are where it is not [proved](captures_end) that captures end, and so all positions are
/// stored.
const WITH_ALL_CAPTURES: f64 = 2.5;

/// What a slice takes in a table, however few positions it has.
const LEAST_BYTES: u64 = 1 << 10;

/// The bytes of updates that may wait in a process where memory does not matter.
fn most_waiting(workers: Workers) -> usize {
    // With several processes, more updates at a time would not make the exchange quicker.
    Resources::waiting_bytes(if workers.processes > 1 { 1 } else { workers.threads })
}

/// The numbering of the slices of so many columns: each side to move has as many positions.
fn index_of(extent: Extent, columns: usize) -> SliceIndex {
    let material = extent.material();
    material.slice(material.stored_sides()[0], columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(threads: usize) -> Workers {
        Workers { processes: 1, threads }
    }

    /// A plan with all values in files, and little beside them.
    fn frugal(extent: Extent, threads: usize) -> Plan {
        Plan::new(extent, alone(threads)).kept_in(Storage::Scratch, 1 << 15, 1 << 17)
    }

    #[test]
    fn a_plan_covers_the_chunks_that_all_threads_hold_while_the_table_is_written() {
        // The values in chunks alone, as measured when every thread worked on a chunk.
        for (text, threads, chunks) in [("5-5", 16, 319 << 20), ("5-4", 64, 251 << 20)] {
            let extent = Extent::whole(text.parse().unwrap()).unwrap();
            let frugal = frugal(extent, threads);
            assert!(frugal.memory() > chunks, "{text}");
            assert!(frugal.clone().writing_within(chunks).chunks_at_once < threads, "{text}");
            assert_eq!(frugal.writing_within(2 * chunks).chunks_at_once, threads, "{text}");
            let least = Plan::within(extent, alone(threads), 0).unwrap_err();
            let plan = Plan::within(extent, alone(threads), least).unwrap();
            assert!(plan.memory() <= least && plan.chunks_at_once < threads, "{text}");
        }
    }

    #[test]
    fn a_plan_covers_what_is_kept_for_each_row_and_an_orbit_in_each_partition() {
        let extent = Extent::bounded("11-11".parse().unwrap(), 4).unwrap();
        // An orbit is twenty times as large as the partitions that were asked for.
        for threads in [1, 16] {
            let plan = frugal(extent, threads);
            let i = plan.slices.len() - 1;
            let rows = plan.index(i).rows() as u64;
            assert!(rows > 20 << 15, "{rows}");
            // The partition that a thread holds in three places, what captures lead to, and which rows
            // are expanded.
            let solving = plan.solving_memory(i);
            assert!(solving > threads as u64 * (3 + 8 + 16 + 6) * rows, "{solving}");
            let least = Plan::within(extent, alone(threads), 0).unwrap_err();
            let plan = Plan::within(extent, alone(threads), least);
            assert!(plan.is_ok_and(|plan| plan.memory() <= least));
        }
    }

    #[test]
    fn a_plan_for_few_orbits_is_near_the_peaks_that_were_measured() {
        // Of the release build, on two threads. The table is written then in the first three, in chunks of
        // few orbits or of many rows; slices of many columns are solved in the others.
        for (text, columns, measured) in [
            ("11-11", 3, 26.5),
            ("11-11", 4, 3118.2),
            ("8-8", 4, 460.7),
            ("8-1", 9, 134.0),
            ("7-1", 8, 45.9),
        ] {
            let extent = Extent::bounded(text.parse().unwrap(), columns).unwrap();
            let planned = Plan::new(extent, alone(2)).memory() as f64 / f64::from(1 << 20);
            assert!(
                (planned / measured - 1.0).abs() <= 0.1,
                "{text}: {planned} and {measured} MiB"
            );
        }
    }

    #[test]
    fn the_size_of_a_table_is_foretold_within_a_third() {
        // What `lasca-tb generate --json` printed.
        for (text, columns, bytes) in [
            ("20-2", 3, 201_188_u64),
            ("14-8", 3, 2_026_154),
            ("5-5", 4, 1_400_026),
            ("11-4", 4, 36_871_445),
            ("6-2", 5, 1_095_617),
            ("3-3", 6, 249_801),
            ("10-1", 6, 5_545_751),
            ("4-3", 7, 3_016_472),
            ("7-1", 8, 1_055_611),
            ("5-4", 9, 136_629_362),
            ("6-4", 10, 591_608_383),
            ("6-5", 11, 4_424_509_660),
        ] {
            let extent = Extent::new(text.parse().unwrap(), Some(columns)).unwrap();
            let told = Plan::new(extent, alone(1)).table_bytes(RuleSet::Lasca);
            let times = told as f64 / bytes as f64;
            assert!((0.7..1.34).contains(&times), "{text}: {times}");
        }
    }

    #[test]
    fn more_processes_take_less_memory_each() {
        let extent = Extent::whole("6-6".parse().unwrap()).unwrap();
        let plan = |processes| Plan::new(extent, Workers { processes, threads: 16 });
        let plans = [1, 4, 16, 64].map(plan);
        assert!(plans.is_sorted_by(|a, b| a.memory() > b.memory()));
        let values = plans[1].positions() / 4;
        assert!((values..2 * values).contains(&plans[1].memory()));
        // Files do not help several processes.
        let (workers, memory) = (plans[2].workers, plans[2].memory());
        assert!(Plan::within(extent, workers, memory).is_ok());
        assert!(Plan::within(extent, workers, memory / 2).is_err());
    }

    #[test]
    fn the_division_of_slices_does_not_depend_on_how_many_processes_share_them() {
        let extent = Extent::whole("6-5".parse().unwrap()).unwrap();
        let [few, many] = [2, 64].map(|processes| {
            let plan = Plan::new(extent, Workers { processes, threads: 1 });
            (0..plan.slices.len()).map(|i| plan.partition(i)).collect::<Vec<u64>>()
        });
        assert_eq!(few, many);
    }
}
