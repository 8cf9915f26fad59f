//! Guesses at the values of open moves. They prove nothing and change nothing in the graph.
//!
//! An alpha-beta search looks deeper and deeper. The score of a position at its end is log2 of how much
//! harder the other side's win looks than one's own, by the first numbers (`leaves`). Proved results count
//! as they are, and captures are played out.

use super::Solver;
use super::budget::{Budget, Stop};
use super::error::Halt;
use super::key::{Child, Key};
use super::net::{LOG_FRACTION, log2};
use super::numbers::{Attacker, Numbers};
use lasca_tablebase::internals::Mobility;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::{Move, Position};
use lasca_tablebase::{ValueRange, Wdl};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::vec;

/// The score of a win, less the plies to it.
const WON: i32 = 1 << 16;
/// The score from which on an estimate is 99: ten doublings, which are seldom made up for.
const CLEAR: i32 = 10 << LOG_FRACTION;
/// Scores that are less than the best one by this much are only bounds.
const MARGIN: i32 = 2 << LOG_FRACTION;
/// The most plies that are looked at, captures included, and the most replies in one position.
const MOST_PLIES: usize = 64;
const MOST_REPLIES: usize = 512;
/// Without a limit of time, one position is looked at for this many that the search has met, and at least
/// `LEAST`.
const SHARE: u64 = 3;
const LEAST: u64 = 1 << 10;

/// The open moves of a position, and how far they are looked at.
#[derive(Debug)]
pub(super) struct Estimates {
    /// The best first, as far as that is known.
    moves: Vec<Estimated>,
    /// How many plies deep the moves are looked at now.
    depth: usize,
    /// How many of the moves have been looked at to this depth.
    done: usize,
    /// Where the look at the next move is. Empty if it has not begun.
    open: Vec<Open>,
    /// How many positions were looked at.
    looked_at: u64,
}

#[derive(Debug)]
struct Estimated {
    after: Position,
    value: ValueRange,
    /// For the side that makes the move.
    score: i32,
    /// The play after the move that the score rests on.
    line: Vec<Key>,
}

impl Solver {
    /// Estimates each move of the position whose result is not proved, as well as the budget allows. It can be
    /// called again, and goes on. Without a limit of time, it looks at a third as many positions as the search
    /// has met. [`Solver::estimates`] tells what is found.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn estimate_moves(&mut self, budget: &Budget<'_>) -> Result<Stop, ProbeError> {
        self.within(budget, |solver, &budget| {
            let begun = solver.estimates.take().map_or_else(|| solver.first_estimates(), Ok);
            let mut estimates = begun?;
            solver.leave_out_proved(&mut estimates);
            let share = LEAST.max(solver.graph.in_use() as u64 / SHARE);
            let most = if budget.left().is_some() { u64::MAX } else { share };
            let ended = AlphaBeta { solver, budget, most, steps: 0 }.deepen(&mut estimates);
            solver.estimates = Some(estimates);
            ended
        })
    }

    /// The positions after the moves whose results were not proved before, with a guess at the value of each
    /// move for the side that makes it: from -100 to 100, where 0 is even. This proves nothing. There are none
    /// before [`Solver::estimate_moves`].
    pub fn estimates(&self) -> impl Iterator<Item = (Position, i8)> {
        let moves = self.estimates.iter().flat_map(|estimates| &estimates.moves);
        moves.map(|estimated| (estimated.after, estimated.percent()))
    }

    /// The play after a move that its estimate rests on: what looks best for both sides, as far as it was looked at.
    /// It proves nothing. Empty without an estimate.
    pub(crate) fn estimated_line(
        &self,
        after: &Position,
    ) -> Result<Vec<(Move, Position)>, ProbeError> {
        let moves = self.estimates.iter().flat_map(|estimates| &estimates.moves);
        let keys =
            moves.filter(|estimated| estimated.after == *after).flat_map(|found| &found.line);
        let (mut line, mut at) = (Vec::new(), *after);
        for &key in keys {
            let replies = at.successors(self.rules)?;
            let Some(reply) = replies.into_iter().find(|(_, after)| Key::of(after) == key) else {
                break;
            };
            at = reply.1;
            line.push(reply);
        }
        Ok(line)
    }

    /// Leaves out the moves that were proved since they were last looked at.
    fn leave_out_proved(&self, Estimates { moves, done, open, .. }: &mut Estimates) {
        let (all, mut number) = (*done, 0);
        moves.retain_mut(|estimated| {
            let known = self.id_of(&estimated.after).map(|id| self.known(id, None).before_move());
            estimated.value = known.unwrap_or(estimated.value);
            let is_open = estimated.value.wdl().is_none();
            *done -= usize::from(!is_open && number < all);
            if !is_open && number == all {
                open.clear();
            }
            number += 1;
            is_open
        });
    }

    /// The first look at each open move.
    fn first_estimates(&self) -> Result<Estimates, Halt> {
        let mut moves = Vec::new();
        for (_, after) in self.position.successors(self.rules)? {
            let known = self.id_of(&after).map(|id| self.known(id, None));
            let value = known.unwrap_or(ValueRange::UNKNOWN).before_move();
            if value.wdl().is_none() {
                let score = -self.look(&Child::from(&after), 1)?.score;
                moves.push(Estimated { after, value, score, line: Vec::new() });
            }
        }
        moves.sort_by_key(|estimated| Reverse(estimated.score));
        Ok(Estimates { moves, depth: 1, done: 0, open: Vec::new(), looked_at: 0 })
    }

    /// Looks at a position that is this many plies away.
    fn look(&self, child: &Child, plies: usize) -> Result<Look, Halt> {
        let node = self.graph.id_of(child.key).map(|id| self.graph.node(id));
        let proved =
            |attacker| node.map(|node| node.numbers(attacker)).filter(|numbers| numbers.is_final());
        let [own, other] = match Attacker::BOTH.map(proved) {
            [Some(own), Some(other)] => [own, other],
            // Open numbers say more the longer they were worked on, so they cannot be compared.
            [own, other] => {
                let first = self.leaves.first_look(child)?.numbers;
                [own.unwrap_or(first[0]), other.unwrap_or(first[1])]
            }
        };
        let won = WON - plies as i32;
        let (score, is_final) = match (own, other) {
            (Numbers::REACHED, _) => (won, true),
            (_, Numbers::FAILED) => (-won, true),
            (Numbers::FAILED, Numbers::REACHED) => (0, true),
            _ => (log2(other.delta.into()) - log2(own.phi.into()), false),
        };
        Ok(Look { score, is_final })
    }
}

impl Estimated {
    fn percent(&self) -> i8 {
        let percent = match self.score.abs() {
            score if score >= WON / 2 => 100 * self.score.signum(),
            _ => (self.score * 99 / CLEAR).clamp(-99, 99),
        };
        // A side that cannot win is not ahead.
        let least = if self.value.worst().wdl() == Wdl::Loss { -100 } else { 0 };
        let most = if self.value.best().wdl() == Wdl::Win { 100 } else { 0 };
        percent.clamp(least, most) as i8
    }
}

/// What a first look at a position tells.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// For the side to move.
    score: i32,
    is_final: bool,
}

/// A position whose replies are being looked at.
#[derive(Debug)]
struct Open {
    key: Key,
    /// The replies that have not been looked at.
    replies: vec::IntoIter<(Option<Look>, Child)>,
    depth: usize,
    alpha: i32,
    beta: i32,
    /// The best score so far, for the side to move, and the play that it rests on.
    best: i32,
    line: Vec<Key>,
}

struct AlphaBeta<'a> {
    solver: &'a Solver,
    budget: Budget<'a>,
    most: u64,
    steps: u32,
}

impl Open {
    fn new(
        key: Key,
        replies: Vec<(Option<Look>, Child)>,
        depth: usize,
        window: (i32, i32),
    ) -> Open {
        let (replies, (alpha, beta)) = (replies.into_iter(), window);
        Open { key, replies, depth, alpha, beta, best: -WON, line: Vec::new() }
    }
}

impl AlphaBeta<'_> {
    /// Looks at the moves, at all of them to the same depth, until all scores are final or a limit is
    /// reached. The next call goes on in the midst of a look.
    fn deepen(&mut self, estimates: &mut Estimates) -> Result<Stop, Halt> {
        let Estimates { moves, depth, done, open, looked_at } = estimates;
        while *depth < MOST_PLIES && moves.iter().any(|estimated| estimated.score.abs() < WON / 2) {
            while let Some(estimated) = moves.get(*done) {
                if *looked_at >= self.most {
                    return Ok(Stop::Solved);
                }
                if open.is_empty() {
                    let best = moves[..*done].iter().map(|estimated| estimated.score).max();
                    let alpha = best.map_or(-WON, |best| best - MARGIN);
                    let replies = vec![(None, Child::from(&estimated.after))];
                    let key = Key::of(&self.solver.position);
                    open.push(Open::new(key, replies, *depth, (alpha, WON)));
                }
                let (score, line) = self.score(open, looked_at)?;
                // The first position of the line is that after the move itself.
                let line = line.into_iter().skip(1).collect();
                moves[*done] = Estimated { score, line, ..moves[*done] };
                *done += 1;
            }
            moves.sort_by_key(|estimated| Reverse(estimated.score));
            (*depth, *done) = (*depth + 1, 0);
        }
        Ok(Stop::Solved)
    }

    /// The score of the first of the `open` positions for the side to move, between alpha and beta, and the play that
    /// it rests on. The others follow one another on the way to the position that is looked at.
    fn score(
        &mut self,
        open: &mut Vec<Open>,
        looked_at: &mut u64,
    ) -> Result<(i32, Vec<Key>), Halt> {
        loop {
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(1024) {
                self.budget.check()?;
                self.budget.progress.searching(&self.solver.status());
                self.budget.check_pause()?;
            }
            let plies = open.len();
            let Some(top) = open.last_mut() else { return Ok((-WON, Vec::new())) };
            let next = if top.best < top.beta { top.replies.next() } else { None };
            let (key, score, rest) = match next {
                Some((look, child)) => {
                    *looked_at += 1;
                    let window = (-top.beta, -top.alpha.max(top.best));
                    let depth = top.depth.saturating_sub(1);
                    let look = look.map_or_else(|| self.solver.look(&child, plies), Ok)?;
                    let is_capture = || matches!(child.squares.mobility(), Mobility::Captures(_));
                    let is_deep_enough = depth == 0 && !is_capture() || plies >= MOST_PLIES;
                    // Whoever comes back has made no progress.
                    let comes_back = open.iter().any(|open| open.key == child.key);
                    if !comes_back && !look.is_final && !is_deep_enough {
                        let replies = self.replies(&child, plies + 1, depth > 1)?;
                        open.push(Open::new(child.key, replies, depth, window));
                        continue;
                    }
                    (child.key, if comes_back { 0 } else { -look.score }, Vec::new())
                }
                None => {
                    let Some(Open { key, best, line, .. }) = open.pop() else { continue };
                    if open.is_empty() {
                        return Ok((best, line));
                    }
                    (key, -best, line)
                }
            };
            if let Some(top) = open.last_mut().filter(|top| score > top.best) {
                top.best = score;
                top.line.clear();
                top.line.push(key);
                top.line.extend(rest);
            }
        }
    }

    /// What the moves of a position lead to, which is so many plies away, `sorted` so that the most promising comes
    /// first.
    fn replies(
        &self,
        child: &Child,
        plies: usize,
        sorted: bool,
    ) -> Result<Vec<(Option<Look>, Child)>, Halt> {
        let mut replies = Vec::new();
        let listed = child.key.position().try_for_each_move(self.solver.rules, |_, after| {
            let reply = Child::from(after);
            match sorted.then(|| self.solver.look(&reply, plies)).transpose() {
                Ok(look) => replies.push((look, reply)),
                Err(halt) => return ControlFlow::Break(Some(halt)),
            }
            let is_enough = replies.len() == MOST_REPLIES;
            if is_enough { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
        });
        if let ControlFlow::Break(Some(halt)) = listed {
            return Err(halt);
        }
        replies.sort_by_key(|(look, _)| look.map(|look| look.score));
        Ok(replies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_common::recorder::Recorder;
    use lasca_tablebase::rules::RuleSet;
    use std::time::Duration;

    #[test]
    fn estimates_are_the_same_in_parts_that_end_in_the_midst_of_a_look() {
        let [whole, parts] = [None, Some(Duration::ZERO)].map(|part| {
            let (position, impatient) = (Position::start(), Recorder::stopping_at(100));
            let mut solver = Solver::new(&position, RuleSet::Lasca, 1 << 26).unwrap();
            solver.run(&Budget::new(None, 1, &impatient)).unwrap();
            let mut parts = 1;
            while solver.estimate_moves(&Budget::default().pausing_after(part)) == Ok(Stop::Time) {
                parts += 1;
            }
            assert_eq!(parts > 5, part.is_some(), "{parts} parts");
            let moves = solver.estimates.unwrap().moves;
            moves.into_iter().map(|m| (m.after, m.score, m.line)).collect::<Vec<_>>()
        });
        assert_eq!(whole, parts);
    }
}
