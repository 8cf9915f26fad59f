//! How quiet moves lead from block to block, worked out once for each number of columns.

use crate::index::{OccupiedSets, Permutation};
use crate::rules::{Placement, Square, SquareSet, Symmetry, SymmetrySet};
use rayon::prelude::*;
use std::collections::HashMap;

/// A quiet un-move of any one column of a block's representative, with a symmetry that folds the
/// set it leads to.
///
/// ```text
/// bits of `packed`:  permutation                from  to
///                    000000_00000000_00000000   00000 00000
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Transition {
    /// The block that it leads to.
    pub block: u32,
    packed: u32,
}

const SQUARE_BITS: u32 = 5;
const MAX_PERMUTATIONS: usize = 1 << (32 - 2 * SQUARE_BITS);

impl Transition {
    /// The square that the column steps back from, as a bit.
    #[inline]
    pub fn from(self) -> u32 {
        1 << (self.packed >> SQUARE_BITS & ((1 << SQUARE_BITS) - 1))
    }

    /// The square that it steps back to, as a bit.
    #[inline]
    pub fn to(self) -> u32 {
        1 << (self.packed & ((1 << SQUARE_BITS) - 1))
    }

    /// The number of the permutation that takes the block's columns to the target's.
    #[inline]
    pub fn permutation(self) -> usize {
        (self.packed >> (2 * SQUARE_BITS)) as usize
    }
}

/// The transitions of all blocks of one number of columns.
///
/// Where occupied sets have symmetries of their own, a position has several numbers, and each must
/// be reached as many times as it has moves. So a transition is listed once for **each** symmetry
/// that folds its target, restricted to a transversal of the source's stabilizer. Why this is
/// exact: let `H` be the stabilizer of the source block's representative. The lists without the
/// restriction name each move of a target position once for each element of `H`, because the
/// position that the move leads to is a source under `|H|` symmetries; `H` acts freely on the
/// pairs (un-move, symmetry), and multiplies the symmetry by an element of `H`; so a transversal
/// keeps just one of each.
pub struct Transitions {
    starts: Vec<u32>,
    list: Vec<Transition>,
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
        let tasks: Vec<usize> = (0..sets.blocks()).step_by(BLOCKS_A_TASK).collect();
        let parts: Vec<_> = tasks
            .par_iter()
            .map(|&first| {
                let mut part = Part::default();
                for block in first..(first + BLOCKS_A_TASK).min(sets.blocks()) {
                    part.add_block(sets, block);
                }
                part
            })
            .collect();

        let mut all = Transitions {
            starts: vec![0],
            list: Vec::new(),
            kept: Vec::new(),
            permutations: Vec::new(),
        };
        let mut numbers: HashMap<Permutation, u32> = HashMap::new();
        all.list.reserve_exact(parts.iter().map(|part| part.list.len()).sum());
        for part in parts {
            let renumbered: Vec<u32> = part
                .permutations
                .iter()
                .map(|&permutation| {
                    *numbers.entry(permutation).or_insert_with(|| {
                        all.permutations.push(permutation);
                        all.permutations.len() as u32 - 1
                    })
                })
                .collect();
            all.kept.extend(part.kept);
            let base = all.list.len() as u32;
            all.starts.extend(part.ends.iter().map(|end| base + end));
            all.list.extend(part.list.iter().map(|&(block, place, permutation)| Transition {
                block,
                packed: place | renumbered[permutation as usize] << (2 * SQUARE_BITS),
            }));
        }
        assert!(all.permutations.len() <= MAX_PERMUTATIONS, "as few permutations as ever occur");
        all
    }

    /// The transitions of one block.
    #[inline]
    pub fn of(&self, block: usize) -> &[Transition] {
        &self.list[self.starts[block] as usize..self.starts[block + 1] as usize]
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

/// The transitions of some consecutive blocks, permutations numbered apart.
#[derive(Default)]
struct Part {
    ends: Vec<u32>,
    kept: Vec<SymmetrySet>,
    /// Target block, packed squares, number of the permutation.
    list: Vec<(u32, u32, u32)>,
    permutations: Vec<Permutation>,
    numbers: HashMap<Permutation, u32>,
}

impl Part {
    fn add_block(&mut self, sets: &OccupiedSets, block: usize) {
        let occupied = sets.representative(block);
        let kept = sets.stabilizer(block).transversal();
        let any_owner = Placement { mover: occupied, other: SquareSet::EMPTY };
        for step in any_owner.steps() {
            let moved = occupied.without(step.from).with(step.to);
            let (target, symmetries) = sets.fold(moved);
            for symmetry in symmetries.and(kept) {
                let permutation = permutation_of(
                    occupied,
                    Some((step.from, step.to)),
                    symmetry,
                    sets.representative(target),
                );
                let number = *self.numbers.entry(permutation).or_insert_with(|| {
                    self.permutations.push(permutation);
                    self.permutations.len() as u32 - 1
                });
                let place = (step.from.index() << SQUARE_BITS | step.to.index()) as u32;
                self.list.push((target as u32, place, number));
            }
        }
        self.kept.push(kept);
        self.ends.push(self.list.len() as u32);
    }
}
