//! How fast a machine is, and how long a generation takes on it.

use super::plan::{Plan, Workers};
use crate::clock::Instant;
use crate::index::{Extent, Material};
use crate::retrograde::SliceSolver;
use crate::rules::RuleSet;
use crate::threads::with_threads_apart;
use std::num::NonZero;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The counters of the materials that are solved to find out how fast a machine is. Each has about five
/// times as many positions as the one before.
const TRIALS: [(usize, usize); 5] = [(3, 2), (4, 2), (4, 3), (4, 4), (5, 4)];

/// A trial that takes so long tells the speed: its threads had enough to do, and seldom waited for each other. The next
/// one would take about five times as long.
const LONG_ENOUGH: Duration = Duration::from_millis(500);

/// The time for solving and writing, for each second of solving.
const WRITING: f64 = 1.2;

/// How fast a machine is: positions that a thread solves and writes in a second on a processor of its own, with all
/// values in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(f64);

impl Speed {
    /// That of this machine, as fast as the threads of the current rayon pool are now. They solve a few
    /// materials under these `rules` in at most so many bytes of `memory`: small ones, which still give all
    /// threads enough to do. This takes about a second, a few of them with many threads, and less if no more
    /// than so many `positions` are to be solved later. The result is `None` if the memory is not enough.
    ///
    /// Writing to files counts as part of the work.
    ///
    /// ```
    /// use lasca_tablebase::generate::{Plan, Speed, Workers};
    /// use lasca_tablebase::index::Extent;
    /// use lasca_tablebase::rules::RuleSet;
    /// let plan = Plan::new(Extent::whole("2-2".parse()?)?, Workers::of_pool(1));
    /// let rules = RuleSet::Lasca;
    /// let speed = Speed::measured(rules, plan.positions(), 1 << 30).unwrap();
    /// assert!(plan.time(speed).as_secs() < 60);
    /// assert!(Speed::measured(rules, plan.positions(), 1 << 10).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measured(rules: RuleSet, positions: u64, memory: u64) -> Option<Speed> {
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
            solver.solve().ok()?;
            let took = begun.elapsed();
            let seconds = WRITING * took.as_secs_f64() * at_once(trial.workers.threads);
            speed = Some(Speed(trial.positions() as f64 / seconds));
            if took >= LONG_ENOUGH {
                break;
            }
        }
        speed
    }

    /// The same as fast as one thread is under these rules. It is measured once, in some hundredths of a second.
    /// `None` if there is not enough memory for that.
    pub fn of_one_thread(rules: RuleSet) -> Option<Speed> {
        static MEASURED: Mutex<Vec<(RuleSet, Option<Speed>)>> = Mutex::new(Vec::new());
        let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, speed)) = measured.iter().find(|(of, _)| *of == rules) {
            return *speed;
        }
        let measured_once = |_| Speed::measured(rules, 0, u64::MAX);
        // Other work may come between, and a browser runs code slowly at first.
        let measure = || (0..3).filter_map(measured_once).max_by(|a, b| a.0.total_cmp(&b.0));
        let speed = with_threads_apart(NonZero::<usize>::MIN, measure).ok().flatten();
        measured.push((rules, speed));
        speed
    }
}

/// How many of so many threads can work at once here.
fn at_once(threads: usize) -> f64 {
    let processors = thread::available_parallelism().map_or(threads, NonZero::get);
    threads.min(processors) as f64
}

impl Plan {
    /// How long one process takes from the beginning, with threads of this speed.
    pub fn time(&self, speed: Speed) -> Duration {
        let at_once = at_once(self.workers.threads);
        let seconds = self.positions() as f64 * self.storage.times_longer() / (speed.0 * at_once);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Storage;
    use super::*;

    fn extent(material: &str) -> Extent {
        Extent::whole(material.parse().unwrap()).unwrap()
    }

    #[test]
    fn values_in_files_take_longer() {
        let speed = Speed(1e7);
        let workers = Workers { processes: 1, threads: 2 };
        let in_memory = Plan::new(extent("5-4"), workers);
        let within =
            |part| Plan::within(extent("5-4"), workers, in_memory.memory() / part).unwrap();
        let plans = [in_memory.clone(), within(2), within(10)];
        let storages = plans.each_ref().map(|plan| plan.storage);
        assert_eq!(storages, [Storage::Memory, Storage::OneSlice, Storage::Scratch]);
        let times = plans.map(|plan| plan.time(speed).as_secs_f64());
        assert!(times.is_sorted_by(|a, b| a < b));
        assert!((times[0] - in_memory.positions() as f64 / 2e7).abs() < 0.01);
    }
}
