//! What positions are worth, by the tables or else by search.

use crate::answer::{Question, SearchLimits};
use crate::search::{Budget, Solver, Stop};
use lasca_tablebase::probe::{Line, ProbeError, Tablebase};
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
    tables: Tablebase,
    /// What a search of positions that the tables do not cover may use; `None` if they are not searched.
    pub(super) search: Option<SearchLimits>,
    /// Whether the graph of one search serves all positions, which then have the same counters.
    shares: bool,
    /// That search; `None` at first, and when its memory is full.
    shared: Option<Solver>,
    searched: FxHashMap<Position, Searched>,
    /// What there is for all claims.
    all: Budget<'a>,
    /// What there is for the present claim.
    claim: Budget<'a>,
}

/// A position is searched again if it may have so many times as much time as before.
const MORE_TIME: u32 = 2;

impl<'a> Judge<'a> {
    pub(super) fn new(tables: Tablebase, search: Option<SearchLimits>) -> Judge<'a> {
        let budget = Budget::new(None, search.map_or(1, |search| search.threads), &Silent);
        let searched = FxHashMap::default();
        let (shares, shared) = (false, None);
        Judge { tables, search, shares, shared, searched, all: budget, claim: budget }
    }

    /// A judge of positions of the same counters, who has so much time for all of them. What is found out
    /// about one is kept for the others.
    pub(super) fn of_game(
        tables: Tablebase,
        search: Option<SearchLimits>,
        total: Option<Duration>,
        progress: &'a dyn Progress,
    ) -> Judge<'a> {
        let all = Budget::new(total, search.map_or(1, |search| search.threads), progress);
        Judge { shares: true, all, ..Judge::new(tables, search) }
    }

    /// The rules by which it judges.
    pub(super) fn rules(&self) -> RuleSet {
        self.tables.rules()
    }

    /// Gives the next claim its time.
    pub(super) fn begin_claim(&mut self) {
        self.claim = self.all.within(self.search.and_then(|search| search.time));
    }

    /// What a position is worth to its side to move. If it is searched, this many positions have to
    /// share the time that is left, itself among them.
    pub(super) fn judge(
        &mut self,
        position: &Position,
        precision: Precision,
        positions: usize,
    ) -> Result<Judged, ProbeError> {
        // If the game is over, no table is needed.
        if let Some(outcome) = Line::end_of(&[*position]) {
            let has_won = outcome == Outcome::Win(position.side_to_move());
            let value = if has_won { Value::Win(0) } else { Value::Loss(0) };
            return Ok(Judged { range: value.into(), absent: None });
        }
        match self.tables.value(position) {
            Err(absent) if absent.is_not_covered() => {
                let range = match self.search {
                    Some(search) => self.search(position, precision, search, positions)?,
                    None => ValueRange::UNKNOWN,
                };
                Ok(Judged { range, absent: Some(absent) })
            }
            value => Ok(Judged { range: value?.into(), absent: None }),
        }
    }

    fn search(
        &mut self,
        position: &Position,
        precision: Precision,
        search: SearchLimits,
        positions: usize,
    ) -> Result<ValueRange, ProbeError> {
        let budget = self.claim.share(positions);
        let time = budget.left().unwrap_or(Duration::MAX);
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
        let found = if self.shares {
            self.search_on(position, search.memory, &budget)?
        } else {
            let exact = precision == Precision::Exact;
            let question = Question { exact, ..Question::new(&self.tables) };
            let search = SearchLimits { time: budget.left(), ..search };
            question.by_search(position, search, &Silent)?.value
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
    pub(super) fn line(&mut self, position: &Position) -> Result<Line, ProbeError> {
        let no_moves = Line::new(position, Vec::new(), true);
        if no_moves.end.is_some() {
            return Ok(no_moves);
        }
        match self.tables.best_line(position) {
            Err(absent) if absent.is_not_covered() => {}
            line => return Ok(line?.into()),
        }
        let Some(search) = self.search else { return Ok(Line::default()) };
        if self.shares {
            return self.shared_line(position);
        }
        self.begin_claim();
        let question = Question { exact: true, line: true, ..Question::new(&self.tables) };
        let search = SearchLimits { time: self.claim.left(), ..search };
        Ok(question.by_search(position, search, &Silent)?.line.unwrap_or_default())
    }

    /// Goes on with the shared search at another position, and tells what is proved of that. When the memory is full,
    /// the next search begins with the results that are known, but without what proves them.
    fn search_on(
        &mut self,
        position: &Position,
        memory: u64,
        budget: &Budget<'_>,
    ) -> Result<ValueRange, ProbeError> {
        let kept = match self.shared.take() {
            Some(mut solver) => or_full(solver.go_to(position))?.map(|()| solver),
            None => None,
        };
        let mut solver = match kept {
            Some(solver) => solver,
            None => match Solver::new(position, &self.tables, memory) {
                // What was found out before stays.
                Err(ProbeError::SearchMemory { .. }) if !self.searched.is_empty() => {
                    return Ok(ValueRange::UNKNOWN);
                }
                solver => take_over(solver?, &self.searched)?,
            },
        };
        let stop = solver.run(budget)?;
        let range = solver.result();
        self.shared = (stop != Stop::Memory).then_some(solver);
        Ok(range)
    }

    /// The best line from a position that the shared search has proved. It takes a pass over all that is known, which
    /// is not made once the work shall stop.
    fn shared_line(&mut self, position: &Position) -> Result<Line, ProbeError> {
        let budget = self.claim.afterwards();
        let Some(solver) = self.shared.as_mut().filter(|_| !self.all.is_stopped()) else {
            return Ok(Line::default());
        };
        let moves = or_full(solver.line(position, &budget))?;
        Ok(moves.map_or_else(Line::default, |moves| Line::new(position, moves, false)))
    }
}

/// The search with these results, as many as there is room for.
fn take_over(
    mut solver: Solver,
    known: &FxHashMap<Position, Searched>,
) -> Result<Solver, ProbeError> {
    for (position, searched) in known {
        let Some(proved) = searched.range.wdl() else { continue };
        if or_full(solver.take_over(position, proved))?.is_none() {
            break;
        }
    }
    Ok(solver)
}

/// `None` if there is no room for it or there are too many moves.
fn or_full<T>(result: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match result {
        Err(ProbeError::SearchMemory { .. }) => Ok(None),
        Err(error) if error.reason() == Reason::TooManyMoves => Ok(None),
        result => result.map(Some),
    }
}
