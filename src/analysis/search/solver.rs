//! The search as a whole: two questions about one position, and what is known of them.

use super::budget::{Budget, Stop};
use super::distance::{Distances, Unknown};
use super::error::Halt;
use super::estimates::Estimates;
use super::graph::{Graph, NodeId};
use super::key::{Child, Key};
use super::leaves::Leaves;
use super::numbers::{Attacker, Numbers};
use super::sweep::{renumber, sweep};
use super::walk::{End, Ground, Line, Walk, summary};
use lasca_tablebase::internals::{Instant, Threads, side_by_side};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{ByColor, Color, MOST_MOVES, Position, RuleSet};
use lasca_tablebase::{Outcome, SearchStatus, Silent, ValueRange, Wdl};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Solves one position. See the [module](crate::search).
pub struct Solver {
    pub(super) position: Position,
    pub(super) rules: RuleSet,
    pub(super) leaves: Leaves,
    pub(super) graph: Graph,
    pub(super) root: NodeId,
    swept_at: usize,
    swept_in: Duration,
    /// The sum of the sizes of all turns since the last sweep that ran out of steps.
    missed: usize,
    /// The next sweep is made when there are this many positions, or sooner.
    next_sweep: usize,
    /// What wins take, by what stands for the unknown, as long as no position is expanded.
    kept: [Option<Arc<Distances>>; 2],
    /// Those of the last search.
    threads: Threads,
    /// What is known of its value beside the results that are proved and the plies of their proofs.
    pub(super) narrowed: ValueRange,
    pub(super) estimates: Option<Estimates>,
}

/// The fewest and the most positions that are added between two looks at the whole.
const SLICE: (usize, usize) = (256, 1 << 16);
/// The steps of a slice for each position that it may add.
const STEPS: u64 = 16;
/// Growth leads to no sweep before there are this many positions.
const FIRST_SWEEP: usize = 1 << 15;
/// A sweep is worth its time if it answers questions about at least one position in 64.
const WORTH: usize = 64;
/// The next sweep is made when the graph has grown to this many times its size at the last one.
const GROWTH: usize = 3;
/// The same, if the last sweep was not worth its time. If there is a win to be proved, hardly any is.
const GROWTH_IN_VAIN: usize = 64;
/// One turn in this many goes to the question that is less likely to be a win.
const TURNS: usize = 8;
/// Circles are settled when the turns that ran out of steps should have added 1/16 of the graph or more, or
/// when such a turn has expanded nothing.
const MISSED: usize = 16;
/// Positions are expanded after a sweep if the graph has grown by at most 1/8 since the sweep before.
const FRESH: usize = 8;
/// How many positions a thread takes at a time to expand them.
const AT_ONCE: usize = 64;
/// Room for this many positions is kept for each thread beside those that are to be met.
const SPARE: usize = 1024;
/// A search has one thread for each so many bytes of its memory. The room that is kept for a thread is little of that.
const THREAD_BYTES: u64 = 4 << 20;
/// Greater numbers are taken back when only circles seem to be left: circles have made them so.
const INFLATED: u16 = 40_000;

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (position, status) = (self.position.to_string(), self.status());
        f.debug_struct("Solver").field("position", &position).field("status", &status).finish()
    }
}

impl Solver {
    /// Prepares to solve a position, with `memory` bytes at most for all that is found out.
    ///
    /// # Errors
    /// If the memory is too little to begin with, or a table that covers the position is damaged.
    pub fn new(
        position: &Position,
        tables: impl Into<Tablebase>,
        memory: u64,
    ) -> Result<Solver, ProbeError> {
        let tables = tables.into();
        Solver::with_leaves(position, tables.rules(), Leaves::new(position, &tables), memory)
    }

    pub(super) fn with_leaves(
        position: &Position,
        rules: RuleSet,
        leaves: Leaves,
        memory: u64,
    ) -> Result<Solver, ProbeError> {
        let mut solver = Solver {
            position: *position,
            rules,
            leaves,
            graph: Graph::new(memory),
            root: 0,
            swept_at: 0,
            swept_in: Duration::ZERO,
            missed: 0,
            next_sweep: FIRST_SWEEP,
            kept: [None, None],
            threads: Threads::ONE,
            narrowed: ValueRange::UNKNOWN,
            estimates: None,
        };
        solver.go_to(position)?;
        Ok(solver)
    }

    /// Goes on with another position of the same counters, and keeps all that was found out: no answer
    /// depends on the way in which a position is reached.
    ///
    /// # Errors
    /// If there is no room for it, or a table that covers it is damaged.
    pub(crate) fn go_to(&mut self, position: &Position) -> Result<(), ProbeError> {
        self.root = self.meet(position)?;
        self.estimates = self.estimates.take().filter(|_| self.position == *position);
        self.position = *position;
        let node = self.graph.node(self.root);
        let at_once = match node.is_answered() && !node.is_expanded() {
            // Whoever asks for the distance is told why it is not known.
            true => self.leaves.value(node.key()).unwrap_or_default(),
            false => None,
        };
        // What is not over takes a move at least.
        self.narrowed = at_once.map_or(ValueRange::UNKNOWN.before_move(), ValueRange::from);
        Ok(())
    }

    /// Takes over what another search has proved of a position: who wins, or that nobody does. It becomes a
    /// leaf without a distance.
    ///
    /// # Errors
    /// If there is no room for it, or a table that covers it is damaged.
    pub(crate) fn take_over(&mut self, position: &Position, proved: Wdl) -> Result<(), ProbeError> {
        let id = self.meet(position)?;
        for (attacker, numbers) in Attacker::BOTH.into_iter().zip(Numbers::proved(proved)) {
            self.graph.node(id).set_numbers(attacker, numbers);
        }
        Ok(())
    }

    /// The node of a position, which is added if it was not met before.
    fn meet(&mut self, position: &Position) -> Result<NodeId, ProbeError> {
        self.forget_distances();
        let memory = self.graph.memory.limit;
        let child = Child::from(position);
        if let Some(id) = self.graph.id_of(child.key) {
            return Ok(id);
        }
        let room = self.graph.room_for(SLICE.0, SLICE.0).ok();
        let needed = room.map(|room| self.graph.memory.used() + room.bytes);
        let full = |_| ProbeError::SearchMemory { memory, needed };
        self.graph.reserve(SLICE.0, SLICE.0, Threads::ONE).map_err(full)?;
        let first = self.leaves.first_look(&child)?.numbers;
        let met = self.graph.writer().insert(child.key, || first);
        met.map(|(id, _)| id).map_err(full)
    }

    /// Searches until the position is solved or the budget is used up. It can be called again, and
    /// goes on with all that was found out.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn run(&mut self, budget: &Budget<'_>) -> Result<Stop, ProbeError> {
        self.within(budget, |solver, budget| {
            solver.answer(solver.root, budget, None).map(|_| Stop::Solved)
        })
    }

    /// Does some work until it ends or the budget stops it, on as many threads as its memory allows.
    pub(super) fn within(
        &mut self,
        budget: &Budget<'_>,
        work: impl FnOnce(&mut Solver, &Budget<'_>) -> Result<Stop, Halt>,
    ) -> Result<Stop, ProbeError> {
        let room = self.graph.memory.limit / THREAD_BYTES;
        let mut budget = *budget;
        budget.threads = budget.threads.at_most(usize::try_from(room).unwrap_or(usize::MAX));
        self.threads = budget.threads;
        work(self, &budget).or_else(|halt| budget.stop(halt))
    }

    /// The budget for all that follows from the last search, which takes as long as it takes on as many threads.
    pub(crate) fn unlimited(&self) -> Budget<'static> {
        Budget::new(None, self.threads.count(), &Silent)
    }

    /// Seeks the answers to both questions about a position that was met, in turns. Returns whether it has
    /// found them; otherwise it has stopped because `most` positions have been added.
    pub(super) fn answer(
        &mut self,
        node: NodeId,
        budget: &Budget<'_>,
        most: Option<usize>,
    ) -> Result<bool, Halt> {
        let end = most.map_or(usize::MAX, |most| self.graph.len().saturating_add(most));
        let mut turn = 0;
        while let Some(attacker) = self.question(node, turn) {
            if self.graph.len() >= end {
                return Ok(false);
            }
            budget.check()?;
            turn += 1;
            self.forget_distances();
            let expanded = self.graph.expanded();
            match self.slice(node, attacker, end, budget)? {
                End::Answered | End::Enough => {}
                // A walk can be busy in circles for long, or for ever.
                End::Steps
                    if self.graph.expanded() > expanded
                        && self.missed < self.graph.len() / MISSED => {}
                End::Circles | End::Steps => self.untie(budget)?,
            }
            if self.graph.len() >= self.next_sweep {
                self.sweep(budget)?;
            }
            budget.progress.searching(&self.status_of(node));
            budget.check_pause()?;
        }
        Ok(true)
    }

    /// The open question whose turn it is; nothing if the position is solved.
    ///
    /// Whoever looks closer to a win has most of the turns: while he gets there, what is found out
    /// about the other question is much the same.
    fn question(&self, node: NodeId, turn: usize) -> Option<Attacker> {
        let hope = |attacker: Attacker| {
            let numbers = self.graph.node(node).numbers(attacker);
            let (proof, disproof) = numbers.of_win(attacker);
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
        budget: &Budget<'_>,
    ) -> Result<End, Halt> {
        let met = self.graph.len();
        // With as many processors as threads, it takes about as long with any number of them.
        let size = (met / 16).clamp(SLICE.0, SLICE.1) * budget.threads.count();
        let mut size = size.min(most.saturating_sub(met).max(1));
        // A position adds a few at a time, and each thread takes places for many. What does not fit is tried
        // again with more room, as long as there is some and it makes a difference.
        let spare = 4096.max(SPARE * budget.threads.count());
        let mut room = (size + spare, 4 * size + spare);
        let mut used = (met, self.graph.edges_used());
        loop {
            if self.graph.reserve(room.0, room.1, budget.threads).is_err() {
                if size <= SLICE.0 {
                    return Err(Halt::Full);
                }
                // There may be room for less.
                size /= 2;
                room = (size + spare, 4 * size + spare);
                continue;
            }
            let ground = self.ground(budget);
            let goal = met + size;
            let steps = STEPS * size.max(SLICE.0) as u64;
            let threads = budget.threads.count();
            let ends = side_by_side(threads, |thread| {
                Walk::new(ground, thread).run(node, attacker, goal, steps / threads as u64)
            });
            // There is one thread at least.
            let end = ends.into_iter().min_by_key(rank).unwrap_or(Ok(End::Enough));
            let before = used;
            used = (self.graph.len(), self.graph.edges_used());
            let has_room = room.0 > 1 << 16;
            if end == Ok(End::Steps) {
                self.missed += size;
            }
            if end != Err(Halt::Full) || (has_room && used == before) {
                return end;
            }
            room = ((1 << 16) + size, (1 << 17) + 4 * size);
        }
    }

    pub(super) fn ground<'b>(&'b self, budget: &'b Budget<'b>) -> Ground<'b> {
        Ground { graph: &self.graph, rules: self.rules, leaves: &self.leaves, budget }
    }

    /// Settles what circles have left open. If few positions are new since the last sweep, the next
    /// would settle little too: then positions are expanded in the order in which they were met. When
    /// all are expanded, a sweep settles all.
    fn untie(&mut self, budget: &Budget<'_>) -> Result<(), Halt> {
        let is_little_new = self.graph.len() <= self.swept_at + self.swept_at / FRESH;
        let answered = self.sweep(budget)?;
        renumber(&self.graph, INFLATED, budget)?;
        if !is_little_new {
            return Ok(());
        }
        let most = (self.graph.len() / 8).max(SLICE.0);
        let room = self.make_room(SLICE.1.max(self.graph.len() / 4), budget.threads)?;
        let met = self.graph.len();
        let expanded = match self.expand(met, |id| id as NodeId, most, met + room / 2, budget) {
            Err(Halt::Full) => 0,
            expanded => expanded?,
        };
        // Then everything is expanded that has to be, and what is open is known backwards.
        if expanded == 0 && answered == 0 { self.store_wins(budget) } else { Ok(()) }
    }

    /// Lists the moves of the positions with these places, except those that are answered or were expanded,
    /// until that is done for this many of them, `goal` positions have been met or there is no more room. Returns
    /// for how many it is done. Fails if there is no room for one.
    pub(super) fn expand(
        &self,
        places: usize,
        id_at: impl Fn(usize) -> NodeId + Sync,
        most: usize,
        goal: usize,
        budget: &Budget<'_>,
    ) -> Result<usize, Halt> {
        let expanded = AtomicUsize::new(0);
        let expand = |number: usize, walk: &mut Walk<'_>| {
            let begin = number * AT_ONCE;
            for place in begin..places.min(begin + AT_ONCE) {
                if expanded.load(Relaxed) >= most || walk.len() >= goal {
                    break;
                }
                let id = id_at(place);
                let node = self.graph.node(id);
                if node.is_answered() || node.is_expanded() {
                    continue;
                }
                budget.check()?;
                walk.expand(id)?;
                expanded.fetch_add(1, Relaxed);
            }
            Ok(())
        };
        let walk = || Walk::new(self.ground(budget), 0);
        let done = budget.threads.map(places.div_ceil(AT_ONCE), walk, expand);
        match (done, expanded.into_inner()) {
            (Ok(_), expanded) | (Err(Halt::Full), expanded @ 1..) => Ok(expanded),
            (Err(halt), _) => Err(halt),
        }
    }

    /// Makes room for this many positions, or for less if there is no more. Returns for how many.
    pub(super) fn make_room(&mut self, mut room: usize, threads: Threads) -> Result<usize, Halt> {
        while self.graph.reserve(room, 2 * room, threads).is_err() {
            if room <= SLICE.0 {
                return Err(Halt::Full);
            }
            room /= 2;
        }
        Ok(room)
    }

    /// Stores all wins that the expanded positions prove. Nothing is left to search if that answers
    /// nothing: then positions do not fit.
    fn store_wins(&mut self, budget: &Budget<'_>) -> Result<(), Halt> {
        let distances = self.distances(Unknown::NotWon, budget)?;
        let mut answered = false;
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            for attacker in Attacker::BOTH {
                if distances.get(id, attacker).is_some() && !node.numbers(attacker).is_final() {
                    node.set_numbers(attacker, Numbers::won(attacker));
                    answered = true;
                }
            }
        }
        if answered { Ok(()) } else { Err(Halt::Full) }
    }

    /// Makes a sweep. Returns how many questions it has answered.
    fn sweep(&mut self, budget: &Budget<'_>) -> Result<usize, Halt> {
        // There is room for it: the graph sees to that. If the system has none, the search goes on
        // without, and ends for want of memory or time.
        let begun = Instant::now();
        let answered = match sweep(&mut self.graph, budget) {
            Err(Halt::Full) => 0,
            answered => answered?,
        };
        self.swept_at = self.graph.len();
        self.missed = 0;
        self.swept_in = begun.elapsed();
        let is_worth_it = answered * WORTH >= self.swept_at;
        let growth = if is_worth_it { GROWTH } else { GROWTH_IN_VAIN };
        self.next_sweep = self.swept_at.saturating_mul(growth).max(FIRST_SWEEP);
        Ok(answered)
    }

    /// About how long a pass over a graph of this many positions takes, judged by the last sweep.
    pub(super) fn pass_time(&self, positions: usize) -> Duration {
        self.swept_in.mul_f64(positions as f64 / self.swept_at.max(1) as f64)
    }

    /// Makes a pass over the graph seem to take very long.
    #[cfg(test)]
    pub(crate) fn seem_slow(&mut self) {
        (self.swept_at, self.swept_in) = (1, Duration::from_secs(60));
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
    pub fn status(&self) -> SearchStatus {
        self.status_of(self.root)
    }

    /// The side that is proved to win, if one is.
    pub fn winner(&self) -> Option<Color> {
        Outcome::of(self.wdl()?, self.position.side_to_move()).winner()
    }

    /// How far the search is with the position itself, or with one after a move.
    fn status_of(&self, node: NodeId) -> SearchStatus {
        let mut numbers = ByColor { white: None, black: None };
        let side = self.position.side_to_move();
        let side = if node == self.root { side } else { !side };
        for (attacker, color) in [(Attacker::Mover, side), (Attacker::Other, !side)] {
            let found = self.graph.node(node).numbers(attacker);
            numbers[color] = (!found.is_final()).then(|| found.of_win(attacker));
        }
        SearchStatus {
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
        self.known(id, None).wdl()
    }

    /// Lists the moves of the position.
    pub(super) fn expand_root(&mut self, budget: &Budget<'_>) -> Result<(), Halt> {
        if self.graph.node(self.root).is_expanded() {
            return Ok(());
        }
        self.forget_distances();
        self.graph.reserve(MOST_MOVES, MOST_MOVES, Threads::ONE)?;
        Walk::new(self.ground(budget), 0).expand(self.root)
    }

    /// The distances of all wins that are proved; nothing if there is no time for them.
    pub(super) fn proved_distances(
        &mut self,
        budget: &Budget<'_>,
    ) -> Result<Option<Arc<Distances>>, Halt> {
        let Some(distances) = self.kept_distances(Unknown::NotWon, budget)? else {
            return Ok(None);
        };
        for attacker in Attacker::BOTH {
            if distances.get(self.root, attacker).is_some() {
                self.graph.node(self.root).set_numbers(attacker, Numbers::won(attacker));
            }
        }
        distances.check_tables()?;
        Ok(Some(distances))
    }

    /// The distances below which no win is; nothing if there is no time or room for them.
    pub(super) fn least_distances(
        &mut self,
        budget: &Budget<'_>,
    ) -> Result<Option<Arc<Distances>>, Halt> {
        match self.kept_distances(Unknown::WonAtOnce, budget) {
            Err(Halt::Full) => Ok(None),
            found => found,
        }
    }

    /// Distances, which are kept as long as no position is expanded; nothing if there is no time for them.
    fn kept_distances(
        &mut self,
        unknown: Unknown,
        budget: &Budget<'_>,
    ) -> Result<Option<Arc<Distances>>, Halt> {
        if self.kept[unknown as usize].is_none() {
            let distances = match self.distances(unknown, budget) {
                Err(Halt::Stopped) => return Ok(None),
                distances => distances?,
            };
            self.kept[unknown as usize] = Some(Arc::new(distances));
        }
        Ok(self.kept[unknown as usize].clone())
    }

    /// Whether the distances of all wins that are proved have been worked out.
    pub(crate) fn has_distances(&self) -> bool {
        self.kept[Unknown::NotWon as usize].is_some()
    }

    /// Answers the questions about the position that the answers about its moves settle.
    pub(super) fn settle_root(&self) {
        let root = self.graph.node(self.root);
        if !root.is_expanded() {
            return;
        }
        let line = Line::default();
        for attacker in Attacker::BOTH {
            let numbers =
                summary(&self.graph, &line, self.graph.children(root), attacker).numbers();
            if numbers.is_final() {
                root.set_numbers(attacker, numbers);
            }
        }
    }

    /// Forgets what the next expansion changes, and gives back the room that the search needs to go on.
    pub(super) fn forget_distances(&mut self) {
        self.kept = [None, None];
    }

    /// The node of a position, if the search has met it.
    pub(super) fn id_of(&self, position: &Position) -> Option<NodeId> {
        self.graph.id_of(Key::of(position))
    }

    pub(super) fn distances(
        &mut self,
        unknown: Unknown,
        budget: &Budget<'_>,
    ) -> Result<Distances, Halt> {
        Distances::new(&mut self.graph, Some(&self.leaves), unknown, budget)
    }

    /// Why something could not be found out that must not be left open.
    pub(super) fn search_error(&self, halt: Halt) -> ProbeError {
        match halt {
            Halt::Stopped | Halt::Full => {
                ProbeError::SearchMemory { memory: self.graph.memory.limit, needed: None }
            }
            Halt::TooManyMoves(error) => error.into(),
            Halt::Probe(error) => error,
        }
    }
}

/// Of the ends of several threads that seek one answer, the one that matters most comes first.
fn rank(end: &Result<End, Halt>) -> u8 {
    match end {
        Err(Halt::Probe(_)) => 0,
        Ok(End::Answered) => 1,
        Err(Halt::Stopped) => 2,
        Err(Halt::TooManyMoves(_)) => 3,
        Err(Halt::Full) => 4,
        Ok(End::Circles) => 5,
        Ok(End::Enough) => 6,
        Ok(End::Steps) => 7,
    }
}
