//! Answers that are searched.

use super::{Answer, Effort, Proof, Question, Replies, SearchLimits};
use crate::search::{Budget, Solver, Stop, sort_moves, with_distances};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Standing};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, Reason, Value, ValueRange, Wdl};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::time::Duration;

/// What a search is finding out, in this order.
///
/// | stage | when it ends at the latest, if there is a limit of time | when it is skipped |
/// | --- | --- | --- |
/// | position | at three quarters of the time if moves are asked for, otherwise at the end | never |
/// | distance | halfway to the end if moves are asked for, otherwise at the end | it is not asked for, or known |
/// | moves | at three quarters of the time if the position is open, otherwise at the end | they are not asked for |
/// | distance once more | at the end | it is not asked for, or known |
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
            stage: Stage::Position,
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

/// How many of the open moves that look best have a line.
const ESTIMATED_LINES: usize = 2;

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
        let (mut answer, mut left_out) = self.tell(&budget.afterwards())?;
        if left_out == Some(Stop::Cancelled) {
            // It was asked to stop meanwhile.
            (answer, left_out) = self.tell(&budget.afterwards())?;
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

    /// Searches until the stage is over, or until it is time to pause. Then begins the next stage. Returns whether there
    /// is none.
    fn take(&mut self, budget: &Budget<'_>) -> Result<bool, ProbeError> {
        let left = |ends: Duration| ends.saturating_sub(self.time);
        let of_stage = budget.within(self.stage_ends().map(left));
        let stop = match self.stage {
            Stage::Position => {
                self.stop = self.solver.run(&of_stage)?;
                self.stop
            }
            Stage::Distance => {
                // If there is no room for this, the bound that is proved stays.
                self.stop = self.solver.exact(&of_stage)?;
                self.stop
            }
            Stage::Moves => {
                self.of_moves = self.solver.rate_moves(&of_stage)?;
                self.has_looked_at_moves = true;
                self.of_moves
            }
            Stage::Estimates => {
                let stop = self.solver.estimate_moves(&of_stage)?;
                if stop == Stop::Cancelled {
                    self.of_moves = stop;
                }
                stop
            }
        };
        if stop == Stop::Time && of_stage.is_paused() {
            // The next part goes on with this stage.
            return Ok(false);
        }
        if self.stage == Stage::Moves && stop != Stop::Cancelled {
            // The stages after this one may leave no room for it.
            self.list_moves(&FxHashMap::default(), &budget.afterwards(), &mut None)?;
        }
        match self.next_stage() {
            Some(next) => {
                (self.stage, self.stage_begun) = (next, budget.elapsed());
                if let (Stage::Moves, Some(following)) = (next, &mut self.following) {
                    // What is found of the position is told at once.
                    following.next = Duration::ZERO;
                }
            }
            None => self.is_over = true,
        }
        Ok(self.is_over)
    }

    /// What is to be found out after this stage.
    fn next_stage(&self) -> Option<Stage> {
        let distance = self.seeks_distance();
        let has_open = || self.moves.as_ref().is_none_or(|moves| moves.iter().any(is_unclear));
        match self.stage {
            Stage::Position if distance => Some(Stage::Distance),
            Stage::Position | Stage::Distance if self.moves_are_next() => Some(Stage::Moves),
            Stage::Moves if distance && self.of_moves != Stop::Cancelled => Some(Stage::Distance),
            Stage::Moves | Stage::Distance
                if self.question.moves && self.following.is_none() && has_open() =>
            {
                Some(Stage::Estimates)
            }
            _ => None,
        }
    }

    /// When the stage has to end; `None` if the search has no limit of time.
    fn stage_ends(&self) -> Option<Duration> {
        let begun = self.stage_begun;
        let is_followed = self.following.is_some();
        self.limits.time.map(|limit| match self.stage {
            // The moves need time too; what they leave goes to the distance.
            Stage::Distance if self.moves_are_next() => limit - limit.saturating_sub(begun) / 2,
            _ if is_followed => limit,
            Stage::Position if self.question.moves => without_estimates(limit),
            Stage::Moves if self.solver.wdl().is_none() => without_estimates(limit),
            // A quarter of all, also if the proofs have ended early.
            Stage::Estimates => limit.min(begun + begun / 3),
            _ => limit,
        })
    }

    /// Whether the moves are asked for and have not had their turn.
    fn moves_are_next(&self) -> bool {
        self.question.moves && !self.has_looked_at_moves
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

    /// What is found so far, and if a part of it is left out, why.
    fn tell(&mut self, budget: &Budget<'_>) -> Result<(Answer, Option<Stop>), ProbeError> {
        let mut left_out = None;
        let mut answer = self.so_far(budget, &mut left_out)?;
        if self.question.proofs {
            self.add_proofs(&mut answer, budget, &mut left_out)?;
        }
        if self.lacks_distances(&answer) {
            left_out.get_or_insert(budget.why_over());
        }
        Ok((answer, left_out))
    }

    /// Whether a line or moves with a winner are told without distances, as the pass for them has not ended.
    fn lacks_distances(&self, answer: &Answer) -> bool {
        let of_line = self.question.line.then_some(answer.value);
        let of_moves = answer.moves.iter().flatten().map(|rated| rated.value);
        let is_decided = |value: ValueRange| matches!(value.wdl(), Some(Wdl::Win | Wdl::Loss));
        !self.solver.has_distances() && of_line.into_iter().chain(of_moves).any(is_decided)
    }

    /// Lists the moves with what is proved of them. `estimates` are those of the positions that they lead to.
    fn list_moves(
        &mut self,
        estimates: &FxHashMap<Position, i8>,
        budget: &Budget<'_>,
        left_out: &mut Option<Stop>,
    ) -> Result<(), ProbeError> {
        let position = *self.solver.position();
        let found = self.solver.proved_moves(&position, budget);
        let Some(mut moves) = or_full(found, left_out)? else { return Ok(()) };
        for rated in &mut moves {
            rated.value = rated.value.and(self.of_tables(&rated.after)?.before_move());
        }
        sort_moves(&mut moves);
        // Those that are unclear in the same way stand together.
        let kind = |rated: &RatedMove| (is_unclear(rated), rated.value.wdl());
        for run in moves.chunk_by_mut(|a, b| kind(a) == kind(b)) {
            if is_unclear(&run[0]) {
                run.sort_by_key(|rated| Reverse(estimates.get(&rated.after)));
            }
        }
        self.moves = Some(moves);
        Ok(())
    }

    /// Who wins, if tables tell that, which do not help the search where they have no distances.
    fn of_tables(&self, position: &Position) -> Result<ValueRange, ProbeError> {
        let Question { tables, exact, .. } = &self.question;
        let wdl = if *exact { tables.try_wdl(position)? } else { None };
        Ok(wdl.map_or(ValueRange::UNKNOWN, ValueRange::from))
    }

    /// What is found so far, without the proofs of the moves.
    fn so_far(
        &mut self,
        budget: &Budget<'_>,
        left_out: &mut Option<Stop>,
    ) -> Result<Answer, ProbeError> {
        let position = *self.solver.position();
        let Question { exact, moves, line, .. } = self.question;
        // If memory fails here, or a table does not tell its distances, it is still proved who wins.
        let value = match self.solver.value(budget) {
            Err(error) if !(exact || moves || line || is_of_room(&error)) => None,
            value => or_full(value, left_out)?,
        };
        let value = value.unwrap_or(self.solver.result()).and(self.of_tables(&position)?);
        let estimates = self.solver.estimates().collect();
        if self.has_looked_at_moves || self.following.is_some() {
            self.list_moves(&estimates, budget, left_out)?;
        }
        let line = match (self.question.line, self.solver.wdl()) {
            (true, Some(_)) => or_full(self.solver.line_from(&position, budget), left_out)?,
            (true, None) => Some(Vec::new()),
            (false, _) => None,
        };
        let line = line.map(|moves| self.line(&position, moves, value)).unwrap_or_default();
        let moves = self.moves.clone().map(|moves| within(moves, value));
        let estimate = |rated: &RatedMove| match rated.value.wdl() {
            Some(_) => None,
            None => estimates.get(&rated.after).copied(),
        };
        let estimates: Vec<Option<i8>> = moves.iter().flatten().map(estimate).collect();
        let mut lines = 0;
        let estimated_line = |(rated, estimate): (&RatedMove, &Option<i8>)| {
            lines += usize::from(estimate.is_some());
            match estimate.is_some() && lines <= ESTIMATED_LINES {
                true => self.estimated_line(&rated.after),
                false => Ok(Vec::new()),
            }
        };
        let estimated_lines = moves.iter().flatten().zip(&estimates).map(estimated_line);
        let mut answer = Answer {
            position,
            value,
            estimated_lines: estimated_lines.collect::<Result<_, ProbeError>>()?,
            estimates,
            moves,
            proofs: None,
            line: self.question.line.then_some(line),
            effort: None,
            replies: Vec::new(),
            before: Vec::new(),
        };
        answer.count_replies(|after| {
            // There may be very many replies to each of very many moves.
            if budget.is_over() {
                return Ok(None);
            }
            let counted = or_full(self.solver.replies_that_may_hold(after), left_out)?;
            Ok::<_, ProbeError>(counted.map(|(may_hold, all)| Replies { may_hold, all }))
        })?;
        Ok(answer)
    }

    /// The play that is expected after an open move.
    fn estimated_line(&self, after: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let rated = |(played, after)| RatedMove { played, after, value: ValueRange::UNKNOWN };
        Ok(self.solver.estimated_line(after)?.into_iter().map(rated).collect())
    }

    fn line(&self, start: &Position, moves: Vec<RatedMove>, value: ValueRange) -> Line {
        let is_exact = |value: ValueRange| value.exact().is_some();
        let is_best = is_exact(value) && moves.iter().all(|rated| is_exact(rated.value));
        Line::new(start, moves, is_best)
    }

    /// Adds what proves the value of each move.
    fn add_proofs(
        &mut self,
        answer: &mut Answer,
        budget: &Budget<'_>,
        left_out: &mut Option<Stop>,
    ) -> Result<(), ProbeError> {
        let Some(moves) = answer.moves.as_deref() else { return Ok(()) };
        let values: Vec<ValueRange> = moves.iter().map(|rated| rated.value).collect();
        let mut proofs = Vec::new();
        for (i, RatedMove { after, value, .. }) in moves.iter().enumerate() {
            // There may be very many moves, which are compared with each other.
            if budget.is_over() {
                left_out.get_or_insert(budget.why_over());
                return Ok(());
            }
            let legal = after.moves(self.question.tables.rules()).map_err(ProbeError::from);
            let Some(legal) = or_full(legal, left_out)? else { return Ok(()) };
            let wdl = value.wdl();
            let line = match wdl {
                Some(_) => or_full(self.solver.line_from(after, budget), left_out)?,
                None => None,
            };
            let replies = match wdl {
                Some(Wdl::Draw) => or_full(self.solver.proved_moves(after, budget), left_out)?,
                _ => None,
            };
            let replies = replies.map(|replies| within(replies, Value::Draw.into()));
            let open = |reply: &&RatedMove| reply.value.wdl().is_none();
            let open_replies = replies.iter().flatten().filter(open).count();
            let holding = replies.map(|mut replies| {
                replies.retain(|reply| reply.value == Value::Draw);
                replies
            });
            let as_good = values.iter().filter(|value| wdl.is_some() && value.wdl() == wdl).count();
            proofs.push(Proof {
                // Of moves with the same result, it may be open which wins soonest or loses latest.
                standing: Standing::of(&values, i).or_else(|| {
                    (wdl == answer.value.wdl() && as_good > 1).then_some(Standing::Keeps)
                }),
                line: self.line(after, line.unwrap_or_default(), *value),
                replies: legal.len(),
                holding,
                open_replies,
            });
        }
        answer.proofs = Some(proofs);
        Ok(())
    }
}

/// Whether it is not known how a move reaches its result: the result is open, or it wins in an unknown number of
/// plies.
fn is_unclear(rated: &RatedMove) -> bool {
    rated.value.wdl().is_none_or(|wdl| wdl == Wdl::Win && rated.value.at_most().is_none())
}

/// The moves of a position with this value, which says more about them.
fn within(mut moves: Vec<RatedMove>, of_position: ValueRange) -> Vec<RatedMove> {
    let mut best: Vec<Value> = moves.iter().map(|rated| rated.value.best()).collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    for rated in &mut moves {
        let of_others = best.get(usize::from(rated.value.best() == best[0]));
        // No move is better than its position, and if all others are worse, this one is as good.
        let is_best = of_others < Some(&of_position.worst());
        let worst = if is_best { of_position.worst() } else { Value::Loss(0) };
        let possible = ValueRange::new(worst, of_position.best()).unwrap_or(of_position);
        rated.value = rated.value.and(possible);
    }
    moves
}

/// Whether a part of the answer is left out, as there is no room for it or there are too many moves.
fn is_of_room(error: &ProbeError) -> bool {
    matches!(error, ProbeError::SearchMemory { .. } | ProbeError::TooManyMoves(_))
}

/// A part of the answer, which is left out if there is no room for it or there are too many moves.
fn or_full<T>(
    result: Result<T, ProbeError>,
    left_out: &mut Option<Stop>,
) -> Result<Option<T>, ProbeError> {
    match result {
        Err(ProbeError::SearchMemory { .. }) => {
            left_out.get_or_insert(Stop::Memory);
            Ok(None)
        }
        Err(error) if error.reason() == Reason::TooManyMoves => {
            left_out.get_or_insert(Stop::TooManyMoves);
            Ok(None)
        }
        result => result.map(Some),
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
            search.tell(&Budget::new(Some(Duration::ZERO), 1, &Silent)).unwrap();
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
