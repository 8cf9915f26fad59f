//! Exact distances: showing that no quicker win has been overlooked.
//!
//! As long as the two [bounds](super#distances) of the root differ, those positions are expanded on which the
//! lower bound rests, and the passes are made again. So the lower bound rises to the distance step by step.
//! The work depends little on how long the first proof is, and several threads find another proof each time.

use super::Solver;
use super::budget::{Budget, Stop};
use super::distance::{AttackerAt, Distances, Unknown};
use super::error::Halt;
use super::graph::NodeId;
use super::memory::Held;
use super::numbers::Attacker;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::{Value, ValueRange, Wdl};
use std::sync::atomic::Ordering::Relaxed;

/// The most positions that are expanded between two looks at the bounds, and the part of those
/// expanded before if that is more.
const ROUND: (usize, usize) = (1 << 13, 8);

/// The upper bound falls seldom, so it is worked out once in this many rounds.
const ROUNDS: usize = 4;

/// Whether it is time to stop is asked after this many positions.
const STRIDE: usize = 1 << 16;

/// Which moves of the side that does not attack are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replies {
    /// The one that holds out longest, as far as is known.
    Hardest,
    /// All.
    All,
}

impl Solver {
    /// Narrows the distance of a position that is solved, until it is known exactly or the budget is used
    /// up. [`Solver::value`] tells what is found. Nothing is done if the position is not solved or drawn.
    /// [`Stop::NoDistances`] says that it rests on tables without distances, and [`Stop::Memory`] that there is no
    /// memory left to narrow it further.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn exact(&mut self, budget: &Budget<'_>) -> Result<Stop, ProbeError> {
        self.within(budget, Solver::narrow)
    }

    fn narrow(&mut self, budget: &Budget<'_>) -> Result<Stop, Halt> {
        let result = self.result();
        let attacker = match (result.exact(), result.wdl()) {
            (None, Some(Wdl::Win)) => Attacker::Mover,
            (None, Some(Wdl::Loss)) => Attacker::Other,
            _ => return Ok(Stop::Solved),
        };
        loop {
            let distances = self.proved_distances(budget)?.ok_or(Halt::Stopped)?;
            let value = self.value_by(distances);
            let Some(at_most) = value.at_most() else { return Ok(Stop::NoDistances) };
            for round in 0..ROUNDS {
                self.forget_distances();
                let lower = self.distances(Unknown::WonAtOnce, budget)?;
                lower.check_tables()?;
                // A proved win is a win for the lower bound too; nothing is quicker than that.
                let at_least = lower.get(self.root, attacker).unwrap_or(at_most).min(at_most);
                let bounds = match attacker {
                    Attacker::Mover => ValueRange::new(Value::Win(at_most), Value::Win(at_least)),
                    Attacker::Other => ValueRange::new(Value::Loss(at_least), Value::Loss(at_most)),
                };
                self.narrowed = bounds.map_or(self.narrowed, |bounds| bounds.and(self.narrowed));
                if at_least == at_most {
                    return Ok(Stop::Solved);
                }
                // Slower wins than the lower bound are left alone: how many positions they rest on depends on
                // the upper bound, and so on the proof that happened to be found first.
                let mut doubts = vec![(at_least, Replies::Hardest), (at_least, Replies::All)];
                if round == 0 {
                    // If the lower bound rests on tables without distances, the upper one may still fall.
                    doubts.push((at_most - 1, Replies::All));
                }
                // Those of the first doubts for which there are any.
                let mut found = doubts.into_iter().map(|(plies, replies)| {
                    self.doubtful(attacker, plies, &lower, replies, budget)
                });
                let is_empty = |list: &Held<AttackerAt>| list.is_empty();
                let doubtful =
                    found.find(|found| !found.as_ref().is_ok_and(is_empty)).transpose()?;
                drop(lower);
                match doubtful {
                    Some(doubtful) => self.expand_all(&doubtful, budget)?,
                    None if round == 0 => return Ok(Stop::NoDistances),
                    // What could bring the bounds together is in the graph already.
                    None => break,
                }
                budget.progress.searching(&self.status());
                budget.check_pause()?;
            }
        }
    }

    /// The positions, not expanded yet, because of which the attacker might win within this many plies. All
    /// of his moves that might be quick enough are followed.
    fn doubtful(
        &mut self,
        attacker: Attacker,
        plies: u16,
        lower: &Distances,
        replies: Replies,
        budget: &Budget<'_>,
    ) -> Result<Held<AttackerAt>, Halt> {
        let most = (self.graph.expanded() as usize / ROUND.1).max(ROUND.0);
        let room = self.graph.len().min(1 << 22);
        let mut queue: Held<AttackerAt> = self.graph.memory.allocate(room, budget.threads)?;
        let graph = &self.graph;
        // The most plies with which a question was asked, plus one, stands in half of `scratch`.
        budget.in_ranges(graph.len(), |ids| {
            ids.for_each(|id| graph.node(id as NodeId).scratch.store(0, Relaxed));
        })?;
        let shift = |attacker: Attacker| 16 * attacker as u32;
        let asked =
            |id: NodeId, attacker| (graph.node(id).scratch.load(Relaxed) >> shift(attacker)) as u16;
        let ask = |id: NodeId, attacker, plies: u16| {
            let place = &graph.node(id).scratch;
            let rest = place.load(Relaxed) & !(0xffff << shift(attacker));
            place.store(rest | (u32::from(plies) + 1) << shift(attacker), Relaxed);
        };
        let (mut next, mut length, mut found) = (0, 1, 0);
        queue[0] = AttackerAt::new(self.root, attacker);
        ask(self.root, attacker, plies);
        while next < length && found < most {
            let question = queue[next];
            next += 1;
            if next % STRIDE == 0 {
                budget.check()?;
            }
            let (id, attacker) = question.split();
            let Some(left) = asked(id, attacker).checked_sub(2) else { continue };
            let node = graph.node(id);
            if !node.is_expanded() {
                if node.numbers(attacker).is_final() {
                    continue;
                }
                // What was passed is no longer needed, so there is room for what is found.
                queue[found] = question;
                found += 1;
                continue;
            }
            let children = graph.children(node);
            let bound = |child: NodeId| lower.get(child, attacker.next());
            let hardest = || {
                children
                    .iter()
                    .map(|child| child.load(Relaxed))
                    .max_by_key(|&child| bound(child).unwrap_or(u16::MAX))
            };
            let one = attacker == Attacker::Other && replies == Replies::Hardest;
            let single = one.then(hardest).flatten();
            for child in children.iter().map(|child| child.load(Relaxed)) {
                if single.is_some_and(|single| single != child)
                    || bound(child).is_none_or(|bound| bound > left)
                    || asked(child, attacker.next()) > left
                {
                    continue;
                }
                ask(child, attacker.next(), left);
                if length < queue.len() {
                    queue[length] = AttackerAt::new(child, attacker.next());
                    length += 1;
                }
            }
        }
        queue.truncate(found);
        Ok(queue)
    }

    fn expand_all(&mut self, doubtful: &[AttackerAt], budget: &Budget<'_>) -> Result<(), Halt> {
        self.forget_distances();
        for doubtful in doubtful.chunks(1 << 12) {
            self.make_room(1 << 17, budget.threads)?;
            // What does not fit has its turn in the next round.
            let id_at = |place: usize| doubtful[place].split().0;
            self.expand(doubtful.len(), id_at, usize::MAX, usize::MAX, budget)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::walk::Walk;
    use lasca_common::numbers::Numbers;
    use lasca_common::recorder::Recorder;
    use lasca_tablebase::internals::Threads;
    use lasca_tablebase::rules::{Position, RuleSet};

    /// Lasker's ending of 1911.
    const LASKER: &str = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

    /// Expands the positions of some random lines. The search may then find another proof, as it does when
    /// several threads disturb each other.
    fn disturb(solver: &mut Solver, lines: usize) {
        let mut random = Numbers(0);
        for _ in 0..lines {
            solver.graph.reserve(1 << 14, 1 << 16, Threads::ONE).unwrap();
            let budget = Budget::default();
            let mut walk = Walk::new(solver.ground(&budget), 0);
            let mut at = solver.root;
            for _ in 0..20 {
                let node = solver.graph.node(at);
                if node.is_answered() {
                    // No search expands what is answered: a leaf has its distance from elsewhere.
                    break;
                }
                if !node.is_expanded() {
                    walk.expand(at).unwrap();
                }
                let children = solver.graph.children(node);
                if children.is_empty() {
                    break;
                }
                at = children[random.below(children.len())].load(Relaxed);
            }
        }
    }

    /// Seeks a distance and stops whenever something is told of it: what is known only becomes narrower.
    fn seek_in_parts(solver: &mut Solver, value: Value) {
        let (mut bounds, mut parts) = (solver.value(&Budget::default()).unwrap(), 0);
        loop {
            let impatient = Recorder::stopping_when(|seen| seen.reports() > 0);
            let stop = solver.exact(&Budget::new(None, 1, &impatient)).unwrap();
            let found = solver.value(&Budget::default()).unwrap();
            assert_eq!(found.and(bounds), found, "{found:?} after {bounds:?}");
            assert_eq!(solver.result().best(), found.best());
            assert!((found.worst()..=found.best()).contains(&value), "{found:?}");
            (bounds, parts) = (found, parts + 1);
            if stop == Stop::Solved {
                break;
            }
            assert_eq!(stop, Stop::Cancelled, "{found:?}");
        }
        assert_eq!(bounds, value);
        assert!(parts > 2, "{parts} parts");
    }

    #[test]
    fn the_work_for_a_distance_depends_little_on_the_proof_that_was_found_first() {
        let position: Position = LASKER.parse().unwrap();
        let budget = Budget::default();
        let mut proofs = Vec::new();
        // Not all lines lead to another proof.
        for lines in (0..100).step_by(10) {
            let mut solver = Solver::new(&position, RuleSet::Lasca, 1 << 28).unwrap();
            disturb(&mut solver, lines);
            // The first proof is found with the net, the others without.
            let net = solver.leaves.net.take();
            solver.leaves.net = net.filter(|_| lines == 0);
            assert_eq!(solver.run(&budget), Ok(Stop::Solved));
            solver.leaves.net = net;
            proofs.push(solver.value(&budget).unwrap().at_most().unwrap());
            let before = solver.graph.len();
            seek_in_parts(&mut solver, Value::Win(25));
            let added = solver.graph.len() - before;
            assert!(added < 300_000, "{added} positions after proofs of {proofs:?} plies");
            if proofs[0] != proofs[proofs.len() - 1] {
                return;
            }
        }
        panic!("no other proof: {proofs:?}");
    }
}
