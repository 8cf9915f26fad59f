//! The solver: all slices of a material, in the order of their columns.

use super::checkpoint::Reached;
use super::error::SolveError;
use super::resources::{Resources, Settings};
use super::slice_work::SliceWork;
use super::state::Codes;
use crate::Progress;
use crate::index::Material;
use crate::ranks::Alone;
use crate::rules::RuleSet;
use crate::values::{Distance, SliceValues};

/// Solves the slices of one material.
///
/// ```
/// use lasca_tablebase::internals::Solver;
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::{Silent, Value};
/// let solver = Solver::new("2-1".parse()?, RuleSet::Lasca);
/// // For each side to move, the slices of two and of three columns.
/// let sides = solver.solve(&Silent)?;
/// assert_eq!((sides.len(), sides[0].len()), (2, 2));
/// assert!((0..sides[1][1].len()).any(|number| sides[1][1].value(number) == Value::Loss(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solver {
    pub(super) settings: Settings,
    pub(super) last_ply: u16,
}

impl Solver {
    /// A solver of `material` under `rules`.
    pub fn new(material: Material, rules: RuleSet) -> Solver {
        let (first_late, resources) = (Codes::MAX_LATE, Resources::default());
        let settings = Settings { material, rules, first_late, resources };
        Solver { settings, last_ply: Distance::MAX_DTW }
    }

    /// Lists positions decided at ply `first_late` or later apart from the bytes. The values do not
    /// depend on it; tests use it to reach that path with short endgames. Plies below 1 or above the
    /// default are replaced by the nearest possible one.
    #[must_use]
    pub fn first_late_ply(mut self, first_late: u16) -> Solver {
        self.settings.first_late = first_late.clamp(1, Codes::MAX_LATE);
        self
    }

    /// Uses these resources.
    #[must_use]
    pub(crate) fn resources(mut self, resources: Resources) -> Solver {
        self.settings.resources = resources;
        self
    }

    /// Gives up where a position is decided after `last_ply`, so that tests reach that error.
    #[cfg(test)]
    pub(super) fn last_ply(self, last_ply: u16) -> Solver {
        Solver { last_ply, ..self }
    }

    /// Solves the slice of so many `columns`, for each stored side to move, given all slices below:
    /// `below[i]` holds, for the `i`-th stored side to move, the slices of 2, 3, … columns.
    ///
    /// It runs on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If a scratch file fails, if `progress` [stops](Progress::should_stop) the work, or if a limit of
    /// the solver is met; no known endgame meets one.
    ///
    /// # Panics
    /// If `columns` is not a number of columns of the material, or a slice below is missing.
    pub fn solve_slice(
        &self,
        columns: usize,
        below: &[Vec<SliceValues>],
        progress: &dyn Progress,
    ) -> Result<Vec<SliceValues>, SolveError> {
        // 1. Divide the slice into partitions, and work out its quiet moves.
        let below: Vec<Vec<&SliceValues>> =
            below.iter().map(|slices| slices.iter().collect()).collect();
        let mut work = SliceWork::new(&self.settings, columns, &below, &Alone)?;
        progress.slice_started(self.settings.material, columns, work.positions());
        // 2. Go on from a checkpoint, and write the starting state of every position that has none.
        let mut reached = work.resume(progress)?;
        work.start(progress)?;
        // 3. Ply by ply, every position decided at this ply updates those that lead to it.
        while work.last_ply().is_some_and(|last| reached.ply <= last) {
            if reached.ply > self.last_ply {
                return Err(SolveError::TooManyPlies);
            }
            work.expand_and_update(&mut reached, progress)?;
            progress.ply_done(reached.ply, reached.settled);
            reached = Reached { ply: reached.ply + 1, expanded: 0, ..reached };
        }
        // 4. What is left undecided is drawn.
        progress.slice_finished();
        work.finish()
    }

    /// Solves all slices of the material: for each stored side to move, those of 2, 3, … columns.
    ///
    /// # Errors
    /// As [`Solver::solve_slice`].
    pub fn solve(&self, progress: &dyn Progress) -> Result<Vec<Vec<SliceValues>>, SolveError> {
        let mut solved: Vec<Vec<SliceValues>> =
            self.settings.material.stored_sides().iter().map(|_| Vec::new()).collect();
        for columns in self.settings.material.columns() {
            let slices = self.solve_slice(columns, &solved, progress)?;
            for (side, slice) in solved.iter_mut().zip(slices) {
                side.push(slice);
            }
        }
        Ok(solved)
    }
}
