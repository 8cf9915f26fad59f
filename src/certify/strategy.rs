//! Strategies: what a side plays in each position that it can come to.

use super::CertifyError;
use crate::Value;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Color, Move, OfficerPosition, Placement, Position, Square, Symmetry};
use rustc_hash::FxHashSet;

/// The move that one side plays in each position that it can come to while it keeps to these moves.
///
/// A position stands for its eight images under the symmetries of the board.
#[derive(Clone, Debug)]
pub struct Strategy {
    side: Color,
    moves: Vec<PackedMove>,
}

/// A position of a [`Strategy`], in which the strategy's side is to move, and the move that it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrategyMove {
    /// The position.
    pub position: Position,
    /// The move.
    pub played: Move,
    /// The most plies until the side has won, this move included; `None` in a strategy that draws.
    pub plies: Option<u16>,
}

/// What a strategy must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StrategyGoal {
    /// A win.
    Win,
    /// At least a draw.
    NotLose,
}

/// Which move to choose where several reach the goal. A move that adds no position to the strategy is
/// always preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preference {
    /// The move that adds the fewest positions.
    FewestNewPositions,
    /// A move that wins; of several, the one that adds the fewest positions.
    WinningMoves,
}

/// A [`StrategyMove`] in less memory.
#[derive(Clone, Debug)]
struct PackedMove {
    position: OfficerPosition,
    played: Move,
    plies: Option<u16>,
}

impl Strategy {
    /// The side whose strategy it is.
    pub fn side(&self) -> Color {
        self.side
    }

    /// How many positions it holds. Images under a symmetry count once.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether it holds no position, because the game is over or no move of the side is needed.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The positions with their moves, in the order of the file: the most plies first, then by squares.
    pub fn moves(&self) -> impl Iterator<Item = StrategyMove> + '_ {
        self.moves.iter().filter_map(|packed| {
            let position = packed.position.to_position(self.side)?;
            Some(StrategyMove { position, played: packed.played.clone(), plies: packed.plies })
        })
    }

    /// Finds a strategy of `side` from `start`. The tables must say that `side` reaches the goal there.
    /// The strategy may hold `max_positions` positions, less the `found` ones of another strategy.
    pub(super) fn find(
        tables: &Tablebase,
        start: &Position,
        side: Color,
        goal: StrategyGoal,
        max_positions: usize,
        found: usize,
    ) -> Result<Strategy, CertifyError> {
        let room = max_positions.saturating_sub(found);
        let preferences: &[Preference] = match goal {
            StrategyGoal::Win => &[Preference::FewestNewPositions],
            // Neither is always better: one of the proofs may be ten times as large as the other.
            StrategyGoal::NotLose => &[Preference::FewestNewPositions, Preference::WinningMoves],
        };
        let mut least: Option<Vec<PackedMove>> = None;
        for &preference in preferences {
            let room = least.as_ref().map_or(room, |moves| moves.len().saturating_sub(1));
            let search = Search { tables, side, goal, preference, known: FxHashSet::default() };
            least = search.run(start, room)?.or(least);
        }
        let Some(mut moves) = least else {
            return Err(CertifyError::TooLarge {
                side,
                wins: goal == StrategyGoal::Win,
                max_positions,
            });
        };
        moves.sort_by_cached_key(|packed| {
            (std::cmp::Reverse(packed.plies), order(&packed.position))
        });
        Ok(Strategy { side, moves })
    }
}

/// A search for a strategy, breadth first.
struct Search<'a> {
    tables: &'a Tablebase,
    side: Color,
    goal: StrategyGoal,
    preference: Preference,
    /// All positions that were met, whether their move has been chosen yet or not.
    known: FxHashSet<OfficerPosition>,
}

impl Search<'_> {
    /// The moves of a strategy, in the order in which their positions were met; `None` if there are
    /// more than `room`.
    fn run(mut self, start: &Position, room: usize) -> Result<Option<Vec<PackedMove>>, ProbeError> {
        let mut queue = Vec::new();
        if start.side_to_move() != self.side {
            self.add(self.replies(start)?, &mut queue);
        } else if start.both_command() {
            self.add(vec![canonical(start)?], &mut queue);
        }
        let mut moves: Vec<PackedMove> = Vec::new();
        while let Some(&position) = queue.get(moves.len()) {
            if queue.len() > room {
                return Ok(None);
            }
            let (packed, replies) = self.choose(position)?;
            moves.push(packed);
            self.add(replies, &mut queue);
        }
        Ok(Some(moves))
    }

    /// Adds the positions that are new to `known` and to `queue`.
    fn add(&mut self, positions: Vec<OfficerPosition>, queue: &mut Vec<OfficerPosition>) {
        queue.extend(positions.into_iter().filter(|&position| self.known.insert(position)));
    }

    /// Chooses the move that is preferred among those that reach the goal, a win in the fewest plies.
    /// Among equals, the move of the greatest value is chosen, then the first. Returns it with the
    /// positions that the replies lead to.
    fn choose(
        &self,
        position: OfficerPosition,
    ) -> Result<(PackedMove, Vec<OfficerPosition>), ProbeError> {
        let here = position
            .to_position(self.side)
            .unwrap_or_else(|| unreachable!("all positions met are images of positions"));
        let inconsistent = || ProbeError::Inconsistent { position: Box::new(here) };
        let rated = self.tables.moves(&here)?;
        let best = rated.first().map(|rated| rated.value);
        let value = self.tables.officers_value(&position)?;
        let (least, plies) = match (self.goal, value) {
            (StrategyGoal::Win, Value::Win(plies)) => (value, Some(plies)),
            (StrategyGoal::NotLose, Value::Win(_) | Value::Draw) => (Value::Draw, None),
            _ => return Err(inconsistent()),
        };
        if best != Some(value) {
            return Err(inconsistent());
        }
        let mut chosen: Option<((bool, usize), Move, Vec<OfficerPosition>)> = None;
        for rated in rated.into_iter().filter(|rated| rated.value >= least) {
            let replies = self.replies(&rated.after)?;
            let new = replies.iter().filter(|reply| !self.known.contains(reply)).count();
            let passed_over = self.preference == Preference::WinningMoves
                && new > 0
                && rated.value <= Value::Draw;
            let cost = (passed_over, new);
            if chosen.as_ref().is_none_or(|(least, ..)| cost < *least) {
                chosen = Some((cost, rated.played, replies));
            }
        }
        let (_, played, replies) = chosen.ok_or_else(inconsistent)?;
        Ok((PackedMove { position, played, plies }, replies))
    }

    /// The positions that the other side's moves lead to, each once.
    fn replies(&self, after: &Position) -> Result<Vec<OfficerPosition>, ProbeError> {
        let mut replies: Vec<OfficerPosition> = Vec::new();
        for (_, reply) in after.successors(self.tables.rules()) {
            let reply = canonical(&reply)?;
            if !replies.contains(&reply) {
                replies.push(reply);
            }
        }
        Ok(replies)
    }
}

/// Of a position's eight images, the one that is first in [`order`].
fn canonical(position: &Position) -> Result<OfficerPosition, ProbeError> {
    let officers = OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
    let placement = officers.placement();
    // Most positions have one image whose squares come first.
    let squares = |symmetry: Symmetry| {
        (symmetry.apply_set(placement.mover).bits(), symmetry.apply_set(placement.other).bits())
    };
    let first = Symmetry::all().map(squares).min();
    let images = Symmetry::all()
        .filter(|&symmetry| Some(squares(symmetry)) == first)
        .filter_map(|symmetry| image(&officers, symmetry));
    Ok(images.min_by_key(order).unwrap_or(officers))
}

fn image(position: &OfficerPosition, symmetry: Symmetry) -> Option<OfficerPosition> {
    let placement = position.placement();
    let moved = |counters: &[u8; Square::COUNT]| {
        let mut image = [0; Square::COUNT];
        for square in placement.occupied() {
            image[symmetry.apply(square).index()] = counters[square.index()];
        }
        image
    };
    OfficerPosition::new(
        Placement {
            mover: symmetry.apply_set(placement.mover),
            other: symmetry.apply_set(placement.other),
        },
        moved(position.mover_counters()),
        moved(position.other_counters()),
    )
}

/// The key by which positions are sorted: the squares of the side to move, those of the other side, then
/// the counters.
fn order(position: &OfficerPosition) -> impl Ord + use<> {
    let placement = position.placement();
    let (mover, other) = (*position.mover_counters(), *position.other_counters());
    (placement.mover.bits(), placement.other.bits(), mover, other)
}
