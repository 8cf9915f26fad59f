//! Tables that are made in memory, because a question needs them.

use super::error::GenerateError;
use super::plan::{Plan, Workers};
use super::run::error_of;
use super::slices;
use super::speed::Speed;
use crate::Progress;
use crate::index::Extent;
use crate::processes::{Alone, StepFailure};
use crate::rules::RuleSet;
use crate::table::{Table, TableWriter};
use crate::threads::with_threads_apart;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// What making a table for a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakeLimits {
    /// The longest time that it may take by plan. The default is 10 seconds.
    pub time: Duration,
    /// The most bytes of memory that it may take by plan. The default is a gibibyte.
    pub memory: u64,
    /// How many threads work at most. The default is one for each processor.
    pub threads: NonZero<usize>,
    #[doc(hidden)]
    pub _more: (),
}

impl Default for MakeLimits {
    fn default() -> MakeLimits {
        let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        MakeLimits { time: Duration::from_secs(10), memory: 1 << 30, threads, _more: () }
    }
}

/// What it takes to make a table in memory: see [`Tablebase::plan_for`](crate::probe::Tablebase::plan_for).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MakePlan {
    /// The positions that it covers. White has the most counters.
    pub extent: Extent,
    /// Positions to store, folded, all stored sides to move.
    pub positions: u64,
    /// Bytes of memory at the busiest time, with those of the table.
    pub memory: u64,
    /// About how long it takes on this machine.
    pub time: Duration,
    plan: Plan,
}

/// So many positions are taken to be solved in a second, on any machine. Where there are no more, it is not found out how
/// fast the machine is, which would take long beside them.
const SLOWEST: u64 = 1_000_000;

impl MakePlan {
    /// The plan for a table of this extent under these rules, with as many threads as the limits leave memory for. Where there is not
    /// enough for one, it takes more memory than they allow; and it may take longer.
    ///
    /// ```
    /// use lasca_tablebase::generate::{MakeLimits, MakePlan};
    /// use lasca_tablebase::index::Extent;
    /// use lasca_tablebase::rules::RuleSet;
    /// let (extent, limits) = (Extent::bounded("11-11".parse()?, 3)?, MakeLimits::default());
    /// let plan = MakePlan::new(extent, RuleSet::Lasca, &limits);
    /// assert_eq!(plan.positions, 7_025_260);
    /// assert!(plan.fits(&limits) && !plan.fits(&MakeLimits { memory: 1 << 20, ..limits }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(extent: Extent, rules: RuleSet, limits: &MakeLimits) -> MakePlan {
        let workers = Workers { processes: 1, threads: limits.threads.get() };
        let (material, most) = (extent.material().normalized(), *extent.columns().end());
        // Colours exchanged, there is as much of it.
        let extent = Extent::bounded(material, most).unwrap_or(extent);
        let plan = Plan::in_memory_within(extent, workers, limits.memory);
        let (positions, memory) = (plan.positions(), plan.memory());
        let speed = match positions <= SLOWEST {
            true => None,
            false => Speed::of_one_thread(rules),
        };
        let time = match speed {
            Some(speed) => plan.time(speed),
            None => Duration::from_secs_f64(positions as f64 / SLOWEST as f64),
        };
        MakePlan { extent, positions, memory, time, plan }
    }

    /// Whether this is within the limits.
    pub fn fits(&self, limits: &MakeLimits) -> bool {
        self.memory <= limits.memory && self.time <= limits.time
    }

    /// Makes the table under these rules.
    ///
    /// # Errors
    /// If there is not enough memory, `progress` stops the work, or the solver meets a limit.
    pub(crate) fn make(
        &self,
        rules: RuleSet,
        progress: &dyn Progress,
    ) -> Result<Table, GenerateError> {
        let threads = NonZero::new(self.plan.workers.threads).unwrap_or(NonZero::<usize>::MIN);
        let made = with_threads_apart(threads, || self.make_here(rules, progress));
        made.unwrap_or_else(|error| Err(self.error(error)))
    }

    /// The same on the threads of this pool.
    fn make_here(&self, rules: RuleSet, progress: &dyn Progress) -> Result<Table, GenerateError> {
        let (material, plan) = (self.extent.material(), &self.plan);
        plan.make_sure_of_memory()?;
        progress.material_started(material, self.positions);
        let no_folder = Path::new("");
        let solved = slices::solve(plan, rules, no_folder, &Alone, progress, |_| None);
        let solved = solved.map_err(|failure| error_of(failure, material))?;
        let writer = TableWriter::in_memory(self.extent, rules);
        let written = slices::add(writer, plan, rules, &solved.shares, progress)
            .and_then(TableWriter::finish_in_memory);
        let [wdl, dtw] = written.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error_of(StepFailure::Stopped, material),
            _ => self.error(error),
        })?;
        let written = |error| unreachable!("a table that was just written is sound: {error}");
        Ok(Table::open(wdl, Some(dtw.into())).unwrap_or_else(written))
    }

    fn error(&self, error: io::Error) -> GenerateError {
        let (material, columns) = (self.extent.material(), *self.extent.columns().end());
        GenerateError::Solve { material, columns, error: error.into() }
    }
}
