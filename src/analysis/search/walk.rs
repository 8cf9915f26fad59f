//! The walk of one thread through the graph: to the position whose answer helps most, and back.
//!
//! This is depth-first proof-number search (Nagai 2002) on a graph that is kept. The present line
//! is a list and not a recursion. Each of its positions has limits: as long as both its numbers
//! are below them, the answer is sought beneath it.

use super::budget::Budget;
use super::error::Halt;
use super::graph::{Graph, NodeId, Visitors, Writer};
use super::key::Child;
use super::leaves::Leaves;
use super::numbers::{Attacker, GREATEST, Numbers, Summary, UNIT};
use super::shared::AtomicU32;
use lasca_tablebase::rules::RuleSet;
use std::sync::atomic::Ordering::Relaxed;

/// How a walk has ended that nothing has halted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The question is answered.
    Answered,
    /// Only circles are left, as far as the numbers tell.
    Circles,
    /// As many positions were met as were asked for.
    Enough,
    /// The steps were over before that.
    Steps,
}

/// What all walks through a graph have in common.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) graph: &'a Graph,
    pub(super) rules: RuleSet,
    pub(super) leaves: &'a Leaves,
    pub(super) budget: &'a Budget<'a>,
}

/// What a thread with this line makes of a question about a position from those that its moves lead to.
pub(super) fn summary(
    graph: &Graph,
    line: &Line,
    children: &[AtomicU32],
    attacker: Attacker,
) -> Summary {
    let mut summary = Summary::new(attacker);
    for (place, child) in children.iter().enumerate() {
        let id = child.load(Relaxed);
        let child = graph.node(id);
        let visitors = child.visitors();
        let is_on_line = line.has(id, visitors);
        let numbers = child.numbers(attacker.next());
        // What others work on is left to them, unless it is the best by more than this.
        let others = visitors.count - u8::from(is_on_line);
        summary.add(place, numbers, is_on_line, BURDEN * u32::from(others));
    }
    summary
}

/// A thread looks at what others have done after this many steps.
const LOOK: u64 = 64;
/// How much harder each thread that works on a position makes it look to the others. It is little: near the
/// root, where the numbers are great, all threads follow the best moves, and they part where the lines end. If
/// it is a part of the numbers, threads part near the root, and most of them follow moves that do not matter.
const BURDEN: u32 = UNIT / 4;
/// So many forced captures at most are played out at once.
const MOST_FORCED: usize = 256;

/// One thread's walk.
pub(super) struct Walk<'a> {
    ground: Ground<'a>,
    writer: Writer<'a>,
    line: Line,
    /// Room for lists that are made again and again.
    found: Vec<Child>,
    ids: Vec<NodeId>,
    forced: Vec<NodeId>,
}

/// The present line of a thread.
#[derive(Debug, Default)]
pub(super) struct Line {
    thread: u8,
    nodes: Vec<LineNode>,
}

impl Line {
    /// Whether it has a node with these visitors.
    #[inline]
    fn has(&self, node: NodeId, visitors: Visitors) -> bool {
        match visitors.count {
            0 => false,
            1 => visitors.sum == self.thread,
            _ => self.nodes.iter().rev().any(|at| at.node == node),
        }
    }
}

/// A position of the present line.
#[derive(Clone, Copy, Debug)]
struct LineNode {
    node: NodeId,
    attacker: Attacker,
    limits: Numbers,
}

impl<'a> Walk<'a> {
    /// The walk of the thread with this number, less than [`MAX_THREADS`].
    ///
    /// [`MAX_THREADS`]: super::graph::MAX_THREADS
    pub(super) fn new(ground: Ground<'a>, thread: usize) -> Walk<'a> {
        let writer = ground.graph.writer();
        let line = Line { thread: thread as u8, nodes: Vec::new() };
        let (found, ids, forced) = (Vec::new(), Vec::new(), Vec::new());
        Walk { ground, writer, line, found, ids, forced }
    }

    /// How many positions have been met, as far as this thread knows.
    pub(super) fn len(&self) -> usize {
        self.writer.len()
    }

    /// Seeks the answer to a question about `root` until `positions` have been met in all, or so
    /// many steps have been made.
    pub(super) fn run(
        &mut self,
        root: NodeId,
        attacker: Attacker,
        positions: usize,
        steps: u64,
    ) -> Result<End, Halt> {
        self.enter(root, attacker, Numbers::widest(attacker));
        let end = self.go_on(positions, steps);
        while self.leave().is_some() {}
        Ok(match end? {
            None if self.ground.graph.node(root).numbers(attacker).is_final() => End::Answered,
            None => End::Circles,
            Some(end) => end,
        })
    }

    /// Makes steps until the line is empty, or until it ends before that.
    fn go_on(&mut self, positions: usize, steps: u64) -> Result<Option<End>, Halt> {
        for step in 0.. {
            if step & 0x3ff == 0 {
                self.ground.budget.check()?;
            }
            if step % LOOK == 0 {
                self.look();
            }
            if self.len() >= positions {
                return Ok(Some(End::Enough));
            }
            if step >= steps {
                return Ok(Some(End::Steps));
            }
            self.step()?;
            if self.line.nodes.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    /// Looks at what other threads have done, and leaves what they have answered.
    fn look(&mut self) {
        self.writer.look();
        let ground = self.ground;
        let is_answered =
            |at: &LineNode| ground.graph.node(at.node).numbers(at.attacker).is_final();
        if !ground.budget.threads.is_one()
            && let Some(length) = self.line.nodes.iter().position(is_answered)
        {
            while self.line.nodes.len() > length {
                self.leave();
            }
        }
    }

    fn enter(&mut self, node: NodeId, attacker: Attacker, limits: Numbers) {
        self.ground.graph.node(node).enter(self.line.thread);
        self.line.nodes.push(LineNode { node, attacker, limits });
    }

    fn leave(&mut self) -> Option<LineNode> {
        let place = self.line.nodes.pop()?;
        self.ground.graph.node(place.node).leave(self.line.thread);
        Some(place)
    }

    /// Works out the numbers of the last position of the line, and goes on to one of its moves or
    /// back.
    fn step(&mut self) -> Result<(), Halt> {
        let graph = self.ground.graph;
        let Some(&LineNode { node: id, attacker, limits }) = self.line.nodes.last() else {
            return Ok(());
        };
        let node = graph.node(id);
        #[cfg(feature = "learn")]
        graph.history.enter(id as usize, attacker, node.numbers(attacker));
        if !node.is_expanded() {
            self.expand(id)?;
            #[cfg(feature = "learn")]
            graph
                .history
                .expanded(self.line.nodes.iter().map(|at| (at.node as usize, at.attacker)));
        }
        let children = graph.children(node);
        let summary = self.summary(children, attacker);
        let mut numbers = summary.numbers();
        #[cfg(feature = "learn")]
        graph.history.enter(id as usize, attacker, numbers);
        if !numbers.is_final() && numbers.phi < limits.phi && numbers.delta < limits.delta {
            if let Some((place, limits)) = summary.choice(limits) {
                node.set_numbers(attacker, numbers);
                self.enter(children[place].load(Relaxed), attacker.next(), limits);
                return Ok(());
            }
            // All moves lead back to the line: no use in coming here again on this line.
            numbers = match attacker {
                Attacker::Mover => Numbers { phi: limits.phi.min(GREATEST), ..numbers },
                Attacker::Other => Numbers { delta: limits.delta.min(GREATEST), ..numbers },
            };
        }
        node.set_numbers(attacker, numbers);
        self.leave();
        Ok(())
    }

    /// The [`summary`] of this thread.
    fn summary(&self, children: &[AtomicU32], attacker: Attacker) -> Summary {
        summary(self.ground.graph, &self.line, children, attacker)
    }

    /// Lists the moves of a position that has none listed. If one of them leads to a position with a single
    /// first jump, its moves are listed at once too: what follows a forced capture tells more than the
    /// position before it.
    pub(super) fn expand(&mut self, id: NodeId) -> Result<(), Halt> {
        self.forced.clear();
        self.list_moves(id)?;
        let mut done = 0;
        while let Some(&forced) = self.forced.get(done)
            && done < MOST_FORCED
        {
            match self.list_moves(forced) {
                // What does not fit is listed when the walk comes to it.
                Err(Halt::Full) => break,
                listed => listed?,
            }
            done += 1;
        }
        // The numbers of those that were not listed stay as they were guessed.
        self.forced.truncate(done);
        let graph = self.ground.graph;
        // Whatever follows a position comes after it in the list.
        for &id in self.forced.iter().rev() {
            let node = graph.node(id);
            for attacker in Attacker::BOTH {
                node.set_numbers(attacker, self.summary(graph.children(node), attacker).numbers());
            }
        }
        Ok(())
    }

    /// Lists the moves of one position, and notes which of the positions after them are forced.
    fn list_moves(&mut self, id: NodeId) -> Result<(), Halt> {
        let ground = self.ground;
        let node = ground.graph.node(id);
        self.found.clear();
        self.ids.clear();
        node.key().position().for_each_listed(ground.rules, |_, after| {
            let child = Child::from(after);
            // While the other moves are made, the processor fetches what is looked up then.
            ground.graph.prefetch_slot(child.key);
            self.found.push(child);
        })?;
        self.found.iter().for_each(|child| ground.graph.prefetch_node(child.key));
        let mut failure = None;
        for child in &self.found {
            let mut is_forced = false;
            let first = || match ground.leaves.first_look(child) {
                Ok(look) => {
                    is_forced = look.is_forced;
                    look.numbers
                }
                Err(error) => {
                    failure = Some(error);
                    [Numbers::open(1, 1); 2]
                }
            };
            let (id, is_new) = self.writer.insert(child.key, first)?;
            self.ids.push(id);
            if is_new && is_forced {
                self.forced.push(id);
            }
        }
        if let Some(error) = failure {
            return Err(error.into());
        }
        remove_repeated(&mut self.ids);
        self.writer.set_children(node, &self.ids)?;
        Ok(())
    }
}

/// Keeps the first of equal items.
fn remove_repeated(ids: &mut Vec<NodeId>) {
    if ids.len() > 64 {
        ids.sort_unstable();
        ids.dedup();
        return;
    }
    let mut kept = 0;
    for i in 0..ids.len() {
        let id = ids[i];
        if !ids[..kept].contains(&id) {
            ids[kept] = id;
            kept += 1;
        }
    }
    ids.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Solver;
    use crate::search::key::Squares;
    use lasca_tablebase::internals::{Mobility, Threads};
    use lasca_tablebase::rules::Position;

    #[test]
    fn what_leads_to_a_forced_capture_has_the_numbers_of_what_follows_it() {
        let position: Position = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w".parse().unwrap();
        let mut solver = Solver::new(&position, RuleSet::Lasca, 1 << 26).unwrap();
        solver.graph.reserve(1 << 14, 1 << 16, Threads::ONE).unwrap();
        let budget = Budget::default();
        let mut walk = Walk::new(solver.ground(&budget), 0);
        walk.expand(solver.root).unwrap();
        let graph = &solver.graph;
        let (mut forced, mut others) = (0, 0);
        for child in graph.children(graph.node(solver.root)) {
            let child = graph.node(child.load(Relaxed));
            let is_forced =
                Squares::of(&child.key().position()).mobility() == Mobility::Captures(1);
            assert_eq!(child.is_expanded(), is_forced);
            if is_forced {
                forced += 1;
                for attacker in Attacker::BOTH {
                    let summary = walk.summary(graph.children(child), attacker);
                    assert_eq!(child.numbers(attacker), summary.numbers());
                }
            } else {
                others += 1;
            }
        }
        assert!(forced > 0 && others > 0, "{forced} forced, {others} others");
    }
}
