//! All that is known of a position, from the tables or by search.
//!
//! A [`Question`] says what is to be found out and which tables may be used. The tables and a search
//! give the same kind of [`Answer`]: what the position is worth, as far as it is known, and if that
//! is asked for, what each move is worth, the best line, and what proves the value of each move.
//!
//! ```
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! use lasca_analysis::answer::{Question, SearchLimits};
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! use lasca_tablebase::{Silent, Value};
//! let tables = Tablebase::open("tables", RuleSet::Lasca)?;
//! let question = Question { moves: true, ..Question::new(&tables) };
//! let search = SearchLimits { memory: 1 << 24, ..SearchLimits::default() };
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

pub mod json;
#[cfg(feature = "generate")]
mod making;
mod searched;

#[cfg(feature = "generate")]
pub use making::{Searched, plan_for, plan_for_all, search_and_make};
pub use searched::{Search, Stage};

use crate::search::Stop;
use lasca_tablebase::internals::value_if_over;
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Standing, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, Value, ValueRange, Wdl};
use std::time::Duration;

/// What is to be found out about a position, and with which tables.
#[derive(Clone, Debug)]
pub struct Question {
    /// The tables, which answer or help a search, and the rules.
    pub tables: Tablebase,
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
    #[doc(hidden)]
    pub _more: (),
}

/// What a search may use.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// The longest time that it may take; `None` for as long as it takes.
    pub time: Option<Duration>,
    /// How many threads search, at least 1; more than 255 count as 255.
    pub threads: usize,
    /// The most bytes that it may hold.
    pub memory: u64,
    #[doc(hidden)]
    pub _more: (),
}

impl SearchLimits {
    /// One thread, for as long as it takes, with 256 MiB.
    pub const DEFAULT: SearchLimits =
        SearchLimits { time: None, threads: 1, memory: 256 << 20, _more: () };
}

impl Default for SearchLimits {
    /// [`SearchLimits::DEFAULT`].
    fn default() -> Self {
        SearchLimits::DEFAULT
    }
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// What it is worth to its side to move.
    pub value: ValueRange,
    /// All legal moves, best first, if they were asked for. Open ones have the best estimate first.
    pub moves: Option<Vec<RatedMove>>,
    /// What proves the value of each move, in the same order, if that was asked for.
    pub proofs: Option<Vec<Proof>>,
    /// What each move looks worth to the side that makes it, in the same order: from -100 to 100, where 0 is
    /// even. Only moves whose result a search has left open have such an estimate, which proves nothing.
    pub estimates: Vec<Option<i8>>,
    /// The play that is expected after each move, in the same order: what looks best for both sides, and proves nothing.
    /// Only the two open moves with the best estimates have it; that of others is empty.
    pub estimated_lines: Vec<Vec<RatedMove>>,
    /// The best line, if it was asked for.
    pub line: Option<Line>,
    /// What a search has taken; `None` if the tables have answered.
    pub effort: Option<Effort>,
    /// What follows each of several moves that draw, in the order of the moves.
    replies: Vec<Option<Replies>>,
    /// Whether all distances are told that there are, and no search was to find others: a win without one rests on tables
    /// that have none.
    tells_distances: bool,
    /// The positions that came before in the game.
    before: Vec<Position>,
}

/// How many replies to a move that draws may hold the draw, as far as is known, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Replies {
    may_hold: usize,
    all: usize,
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
    pub holding: Option<Vec<RatedMove>>,
    /// After a move that draws, how many replies are neither known to hold the draw nor to lose.
    pub open_replies: usize,
}

/// What a search has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effort {
    /// How many positions it has met.
    pub positions: u64,
    /// How long it took.
    pub time: Duration,
    /// Why it ended: [`Stop::Solved`] if all that was asked for is found.
    pub stop: Stop,
}

impl Answer {
    /// The value of a position alone.
    fn of_value(position: &Position, value: ValueRange) -> Answer {
        Answer {
            position: *position,
            value,
            moves: None,
            proofs: None,
            estimates: Vec::new(),
            estimated_lines: Vec::new(),
            line: None,
            effort: None,
            replies: Vec::new(),
            tells_distances: true,
            before: Vec::new(),
        }
    }

    /// What proves the value of the move with this number, if that was asked for.
    pub fn proof_of(&self, number: usize) -> Option<&Proof> {
        self.proofs.as_ref()?.get(number)
    }

    /// The estimate of the move with this number, if it has one.
    pub fn estimate_of(&self, number: usize) -> Option<i8> {
        *self.estimates.get(number)?
    }

    /// The same answer in a game in which these positions came before: [`Answer::best_move`] looks for a move that does
    /// not lead back to them.
    #[must_use]
    pub fn in_game(self, before: Vec<Position>) -> Answer {
        Answer { before, ..self }
    }

    /// The move to play, if the moves are known and there is one. An open move that leads to a position which came
    /// [before in the game](Answer::in_game) counts as one that draws, and is the last of these:
    ///
    /// 1. a move that wins, the quickest that is known. If only tables without distances tell that it wins, and no search
    ///    was to find its distance, there is no move to play, as play that keeps a win need not come nearer to it;
    /// 2. the open move with the best estimate among those that cannot lose, or that may win and whose estimate
    ///    is not below 0;
    /// 3. a move that draws, the one after which the smallest share of replies may hold the draw, as far as is
    ///    known;
    /// 4. an open move with the best estimate;
    /// 5. the move that loses latest, as far as that is known.
    ///
    /// ```
    /// use lasca_tablebase::Silent;
    /// use lasca_analysis::answer::{Question, SearchLimits};
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// use std::time::Duration;
    /// let question = Question { moves: true, ..Question::new(RuleSet::Lasca) };
    /// let time = Some(Duration::from_millis(100));
    /// let search = SearchLimits { time, ..SearchLimits::default() };
    /// let answer = question.by_search(&Position::start(), search, &Silent)?;
    /// // Nothing is proved, but some move looks best.
    /// assert_eq!(answer.best_move(), Some(&answer.moves.as_ref().unwrap()[0]));
    /// assert!(answer.estimate_of(0) >= answer.estimate_of(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn best_move(&self) -> Option<&RatedMove> {
        let moves = self.moves.as_deref()?;
        let all = || 0..moves.len();
        let wdl = |number: usize| moves[number].value.wdl();
        let repeats = |number: usize| self.before.contains(&moves[number].after);
        let open = || all().filter(|&number| wdl(number).is_none() && !repeats(number));
        let holds = |number: usize| {
            let value = moves[number].value;
            let looks_good = self.estimate_of(number).is_some_and(|estimate| estimate >= 0);
            value.worst().wdl() == Wdl::Draw || value.best().wdl() == Wdl::Win && looks_good
        };
        let draws = all().filter(|&number| match wdl(number) {
            None => repeats(number),
            Some(wdl) => wdl == Wdl::Draw,
        });
        let win = all().find(|&number| wdl(number) == Some(Wdl::Win));
        let has_distance = |number: usize| moves[number].value.at_most().is_some();
        if self.tells_distances && win.is_some_and(|number| !has_distance(number)) {
            return None;
        }
        let best = win
            .or_else(|| open().find(|&number| holds(number)))
            .or_else(|| {
                let is_open = |number: usize| wdl(number).is_none();
                draws.min_by_key(|&number| {
                    (repeats(number), is_open(number), self.ease_of_holding(number))
                })
            })
            .or_else(|| open().next())
            .or_else(|| all().find(|&number| wdl(number) == Some(Wdl::Loss)));
        best.map(|number| &moves[number])
    }

    /// How easy the draw is to hold after one of several moves that draw: the share of replies that may hold it,
    /// and their number.
    fn ease_of_holding(&self, number: usize) -> Option<(usize, usize)> {
        const ALL: usize = 1 << 16;
        let Replies { may_hold, all } = (*self.replies.get(number)?)?;
        Some((ALL * may_hold / all.max(1), may_hold))
    }

    /// Counts what follows each move that draws, if one of several such moves is to be played. `count` returns
    /// nothing if there is no time to go on; then nothing is known of any move.
    fn count_replies<E>(
        &mut self,
        mut count: impl FnMut(&Position) -> Result<Option<Replies>, E>,
    ) -> Result<(), E> {
        let moves = self.moves.as_deref().unwrap_or_default();
        let are = |wdl| moves.iter().filter(move |rated| rated.value.wdl() == Some(wdl)).count();
        if are(Wdl::Win) > 0 || are(Wdl::Draw) < 2 {
            return Ok(());
        }
        let mut replies = vec![None; moves.len()];
        for (rated, replies) in moves.iter().zip(&mut replies) {
            if rated.value.wdl() == Some(Wdl::Draw) {
                *replies = count(&rated.after)?;
                if replies.is_none() {
                    return Ok(());
                }
            }
        }
        self.replies = replies;
        Ok(())
    }
}

impl Question {
    /// What a position is worth, without its moves and lines.
    pub fn new(tables: impl Into<Tablebase>) -> Question {
        Question {
            tables: tables.into(),
            exact: false,
            moves: false,
            line: false,
            proofs: false,
            _more: (),
        }
    }

    /// Asks the tables, and searches if they have no answer and `search` allows it.
    ///
    /// # Errors
    /// Those of [`Question::of_tables`] and [`Question::by_search`].
    pub fn answer(
        &self,
        position: &Position,
        search: Option<SearchLimits>,
        progress: &dyn Progress,
    ) -> Result<Answer, ProbeError> {
        match (self.of_tables(position), search) {
            (Err(absent), Some(search)) if absent.is_not_covered() => {
                self.by_search(position, search, progress)
            }
            (answer, _) => answer,
        }
    }

    /// Asks tables for all that they tell of a position: its moves and, with distances, the best line and
    /// which replies hold a draw. This is what a board shows.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use lasca_analysis::answer::Question;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let known = Question::of_board(&tables, &"b2B d2W a7W w".parse()?)?;
    /// assert_eq!((known.moves.unwrap().len(), known.line.unwrap().moves.len()), (5, 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Question::of_tables`], but not for want of distances.
    pub fn of_board(tables: &Tablebase, position: &Position) -> Result<Answer, ProbeError> {
        let moves = Question { moves: true, ..Question::new(tables) };
        let line = Question { line: true, ..moves.clone() };
        match line.of_tables(position) {
            Ok(answer) if answer.value == Value::Draw => {
                Question { proofs: true, ..line }.of_tables(position)
            }
            // There may be values without distances.
            Err(error) if error.is_not_covered() => moves.of_tables(position),
            answer => answer,
        }
    }

    /// Finds the move to play, which [`Answer::best_move`] tells: asks the tables as [`Question::of_board`] does, and
    /// searches if they have no answer and `search` allows it. Only where the game is over, there is none.
    ///
    /// # Errors
    /// Those of [`Question::of_tables`] and [`Question::by_search`]. Distances are wanted for a win. It also fails if
    /// there is no memory to list the moves or there are [too many](lasca_tablebase::rules::MOST_MOVES).
    pub fn for_play(
        tables: impl Into<Tablebase>,
        position: &Position,
        search: Option<SearchLimits>,
        progress: &dyn Progress,
    ) -> Result<Answer, ProbeError> {
        let question = Question { exact: true, moves: true, ..Question::new(tables) };
        position.moves(question.tables.rules())?;
        let answer = Question::of_board(&question.tables, position).and_then(|answer| {
            if answer.best_move().is_none() {
                // This fails where only the distances are missing.
                question.tables.value(position)?;
            }
            Ok(answer)
        });
        match (answer, search) {
            (Err(absent), Some(search)) if absent.is_not_covered() => {
                let answer = question.by_search(position, search, progress)?;
                match answer.moves {
                    Some(_) => Ok(answer),
                    None => Err(ProbeError::SearchMemory { memory: search.memory, needed: None }),
                }
            }
            (answer, _) => answer,
        }
    }

    /// Asks the tables. Without distances, they tell who wins, and what each move leads to.
    ///
    /// # Errors
    /// If no table covers the position and the game is not over, or a line or proofs are asked for and there
    /// are no distances (the error then [is one of those](ProbeError::is_not_covered) that a search can help
    /// with); or if a table is damaged or cannot be read.
    pub fn of_tables(&self, position: &Position) -> Result<Answer, ProbeError> {
        // The rules alone tell that the game is over.
        if let Some(value) = value_if_over(position) {
            return Ok(Answer {
                moves: (self.moves || self.proofs).then(Vec::new),
                proofs: self.proofs.then(Vec::new),
                line: self.line.then(|| Line::new(position, Vec::new(), true)),
                ..Answer::of_value(position, value.into())
            });
        }
        let tables = &self.tables;
        let value = match self.proofs {
            true => tables.value(position)?.into(),
            false => tables.known_value(position)?,
        };
        let (mut moves, mut proofs) = (None, None);
        if self.proofs {
            let rated = tables.moves(position)?;
            proofs = Some(proofs_of(tables, &rated)?);
            moves = Some(rated.into_iter().map(RatedMove::from).collect());
        } else if self.moves {
            moves = Some(tables.known_moves(position)?);
        }
        let line = self.line.then(|| tables.best_line(position)).transpose()?.map(Line::from);
        let mut answer = Answer { moves, proofs, line, ..Answer::of_value(position, value) };
        answer.count_replies(|after| {
            // A reply with too many moves is left out.
            let Ok(replies) = after.successors(tables.rules()) else { return Ok(None) };
            let mut may_hold = 0;
            for (_, reply) in &replies {
                may_hold += usize::from(tables.wdl(reply)? == Wdl::Draw);
            }
            Ok::<_, ProbeError>(Some(Replies { may_hold, all: replies.len() }))
        })?;
        Ok(answer)
    }
}

/// What proves the values of all moves of a position, which are in this order.
fn proofs_of(tables: &Tablebase, moves: &[RatedMove<Value>]) -> Result<Vec<Proof>, ProbeError> {
    let values: Vec<Value> = moves.iter().map(|rated| rated.value).collect();
    let proof = |(number, rated): (usize, &RatedMove<Value>)| {
        let mut holding = tables.moves(&rated.after)?;
        let replies = holding.len();
        holding.retain(|reply| reply.value == Value::Draw);
        let holding = holding.into_iter().map(RatedMove::from).collect();
        Ok(Proof {
            standing: Standing::of(&values, number),
            line: tables.best_line(&rated.after)?.into(),
            replies,
            holding: (rated.value == Value::Draw).then_some(holding),
            open_replies: 0,
        })
    };
    moves.iter().enumerate().map(proof).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::rules::RuleSet;

    #[test]
    fn an_open_move_that_leads_back_is_one_that_draws_and_a_win_stays_a_win() {
        let position: Position = "b2W d2W f6b d6b w".parse().unwrap();
        let moves = position.successors(RuleSet::Lasca).unwrap();
        let replies = |known: &[(ValueRange, Option<i8>)]| {
            let drawn = known.iter().map(|(value, _)| value.wdl() == Some(Wdl::Draw));
            drawn.map(|is_drawn| is_drawn.then_some(Replies { may_hold: 1, all: 2 })).collect()
        };
        let best = |known: &[(ValueRange, Option<i8>)], repeated: &[usize]| {
            let rated = known.iter().zip(&moves);
            let rated =
                rated.map(|(&(value, _), &(played, after))| RatedMove { played, after, value });
            let answer = Answer {
                moves: Some(rated.collect()),
                estimates: known.iter().map(|&(_, estimate)| estimate).collect(),
                effort: Some(Effort { positions: 1, time: Duration::ZERO, stop: Stop::Time }),
                replies: replies(known),
                ..Answer::of_value(&position, ValueRange::UNKNOWN)
            };
            let answer = answer.in_game(repeated.iter().map(|&number| moves[number].1).collect());
            let best = answer.best_move().unwrap();
            moves.iter().position(|(_, after)| *after == best.after).unwrap()
        };
        let open = |estimate| (ValueRange::UNKNOWN, Some(estimate));
        let known = |value: Value| (value.into(), None);
        let good = [open(20), open(10), open(-5)];
        assert_eq!([best(&good, &[]), best(&good, &[0]), best(&good, &[0, 1])], [0, 1, 0]);
        let bad = [open(-10), open(-20), known(Value::Loss(8))];
        assert_eq!([best(&bad, &[]), best(&bad, &[1]), best(&bad, &[0, 1])], [0, 1, 0]);
        let drawn = [known(Value::Draw), known(Value::Draw), open(-20)];
        assert_eq!([best(&drawn, &[]), best(&drawn, &[0]), best(&drawn, &[0, 1])], [0, 1, 0]);
        assert_eq!(
            best(&drawn, &[0, 1, 2]),
            0,
            "a draw is proved, and that of an open move is not"
        );
        let won = [known(Value::Win(7)), open(90)];
        assert_eq!(best(&won, &[0]), 0);
        let lost = [known(Value::Loss(8)), known(Value::Loss(6))];
        assert_eq!(best(&lost, &[0]), 0);
    }
}
