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
        let tables = match self.exact {
            true => with_distances(&self.tables, position)?,
            false => self.tables.clone(),
        };
        let question = Question { moves: self.moves || self.proofs, ..self.clone() };
        Ok(Search {
            solver: Solver::new(position, tables, limits.memory)?,
            limits,
            calls: if question.moves { &CALLS } else { &CALLS[..2] },
            begun: Duration::ZERO,
            time: Duration::ZERO,
            stop: Stop::Time,
            of_moves: if question.moves { Stop::Time } else { Stop::Solved },
            question,
            moves: None,
        })
    }
}

/// A search that can be done in parts: see [`Question::search`].
#[derive(Debug)]
pub struct Search {
    question: Question,
    solver: Solver,
    limits: SearchLimits,
    /// The calls that are left. The first one may have begun.
    calls: &'static [Stage],
    /// When it began, in the time of the search, which does not go on between its parts.
    begun: Duration,
    /// The time that the parts so far took.
    time: Duration,
    /// Why the search for who wins and for the distance ended, and why that for the moves did.
    stop: Stop,
    of_moves: Stop,
    /// The moves as they were listed last.
    moves: Option<Vec<RatedMove>>,
}

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
        if let Some(stage) = self.stage() {
            self.take(stage, &budget)?;
            self.time = budget.elapsed();
        }
        Ok(self.calls.is_empty())
    }

    /// What is found so far. If moves are asked for, they are listed at any stage; before the stage that rates them, most
    /// of them are still open. Distances and lines take a pass over all positions that were met, which has the time of
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

    /// What is found out next; `None` if the search is over.
    pub fn stage(&self) -> Option<Stage> {
        self.calls.first().copied()
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

    /// Makes a call, until it ends or it is time to pause.
    fn take(&mut self, stage: Stage, budget: &Budget<'_>) -> Result<(), ProbeError> {
        let left = |ends: Duration| ends.saturating_sub(self.time);
        let share = budget.within(self.ends(stage).map(left));
        let stop = match stage {
            Stage::Position => self.solver.run(&share)?,
            // If there is no room for this, the bound that is proved stays.
            Stage::Distance => self.solver.exact(&share)?,
            Stage::Moves => self.solver.rate_moves(&share)?,
            Stage::Estimates => self.solver.estimate_moves(&share)?,
        };
        match stage {
            Stage::Position | Stage::Distance => self.stop = stop,
            Stage::Estimates if stop != Stop::Cancelled => {}
            Stage::Moves | Stage::Estimates => self.of_moves = stop,
        }
        if stop == Stop::Time && share.is_paused() {
            // The next part goes on with this call.
            return Ok(());
        }
        if stage == Stage::Moves && stop != Stop::Cancelled {
            // The calls after this one may leave no room for it.
            Telling::new(self, &budget.afterwards()).list_moves()?;
        }
        let next = self.calls.iter().skip(1).position(|&stage| self.is_open(stage));
        self.calls = next.map_or(&[], |next| &self.calls[1 + next..]);
        self.begun = budget.elapsed();
        Ok(())
    }

    /// Whether a call can find out something.
    fn is_open(&self, stage: Stage) -> bool {
        let is_open = |moves: &Vec<RatedMove>| moves.iter().any(is_unclear);
        match stage {
            Stage::Position | Stage::Moves => true,
            Stage::Distance => self.seeks_distance(),
            Stage::Estimates => self.moves.as_ref().is_none_or(is_open),
        }
    }

    /// When the call that begins has to end; `None` if the search has no limit of time.
    fn ends(&self, stage: Stage) -> Option<Duration> {
        let begun = self.begun;
        self.limits.time.map(|limit| match stage {
            // The moves need time too; what they leave goes to the distance.
            Stage::Distance if self.calls.contains(&Stage::Moves) => {
                limit - limit.saturating_sub(begun) / 2
            }
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
        while search.stage() != Some(Stage::Moves) {
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
