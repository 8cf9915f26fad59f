//! Answers that are searched: a list of calls, each with its share of the time.

mod found;

use super::{Answer, Effort, Question, SearchLimits};
use crate::search::{Budget, Solver, Stop, with_distances};
use found::{Telling, is_unclear};
use lasca_tablebase::probe::{ProbeError, RatedMove};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, Wdl};
use std::time::Duration;

/// What a search is finding out. It is a list of five calls, in this order.
///
/// | stage | when it ends at the latest, if there is a limit of time | when it is skipped |
/// | --- | --- | --- |
/// | position | at three quarters of the time if moves are asked for, otherwise at the end | never |
/// | distance | halfway to the end if moves are asked for, otherwise at the end | it is not asked for, or known |
/// | moves | at three quarters of the time if the position is open, otherwise at the end | they are not asked for |
/// | distance once more | at the end | moves are not asked for, or it is skipped as before |
/// | estimates | after another third of the time taken so far, or at the end | no move is open |
///
/// If [what is found so far](Search::found_so_far) is asked for, moves are estimated meanwhile. Then there is no stage for
/// that, and the stages before it may take all of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Who wins.
    Position,
    /// The exact distance.
    Distance,
    /// What each move is worth.
    Moves,
    /// What the moves look worth whose results are open.
    Estimates,
}

/// The calls of a search. Without moves, it is the first two.
const CALLS: [Stage; 5] =
    [Stage::Position, Stage::Distance, Stage::Moves, Stage::Distance, Stage::Estimates];

impl Question {
    /// Searches the position. The tables help, unless the exact distance is asked for and they have no
    /// distances, which they would hide; then they only tell the results of the position and its moves.
    ///
    /// What the limits do not allow to find is left open. [`Effort::stop`] tells why.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn by_search(
        &self,
        position: &Position,
        search: SearchLimits,
        progress: &dyn Progress,
    ) -> Result<Answer, ProbeError> {
        let mut searching = self.search(position, search)?;
        while !searching.go_on(None, progress)? {}
        searching.answer(progress)
    }

    /// A search of the position that has not begun, for those who search in parts. Otherwise it is as
    /// [`Question::by_search`].
    ///
    /// ```
    /// use lasca_analysis::answer::{Question, SearchLimits};
    /// use lasca_tablebase::rules::RuleSet;
    /// use lasca_analysis::search::Stop;
    /// use lasca_tablebase::{Silent, Value};
    /// use std::time::Duration;
    /// let question = Question { exact: true, ..Question::new(RuleSet::Lasca) };
    /// let mut search = question.search(&"c5w e5W d2b w".parse()?, SearchLimits::default())?;
    /// while !search.go_on(Some(Duration::from_millis(1)), &Silent)? {
    ///     // Here a program can do something else.
    /// }
    /// let answer = search.answer(&Silent)?;
    /// assert_eq!(answer.value.exact(), Some(Value::Win(5)));
    /// assert_eq!(answer.effort.unwrap().stop, Stop::Solved);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn search(&self, position: &Position, limits: SearchLimits) -> Result<Search, ProbeError> {
        self.search_after(None, position, limits)
    }

    /// The same, and it goes on with all that an `earlier` search has found out. That may have been of another position
    /// with the same counters. It is forgotten if there are other counters, other rules or another limit of memory, if
    /// only one of both seeks the exact distance, or if the position is another one and more than half of the memory is in
    /// use.
    ///
    /// ```
    /// use lasca_analysis::answer::{Question, SearchLimits};
    /// use lasca_tablebase::Silent;
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let (question, limits) = (Question::new(RuleSet::Lasca), SearchLimits::default());
    /// let position: Position = "c5w e5W d2b w".parse()?;
    /// let mut search = question.search(&position, limits)?;
    /// while !search.go_on(None, &Silent)? {}
    /// let line = Question { line: true, ..question.clone() }.by_search(&position, limits, &Silent)?;
    /// let next = line.line.unwrap().moves[0].after;
    /// // This is proved already.
    /// let mut search = question.search_after(Some(search), &next, limits)?;
    /// assert_eq!(search.answer(&Silent)?.value.to_string(), "loss in at most 4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Question::search`].
    pub fn search_after(
        &self,
        earlier: Option<Search>,
        position: &Position,
        limits: SearchLimits,
    ) -> Result<Search, ProbeError> {
        let tables = match self.exact {
            true => with_distances(&self.tables, position)?,
            false => self.tables.clone(),
        };
        let question = Question { moves: self.moves || self.proofs, ..self.clone() };
        let solver = match earlier.filter(|earlier| earlier.question.exact == self.exact) {
            Some(earlier) => earlier.solver.go_on_with(position, tables, limits.memory)?,
            None => Solver::new(position, tables, limits.memory)?,
        };
        Ok(Search {
            solver,
            limits,
            stage: CALLS[0],
            rest: if question.moves { &CALLS[1..] } else { &CALLS[1..2] },
            is_over: false,
            stage_begun: Duration::ZERO,
            time: Duration::ZERO,
            stop: Stop::Time,
            of_moves: if question.moves { Stop::Time } else { Stop::Solved },
            question,
            has_looked_at_moves: false,
            moves: None,
            following: None,
        })
    }
}

/// A search that can be done in parts: see [`Question::search`].
#[derive(Debug)]
pub struct Search {
    question: Question,
    solver: Solver,
    limits: SearchLimits,
    /// What is found out next, or was found out last if the search is over.
    stage: Stage,
    /// The calls after that one.
    rest: &'static [Stage],
    is_over: bool,
    /// When the stage has begun, in the time of the search, which does not go on between its parts.
    stage_begun: Duration,
    /// The time that the parts so far took.
    time: Duration,
    /// Why the search for who wins and for the distance ended, and why that for the moves did.
    stop: Stop,
    of_moves: Stop,
    has_looked_at_moves: bool,
    /// The moves as they were listed last.
    moves: Option<Vec<RatedMove>>,
    /// How the search is followed, if it is.
    following: Option<Following>,
}

/// How what is found so far is told, in the time of the search.
#[derive(Clone, Copy, Debug)]
struct Following {
    /// When it is told next.
    next: Duration,
    /// How long moves were estimated.
    estimating: Duration,
}

impl Default for Following {
    fn default() -> Self {
        Following { next: Duration::from_millis(500), estimating: Duration::ZERO }
    }
}

/// The time from one answer that tells what is found so far to the next. It is longer if making them takes long: most of
/// the time is for the search.
const PACE: Duration = Duration::from_secs(1);

/// Moves are estimated in a quarter of the time, and for no longer than this before an answer: nobody can stop a search
/// meanwhile who does so between its parts.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// The time that is left for proofs if open moves are to be estimated.
fn without_estimates(time: Duration) -> Duration {
    time - time / 4
}

impl Search {
    /// Searches for so long, or to the end of the stage. The time between two calls does not count for the
    /// limit of time. Returns whether the search is over. If it is not, a call with more time finds out more.
    ///
    /// A part can end later than it should, as some work is done as a whole. However short it should be, it gets
    /// further.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn go_on(
        &mut self,
        time: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<bool, ProbeError> {
        let budget = self.budget(progress).pausing_after(time);
        let is_over = self.is_over || self.take(&budget)?;
        self.time = budget.elapsed();
        Ok(is_over)
    }

    /// What is found so far. Distances and lines take a pass over all positions that were met, which has the time of
    /// [`Budget::afterwards`]; once [`Progress::should_stop`] says so, it gets a second more. Without it, it is told
    /// who wins.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn answer(&mut self, progress: &dyn Progress) -> Result<Answer, ProbeError> {
        let budget = self.budget(progress);
        let (mut answer, mut left_out) = Telling::new(self, &budget.afterwards()).tell()?;
        if left_out == Some(Stop::Cancelled) {
            // It was asked to stop meanwhile.
            (answer, left_out) = Telling::new(self, &budget.afterwards()).tell()?;
        }
        self.time = budget.elapsed();
        Ok(Answer { effort: Some(self.effort(left_out)), ..answer })
    }

    /// What is found so far, if moves are asked for and it is time to tell it: after half a second, when the search
    /// begins to look at the moves, and then about once a second. A quarter of the time goes to estimates of the moves,
    /// which become better each time. Making the answer takes as long as [`Search::answer`].
    ///
    /// ```
    /// use lasca_analysis::answer::{Question, SearchLimits};
    /// use lasca_tablebase::Silent;
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// use std::time::Duration;
    /// let question = Question { moves: true, ..Question::new(RuleSet::Lasca) };
    /// let mut search = question.search(&Position::start(), SearchLimits::default())?;
    /// let found = loop {
    ///     search.go_on(Some(Duration::from_millis(50)), &Silent)?;
    ///     if let Some(found) = search.found_so_far(&Silent)? {
    ///         break found;
    ///     }
    /// };
    /// assert!(found.estimates.iter().all(Option::is_some));
    /// // What is expected after the best move.
    /// assert!(!found.estimated_lines[0].is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn found_so_far(&mut self, progress: &dyn Progress) -> Result<Option<Answer>, ProbeError> {
        if !self.question.moves {
            return Ok(None);
        }
        let mut following = *self.following.get_or_insert_default();
        if self.is_over || self.time < following.next {
            return Ok(None);
        }
        let (begun, budget) = (self.time, self.budget(progress));
        let time = (begun / 4).saturating_sub(following.estimating).min(LONGEST_LOOK);
        self.solver.estimate_moves(&budget.within(Some(time)))?;
        let estimated = budget.elapsed();
        self.time = estimated;
        let answer = self.answer(progress)?;
        following.estimating += estimated - begun;
        following.next = (begun + PACE).max(self.time + 4 * (self.time - estimated));
        self.following = Some(following);
        Ok(Some(answer))
    }

    /// What is found out next, or was found out last if the search is over.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// How many positions the search has met.
    pub fn positions(&self) -> u64 {
        self.solver.status().positions
    }

    /// The time that the search has taken.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// What there is for the search as a whole, some of which is used.
    fn budget<'p>(&self, progress: &'p dyn Progress) -> Budget<'p> {
        Budget::new(self.limits.time, self.limits.threads, progress).used(self.time)
    }

    /// Makes the call whose turn it is, until it ends or it is time to pause. Returns whether it was the last one.
    fn take(&mut self, budget: &Budget<'_>) -> Result<bool, ProbeError> {
        let left = |ends: Duration| ends.saturating_sub(self.time);
        let share = budget.within(self.ends().map(left));
        let stop = match self.stage {
            Stage::Position => self.solver.run(&share)?,
            // If there is no room for this, the bound that is proved stays.
            Stage::Distance => self.solver.exact(&share)?,
            Stage::Moves => self.solver.rate_moves(&share)?,
            Stage::Estimates => self.solver.estimate_moves(&share)?,
        };
        match self.stage {
            Stage::Position | Stage::Distance => self.stop = stop,
            Stage::Estimates if stop != Stop::Cancelled => {}
            Stage::Moves | Stage::Estimates => self.of_moves = stop,
        }
        self.has_looked_at_moves |= self.stage == Stage::Moves;
        if stop == Stop::Time && share.is_paused() {
            // The next part goes on with this call.
            return Ok(false);
        }
        if self.stage == Stage::Moves && stop != Stop::Cancelled {
            // The calls after this one may leave no room for it.
            Telling::new(self, &budget.afterwards()).list_moves()?;
        }
        self.is_over = !self.begin_next(budget.elapsed());
        Ok(self.is_over)
    }

    /// Begins the next call that can find out something. Returns whether there is one.
    fn begin_next(&mut self, now: Duration) -> bool {
        let Some(number) = self.rest.iter().position(|&stage| self.is_open(stage)) else {
            return false;
        };
        (self.stage, self.stage_begun) = (self.rest[number], now);
        self.rest = &self.rest[number + 1..];
        if let (Stage::Moves, Some(following)) = (self.stage, &mut self.following) {
            // What is found of the position is told at once.
            following.next = Duration::ZERO;
        }
        true
    }

    /// Whether a call can find out something.
    fn is_open(&self, stage: Stage) -> bool {
        let is_open = |moves: &Vec<RatedMove>| moves.iter().any(is_unclear);
        match stage {
            Stage::Position | Stage::Moves => true,
            Stage::Distance => self.seeks_distance(),
            Stage::Estimates => self.following.is_none() && self.moves.as_ref().is_none_or(is_open),
        }
    }

    /// When the call has to end; `None` if the search has no limit of time.
    fn ends(&self) -> Option<Duration> {
        let begun = self.stage_begun;
        let is_followed = self.following.is_some();
        self.limits.time.map(|limit| match self.stage {
            // The moves need time too; what they leave goes to the distance.
            Stage::Distance if self.rest.contains(&Stage::Moves) => {
                limit - limit.saturating_sub(begun) / 2
            }
            _ if is_followed => limit,
            Stage::Position if self.question.moves => without_estimates(limit),
            Stage::Moves if self.solver.wdl().is_none() => without_estimates(limit),
            // A quarter of all, also if the proofs have ended early.
            Stage::Estimates => limit.min(begun + begun / 3),
            _ => limit,
        })
    }

    /// Whether an exact distance is asked for, there is one, and it is not known yet.
    fn seeks_distance(&self) -> bool {
        let is_decided = matches!(self.solver.wdl(), Some(Wdl::Win | Wdl::Loss));
        self.question.exact && is_decided && self.solver.result().exact().is_none()
    }

    /// What the search has taken so far, and if a part of the answer is left out, why.
    fn effort(&self, left_out: Option<Stop>) -> Effort {
        let result = self.solver.result();
        // Looking at the moves may have found what there was no time or room for.
        let is_found = match self.question.exact {
            true => result.exact().is_some(),
            false => result.wdl().is_some(),
        };
        let stop = match (self.stop, self.of_moves) {
            (Stop::Cancelled, _) | (_, Stop::Cancelled) => Stop::Cancelled,
            (of_value, _) if of_value != Stop::Solved && !is_found => of_value,
            (_, Stop::Solved) => left_out.unwrap_or(Stop::Solved),
            (_, of_moves) => of_moves,
        };
        Effort { positions: self.positions(), time: self.time, stop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::Silent;
    use lasca_tablebase::rules::RuleSet;

    /// A search of a position that has found all, and what it finds so far if there is no time to tell it.
    fn finished(question: Question, position: &str) -> (Search, Answer) {
        let position = position.parse().unwrap();
        let mut search = question.search(&position, SearchLimits::default()).unwrap();
        while !search.go_on(None, &Silent).unwrap() {}
        let (answer, left_out) =
            Telling::new(&mut search, &Budget::new(Some(Duration::ZERO), 1, &Silent))
                .tell()
                .unwrap();
        let effort = Some(search.effort(left_out));
        (search, Answer { effort, ..answer })
    }

    #[test]
    fn what_there_is_no_time_to_tell_is_left_out_for_want_of_time() {
        let plain = || Question::new(RuleSet::Lasca);
        for (asked, without_time) in [
            // It was only asked who wins.
            (plain(), Stop::Solved),
            (Question { exact: true, ..plain() }, Stop::Solved),
            (Question { line: true, ..plain() }, Stop::Time),
            (Question { line: true, exact: true, ..plain() }, Stop::Time),
            (Question { moves: true, proofs: true, ..plain() }, Stop::Time),
        ] {
            let (mut search, answer) = finished(asked.clone(), "c5w e5W d2b w");
            assert_eq!(answer.effort.unwrap().stop, without_time, "{asked:?}");
            assert_eq!(answer.value.wdl(), Some(Wdl::Win), "{asked:?}");
            assert!(
                answer.proofs.is_none() && answer.line.is_none_or(|line| line.moves.is_empty())
            );
            let answer = search.answer(&Silent).unwrap();
            assert_eq!(answer.effort.unwrap().stop, Stop::Solved, "{asked:?}");
            assert_eq!(answer.proofs.is_some(), asked.proofs);
        }
    }

    #[test]
    fn moves_are_searched_in_parts_that_are_shorter_than_a_pass() {
        let question = Question { moves: true, ..Question::new(RuleSet::Lasca) };
        let position = "c5w e5W d2b w".parse().unwrap();
        let mut search = question.search(&position, SearchLimits::default()).unwrap();
        while search.stage() != Stage::Moves {
            search.go_on(None, &Silent).unwrap();
        }
        let met = search.positions();
        search.solver.seem_slow();
        search.go_on(Some(Duration::from_secs(1)), &Silent).unwrap();
        assert!(search.positions() > met);
    }

    #[test]
    fn a_part_finds_something_however_short_it_is() {
        let question = Question::new(RuleSet::Lasca);
        let mut search = question.search(&Position::start(), SearchLimits::default()).unwrap();
        for _ in 0..10 {
            let met = search.positions();
            search.go_on(Some(Duration::ZERO), &Silent).unwrap();
            assert!(search.positions() > met);
        }
    }

    #[test]
    fn replies_to_moves_that_draw_are_counted_only_as_long_as_there_is_time() {
        let moves = Question { moves: true, ..Question::new(RuleSet::Lasca) };
        let (mut search, answer) = finished(moves, "d2W a5B c5B e5W b");
        assert_eq!((answer.value.wdl(), &answer.replies), (Some(Wdl::Draw), &Vec::new()));
        assert_eq!(answer.best_move(), Some(&answer.moves.as_ref().unwrap()[0]));
        let answer = search.answer(&Silent).unwrap();
        assert_eq!(answer.replies.len(), answer.moves.unwrap().len());
    }
}
