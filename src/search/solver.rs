//! The search as a whole: two questions about one position, and what is known of them.

use super::SearchError;
use super::board::{Board, Key};
use super::distance::{DistanceError, Distances, Unknown};
use super::graph::{Graph, MAX_THREADS, NodeId};
use super::leaves::Leaves;
use super::limits::{Limits, Status, Watch};
use super::moves::Child;
use super::numbers::{Attacker, Numbers, Summary};
use super::sweep::{IsOver, Unfinished, renumber, sweep};
use super::walk::{End, Ground, Walk};
use crate::probe::Tablebase;
use crate::rules::{ByColor, Color, Position, RuleSet};
use crate::{Outcome, ValueRange, Wdl};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Why a search has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The position is solved.
    Solved,
    /// The time is over.
    Time,
    /// There is no room for more positions.
    Memory,
    /// It was cancelled.
    Cancelled,
}

/// Solves one position. See the [module](crate::search).
#[derive(Debug)]
pub struct Solver<'a> {
    pub(super) position: Position,
    pub(super) rules: RuleSet,
    pub(super) leaves: Leaves<'a>,
    pub(super) graph: Graph,
    pub(super) root: NodeId,
    swept_at: usize,
    swept_in: Duration,
    /// The sum of the sizes of all turns since the last sweep that ran out of steps.
    missed: usize,
    /// The next sweep is made when there are so many positions, if not sooner.
    next_sweep: usize,
    /// What the proved wins take, and how many positions had been expanded when it was worked out.
    proved: Option<(u64, Arc<Distances>)>,
    /// What is known of its value beside the results that are proved and the plies of their proofs.
    pub(super) narrowed: ValueRange,
}

/// The fewest and the most positions that are added between two looks at the whole.
const SLICE: (usize, usize) = (256, 1 << 16);
/// The steps of a slice for each position that it may add.
const STEPS: u64 = 16;
/// No sweep is made because of growth before there are so many positions.
const FIRST_SWEEP: usize = 1 << 15;
/// A sweep that answers questions about at least one position in so many is worth its time.
const WORTH: u64 = 64;
/// The next sweep is made when there are so many times as many positions as at the last one,
const GROWTH: usize = 3;
/// or as here if that one was not worth its time: where there is a win to be proved, hardly any is.
const GROWTH_IN_VAIN: usize = 64;
/// One turn in this many goes to the question that is less likely to be a win.
const TURNS: usize = 8;
/// Circles are settled when the turns that ran out of steps were meant to add at least one position for
/// so many in the graph, or when such a turn has expanded nothing.
const MISSED: usize = 16;
/// A sweep is followed by expanding if there are fewer new positions than one for so many.
const FRESH: usize = 8;
/// Greater numbers are taken back when only circles seem to be left: circles have made them so.
const INFLATED: u16 = 40_000;

impl<'a> Solver<'a> {
    /// Prepares to solve a position, with `memory` bytes at most for all that is found out.
    ///
    /// # Errors
    /// If the memory is too little to begin with, or a table that covers the position is damaged.
    pub fn new(
        position: &Position,
        rules: RuleSet,
        tables: Option<&'a Tablebase>,
        memory: u64,
    ) -> Result<Solver<'a>, SearchError> {
        Solver::with_leaves(position, rules, Leaves::new(position, rules, tables), memory)
    }

    pub(super) fn with_leaves(
        position: &Position,
        rules: RuleSet,
        leaves: Leaves<'a>,
        memory: u64,
    ) -> Result<Solver<'a>, SearchError> {
        let mut graph = Graph::new(memory);
        graph.reserve(SLICE.0, SLICE.0).map_err(|_| SearchError::Memory { memory })?;
        let board = Board::of(position);
        let child = Child { key: board.key(), squares: board.squares };
        let first = leaves.first_numbers(&child)?;
        let at_once = match first[0].is_final() {
            true => leaves.value(child.key, child.squares)?,
            false => None,
        };
        let inserted = graph.writer(0).insert(child.key, || first);
        let (root, _) = inserted.map_err(|_| SearchError::Memory { memory })?;
        Ok(Solver {
            position: *position,
            rules,
            leaves,
            graph,
            root,
            swept_at: 0,
            swept_in: Duration::ZERO,
            missed: 0,
            next_sweep: FIRST_SWEEP,
            proved: None,
            // What is not over takes a move at least.
            narrowed: at_once.map_or(ValueRange::UNKNOWN.before_move(), ValueRange::from),
        })
    }

    /// Searches until the position is solved or a limit is reached. It can be called again, and
    /// goes on with all that was found out.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn run(&mut self, limits: &Limits<'_>, watch: &dyn Watch) -> Result<Stop, SearchError> {
        let stop = self.answer(self.root, &Clock::new(limits), None, watch)?;
        Ok(stop.unwrap_or(Stop::Solved))
    }

    /// Seeks the answers to both questions about a position that was met, in turns. Returns nothing
    /// if it has stopped because `most` positions have been added.
    pub(super) fn answer(
        &mut self,
        node: NodeId,
        clock: &Clock<'_>,
        most: Option<usize>,
        watch: &dyn Watch,
    ) -> Result<Option<Stop>, SearchError> {
        let end = most.map_or(usize::MAX, |most| self.graph.len().saturating_add(most));
        let mut turn = 0;
        while let Some(attacker) = self.question(node, turn) {
            if self.graph.len() >= end {
                return Ok(None);
            }
            if clock.is_over() {
                return Ok(Some(clock.why()));
            }
            turn += 1;
            self.forget_distances();
            let expanded = self.graph.expanded();
            match self.slice(node, attacker, end, clock)? {
                End::Answered | End::Enough => {}
                // A walk can be busy in circles for long, or for ever.
                End::Steps
                    if self.graph.expanded() > expanded
                        && self.missed < self.graph.len() / MISSED => {}
                End::Circles | End::Steps => {
                    if let Some(stop) = self.untie(clock)? {
                        return Ok(Some(stop));
                    }
                }
                End::Stopped => return Ok(Some(clock.why())),
                End::Full => return Ok(Some(Stop::Memory)),
                End::Probe(error) => return Err(error.into()),
            }
            if self.graph.len() >= self.next_sweep && self.sweep(clock).is_none() {
                return Ok(Some(clock.why()));
            }
            watch.searching(&self.status_of(node, self.side_of(node)));
        }
        Ok(Some(Stop::Solved))
    }

    /// The open question whose turn it is; nothing if the position is solved.
    ///
    /// Whoever looks closer to a win has most of the turns: while he gets there, what is found out
    /// about the other question is much the same.
    fn question(&self, node: NodeId, turn: usize) -> Option<Attacker> {
        let hope = |attacker: Attacker| {
            let numbers = self.graph.node(node).numbers(attacker);
            let (proof, disproof) = match attacker {
                Attacker::Mover => (numbers.phi, numbers.delta),
                Attacker::Other => (numbers.delta, numbers.phi),
            };
            (!numbers.is_final()).then(|| (u32::from(disproof) << 16) / u32::from(proof))
        };
        match Attacker::BOTH.map(hope) {
            [None, None] => None,
            [Some(_), None] => Some(Attacker::Mover),
            [None, Some(_)] => Some(Attacker::Other),
            [Some(mover), Some(other)] => {
                let likely = if mover >= other { Attacker::Mover } else { Attacker::Other };
                Some(if turn % TURNS == TURNS - 1 { likely.next() } else { likely })
            }
        }
    }

    /// One turn of one question, which ends when `most` positions have been met, if not sooner.
    fn slice(
        &mut self,
        node: NodeId,
        attacker: Attacker,
        most: usize,
        clock: &Clock<'_>,
    ) -> Result<End, SearchError> {
        let met = self.graph.len();
        // With as many processors as threads, it takes about as long with any number of them.
        let size = (met / 16).clamp(SLICE.0, SLICE.1) * clock.threads;
        let mut size = size.min(most.saturating_sub(met).max(1));
        // A position adds a few at a time. What does not fit is tried again with more room, as long as
        // there is some and it makes a difference.
        let mut room = (size + 4096, 4 * size + 4096);
        let mut used = (met, self.graph.edges_used());
        loop {
            if self.graph.reserve(room.0, room.1).is_err() {
                if size <= SLICE.0 {
                    return Ok(End::Full);
                }
                // There may be room for less.
                size /= 2;
                room = (size + 4096, 4 * size + 4096);
                continue;
            }
            let ground = self.ground(clock);
            let goal = met + size;
            let steps = STEPS * size.max(SLICE.0) as u64;
            let end = if clock.threads == 1 {
                Walk::new(ground, 0).run(node, attacker, goal, steps)
            } else {
                walk_together(ground, node, attacker, goal, steps, clock.threads)
            };
            let before = used;
            used = (self.graph.len(), self.graph.edges_used());
            let has_room = room.0 > 1 << 16;
            if end == End::Steps {
                self.missed += size;
            }
            if end != End::Full || (has_room && used == before) {
                return Ok(end);
            }
            room = ((1 << 16) + size, (1 << 17) + 4 * size);
        }
    }

    pub(super) fn ground<'b>(&'b self, clock: &Clock<'b>) -> Ground<'b> {
        Ground { graph: &self.graph, rules: self.rules, leaves: self.leaves, clock: *clock }
    }

    /// Settles what circles have left open. If few positions are new since the last sweep, the next
    /// would settle little too: then positions are expanded in the order in which they were met. When
    /// all are expanded, a sweep settles all.
    fn untie(&mut self, clock: &Clock<'_>) -> Result<Option<Stop>, SearchError> {
        let is_little_new = self.graph.len() <= self.swept_at + self.swept_at / FRESH;
        let Some(answered) = self.sweep(clock) else { return Ok(Some(clock.why())) };
        renumber(&self.graph, INFLATED);
        if !is_little_new {
            return Ok(None);
        }
        let most = (self.graph.len() / 8).max(SLICE.0);
        // There may be room for less.
        let mut room = SLICE.1.max(self.graph.len() / 4);
        while self.graph.reserve(room, 2 * room).is_err() {
            if room <= SLICE.0 {
                return Ok(Some(Stop::Memory));
            }
            room /= 2;
        }
        let goal = self.graph.len() + room / 2;
        let ground = self.ground(clock);
        let mut walk = Walk::new(ground, 0);
        let mut expanded = 0;
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            let open = Attacker::BOTH.iter().any(|&attacker| !node.numbers(attacker).is_final());
            if !open || node.is_expanded() {
                continue;
            }
            if clock.is_over() {
                return Ok(Some(clock.why()));
            }
            match walk.expand(id) {
                Ok(()) => expanded += 1,
                Err(End::Probe(error)) => return Err(error.into()),
                Err(_) => break,
            }
            if expanded == most || walk.len() >= goal {
                break;
            }
        }
        drop(walk);
        // Then everything is expanded that has to be, and what is open is known backwards.
        if expanded == 0 && answered == 0 { self.store_wins(clock) } else { Ok(None) }
    }

    /// Stores all wins that the expanded positions prove. Nothing is left to search if that answers
    /// nothing: then positions do not fit.
    fn store_wins(&mut self, clock: &Clock<'_>) -> Result<Option<Stop>, SearchError> {
        let distances = match self.distances(Unknown::NotWon, &|| clock.is_over()) {
            Ok(distances) => distances,
            Err(DistanceError::Unfinished(Unfinished::Full)) => return Ok(Some(Stop::Memory)),
            Err(DistanceError::Unfinished(Unfinished::Stopped)) => return Ok(Some(clock.why())),
            Err(DistanceError::Probe(error)) => return Err(error.into()),
        };
        let mut answered = false;
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            for (attacker, won) in
                [(Attacker::Mover, Numbers::REACHED), (Attacker::Other, Numbers::FAILED)]
            {
                if distances.get(id, attacker).is_some() && !node.numbers(attacker).is_final() {
                    node.set_numbers(attacker, won);
                    answered = true;
                }
            }
        }
        Ok((!answered).then_some(Stop::Memory))
    }

    /// Makes a sweep. Returns how many questions it has answered; nothing if the time was over first.
    fn sweep(&mut self, clock: &Clock<'_>) -> Option<u64> {
        // There is room for it: the graph sees to that. If the system has none, the search goes on
        // without, and ends for want of memory or time.
        let begun = Instant::now();
        let answered = match sweep(&mut self.graph, &|| clock.is_over()) {
            Ok(answered) => answered,
            Err(Unfinished::Full) => 0,
            Err(Unfinished::Stopped) => return None,
        };
        self.swept_at = self.graph.len();
        self.missed = 0;
        self.swept_in = begun.elapsed();
        let is_worth_it = answered * WORTH >= self.swept_at as u64;
        let growth = if is_worth_it { GROWTH } else { GROWTH_IN_VAIN };
        self.next_sweep = self.swept_at.saturating_mul(growth).max(FIRST_SWEEP);
        Some(answered)
    }

    /// About how long a pass over a graph of so many positions takes, judged by the last sweep.
    pub(super) fn pass_time(&self, positions: usize) -> Duration {
        self.swept_in.mul_f64(positions as f64 / self.swept_at.max(1) as f64)
    }

    /// The position that is searched.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The rules that it is searched under.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// How far the search is.
    pub fn status(&self) -> Status {
        self.status_of(self.root, self.position.side_to_move())
    }

    /// The side that is proved to win, if one is.
    pub fn winner(&self) -> Option<Color> {
        Outcome::of(self.wdl()?, self.position.side_to_move()).winner()
    }

    /// The side to move in the position itself, or after one of its moves.
    fn side_of(&self, node: NodeId) -> Color {
        let side = self.position.side_to_move();
        if node == self.root { side } else { !side }
    }

    fn status_of(&self, node: NodeId, side: Color) -> Status {
        let mut numbers = ByColor { white: None, black: None };
        for (attacker, color) in [(Attacker::Mover, side), (Attacker::Other, !side)] {
            let found = self.graph.node(node).numbers(attacker);
            if !found.is_final() {
                numbers[color] = Some(match attacker {
                    Attacker::Mover => (found.phi, found.delta),
                    Attacker::Other => (found.delta, found.phi),
                });
            }
        }
        Status {
            positions: self.graph.in_use() as u64,
            expanded: self.graph.expanded(),
            bytes: self.graph.memory.used(),
            numbers,
        }
    }

    /// The sides that are proved to be unable to win.
    pub fn excluded(&self) -> ByColor<bool> {
        self.result().excluded(self.position.side_to_move())
    }

    /// Win, draw or loss for the side to move, if that is proved.
    pub fn wdl(&self) -> Option<Wdl> {
        self.wdl_of(self.root)
    }

    pub(super) fn wdl_of(&self, id: NodeId) -> Option<Wdl> {
        let node = self.graph.node(id);
        let (win, hold) = (node.numbers(Attacker::Mover), node.numbers(Attacker::Other));
        if win.is_reached() {
            Some(Wdl::Win)
        } else if hold.is_failed() {
            Some(Wdl::Loss)
        } else if win.is_failed() && hold.is_reached() {
            Some(Wdl::Draw)
        } else {
            None
        }
    }

    /// Lists the moves of the position, if it has any.
    pub(super) fn expand_root(&mut self, clock: &Clock<'_>) -> Result<Option<Stop>, SearchError> {
        let node = self.graph.node(self.root);
        if node.is_expanded() {
            return Ok(None);
        }
        self.forget_distances();
        if self.graph.reserve(1 << 16, 1 << 16).is_err() {
            return Ok(Some(Stop::Memory));
        }
        match Walk::new(self.ground(clock), 0).expand(self.root) {
            Ok(()) => Ok(None),
            Err(End::Probe(error)) => Err(error.into()),
            Err(_) => Ok(Some(Stop::Memory)),
        }
    }

    /// The distances of all wins that are proved. They are kept as long as no position is expanded.
    pub(super) fn proved_distances(&mut self) -> Result<Arc<Distances>, SearchError> {
        let expanded = self.graph.expanded();
        if let Some((_, distances)) = self.proved.as_ref().filter(|(at, _)| *at == expanded) {
            return Ok(distances.clone());
        }
        self.forget_distances();
        let distances =
            self.distances(Unknown::NotWon, &|| false).map_err(|error| self.search_error(error))?;
        for (attacker, won) in
            [(Attacker::Mover, Numbers::REACHED), (Attacker::Other, Numbers::FAILED)]
        {
            if distances.get(self.root, attacker).is_some() {
                self.graph.node(self.root).set_numbers(attacker, won);
            }
        }
        let distances = Arc::new(distances);
        self.proved = Some((expanded, distances.clone()));
        Ok(distances)
    }

    /// Answers the questions about the position that the answers about its moves settle.
    pub(super) fn settle_root(&self) {
        let root = self.graph.node(self.root);
        if !root.is_expanded() {
            return;
        }
        for attacker in Attacker::BOTH {
            let mut summary = Summary::new(attacker);
            for (place, child) in self.graph.children(root).iter().enumerate() {
                let child = self.graph.node(child.load(Relaxed));
                summary.add(place, child.numbers(attacker.next()), false, 0);
            }
            let numbers = summary.numbers();
            if numbers.is_final() {
                root.set_numbers(attacker, numbers);
            }
        }
    }

    /// Gives back the room that the search needs to go on.
    pub(super) fn forget_distances(&mut self) {
        self.proved = None;
    }

    pub(super) fn distances(
        &mut self,
        unknown: Unknown,
        is_over: IsOver<'_>,
    ) -> Result<Distances, DistanceError> {
        Distances::new(&mut self.graph, self.leaves, unknown, is_over)
    }

    pub(super) fn search_error(&self, error: DistanceError) -> SearchError {
        match error {
            DistanceError::Unfinished(_) => {
                SearchError::Memory { memory: self.graph.memory.limit() }
            }
            DistanceError::Probe(error) => SearchError::Probe(error),
        }
    }
}

/// Several threads seek one answer.
fn walk_together(
    ground: Ground<'_>,
    node: NodeId,
    attacker: Attacker,
    goal: usize,
    steps: u64,
    threads: usize,
) -> End {
    let walk =
        move |thread| Walk::new(ground, thread).run(node, attacker, goal, steps / threads as u64);
    let ends: Vec<End> = std::thread::scope(|scope| {
        // Where the system starts no more threads, those that there are do the work.
        let handles: Vec<_> = (1..threads)
            .map_while(|thread| {
                std::thread::Builder::new().spawn_scoped(scope, move || walk(thread)).ok()
            })
            .collect();
        let first = walk(0);
        let others = handles.into_iter().map(|handle| match handle.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(first).chain(others).collect()
    });
    // What matters most comes first.
    let rank = |end: &End| match end {
        End::Probe(_) => 0,
        End::Answered => 1,
        End::Stopped => 2,
        End::Full => 3,
        End::Circles => 4,
        End::Enough => 5,
        End::Steps => 6,
    };
    ends.into_iter().min_by_key(rank).unwrap_or(End::Enough)
}

/// The limits of a search that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock<'a> {
    pub(super) deadline: Option<Instant>,
    pub(super) cancelled: &'a AtomicBool,
    pub(super) threads: usize,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> Clock<'a> {
    pub(super) fn new(limits: &Limits<'a>) -> Clock<'a> {
        Clock {
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            cancelled: limits.cancelled.unwrap_or(&NEVER),
            threads: limits.threads.clamp(1, MAX_THREADS),
        }
    }

    /// The same limits, but for a time that ends so much earlier.
    #[must_use]
    pub(super) fn earlier(&self, by: Duration) -> Clock<'a> {
        let deadline = self.deadline.map(|at| at.checked_sub(by).unwrap_or(at));
        Clock { deadline, ..*self }
    }

    /// Whether it is time to stop.
    pub(super) fn is_over(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    pub(super) fn why(&self) -> Stop {
        if self.is_cancelled() { Stop::Cancelled } else { Stop::Time }
    }
}

impl Solver<'_> {
    /// The node of a position, if the search has met it.
    pub(super) fn find(&self, position: &Position) -> Option<NodeId> {
        self.graph.find(Key::of(position))
    }
}
