//! What each move is worth, and the best line known.

use super::distance::Distances;
use super::error::Halt;
use super::graph::NodeId;
use super::key::Key;
use super::limits::{Clock, Limits, Stop};
use super::numbers::Attacker;
use super::{SearchError, Solver};
use crate::probe::{Line, RatedMove};
use crate::rules::{Move, Position};
use crate::{Progress, Value, ValueRange, Wdl};
use rustc_hash::FxHashSet;

/// The positions that a move may cost at first, before all others have had their turn.
const FIRST_TURN: usize = 1 << 12;

impl Solver<'_> {
    /// What is proved of the position so far. A win or a loss comes with the plies that its proof takes at
    /// most, and with what [`Solver::exact`] has found.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory for the distances. Then [`Solver::result`] tells what
    /// can be told without them.
    pub fn value(&mut self) -> Result<ValueRange, SearchError> {
        let result = self.result();
        if result.wdl().is_none() || result.exact().is_some() {
            return Ok(result);
        }
        let distances = self.proved_distances()?;
        Ok(self.known(self.root, Some(&distances)).and(self.narrowed))
    }

    /// What is proved of the position so far, without the plies of a proof.
    pub fn result(&self) -> ValueRange {
        self.known(self.root, None).and(self.narrowed)
    }

    /// Searches each move of the position until all are solved or a limit is reached, in turns that
    /// grow longer. It uses all that was found out, and can be called again. [`Solver::proved_moves`] tells
    /// what is found.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn rate_moves(
        &mut self,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<Stop, SearchError> {
        let clock = Clock::new(limits, progress);
        let stop = match self.search_moves(&clock) {
            Ok(()) => Stop::Solved,
            Err(halt) => clock.stop(halt)?,
        };
        self.settle_root();
        Ok(stop)
    }

    fn search_moves(&mut self, clock: &Clock<'_>) -> Result<(), Halt> {
        let successors = self.position.successors(self.rules);
        if successors.is_empty() {
            return Ok(());
        }
        self.expand_root(clock)?;
        let (mut turn, mut are_solved) = (FIRST_TURN, false);
        while !are_solved {
            are_solved = true;
            for (_, after) in &successors {
                let Some(id) = self.id_of(after) else { continue };
                if self.wdl_of(id).is_some() {
                    continue;
                }
                // The distances have to be worked out within the time too.
                let most = self.graph.len().saturating_add(turn.min(self.graph.len()));
                let clock = clock.earlier(self.pass_time(most));
                are_solved &= self.answer(id, &clock, Some(turn))?;
            }
            turn = turn.saturating_mul(2);
        }
        Ok(())
    }

    /// What is proved so far about each move of a position that the search may have met. Nothing is searched.
    ///
    /// The moves come best first: quick wins, slow wins, draws, open moves, slow losses, quick losses.
    /// A win or loss whose distance is not known comes after the others of its kind.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory left for the distances.
    pub fn proved_moves(&mut self, position: &Position) -> Result<Vec<RatedMove>, SearchError> {
        let distances = self.proved_distances()?;
        let rated = |(played, after): (Move, Position)| {
            let known = self.id_of(&after).map(|id| self.known(id, Some(&distances)));
            let value = known.unwrap_or(ValueRange::UNKNOWN).before_move();
            RatedMove { played, after, value }
        };
        let moves = position.successors(self.rules).into_iter().map(rated);
        let mut moves: Vec<RatedMove> = moves.collect();
        // Equal ones stay in their order.
        moves.sort_by_key(|rated| {
            let plies = rated.value.at_most().map(i32::from);
            match rated.value.wdl() {
                Some(Wdl::Win) => (0, plies.unwrap_or(i32::MAX)),
                Some(Wdl::Draw) => (1, 0),
                None => (2, 0),
                Some(Wdl::Loss) => (3, plies.map_or(i32::MAX, |plies| -plies)),
            }
        });
        Ok(moves)
    }

    /// What is proved of a node.
    pub(super) fn known(&self, id: NodeId, distances: Option<&Distances>) -> ValueRange {
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
        match distances.and_then(|distances| self.value_of(id, distances)) {
            // The rules or a table have given it.
            Some(value) if !node.is_expanded() => value.into(),
            Some(value) => result.and(ValueRange::in_at_most(value)),
            None => result,
        }
    }

    /// The value of a node as it is proved. The distances may prove a win of which the node has not
    /// been told.
    pub(super) fn value_of(&self, id: NodeId, distances: &Distances) -> Option<Value> {
        if let Some(plies) = distances.get(id, Attacker::Mover) {
            Some(Value::Win(plies))
        } else if let Some(plies) = distances.get(id, Attacker::Other) {
            Some(Value::Loss(plies))
        } else {
            (self.wdl_of(id) == Some(Wdl::Draw)).then_some(Value::Draw)
        }
    }

    /// The best line known: if the position is won, to the end of the game; if it is drawn, until a
    /// position is repeated, or nothing is known of the next one. Empty if it is not solved. Each move comes
    /// with what is proved of it.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory for the distances.
    pub fn line(&mut self) -> Result<Vec<RatedMove>, SearchError> {
        if self.wdl().is_none() {
            return Ok(Vec::new());
        }
        let position = self.position;
        self.line_from(&position)
    }

    /// The same for another position that the search may have met, such as one after a move. Empty
    /// if nothing is proved of it.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory for the distances.
    pub fn line_from(&mut self, position: &Position) -> Result<Vec<RatedMove>, SearchError> {
        let distances = self.proved_distances()?;
        if self.id_of(position).is_none_or(|id| self.value_of(id, &distances).is_none()) {
            return Ok(Vec::new());
        }
        let mut line = Vec::new();
        let mut passed = FxHashSet::default();
        let mut at = *position;
        let mut is_known = true;
        while is_known && passed.insert(at) {
            let next = at.successors(self.rules).into_iter().filter_map(|(played, after)| {
                let id = self.id_of(&after)?;
                let value = self.value_of(id, &distances)?.before_move();
                Some((value, played, after))
            });
            // Of equal values the first.
            let best = next.reduce(|best, next| if best.0 >= next.0 { best } else { next });
            // Of a position that was not expanded, or is drawn, the right moves may not be known.
            let worth = self.id_of(&at).and_then(|id| self.value_of(id, &distances));
            match best.filter(|&(value, ..)| Some(value) >= worth) {
                Some((value, played, after)) => {
                    let value = ValueRange::in_at_most(value);
                    line.push(RatedMove { played, after, value });
                    at = after;
                }
                None => is_known = false,
            }
        }
        if let Some(tables) = self.leaves.tables.filter(|_| Key::of(&at).has_officers_only())
            && !is_known
        {
            match tables.best_line(&at) {
                Err(error) if error.is_not_covered() => {}
                rest => line.extend(Line::from(rest?).moves),
            }
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::rules::RuleSet;
    use crate::search::Limits;

    #[test]
    fn a_line_ends_where_the_right_move_is_not_known() {
        // This is drawn by f2-g3 alone, as the tables of 2-2 say.
        let drawn: Position = "d2W f2B d4W f4B b".parse().unwrap();
        let mut solver = Solver::new(&drawn, RuleSet::Lasca, 1 << 24).unwrap();
        let mut losing = drawn.successors(RuleSet::Lasca);
        losing.retain(|(played, _)| played.to_string() != "f2-g3");
        for (_, after) in &losing {
            solver.go_to(after).unwrap();
            solver.run(&Limits::default(), &Silent).unwrap();
            assert_eq!(solver.wdl(), Some(Wdl::Win), "{after}");
        }
        solver.take_over(&drawn, Wdl::Draw).unwrap();
        assert!(!losing.is_empty());
        assert_eq!(solver.line_from(&drawn).unwrap(), []);
    }
}
