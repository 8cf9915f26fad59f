//! Answers that are searched.

use super::{Answer, Effort, Proof, Question, SearchLimits};
use crate::portable::Instant;
use crate::probe::{Line, RatedMove, Standing};
use crate::rules::Position;
use crate::search::{Limits, SearchError, Solver, Stop, Watch};
use crate::{Silent, Value, ValueRange, Wdl};
use std::mem;
use std::time::Duration;

/// What a search is finding out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Who wins.
    Position,
    /// The exact distance.
    Distance,
    /// What each move is worth.
    Moves,
}

/// Follows a search.
pub trait Follow: Watch {
    /// The search goes on to another stage.
    fn begins(&self, _stage: Stage) {}

    /// How long to look at the moves at first before the result so far is told; later it takes twice
    /// as long each time. `None` if it need not be told.
    fn first_look(&self) -> Option<Duration> {
        None
    }

    /// What is found so far. More may follow.
    fn found(&self, _found: &Answer) {}

    /// Whether nobody waits for the result any more. Then it need not be worked out.
    fn is_gone(&self) -> bool {
        false
    }
}

/// Is told, and says nothing.
impl Follow for Silent {}

impl<'a> Question<'a> {
    /// Searches the position. The tables help, unless the exact distance is asked for and they have no
    /// distances, which they would hide.
    ///
    /// What the limits do not allow to find is left open. [`Effort::stop`] tells why.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn by_search(
        &self,
        position: &Position,
        search: SearchLimits<'_>,
        follow: &dyn Follow,
    ) -> Result<Answer, SearchError> {
        let mut searching = self.search(position, search)?;
        searching.go_on(None, follow)?;
        searching.answer(follow)
    }

    /// A search of the position that has not begun, for those who search in parts. Otherwise it is as
    /// [`Question::by_search`].
    ///
    /// ```
    /// use lasca_tablebase::answer::{Question, SearchLimits};
    /// use lasca_tablebase::rules::RuleSet;
    /// use lasca_tablebase::search::{Limits, Stop};
    /// use lasca_tablebase::{Silent, Value};
    /// use std::time::Duration;
    /// let question = Question { exact: true, ..Question::new(RuleSet::Lasca) };
    /// let limits = SearchLimits { limits: Limits::default(), memory: 1 << 24 };
    /// let mut search = question.search(&"c5w e5W d2b w".parse()?, limits)?;
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
    pub fn search<'b>(
        &self,
        position: &Position,
        limits: SearchLimits<'b>,
    ) -> Result<Search<'a, 'b>, SearchError> {
        let basis = match self.exact {
            true => self.basis.with_distances(position)?,
            false => self.basis,
        };
        Ok(Search {
            question: Question { moves: self.moves || self.proofs, ..*self },
            solver: Solver::new(position, basis, limits.memory)?,
            limits: limits.limits,
            next: Some(Step::Position),
            step_has_begun: false,
            step_ends: limits.limits.time,
            taken: Duration::ZERO,
            part_begun: None,
            part_ends: None,
            look: None,
            stop: Stop::Solved,
            of_moves: Stop::Solved,
            moves: None,
        })
    }
}

/// A search that can be done in parts: see [`Question::search`].
pub struct Search<'a, 'b> {
    question: Question<'a>,
    solver: Solver<'a>,
    limits: Limits<'b>,
    /// What is to be done next; `None` if all is done.
    next: Option<Step>,
    step_has_begun: bool,
    /// When the step has to end, in the time of the search, which does not go on between its parts; `None` if
    /// it has no limit.
    step_ends: Option<Duration>,
    /// The time that the parts before took.
    taken: Duration,
    /// When this part began; `None` between two parts.
    part_begun: Option<Instant>,
    /// When the part ends, in the time of the search; `None` if it goes on to the end.
    part_ends: Option<Duration>,
    /// If results are told while the moves are looked at: how long to look next, and when the look under way
    /// ends, in the time of the search.
    look: Option<(Duration, Duration)>,
    /// Why the search for who wins and for the distance ended, and why that for the moves did.
    stop: Stop,
    of_moves: Stop,
    moves: Option<Vec<RatedMove>>,
}

/// What a search does, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Position,
    /// The distance, with half of the time if the moves need some too.
    Distance,
    Moves,
    /// The distance again: what the moves leave of the time goes to it.
    DistanceAfterMoves,
}

impl<'b> Search<'_, 'b> {
    /// Searches for so long, or to the end. The time between two calls does not count for the limit of time.
    /// Returns whether the search is over. If it is not, a call with more time finds out more.
    ///
    /// A part can end earlier or later than it should, as some work is done as a whole or not at all. If all
    /// parts were too short for that work, the search would never end: let them become longer in proportion to
    /// the time that the search has taken.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn go_on(
        &mut self,
        time: Option<Duration>,
        follow: &dyn Follow,
    ) -> Result<bool, SearchError> {
        self.part_ends = time.map(|time| self.taken + time);
        self.in_a_part(|search| search.take_steps(follow))
    }

    /// What is found so far.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn answer(&mut self, follow: &dyn Follow) -> Result<Answer, SearchError> {
        self.in_a_part(|search| {
            let mut answer = search.so_far(follow)?;
            if search.question.proofs {
                search.add_proofs(&mut answer)?;
                answer.effort = Some(search.effort());
            }
            Ok(answer)
        })
    }

    /// Does work that counts for the time of the search.
    fn in_a_part<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.part_begun = Some(Instant::now());
        let done = work(self);
        self.taken = self.time();
        self.part_begun = None;
        done
    }

    /// Takes steps until the part or the search is over, and returns whether the search is.
    fn take_steps(&mut self, follow: &dyn Follow) -> Result<bool, SearchError> {
        while let Some(step) = self.next {
            let is_done = match step {
                Step::Position => {
                    self.begins(Stage::Position, follow);
                    self.stop = self.solver.run(&self.limits_of_step(), follow)?;
                    self.is_done(self.stop)
                }
                Step::Distance | Step::DistanceAfterMoves => self.narrow(follow)?,
                Step::Moves => self.rate_moves(follow)?,
            };
            if !is_done {
                return Ok(false);
            }
            if step == Step::DistanceAfterMoves && self.moves.is_some() {
                // What was found out since may shorten the proofs.
                self.list_moves(follow)?;
            }
            self.next = match step {
                Step::Position => Some(Step::Distance),
                Step::Distance => self.question.moves.then_some(Step::Moves),
                Step::Moves => Some(Step::DistanceAfterMoves),
                Step::DistanceAfterMoves => None,
            };
            self.step_has_begun = false;
            // The moves need time too; what they leave goes to the distance.
            let has_half = self.next == Some(Step::Distance) && self.question.moves;
            let half = |limit: Duration| limit - self.left_of(limit) / 2;
            self.step_ends =
                self.limits.time.map(|limit| if has_half { half(limit) } else { limit });
        }
        Ok(true)
    }

    /// Tells that a stage begins, unless this step has begun it before. Returns whether it has not.
    fn begins(&mut self, stage: Stage, follow: &dyn Follow) -> bool {
        let is_new = !mem::replace(&mut self.step_has_begun, true);
        if is_new {
            follow.begins(stage);
        }
        is_new
    }

    /// The limits of what is left of the step in this part.
    fn limits_of_step(&self) -> Limits<'b> {
        let ends = [self.step_ends, self.part_ends].into_iter().flatten().min();
        Limits { time: ends.map(|ends| self.left_of(ends)), ..self.limits }
    }

    /// Whether a step is done that stopped for this reason, and not only its part.
    fn is_done(&self, stop: Stop) -> bool {
        let part_is_shorter =
            self.part_ends.is_some_and(|part| self.step_ends.is_none_or(|step| part < step));
        stop != Stop::Time || !part_is_shorter
    }

    fn effort(&self) -> Effort {
        Effort {
            positions: self.solver.status().positions,
            time: self.time(),
            stop: if self.stop == Stop::Solved { self.of_moves } else { self.stop },
        }
    }

    /// The time that the search has taken.
    pub fn time(&self) -> Duration {
        self.taken + self.part_begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }

    /// The time that is left to this end.
    fn left_of(&self, end: Duration) -> Duration {
        end.saturating_sub(self.time())
    }

    /// Seeks the exact distance, if it is asked for, there is one, and it is not known yet. If there is
    /// no room for that, the bound that is proved stays. Returns whether this is done.
    fn narrow(&mut self, follow: &dyn Follow) -> Result<bool, SearchError> {
        let is_decided = matches!(self.solver.wdl(), Some(Wdl::Win | Wdl::Loss));
        let is_exact = self.solver.result().exact().is_some();
        if is_exact && self.stop == Stop::Time {
            // Looking at the moves has found what there was no time for.
            self.stop = Stop::Solved;
        }
        if !self.question.exact || !is_decided || is_exact || follow.is_gone() {
            return Ok(true);
        }
        self.begins(Stage::Distance, follow);
        let limits = self.limits_of_step();
        let narrowed = or_full(self.solver.exact(&limits, follow), &mut self.stop)?;
        self.stop = narrowed.unwrap_or(self.stop);
        Ok(self.is_done(self.stop))
    }

    /// Looks at the moves, and tells now and then what is found so far. Returns whether this is done.
    fn rate_moves(&mut self, follow: &dyn Follow) -> Result<bool, SearchError> {
        if self.begins(Stage::Moves, follow) {
            self.look = follow.first_look().map(|look| (look, self.time()));
        }
        loop {
            if let Some((look, ends)) = self.look
                && ends <= self.time()
            {
                let so_far = self.so_far(follow)?;
                follow.found(&so_far);
                self.look = Some((look.saturating_mul(2), self.time().saturating_add(look)));
            }
            if follow.is_gone() {
                return Ok(true);
            }
            let ends = self.look.map(|(_, ends)| self.left_of(ends));
            let limits = self.limits_of_step();
            let time = [ends, limits.time].into_iter().flatten().min();
            let rated = self.solver.rate_moves(&Limits { time, ..limits }, follow);
            let Some(stop) = or_full(rated, &mut self.of_moves)? else { return Ok(true) };
            self.of_moves = stop;
            self.list_moves(follow)?;
            let now = self.time();
            let is_over = |end: Option<Duration>| end.is_some_and(|end| now >= end);
            match &mut self.look {
                _ if stop != Stop::Time || is_over(self.step_ends) => return Ok(true),
                None => return Ok(self.is_done(stop)),
                Some(_) if is_over(self.part_ends) => return Ok(false),
                // It may have stopped a little early.
                Some((_, ends)) => *ends = Duration::ZERO,
            }
        }
    }

    /// Lists the moves with what is proved of them.
    fn list_moves(&mut self, follow: &dyn Follow) -> Result<(), SearchError> {
        if !follow.is_gone() {
            let position = *self.solver.position();
            let proved = or_full(self.solver.proved_moves(&position), &mut self.of_moves)?;
            self.moves = proved.or(self.moves.take());
        }
        Ok(())
    }

    /// What is found so far, without the proofs of the moves.
    fn so_far(&mut self, follow: &dyn Follow) -> Result<Answer, SearchError> {
        let position = *self.solver.position();
        let is_gone = follow.is_gone();
        let Question { exact, moves, line, .. } = self.question;
        // If memory fails here, or a table does not tell its distances, it is still proved who wins.
        let value = match self.solver.value() {
            _ if is_gone => None,
            Err(SearchError::Probe(_)) if !(exact || moves || line) => None,
            value => or_full(value, &mut self.stop)?,
        };
        let value = value.unwrap_or(self.solver.result());
        let line = match self.question.line && !is_gone {
            true => or_full(self.solver.line(), &mut self.stop)?,
            false => None,
        };
        let line = line.map(|moves| self.line(&position, moves, value)).unwrap_or_default();
        Ok(Answer {
            position,
            value,
            moves: self.moves.clone().map(|moves| within(moves, value)),
            proofs: None,
            line: self.question.line.then_some(line),
            effort: Some(self.effort()),
        })
    }

    fn line(&self, start: &Position, moves: Vec<RatedMove>, value: ValueRange) -> Line {
        Line::new(start, moves, self.question.basis.rules(), value.exact().is_some())
    }

    /// Adds what proves the value of each move.
    fn add_proofs(&mut self, answer: &mut Answer) -> Result<(), SearchError> {
        let moves = answer.moves.as_deref().unwrap_or_default();
        let values: Vec<ValueRange> = moves.iter().map(|rated| rated.value).collect();
        let mut proofs = Vec::new();
        for (i, RatedMove { after, value, .. }) in moves.iter().enumerate() {
            let wdl = value.wdl();
            let line = match wdl {
                Some(_) => or_full(self.solver.line_from(after), &mut self.stop)?,
                None => None,
            };
            let replies = match wdl {
                Some(Wdl::Draw) => or_full(self.solver.proved_moves(after), &mut self.stop)?,
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
                replies: after.successors(self.question.basis.rules()).len(),
                holding,
                open_replies,
            });
        }
        answer.proofs = Some(proofs);
        Ok(())
    }
}

/// The moves of a position with this value, which says more about them.
fn within(mut moves: Vec<RatedMove>, of_position: ValueRange) -> Vec<RatedMove> {
    let best: Vec<Value> = moves.iter().map(|rated| rated.value.best()).collect();
    for (i, rated) in moves.iter_mut().enumerate() {
        let others = best.iter().enumerate().filter(|&(other, _)| other != i);
        // No move is better than its position, and if all others are worse, this one is as good.
        let is_best = others.map(|(_, &best)| best).max() < Some(of_position.worst());
        let worst = if is_best { of_position.worst() } else { Value::Loss(0) };
        let possible = ValueRange::new(worst, of_position.best()).unwrap_or(of_position);
        rated.value = rated.value.and(possible);
    }
    moves
}

/// A result that may be left out if memory is not enough for it. Then the search has stopped for want
/// of memory.
fn or_full<T>(result: Result<T, SearchError>, stop: &mut Stop) -> Result<Option<T>, SearchError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(SearchError::Memory { .. }) => {
            *stop = Stop::Memory;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
