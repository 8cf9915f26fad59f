//! A strategy: a set of positions, each with a move, that the other side's replies never leave.

use super::CertifyError;
use crate::Value;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Color, Move, OfficerPosition, Placement, Position, Square, Symmetry};
use rustc_hash::FxHashSet;

/// What one side plays in every position that it can come to while it keeps to these moves.
///
/// A position stands for its eight images under the symmetries of the board.
#[derive(Clone, Debug)]
pub struct Strategy {
    side: Color,
    steps: Vec<Step>,
}

/// A position of a [`Strategy`], with the strategy's side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position.
    pub position: Position,
    /// The move that the side plays.
    pub played: Move,
    /// The most plies until the side has won, this move included; `None` if it means to draw.
    pub plies: Option<u16>,
}

/// What a strategy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Win,
    NotLose,
}

/// Which move to choose where several reach the goal. Moves after which the other side cannot leave
/// the set as it is come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taste {
    /// The move that adds the fewest positions.
    FewestNew,
    /// A move that wins, and of several the one that adds the fewest positions.
    WonFirst,
}

/// An entry in little memory.
#[derive(Clone, Debug)]
struct Step {
    position: OfficerPosition,
    played: Move,
    plies: Option<u16>,
}

impl Strategy {
    /// The side whose strategy it is.
    pub fn side(&self) -> Color {
        self.side
    }

    /// How many positions it holds, symmetric ones counted once.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it holds none: the game is over, or about to be.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Its positions and moves in the order of the file: the most plies first, then by squares.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.steps.iter().filter_map(|step| {
            let position = step.position.to_position(self.side)?;
            Some(Entry { position, played: step.played.clone(), plies: step.plies })
        })
    }

    /// Finds a strategy of `side` from `start`, of which the tables must say that it reaches the
    /// goal. It and the `found` positions of another one may be at most `max_positions`.
    pub(super) fn find(
        tables: &Tablebase,
        start: &Position,
        side: Color,
        goal: Goal,
        max_positions: usize,
        found: usize,
    ) -> Result<Strategy, CertifyError> {
        let room = max_positions.saturating_sub(found);
        let tastes: &[Taste] = match goal {
            Goal::Win => &[Taste::FewestNew],
            // Neither taste is the better one everywhere: the proof may be ten times as large.
            Goal::NotLose => &[Taste::FewestNew, Taste::WonFirst],
        };
        let mut least: Option<Vec<Step>> = None;
        for &taste in tastes {
            let room = least.as_ref().map_or(room, |steps| steps.len().saturating_sub(1));
            let search = Search { tables, side, goal, taste, known: FxHashSet::default() };
            least = search.run(start, room)?.or(least);
        }
        let Some(mut steps) = least else {
            return Err(CertifyError::TooLarge { side, wins: goal == Goal::Win, max_positions });
        };
        steps.sort_by_cached_key(|step| (std::cmp::Reverse(step.plies), order(&step.position)));
        Ok(Strategy { side, steps })
    }
}

/// A strategy being found, breadth first.
struct Search<'a> {
    tables: &'a Tablebase,
    side: Color,
    goal: Goal,
    taste: Taste,
    /// All positions met, whether their move is chosen or not.
    known: FxHashSet<OfficerPosition>,
}

impl Search<'_> {
    /// The positions of a strategy with their moves, in the order in which they were met; `None` if
    /// there are more than `room`.
    fn run(mut self, start: &Position, room: usize) -> Result<Option<Vec<Step>>, ProbeError> {
        let mut queue = Vec::new();
        if start.side_to_move() != self.side {
            self.add(self.replies(start)?, &mut queue);
        } else if start.both_command() {
            self.add(vec![canonical(start)?], &mut queue);
        }
        let mut steps: Vec<Step> = Vec::new();
        while let Some(&position) = queue.get(steps.len()) {
            if queue.len() > room {
                return Ok(None);
            }
            let (step, replies) = self.choose(position)?;
            steps.push(step);
            self.add(replies, &mut queue);
        }
        Ok(Some(steps))
    }

    /// Adds the positions that are new to `known` and to `queue`.
    fn add(&mut self, positions: Vec<OfficerPosition>, queue: &mut Vec<OfficerPosition>) {
        queue.extend(positions.into_iter().filter(|&position| self.known.insert(position)));
    }

    /// Chooses the move: of those that reach the goal (a win in the fewest plies) the one that the
    /// taste prefers; of several the one of most value, then the first. Returns it with the
    /// positions that the replies lead to.
    fn choose(
        &self,
        position: OfficerPosition,
    ) -> Result<(Step, Vec<OfficerPosition>), ProbeError> {
        let here = position
            .to_position(self.side)
            .unwrap_or_else(|| unreachable!("all positions met are images of positions"));
        let inconsistent = || ProbeError::Inconsistent { position: Box::new(here) };
        let rated = self.tables.moves(&here)?;
        let best = rated.first().map(|rated| rated.value);
        let value = self.tables.officers_value(&position)?;
        let (least, plies) = match (self.goal, value) {
            (Goal::Win, Value::Win(plies)) => (value, Some(plies)),
            (Goal::NotLose, Value::Win(_) | Value::Draw) => (Value::Draw, None),
            _ => return Err(inconsistent()),
        };
        if best != Some(value) {
            return Err(inconsistent());
        }
        let mut chosen: Option<((bool, usize), Move, Vec<OfficerPosition>)> = None;
        for rated in rated.into_iter().filter(|rated| rated.value >= least) {
            let replies = self.replies(&rated.after)?;
            let new = replies.iter().filter(|reply| !self.known.contains(reply)).count();
            let passed_over =
                self.taste == Taste::WonFirst && new > 0 && rated.value <= Value::Draw;
            let cost = (passed_over, new);
            if chosen.as_ref().is_none_or(|(least, ..)| cost < *least) {
                chosen = Some((cost, rated.played, replies));
            }
        }
        let (_, played, replies) = chosen.ok_or_else(inconsistent)?;
        Ok((Step { position, played, plies }, replies))
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

/// The first in [`order`] of a position's eight images.
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

/// What positions are sorted by: the squares of the side to move, those of the other side, then the
/// counters.
fn order(position: &OfficerPosition) -> impl Ord + use<> {
    let placement = position.placement();
    let (mover, other) = (*position.mover_counters(), *position.other_counters());
    (placement.mover.bits(), placement.other.bits(), mover, other)
}
