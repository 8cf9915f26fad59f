//! Distances: how many plies the wins take that an expanded graph proves.

use super::budget::{Budget, RANGE};
use super::error::Halt;
use super::graph::{Graph, Node, NodeId};
use super::leaves::Leaves;
use super::memory::Held;
use super::numbers::Attacker;
use super::shared::AtomicU32 as Scratch;
use lasca_tablebase::Value;
use lasca_tablebase::internals::{prefetch, prefetch_at};
use lasca_tablebase::probe::ProbeError;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicUsize};

/// The distance of a position that is not known to be won for the attacker.
const NONE: u16 = u16::MAX;
/// Greater numbers are counts of moves, taken from [`NONE`], while distances are being worked out.
const GREATEST: u16 = 0x7fff;

/// For each position and attacker the plies to his win with the moves that were expanded, both sides
/// playing best; nothing where no win is proved.
///
/// They are upper bounds of the true distances: a move that was not expanded might win sooner.
#[derive(Debug)]
pub(super) struct Distances {
    plies: Held<[AtomicU16; 2]>,
    /// Whether no win is left out because it takes more plies than can be counted.
    pub(super) are_all: bool,
    /// Why a table that covers a position of the graph does not tell its distance: of the first such position.
    pub(super) missing: Option<ProbeError>,
}

impl Distances {
    /// Fails if a table is damaged or cannot be read, so that distances are missing that it should tell.
    pub(super) fn check_tables(&self) -> Result<(), ProbeError> {
        match &self.missing {
            Some(error) if !error.is_not_covered() => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// The plies until the attacker has won.
    pub(super) fn get(&self, id: NodeId, attacker: Attacker) -> Option<u16> {
        let plies = self.plies.get(id as usize)?[attacker as usize].load(Relaxed);
        (plies <= GREATEST).then_some(plies)
    }
}

/// So many wins ahead of the one that a pass looks at, the processor begins to fetch what is needed.
const AHEAD: usize = 8;

/// What stands for a position that was not expanded, and of which nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It is not won: distances are those of wins that are proved, and not too short.
    NotWon,
    /// It is won as soon as the rules allow: distances are not too long.
    WonAtOnce,
}

impl Distances {
    /// Works out all distances, level by level: first what is won in 0 plies, then in 1, and so on.
    /// Without `leaves`, nothing is known of the distances of what was not expanded.
    ///
    /// Nobody else may use the graph meanwhile. The distances do not depend on the number of threads.
    pub(super) fn new(
        graph: &mut Graph,
        leaves: Option<&Leaves>,
        unknown: Unknown,
        budget: &Budget<'_>,
    ) -> Result<Distances, Halt> {
        let graph = &*graph;
        let (nodes, threads) = (graph.len(), budget.threads);
        let mut pass = Pass {
            graph,
            budget,
            is_alone: threads.is_one(),
            plies: graph.memory.allocate(nodes, threads)?,
            parents: graph.memory.allocate(graph.edges_used() as usize, threads)?,
            next: List::new(graph.memory.allocate(nodes / 2, threads)?),
        };
        let current = List::new(graph.memory.allocate(nodes / 2, threads)?);
        let levels: Vec<_> = (0..=GREATEST).map(|_| AtomicBool::new(false)).collect();
        let missing = pass.begin(leaves, unknown, &levels)?;
        pass.list_parents()?;
        let are_all = pass.run(&levels, current)?;
        Ok(Distances { plies: pass.plies, are_all, missing })
    }
}

/// A node and an attacker as one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AttackerAt(u32);

impl AttackerAt {
    pub(super) const fn new(id: NodeId, attacker: Attacker) -> AttackerAt {
        AttackerAt(id << 1 | attacker as u32)
    }

    pub(super) const fn split(self) -> (NodeId, Attacker) {
        (self.0 >> 1, Attacker::BOTH[(self.0 & 1) as usize])
    }
}

/// Wins of one distance, as many as fit.
#[derive(Debug)]
struct List {
    room: Held<AtomicU32>,
    /// How many there are, with those that do not fit.
    length: AtomicUsize,
}

impl List {
    fn new(room: Held<AtomicU32>) -> List {
        List { room, length: AtomicUsize::new(0) }
    }

    fn len(&self) -> usize {
        self.length.load(Relaxed)
    }

    fn is_whole(&self) -> bool {
        self.len() <= self.room.len()
    }

    fn add(&self, wins: &[AttackerAt]) {
        let begin = self.length.fetch_add(wins.len(), Relaxed);
        let room = self.room.get(begin..).unwrap_or_default();
        room.iter().zip(wins).for_each(|(place, win)| place.store(win.0, Relaxed));
    }
}

/// Wins that one thread has found, which it adds to a [`List`] when there are so many.
struct Found<'a> {
    wins: [AttackerAt; 256],
    length: usize,
    list: &'a List,
}

impl<'a> Found<'a> {
    fn new(list: &'a List) -> Found<'a> {
        Found { wins: [AttackerAt::default(); 256], length: 0, list }
    }

    #[inline]
    fn push(&mut self, win: AttackerAt) {
        self.wins[self.length] = win;
        self.length += 1;
        if self.length == self.wins.len() {
            self.give();
        }
    }

    fn give(&mut self) {
        self.list.add(&self.wins[..self.length]);
        self.length = 0;
    }
}

struct Pass<'a> {
    graph: &'a Graph,
    budget: &'a Budget<'a>,
    /// Whether there is only one thread. It adds without locked instructions, which take longer.
    is_alone: bool,
    plies: Held<[AtomicU16; 2]>,
    /// The moves of all expanded positions, backwards. Where the list of a node ends stands in the node's
    /// `scratch`; it begins where that of the node before ends.
    parents: Held<AtomicU32>,
    /// What will be the next level.
    next: List,
}

impl Pass<'_> {
    /// Gives their distance to the positions that have it from elsewhere, and marks the levels at which there
    /// are any. If a position should have its distance from a table and has not, returns why, for the first.
    fn begin(
        &self,
        leaves: Option<&Leaves>,
        unknown: Unknown,
        levels: &[AtomicBool],
    ) -> Result<Option<ProbeError>, Halt> {
        let missing = self.budget.in_ranges(self.graph.len(), |ids| {
            let mut missing = None;
            for id in ids {
                let node = self.graph.node(id as NodeId);
                node.scratch.store(0, Relaxed);
                let plies = self.first(node, leaves, unknown, &mut missing);
                for (place, plies) in self.plies[id].iter().zip(plies) {
                    place.store(plies, Relaxed);
                    if let Some(level) = levels.get(usize::from(plies))
                        && !level.load(Relaxed)
                    {
                        level.store(true, Relaxed);
                    }
                }
            }
            missing
        })?;
        Ok(missing.into_iter().flatten().next())
    }

    /// What stands for the plies of a position in the beginning.
    fn first(
        &self,
        node: &Node,
        leaves: Option<&Leaves>,
        unknown: Unknown,
        missing: &mut Option<ProbeError>,
    ) -> [u16; 2] {
        if node.is_expanded() {
            return [NONE, NONE - self.graph.children(node).len() as u16];
        }
        let value = match leaves {
            // It is known who wins.
            Some(leaves) if node.is_answered() => {
                leaves.value(node.key()).unwrap_or_else(|error| {
                    missing.get_or_insert(error);
                    None
                })
            }
            _ => None,
        };
        match value {
            Some(Value::Win(plies)) => [plies, NONE],
            Some(Value::Loss(plies)) => [NONE, plies],
            Some(Value::Draw) => [NONE; 2],
            None if unknown == Unknown::NotWon => [NONE; 2],
            None => Attacker::BOTH.map(|attacker| {
                // A position that is won without a known distance may be won at once too.
                match (node.is_lost(attacker), attacker) {
                    (true, _) => NONE,
                    (false, Attacker::Mover) => 1,
                    (false, Attacker::Other) => 2,
                }
            }),
        }
    }

    /// Lists the moves backwards.
    fn list_parents(&self) -> Result<(), Halt> {
        let Pass { graph, budget, .. } = *self;
        budget.in_ranges(graph.len(), |ids| {
            for id in ids {
                for child in self.children(id) {
                    self.add(&graph.node(child.load(Relaxed)).scratch);
                }
            }
        })?;
        let scratch = |id: usize| &graph.node(id as NodeId).scratch;
        let length = |ids: Range<usize>| ids.map(|id| scratch(id).load(Relaxed)).sum::<u32>();
        let mut ends = budget.in_ranges(graph.len(), length)?;
        ends.iter_mut().fold(0, |before, end| {
            *end += before;
            *end
        });
        budget.in_ranges(graph.len(), |ids| {
            let range = ids.start / RANGE;
            let mut end = if range == 0 { 0 } else { ends[range - 1] };
            for id in ids {
                // First where the list begins; it moves on to the end as the list is filled.
                let length = scratch(id).load(Relaxed);
                scratch(id).store(end, Relaxed);
                end += length;
            }
        })?;
        budget.in_ranges(graph.len(), |ids| {
            let mut places = Vec::new();
            for id in ids {
                let add = |child: &Scratch| self.add(&graph.node(child.load(Relaxed)).scratch);
                let list = |place: u32| self.parents[place as usize].store(id as NodeId, Relaxed);
                let added = self.children(id).iter().map(add);
                if self.is_alone {
                    added.for_each(list);
                    continue;
                }
                places.clear();
                places.extend(added);
                places.iter().copied().for_each(list);
            }
        })?;
        Ok(())
    }

    /// The nodes that the moves of a node lead to. Their `scratch` will be needed.
    #[inline(always)]
    fn children(&self, id: usize) -> &[Scratch] {
        let children = self.graph.children(self.graph.node(id as NodeId));
        if !self.is_alone {
            // What is locked waits for everything before.
            children.iter().for_each(|child| prefetch(self.graph.node(child.load(Relaxed))));
        }
        children
    }

    /// The expanded nodes with a move to this one.
    #[inline]
    fn parents(&self, id: NodeId) -> &[AtomicU32] {
        let graph = self.graph;
        let begin = if id == 0 { 0 } else { graph.node(id - 1).scratch.load(Relaxed) };
        &self.parents[begin as usize..graph.node(id).scratch.load(Relaxed) as usize]
    }

    /// Adds 1, and returns what there was before.
    #[inline]
    fn add(&self, place: &Scratch) -> u32 {
        if !self.is_alone {
            return place.fetch_add(1, Relaxed);
        }
        let before = place.load(Relaxed);
        place.store(before + 1, Relaxed);
        before
    }

    /// Goes through the levels. Returns whether it has come to an end before there are more plies than can be
    /// counted.
    fn run(&mut self, levels: &[AtomicBool], mut current: List) -> Result<bool, Halt> {
        let last = levels.iter().rposition(|any| any.load(Relaxed)).unwrap_or(0);
        for level in 0..GREATEST {
            if levels[usize::from(level)].load(Relaxed) || !current.is_whole() {
                self.budget.in_ranges(self.graph.len(), |ids| {
                    let mut found = Found::new(&self.next);
                    for id in ids {
                        for attacker in Attacker::BOTH {
                            if self.plies[id][attacker as usize].load(Relaxed) == level {
                                self.add_parents(id as NodeId, attacker, level, &mut found);
                            }
                        }
                    }
                    found.give();
                })?;
            } else {
                let wins = &current.room;
                self.budget.in_ranges(current.len(), |places| {
                    let mut found = Found::new(&self.next);
                    for place in places {
                        if let Some(ahead) = wins.get(place + AHEAD) {
                            prefetch(self.graph.node(AttackerAt(ahead.load(Relaxed)).split().0));
                        }
                        let (id, attacker) = AttackerAt(wins[place].load(Relaxed)).split();
                        self.add_parents(id, attacker, level, &mut found);
                    }
                    found.give();
                })?;
            }
            std::mem::swap(&mut current, &mut self.next);
            *self.next.length.get_mut() = 0;
            if current.len() == 0 && usize::from(level) >= last {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives their distance to the positions from which a move leads to this one, if that is enough.
    fn add_parents(&self, id: NodeId, attacker: Attacker, level: u16, found: &mut Found<'_>) {
        let attacker = attacker.next();
        let parents = self.parents(id);
        if !self.is_alone {
            let places = parents.iter().map(|parent| parent.load(Relaxed) as usize);
            places.for_each(|place| prefetch_at(&self.plies, place));
        }
        for parent in parents {
            let parent = parent.load(Relaxed);
            let plies = &self.plies[parent as usize][attacker as usize];
            if self.is_enough(plies, attacker, level + 1) {
                found.push(AttackerAt::new(parent, attacker));
            }
        }
    }

    /// Notes one more move to where the attacker has won. If the position gets its distance by that, stores it
    /// and returns true.
    #[inline]
    fn is_enough(&self, plies: &AtomicU16, attacker: Attacker, distance: u16) -> bool {
        match attacker {
            Attacker::Mover => {
                if plies.load(Relaxed) != NONE {
                    return false;
                }
                if !self.is_alone {
                    return plies.compare_exchange(NONE, distance, Relaxed, Relaxed).is_ok();
                }
            }
            // No move is noted twice.
            Attacker::Other => {
                let moves = if self.is_alone {
                    let moves = plies.load(Relaxed) + 1;
                    plies.store(moves, Relaxed);
                    moves
                } else {
                    plies.fetch_add(1, Relaxed) + 1
                };
                if moves != NONE {
                    return false;
                }
            }
        }
        plies.store(distance, Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Solver;
    use lasca_tablebase::Silent;
    use lasca_tablebase::rules::RuleSet;

    #[test]
    fn distances_do_not_depend_on_the_number_of_threads() {
        let position = "d4W c3BB f4WWW g1W c7B b".parse().unwrap();
        let mut solver = Solver::new(&position, RuleSet::Lasca, 1 << 26).unwrap();
        solver.run(&Budget::default()).unwrap();
        assert!(solver.graph.len() > 4 * RANGE);
        for unknown in [Unknown::NotWon, Unknown::WonAtOnce] {
            let [alone, together] = [1, 3].map(|threads| {
                let budget = Budget::new(None, threads, &Silent);
                solver.distances(unknown, &budget).unwrap()
            });
            assert_eq!(alone.are_all, together.are_all);
            for id in solver.graph.ids() {
                for attacker in Attacker::BOTH {
                    assert_eq!(alone.get(id, attacker), together.get(id, attacker));
                }
            }
        }
    }
}
