//! How quiet moves lead from block to block, worked out once for each number of columns.

use crate::index::{OccupiedSets, Permutation};
use crate::rules::{Direction, Square, SquareSet, Symmetry, SymmetrySet};
use rayon::prelude::*;
use std::collections::HashMap;

/// A quiet un-move of any one column of a block's representative, with a symmetry that folds the
/// set it leads to.
///
/// ```text
/// bits of `packed`:  more  permutation
///                    0     0000000_00000000_00000000_00000000
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The block that it leads to.
    pub block: u32,
    packed: u32,
}

const MORE: u32 = 1 << 31;

impl Transition {
    /// Stands where there is no such un-move, or none that is kept.
    const NONE: Transition = Transition { block: u32::MAX, packed: 0 };

    /// Whether this is an un-move at all.
    #[inline]
    pub fn exists(self) -> bool {
        self.block != u32::MAX
    }

    /// The number of the permutation that takes the block's columns to the target's.
    #[inline]
    pub fn permutation(self) -> usize {
        (self.packed & !MORE) as usize
    }

    /// Whether the same un-move is kept with further symmetries.
    #[inline]
    pub fn has_more(self) -> bool {
        self.packed & MORE != 0
    }
}

/// The transitions of all blocks of one number of columns.
///
/// A block has a slot for each column and direction. Where occupied sets have symmetries of their
/// own, a position has several numbers, and each must be reached as many times as it has moves. So
/// a transition is listed once for **each** symmetry that folds its target, restricted to a
/// transversal of the source's stabilizer. Why this is exact: let `H` be the stabilizer of the
/// source block's representative. The lists without the restriction name each move of a target
/// position once for each element of `H`, because the position that the move leads to is a source
/// under `|H|` symmetries; `H` acts freely on the pairs (un-move, symmetry), and multiplies the
/// symmetry by an element of `H`; so a transversal keeps just one of each.
pub struct Transitions {
    columns: usize,
    slots: Vec<Transition>,
    /// What does not fit a slot, by the slot's number.
    more: HashMap<usize, Vec<Transition>>,
    kept: Vec<SymmetrySet>,
    permutations: Vec<Permutation>,
}

/// The permutation of columns when the set `from`, with the column on `moved.0` put on `moved.1`,
/// is mapped onto `representative` by `symmetry`.
pub fn permutation_of(
    from: SquareSet,
    moved: Option<(Square, Square)>,
    symmetry: Symmetry,
    representative: SquareSet,
) -> Permutation {
    let mut images = [0; OccupiedSets::MAX_COLUMNS];
    for (image, square) in images.iter_mut().zip(from) {
        let stands = match moved {
            Some((start, end)) if start == square => end,
            _ => square,
        };
        let onto = symmetry.apply(stands);
        *image = (representative.bits() & ((1 << onto.index()) - 1)).count_ones() as usize;
    }
    match Permutation::new(&images[..from.len()]) {
        Some(permutation) => permutation,
        None => unreachable!("a symmetry maps distinct squares to distinct squares"),
    }
}

impl Transitions {
    /// Works out the transitions of all blocks.
    pub fn new(sets: &OccupiedSets) -> Transitions {
        const BLOCKS_A_TASK: usize = 1 << 12;
        let slots_a_block = sets.columns() * 4;
        let mut slots = vec![Transition::NONE; sets.blocks() * slots_a_block];
        // Each task numbers the permutations that it meets by itself.
        let parts: Vec<Part> = slots
            .par_chunks_mut(BLOCKS_A_TASK * slots_a_block)
            .enumerate()
            .map(|(task, slots)| {
                let mut part = Part::default();
                let first = task * BLOCKS_A_TASK;
                for (i, slots) in slots.chunks_exact_mut(slots_a_block).enumerate() {
                    part.add_block(sets, first + i, slots);
                }
                part
            })
            .collect();

        let mut permutations = Vec::new();
        let mut numbers: HashMap<Permutation, u32> = HashMap::new();
        let renumbered: Vec<Vec<u32>> = parts
            .iter()
            .map(|part| {
                let number = |&permutation: &Permutation| {
                    *numbers.entry(permutation).or_insert_with(|| {
                        permutations.push(permutation);
                        permutations.len() as u32 - 1
                    })
                };
                part.permutations.iter().map(number).collect()
            })
            .collect();
        let renumber = |task: usize, transition: &mut Transition| {
            if transition.exists() {
                let number = renumbered[task][transition.permutation()];
                transition.packed = transition.packed & MORE | number;
            }
        };
        slots.par_chunks_mut(BLOCKS_A_TASK * slots_a_block).enumerate().for_each(
            |(task, slots)| slots.iter_mut().for_each(|transition| renumber(task, transition)),
        );
        let mut all = Transitions {
            columns: sets.columns(),
            slots,
            more: HashMap::new(),
            kept: Vec::with_capacity(sets.blocks()),
            permutations,
        };
        for (task, part) in parts.into_iter().enumerate() {
            all.kept.extend(part.kept);
            for (slot, mut list) in part.more {
                list.iter_mut().for_each(|transition| renumber(task, transition));
                all.more.insert(slot, list);
            }
        }
        all
    }

    /// The slots of one block: for the lowest column the four directions in the order of
    /// [`crate::rules::Direction::ALL`], then for the next.
    #[inline]
    pub fn of(&self, block: usize) -> &[Transition] {
        &self.slots[block * self.columns * 4..(block + 1) * self.columns * 4]
    }

    /// Further transitions of a slot, where the transition there
    /// [has more](Transition::has_more).
    #[cold]
    pub fn more(&self, block: usize, slot: usize) -> &[Transition] {
        self.more.get(&(block * self.columns * 4 + slot)).map_or(&[], Vec::as_slice)
    }

    /// The symmetries that un-moves of a block's positions may fold their targets with: a
    /// transversal of its stabilizer.
    #[inline]
    pub fn kept(&self, block: usize) -> SymmetrySet {
        self.kept[block]
    }

    /// All permutations that occur, by number.
    pub fn permutations(&self) -> &[Permutation] {
        &self.permutations
    }
}

/// What is found beside the slots of some consecutive blocks, permutations numbered apart.
#[derive(Default)]
struct Part {
    more: HashMap<usize, Vec<Transition>>,
    kept: Vec<SymmetrySet>,
    permutations: Vec<Permutation>,
    numbers: HashMap<Permutation, u32>,
}

impl Part {
    fn add_block(&mut self, sets: &OccupiedSets, block: usize, slots: &mut [Transition]) {
        let occupied = sets.representative(block);
        let kept = sets.stabilizer(block).transversal();
        for (column, from) in occupied.into_iter().enumerate() {
            for (direction, toward) in Direction::ALL.into_iter().enumerate() {
                let Some(to) = from.step(toward).filter(|&to| !occupied.contains(to)) else {
                    continue;
                };
                let slot = column * 4 + direction;
                let (target, symmetries) = sets.fold(occupied.without(from).with(to));
                let representative = sets.representative(target);
                for symmetry in symmetries.and(kept) {
                    let moved = Some((from, to));
                    let permutation = permutation_of(occupied, moved, symmetry, representative);
                    let packed = self.number(permutation);
                    let transition = Transition { block: target as u32, packed };
                    if slots[slot].exists() {
                        slots[slot].packed |= MORE;
                        self.more.entry(block * slots.len() + slot).or_default().push(transition);
                    } else {
                        slots[slot] = transition;
                    }
                }
            }
        }
        self.kept.push(kept);
    }

    fn number(&mut self, permutation: Permutation) -> u32 {
        *self.numbers.entry(permutation).or_insert_with(|| {
            self.permutations.push(permutation);
            self.permutations.len() as u32 - 1
        })
    }
}
