//! Making the tables that answers need.

use super::SearchLimits;
use lasca_tablebase::Progress;
use lasca_tablebase::generate::{GenerateError, MakeLimits, MakePlan};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{TableEntry, Tablebase};
use lasca_tablebase::rules::{OfficerPosition, Position};

/// What it takes to make the table that an answer about a position needs, if that is within the limits. For a position
/// of officers, it is the table that answers. Any other position is to be searched within these limits of a `search`:
/// then it is the table of all positions of officers that may arise, for which the search has a quarter of its time.
/// `None` if nothing is to be made.
///
/// ```
/// use lasca_analysis::answer::{SearchLimits, plan_for};
/// use lasca_tablebase::generate::MakeLimits;
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::{Position, RuleSet};
/// use std::time::Duration;
/// let (tables, limits) = (Tablebase::options(RuleSet::Lasca).empty(), MakeLimits::default());
/// let plan = plan_for(&tables, &"a1WWW b2BBB w".parse()?, &limits, None).unwrap();
/// assert_eq!(plan.extent.max_columns(), Some(2));
/// let position: Position = "c5w e5W d2b w".parse()?;
/// assert!(plan_for(&tables, &position, &limits, None).is_none());
/// let search = SearchLimits { time: Some(Duration::from_secs(40)), ..SearchLimits::default() };
/// assert_eq!(plan_for(&tables, &position, &limits, Some(search)).unwrap().extent.columns(), 2..=3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_for(
    tables: &Tablebase,
    position: &Position,
    limits: &MakeLimits,
    search: Option<SearchLimits>,
) -> Option<MakePlan> {
    if limits.time.is_zero() || position.is_over() {
        return None;
    }
    if OfficerPosition::try_from(position).is_ok() {
        return tables.plan_for(position, limits).filter(|plan| plan.fits(limits));
    }
    let time = search?.time.map_or(limits.time, |time| limits.time.min(time / 4));
    let limits = limits.time(time);
    let (material, columns) = (Material::of(position).ok()?, position.columns().count());
    tables.plan_of(material, columns, &limits).filter(|plan| plan.fits(&limits))
}

/// The same for many positions with the same counters, such as those of a game: for the one with the most columns whose
/// table is within the limits.
pub fn plan_for_all(
    tables: &Tablebase,
    positions: &[Position],
    limits: &MakeLimits,
    search: Option<SearchLimits>,
) -> Option<MakePlan> {
    // Positions that are alike in these need the same table.
    let kind = |position: &Position| {
        (position.columns().count(), OfficerPosition::try_from(position).is_ok())
    };
    let mut kinds: Vec<_> = positions.iter().map(|position| (kind(position), position)).collect();
    kinds.sort_by_key(|(kind, _)| std::cmp::Reverse(*kind));
    kinds.dedup_by_key(|(kind, _)| *kind);
    kinds.into_iter().find_map(|(_, position)| plan_for(tables, position, limits, search))
}

/// Makes the table of which [`plan_for`] tells.
///
/// # Errors
/// Those of [`Tablebase::make`].
pub fn make_for<'t>(
    tables: &'t Tablebase,
    position: &Position,
    limits: &MakeLimits,
    search: Option<SearchLimits>,
    progress: &dyn Progress,
) -> Result<Option<&'t TableEntry>, GenerateError> {
    let plan = plan_for(tables, position, limits, search);
    plan.map(|plan| tables.make(&plan, progress)).transpose()
}
