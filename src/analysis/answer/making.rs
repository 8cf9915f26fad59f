//! Making the tables that answers need.

use super::{Answer, SearchLimits};
use crate::search::Stop;
use lasca_tablebase::generate::{MakeLimits, MakePlan};
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::Instant;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{OfficerPosition, Position};

/// What it takes to make the table that an answer about a position needs, if that is within the limits. For a position
/// of officers, it is the table that answers. Any other position is to be searched within these limits of a `search`:
/// then it is the table of all positions of officers that may arise, for which the search has a quarter of its time
/// (see [`search_and_make`]). `None` if nothing is to be made.
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
    let limits = MakeLimits { time, ..*limits };
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

/// What a search has found.
pub trait Searched {
    /// Why the search ended; [`Stop::Solved`] also if it has failed.
    fn stop(&self) -> Stop;
}

impl Searched for Result<Answer, ProbeError> {
    fn stop(&self) -> Stop {
        match self {
            Ok(Answer { effort: Some(effort), .. }) => effort.stop,
            Err(ProbeError::SearchMemory { .. }) => Stop::Memory,
            _ => Stop::Solved,
        }
    }
}

/// Searches a position, and makes the table of its `plan`. That of a position of officers answers, so it is made first.
/// Any other position may be solved sooner than its table is made: the table is made if a search that takes as long
/// leaves the position open. Then the search begins anew, with the time that is left, if that is not less.
///
/// `ask` searches within limits, and `make` makes the table.
///
/// ```
/// use lasca_analysis::answer::{Question, SearchLimits, plan_for, search_and_make};
/// use lasca_tablebase::Silent;
/// use lasca_tablebase::generate::MakeLimits;
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::{Position, RuleSet};
/// let tables = Tablebase::options(RuleSet::Lasca).empty();
/// let (position, search): (Position, _) = ("c5w e5W d2b w".parse()?, SearchLimits::default());
/// let plan = plan_for(&tables, &position, &MakeLimits::default(), Some(search));
/// let ask = |search| Question::new(&tables).by_search(&position, search, &Silent);
/// let answer = search_and_make(&position, plan, search, ask, |plan| {
///     tables.make(plan, &Silent).unwrap();
/// })?;
/// assert_eq!(answer.value.to_string(), "win in at most 5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn search_and_make<T: Searched>(
    position: &Position,
    plan: Option<MakePlan>,
    search: SearchLimits,
    mut ask: impl FnMut(SearchLimits) -> T,
    make: impl FnOnce(&MakePlan),
) -> T {
    let Some(plan) = plan else { return ask(search) };
    if OfficerPosition::try_from(position).is_ok() {
        make(&plan);
        return ask(search);
    }
    let begun = Instant::now();
    let found = ask(SearchLimits { time: Some(plan.time), ..search });
    if !matches!(found.stop(), Stop::Time | Stop::Memory) {
        return found;
    }
    make(&plan);
    let time = search.time.map(|time| time.saturating_sub(begun.elapsed()));
    match time {
        // Making has taken longer than planned. What was found in as much time is as good.
        Some(time) if time < plan.time => found,
        time => ask(SearchLimits { time, ..search }),
    }
}
