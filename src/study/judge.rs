//! What positions are worth, by the tables or else by search.

use crate::answer::{Question, SearchLimits};
use crate::portable::Instant;
use crate::probe::{Basis, Line, ProbeError, Tablebase};
use crate::rules::{Position, RuleSet};
use crate::search::{Limits, SearchError};
use crate::{Outcome, Silent, Value, ValueRange, Wdl};
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
    basis: Basis<'a>,
    search: Option<SearchLimits>,
    searched: FxHashMap<Position, Searched>,
    /// When the time for the present claim is over; `None` if there is no limit.
    deadline: Option<Instant>,
}

/// A position is searched again if it may have so many times as much time as before.
const MORE_TIME: u32 = 2;

impl<'a> Judge<'a> {
    pub(super) fn new(basis: Basis<'a>, search: Option<SearchLimits>) -> Judge<'a> {
        Judge { basis, search, searched: FxHashMap::default(), deadline: None }
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
        self.deadline = time.and_then(|time| Instant::now().checked_add(time));
    }

    /// What is left of the time for the claim, for each of so many positions.
    fn time_for_each(&self, positions: usize) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(Instant::now()) / positions.max(1) as u32
        })
    }

    /// What a position is worth to its side to move. If it is searched, so many positions have to
    /// share the time that is left, itself among them.
    pub(super) fn judge(
        &mut self,
        position: &Position,
        precision: Precision,
        positions: usize,
    ) -> Result<Judged, SearchError> {
        // If the game is over, no table is needed.
        if let Some(outcome) = Line::end_of(&[*position], self.rules()) {
            let has_won = outcome == Outcome::Win(position.side_to_move());
            let value = if has_won { Value::Win(0) } else { Value::Loss(0) };
            return Ok(Judged { range: value.into(), absent: None });
        }
        let of_tables =
            |tables: &Tablebase| Ok(Judged { range: tables.value(position)?.into(), absent: None });
        self.basis.answer(position, of_tables, |absent| {
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
            let is_tried = precision <= known.precision
                && time < known.time.checked_mul(MORE_TIME).unwrap_or(Duration::MAX);
            if is_enough || is_tried {
                return Ok(known.range);
            }
        }
        let exact = precision == Precision::Exact;
        let question = Question { exact, ..Question::new(self.basis) };
        let found = question.by_search(position, within(search, time), &Silent)?;
        let range = match self.searched.get(position) {
            Some(known) => found.value.and(known.range),
            None => found.value,
        };
        self.searched.insert(*position, Searched { range, precision, time });
        Ok(range)
    }

    /// Best play from a position, as far as it is known. If it must be searched, it has the time of
    /// a claim once more, because nothing may be left after the claim itself.
    pub(super) fn line(&mut self, position: &Position) -> Result<Line, SearchError> {
        let no_moves = Line::new(position, Vec::new(), self.rules(), true);
        if no_moves.end.is_some() {
            return Ok(no_moves);
        }
        let of_tables = |tables: &Tablebase| Ok(tables.best_line(position)?.into());
        self.basis.answer(position, of_tables, |_| {
            let Some(search) = self.search else { return Ok(Line::default()) };
            self.begin_claim();
            let question = Question { exact: true, line: true, ..Question::new(self.basis) };
            let search = within(search, self.time_for_each(1));
            Ok(question.by_search(position, search, &Silent)?.line.unwrap_or_default())
        })
    }
}

/// The limits of a search that may take so long; [`Duration::MAX`] stands for no limit.
fn within(search: SearchLimits, time: Duration) -> SearchLimits {
    let time = (time < Duration::MAX).then_some(time);
    SearchLimits { limits: Limits { time, ..search.limits }, ..search }
}
