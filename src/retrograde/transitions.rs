//! Where quiet moves lead from orbit to orbit, worked out once for each number of columns.

use super::steps::StepSet;
use crate::index::{OccupiedSets, Permutation};
use crate::reserve::{push, reserve, reserve_exact, reserving};
use crate::rules::{Square, SquareSet, Symmetry, SymmetrySet};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::TryReserveError;

/// A quiet un-move of one column of an orbit's representative, with a symmetry that folds the set it
/// leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The orbit that it leads to.
    pub orbit: u32,
    /// The number of the permutation that maps the orbit's columns onto the target's.
    pub permutation: u32,
}

impl Transition {
    /// In place of a permutation: the un-move is kept with no symmetry or with several, and the orbit is
    /// the number of a list.
    const SEVERAL: u32 = u32::MAX;

    /// Whether this is one transition, and not none or [several](Transitions::several).
    #[inline]
    pub fn is_one(self) -> bool {
        self.permutation != Transition::SEVERAL
    }
}

/// The transitions of all orbits of one number of columns.
///
/// An orbit has a slot for each of its [quiet steps](Transitions::steps). Where occupied sets have
/// symmetries of their own, a position has several numbers, and each must be reached as many times as it has moves. So
/// a transition is listed once for **each** symmetry that folds its target, restricted to a
/// transversal of the source's stabilizer. Why this is exact: let `H` be the stabilizer of the
/// source orbit's representative. The lists without the restriction name each move of a target
/// position once for each element of `H`, because the position that the move leads to is a source
/// under `|H|` symmetries; `H` acts freely on the pairs (un-move, symmetry), and multiplies the
/// symmetry by an element of `H`; so a transversal keeps just one of each.
pub struct Transitions {
    /// The transitions of [`ORBITS_PER_BATCH`] orbits each.
    batches: Vec<TransitionBatch>,
    permutations: Vec<Permutation>,
}

/// How many orbits a batch has, as a power of two.
const BATCH_SHIFT: u32 = 12;
const ORBITS_PER_BATCH: usize = 1 << BATCH_SHIFT;

/// The permutation of columns when the set `occupied`, with the column on `from` put on `to` (both
/// bits), is mapped onto `representative` by `symmetry`.
fn permutation_of(
    occupied: SquareSet,
    (from, to): (u32, u32),
    symmetry: Symmetry,
    representative: SquareSet,
) -> Permutation {
    let moved = |square: Square| {
        let stands = if 1 << square.index() == from { to } else { 1 << square.index() };
        Square::from_index(stands.trailing_zeros() as usize)
    };
    let mut images = [0; OccupiedSets::MAX_COLUMNS];
    for (image, square) in images.iter_mut().zip(occupied.into_iter().filter_map(moved)) {
        let onto = symmetry.apply(square);
        *image = representative.ordinal_of(onto);
    }
    match Permutation::new(&images[..occupied.len()]) {
        Some(permutation) => permutation,
        None => unreachable!("a symmetry maps distinct squares to distinct squares"),
    }
}

impl Transitions {
    /// The quiet steps of an orbit's columns, whoever commands them.
    #[inline]
    pub fn steps(sets: &OccupiedSets, orbit: usize) -> StepSet {
        let occupied = sets.representative(orbit);
        StepSet::between(occupied, SquareSet::from_bits(!occupied.bits()))
    }

    /// Works out the transitions of all orbits.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(sets: &OccupiedSets) -> Result<Transitions, TryReserveError> {
        // Each batch numbers the permutations that occur in it by itself.
        let of_batch = |first: usize| {
            let (mut batch, mut numbers) =
                (TransitionBatch::default(), PermutationNumbers::default());
            for orbit in first..(first + ORBITS_PER_BATCH).min(sets.orbits()) {
                batch.add_orbit(sets, orbit, &mut numbers)?;
            }
            Ok((batch.finished(), numbers.permutations))
        };
        let firsts = (0..sets.orbits()).into_par_iter().step_by(ORBITS_PER_BATCH);
        let of_batches = firsts.map(of_batch).collect::<Result<Vec<_>, TryReserveError>>()?;
        let (mut batches, batch_permutations): (Vec<TransitionBatch>, Vec<Vec<Permutation>>) =
            of_batches.into_iter().unzip();
        let mut all = PermutationNumbers::default();
        let mut renumbered = Vec::new();
        for permutations in batch_permutations {
            let mut numbers = Vec::new();
            reserve_exact(&mut numbers, permutations.len())?;
            for permutation in permutations {
                numbers.push(all.number(permutation)?);
            }
            renumbered.push(numbers);
        }
        batches.par_iter_mut().zip(renumbered).for_each(|(batch, numbers)| {
            let transitions = batch.slots.iter_mut().chain(batch.lists.iter_mut().flatten());
            for transition in transitions.filter(|transition| transition.is_one()) {
                transition.permutation = numbers[transition.permutation as usize];
            }
        });
        Ok(Transitions { batches, permutations: all.permutations })
    }

    #[inline]
    fn batch(&self, orbit: usize) -> (&TransitionBatch, usize) {
        (&self.batches[orbit >> BATCH_SHIFT], orbit & (ORBITS_PER_BATCH - 1))
    }

    /// The slots of one orbit, in the order of [`Transitions::steps`].
    #[inline]
    pub fn of(&self, orbit: usize) -> &[Transition] {
        let (batch, orbit) = self.batch(orbit);
        &batch.slots[batch.starts[orbit] as usize..batch.starts[orbit + 1] as usize]
    }

    /// The transitions of a slot of an orbit that has none or several.
    #[cold]
    pub fn several(&self, orbit: usize, slot: Transition) -> &[Transition] {
        &self.batch(orbit).0.lists[slot.orbit as usize]
    }

    /// The symmetries that un-moves of an orbit's positions may fold their targets with: a
    /// transversal of its stabilizer.
    #[inline]
    pub fn kept(&self, orbit: usize) -> SymmetrySet {
        let (batch, orbit) = self.batch(orbit);
        batch.kept[orbit]
    }

    /// All permutations that occur, by number.
    pub fn permutations(&self) -> &[Permutation] {
        &self.permutations
    }
}

/// The transitions of some consecutive orbits.
#[derive(Default)]
struct TransitionBatch {
    slots: Vec<Transition>,
    /// For each orbit, its first slot; then the number of slots.
    starts: Vec<u32>,
    /// The transitions of slots that have none or several.
    lists: Vec<Vec<Transition>>,
    kept: Vec<SymmetrySet>,
}

/// PermutationNumbers for the permutations that occur.
#[derive(Default)]
struct PermutationNumbers {
    permutations: Vec<Permutation>,
    numbers: FxHashMap<Permutation, u32>,
}

impl PermutationNumbers {
    fn number(&mut self, permutation: Permutation) -> Result<u32, TryReserveError> {
        if let Some(&number) = self.numbers.get(&permutation) {
            return Ok(number);
        }
        let number = self.permutations.len() as u32;
        reserving(|| self.numbers.try_reserve(1))?;
        self.numbers.insert(permutation, number);
        push(&mut self.permutations, permutation)?;
        Ok(number)
    }
}

impl TransitionBatch {
    fn add_orbit(
        &mut self,
        sets: &OccupiedSets,
        orbit: usize,
        numbers: &mut PermutationNumbers,
    ) -> Result<(), TryReserveError> {
        let occupied = sets.representative(orbit);
        let kept = sets.stabilizer(orbit).transversal();
        self.starts.push(self.slots.len() as u32);
        self.kept.push(kept);
        let steps = Transitions::steps(sets, orbit);
        reserve(&mut self.slots, steps.len())?;
        for step in steps.iter() {
            let (from, to) = step.squares();
            let after = SquareSet::from_bits(occupied.bits() ^ from ^ to);
            let (target, symmetries) = sets.fold(after);
            let representative = sets.representative(target);
            let mut list = Vec::new();
            for symmetry in symmetries.and(kept) {
                let permutation = permutation_of(occupied, (from, to), symmetry, representative);
                let permutation = numbers.number(permutation)?;
                list.push(Transition { orbit: target as u32, permutation });
            }
            self.slots.push(match list[..] {
                [transition] => transition,
                _ => {
                    let orbit = self.lists.len() as u32;
                    push(&mut self.lists, list)?;
                    Transition { orbit, permutation: Transition::SEVERAL }
                }
            });
        }
        Ok(())
    }

    fn finished(mut self) -> TransitionBatch {
        self.starts.push(self.slots.len() as u32);
        self.slots.shrink_to_fit();
        self
    }
}
