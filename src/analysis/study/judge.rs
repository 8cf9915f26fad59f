//! What positions are worth, by the tables or else by search.

use crate::answer::{Question, SearchLimits};
use crate::clock::Instant;
use crate::search::{Limits, SearchError, Solver, Stop};
use lasca_tablebase::probe::{Basis, Line, ProbeError, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::{Outcome, Progress, Reason, Silent, Value, ValueRange, Wdl};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// How much is to be known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precision {
    /// Win, draw or loss.
    Result,
    /// The distance too.
    Exact,
}

/// What is known of a position.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) range: ValueRange,
    /// Why the tables do not cover it, if they do not.
    pub(super) absent: Option<ProbeError>,
}

/// An answer of a search.
struct Searched {
    range: ValueRange,
    precision: Precision,
    /// The time that it might use.
    time: Duration,
}

/// Says what positions are worth. Each position is searched once, unless more time or more precision
/// is asked for.
pub(super) struct Judge<'a> {
    basis: Basis,
    search: Option<SearchLimits>,
    /// The search that goes on from one position to the next, if they share one.
    shared: Option<SharedSearch<'a>>,
    searched: FxHashMap<Position, Searched>,
    /// When the time for the present claim is over; `None` if there is no limit.
    deadline: Option<Instant>,
}

/// A search whose graph serves many positions of the same counters.
struct SharedSearch<'a> {
    /// `None` at first, and when its memory is full.
    solver: Option<Solver>,
    progress: &'a dyn Progress,
    /// When no position has any time left; `None` if there is no limit.
    deadline: Option<Instant>,
}

/// A position is searched again if it may have so many times as much time as before.
const MORE_TIME: u32 = 2;

impl<'a> Judge<'a> {
    pub(super) fn new(basis: Basis, search: Option<SearchLimits>) -> Judge<'a> {
        Judge { basis, search, shared: None, searched: FxHashMap::default(), deadline: None }
    }

    /// A judge of positions of the same counters, who has so much time for all of them. What is found out
    /// about one is kept for the others.
    pub(super) fn of_game(
        basis: Basis,
        search: Option<SearchLimits>,
        time: Option<Duration>,
        progress: &'a dyn Progress,
    ) -> Judge<'a> {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let shared = Some(SharedSearch { solver: None, progress, deadline });
        Judge { shared, ..Judge::new(basis, search) }
    }

    /// The rules by which it judges.
    pub(super) fn rules(&self) -> RuleSet {
        self.basis.rules()
    }

    /// Whether positions that the tables do not cover are searched.
    pub(super) fn searches(&self) -> bool {
        self.search.is_some()
    }

    /// Gives the next claim its time.
    pub(super) fn begin_claim(&mut self) {
        let time = self.search.and_then(|search| search.limits.time);
        let of_claim = time.and_then(|time| Instant::now().checked_add(time));
        let of_all = self.shared.as_ref().and_then(|shared| shared.deadline);
        self.deadline = of_claim.into_iter().chain(of_all).min();
    }

    /// What is left of the time for the claim, for each of this many positions.
    fn time_for_each(&self, positions: usize) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(Instant::now()) / positions.max(1) as u32
        })
    }

    /// What a position is worth to its side to move. If it is searched, this many positions have to
    /// share the time that is left, itself among them.
    pub(super) fn judge(
        &mut self,
        position: &Position,
        precision: Precision,
        positions: usize,
    ) -> Result<Judged, SearchError> {
        // If the game is over, no table is needed.
        if let Some(outcome) = Line::end_of(&[*position]) {
            let has_won = outcome == Outcome::Win(position.side_to_move());
            let value = if has_won { Value::Win(0) } else { Value::Loss(0) };
            return Ok(Judged { range: value.into(), absent: None });
        }
        let of_tables =
            |tables: &Tablebase| Ok(Judged { range: tables.value(position)?.into(), absent: None });
        let basis = self.basis.clone();
        basis.answer(position, of_tables, |absent| {
            let range = match self.search {
                Some(search) => self.search(position, precision, search, positions)?,
                None => ValueRange::UNKNOWN,
            };
            Ok(Judged { range, absent: Some(absent) })
        })
    }

    fn search(
        &mut self,
        position: &Position,
        precision: Precision,
        search: SearchLimits,
        positions: usize,
    ) -> Result<ValueRange, SearchError> {
        let time = self.time_for_each(positions);
        if let Some(known) = self.searched.get(position) {
            let is_enough = match known.range.wdl() {
                Some(Wdl::Draw) => true,
                Some(_) => known.range.exact().is_some() || precision == Precision::Result,
                None => false,
            };
            let is_longer = time > known.time && time >= known.time.saturating_mul(MORE_TIME);
            let is_tried = precision <= known.precision && !is_longer;
            if is_enough || is_tried {
                return Ok(known.range);
            }
        }
        let search = within(search, time);
        let found = match &mut self.shared {
            Some(shared) => shared.judge(position, &self.basis, search, &self.searched)?,
            None => {
                let exact = precision == Precision::Exact;
                let question = Question { exact, ..Question::new(&self.basis) };
                question.by_search(position, search, &Silent)?.value
            }
        };
        let range = match self.searched.get(position) {
            Some(known) => found.and(known.range),
            None => found,
        };
        self.searched.insert(*position, Searched { range, precision, time });
        Ok(range)
    }

    /// Best play from a position, as far as it is known. If it must be searched, it has the time of
    /// a claim once more, because nothing may be left after the claim itself.
    pub(super) fn line(&mut self, position: &Position) -> Result<Line, SearchError> {
        let no_moves = Line::new(position, Vec::new(), true);
        if no_moves.end.is_some() {
            return Ok(no_moves);
        }
        let of_tables = |tables: &Tablebase| Ok(tables.best_line(position)?.into());
        let basis = self.basis.clone();
        basis.answer(position, of_tables, |_| {
            let Some(search) = self.search else { return Ok(Line::default()) };
            if let Some(shared) = &mut self.shared {
                return shared.line(position);
            }
            self.begin_claim();
            let question = Question { exact: true, line: true, ..Question::new(&self.basis) };
            let search = within(search, self.time_for_each(1));
            Ok(question.by_search(position, search, &Silent)?.line.unwrap_or_default())
        })
    }
}

impl<'a> SharedSearch<'a> {
    /// Goes on at another position, and tells what is proved of that. When the memory is full, the next search
    /// begins with the results that are known, but without what proves them.
    fn judge(
        &mut self,
        position: &Position,
        basis: &Basis,
        search: SearchLimits,
        known: &FxHashMap<Position, Searched>,
    ) -> Result<ValueRange, SearchError> {
        let kept = match self.solver.take() {
            Some(mut solver) => or_full(solver.go_to(position))?.map(|()| solver),
            None => None,
        };
        let mut solver = match kept {
            Some(solver) => solver,
            None => match Solver::new(position, basis, search.memory) {
                // What was found out before stays.
                Err(SearchError::Memory { .. }) if !known.is_empty() => {
                    return Ok(ValueRange::UNKNOWN);
                }
                solver => take_over(solver?, known)?,
            },
        };
        let stop = solver.run(&search.limits, self.progress)?;
        let range = solver.result();
        self.solver = (stop != Stop::Memory).then_some(solver);
        Ok(range)
    }

    /// The best line that is proved from a position. It takes a pass over all that is known, which is not made
    /// once the work shall stop.
    fn line(&mut self, position: &Position) -> Result<Line, SearchError> {
        let Some(solver) = self.solver.as_mut().filter(|_| !self.progress.should_stop()) else {
            return Ok(Line::default());
        };
        let moves = or_full(solver.line_from(position))?;
        Ok(moves.map_or_else(Line::default, |moves| Line::new(position, moves, false)))
    }
}

/// The search with these results, as many as there is room for.
fn take_over(
    mut solver: Solver,
    known: &FxHashMap<Position, Searched>,
) -> Result<Solver, SearchError> {
    for (position, searched) in known {
        let Some(proved) = searched.range.wdl() else { continue };
        if or_full(solver.take_over(position, proved))?.is_none() {
            break;
        }
    }
    Ok(solver)
}

/// `None` if there is no room for it or there are too many moves.
fn or_full<T>(result: Result<T, SearchError>) -> Result<Option<T>, SearchError> {
    match result {
        Err(SearchError::Memory { .. }) => Ok(None),
        Err(error) if error.reason() == Reason::TooManyMoves => Ok(None),
        result => result.map(Some),
    }
}

/// The limits of a search that may take so long; [`Duration::MAX`] stands for no limit.
fn within(search: SearchLimits, time: Duration) -> SearchLimits {
    let time = (time < Duration::MAX).then_some(time);
    SearchLimits { limits: Limits { time, ..search.limits }, ..search }
}
