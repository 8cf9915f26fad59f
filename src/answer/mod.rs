//! All that is known of a position, from the tables or by search.
//!
//! A [`Question`] says what is to be found out and which tables may be used. The tables and a search
//! give the same kind of [`Answer`]: what the position is worth, as far as it is known, and if that
//! is asked for, what each move is worth, the best line, and what proves the value of each move.
//!
//! ```
//! use lasca_tablebase::answer::{Question, SearchLimits};
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! use lasca_tablebase::search::Limits;
//! use lasca_tablebase::{Silent, Value};
//! let tables = Tablebase::open("tables", RuleSet::Lasca)?;
//! let question = Question { moves: true, ..Question::new(RuleSet::Lasca, Some(&tables)) };
//! let search = SearchLimits { limits: Limits::default(), memory: 1 << 24 };
//!
//! let by_tables = question.answer(&"b2B d2W a7W w".parse()?, Some(search), &Silent)?;
//! assert_eq!(by_tables.value.exact(), Some(Value::Win(5)));
//! assert_eq!(by_tables.moves.unwrap()[0].value.exact(), Some(Value::Win(5)));
//! assert!(by_tables.effort.is_none());
//!
//! // No table holds soldiers, so this is searched.
//! let question = Question { exact: true, ..question };
//! let by_search = question.answer(&"c5w e5W d2b w".parse()?, Some(search), &Silent)?;
//! assert_eq!(by_search.value.exact(), Some(Value::Win(5)));
//! assert_eq!(by_search.moves.unwrap()[0].value.exact(), Some(Value::Win(5)));
//! assert!(by_search.effort.unwrap().positions > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod range;
mod searched;

pub use range::{ValueRange, standing};
pub use searched::{Follow, Stage};

use crate::Value;
use crate::index::Material;
use crate::probe::{BestLine, LineEnd, ProbeError, RatedMove, Standing, Tablebase};
use crate::rules::{Move, OfficerPosition, Position, RuleSet};
use crate::search::{Limits, SearchError, Stop};
use std::cmp::Reverse;
use std::time::Duration;

/// What is to be found out about a position, and with which tables.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The rule set.
    pub rules: RuleSet,
    /// The tables, if there are any. They answer, or help a search.
    pub tables: Option<&'a Tablebase>,
    /// Whether a search seeks the exact distance of a win or loss. Tables with distances know it anyway;
    /// where they have none, [`Question::answer`] does not search for it.
    pub exact: bool,
    /// Whether to find what each move is worth.
    pub moves: bool,
    /// Whether to find the best line.
    pub line: bool,
    /// Whether to find what each move is worth, and what proves it. Tables need distances for this, as for
    /// a line.
    pub proofs: bool,
}

/// What a search may use.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits<'a> {
    /// How long it may take, how many threads it has, and what cancels it.
    pub limits: Limits<'a>,
    /// The most bytes that it may hold.
    pub memory: u64,
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// What it is worth to its side to move.
    pub value: ValueRange,
    /// All legal moves, best first, if they were asked for.
    pub moves: Option<Vec<MoveAnswer>>,
    /// The best line, if it was asked for.
    pub line: Option<Line>,
    /// What a search has taken; `None` if the tables have answered.
    pub effort: Option<Effort>,
}

/// What is known of a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveAnswer {
    /// The move.
    pub played: Move,
    /// The position that it leads to.
    pub after: Position,
    /// What it is worth to the side that makes it. Distances count from the position before the move.
    /// The values of the moves of a line that was searched are not told.
    pub value: ValueRange,
    /// What proves its value, if that was asked for.
    pub proof: Option<Box<Proof>>,
}

/// What proves the value of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// How the move compares with the others; `None` if too little is known of them.
    pub standing: Option<Standing>,
    /// The best line after the move. Empty if its value is open.
    pub line: Line,
    /// How many legal replies there are.
    pub replies: usize,
    /// After a move that draws, the replies that hold the draw.
    pub holding: Option<Vec<MoveAnswer>>,
    /// After a move that draws, how many replies are neither known to hold the draw nor to lose.
    pub open_replies: usize,
}

/// A line of best play, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The moves.
    pub moves: Vec<MoveAnswer>,
    /// How the line ends; `None` if it goes no further than what is known.
    pub end: Option<LineEnd>,
    /// Whether the line is best play: it draws, or it takes the exact distance. Otherwise it is the best
    /// line that a search knows, and there may be a quicker win.
    pub is_best: bool,
}

/// What a search has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How many positions it has met.
    pub positions: u64,
    /// How long it took.
    pub time: Duration,
    /// Why it ended: [`Stop::Solved`] if all that was asked for is found.
    pub stop: Stop,
}

impl<'a> Question<'a> {
    /// What a position is worth, without its moves and lines.
    pub fn new(rules: RuleSet, tables: Option<&'a Tablebase>) -> Question<'a> {
        Question { rules, tables, exact: false, moves: false, line: false, proofs: false }
    }

    /// Asks the tables, and searches if they have no answer and `search` allows it.
    ///
    /// # Errors
    /// Those of [`Question::of_tables`] and [`Question::by_search`].
    pub fn answer(
        &self,
        position: &Position,
        search: Option<SearchLimits<'_>>,
        follow: &dyn Follow,
    ) -> Result<Answer, SearchError> {
        match (self.of_tables(position), search) {
            (Err(error), Some(search)) if error.is_not_covered() => {
                self.by_search(position, search, follow)
            }
            (answer, _) => Ok(answer?),
        }
    }

    /// Asks the tables. Without distances, they tell who wins, and what each move leads to.
    ///
    /// # Errors
    /// If no table covers the position, or a line or proofs are asked for and there are no distances
    /// (the error then [is one of those](ProbeError::is_not_covered) that a search can help with); or
    /// if a table is damaged or cannot be read.
    pub fn of_tables(&self, position: &Position) -> Result<Answer, ProbeError> {
        let of_rules = self.tables.filter(|tables| tables.rules() == self.rules);
        let Some(tables) = of_rules else { return Err(missing(position, self.rules)) };
        let mut value: ValueRange = match self.proofs {
            true => tables.value(position)?.into(),
            false => tables.rating(position)?.into(),
        };
        let mut moves = None;
        if self.proofs {
            moves = Some(proved_moves(tables, position)?);
        } else if self.moves {
            let moves = moves.insert(rated_moves(tables, position)?);
            if moves.is_empty() && value.exact().is_none() {
                // Blocked: that is known without distances too.
                value = Value::Loss(0).into();
            }
        }
        let line = self.line.then(|| tables.best_line(position)).transpose()?.map(Line::from);
        Ok(Answer { position: *position, value, moves, line, effort: None })
    }
}

/// All legal moves, best first. If the table has no distances, they are ordered by result alone; a move
/// that ends the game then comes first among those with the same result, because its distance is known.
fn rated_moves(tables: &Tablebase, position: &Position) -> Result<Vec<MoveAnswer>, ProbeError> {
    let rated = |(played, after): (Move, Position)| {
        let value = ValueRange::from(tables.rating(&after)?).before_move();
        Ok(MoveAnswer::new(played, after, value))
    };
    let moves = position.successors(tables.rules()).into_iter().map(rated);
    let mut moves = moves.collect::<Result<Vec<_>, ProbeError>>()?;
    // A result without a distance is no better than any with one.
    moves.sort_by_key(|rated| Reverse(rated.value.worst()));
    Ok(moves)
}

/// All legal moves, best first, with what proves their values.
fn proved_moves(tables: &Tablebase, position: &Position) -> Result<Vec<MoveAnswer>, ProbeError> {
    let moves = tables.moves(position)?;
    let values: Vec<ValueRange> = moves.iter().map(|rated| rated.value.into()).collect();
    let proved = |(number, rated): (usize, RatedMove)| {
        let mut holding = tables.moves(&rated.after)?;
        let replies = holding.len();
        holding.retain(|reply| reply.value == Value::Draw);
        let holding = || holding.into_iter().map(MoveAnswer::from).collect();
        let proof = Proof {
            standing: standing(&values, number),
            line: tables.best_line(&rated.after)?.into(),
            replies,
            holding: (rated.value == Value::Draw).then(holding),
            open_replies: 0,
        };
        Ok(MoveAnswer { proof: Some(Box::new(proof)), ..rated.into() })
    };
    moves.into_iter().enumerate().map(proved).collect()
}

impl MoveAnswer {
    pub(crate) fn new(played: Move, after: Position, value: ValueRange) -> MoveAnswer {
        MoveAnswer { played, after, value, proof: None }
    }
}

impl From<RatedMove> for MoveAnswer {
    fn from(rated: RatedMove) -> MoveAnswer {
        MoveAnswer::new(rated.played, rated.after, rated.value.into())
    }
}

impl From<BestLine> for Line {
    fn from(line: BestLine) -> Line {
        let moves = line.moves.into_iter().map(MoveAnswer::from).collect();
        Line { moves, end: Some(line.end), is_best: true }
    }
}

/// The tables, if they know the distances of positions with these counters. Counters never leave the
/// board, so all positions that can arise have the same material.
///
/// # Errors
/// If the table is damaged or cannot be read.
pub fn tables_with_distances<'a>(
    tables: Option<&'a Tablebase>,
    position: &Position,
) -> Result<Option<&'a Tablebase>, ProbeError> {
    let Some(tables) = tables else { return Ok(None) };
    let material = Material::of(position).map_err(ProbeError::Material);
    match material.and_then(|material| tables.extent_with_distances(material)) {
        Ok(_) => Ok(Some(tables)),
        Err(error) if error.is_not_covered() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Why no table covers a position if there is no table at all.
pub(crate) fn missing(position: &Position, rules: RuleSet) -> ProbeError {
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
