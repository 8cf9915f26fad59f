//! How quiet moves lead from block to block, worked out once for each number of columns.

use crate::index::{OccupiedSets, Permutation};
use crate::rules::{Direction, Square, SquareSet, Symmetry, SymmetrySet, steps_between};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// A quiet un-move of any one column of a block's representative, with a symmetry that folds the
/// set it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The block that it leads to.
    pub block: u32,
    /// The number of the permutation that takes the block's columns to the target's.
    pub permutation: u32,
}

impl Transition {
    /// Stands, in place of the permutation, where an un-move is kept with no symmetry or with
    /// several; the block is the number of a list.
    const SEVERAL: u32 = u32::MAX;

    /// Whether this is one transition, and not none or [several](Transitions::several).
    #[inline]
    pub fn is_one(self) -> bool {
        self.permutation != Transition::SEVERAL
    }
}

/// A set of steps: 32 bits a direction, in the order of [`Direction::ALL`], the first lowest, for the
/// squares that they start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSet(u128);

impl StepSet {
    /// All steps that start on squares of `from` and end on squares of `to`.
    #[inline]
    pub fn between(from: SquareSet, to: SquareSet) -> StepSet {
        let steps = steps_between(from, to);
        let half =
            |low: SquareSet, high: SquareSet| u64::from(low.bits()) | u64::from(high.bits()) << 32;
        StepSet(u128::from(half(steps[0], steps[1])) | u128::from(half(steps[2], steps[3])) << 64)
    }

    /// The steps that are in one of the sets.
    #[inline]
    pub fn or(self, other: StepSet) -> StepSet {
        StepSet(self.0 | other.0)
    }

    /// The steps, each with how many steps of `all` come before it.
    #[inline]
    pub fn ranked_among(self, all: StepSet) -> impl Iterator<Item = (usize, StepNumber)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let less_one = rest - 1;
                let before = less_one & !rest;
                rest &= less_one;
                ((all.0 & before).count_ones() as usize, StepNumber(before.count_ones()))
            })
        })
    }
}

/// A step, as its place in a [`StepSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepNumber(u32);

impl StepNumber {
    /// The square that the step starts from and the one that it ends on, as bits.
    #[inline]
    pub fn squares(self) -> (u32, u32) {
        let from = 1 << (self.0 & 31);
        let to = match Direction::ALL[(self.0 >> 5) as usize] {
            Direction::NorthEast => from << 4,
            Direction::NorthWest => from << 3,
            Direction::SouthEast => from >> 3,
            Direction::SouthWest => from >> 4,
        };
        (from, to)
    }
}

/// The transitions of all blocks of one number of columns.
///
/// A block has a slot for each of its [quiet steps](Transitions::steps). Where occupied sets have symmetries of their
/// own, a position has several numbers, and each must be reached as many times as it has moves. So
/// a transition is listed once for **each** symmetry that folds its target, restricted to a
/// transversal of the source's stabilizer. Why this is exact: let `H` be the stabilizer of the
/// source block's representative. The lists without the restriction name each move of a target
/// position once for each element of `H`, because the position that the move leads to is a source
/// under `|H|` symmetries; `H` acts freely on the pairs (un-move, symmetry), and multiplies the
/// symmetry by an element of `H`; so a transversal keeps just one of each.
pub struct Transitions {
    slots: Vec<Transition>,
    /// For each block, its first slot; then the number of slots.
    starts: Vec<usize>,
    /// What does not fit a slot, by the slot's number.
    /// The transitions of slots that have none or several.
    lists: Vec<Box<[Transition]>>,
    kept: Vec<SymmetrySet>,
    permutations: Vec<Permutation>,
}

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
        *image = (representative.bits() & ((1 << onto.index()) - 1)).count_ones() as usize;
    }
    match Permutation::new(&images[..occupied.len()]) {
        Some(permutation) => permutation,
        None => unreachable!("a symmetry maps distinct squares to distinct squares"),
    }
}

impl Transitions {
    /// The quiet steps of a block's columns, whoever commands them.
    #[inline]
    pub fn steps(sets: &OccupiedSets, block: usize) -> StepSet {
        let occupied = sets.representative(block);
        StepSet::between(occupied, SquareSet::from_bits(!occupied.bits()))
    }

    /// Works out the transitions of all blocks.
    pub fn new(sets: &OccupiedSets) -> Transitions {
        const BLOCKS_A_TASK: usize = 1 << 12;
        // Each task numbers the permutations that it meets by itself.
        let parts: Vec<Part> = (0..sets.blocks())
            .into_par_iter()
            .step_by(BLOCKS_A_TASK)
            .map(|first| {
                let mut part = Part::default();
                for block in first..(first + BLOCKS_A_TASK).min(sets.blocks()) {
                    part.add_block(sets, block);
                }
                part
            })
            .collect();

        let mut all = Transitions {
            slots: Vec::with_capacity(parts.iter().map(|part| part.slots.len()).sum()),
            starts: Vec::with_capacity(sets.blocks() + 1),
            lists: Vec::new(),
            kept: Vec::with_capacity(sets.blocks()),
            permutations: Vec::new(),
        };
        let mut numbers: FxHashMap<Permutation, u32> = FxHashMap::default();
        for part in parts {
            let number = |&permutation: &Permutation| {
                *numbers.entry(permutation).or_insert_with(|| {
                    all.permutations.push(permutation);
                    all.permutations.len() as u32 - 1
                })
            };
            let renumbered: Vec<u32> = part.permutations.iter().map(number).collect();
            let (first, first_list) = (all.slots.len(), all.lists.len() as u32);
            let renumber = |Transition { block, permutation }: Transition| match permutation {
                Transition::SEVERAL => Transition { block: first_list + block, permutation },
                _ => Transition { block, permutation: renumbered[permutation as usize] },
            };
            all.starts.extend(part.starts.into_iter().map(|start| first + start));
            all.slots.extend(part.slots.into_iter().map(renumber));
            let list = |list: Vec<Transition>| list.into_iter().map(renumber).collect();
            all.lists.extend(part.lists.into_iter().map(list));
            all.kept.extend(part.kept);
        }
        all.starts.push(all.slots.len());
        all
    }

    /// The slots of one block, in the order of [`Transitions::steps`].
    #[inline]
    pub fn of(&self, block: usize) -> &[Transition] {
        &self.slots[self.starts[block]..self.starts[block + 1]]
    }

    /// The transitions of a slot that has none or several.
    #[cold]
    pub fn several(&self, slot: Transition) -> &[Transition] {
        &self.lists[slot.block as usize]
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

/// What is found of some consecutive blocks, slots and permutations numbered apart.
#[derive(Default)]
struct Part {
    slots: Vec<Transition>,
    starts: Vec<usize>,
    lists: Vec<Vec<Transition>>,
    kept: Vec<SymmetrySet>,
    permutations: Vec<Permutation>,
    numbers: FxHashMap<Permutation, u32>,
}

impl Part {
    fn add_block(&mut self, sets: &OccupiedSets, block: usize) {
        let occupied = sets.representative(block);
        let kept = sets.stabilizer(block).transversal();
        self.starts.push(self.slots.len());
        self.kept.push(kept);
        let steps = Transitions::steps(sets, block);
        for (_, step) in steps.ranked_among(steps) {
            let (from, to) = step.squares();
            let after = SquareSet::from_bits(occupied.bits() ^ from ^ to);
            let (target, symmetries) = sets.fold(after);
            let representative = sets.representative(target);
            let mut list = Vec::new();
            for symmetry in symmetries.and(kept) {
                let permutation = permutation_of(occupied, (from, to), symmetry, representative);
                let permutation = self.number(permutation);
                list.push(Transition { block: target as u32, permutation });
            }
            self.slots.push(match list[..] {
                [transition] => transition,
                _ => {
                    let block = self.lists.len() as u32;
                    self.lists.push(list);
                    Transition { block, permutation: Transition::SEVERAL }
                }
            });
        }
    }

    fn number(&mut self, permutation: Permutation) -> u32 {
        *self.numbers.entry(permutation).or_insert_with(|| {
            self.permutations.push(permutation);
            self.permutations.len() as u32 - 1
        })
    }
}
