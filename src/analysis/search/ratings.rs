//! What each move is worth, and the best line known.

use super::Solver;
use super::budget::{Budget, Stop};
use super::distance::Distances;
use super::error::Halt;
use super::graph::NodeId;
use super::key::Key;
use super::numbers::Attacker;
use lasca_tablebase::probe::{Line, ProbeError, RatedMove};
use lasca_tablebase::rules::{Move, Position};
use lasca_tablebase::{Value, ValueRange, Wdl};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::sync::Arc;

/// The positions that a move may cost at first, before all others have had their turn.
const FIRST_TURN: usize = 1 << 12;

impl Solver {
    /// What is proved of the position so far. A win or a loss comes with the plies that its proof takes at
    /// most, and with what [`Solver::exact`] has found.
    ///
    /// The plies, and all else that follows from them, take a pass over all positions that were met. If the budget
    /// is not enough for that, the plies are left out. [`Budget::afterwards`] gives the pass its time.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory for the distances. Then [`Solver::result`] tells what
    /// can be told without them.
    pub fn value(&mut self, budget: &Budget<'_>) -> Result<ValueRange, ProbeError> {
        let result = self.result();
        if result.wdl().is_none() || result.exact().is_some() {
            return Ok(result);
        }
        let distances = self.proved_distances(budget).map_err(|halt| self.search_error(halt))?;
        Ok(distances.map_or(result, |distances| self.value_by(distances)))
    }

    /// What the distances of all proved wins tell of the position.
    pub(super) fn value_by(&self, most: Arc<Distances>) -> ValueRange {
        self.known(self.root, Some(&Bounds { most, least: None })).and(self.narrowed)
    }

    /// The bounds of the distances; nothing if there is no time for them. The lower one is worth its time
    /// where it tells which moves keep the distance.
    fn bounds(&mut self, budget: &Budget<'_>) -> Result<Option<Bounds>, Halt> {
        let Some(most) = self.proved_distances(budget)? else { return Ok(None) };
        let is_exact = self.value_by(most.clone()).exact().is_some_and(|v| v != Value::Draw);
        let least = if is_exact { self.least_distances(budget)? } else { None };
        Ok(Some(Bounds { most, least }))
    }

    /// What is proved of the position so far, without the plies of a proof.
    pub fn result(&self) -> ValueRange {
        self.known(self.root, None).and(self.narrowed)
    }

    /// Searches each move of the position until all are solved or the budget is used up, in turns that
    /// grow longer. It uses all that was found out, and can be called again. [`Solver::proved_moves`] tells
    /// what is found.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn rate_moves(&mut self, budget: &Budget<'_>) -> Result<Stop, ProbeError> {
        let stop = self.within(budget, Solver::search_moves);
        self.settle_root();
        stop
    }

    fn search_moves(&mut self, budget: &Budget<'_>) -> Result<Stop, Halt> {
        let successors = self.position.successors(self.rules)?;
        if successors.is_empty() {
            return Ok(Stop::Solved);
        }
        self.expand_root(budget)?;
        let (mut turn, mut are_solved) = (FIRST_TURN, false);
        while !are_solved {
            are_solved = true;
            for (_, after) in &successors {
                let Some(id) = self.id_of(after) else { continue };
                if self.wdl_of(id).is_some() {
                    continue;
                }
                // The distances have to be worked out within the budget too, but not before a pause.
                let most = self.graph.len().saturating_add(turn.min(self.graph.len()));
                let budget = budget.earlier(self.pass_time(most));
                are_solved &= self.answer(id, &budget, Some(turn))?;
            }
            turn = turn.saturating_mul(2);
        }
        Ok(Stop::Solved)
    }

    /// What is proved so far about each move of a position that the search may have met. Nothing is searched.
    /// The budget is for the plies, as in [`Solver::value`].
    ///
    /// The moves come best first: quick wins, slow wins, draws, open moves, slow losses, quick losses.
    /// A win or loss whose distance is not known comes after the others of its kind.
    ///
    /// # Errors
    /// If a table is damaged, there is no memory left for the distances, or there are too many moves.
    pub fn proved_moves(
        &mut self,
        position: &Position,
        budget: &Budget<'_>,
    ) -> Result<Vec<RatedMove>, ProbeError> {
        let successors = position.successors(self.rules)?;
        let rated = |solver: &Solver, bounds: Option<&Bounds>| {
            let rated = |&(played, after): &(Move, Position)| {
                let value = solver.worth(&after, bounds)?.before_move();
                Ok(RatedMove { played, after, value })
            };
            successors.iter().map(rated).collect::<Result<Vec<RatedMove>, ProbeError>>()
        };
        let mut moves = rated(self, None)?;
        // Only wins and losses have plies.
        let is_decided =
            |rated: &RatedMove| matches!(rated.value.wdl(), Some(Wdl::Win | Wdl::Loss));
        if moves.iter().any(is_decided)
            && let Some(bounds) = self.bounds(budget).map_err(|halt| self.search_error(halt))?
        {
            moves = rated(self, Some(&bounds))?;
        }
        sort_moves(&mut moves);
        Ok(moves)
    }

    /// After a move that draws: how many replies are not known to lose, and how many there are.
    pub(crate) fn replies_that_may_hold(
        &self,
        after: &Position,
    ) -> Result<(usize, usize), ProbeError> {
        let replies = after.successors(self.rules)?;
        let mut may_hold = 0;
        for (_, reply) in &replies {
            may_hold += usize::from(self.worth(reply, None)?.wdl() != Some(Wdl::Win));
        }
        Ok((may_hold, replies.len()))
    }

    /// What is proved of a position, whether the search has met it or not.
    fn worth(
        &self,
        position: &Position,
        bounds: Option<&Bounds>,
    ) -> Result<ValueRange, ProbeError> {
        match self.id_of(position) {
            Some(id) => Ok(self.known(id, bounds)),
            None => Ok(self.leaves.range(Key::of(position))?),
        }
    }

    /// What is proved of a node.
    pub(super) fn known(&self, id: NodeId, bounds: Option<&Bounds>) -> ValueRange {
        let node = self.graph.node(id);
        let worst = match (node.is_won(Attacker::Mover), node.is_lost(Attacker::Other)) {
            (true, _) => Value::Win(u16::MAX),
            (false, true) => Value::Draw,
            (false, false) => Value::Loss(0),
        };
        let best = match (node.is_won(Attacker::Other), node.is_lost(Attacker::Mover)) {
            (true, _) => Value::Loss(u16::MAX),
            (false, true) => Value::Draw,
            (false, false) => Value::Win(0),
        };
        let result = ValueRange::new(worst, best).unwrap_or(ValueRange::UNKNOWN);
        match bounds.and_then(|bounds| Some((bounds, self.value_of(id, Some(&bounds.most))?))) {
            // The rules or a table have given it.
            Some((_, value)) if !node.is_expanded() => value.into(),
            Some((bounds, value)) => result.and(bounds.range(id, value)),
            None => result,
        }
    }

    /// The value of a node as it is proved. The distances may prove a win of which the node has not
    /// been told.
    fn value_of(&self, id: NodeId, distances: Option<&Distances>) -> Option<Value> {
        let plies = |attacker| distances.and_then(|distances| distances.get(id, attacker));
        if let Some(plies) = plies(Attacker::Mover) {
            Some(Value::Win(plies))
        } else if let Some(plies) = plies(Attacker::Other) {
            Some(Value::Loss(plies))
        } else {
            (self.wdl_of(id) == Some(Wdl::Draw)).then_some(Value::Draw)
        }
    }

    /// The best line known from a position that the search may have met: if it is won, to the end of the game; if it is
    /// drawn, until a position is repeated, or nothing is known of the next one. Empty if nothing is proved of it, or if
    /// it is won and the budget is not enough for the plies (see [`Solver::value`]). Each move comes with what is proved
    /// of it.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory for the distances.
    pub fn line(
        &mut self,
        position: &Position,
        budget: &Budget<'_>,
    ) -> Result<Vec<RatedMove>, ProbeError> {
        let bounds = self.bounds(budget).map_err(|halt| self.search_error(halt))?;
        let most = bounds.as_ref().map(|bounds| &*bounds.most);
        let value_at =
            |position: &Position| self.id_of(position).and_then(|id| self.value_of(id, most));
        if value_at(position).is_none() {
            return Ok(Vec::new());
        }
        let mut line = Vec::new();
        let mut passed = FxHashSet::default();
        let mut at = *position;
        let mut is_known = true;
        while is_known && passed.insert(at) {
            let next = at.successors(self.rules)?.into_iter().filter_map(|(played, after)| {
                let id = self.id_of(&after)?;
                let value = self.value_of(id, most)?.before_move();
                let range = self.known(id, bounds.as_ref()).before_move();
                // Of losses that may be equally late, prefer the one that surely is: if the distance is
                // known, one of them keeps it.
                Some(((value, range.worst()), RatedMove { played, after, value: range }))
            });
            // Of equal ones the first.
            let best = next.reduce(|best, next| if best.0 >= next.0 { best } else { next });
            // Of a position that was not expanded, or is drawn, the right moves may not be known.
            let worth = value_at(&at);
            match best.filter(|&((value, _), _)| Some(value) >= worth) {
                Some((_, rated)) => {
                    at = rated.after;
                    line.push(rated);
                }
                None => is_known = false,
            }
        }
        if let Some(tables) =
            self.leaves.tables.as_ref().filter(|_| Key::of(&at).has_officers_only())
            && !is_known
        {
            match tables.best_line(&at) {
                Err(error) if error.is_not_covered() => {}
                rest => {
                    for rated in Line::from(rest?).moves {
                        let is_repeated = !passed.insert(rated.after);
                        line.push(rated);
                        if is_repeated {
                            break;
                        }
                    }
                }
            }
        }
        Ok(line)
    }
}

/// How many plies each win takes at most and, where it matters, at least.
pub(super) struct Bounds {
    most: Arc<Distances>,
    least: Option<Arc<Distances>>,
}

impl Bounds {
    /// What is known of the value of a node, which is this one if its win takes the most plies.
    fn range(&self, id: NodeId, value: Value) -> ValueRange {
        let least = |attacker, most: u16| Some(self.least.as_ref()?.get(id, attacker)?.min(most));
        let range = match value {
            Value::Win(most) => least(Attacker::Mover, most)
                .and_then(|least| ValueRange::new(value, Value::Win(least))),
            Value::Loss(most) => least(Attacker::Other, most)
                .and_then(|least| ValueRange::new(Value::Loss(least), value)),
            Value::Draw => None,
        };
        range.unwrap_or(ValueRange::in_at_most(value))
    }
}

/// Sorts moves by what is known of them, as [`Solver::proved_moves`] says. Of losses that may be equally
/// late, the one that is surely so comes first. Equal ones stay in their order.
pub(crate) fn sort_moves(moves: &mut [RatedMove]) {
    moves.sort_by_key(|rated| {
        let plies = rated.value.at_most().map(i32::from);
        match rated.value.wdl() {
            Some(Wdl::Win) => (0, plies.unwrap_or(i32::MAX), None),
            Some(Wdl::Draw) => (1, 0, None),
            None => (2, 0, None),
            Some(Wdl::Loss) => {
                (3, plies.map_or(i32::MAX, |plies| -plies), Some(Reverse(rated.value.worst())))
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::Silent;
    use lasca_tablebase::rules::RuleSet;
    use std::time::Duration;

    #[test]
    fn results_are_told_though_there_is_no_time_for_distances() {
        for (text, wdl) in [("c5w e5W d2b w", Wdl::Win), ("d2W f2B d4W f4B b", Wdl::Draw)] {
            let position: Position = text.parse().unwrap();
            let mut solver = Solver::new(&position, RuleSet::Lasca, 1 << 26).unwrap();
            solver.run(&Budget::default()).unwrap();
            solver.rate_moves(&Budget::default()).unwrap();
            let no_time = Budget::new(Some(Duration::ZERO), 1, &Silent);
            let value = solver.value(&no_time).unwrap();
            assert_eq!((value.wdl(), value.at_most()), (Some(wdl), None), "{text}");
            let moves = solver.proved_moves(&position, &no_time).unwrap();
            assert_eq!(moves[0].value.wdl(), Some(wdl), "{text}");
            assert_eq!(
                solver.line(&position, &no_time).unwrap().is_empty(),
                wdl == Wdl::Win,
                "{text}"
            );
            let value = solver.value(&no_time.afterwards()).unwrap();
            assert_eq!(value.at_most().is_some(), wdl == Wdl::Win, "{text}");
        }
    }

    #[test]
    fn a_line_ends_where_the_right_move_is_not_known() {
        // This is drawn by f2-g3 alone, as the tables of 2-2 say.
        let drawn: Position = "d2W f2B d4W f4B b".parse().unwrap();
        let mut solver = Solver::new(&drawn, RuleSet::Lasca, 1 << 24).unwrap();
        let mut losing = drawn.successors(RuleSet::Lasca).unwrap();
        losing.retain(|(played, _)| played.to_string() != "f2-g3");
        for (_, after) in &losing {
            solver.go_to(after).unwrap();
            solver.run(&Budget::default()).unwrap();
            assert_eq!(solver.wdl(), Some(Wdl::Win), "{after}");
        }
        solver.take_over(&drawn, Wdl::Draw).unwrap();
        assert!(!losing.is_empty());
        assert_eq!(solver.line(&drawn, &Budget::default()).unwrap(), []);
    }
}
