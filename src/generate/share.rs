//! How much of making a table is done.

use crate::Progress;
use crate::index::Material;
use std::sync::{Mutex, PoisonError};

/// The share of solving in the time that solving and writing take together.
const SOLVING: f64 = 5.0 / 6.0;

/// Tells how much of making one table is done, as a share from 0 to 1, and stops the work if that is asked for.
///
/// ```
/// use lasca_tablebase::generate::{MakeLimits, MakeProgress};
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
/// use std::sync::Mutex;
/// let (tables, told) = (Tablebase::options(RuleSet::Lasca).empty(), Mutex::new(Vec::new()));
/// let plan = tables.plan_of("3-2".parse()?, 4, &MakeLimits::default()).unwrap();
/// let tell = |done: f64| told.lock().unwrap().push(done);
/// tables.make(&plan, &MakeProgress::new(&tell, &|| false))?;
/// let told = told.into_inner()?;
/// assert!(told.is_sorted() && told.iter().all(|done| (0.0..=1.0).contains(done)));
/// assert!(told.len() > 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MakeProgress<'a> {
    tell: &'a (dyn Fn(f64) + Sync),
    should_stop: &'a (dyn Fn() -> bool + Sync),
    done: Mutex<Done>,
}

/// What is done, in positions.
#[derive(Default)]
struct Done {
    /// How many there are in all.
    all: u64,
    /// How many columns and positions each slice has that was begun. The last one may be in work.
    slices: Vec<(usize, u64)>,
}

impl Done {
    /// The positions of the slices with fewer columns.
    fn below(&self, columns: usize) -> f64 {
        self.slices.iter().filter(|slice| slice.0 < columns).map(|slice| slice.1 as f64).sum()
    }
}

impl<'a> MakeProgress<'a> {
    /// Calls `tell` now and then, and stops when `should_stop` says so, which is called often and from any thread.
    pub fn new(
        tell: &'a (dyn Fn(f64) + Sync),
        should_stop: &'a (dyn Fn() -> bool + Sync),
    ) -> MakeProgress<'a> {
        MakeProgress { tell, should_stop, done: Mutex::default() }
    }

    /// Changes what is done, and tells the share that `of` says, in positions.
    fn tell(&self, of: impl FnOnce(&mut Done) -> f64) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let positions = of(&mut done);
        (self.tell)(positions / done.all.max(1) as f64);
    }
}

impl Progress for MakeProgress<'_> {
    fn material_started(&self, _: Material, positions: u64) {
        self.tell(|done| {
            *done = Done { all: positions, ..Done::default() };
            0.0
        });
    }

    fn slice_started(&self, _: Material, columns: usize, positions: u64) {
        self.tell(|done| {
            done.slices.push((columns, positions));
            SOLVING * done.below(columns)
        });
    }

    fn ply_done(&self, _: u16, settled: u64) {
        self.tell(|done| {
            let columns = done.slices.last().map_or(0, |slice| slice.0);
            SOLVING * (done.below(columns) + settled as f64)
        });
    }

    fn slice_writing(&self, _: Material, columns: usize) {
        self.tell(|done| SOLVING * done.all as f64 + (1.0 - SOLVING) * done.below(columns));
    }

    fn should_stop(&self) -> bool {
        (self.should_stop)()
    }
}
