//! What a generation will take, before it starts, and how it keeps within a limit of memory.

use crate::index::{Material, OccupiedSets, SliceIndex, binomial};
use crate::retrograde::{Resources, batch_bytes};
use crate::rules::Square;
use std::path::Path;
use std::time::Duration;

/// What generating one material takes, on the threads of the current rayon pool.
///
/// ```
/// use lasca_tablebase::generate::{Plan, Storage};
/// let material = "4-3".parse().unwrap();
/// let plan = Plan::new(material);
/// assert_eq!((plan.slices.len(), plan.storage), (6, Storage::Memory));
/// assert!(plan.memory() > plan.positions());
/// let frugal = Plan::within(material, plan.memory() / 2).unwrap();
/// assert_eq!(frugal.storage, Storage::Scratch);
/// assert!(Plan::within(material, 1 << 20).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The material.
    pub material: Material,
    /// Where the values of slices are kept.
    pub storage: Storage,
    /// Its slices in the order in which they are solved.
    pub slices: Vec<SlicePlan>,
    threads: usize,
    partition_bytes: usize,
    waiting_bytes: usize,
}

/// Where the values of slices are kept while a material is solved. The tables do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory: the fastest way.
    Memory,
    /// In scratch files, worked on in parts; what quiet moves do is worked out beforehand, in
    /// memory.
    Scratch,
    /// In scratch files, and nothing is worked out beforehand: the slowest way, and the one that
    /// takes least memory.
    Frugal,
}

/// What solving one slice takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlicePlan {
    /// The number of columns.
    pub columns: usize,
    /// Positions to store, folded, all stored sides to move.
    pub positions: u64,
    /// Bytes of memory that the program will hold while it solves the slice.
    pub memory: u64,
}

/// What the program holds whatever it does: buffers, codes, the compressor.
const BASE_MEMORY: u64 = 2560 << 10;
/// What each thread holds beside that.
const THREAD_MEMORY: u64 = 300 << 10;
/// How often the state of an unfinished slice is saved.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(120);

impl Plan {
    /// The plan for one material with as much memory as is of use.
    pub fn new(material: Material) -> Plan {
        Plan::with(material, Storage::Memory, Resources::PARTITION_BYTES, Resources::WAITING_BYTES)
    }

    /// The plan for one material in at most `limit` bytes of memory: the fastest way that fits.
    ///
    /// # Errors
    /// If no way fits: the least number of bytes that would do.
    pub fn within(material: Material, limit: u64) -> Result<Plan, u64> {
        let part = |share: u64, least: usize, most: usize| {
            usize::try_from(limit / share).unwrap_or(most).clamp(least, most)
        };
        let least_partition = 1 << 15;
        let least_waiting = 1 << 17;
        // Updates made in smaller lots cost little; slices on disk cost much. So each way to keep
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
            (Storage::Scratch, &on_disk),
            (Storage::Frugal, &on_disk),
        ] {
            let plans: Vec<Plan> = ways
                .iter()
                .map(|&(partition, waiting)| Plan::with(material, storage, partition, waiting))
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
        material: Material,
        storage: Storage,
        partition_bytes: usize,
        waiting_bytes: usize,
    ) -> Plan {
        let threads = rayon::current_num_threads();
        let mut plan =
            Plan { material, storage, slices: Vec::new(), threads, partition_bytes, waiting_bytes };
        let mut below = 0;
        for columns in material.columns() {
            let slices = material.stored_sides().iter().filter_map(|&side| {
                let (mover, other) = (material.counters(side), material.counters(!side));
                SliceIndex::folded_positions(mover, other, columns)
            });
            let positions = slices.sum();
            let memory =
                plan.memory_for(columns, positions, below) + plan.lists_memory(columns, positions);
            plan.slices.push(SlicePlan { columns, positions, memory });
            below += positions;
        }
        plan
    }

    /// Bytes held while the slice of so many columns is solved, which has `positions`, those below
    /// it `below`.
    fn memory_for(&self, columns: usize, positions: u64, below: u64) -> u64 {
        let threads = self.threads as u64;
        let tables = self.storage != Storage::Frugal;
        // Values: a byte a position, for this slice and for those that its takes lead to.
        let values = match self.storage {
            Storage::Memory => positions + below,
            Storage::Scratch | Storage::Frugal => 3 * threads * self.partition_bytes as u64,
        };
        let sets: u64 = (2..=columns).map(|columns| OccupiedSets::memory_of(columns, tables)).sum();
        // What quiet moves do: eight bytes for each, and five for each orbit. There are 72 steps on
        // the board, each between an occupied and an empty square; an eighth of the sets are
        // representatives, and a few more that have symmetries of their own.
        let steps = 72 * binomial(Square::COUNT - 2, columns - 1) / 8 * 102 / 100;
        let transitions = 8 * steps + 5 * OccupiedSets::orbits_of(columns);
        let moves = if tables { transitions + permutations_memory(columns) } else { 0 };
        // Which plies occur where.
        let present = positions / 64;
        BASE_MEMORY + threads * THREAD_MEMORY + values + sets + moves + present
    }

    /// Bytes for the lists of updates that wait or are due later: shares of the positions as found by
    /// measuring, the greatest for each difference in counters.
    fn lists_memory(&self, columns: usize, positions: u64) -> u64 {
        // The more unequal the sides, the more positions are decided at the same ply.
        let difference = self.material.white().abs_diff(self.material.black());
        let waiting_percent = [60, 70, 90, 150, 260, 360, 470][difference.min(6)];
        let waiting_bytes = self.waiting_bytes as u64;
        let waiting = (positions * waiting_percent / 100).min(waiting_bytes);
        // Every thread has a lot open for each partition, half full.
        let lots = self.threads as u64 * (positions / self.partition_bytes as u64 + 1);
        let lot = batch_bytes(lots, waiting_bytes);
        // Takes that lose a column beside others that do not: an update of eight bytes is due later.
        let may_stay = columns < self.material.total();
        let due = if may_stay { positions * 15 / 100 } else { 0 };
        waiting + lots * lot / 2 + due
    }

    /// Positions to store, folded, all stored sides to move.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| slice.positions).sum()
    }

    /// Bytes of memory at the busiest time, as measured with the allocator settings of the command
    /// line. Pages of files that the system maps (the program's own code, 5 MiB) or keeps for reading
    /// again are not counted, nor
    /// positions decided after more than 190 plies (16 bytes each), of which few are known.
    pub fn memory(&self) -> u64 {
        self.slices.iter().map(|slice| slice.memory).max().unwrap_or(0)
    }

    /// What a solver may use to keep to this plan, with its files in `folder`.
    pub(super) fn resources(&self, folder: &Path) -> Resources {
        Resources {
            scratch: (self.storage != Storage::Memory).then(|| folder.to_owned()),
            quiet_moves: self.storage != Storage::Frugal,
            partition_bytes: self.partition_bytes,
            waiting_bytes: self.waiting_bytes,
            checkpoint: Some((folder.join("checkpoint"), CHECKPOINT_EVERY)),
        }
    }
}

/// Bytes for the permutations of so many columns: no more of them occur than there are, nor than
/// there are orbits to fold.
fn permutations_memory(columns: usize) -> u64 {
    let all: u64 = (1..=columns as u64).product();
    all.min(OccupiedSets::orbits_of(columns) / 2) * 160
}
