//! What the numbers of a search became: samples from which a net learns better first numbers.

use super::Solver;
use super::key::{Child, MIRRORED, Squares};
use super::leaves::Leaves;
use super::net::{
    BOUNDS, CONTACTS, EVEN, FRACTION, HIDDEN, INPUTS, LOG_FRACTION, NUMBERS, Net, inputs, log2,
};
use super::numbers::Attacker;
use lasca_tablebase::internals::Mobility;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::{Position, RuleSet};

/// An open position tells something from this many expansions beneath it on.
const ENOUGH: u32 = 16;

/// A question, and what its number became.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The inputs of the net that are on.
    pub inputs: Vec<u16>,
    /// The inputs that go to the outputs: the worth of the columns, and the logarithm of the number
    /// of moves, both as parts of [`Shape::DENSE`].
    pub dense: [i32; 2],
    /// Which output of the net the question has.
    pub output: usize,
    /// What the output should be.
    pub target: f32,
}

/// What a net of the search looks like.
#[derive(Clone, Copy, Debug)]
pub struct Shape;

impl Shape {
    /// How many inputs there are, with the last one, which every position has.
    pub const INPUTS: usize = INPUTS;
    /// How many hidden units there are.
    pub const HIDDEN: usize = HIDDEN;
    /// What stands for one in the inputs that go to the outputs, the third of which is always one.
    pub const DENSE: [i32; 3] = [160, 1 << LOG_FRACTION, 1 << LOG_FRACTION];
    /// What stands for one in the outputs.
    pub const ONE: i32 = 1 << FRACTION;

    /// The input that is on in the mirror image of a position with this input.
    pub const fn mirrored(input: u16) -> u16 {
        let (first, each) = match input as usize {
            ..CONTACTS => (0, 4 * 16),
            CONTACTS..NUMBERS => (CONTACTS, 4 * 8),
            _ => return input,
        };
        let place = input as usize - first;
        (first + MIRRORED[place / each] as usize * each + place % each) as u16
    }
}

impl Solver {
    /// Prepares to solve a position as [`Solver::new`] does, with the first numbers of another net,
    /// or without a net.
    ///
    /// # Errors
    /// If the memory is too little to begin with.
    pub fn guided(
        position: &Position,
        rules: RuleSet,
        net: Option<&'static [u8]>,
        memory: u64,
    ) -> Result<Solver, ProbeError> {
        let mut leaves = Leaves::new(position, &rules.into());
        leaves.net = net.and_then(Net::from_bytes);
        Solver::with_leaves(position, rules, leaves, memory)
    }

    /// What the search has found out about first numbers, at most this many samples: what the number of a
    /// question became. The question was proved, or the search has worked on it for a while.
    pub fn samples(&self, most: usize) -> Vec<Sample> {
        let pasts = self.graph.history.pasts();
        let mut samples = Vec::new();
        for (id, pasts) in self.graph.ids().zip(&*pasts) {
            let node = self.graph.node(id);
            // The net is not asked about what is forced.
            if Squares::of(&node.key().position()).mobility() == Mobility::Captures(1) {
                continue;
            }
            for attacker in Attacker::BOTH {
                let past = pasts[attacker as usize];
                let numbers = node.numbers(attacker);
                let number = match numbers.is_final() {
                    true if node.is_won(attacker) && past.beneath > 0 => past.greatest,
                    false if past.beneath >= ENOUGH => numbers.of_win(attacker).0,
                    _ => continue,
                };
                samples.push((id, attacker, number));
            }
        }
        let all = samples.len();
        let kept = samples.into_iter().enumerate().filter(|&(i, _)| {
            let kept = most.min(all);
            (i + 1) * kept / all > i * kept / all
        });
        kept.map(|(_, (id, attacker, number))| {
            let child = Child::from(&self.graph.node(id).key().position());
            let mobility = child.squares.mobility();
            let mut on = Vec::new();
            let worth = inputs(&child, &child.squares.ways(), |input| on.push(input as u16));
            let target = (f32::from(number) / EVEN as f32).log2();
            Sample {
                inputs: on,
                dense: [worth, log2(mobility.count())],
                output: attacker as usize,
                target: target.clamp(BOUNDS.0 as f32, BOUNDS.1 as f32),
            }
        })
        .collect()
    }
}
