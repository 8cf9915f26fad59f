//! Moves that prove what the search has found, read off the graph.

use super::Solver;
use super::budget::Budget;
use super::distance::Distances;
use super::error::Halt;
use super::key::Key;
use super::numbers::Attacker;
use lasca_tablebase::probe::{ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::{Position, TooManyMoves};
use std::sync::Arc;

/// The moves that prove the result of a solved position: those of the winner, or of either side in a draw.
pub(crate) struct ProvedMoves<'a> {
    solver: &'a Solver,
    /// The plies of all wins; `None` if the position is drawn.
    distances: Option<Arc<Distances>>,
}

impl Solver {
    /// The moves that prove the result, which must be known.
    ///
    /// # Errors
    /// If a table is damaged or lacks the distances that a win needs, or there is no memory for the
    /// distances.
    pub(crate) fn moves_that_prove(
        &mut self,
        budget: &Budget<'_>,
    ) -> Result<ProvedMoves<'_>, ProbeError> {
        let mut distances = None;
        if self.winner().is_some() {
            let found = self.proved_distances(budget).transpose();
            let found =
                found.unwrap_or(Err(Halt::Stopped)).map_err(|halt| self.search_error(halt))?;
            if Attacker::BOTH.iter().all(|&attacker| found.get(self.root, attacker).is_none())
                && let Some(error) = &found.missing
            {
                return Err(error.clone());
            }
            distances = Some(found);
        }
        Ok(ProvedMoves { solver: self, distances })
    }
}

impl ProvedMoves<'_> {
    /// The tables of the search, if they cover any position.
    pub(crate) fn tables(&self) -> Option<&Tablebase> {
        self.solver.leaves.tables.as_ref()
    }

    /// The tables, if they may cover this position.
    pub(crate) fn tables_for(&self, position: &Position) -> Option<&Tablebase> {
        self.solver.leaves.tables_for(Key::of(position))
    }

    /// The moves with which the winner wins soonest, and in how many plies, or the moves that do not lose. Each
    /// comes with what is proved of its result. In a win, the plies fall by two or more from each position
    /// to those after the reply. In a draw, no reply leads out of the positions that have such moves.
    pub(crate) fn of(
        &self,
        position: &Position,
    ) -> Result<(Vec<RatedMove>, Option<u16>), TooManyMoves> {
        let solver = self.solver;
        let successors = position.successors(solver.rules)?.into_iter();
        let kept = successors.filter_map(|(played, after)| {
            let id = solver.id_of(&after)?;
            let plies = match &self.distances {
                Some(distances) => distances.get(id, Attacker::Other),
                None => solver.graph.node(id).is_lost(Attacker::Mover).then_some(0),
            };
            let value = solver.known(id, None).before_move();
            Some((plies?, RatedMove { played, after, value }))
        });
        let mut kept: Vec<(u16, RatedMove)> = kept.collect();
        let least = kept.iter().map(|&(plies, _)| plies).min();
        kept.retain(|&(plies, _)| Some(plies) == least);
        let plies = least.filter(|_| self.distances.is_some()).map(|plies| plies + 1);
        Ok((kept.into_iter().map(|(_, rated)| rated).collect(), plies))
    }
}
