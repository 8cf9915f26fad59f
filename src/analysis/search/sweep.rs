//! Sweeps: passes backwards over all that has been expanded, which settle what circles cannot.
//!
//! The [module](super#why-the-answers-are-true) says why their answers are true. What a sweep reaches has a
//! distance (`distance`), if all positions that were not expanded were won.

use super::budget::Budget;
use super::distance::{Distances, Unknown};
use super::error::Halt;
use super::graph::{Graph, Node, NodeId};
use super::numbers::{Attacker, Numbers, UNIT};
use std::ops::Range;

/// Answers all questions whose attacker could not even win if all that was not expanded were won. Returns
/// how many it has answered.
///
/// Nobody else may use the graph meanwhile, and no thread may have a line in it.
pub(super) fn sweep(graph: &mut Graph, budget: &Budget<'_>) -> Result<usize, Halt> {
    let possible = Distances::new(graph, None, Unknown::WonAtOnce, budget)?;
    // A win of more plies than can be counted would look like none.
    if !possible.are_all {
        return Err(Halt::Full);
    }
    let answered = |id: usize| {
        let (id, node) = (id as NodeId, graph.node(id as NodeId));
        let answer = |attacker: &Attacker| {
            let is_new =
                possible.get(id, *attacker).is_none() && !node.numbers(*attacker).is_final();
            if is_new {
                node.set_numbers(*attacker, Numbers::lost(*attacker));
            }
            is_new
        };
        Attacker::BOTH.iter().filter(|attacker| answer(attacker)).count()
    };
    let answered = budget.in_ranges(graph.len(), |ids| ids.map(&answered).sum::<usize>())?;
    Ok(answered.into_iter().sum())
}

/// Takes back numbers that have grown in circles: those of expanded positions that are greater than
/// `above`.
pub(super) fn renumber(graph: &Graph, above: u16, budget: &Budget<'_>) -> Result<(), Halt> {
    let renumber = |node: &Node| {
        for attacker in Attacker::BOTH {
            let numbers = node.numbers(attacker);
            if !numbers.is_final() && (numbers.phi > above || numbers.delta > above) {
                node.set_numbers(attacker, Numbers::open(UNIT, UNIT));
            }
        }
    };
    let nodes = |ids: Range<usize>| ids.map(|id| graph.node(id as NodeId));
    budget.in_ranges(graph.len(), |ids| {
        nodes(ids).filter(|node| node.is_expanded()).for_each(renumber)
    })?;
    Ok(())
}
