//! What each move is worth, and the best line known.

use super::board::Key;
use super::distance::Distances;
use super::graph::NodeId;
use super::limits::{Limits, Watch};
use super::numbers::Attacker;
use super::solver::Clock;
use super::{SearchError, Solver, Stop};
use crate::rules::{ByColor, Move, Position};
use crate::{Value, Wdl};
use rustc_hash::FxHashSet;

/// A move of the position, and what is proved of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MoveRating {
    /// The move.
    pub played: Move,
    /// The position that it leads to.
    pub after: Position,
    /// What it is worth to the side that makes it; `None` if that is open.
    pub wdl: Option<Wdl>,
    /// The same with the plies at most, counted from before the move.
    pub at_most: Option<Value>,
    /// The sides that are proved to be unable to win after it.
    pub excluded: ByColor<bool>,
}

/// A move of a line, and the position that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LineMove {
    /// The move.
    pub played: Move,
    /// The position that it leads to.
    pub after: Position,
}

/// The positions that a move may cost at first, before all others have had their turn.
const FIRST_TURN: usize = 1 << 12;

impl Solver<'_> {
    /// Searches each move of the position until all are solved or a limit is reached, in turns that
    /// grow longer. It uses all that was found out, and can be called again. If it is cancelled, the
    /// ratings have no plies.
    ///
    /// The ratings come best first: quick wins, slow wins, draws, open moves, slow losses, quick losses.
    /// A win or loss whose distance is not known comes after the others of its kind.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory left for the distances.
    pub fn rate_moves(
        &mut self,
        limits: &Limits<'_>,
        watch: &dyn Watch,
    ) -> Result<(Stop, Vec<MoveRating>), SearchError> {
        let clock = Clock::new(limits);
        let successors = self.position.successors(self.rules);
        let mut stop = match successors.is_empty() {
            true => Some(Stop::Solved),
            false => self.expand_root(&clock)?,
        };
        let mut turn = FIRST_TURN;
        while stop.is_none() {
            let mut open = false;
            for (_, after) in &successors {
                let Some(id) = self.find(after) else { continue };
                if self.wdl_of(id).is_some() {
                    continue;
                }
                // The distances have to be worked out within the time too.
                let most = self.graph.len().saturating_add(turn.min(self.graph.len()));
                let clock = clock.earlier(self.pass_time(most));
                match self.answer(id, &clock, Some(turn), watch)? {
                    None => open = true,
                    Some(Stop::Solved) => {}
                    Some(limit) => {
                        stop = Some(limit);
                        break;
                    }
                }
            }
            if !open && stop.is_none() {
                stop = Some(Stop::Solved);
            }
            turn = turn.saturating_mul(2);
        }
        self.settle_root();
        let distances = match stop {
            // Whoever has cancelled does not wait for the plies.
            Some(Stop::Cancelled) => None,
            _ => Some(self.proved_distances()?),
        };
        let rating = |(played, after)| self.rating(played, after, distances.as_deref());
        let ratings = best_first(successors.into_iter().map(rating));
        Ok((stop.unwrap_or(Stop::Solved), ratings))
    }

    /// What is proved so far about each move of a position that the search may have met, in the order
    /// of [`Solver::rate_moves`]. Nothing is searched.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory left for the distances.
    pub fn proved_moves(&mut self, position: &Position) -> Result<Vec<MoveRating>, SearchError> {
        let distances = self.proved_distances()?;
        let successors = position.successors(self.rules).into_iter();
        let rating = |(played, after)| self.rating(played, after, Some(&distances));
        Ok(best_first(successors.map(rating)))
    }

    fn rating(&self, played: Move, after: Position, distances: Option<&Distances>) -> MoveRating {
        let Some(id) = self.find(&after) else {
            let excluded = ByColor { white: false, black: false };
            return MoveRating { played, after, wdl: None, at_most: None, excluded };
        };
        let at_most =
            distances.and_then(|distances| self.value_of(id, distances)).map(Value::before_move);
        let wdl = at_most.map(Value::wdl).or(self.wdl_of(id).map(|wdl| -wdl));
        let mut excluded = self.excluded_at(id, after.side_to_move());
        match wdl {
            Some(Wdl::Win) => excluded[after.side_to_move()] = true,
            Some(Wdl::Loss) => excluded[!after.side_to_move()] = true,
            _ => {}
        }
        MoveRating { played, after, wdl, at_most, excluded }
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
    /// position is repeated, or nothing is known of the next one. Empty if it is not solved.
    ///
    /// # Errors
    /// If a table is damaged, or there is no memory for the distances.
    pub fn line(&mut self) -> Result<Vec<LineMove>, SearchError> {
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
    pub fn line_from(&mut self, position: &Position) -> Result<Vec<LineMove>, SearchError> {
        let distances = self.proved_distances()?;
        if self.find(position).is_none_or(|id| self.value_of(id, &distances).is_none()) {
            return Ok(Vec::new());
        }
        let mut line = Vec::new();
        let mut passed = FxHashSet::default();
        let mut at = *position;
        let mut is_known = true;
        while is_known && passed.insert(at) {
            let next = at.successors(self.rules).into_iter().filter_map(|(played, after)| {
                let id = self.find(&after)?;
                let value = self.value_of(id, &distances)?.before_move();
                Some((value, played, after))
            });
            // Of equal values the first.
            let best = next.fold(None, |best: Option<(Value, Move, Position)>, next| match best {
                Some(best) if best.0 >= next.0 => Some(best),
                _ => Some(next),
            });
            match best {
                Some((_, played, after)) => {
                    line.push(LineMove { played, after });
                    at = after;
                }
                None => is_known = false,
            }
        }
        if let Some(tables) = self.leaves.tables.filter(|_| Key::of(&at).has_officers_only())
            && !is_known
            && let Ok(rest) = tables.best_line(&at)
        {
            let moves = rest.moves.into_iter();
            line.extend(moves.map(|rated| LineMove { played: rated.played, after: rated.after }));
        }
        Ok(line)
    }
}

/// The ratings in the order that [`Solver::rate_moves`] describes; equal ones stay in their order.
fn best_first(ratings: impl Iterator<Item = MoveRating>) -> Vec<MoveRating> {
    let mut ratings: Vec<MoveRating> = ratings.collect();
    ratings.sort_by_key(|rating| {
        let plies = rating.at_most.and_then(Value::dtw).map(i32::from);
        match rating.wdl {
            Some(Wdl::Win) => (0, plies.unwrap_or(i32::MAX)),
            Some(Wdl::Draw) => (1, 0),
            None => (2, 0),
            Some(Wdl::Loss) => (3, plies.map_or(i32::MAX, |plies| -plies)),
        }
    });
    ratings
}
