//! What positions are worth, by the tables or else by search.

use super::finding::{StudyLine, StudyLineMove};
use super::range::ValueRange;
use crate::index::Material;
use crate::probe::{LineEnd, ProbeError, Tablebase};
use crate::rules::{OfficerPosition, Position, RuleSet};
use crate::search::{Bounds, Limits, SearchError, Solver};
use crate::{Silent, Value, Wdl};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// What the searches for one study may use.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits<'a> {
    /// What they may use for each claim together. If a claim is refuted, the search for the line that
    /// shows it may take as much time again.
    pub limits: Limits<'a>,
    /// The most bytes that a search may hold.
    pub memory: u64,
}

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
    pub(super) rules: RuleSet,
    tables: Option<&'a Tablebase>,
    search: Option<SearchLimits<'a>>,
    searched: FxHashMap<Position, Searched>,
    /// When the time for the present claim is over; `None` if there is no limit.
    deadline: Option<Instant>,
}

/// A position is searched again if it may have so many times as much time as before.
const MORE_TIME: u32 = 2;

impl<'a> Judge<'a> {
    pub(super) fn new(
        rules: RuleSet,
        tables: Option<&'a Tablebase>,
        search: Option<SearchLimits<'a>>,
    ) -> Judge<'a> {
        let tables = tables.filter(|tables| tables.rules() == rules);
        Judge { rules, tables, search, searched: FxHashMap::default(), deadline: None }
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
        let absent = match self.value_in_tables(position) {
            Ok(value) => return Ok(Judged { range: value.into(), absent: None }),
            Err(error) if error.is_not_covered() => error,
            Err(error) => return Err(error.into()),
        };
        let range = match self.search {
            Some(search) => self.search(position, precision, search, positions)?,
            None => ValueRange::UNKNOWN,
        };
        Ok(Judged { range, absent: Some(absent) })
    }

    /// The value of a position by the tables. If the game is over there, no table is needed.
    fn value_in_tables(&self, position: &Position) -> Result<Value, ProbeError> {
        if let Some(LineEnd::GameOver { winner }) = LineEnd::of(&[*position], self.rules) {
            let has_won = winner == position.side_to_move();
            return Ok(if has_won { Value::Win(0) } else { Value::Loss(0) });
        }
        match self.tables {
            Some(tables) => tables.value(position),
            None => Err(missing(position, self.rules)),
        }
    }

    fn search(
        &mut self,
        position: &Position,
        precision: Precision,
        search: SearchLimits<'_>,
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
        let (mut solver, limits) = self.begin(position, search, time)?;
        solver.run(&limits(), &Silent)?;
        let bounds = match precision {
            Precision::Result => None,
            Precision::Exact => or_no_room(solver.exact(&limits(), &Silent))?,
        };
        let at_most = or_no_room(solver.at_most())?.flatten();
        let mut range = range_of(&solver, at_most, bounds.and_then(|(_, bounds)| bounds));
        if let Some(known) = self.searched.get(position) {
            range = range.and(known.range);
        }
        self.searched.insert(*position, Searched { range, precision, time });
        Ok(range)
    }

    /// A search for a position, with its limits from now on.
    #[allow(clippy::type_complexity, reason = "a closure has no shorter name")]
    fn begin<'b>(
        &self,
        position: &Position,
        search: SearchLimits<'b>,
        time: Duration,
    ) -> Result<(Solver<'a>, impl Fn() -> Limits<'b> + use<'b>), SearchError> {
        let begun = Instant::now();
        let limits = move || Limits {
            time: (time < Duration::MAX).then(|| time.saturating_sub(begun.elapsed())),
            ..search.limits
        };
        Ok((
            Solver::new(position, self.rules, self.usable_tables(position)?, search.memory)?,
            limits,
        ))
    }

    /// The tables, if they know positions of officers that can arise, with their distances.
    /// Counters never leave the board, so all of them have the same material.
    fn usable_tables(&self, position: &Position) -> Result<Option<&'a Tablebase>, ProbeError> {
        let Some(tables) = self.tables else { return Ok(None) };
        let material = Material::of(position).map_err(ProbeError::Material);
        match material.and_then(|material| tables.extent_with_distances(material)) {
            Ok(_) => Ok(Some(tables)),
            Err(error) if error.is_not_covered() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Best play from a position, as far as it is known. If it must be searched, it has the time of
    /// a claim once more, because nothing may be left after the claim itself.
    pub(super) fn line(&mut self, position: &Position) -> Result<StudyLine, SearchError> {
        if position.successors(self.rules).is_empty() {
            let end = self.end_of(position, &[]);
            return Ok(StudyLine { moves: Vec::new(), end, is_best: true });
        }
        match self.tables.map(|tables| tables.best_line(position)) {
            Some(Ok(line)) => {
                let moves = line.moves.into_iter();
                let moves = moves
                    .map(|rated| StudyLineMove { played: rated.played, after: rated.after })
                    .collect();
                return Ok(StudyLine { moves, end: Some(line.end), is_best: true });
            }
            Some(Err(error)) if !error.is_not_covered() => return Err(error.into()),
            _ => {}
        }
        let Some(search) = self.search else { return Ok(StudyLine::default()) };
        self.begin_claim();
        let (mut solver, limits) = self.begin(position, search, self.time_for_each(1))?;
        solver.run(&limits(), &Silent)?;
        let bounds = or_no_room(solver.exact(&limits(), &Silent))?.and_then(|(_, bounds)| bounds);
        let is_best = solver.wdl() == Some(Wdl::Draw) || bounds.and_then(Bounds::exact).is_some();
        let moves = or_no_room(solver.line())?.unwrap_or_default().into_iter();
        let moves: Vec<StudyLineMove> =
            moves.map(|step| StudyLineMove { played: step.played, after: step.after }).collect();
        let end = self.end_of(position, &moves);
        Ok(StudyLine { moves, end, is_best })
    }

    /// How a line ends, if it is played to the end.
    fn end_of(&self, start: &Position, moves: &[StudyLineMove]) -> Option<LineEnd> {
        let positions: Vec<Position> =
            std::iter::once(*start).chain(moves.iter().map(|step| step.after)).collect();
        LineEnd::of(&positions, self.rules)
    }
}

/// What a search has proved about its position. The proof may have become shorter since the bounds
/// were found, so the lesser of both upper bounds counts.
fn range_of(solver: &Solver<'_>, at_most: Option<Value>, bounds: Option<Bounds>) -> ValueRange {
    let at_most = at_most.and_then(Value::dtw).unwrap_or(u16::MAX);
    let bounds = bounds.unwrap_or(Bounds { at_least: 1, at_most });
    let bounds = Bounds { at_most: bounds.at_most.min(at_most), ..bounds };
    let side = solver.position().side_to_move();
    let excluded = solver.excluded();
    let (worst, best) = match solver.wdl() {
        Some(Wdl::Win) => (Value::Win(bounds.at_most), Value::Win(bounds.at_least)),
        Some(Wdl::Draw) => (Value::Draw, Value::Draw),
        Some(Wdl::Loss) => (Value::Loss(bounds.at_least), Value::Loss(bounds.at_most)),
        None => (
            if excluded[!side] { Value::Draw } else { Value::Loss(0) },
            if excluded[side] { Value::Draw } else { Value::Win(0) },
        ),
    };
    ValueRange::new(worst, best).unwrap_or(ValueRange::UNKNOWN)
}

/// A result that may be left out if memory is not enough for it.
fn or_no_room<T>(result: Result<T, SearchError>) -> Result<Option<T>, SearchError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(SearchError::Memory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Why no table covers a position if there is no table at all.
fn missing(position: &Position, rules: RuleSet) -> ProbeError {
    match (OfficerPosition::try_from(position), Material::of(position)) {
        (Err(error), _) => ProbeError::NotOfficers(error),
        (_, Err(error)) => ProbeError::Material(error),
        (Ok(_), Ok(material)) => ProbeError::MissingTable {
            material: material.normalized(),
            rules,
            folders: Vec::new(),
            columns: Some(position.columns().count()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_upper_bounds_the_lesser_counts() {
        let rules = RuleSet::Lasca;
        for (text, plies, of) in [
            ("a1B b2w b4wwb w", 5, Value::Win as fn(u16) -> Value),
            ("c3W e5W c5B e3B b", 12, Value::Loss),
        ] {
            let position = text.parse().unwrap();
            let mut solver = Solver::new(&position, rules, None, 1 << 24).unwrap();
            solver.run(&Limits::default(), &Silent).unwrap();
            for (at_most, bound) in [(plies, plies + 2), (plies + 2, plies)] {
                let bounds = Bounds { at_least: 1, at_most: bound };
                let range = range_of(&solver, Some(of(at_most)), Some(bounds));
                assert_eq!(range.at_most(), Some(plies), "{text}");
            }
            // There may be no room for one of them.
            for (at_most, bounds) in
                [(None, Some(Bounds { at_least: 1, at_most: plies })), (Some(of(plies)), None)]
            {
                assert_eq!(range_of(&solver, at_most, bounds).at_most(), Some(plies), "{text}");
            }
        }
    }
}
