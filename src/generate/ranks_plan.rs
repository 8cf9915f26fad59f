//! What a generation on several ranks will take: memory, messages, room on disk and time.

use super::SlicePlan;
use super::plan::{BASE_MEMORY, THREAD_MEMORY, rows_memory, transitions_memory};
use crate::forward::proof_memory;
use crate::index::{Extent, OccupiedSets, SliceIndex};
use crate::retrograde::{Resources, batch_bytes};
use crate::table::TableWriter;
use std::time::Duration;

/// About how many bytes of updates a rank collects before it sends them, all ranks together. The same
/// number of bytes may be on their way, and again as many may have come.
const WAITING_BYTES: usize = 64 << 20;

/// Bytes that go to another rank for each position where every position is on another rank: updates,
/// questions with their answers, and values that are written. Up to 16 ranks less was measured, because
/// many updates go to partitions nearby.
const SENT_PER_POSITION: f64 = 15.0;

/// Bytes that are written to the shared folder for each position: its value when the slice is solved, and
/// its part of the table.
const SAVED_PER_POSITION: f64 = 1.2;

/// The least that a sample may take from which the codes of a table are chosen.
const LEAST_SAMPLE: u64 = 32 << 20;

/// For each slice, about so many plies, with so many exchanges each.
const EXCHANGES: f64 = 150.0 * 3.0;

/// The part of the time in which a rank works while the busiest one does.
const BALANCE: f64 = 0.9;

/// What one table takes on several ranks, each with the threads of the current rayon pool.
///
/// ```
/// use lasca_tablebase::generate::RanksPlan;
/// use lasca_tablebase::index::Extent;
/// let extent = Extent::whole("5-4".parse()?)?;
/// let [alone, shared] = [1, 16].map(|ranks| RanksPlan::new(extent, ranks));
/// assert_eq!(alone.positions(), shared.positions());
/// assert!(shared.memory() < alone.memory());
/// assert_eq!(alone.sent(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanksPlan {
    /// The positions of the table.
    pub extent: Extent,
    /// How many ranks there are.
    pub ranks: usize,
    /// How many threads each rank has.
    pub threads: usize,
    /// Its slices in the order in which they are solved. Their memory is that of each rank.
    pub slices: Vec<SlicePlan>,
    /// For each slice, about how many positions a partition holds.
    partition_bytes: Vec<usize>,
    /// How many chunks a rank works on at once while the table is written.
    pub(super) chunks_at_once: usize,
    /// How many bytes a sample may take from which the codes of a table are chosen, on each rank.
    pub(super) sample_bytes: u64,
}

/// What ranks run on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Positions that a thread solves and writes in a second.
    pub speed: f64,
    /// Bytes that a rank can send in a second.
    pub bandwidth: f64,
    /// How long a message takes at least.
    pub latency: Duration,
    /// Bytes that all ranks together can write to the shared folder in a second.
    pub disk: f64,
}

/// How long a generation on several ranks may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// For solving and writing, as if nothing were sent.
    pub work: Duration,
    /// For sending all bytes. They are sent while ranks work.
    pub sending: Duration,
    /// For waiting until short messages have arrived.
    pub waiting: Duration,
    /// For saving solved slices and writing the table.
    pub saving: Duration,
}

impl Estimate {
    /// The time from the beginning to the end.
    pub fn total(self) -> Duration {
        self.work.max(self.sending).saturating_add(self.waiting).saturating_add(self.saving)
    }
}

impl RanksPlan {
    /// The plan for a table of these positions on this many ranks.
    ///
    /// # Panics
    /// If `ranks` is 0.
    pub fn new(extent: Extent, ranks: usize) -> RanksPlan {
        assert!(ranks > 0, "there is at least one rank");
        let threads = rayon::current_num_threads();
        let (mut slices, mut partition_bytes, mut writing) = (Vec::new(), Vec::new(), Vec::new());
        let material = extent.material();
        let sides = material.stored_sides();
        let positions_of = |columns: usize| {
            let of_side = sides.iter().filter_map(|&side| {
                let (mover, other) = (material.counters(side), material.counters(!side));
                SliceIndex::folded_positions(mover, other, columns)
            });
            of_side.collect::<Vec<u64>>()
        };
        let total: u64 = extent.columns().flat_map(positions_of).sum();
        let share = |positions: u64| positions.div_ceil(ranks as u64);
        let (mut below, mut kept) = (0, 0);
        for columns in extent.columns() {
            let of_sides = positions_of(columns);
            let of_side = of_sides.iter().copied().max().unwrap_or(0);
            let positions: u64 = of_sides.iter().sum();
            let rows = of_side / OccupiedSets::orbits_of(columns).max(1);
            // Small enough that all ranks get their part, whatever their number, and at least an orbit.
            let partition = (of_side / 64).clamp(1 << 12, Resources::PARTITION_BYTES as u64);
            let partition = partition.max(rows);
            partition_bytes.push(partition as usize);
            let sets: u64 = (2..=columns).map(OccupiedSets::memory_of).sum();
            let own = BASE_MEMORY + threads as u64 * THREAD_MEMORY + sets;
            // While the slice is solved: what is expected beside the values is as in the plan for one
            // process, and updates lie in the outbox, on their way, and where they have come.
            let partitions = sides.len() as u64 * of_side.div_ceil(partition);
            let batches = threads as u64 * partitions;
            let updates = (4 * WAITING_BYTES as u64).min(20 * share(positions))
                + batches * batch_bytes(batches, WAITING_BYTES as u64) / 2;
            let solving = share(positions + below)
                + 2 * sides.len() as u64 * partition
                + share(positions) / 64
                + share(positions) * 15 / 100
                + transitions_memory(extent, columns)
                + rows_memory(extent, rows, threads as u64)
                + updates;
            // While it is written, all values are there; rank 0 proves that captures end.
            kept += TableWriter::kept_memory(columns);
            let (proof, chunks) =
                (proof_memory(material, positions, rows), TableWriter::chunks(columns));
            let fixed = own + share(total) + kept;
            writing.push(move |at_once: usize, sample: u64| {
                let at_once = chunks.min(at_once as u64);
                let exchange = match ranks {
                    1 => 0,
                    _ => at_once * TableWriter::exchange_memory(columns, rows, ranks),
                };
                let sample = sample.min(TableWriter::sample_memory(of_side));
                let slice = (columns, rows, positions);
                fixed + proof.max(TableWriter::add_memory(slice, at_once, sample) + exchange)
            });
            slices.push(SlicePlan { columns, positions, memory: own + solving });
            below += positions;
        }
        // Writing takes no more than solving does, if a smaller sample and fewer chunks can do that.
        let limit = slices.iter().map(|slice| slice.memory).max().unwrap_or(0);
        let (mut chunks_at_once, mut sample_bytes) = (threads, 1 << 30);
        let fits = |chunks, sample| writing.iter().all(|writing| writing(chunks, sample) <= limit);
        while sample_bytes > LEAST_SAMPLE && !fits(chunks_at_once, sample_bytes) {
            sample_bytes /= 2;
        }
        while chunks_at_once > 1 && !fits(chunks_at_once, sample_bytes) {
            chunks_at_once -= 1;
        }
        for (slice, writing) in slices.iter_mut().zip(&writing) {
            slice.memory = slice.memory.max(writing(chunks_at_once, sample_bytes));
        }
        RanksPlan { extent, ranks, threads, slices, partition_bytes, chunks_at_once, sample_bytes }
    }

    /// Positions to store, folded, all stored sides to move.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| slice.positions).sum()
    }

    /// Bytes of memory that each rank needs at its busiest time.
    pub fn memory(&self) -> u64 {
        self.slices.iter().map(|slice| slice.memory).max().unwrap_or(0)
    }

    /// Bytes that each rank sends to others, about.
    pub fn sent(&self) -> u64 {
        let ranks = self.ranks as f64;
        let positions = self.positions() as f64 / ranks;
        (positions * SENT_PER_POSITION * (ranks - 1.0) / ranks) as u64
    }

    /// About the most room in the folder of tables, in bytes: all that all ranks save, and the table.
    pub fn disk(&self) -> u64 {
        let (mut solved, mut most) = (0, 0);
        for slice in &self.slices {
            // The old checkpoint stays until the new one is whole. Each holds the values, which plies
            // occur where, and what is due later.
            most = most.max(solved + 2 * (slice.positions + slice.positions / 4));
            solved += slice.positions + slice.positions / 32;
        }
        most.max(solved + solved / 2)
    }

    /// How long it may take on such a machine.
    pub fn estimate(&self, machine: Machine) -> Estimate {
        let ranks = self.ranks as f64;
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let threads = ranks * self.threads as f64;
        let exchanges = EXCHANGES * self.slices.len() as f64;
        Estimate {
            work: seconds(self.positions() as f64 / (machine.speed * threads * BALANCE)),
            sending: seconds(self.sent() as f64 / machine.bandwidth),
            waiting: seconds(exchanges * machine.latency.as_secs_f64() * (ranks - 1.0)),
            saving: seconds(self.positions() as f64 * SAVED_PER_POSITION / machine.disk),
        }
    }

    /// The resources of a solver of the slice in this place.
    pub(super) fn resources(&self, at: usize) -> Resources {
        Resources {
            scratch: None,
            solved_in_files: false,
            partition_bytes: self.partition_bytes[at],
            waiting_bytes: WAITING_BYTES,
            checkpoints: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_division_of_slices_does_not_depend_on_the_number_of_ranks() {
        let extent = Extent::whole("6-5".parse().unwrap()).unwrap();
        let partitions = |ranks| RanksPlan::new(extent, ranks).partition_bytes;
        assert_eq!(partitions(1), partitions(64));
    }

    #[test]
    fn more_ranks_take_less_memory_each_and_less_time() {
        let latency = Duration::from_micros(20);
        let machine = Machine { speed: 5e5, bandwidth: 1e9, latency, disk: 1e9 };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build().unwrap();
        let extent = Extent::whole("6-6".parse().unwrap()).unwrap();
        let plan = |ranks| pool.install(|| RanksPlan::new(extent, ranks));
        let plans = [1, 4, 16, 64].map(plan);
        assert!(plans.is_sorted_by(|a, b| a.memory() > b.memory()));
        assert!(
            plans.is_sorted_by(|a, b| a.estimate(machine).total() > b.estimate(machine).total())
        );
        let values = plans[1].positions() / 4;
        assert!((values..2 * values).contains(&plans[1].memory()));
    }
}
