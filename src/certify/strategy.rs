//! Strategies: what a side plays in each position that it can come to.

use super::CertifyError;
use crate::Value;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Color, Move, OfficerPosition, Position, Square, Symmetry};
use crate::search::{Solver, StrategyMove};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// The move that one side plays in each position that it can come to while it keeps to these moves.
///
/// A position with a soldier stands for its mirror image too, left and right exchanged. A position of
/// officers stands for its eight images under the symmetries of the board.
#[derive(Clone, Debug)]
pub struct Strategy {
    pub(super) side: Color,
    pub(super) moves: Vec<PackedMove>,
}

/// A [`StrategyMove`] in less memory: the position is kept as text.
#[derive(Clone, Debug)]
pub(super) struct PackedMove {
    pub(super) position: Box<str>,
    pub(super) played: Move,
    pub(super) plies: Option<u16>,
}

impl PackedMove {
    pub(super) fn new(StrategyMove { position, played, plies }: StrategyMove) -> PackedMove {
        PackedMove { position: position.to_string().into(), played, plies }
    }

    fn unpack(&self) -> StrategyMove {
        let Ok(position) = self.position.parse() else {
            unreachable!("a position is read as it is printed")
        };
        StrategyMove { position, played: self.played, plies: self.plies }
    }

    fn order(&self) -> Order {
        order(&self.unpack().position)
    }
}

/// What a strategy is to show, and how large it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// Whose strategy it is.
    pub(super) side: Color,
    /// Whether it must reach a win; otherwise at least a draw.
    pub(super) wins: bool,
    /// The most positions that all strategies of the certificate may hold together.
    pub(super) max_positions: usize,
    /// How many of these this one may hold.
    pub(super) room: usize,
}

impl Task {
    fn too_large(self) -> CertifyError {
        let Task { side, wins, max_positions, .. } = self;
        CertifyError::TooLarge { side, wins, max_positions }
    }
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

    /// The positions with their moves, in the order of the file. The files of this crate have the most plies first, and
    /// are then ordered by squares.
    pub fn moves(&self) -> impl Iterator<Item = StrategyMove> + '_ {
        self.moves.iter().map(PackedMove::unpack)
    }

    /// Finds a strategy from `start`. The tables must say that the side reaches the goal there.
    pub(super) fn of_tables(
        tables: &Tablebase,
        start: &Position,
        task: Task,
    ) -> Result<Strategy, CertifyError> {
        let moves = least_moves(tables, std::slice::from_ref(start), task)?;
        Ok(Strategy::sorted(task.side, moves))
    }

    /// Reads a strategy off a search that has proved that the side reaches the goal. Where the
    /// search relied on the tables, their strategies are put in.
    pub(super) fn of_search(solver: &mut Solver, task: Task) -> Result<Strategy, CertifyError> {
        let found = solver.strategy(task.side, task.room)?.ok_or(task.too_large())?;
        let mut moves: Vec<PackedMove> = found.steps.iter().map(first_image).collect();
        if let Some(tables) = solver.tables().filter(|_| !found.leaves.is_empty()) {
            let room = task.room.saturating_sub(moves.len());
            moves.extend(least_moves(tables, &found.leaves, Task { room, ..task })?);
            // Both may know a position: the search, if it looked at moves of one that a table covers.
            moves.sort_by_cached_key(|packed| (packed.order(), packed.plies));
            moves.dedup_by(|next, kept| next.position == kept.position);
        }
        Ok(Strategy::sorted(task.side, moves))
    }

    fn sorted(side: Color, mut moves: Vec<PackedMove>) -> Strategy {
        moves.sort_by_cached_key(|packed| (Reverse(packed.plies), packed.order()));
        Strategy { side, moves }
    }
}

/// The moves of a strategy of the tables from several positions.
fn least_moves(
    tables: &Tablebase,
    starts: &[Position],
    task: Task,
) -> Result<Vec<PackedMove>, CertifyError> {
    const ALL_ALIKE: bool = false;
    const PREFERS_WINS: bool = true;
    let attempts: &[bool] = match task.wins {
        // All moves that reach the goal win.
        true => &[ALL_ALIKE],
        // Neither is always better: one of the proofs may be ten times as large as the other.
        false => &[ALL_ALIKE, PREFERS_WINS],
    };
    let mut least: Option<Vec<PackedMove>> = None;
    for &prefers_wins in attempts {
        let room = least.as_ref().map_or(task.room, |moves| moves.len().saturating_sub(1));
        let search = StrategySearch { tables, task, prefers_wins, known: FxHashSet::default() };
        least = search.run(starts, room)?.or(least);
    }
    least.ok_or(task.too_large())
}

/// Of the images of a position, the one that is first in order, with the image of its move.
fn first_image(found: &StrategyMove) -> PackedMove {
    let StrategyMove { position, played, plies } = found;
    let first = to_first_image(position);
    let squares: Vec<Square> = played.squares().map(|square| first.apply(square)).collect();
    let played = Move::from_squares(&squares)
        .unwrap_or_else(|| unreachable!("a symmetry keeps squares in line"));
    let position = position.transformed(first);
    PackedMove::new(StrategyMove { position, played, plies: *plies })
}

/// A search for a strategy, breadth first.
struct StrategySearch<'a> {
    tables: &'a Tablebase,
    task: Task,
    /// Whether a move that wins is preferred to one that draws, unless the drawing move adds no position. Among
    /// equals, the move that adds the fewest positions is chosen.
    prefers_wins: bool,
    /// All positions that were met, whether their move has been chosen yet or not.
    known: FxHashSet<OfficerPosition>,
}

impl StrategySearch<'_> {
    /// The moves of a strategy, in the order in which their positions were met; `None` if there are
    /// more than `room`.
    fn run(
        mut self,
        starts: &[Position],
        room: usize,
    ) -> Result<Option<Vec<PackedMove>>, ProbeError> {
        let mut queue = Vec::new();
        for start in starts {
            if start.side_to_move() != self.task.side {
                self.add(self.replies(start)?, &mut queue);
            } else if start.both_command() {
                self.add(vec![canonical(start)?], &mut queue);
            }
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
        let here = position.in_colors(self.task.side);
        let inconsistent = || ProbeError::Inconsistent { position: Box::new(here) };
        let rated = self.tables.moves(&here)?;
        let best = rated.first().map(|rated| rated.value);
        let value = self.tables.officers_value(&position)?;
        let (least, plies) = match (self.task.wins, value) {
            (true, Value::Win(plies)) => (value, Some(plies)),
            (false, Value::Win(_) | Value::Draw) => (Value::Draw, None),
            _ => return Err(inconsistent()),
        };
        if best != Some(value) {
            return Err(inconsistent());
        }
        let mut chosen: Option<((bool, usize), Move, Vec<OfficerPosition>)> = None;
        for rated in rated.into_iter().filter(|rated| rated.value >= least) {
            let replies = self.replies(&rated.after)?;
            let new = replies.iter().filter(|reply| !self.known.contains(reply)).count();
            let passed_over = self.prefers_wins && new > 0 && rated.value <= Value::Draw;
            let cost = (passed_over, new);
            if chosen.as_ref().is_none_or(|(least, ..)| cost < *least) {
                chosen = Some((cost, rated.played, replies));
            }
        }
        let (_, played, replies) = chosen.ok_or_else(inconsistent)?;
        Ok((PackedMove::new(StrategyMove { position: here, played, plies }), replies))
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

/// Of the images of a position of officers, the one that is first in [`order`].
fn canonical(position: &Position) -> Result<OfficerPosition, ProbeError> {
    let image = position.transformed(to_first_image(position));
    OfficerPosition::try_from(&image).map_err(ProbeError::NotOfficers)
}

/// The symmetry that maps a position onto that of its images that is first in [`order`].
pub(super) fn to_first_image(position: &Position) -> Symmetry {
    let placement = position.placement();
    // Most positions have one image whose squares come first.
    let squares = |symmetry: &Symmetry| {
        (symmetry.apply_set(placement.mover).bits(), symmetry.apply_set(placement.other).bits())
    };
    let least = position.symmetries().map(|symmetry| squares(&symmetry)).min();
    let first = position.symmetries().filter(|symmetry| Some(squares(symmetry)) == least);
    first.min_by_key(|&s| order(&position.transformed(s))).unwrap_or(Symmetry::IDENTITY)
}

/// The key by which positions are sorted: the squares of the side to move, those of the other side, and
/// the counters of both. If tables cannot hold the position, its text comes last: it tells soldiers from
/// officers, and how they lie in a column.
type Order = (u32, u32, [u8; Square::COUNT], [u8; Square::COUNT], Option<String>);

fn order(position: &Position) -> Order {
    let (side, placement) = (position.side_to_move(), position.placement());
    let counters = |color| {
        let mut counters = [0; Square::COUNT];
        for (square, column) in position.columns() {
            counters[square.index()] = column.count(color) as u8;
        }
        counters
    };
    let text = OfficerPosition::try_from(position).is_err().then(|| position.to_string());
    (placement.mover.bits(), placement.other.bits(), counters(side), counters(!side), text)
}
