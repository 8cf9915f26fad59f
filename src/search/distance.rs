//! Distances: how many plies the wins take that an expanded graph proves.

use super::error::Halt;
use super::graph::{Graph, NodeId};
use super::leaves::Leaves;
use super::limits::Clock;
use super::memory::Held;
use super::numbers::Attacker;
use crate::Value;
use crate::portable::shared::AtomicU32;
use crate::probe::ProbeError;
use std::sync::atomic::Ordering::Relaxed;

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
    plies: Held<[u16; 2]>,
    are_all: bool,
    /// Why a table does not tell a distance: of the first such position.
    missing: Option<ProbeError>,
}

impl Distances {
    /// Why a table that covers a position of the graph does not tell its distance, if there is one.
    pub(super) fn missing(&self) -> Option<&ProbeError> {
        self.missing.as_ref()
    }

    /// Fails if a table is damaged or cannot be read, so that distances are missing that it should tell.
    pub(super) fn check_tables(&self) -> Result<(), ProbeError> {
        match &self.missing {
            Some(error) if !error.is_not_covered() => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// The plies until the attacker has won.
    pub(super) fn get(&self, id: NodeId, attacker: Attacker) -> Option<u16> {
        let plies = *self.plies.get(id as usize)?.get(attacker as usize)?;
        (plies <= GREATEST).then_some(plies)
    }

    /// Whether no win is left out because it takes more plies than can be counted.
    pub(super) fn are_all(&self) -> bool {
        self.are_all
    }
}

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
    /// Nobody else may use the graph meanwhile.
    pub(super) fn new(
        graph: &mut Graph,
        leaves: Option<Leaves<'_>>,
        unknown: Unknown,
        clock: &Clock<'_>,
    ) -> Result<Distances, Halt> {
        let graph = &*graph;
        let nodes = graph.len();
        let plies = graph.memory.allocate(nodes)?;
        let current = List::new(graph.memory.allocate(nodes / 2)?);
        let next = List::new(graph.memory.allocate(nodes / 2)?);
        let backwards = Backwards::new(graph, clock)?;
        let mut pass = Pass { graph, plies, backwards, next, are_all: true, missing: None };
        let levels = pass.begin(leaves, unknown, clock)?;
        pass.run(&levels, current, clock)?;
        Ok(Distances { plies: pass.plies, are_all: pass.are_all, missing: pass.missing })
    }
}

/// A pass asks whether it has to stop after so many positions.
const STRIDE: u32 = 1 << 16;

/// Whether a pass that has come to this position, or to this place in a list of them, has to stop.
fn check(id: NodeId, clock: &Clock<'_>) -> Result<(), Halt> {
    if id % STRIDE == STRIDE - 1 { clock.check() } else { Ok(()) }
}

/// The moves of all expanded positions, backwards.
///
/// Where the list of a node ends stands in the node's `scratch`; it begins where that of the node
/// before ends.
struct Backwards {
    parents: Held<NodeId>,
}

impl Backwards {
    fn new(graph: &Graph, clock: &Clock<'_>) -> Result<Backwards, Halt> {
        let length = graph.edges_used() as usize;
        let parents = graph.memory.allocate(length)?;
        let mut backwards = Backwards { parents };
        for id in graph.ids() {
            graph.node(id).scratch.store(0, Relaxed);
        }
        for id in graph.ids() {
            check(id, clock)?;
            for child in graph.children(graph.node(id)) {
                add(&graph.node(child.load(Relaxed)).scratch, 1);
            }
        }
        let mut end = 0;
        for id in graph.ids() {
            // First where the list begins; it moves on to the end as the list is filled.
            end += graph.node(id).scratch.swap(end, Relaxed);
        }
        for id in graph.ids() {
            check(id, clock)?;
            for child in graph.children(graph.node(id)) {
                let place = add(&graph.node(child.load(Relaxed)).scratch, 1);
                backwards.parents[place as usize] = id;
            }
        }
        Ok(backwards)
    }

    /// The expanded nodes with a move to this one.
    #[inline]
    fn parents(&self, graph: &Graph, id: NodeId) -> &[NodeId] {
        let begin = if id == 0 { 0 } else { graph.node(id - 1).scratch.load(Relaxed) };
        &self.parents[begin as usize..graph.node(id).scratch.load(Relaxed) as usize]
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

/// Adds without a locked instruction: a pass has the graph for itself.
fn add(place: &AtomicU32, number: u32) -> u32 {
    let before = place.load(Relaxed);
    place.store(before + number, Relaxed);
    before
}

/// Wins of one distance, as many as fit.
#[derive(Debug)]
struct List {
    room: Held<AttackerAt>,
    length: usize,
    is_whole: bool,
}

impl List {
    fn new(room: Held<AttackerAt>) -> List {
        List { room, length: 0, is_whole: true }
    }
}

struct Pass<'a> {
    graph: &'a Graph,
    plies: Held<[u16; 2]>,
    backwards: Backwards,
    /// What will be the next level.
    next: List,
    are_all: bool,
    missing: Option<ProbeError>,
}

impl Pass<'_> {
    /// Gives those positions their distance that have it from elsewhere, and returns the levels at
    /// which there are any.
    fn begin(
        &mut self,
        leaves: Option<Leaves<'_>>,
        unknown: Unknown,
        clock: &Clock<'_>,
    ) -> Result<Vec<bool>, Halt> {
        let mut levels = vec![false; usize::from(GREATEST) + 1];
        for id in self.graph.ids() {
            check(id, clock)?;
            let node = self.graph.node(id);
            self.plies[id as usize] = [NONE; 2];
            if node.is_expanded() {
                let moves = self.graph.children(node).len() as u16;
                self.plies[id as usize][Attacker::Other as usize] = NONE - moves;
                continue;
            }
            let value = match leaves {
                // It is known who wins.
                Some(leaves) if node.is_answered() => {
                    leaves.value(node.key()).unwrap_or_else(|error| {
                        self.missing.get_or_insert(error);
                        None
                    })
                }
                _ => None,
            };
            let plies = match value {
                Some(Value::Win(plies)) => [plies, NONE],
                Some(Value::Loss(plies)) => [NONE, plies],
                Some(Value::Draw) => continue,
                None if unknown == Unknown::NotWon => continue,
                None => Attacker::BOTH.map(|attacker| {
                    // A position that is won without a known distance may be won at once too.
                    match (node.is_lost(attacker), attacker) {
                        (true, _) => NONE,
                        (false, Attacker::Mover) => 1,
                        (false, Attacker::Other) => 2,
                    }
                }),
            };
            for plies in plies.into_iter().filter(|&plies| plies <= GREATEST) {
                levels[usize::from(plies)] = true;
            }
            self.plies[id as usize] = plies;
        }
        Ok(levels)
    }

    /// Goes through the levels.
    fn run(&mut self, levels: &[bool], mut current: List, clock: &Clock<'_>) -> Result<(), Halt> {
        let last = levels.iter().rposition(|&any| any).unwrap_or(0);
        for (level, &begins) in levels.iter().enumerate() {
            let level = level as u16;
            if begins || !current.is_whole {
                for id in self.graph.ids() {
                    check(id, clock)?;
                    for attacker in Attacker::BOTH {
                        if self.plies[id as usize][attacker as usize] == level {
                            self.add_parents(id, attacker, level);
                        }
                    }
                }
            } else {
                for place in 0..current.length {
                    check(place as u32, clock)?;
                    let (id, attacker) = current.room[place].split();
                    self.add_parents(id, attacker, level);
                }
            }
            std::mem::swap(&mut current, &mut self.next);
            self.next.length = 0;
            self.next.is_whole = true;
            if current.length == 0 && current.is_whole && usize::from(level) >= last {
                break;
            }
            clock.check()?;
        }
        Ok(())
    }

    /// Gives the positions their distance from which a move leads to this one, if that is enough.
    fn add_parents(&mut self, id: NodeId, attacker: Attacker, level: u16) {
        let attacker = attacker.next();
        if level == GREATEST {
            self.are_all = false;
            return;
        }
        let Pass { graph, plies, backwards, next, .. } = self;
        for &parent in backwards.parents(graph, id) {
            let plies = &mut plies[parent as usize][attacker as usize];
            if *plies <= GREATEST {
                continue;
            }
            if attacker == Attacker::Other {
                *plies += 1;
                if *plies < NONE {
                    continue;
                }
            }
            *plies = level + 1;
            match next.room.get_mut(next.length) {
                Some(place) => {
                    *place = AttackerAt::new(parent, attacker);
                    next.length += 1;
                }
                None => next.is_whole = false,
            }
        }
    }
}
