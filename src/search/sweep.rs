//! Sweeps: passes backwards over all that has been expanded, which settle what circles cannot.
//!
//! A sweep asks for each position and attacker: if every position that was not expanded yet were
//! won for him, could he force a win here? Those that he can are found backwards, from the positions
//! that are won or not expanded: a position is added if he is to move and a move leads to one that
//! was added, or if the other side is to move and all of its moves do. What is not added when
//! nothing more can be added he can never force, whatever will be found out about the rest: from
//! there the other side always has a move to a position of the same kind. It may go in circles for
//! ever, which is no win. So these questions are answered: the attacker does not win.

use super::graph::{Graph, NodeId};
use super::memory::{Full, Held};
use super::numbers::{Attacker, Numbers, UNIT};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Why a pass over the graph has not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// There is no room for it.
    Full,
    /// The time is over, or the search was cancelled.
    Stopped,
}

impl From<Full> for Unfinished {
    fn from(_: Full) -> Unfinished {
        Unfinished::Full
    }
}

/// Tells a pass now and then whether it has to stop.
pub(super) type IsOver<'a> = &'a dyn Fn() -> bool;

/// A pass asks whether it has to stop after so many positions.
const STRIDE: u32 = 1 << 16;

/// Whether a pass that has come to this position has to stop.
pub(super) fn check(id: NodeId, is_over: IsOver<'_>) -> Result<(), Unfinished> {
    if id % STRIDE == STRIDE - 1 && is_over() { Err(Unfinished::Stopped) } else { Ok(()) }
}

/// The moves of all expanded positions, backwards.
///
/// Where the list of a node ends stands in the node's `scratch`; it begins where that of the node
/// before ends.
pub(super) struct Backwards {
    parents: Held<NodeId>,
}

impl Backwards {
    pub(super) fn new(graph: &Graph, is_over: IsOver<'_>) -> Result<Backwards, Unfinished> {
        let length = graph.edges_used() as usize;
        let parents = graph.memory.allocate(length)?;
        let mut backwards = Backwards { parents };
        for id in graph.ids() {
            graph.node(id).scratch.store(0, Relaxed);
        }
        for id in graph.ids() {
            check(id, is_over)?;
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
            check(id, is_over)?;
            for child in graph.children(graph.node(id)) {
                let place = add(&graph.node(child.load(Relaxed)).scratch, 1);
                backwards.parents[place as usize] = id;
            }
        }
        Ok(backwards)
    }

    /// The expanded nodes with a move to this one.
    #[inline]
    pub(super) fn parents(&self, graph: &Graph, id: NodeId) -> &[NodeId] {
        let begin = if id == 0 { 0 } else { graph.node(id - 1).scratch.load(Relaxed) };
        &self.parents[begin as usize..graph.node(id).scratch.load(Relaxed) as usize]
    }
}

/// A question as one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Question(u32);

impl Question {
    pub(super) const fn new(id: NodeId, attacker: Attacker) -> Question {
        Question(id << 1 | attacker as u32)
    }

    pub(super) const fn split(self) -> (NodeId, Attacker) {
        (self.0 >> 1, Attacker::BOTH[(self.0 & 1) as usize])
    }
}

/// Adds without a locked instruction: a sweep has the graph for itself.
fn add(place: &AtomicU32, number: u32) -> u32 {
    let before = place.load(Relaxed);
    place.store(before + number, Relaxed);
    before
}

/// Whether the attacker is known to win.
pub(super) fn is_won(numbers: Numbers, attacker: Attacker) -> bool {
    match attacker {
        Attacker::Mover => numbers.is_reached(),
        Attacker::Other => numbers.is_failed(),
    }
}

/// What a sweep knows of a position: bits for the two attackers.
#[derive(Clone, Copy, Default)]
struct Reached(u8);

impl Reached {
    fn is_added(self, attacker: Attacker) -> bool {
        self.0 & 1 << attacker as u8 != 0
    }

    fn add(&mut self, attacker: Attacker) {
        self.0 |= 1 << attacker as u8;
    }

    /// Added, but what follows from it has still to be added.
    fn is_waiting(self, attacker: Attacker) -> bool {
        self.0 & 4 << attacker as u8 != 0
    }

    fn set_waiting(&mut self, attacker: Attacker, waiting: bool) {
        let bit = 4 << attacker as u8;
        self.0 = if waiting { self.0 | bit } else { self.0 & !bit };
    }
}

/// Answers all questions whose attacker could not even win if all that was not expanded were won. Returns
/// how many it has answered.
///
/// Nobody else may use the graph meanwhile, and no thread may have a line in it. A sweep that does
/// not come to its end answers nothing.
pub(super) fn sweep(graph: &mut Graph, is_over: IsOver<'_>) -> Result<u64, Unfinished> {
    let graph = &*graph;
    let nodes = graph.len();
    let reached = graph.memory.allocate(nodes)?;
    let remaining = graph.memory.allocate(nodes)?;
    let room = graph.memory.allocate(nodes)?;
    let backwards = Backwards::new(graph, is_over)?;
    let mut pass = Pass { graph, backwards, reached, remaining, room, waiting: 0 };
    pass.count_moves();
    pass.add_all(is_over)?;
    Ok(pass.answer())
}

struct Pass<'a> {
    graph: &'a Graph,
    backwards: Backwards,
    reached: Held<Reached>,
    /// Of each position in which the other side attacks: the moves that were not added yet.
    remaining: Held<u16>,
    /// A stack of those that wait; its length is `waiting`.
    room: Held<Question>,
    waiting: usize,
}

impl Pass<'_> {
    fn count_moves(&mut self) {
        for id in self.graph.ids() {
            self.remaining[id as usize] = self.graph.children(self.graph.node(id)).len() as u16;
        }
    }

    /// Adds all that follows from what is won or not expanded.
    fn add_all(&mut self, is_over: IsOver<'_>) -> Result<(), Unfinished> {
        for id in self.graph.ids() {
            check(id, is_over)?;
            let node = self.graph.node(id);
            for attacker in Attacker::BOTH {
                let numbers = node.numbers(attacker);
                if is_won(numbers, attacker) || !numbers.is_final() && !node.is_expanded() {
                    self.add(id, attacker);
                    self.follow();
                }
            }
        }
        // Some may not have fitted the stack.
        let mut missed = true;
        while missed {
            missed = false;
            for id in self.graph.ids() {
                check(id, is_over)?;
                for attacker in Attacker::BOTH {
                    if self.reached[id as usize].is_waiting(attacker) {
                        self.reached[id as usize].set_waiting(attacker, false);
                        missed = true;
                        self.add_parents(id, attacker);
                        self.follow();
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, id: NodeId, attacker: Attacker) {
        let reached = &mut self.reached[id as usize];
        if reached.is_added(attacker) {
            return;
        }
        reached.add(attacker);
        match self.room.get_mut(self.waiting) {
            Some(place) => {
                *place = Question::new(id, attacker);
                self.waiting += 1;
            }
            None => reached.set_waiting(attacker, true),
        }
    }

    fn follow(&mut self) {
        while self.waiting > 0 {
            self.waiting -= 1;
            let (id, attacker) = self.room[self.waiting].split();
            self.add_parents(id, attacker);
        }
    }

    /// Adds the positions from which a move leads to this one, if that is enough.
    fn add_parents(&mut self, id: NodeId, attacker: Attacker) {
        let attacker = attacker.next();
        for place in 0..self.backwards.parents(self.graph, id).len() {
            let parent = self.backwards.parents(self.graph, id)[place];
            if self.graph.node(parent).numbers(attacker).is_final() {
                continue;
            }
            if attacker == Attacker::Other {
                let remaining = &mut self.remaining[parent as usize];
                *remaining -= 1;
                if *remaining > 0 {
                    continue;
                }
            }
            self.add(parent, attacker);
        }
    }

    /// Answers what was not added. Returns how many questions that are.
    fn answer(&self) -> u64 {
        let mut answered = 0;
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            for attacker in Attacker::BOTH {
                let is_added = self.reached[id as usize].is_added(attacker);
                if !is_added && !node.numbers(attacker).is_final() {
                    answered += 1;
                    node.set_numbers(attacker, lost(attacker));
                }
            }
        }
        answered
    }
}

/// The attacker does not win.
fn lost(attacker: Attacker) -> Numbers {
    match attacker {
        Attacker::Mover => Numbers::FAILED,
        Attacker::Other => Numbers::REACHED,
    }
}

/// Takes back numbers that have grown in circles: those of expanded positions that are greater than
/// `above`.
pub(super) fn renumber(graph: &Graph, above: u16) {
    for id in graph.ids() {
        let node = graph.node(id);
        if !node.is_expanded() {
            continue;
        }
        for attacker in Attacker::BOTH {
            let numbers = node.numbers(attacker);
            if !numbers.is_final() && (numbers.phi > above || numbers.delta > above) {
                node.set_numbers(attacker, Numbers::open(UNIT, UNIT));
            }
        }
    }
}
