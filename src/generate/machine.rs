//! How fast machines are, and how long a generation takes on them.

use super::plan::{Plan, Storage, Workers};
use crate::Silent;
use crate::forward::is_proved;
use crate::index::{Extent, Material};
use crate::retrograde::SliceSolver;
use crate::rules::RuleSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// The counters of the materials that are solved to find out how fast a machine is. Each has about five
/// times as many positions as the one before.
const TRIALS: [(usize, usize); 5] = [(3, 2), (4, 2), (4, 3), (4, 4), (5, 4)];

/// A trial that takes so long tells the speed, if its threads had enough to do.
const LONG_ENOUGH: Duration = Duration::from_millis(500);

/// No further trial is made after one that takes so long: it would take about five times as long.
const LONGEST: Duration = Duration::from_secs(1);

/// Threads with fewer positions each of the largest slice wait for each other more than they do later.
const ENOUGH_TO_DO: u64 = 1 << 20;

/// The time for solving and writing, for each second of solving.
const WRITING: f64 = 1.2;

/// How much longer the work takes where solved slices are in files, and where all values are.
const ONE_SLICE: f64 = 1.3;
const SCRATCH: f64 = 2.0;

/// How many positions of materials for which it is not known a thread looks at in a second, to prove that
/// captures end.
const PROVED_IN_A_SECOND: f64 = 54e6;

/// Bytes that go to another process for each position where every position is on another one: updates,
/// questions with their answers, and values that are written. Up to 16 processes less was measured,
/// because many updates go to partitions nearby.
const SENT_PER_POSITION: f64 = 15.0;

/// Bytes that are written to the shared folder for each position: its value when the slice is solved, and
/// its part of the table.
const SAVED_PER_POSITION: f64 = 1.2;

/// For each slice, about so many plies, with so many exchanges each.
const EXCHANGES: f64 = 150.0 * 2.0;

/// The part of the time in which one of several processes works while the busiest one does.
const BALANCE: f64 = 0.9;

/// What processes run on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Positions that a thread solves and writes in a second, with all values in memory.
    pub speed: f64,
    /// Bytes that a process can send in a second.
    pub bandwidth: f64,
    /// How long a message takes at least.
    pub latency: Duration,
    /// Bytes that all processes together can write to the shared folder in a second.
    pub disk: f64,
}

impl Machine {
    /// This machine, as fast as the threads of the current rayon pool are now. They solve a few materials
    /// under these `rules` in at most so many bytes of `memory`: small ones, which still give all threads enough
    /// to do. This takes about a second, a few of them with many threads, and less if no more than
    /// so many `positions` are to be solved later. The result is `None` if the memory is not enough.
    ///
    /// Writing to files counts as part of the work.
    ///
    /// ```
    /// use lasca_tablebase::generate::{Machine, Plan, Workers};
    /// use lasca_tablebase::index::Extent;
    /// use lasca_tablebase::rules::RuleSet;
    /// let plan = Plan::new(Extent::whole("2-2".parse()?)?, Workers::of_pool(1));
    /// let rules = RuleSet::Lasca;
    /// let machine = Machine::measured(rules, plan.positions(), 1 << 30).unwrap();
    /// assert!(plan.estimate(machine, rules).total().as_secs() < 60);
    /// assert!(Machine::measured(rules, plan.positions(), 1 << 10).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measured(rules: RuleSet, positions: u64, memory: u64) -> Option<Machine> {
        let plan = |(white, black)| {
            let extent = Extent::whole(Material::new(white, black).ok()?).ok()?;
            Some(Plan::new(extent, Workers::of_pool(1))).filter(|plan| plan.memory() <= memory)
        };
        let mut trials: Vec<Plan> = TRIALS.into_iter().map_while(plan).collect();
        let few = trials.partition_point(|trial| trial.positions() <= positions);
        trials.truncate(few.max(1));
        // The first one takes so little time that others say more.
        let first = usize::from(trials.len() > 1);
        let mut speed = None;
        for trial in trials.drain(first..) {
            let largest = (0..trial.slices.len()).max_by_key(|&i| trial.slices[i].positions)?;
            let solver = SliceSolver::new(trial.extent.material(), rules);
            let solver = solver.resources(trial.resources(largest, Path::new("")));
            let begun = Instant::now();
            solver.solve(&Silent).ok()?;
            let took = begun.elapsed();
            let seconds = WRITING * took.as_secs_f64() * trial.workers.threads as f64;
            speed = Some(trial.positions() as f64 / seconds);
            if took >= LONGEST || (took >= LONG_ENOUGH && has_enough_to_do(&trial)) {
                break;
            }
        }
        let (bandwidth, disk) = (f64::INFINITY, f64::INFINITY);
        Some(Machine { speed: speed?, bandwidth, latency: Duration::ZERO, disk })
    }
}

/// Whether the largest slice has enough positions for all threads.
fn has_enough_to_do(plan: &Plan) -> bool {
    let largest = plan.slices.iter().map(|slice| slice.positions).max().unwrap_or(0);
    largest / plan.workers.threads as u64 >= ENOUGH_TO_DO
}

/// How long a generation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Estimate {
    /// For solving and writing, as if nothing were sent.
    pub work: Duration,
    /// For the proof that captures end, which one process makes while the others wait. It takes no time
    /// where that is known.
    pub proving: Duration,
    /// For sending all bytes. They are sent while processes work.
    pub sending: Duration,
    /// For waiting until short messages have arrived.
    pub waiting: Duration,
    /// For saving solved slices and writing the table.
    pub saving: Duration,
}

impl Estimate {
    /// The time from the beginning to the end.
    pub fn total(self) -> Duration {
        let work = self.work.max(self.sending).saturating_add(self.proving);
        work.saturating_add(self.waiting).saturating_add(self.saving)
    }
}

impl Plan {
    /// Bytes that each process sends to others, about.
    pub fn sent(&self) -> u64 {
        let processes = self.workers.processes as f64;
        let positions = self.positions() as f64 / processes;
        (positions * SENT_PER_POSITION * (processes - 1.0) / processes) as u64
    }

    /// How long it may take on such a machine under these rules, from its beginning.
    pub fn estimate(&self, machine: Machine, rules: RuleSet) -> Estimate {
        let Workers { processes, threads } = self.workers;
        let positions = self.positions() as f64;
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let exchanges = EXCHANGES * self.slices.len() as f64;
        let (others, threads) = ((processes - 1) as f64, threads as f64);
        let balance = if self.is_shared() { BALANCE } else { 1.0 };
        let times_longer = match self.storage {
            Storage::Memory => 1.0,
            Storage::OneSlice => ONE_SLICE,
            Storage::Scratch => SCRATCH,
        };
        let in_a_second = machine.speed * processes as f64 * threads * balance;
        let proved = match is_proved(self.extent.material(), rules) {
            true => 0.0,
            false => positions,
        };
        Estimate {
            work: seconds(positions * times_longer / in_a_second),
            proving: seconds(proved / (PROVED_IN_A_SECOND * threads)),
            sending: seconds(self.sent() as f64 / machine.bandwidth),
            waiting: seconds(exchanges * machine.latency.as_secs_f64() * others),
            saving: seconds(positions * SAVED_PER_POSITION / machine.disk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(material: &str) -> Extent {
        Extent::whole(material.parse().unwrap()).unwrap()
    }

    #[test]
    fn more_processes_take_less_memory_each_and_less_time() {
        let latency = Duration::from_micros(20);
        let machine = Machine { speed: 5e5, bandwidth: 1e9, latency, disk: 1e9 };
        let plan = |processes| Plan::new(extent("6-6"), Workers { processes, threads: 16 });
        let plans = [1, 4, 16, 64].map(plan);
        assert!(plans.is_sorted_by(|a, b| a.memory() > b.memory()));
        let time = |plan: &Plan| plan.estimate(machine, RuleSet::Lasca).total();
        assert!(plans.is_sorted_by(|a, b| time(a) > time(b)));
        let values = plans[1].positions() / 4;
        assert!((values..2 * values).contains(&plans[1].memory()));
        // Files do not help several processes.
        let (workers, memory) = (plans[2].workers, plans[2].memory());
        assert!(Plan::within(extent("6-6"), workers, memory).is_ok());
        assert!(Plan::within(extent("6-6"), workers, memory / 2).is_err());
    }

    #[test]
    fn the_speed_of_many_threads_is_that_of_a_material_with_enough_to_do_for_all() {
        let first = |threads| {
            let has_enough = |(white, black): &(usize, usize)| {
                let extent = Extent::whole(Material::new(*white, *black).unwrap()).unwrap();
                has_enough_to_do(&Plan::new(extent, Workers { processes: 1, threads }))
            };
            TRIALS.into_iter().find(has_enough)
        };
        let expected = [(1, (4, 3)), (2, (4, 3)), (16, (4, 4)), (64, (5, 4))];
        assert_eq!(expected.map(|(threads, _)| first(threads)), expected.map(|(_, of)| Some(of)));
    }

    #[test]
    fn values_in_files_and_proofs_take_longer() {
        let infinite = f64::INFINITY;
        let latency = Duration::ZERO;
        let machine = Machine { speed: 1e7, bandwidth: infinite, latency, disk: infinite };
        let workers = Workers { processes: 1, threads: 2 };
        let in_memory = Plan::new(extent("5-4"), workers);
        let within =
            |part| Plan::within(extent("5-4"), workers, in_memory.memory() / part).unwrap();
        let plans = [in_memory.clone(), within(2), within(10)];
        let storages = plans.each_ref().map(|plan| plan.storage);
        assert_eq!(storages, [Storage::Memory, Storage::OneSlice, Storage::Scratch]);
        let estimates = plans.map(|plan| plan.estimate(machine, RuleSet::Lasca));
        assert!(estimates.is_sorted_by(|a, b| a.total() < b.total()));
        let expected = in_memory.positions() as f64 / 2e7;
        assert!((estimates[0].total().as_secs_f64() - expected).abs() < 0.01);
        // Of materials with ten counters, it is not known under all rules whether captures end.
        let plan = Plan::new(extent("9-1"), workers);
        assert_eq!(plan.estimate(machine, RuleSet::Lasca).proving, Duration::ZERO);
        assert!(plan.estimate(machine, RuleSet::Rejump).proving > Duration::ZERO);
    }
}
