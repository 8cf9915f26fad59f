//! Making the tables that questions need.

use super::{GenerateError, MakeLimits, MakePlan};
use crate::Progress;
use crate::index::{Extent, Material};
use crate::probe::{ProbeError, TableEntry, Tablebase};
use crate::rules::{OfficerPosition, Position};
use std::sync::TryLockError;
use std::thread;
use std::time::Duration;

/// How often a thread that waits for a table looks whether it shall stop.
const POLL: Duration = Duration::from_millis(10);

impl Tablebase {
    /// What it takes to make the table that a position of officers needs: that of its material with at most as many
    /// columns as it has, since no move makes them more. `None` if the tables know its value, if no table can, or if
    /// its table is damaged.
    ///
    /// ```
    /// use lasca_tablebase::generate::MakeLimits;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let tables = Tablebase::options(RuleSet::Lasca).empty();
    /// let position: Position = "a1WWW b2BBB w".parse()?;
    /// let plan = tables.plan_for(&position, &MakeLimits::default()).unwrap();
    /// assert_eq!((plan.extent.material().to_string(), plan.extent.max_columns()), ("3-3".into(), Some(2)));
    /// assert!(tables.plan_for(&Position::start(), &MakeLimits::default()).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan_for(&self, position: &Position, limits: &MakeLimits) -> Option<MakePlan> {
        let columns = OfficerPosition::try_from(position).ok()?.placement().occupied().len();
        self.plan_of(Material::of(position).ok()?, columns, limits)
    }

    /// The same for all positions of a material with at most so many columns.
    pub fn plan_of(
        &self,
        material: Material,
        columns: usize,
        limits: &MakeLimits,
    ) -> Option<MakePlan> {
        let columns = columns.min(material.total());
        let extent = Extent::bounded(material.normalized(), columns).ok()?;
        (!self.holds(extent).ok()?).then(|| MakePlan::new(extent, self.rules(), limits))
    }

    /// Whether a table with distances covers all these positions.
    fn holds(&self, extent: Extent) -> Result<bool, ProbeError> {
        match self.extent_with_distances(extent.material()) {
            Ok(found) => Ok(found.includes(extent)),
            Err(error) if error.is_not_covered() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes a table in memory by this plan, under the rules of this tablebase. This tablebase and its clones have it
    /// from then on, in place of one that covers less. If another thread is making a table, this waits for it first; and
    /// if the table is there then, it is not made again.
    ///
    /// ```
    /// use lasca_tablebase::generate::MakeLimits;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// use lasca_tablebase::{Silent, Value};
    /// let tables = Tablebase::options(RuleSet::Lasca).empty();
    /// let position: Position = "a1WWW b2BBB w".parse()?;
    /// let limits = MakeLimits::default();
    /// let plan = tables.plan_for(&position, &limits).unwrap();
    /// tables.make(&plan, &Silent)?;
    /// assert_eq!(tables.value(&position)?, Value::Win(5));
    /// assert!(tables.plan_for(&position, &limits).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory, if `progress` [stops](Progress::should_stop) the work, or if the solver meets a
    /// limit. The tablebase is then as it was before.
    pub fn make(
        &self,
        plan: &MakePlan,
        progress: &dyn Progress,
    ) -> Result<&TableEntry, GenerateError> {
        let material = plan.extent.material();
        let _alone = loop {
            match self.made().making.try_lock() {
                Ok(alone) => break alone,
                Err(TryLockError::Poisoned(error)) => break error.into_inner(),
                Err(TryLockError::WouldBlock) if progress.should_stop() => {
                    return Err(GenerateError::Stopped { material });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(POLL),
            }
        };
        if !self.holds(plan.extent).is_ok_and(|holds| holds) {
            self.made().add(TableEntry::in_memory(plan.make(self.rules(), progress)?));
        }
        match self.file_of(material) {
            Ok(entry) => Ok(entry),
            Err(error) => unreachable!("the table was just made: {error}"),
        }
    }
}
