//! Positions that no table has, with soldiers or many counters: picked at random, and searched.

use super::line::line_of;
use super::only_moves::turns_of_only_moves;
use super::{Filter, Find};
use crate::answer::{Question, SearchLimits};
use crate::search::Budget;
use lasca_tablebase::probe::{ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::{ByColor, Color, Column, Counter, CounterKind, Position, Square};
use lasca_tablebase::{Progress, Reason, Value};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Tries random positions of these counters, one after the other. In each column, counters of the commander's colour
/// stand above those of the other, as in all positions that arise in games.
///
/// ```
/// use lasca_analysis::answer::SearchLimits;
/// use lasca_analysis::find::{Filter, Sampler, Tried};
/// use lasca_tablebase::rules::{Counter, RuleSet};
/// use lasca_tablebase::{Silent, Wdl};
/// let counters: Vec<Counter> = "WWwB".chars().filter_map(Counter::from_letter).collect();
/// let filter = Filter { result: Some(Wdl::Win), ..Filter::default() };
/// let mut sampler = Sampler::new(&counters, filter, RuleSet::Lasca, 7).unwrap();
/// let found = loop {
///     if let Tried::Found(found) = sampler.try_one(SearchLimits::default(), &Silent)? {
///         break found;
///     }
/// };
/// assert!(found.position.has_soldier() && found.value.wdl() == Wdl::Win);
/// # Ok::<(), lasca_tablebase::probe::ProbeError>(())
/// ```
#[derive(Debug)]
pub struct Sampler {
    counters: ByColor<Vec<Counter>>,
    filter: Filter,
    tables: Tablebase,
    random: fastrand::Rng,
    /// How many columns White commands and how many Black, in all ways that are looked for.
    splits: Vec<ByColor<usize>>,
    /// The keys of the positions that were tried, one for all images of a position: at most [`MOST_MET`].
    met: HashSet<u64>,
    /// The keys of those that were found, which are never forgotten.
    found: HashSet<u64>,
}

/// After so many positions, those that were tried before are forgotten. Their keys take up to 75 MB.
const MOST_MET: usize = 1 << 22;

/// What became of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It is one of those that are looked for.
    Found(Box<Find>),
    /// It is another one.
    Other,
    /// The search did not find out in time.
    Open,
    /// It or its image under a symmetry was tried before, or a soldier stands where it would have been promoted.
    Skipped,
}

impl Sampler {
    /// Looks for the positions that the filter describes, of which [`Filter::limit`] and [`Filter::keep`] mean nothing
    /// here. The same seed picks the same positions. `None` if no position has as many columns, a side has no counter, or
    /// there are more than [`Position::MAX_COUNTERS`].
    pub fn new(
        counters: &[Counter],
        filter: Filter,
        tables: impl Into<Tablebase>,
        seed: u64,
    ) -> Option<Sampler> {
        let of =
            |color| counters.iter().copied().filter(|counter| counter.color == color).collect();
        let total = counters.len();
        let counters: ByColor<Vec<Counter>> = ByColor::from_fn(of);
        let mut splits = Vec::new();
        for white in 1..=counters.white.len() {
            for black in 1..=counters.black.len().min(Square::COUNT.saturating_sub(white)) {
                let split = ByColor { white, black };
                let fits = filter.pieces.is_none_or(|pieces| pieces.0 == split);
                if fits && filter.columns.contains(&(white + black)) {
                    splits.push(split);
                }
            }
        }
        let (tables, random) = (tables.into(), fastrand::Rng::with_seed(seed));
        let is_possible = !splits.is_empty() && total <= Position::MAX_COUNTERS;
        let (met, found) = (HashSet::new(), HashSet::new());
        is_possible.then_some(Sampler { counters, filter, tables, random, splits, met, found })
    }

    /// Tries the next position. What `limits` allow is there for all searches of it and of its line.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read, or the memory is too little to begin a search.
    pub fn try_one(
        &mut self,
        limits: SearchLimits,
        progress: &dyn Progress,
    ) -> Result<Tried, ProbeError> {
        let Some(position) = self.random_position() else { return Ok(Tried::Skipped) };
        if self.met.len() >= MOST_MET {
            self.met.clone_from(&self.found);
        }
        let key = position.canonical().key();
        if !self.met.insert(key) {
            return Ok(Tried::Skipped);
        }
        let budget = Budget::new(limits.time, limits.threads, progress);
        let filter = self.filter.clone();
        let values = HashMap::new();
        let mut searches = Searches { tables: &self.tables, limits, budget, progress, values };
        let tried = searches.find(&position, &filter)?.unwrap_or(Tried::Open);
        if matches!(tried, Tried::Found(_)) {
            self.found.insert(key);
        }
        Ok(tried)
    }

    /// A random position; `None` if a soldier stands where it would have been promoted.
    fn random_position(&mut self) -> Option<Position> {
        let split = self.splits[self.random.usize(..self.splits.len())];
        let mut squares: Vec<Square> = Square::all().collect();
        self.random.shuffle(&mut squares);
        // Which counters each column has: those of its commander, and then the prisoners.
        let columns = split.white + split.black;
        let mut stacks = vec![(Vec::new(), Vec::new()); columns];
        let commander = |column: usize| match column < split.white {
            true => Color::White,
            false => Color::Black,
        };
        for color in Color::ALL {
            let mut counters = self.counters[color].clone();
            self.random.shuffle(&mut counters);
            let first = if color == Color::White { 0 } else { split.white };
            for (number, counter) in counters.into_iter().enumerate() {
                let column = match number < split[color] {
                    true => first + number,
                    false => self.random.usize(..columns),
                };
                let (own, prisoners) = &mut stacks[column];
                if commander(column) == color {
                    own.push(counter)
                } else {
                    prisoners.push(counter)
                };
            }
        }
        let mut board = [Column::EMPTY; Square::COUNT];
        for (&square, (own, prisoners)) in squares.iter().zip(stacks) {
            let last_rank = if own.first()?.color == Color::White { 6 } else { 0 };
            if own.first()?.kind == CounterKind::Soldier && square.rank() == last_rank {
                return None;
            }
            board[square.index()] = Column::from_counters(own.into_iter().chain(prisoners))?;
        }
        let side = if self.random.bool() { Color::White } else { Color::Black };
        Position::new(board, side).ok()
    }
}

/// The searches of one position and its line.
struct Searches<'a> {
    tables: &'a Tablebase,
    limits: SearchLimits,
    budget: Budget<'a>,
    progress: &'a dyn Progress,
    /// What is known, and what was not found out in time.
    values: HashMap<Position, Option<Value>>,
}

impl Searches<'_> {
    /// Whether the position passes the filter, with its line; `None` if that was not found out in time.
    fn find(&mut self, position: &Position, filter: &Filter) -> Result<Option<Tried>, ProbeError> {
        let Ok(moves) = position.successors(self.tables.rules()) else { return Ok(None) };
        if moves.first().is_none_or(|(played, _)| filter.quiet && played.is_capture()) {
            return Ok(Some(Tried::Other));
        }
        let Some(value) = self.value(position)? else { return Ok(None) };
        let wanted = filter.only_moves;
        if !filter.passes(value) {
            return Ok(Some(Tried::Other));
        }
        let most = match value {
            _ if wanted == 0 => 0,
            Value::Draw => wanted,
            Value::Win(_) | Value::Loss(_) => usize::MAX,
        };
        let moves = &mut |position: &Position| self.moves(position);
        let turns = turns_of_only_moves(moves, position, value, filter.defence, most)?;
        match turns {
            None => Ok(None),
            Some(turns) if turns < wanted => Ok(Some(Tried::Other)),
            Some(turns) => {
                let found = line_of(position, value, wanted, true, moves)?;
                Ok(found.map(|found| Tried::Found(Box::new(Find { only_moves: turns, ..found }))))
            }
        }
    }

    /// The moves with their exact values, best first; `None` if one is not known.
    fn moves(&mut self, position: &Position) -> Result<Option<Vec<RatedMove<Value>>>, ProbeError> {
        let Ok(successors) = position.successors(self.tables.rules()) else { return Ok(None) };
        let mut moves = Vec::new();
        for (played, after) in successors {
            let Some(value) = self.value(&after)? else { return Ok(None) };
            moves.push(RatedMove { played, after, value: value.before_move() });
        }
        moves.sort_by_key(|rated| (Reverse(rated.value), rated.played));
        Ok(Some(moves))
    }

    /// The exact value; `None` if it is not found out in time.
    fn value(&mut self, position: &Position) -> Result<Option<Value>, ProbeError> {
        if let Some(&known) = self.values.get(position) {
            return Ok(known);
        }
        let question = Question { exact: true, ..Question::new(self.tables) };
        let limits = SearchLimits { time: self.budget.left(), ..self.limits };
        let value = match question.answer(position, Some(limits), self.progress) {
            Ok(answer) => answer.value.exact(),
            Err(error) if error.reason() == Reason::TooManyMoves => None,
            Err(error) => return Err(error),
        };
        self.values.insert(*position, value);
        Ok(value)
    }
}
