//! What a search has found, as an answer.

use super::Search;
use crate::answer::{Answer, Proof, Question, Replies};
use crate::search::{Budget, Solver, Stop, sort_moves};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Standing};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Reason, Value, ValueRange, Wdl};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// How many of the open moves that look best have a line.
const ESTIMATED_LINES: usize = 2;

/// Telling what a search has found.
pub(super) struct Telling<'a> {
    search: &'a mut Search,
    /// For the passes over all positions that were met.
    budget: &'a Budget<'a>,
    /// Why a part of the answer is left out, if one is.
    left_out: Option<Stop>,
}

impl<'a> Telling<'a> {
    pub(super) fn new(search: &'a mut Search, budget: &'a Budget<'a>) -> Telling<'a> {
        Telling { search, budget, left_out: None }
    }

    /// What is found so far, and if a part of it is left out, why.
    pub(super) fn tell(mut self) -> Result<(Answer, Option<Stop>), ProbeError> {
        let mut answer = self.so_far()?;
        if self.search.question.proofs {
            answer.proofs = self.proofs(&answer)?;
        }
        if self.lacks_distances(&answer) {
            self.left_out.get_or_insert(self.budget.why_over());
        }
        Ok((answer, self.left_out))
    }

    /// Whether a line or moves with a winner are told without distances, as the pass for them has not ended.
    fn lacks_distances(&self, answer: &Answer) -> bool {
        let of_line = self.search.question.line.then_some(answer.value);
        let of_moves = answer.moves.iter().flatten().map(|rated| rated.value);
        let is_decided = |value: ValueRange| matches!(value.wdl(), Some(Wdl::Win | Wdl::Loss));
        !self.search.solver.has_distances() && of_line.into_iter().chain(of_moves).any(is_decided)
    }

    /// Lists the moves with what is proved of them.
    pub(super) fn list_moves(&mut self) -> Result<(), ProbeError> {
        let position = *self.search.solver.position();
        let Some(mut moves) = self.ask(|solver, budget| solver.proved_moves(&position, budget))?
        else {
            return Ok(());
        };
        for rated in &mut moves {
            rated.value = rated.value.and(self.of_tables(&rated.after)?.before_move());
        }
        sort_moves(&mut moves);
        // Those that are unclear in the same way stand together.
        let estimates: FxHashMap<Position, i8> = self.search.solver.estimates().collect();
        let kind = |rated: &RatedMove| (is_unclear(rated), rated.value.wdl());
        for run in moves.chunk_by_mut(|a, b| kind(a) == kind(b)) {
            if is_unclear(&run[0]) {
                run.sort_by_key(|rated| Reverse(estimates.get(&rated.after)));
            }
        }
        self.search.moves = Some(moves);
        Ok(())
    }

    /// Who wins, if tables tell that, which do not help the search where they have no distances.
    fn of_tables(&self, position: &Position) -> Result<ValueRange, ProbeError> {
        let Question { tables, exact, .. } = &self.search.question;
        let wdl = if *exact { tables.try_wdl(position)? } else { None };
        Ok(wdl.map_or(ValueRange::UNKNOWN, ValueRange::from))
    }

    /// What is found so far, without the proofs of the moves.
    fn so_far(&mut self) -> Result<Answer, ProbeError> {
        let position = *self.search.solver.position();
        let Question { exact, moves, line, .. } = self.search.question;
        // If memory fails here, or a table does not tell its distances, it is still proved who wins.
        let value = match self.search.solver.value(self.budget) {
            Err(error) if !(exact || moves || line || is_of_room(&error)) => None,
            value => self.if_room(value)?,
        };
        let value = value.unwrap_or(self.search.solver.result()).and(self.of_tables(&position)?);
        if moves {
            self.list_moves()?;
        }
        let proved_line = match line && self.search.solver.wdl().is_some() {
            true => self.ask(|solver, budget| solver.line(&position, budget))?,
            false => line.then(Vec::new),
        };
        let proved_line = proved_line.map(|moves| line_of(&position, moves, value));
        let moves = self.search.moves.clone().map(|moves| within(moves, value));
        let estimates: FxHashMap<Position, i8> = self.search.solver.estimates().collect();
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
            estimated_lines: estimated_lines.collect::<Result<_, ProbeError>>()?,
            estimates,
            moves,
            line: line.then_some(proved_line.unwrap_or_default()),
            tells_distances: !exact && self.search.solver.has_distances(),
            ..Answer::of_value(&position, value)
        };
        answer.count_replies(|after| {
            // There may be very many replies to each of very many moves.
            if self.budget.is_over() {
                return Ok(None);
            }
            let counted = self.ask(|solver, _| solver.replies_that_may_hold(after))?;
            Ok::<_, ProbeError>(counted.map(|(may_hold, all)| Replies { may_hold, all }))
        })?;
        Ok(answer)
    }

    /// The play that is expected after an open move.
    fn estimated_line(&self, after: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        let rated = |(played, after)| RatedMove { played, after, value: ValueRange::UNKNOWN };
        Ok(self.search.solver.estimated_line(after)?.into_iter().map(rated).collect())
    }

    /// What proves the value of each move; nothing if there is no time or room for all.
    fn proofs(&mut self, answer: &Answer) -> Result<Option<Vec<Proof>>, ProbeError> {
        let Some(moves) = answer.moves.as_deref() else { return Ok(None) };
        let values: Vec<ValueRange> = moves.iter().map(|rated| rated.value).collect();
        let mut proofs = Vec::new();
        for (i, RatedMove { after, value, .. }) in moves.iter().enumerate() {
            // There may be very many moves, which are compared with each other.
            if self.budget.is_over() {
                self.left_out.get_or_insert(self.budget.why_over());
                return Ok(None);
            }
            let legal = after.moves(self.search.question.tables.rules());
            let Some(legal) = self.if_room(legal.map_err(ProbeError::from))? else {
                return Ok(None);
            };
            let wdl = value.wdl();
            let line = match wdl {
                Some(_) => self.ask(|solver, budget| solver.line(after, budget))?,
                None => None,
            };
            let replies = match wdl {
                Some(Wdl::Draw) => self.ask(|solver, budget| solver.proved_moves(after, budget))?,
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
                line: line_of(after, line.unwrap_or_default(), *value),
                replies: legal.len(),
                holding,
                open_replies,
            });
        }
        Ok(Some(proofs))
    }

    /// A part of the answer, as the solver gives it.
    fn ask<T>(
        &mut self,
        part: impl FnOnce(&mut Solver, &Budget<'_>) -> Result<T, ProbeError>,
    ) -> Result<Option<T>, ProbeError> {
        let found = part(&mut self.search.solver, self.budget);
        self.if_room(found)
    }

    /// A part of the answer, which is left out if there is no room for it or there are too many moves.
    fn if_room<T>(&mut self, part: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
        let error = match part {
            Err(error) if is_of_room(&error) => error,
            part => return part.map(Some),
        };
        self.left_out.get_or_insert(match error.reason() {
            Reason::TooManyMoves => Stop::TooManyMoves,
            _ => Stop::Memory,
        });
        Ok(None)
    }
}

fn line_of(start: &Position, moves: Vec<RatedMove>, value: ValueRange) -> Line {
    let is_exact = |value: ValueRange| value.exact().is_some();
    let is_best = is_exact(value) && moves.iter().all(|rated| is_exact(rated.value));
    Line::new(start, moves, is_best)
}

/// Whether it is not known how a move reaches its result: the result is open, or it wins in an unknown number of
/// plies.
pub(super) fn is_unclear(rated: &RatedMove) -> bool {
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

/// Whether there is no room for a part of an answer, or there are too many moves.
fn is_of_room(error: &ProbeError) -> bool {
    matches!(error, ProbeError::SearchMemory { .. } | ProbeError::TooManyMoves(_))
}
