//! Answers that are searched.

use super::{Answer, Effort, Proof, Question, SearchLimits};
use crate::portable::Instant;
use crate::probe::{Line, RatedMove, Standing};
use crate::rules::Position;
use crate::search::{Limits, SearchError, Solver, Stop, Watch};
use crate::{Silent, Value, ValueRange, Wdl};
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

impl Question<'_> {
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
        let begun = Instant::now();
        let basis = match self.exact {
            true => self.basis.with_distances(position)?,
            false => self.basis,
        };
        let solver = Solver::new(position, basis, search.memory)?;
        let question = Question { moves: self.moves || self.proofs, ..*self };
        Search {
            question,
            solver,
            search,
            follow,
            begun,
            stop: Stop::Solved,
            of_moves: Stop::Solved,
            moves: None,
        }
        .run()
    }
}

/// A search under way, and what it has found.
struct Search<'a> {
    question: Question<'a>,
    solver: Solver<'a>,
    search: SearchLimits<'a>,
    follow: &'a dyn Follow,
    begun: Instant,
    /// Why the search for who wins and for the distance ended, and why that for the moves did.
    stop: Stop,
    of_moves: Stop,
    moves: Option<Vec<RatedMove>>,
}

impl Search<'_> {
    fn run(mut self) -> Result<Answer, SearchError> {
        self.follow.begins(Stage::Position);
        let limits = Limits { time: self.left(), ..self.search.limits };
        self.stop = self.solver.run(&limits, self.follow)?;
        // The moves need time too; what they leave goes to the distance.
        self.narrow(self.left().map(|left| if self.question.moves { left / 2 } else { left }))?;
        if self.question.moves {
            self.rate_moves()?;
            self.narrow(self.left())?;
            if self.moves.is_some() {
                // What was found out since may shorten the proofs.
                self.list_moves()?;
            }
        }
        let mut answer = self.answer()?;
        if self.question.proofs {
            self.add_proofs(&mut answer)?;
            answer.effort = Some(self.effort());
        }
        Ok(answer)
    }

    fn effort(&self) -> Effort {
        Effort {
            positions: self.solver.status().positions,
            time: self.begun.elapsed(),
            stop: if self.stop == Stop::Solved { self.of_moves } else { self.stop },
        }
    }

    /// The time that is left; `None` if there is no limit.
    fn left(&self) -> Option<Duration> {
        self.search.limits.time.map(|limit| limit.saturating_sub(self.begun.elapsed()))
    }

    /// Seeks the exact distance, if it is asked for, there is one, and it is not known yet. If there is
    /// no room for that, the bound that is proved stays.
    fn narrow(&mut self, time: Option<Duration>) -> Result<(), SearchError> {
        let is_decided = matches!(self.solver.wdl(), Some(Wdl::Win | Wdl::Loss));
        let is_exact = self.solver.result().exact().is_some();
        if !self.question.exact || !is_decided || is_exact || self.follow.is_gone() {
            return Ok(());
        }
        self.follow.begins(Stage::Distance);
        let limits = Limits { time, ..self.search.limits };
        let narrowed = or_full(self.solver.exact(&limits, self.follow), &mut self.stop)?;
        self.stop = narrowed.unwrap_or(self.stop);
        Ok(())
    }

    /// Looks at the moves, and tells now and then what is found so far.
    fn rate_moves(&mut self) -> Result<(), SearchError> {
        self.follow.begins(Stage::Moves);
        let mut look = self.follow.first_look();
        loop {
            if look.is_some() {
                let so_far = self.answer()?;
                self.follow.found(&so_far);
            }
            if self.follow.is_gone() {
                return Ok(());
            }
            let time = [look, self.left()].into_iter().flatten().min();
            let limits = Limits { time, ..self.search.limits };
            let rated = self.solver.rate_moves(&limits, self.follow);
            let Some(stop) = or_full(rated, &mut self.of_moves)? else { return Ok(()) };
            self.of_moves = stop;
            self.list_moves()?;
            let is_over = self.left().is_some_and(|left| left.is_zero());
            if look.is_none() || stop != Stop::Time || is_over {
                return Ok(());
            }
            look = look.map(|look| look.saturating_mul(2));
        }
    }

    /// Lists the moves with what is proved of them.
    fn list_moves(&mut self) -> Result<(), SearchError> {
        if !self.follow.is_gone() {
            let position = *self.solver.position();
            let proved = or_full(self.solver.proved_moves(&position), &mut self.of_moves)?;
            self.moves = proved.or(self.moves.take());
        }
        Ok(())
    }

    /// What is found so far, without the proofs of the moves.
    fn answer(&mut self) -> Result<Answer, SearchError> {
        let position = *self.solver.position();
        let is_gone = self.follow.is_gone();
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
