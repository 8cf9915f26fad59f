//! Proofs read off the graph: what a side plays in each position that it can come to.

use super::distance::Distances;
use super::key::Key;
use super::numbers::Attacker;
use super::{SearchError, Solver};
use crate::probe::Tablebase;
use crate::rules::{Color, Move, Position};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// What one side plays in every position that it can come to while it keeps to these moves.
///
/// A position with a soldier stands for its mirror image too, left and right exchanged. A position
/// of officers stands for all of its eight images. Positions that the tables cover are not followed:
/// the tables have strategies of their own from there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PartialStrategy {
    /// Whose strategy it is.
    pub side: Color,
    /// Its positions, each once, in the order in which they are met from the start.
    pub steps: Vec<StrategyMove>,
    /// The positions, either side to move, from which the tables know how to go on.
    pub leaves: Vec<Position>,
}

/// A position of a strategy, with the strategy's side to move, and the move that it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrategyMove {
    /// The position.
    pub position: Position,
    /// The move.
    pub played: Move,
    /// The most plies until the side has won, this move included; `None` if it means to draw.
    pub plies: Option<u16>,
}

impl Solver {
    /// The proof that a side wins, or that it does not lose: a win if that is proved. Nothing if
    /// neither is proved, if the strategy has more than `max_positions` positions, or if working out the
    /// distances of a win takes far longer than the search has taken, and that had a limit.
    ///
    /// In a win the plies fall by two or more from each position to those after the reply. A
    /// strategy that draws is a closed set: no reply leads out of it.
    ///
    /// ```
    /// use lasca_tablebase::Silent;
    /// use lasca_tablebase::rules::{Color, RuleSet};
    /// use lasca_tablebase::search::{Limits, Solver};
    /// let position = "a1B b2w b4wwb w".parse()?;
    /// let mut solver = Solver::new(&position, RuleSet::Lasca, 1 << 24)?;
    /// solver.run(&Limits::default(), &Silent)?;
    /// let proof = solver.strategy(Color::White, 1000)?.unwrap();
    /// assert_eq!(proof.steps[0].position, position);
    /// assert_eq!(proof.steps[0].plies, Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a table is damaged or lacks the distances that a win needs, or there is no memory for the
    /// distances.
    pub fn strategy(
        &mut self,
        side: Color,
        max_positions: usize,
    ) -> Result<Option<PartialStrategy>, SearchError> {
        let wins = self.winner() == Some(side);
        if !wins && !self.excluded()[!side] {
            return Ok(None);
        }
        let distances = match wins {
            true => match self.proved_distances(&self.telling())? {
                Some(distances) => Some(distances),
                None => return Ok(None),
            },
            false => None,
        };
        let mut collector = Collector {
            solver: self,
            distances: distances.as_deref(),
            known: FxHashSet::default(),
            left: FxHashSet::default(),
            strategy: PartialStrategy { side, steps: Vec::new(), leaves: Vec::new() },
            queue: VecDeque::new(),
        };
        let whole = collector.collect(max_positions);
        let strategy = collector.strategy;
        if let Some(distances) = &distances
            && Attacker::BOTH.iter().all(|&attacker| distances.get(self.root, attacker).is_none())
            && let Some(error) = distances.missing()
        {
            return Err(error.clone().into());
        }
        Ok(whole.then_some(strategy))
    }

    /// The tables that the search uses.
    pub fn tables(&self) -> Option<&Tablebase> {
        self.leaves.tables.as_ref()
    }
}

struct Collector<'a> {
    solver: &'a Solver,
    /// Of a strategy that wins.
    distances: Option<&'a Distances>,
    /// The positions of the strategy's side that were met.
    known: FxHashSet<Key>,
    /// The positions of the other side that are left to the tables.
    left: FxHashSet<Key>,
    strategy: PartialStrategy,
    /// Those of them whose move has not been chosen yet.
    queue: VecDeque<Position>,
}

impl Collector<'_> {
    /// Follows the strategy to all positions that it leads to. Returns whether they fit, and every
    /// one of them is proved.
    fn collect(&mut self, max_positions: usize) -> bool {
        let start = self.solver.position;
        if start.side_to_move() == self.strategy.side {
            self.add(start);
        } else {
            self.reply(start);
        }
        while let Some(position) = self.queue.pop_front() {
            if self.positions() >= max_positions {
                return false;
            }
            let Some((played, after, plies)) = self.choose(&position) else { return false };
            let plies = self.distances.map(|_| plies + 1);
            self.strategy.steps.push(StrategyMove { position, played, plies });
            self.reply(after);
        }
        self.positions() <= max_positions
    }

    /// How many positions have been met, those left to the tables included.
    fn positions(&self) -> usize {
        self.strategy.steps.len() + self.queue.len() + self.strategy.leaves.len()
    }

    /// Adds a position of the strategy's side, unless it is known or left to the tables. A game
    /// that is over needs no move.
    fn add(&mut self, position: Position) {
        if !position.both_command() || !self.known.insert(Key::of(&position)) {
            return;
        }
        match self.solver.id_of(&position) {
            Some(id) if !self.solver.graph.node(id).is_expanded() => {
                self.strategy.leaves.push(position);
            }
            _ => self.queue.push_back(position),
        }
    }

    /// Adds what the other side's moves lead to, or leaves the position to the tables.
    fn reply(&mut self, position: Position) {
        let replies = position.successors(self.solver.rules);
        let id = self.solver.id_of(&position);
        let expanded = id.is_some_and(|id| self.solver.graph.node(id).is_expanded());
        if !expanded && !replies.is_empty() {
            if self.left.insert(Key::of(&position)) {
                self.strategy.leaves.push(position);
            }
            return;
        }
        replies.into_iter().for_each(|(_, after)| self.add(after));
    }

    /// The move that wins soonest. If none wins: of the moves that do not lose, the one that adds the fewest
    /// positions.
    fn choose(&self, position: &Position) -> Option<(Move, Position, u16)> {
        let successors = position.successors(self.solver.rules);
        let kept = successors.into_iter().filter_map(|(played, after)| {
            let id = self.solver.id_of(&after)?;
            let plies = match self.distances {
                Some(distances) => distances.get(id, Attacker::Other),
                None => self.solver.graph.node(id).is_lost(Attacker::Mover).then_some(0),
            };
            Some((played, after, plies?))
        });
        kept.min_by_key(|(_, after, plies)| {
            let new = match self.distances {
                Some(_) => 0,
                None => {
                    let replies = after.successors(self.solver.rules);
                    let is_new = |reply: &Position| !self.known.contains(&Key::of(reply));
                    replies.iter().filter(|(_, reply)| is_new(reply)).count()
                }
            };
            (*plies, new)
        })
    }
}
