//! Strategies: what a side plays in each position that it can come to.

use super::CertifyError;
use crate::search::{Key, ProvedMoves};
use lasca_tablebase::probe::{ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::{Color, Move, Position, RuleSet, Symmetry, TooManyMoves};
use lasca_tablebase::{Value, Wdl};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The move that one side plays in each position that it can come to while it keeps to these moves.
///
/// A position with a soldier stands for its mirror image too, left and right exchanged. A position of
/// officers stands for its eight images under the symmetries of the board.
#[derive(Clone, Debug)]
pub struct Strategy {
    pub(super) side: Color,
    pub(super) moves: Vec<StrategyMove>,
}

/// A position of a strategy, with the strategy's side to move, and the move that it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrategyMove {
    /// The position in list form, which takes less memory than a [`Position`].
    pub position: Box<str>,
    /// The move.
    pub played: Move,
    /// The most plies until the side has won, this move included; `None` if it means to draw.
    pub plies: Option<u16>,
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
    /// are then ordered by the text of the position.
    pub fn moves(&self) -> &[StrategyMove] {
        &self.moves
    }

    /// Finds a strategy from `start`. The source must say that the side reaches the goal there.
    pub(super) fn find(
        source: &Source<'_>,
        start: &Position,
        task: Task,
    ) -> Result<Strategy, CertifyError> {
        const ALL_ALIKE: bool = false;
        const PREFERS_WINS: bool = true;
        let attempts: &[bool] = match task.wins || source.tables().is_none() {
            // All moves that reach the goal win, or few are known to.
            true => &[ALL_ALIKE],
            // Neither is always better: one of the proofs may be ten times as large as the other.
            false => &[ALL_ALIKE, PREFERS_WINS],
        };
        let mut least: Option<Vec<StrategyMove>> = None;
        for &prefers_wins in attempts {
            let room = least.as_ref().map_or(task.room, |moves| moves.len().saturating_sub(1));
            let (known, queue) = (FxHashSet::default(), VecDeque::new());
            let search = StrategySearch { source, task, prefers_wins, known, queue };
            least = search.run(start, room)?.or(least);
        }
        let mut moves = least.ok_or(task.too_large())?;
        moves.sort_by(|a, b| b.plies.cmp(&a.plies).then_with(|| a.position.cmp(&b.position)));
        Ok(Strategy { side: task.side, moves })
    }
}

/// What knows the moves that reach the goal.
pub(super) enum Source<'a> {
    /// Tables.
    Tables(&'a Tablebase),
    /// A search under these rules, and the tables that it relied on.
    Search(RuleSet, ProvedMoves<'a>),
}

impl Source<'_> {
    fn rules(&self) -> RuleSet {
        match self {
            Source::Tables(tables) => tables.rules(),
            Source::Search(rules, _) => *rules,
        }
    }

    fn tables(&self) -> Option<&Tablebase> {
        match self {
            Source::Tables(tables) => Some(tables),
            Source::Search(_, proved) => proved.tables(),
        }
    }

    /// The moves that reach the goal, a win in the fewest plies, with what is known of them, and how many plies
    /// these are. There are none if the source does not know any.
    fn moves_to_goal(
        &self,
        position: &Position,
        wins: bool,
    ) -> Result<(Vec<RatedMove>, Option<u16>), ProbeError> {
        let tables = match self {
            Source::Tables(tables) => tables,
            // Both may know a position: the search, if it looked at moves of one that a table covers. Plies of
            // tables are the least, so that they fall whichever was asked before.
            Source::Search(_, proved) => match proved.tables_for(position) {
                Some(tables) => tables,
                None => return Ok(proved.of(position)?),
            },
        };
        let inconsistent = || ProbeError::Inconsistent { position: Box::new(*position) };
        let value = tables.value(position)?;
        let (least, plies) = match (wins, value) {
            (true, Value::Win(plies)) => (value, Some(plies)),
            (false, Value::Win(_) | Value::Draw) => (Value::Draw, None),
            _ => return Err(inconsistent()),
        };
        let moves = tables.moves(position)?;
        if moves.first().map(|rated| rated.value) != Some(value) {
            return Err(inconsistent());
        }
        let kept = moves.into_iter().filter(|rated| rated.value >= least);
        Ok((kept.map(RatedMove::from).collect(), plies))
    }
}

/// The positions that the other side's moves lead to, each once.
type Replies = Vec<(Key, Position)>;

/// A search for a strategy, breadth first.
struct StrategySearch<'a> {
    source: &'a Source<'a>,
    task: Task,
    /// Whether a move that wins is preferred to one that draws, unless the drawing move adds no position. Among
    /// equals, the move that adds the fewest positions is chosen.
    prefers_wins: bool,
    /// All positions that were met, whether their move has been chosen yet or not.
    known: FxHashSet<Key>,
    /// Those of them whose move has not been chosen yet. Each is the first of its images.
    queue: VecDeque<Position>,
}

impl StrategySearch<'_> {
    /// The moves of a strategy, in the order in which their positions were met; `None` if there are
    /// more than `room`.
    fn run(
        mut self,
        start: &Position,
        room: usize,
    ) -> Result<Option<Vec<StrategyMove>>, ProbeError> {
        if start.side_to_move() != self.task.side {
            self.add(self.replies(start)?);
        } else if start.both_command() {
            self.add(vec![(Key::of(start), *start)]);
        }
        let mut moves = Vec::new();
        while moves.len() + self.queue.len() <= room {
            let Some(position) = self.queue.pop_front() else { return Ok(Some(moves)) };
            let Some((played, plies, replies)) = self.choose(&position)? else { return Ok(None) };
            moves.push(StrategyMove { position: position.to_string().into(), played, plies });
            self.add(replies);
        }
        Ok(None)
    }

    /// Adds the positions that are new to `known` and to `queue`.
    fn add(&mut self, positions: Replies) {
        for (key, position) in positions {
            if self.known.insert(key) {
                self.queue.push_back(position.transformed(to_first_image(&position)));
            }
        }
    }

    /// Chooses the move that is preferred among those that reach the goal; among equals, the first. Returns it
    /// with the most plies until the side has won, and with the positions that the replies lead to. `None` if no such
    /// move is known.
    fn choose(
        &self,
        position: &Position,
    ) -> Result<Option<(Move, Option<u16>, Replies)>, ProbeError> {
        let (moves, plies) = self.source.moves_to_goal(position, self.task.wins)?;
        let mut chosen: Option<((bool, usize), Move, Replies)> = None;
        for RatedMove { played, after, value } in moves {
            let replies = self.replies(&after)?;
            let new = replies.iter().filter(|(key, _)| !self.known.contains(key)).count();
            let passed_over = self.prefers_wins && new > 0 && value.wdl() != Some(Wdl::Win);
            let cost = (passed_over, new);
            if chosen.as_ref().is_none_or(|(least, ..)| cost < *least) {
                chosen = Some((cost, played, replies));
            }
        }
        Ok(chosen.map(|(_, played, replies)| (played, plies, replies)))
    }

    fn replies(&self, after: &Position) -> Result<Replies, TooManyMoves> {
        let mut replies = Replies::new();
        for (_, reply) in after.successors(self.source.rules())? {
            let key = Key::of(&reply);
            if replies.iter().all(|&(other, _)| other != key) {
                replies.push((key, reply));
            }
        }
        Ok(replies)
    }
}

/// The symmetry that maps a position onto that of its images whose squares come first, those of the side to move
/// before the others; among several, the one with the first text.
fn to_first_image(position: &Position) -> Symmetry {
    let placement = position.placement();
    // Most positions have one image whose squares come first.
    let squares = |symmetry: &Symmetry| {
        (symmetry.apply_set(placement.mover).bits(), symmetry.apply_set(placement.other).bits())
    };
    let least = position.symmetries().map(|symmetry| squares(&symmetry)).min();
    let first = position.symmetries().filter(|symmetry| Some(squares(symmetry)) == least);
    let text = |symmetry: &Symmetry| position.transformed(*symmetry).to_string();
    first.min_by_key(text).unwrap_or(Symmetry::IDENTITY)
}
