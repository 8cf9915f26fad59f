//! Answers that are searched.

use super::range::{ValueRange, standing};
use super::{
    Answer, Effort, Line, MoveAnswer, Proof, Question, SearchLimits, tables_with_distances,
};
use crate::probe::{LineEnd, Standing};
use crate::rules::{ByColor, Color, Position};
use crate::search::{Bounds, Limits, LineMove, MoveRating, SearchError, Solver, Stop, Watch};
use crate::{Silent, Value, Wdl};
use std::time::{Duration, Instant};

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
        let tables = match self.exact {
            true => tables_with_distances(self.tables, position)?,
            false => self.tables,
        };
        let solver = Solver::new(position, self.rules, tables, search.memory)?;
        let question = Question { moves: self.moves || self.proofs, ..*self };
        Search {
            question,
            solver,
            search,
            follow,
            begun,
            stop: Stop::Solved,
            of_moves: Stop::Solved,
            distance: None,
            is_known: false,
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
    /// What is known of the distance beyond the plies of the proof.
    distance: Option<Bounds>,
    /// Whether nothing had to be searched: the game is over, or a table has the values, so that the
    /// distances of all moves are exact.
    is_known: bool,
    moves: Option<Vec<MoveRating>>,
}

impl Search<'_> {
    fn run(mut self) -> Result<Answer, SearchError> {
        self.follow.begins(Stage::Position);
        let limits = Limits { time: self.left(), ..self.search.limits };
        self.stop = self.solver.run(&limits, self.follow)?;
        self.is_known = self.solver.wdl().is_some() && self.solver.status().expanded == 0;
        if self.is_known {
            let value = or_full(self.solver.at_most(), &mut self.stop)?.flatten();
            self.distance = value.and_then(exactly);
        }
        // The moves need time too; what they leave goes to the distance.
        self.narrow(self.left().map(|left| if self.question.moves { left / 2 } else { left }))?;
        if self.question.moves {
            self.rate_moves()?;
            self.narrow(self.left())?;
            if self.moves.is_some() && !self.follow.is_gone() {
                // What was found out since may shorten the proofs.
                let position = *self.solver.position();
                let proved = or_full(self.solver.proved_moves(&position), &mut self.of_moves)?;
                self.moves = proved.or(self.moves);
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
        let is_exact = self.distance.and_then(Bounds::exact).is_some();
        if !self.question.exact || !is_decided || is_exact || self.follow.is_gone() {
            return Ok(());
        }
        self.follow.begins(Stage::Distance);
        let limits = Limits { time, ..self.search.limits };
        let narrowed = or_full(self.solver.exact(&limits, self.follow), &mut self.stop)?;
        if let Some((stop, bounds)) = narrowed {
            self.stop = stop;
            self.distance = bounds.or(self.distance);
        }
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
            let Some((stop, moves)) = or_full(rated, &mut self.of_moves)? else { return Ok(()) };
            (self.of_moves, self.moves) = (stop, Some(moves));
            let is_over = self.left().is_some_and(|left| left.is_zero());
            if look.is_none() || stop != Stop::Time || is_over {
                return Ok(());
            }
            look = look.map(|look| look.saturating_mul(2));
        }
    }

    /// What is found so far, without the proofs of the moves.
    fn answer(&mut self) -> Result<Answer, SearchError> {
        let position = *self.solver.position();
        let is_gone = self.follow.is_gone();
        // If memory fails here, it is still proved who wins.
        let at_most = match is_gone {
            true => None,
            false => or_full(self.solver.at_most(), &mut self.stop)?.flatten(),
        };
        let line = match self.question.line && !is_gone {
            true => or_full(self.solver.line(), &mut self.stop)?,
            false => None,
        };
        let solver = &self.solver;
        let side = position.side_to_move();
        let plies = at_most.and_then(Value::dtw);
        let value = range(solver.wdl(), plies, self.distance, solver.excluded(), side);
        let line = line.map(|moves| self.line(&position, moves, value)).unwrap_or_default();
        Ok(Answer {
            position,
            value,
            moves: self.moves.as_deref().map(|moves| self.move_answers(moves, side, value)),
            line: self.question.line.then_some(line),
            effort: Some(self.effort()),
        })
    }

    /// What is known of the moves of a position with this value.
    fn move_answers(
        &self,
        moves: &[MoveRating],
        side: Color,
        of_position: ValueRange,
    ) -> Vec<MoveAnswer> {
        let ranges: Vec<ValueRange> = moves
            .iter()
            .map(|rated| {
                let exact = rated.at_most.filter(|_| self.is_known).and_then(exactly);
                let plies = rated.at_most.and_then(Value::dtw);
                range(rated.wdl, plies, exact, rated.excluded, side)
            })
            .collect();
        let rated = moves.iter().enumerate().map(|(i, rated)| {
            let others = ranges.iter().enumerate().filter(|&(other, _)| other != i);
            // No move is better than its position, and if all others are worse, this one is as good.
            let is_best = others.map(|(_, range)| range.best()).max() < Some(of_position.worst());
            let worst = if is_best { of_position.worst() } else { Value::Loss(0) };
            let possible = ValueRange::new(worst, of_position.best()).unwrap_or(of_position);
            MoveAnswer::new(rated.played.clone(), rated.after, ranges[i].and(possible))
        });
        rated.collect()
    }

    fn line(&self, start: &Position, moves: Vec<LineMove>, value: ValueRange) -> Line {
        let positions: Vec<Position> =
            std::iter::once(*start).chain(moves.iter().map(|step| step.after)).collect();
        let answer = |step: LineMove| MoveAnswer::new(step.played, step.after, ValueRange::UNKNOWN);
        Line {
            moves: moves.into_iter().map(answer).collect(),
            end: LineEnd::of(&positions, self.question.rules),
            is_best: value.exact().is_some(),
        }
    }

    /// Adds to each move what proves its value.
    fn add_proofs(&mut self, answer: &mut Answer) -> Result<(), SearchError> {
        let moves = answer.moves.as_deref_mut().unwrap_or_default();
        let values: Vec<ValueRange> = moves.iter().map(|rated| rated.value).collect();
        for (i, rated) in moves.iter_mut().enumerate() {
            let (after, wdl) = (rated.after, rated.value.wdl());
            let line = match wdl {
                Some(_) => or_full(self.solver.line_from(&after), &mut self.stop)?,
                None => None,
            };
            let replies = match wdl {
                Some(Wdl::Draw) => or_full(self.solver.proved_moves(&after), &mut self.stop)?,
                _ => None,
            };
            let replies = replies.map(|replies| {
                self.move_answers(&replies, after.side_to_move(), Value::Draw.into())
            });
            let open = |reply: &&MoveAnswer| reply.value.wdl().is_none();
            let open_replies = replies.iter().flatten().filter(open).count();
            let holding = replies.map(|mut replies| {
                replies.retain(|reply| reply.value.wdl() == Some(Wdl::Draw));
                replies
            });
            let as_good = values.iter().filter(|value| wdl.is_some() && value.wdl() == wdl).count();
            rated.proof = Some(Box::new(Proof {
                // Of moves with the same result, it may be open which wins soonest or loses latest.
                standing: standing(&values, i).or_else(|| {
                    (wdl == answer.value.wdl() && as_good > 1).then_some(Standing::Keeps)
                }),
                line: self.line(&after, line.unwrap_or_default(), rated.value),
                replies: after.successors(self.question.rules).len(),
                holding,
                open_replies,
            }));
        }
        Ok(())
    }
}

/// The bounds of a value that is known exactly; nothing for a draw.
fn exactly(value: Value) -> Option<Bounds> {
    value.dtw().map(|plies| Bounds { at_least: plies, at_most: plies })
}

/// What is proved of a value for this side: the result, the plies that its proof takes at most, what
/// else is known of the distance, and which sides cannot win. Of two upper bounds the lesser counts, as
/// the proof may have become shorter since the other one was found.
fn range(
    wdl: Option<Wdl>,
    at_most: Option<u16>,
    distance: Option<Bounds>,
    excluded: ByColor<bool>,
    side: Color,
) -> ValueRange {
    let at_most = at_most.unwrap_or(u16::MAX);
    let bounds = distance.unwrap_or(Bounds { at_least: 1, at_most });
    let (at_least, at_most) = (bounds.at_least, bounds.at_most.min(at_most));
    let (worst, best) = match wdl {
        Some(Wdl::Win) => (Value::Win(at_most), Value::Win(at_least)),
        Some(Wdl::Draw) => (Value::Draw, Value::Draw),
        Some(Wdl::Loss) => (Value::Loss(at_least), Value::Loss(at_most)),
        None => (
            if excluded[!side] { Value::Draw } else { Value::Loss(0) },
            if excluded[side] { Value::Draw } else { Value::Win(0) },
        ),
    };
    ValueRange::new(worst, best).unwrap_or(ValueRange::UNKNOWN)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_upper_bounds_the_lesser_counts() {
        let none = ByColor { white: false, black: false };
        for wdl in [Wdl::Win, Wdl::Loss] {
            let at_most = |plies, bound: Option<u16>| {
                let bounds = bound.map(|at_most| Bounds { at_least: 1, at_most });
                range(Some(wdl), plies, bounds, none, Color::White).at_most()
            };
            assert_eq!(at_most(Some(5), Some(7)), Some(5));
            assert_eq!(at_most(Some(7), Some(5)), Some(5));
            // There may be no room for one of them.
            assert_eq!(at_most(None, Some(5)), Some(5));
            assert_eq!(at_most(Some(5), None), Some(5));
            assert_eq!(at_most(None, None), None);
        }
    }
}
