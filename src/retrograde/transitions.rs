//! Where un-moves lead from orbit to orbit, worked out once for each slice, for both sides to move.

use super::steps::StepSet;
use super::uncaptures::{ChainBack, ChainSearch, OrbitChains, chains_bytes};
use crate::index::{
    Arrangement, ArrangementMaps, OccupiedSets, OrbitColumns, SliceIndex, binomial,
};
use crate::prefetch::prefetch_at;
use crate::rules::{RuleSet, Square, SquareSet, Symmetry, SymmetrySet};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// A quiet un-move of one column of an orbit's representative, with a symmetry that folds the set it
/// leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The orbit that it leads to.
    pub orbit: u32,
    /// The number of the arrangement that says where the orbit's columns stand in the target.
    pub arrangement: u32,
}

impl Transition {
    /// This plus a number in place of an arrangement: the un-move is kept with no symmetry or with several.
    /// There are so many transitions, and the orbit is the place of the first one in a list.
    const SEVERAL: u32 = u32::MAX - Symmetry::COUNT as u32;

    /// Whether this is one transition, and not none or [several](OrbitTransitions::several).
    #[inline]
    pub fn is_one(self) -> bool {
        self.arrangement < Transition::SEVERAL
    }
}

/// Where the un-moves of a slice lead, worked out once for all its positions: how quiet ones lead from orbit to
/// orbit, and chains of captures back.
///
/// An orbit has a slot for each of its quiet steps. If no symmetry maps the occupied set of the source or of the target
/// to itself, an un-move is one transition: one symmetry folds its target.
///
/// If several symmetries fold the target, the target position has several numbers, and each must be reached as many
/// times as the position has moves. So a transition is listed for **each** of these symmetries.
///
/// If the source's set is its own image under some symmetries, its stabilizer `H`, an un-move and its images under `H`
/// are the same move, seen from the several numbers of the source position. Each of these numbers is expanded, so of
/// all pairs (un-move, symmetry) that `H` maps to each other, one is listed. `H` multiplies the symmetry of a pair by
/// its elements. So these are the pairs whose symmetry is in a transversal of `H`.
pub struct UnMoves {
    /// The transitions of [`ORBITS_PER_BATCH`] orbits each.
    batches: Vec<TransitionBatch>,
    /// What the arrangements of quiet ones do within an orbit.
    pub maps: ArrangementMaps,
}

/// How many orbits a batch has, as a power of two.
const BATCH_SHIFT: u32 = 12;
const ORBITS_PER_BATCH: usize = 1 << BATCH_SHIFT;

impl UnMoves {
    /// Works out the un-moves of the slice that `index` numbers, for both sides.
    pub fn new(index: &SliceIndex, rules: RuleSet) -> UnMoves {
        index.sets().tabulate();
        let search = ChainSearch::new(index, rules);
        let (batches, arrangements) = UnMoves::batches(index.sets(), search);
        UnMoves { batches, maps: ArrangementMaps::new(&arrangements, index) }
    }

    /// The transitions and the chains of all orbits, and all arrangements that occur, by number.
    fn batches(
        sets: &OccupiedSets,
        search: ChainSearch,
    ) -> (Vec<TransitionBatch>, Vec<Arrangement>) {
        // Each batch numbers the arrangements that occur in it by itself.
        let of_batch = |first: usize| {
            let (mut batch, mut numbers) =
                (TransitionBatch::default(), ArrangementNumbers::default());
            for orbit in first..(first + ORBITS_PER_BATCH).min(sets.orbits()) {
                batch.add_orbit(sets, orbit, search, &mut numbers);
            }
            (batch.finished(), numbers.arrangements)
        };
        let firsts = (0..sets.orbits()).into_par_iter().step_by(ORBITS_PER_BATCH);
        let (mut batches, of_batches): (Vec<TransitionBatch>, Vec<Vec<Arrangement>>) =
            firsts.map(of_batch).unzip();
        let mut all = ArrangementNumbers::default();
        let mut renumbered = Vec::new();
        for arrangements in of_batches {
            let numbers = arrangements.into_iter().map(|arrangement| all.number(arrangement));
            renumbered.push(numbers.collect::<Vec<u32>>());
        }
        batches.par_iter_mut().zip(renumbered).for_each(|(batch, numbers)| {
            let transitions = batch.slots.iter_mut().chain(&mut batch.listed);
            for transition in transitions.filter(|transition| transition.is_one()) {
                transition.arrangement = numbers[transition.arrangement as usize];
            }
        });
        (batches, all.arrangements)
    }

    /// The quiet steps of columns on these squares, whoever commands them.
    #[inline]
    fn steps(occupied: SquareSet) -> StepSet {
        StepSet::between(occupied, SquareSet::from_bits(!occupied.bits()))
    }

    /// The transitions and chains of one orbit, whose representative is `occupied`.
    #[inline]
    pub fn of(&self, orbit: usize, occupied: SquareSet) -> OrbitTransitions<'_> {
        let batch = &self.batches[orbit >> BATCH_SHIFT];
        let orbit = orbit & (ORBITS_PER_BATCH - 1);
        let slots = &batch.slots[batch.starts[orbit] as usize..];
        // They are needed when it is known which steps are un-moves.
        [0, 8, 16, 24].iter().for_each(|&place| prefetch_at(slots, place));
        let [first_chain, end] = [orbit, orbit + 1].map(|orbit| batch.chain_starts[orbit] as usize);
        OrbitTransitions {
            steps: UnMoves::steps(occupied),
            slots,
            listed: &batch.listed,
            chains: OrbitChains {
                chains: &batch.chains[first_chain..end],
                kept: batch.kept[orbit],
            },
        }
    }

    /// About how many bytes the un-moves of the slice take that `index` numbers.
    pub fn memory_of(index: &SliceIndex) -> u64 {
        // Eight bytes for each quiet un-move, and nine for each orbit. There are 72 steps on the board, each
        // between an occupied and an empty square; an eighth of the sets are representatives, and a few more
        // that have symmetries of their own.
        let columns = index.columns();
        let steps = 72 * binomial(Square::COUNT - 2, columns - 1) / 8 * 102 / 100;
        8 * steps
            + 9 * OccupiedSets::orbits_of(columns)
            + chains_bytes(columns, index.most_spare())
            + ArrangementMaps::memory_of(index, arrangements_of(columns))
    }

    /// How many arrangements the slice has, and how many bytes its chains take.
    #[cfg(test)]
    pub fn sizes(index: &SliceIndex, rules: RuleSet) -> (u64, u64) {
        let search = ChainSearch::new(index, rules);
        let (batches, arrangements) = UnMoves::batches(index.sets(), search);
        let bytes = batches.iter().map(|batch| size_of_val(&batch.chains[..]) as u64).sum();
        (arrangements.len() as u64, bytes)
    }
}

/// How many arrangements the transitions of this many columns have, before they are worked out.
pub fn arrangements_of(columns: usize) -> u64 {
    const COUNTS: [u64; OccupiedSets::MAX_COLUMNS + 1] =
        [0, 0, 2, 6, 24, 120, 720, 4_913, 30_249, 130_228, 352_238, 659_757, 940_916];
    COUNTS[columns]
}

/// The transitions and chains of one orbit.
pub struct OrbitTransitions<'a> {
    /// The quiet steps of the orbit's columns.
    steps: StepSet,
    /// The slots of the orbit, in the order of the steps, and those of the orbits behind it.
    slots: &'a [Transition],
    /// The transitions of slots that have none or several.
    listed: &'a [Transition],
    /// The chains of the orbit.
    pub chains: OrbitChains<'a>,
}

impl<'a> OrbitTransitions<'a> {
    /// The slots of some of the quiet steps.
    #[inline]
    pub fn by(&self, steps: StepSet) -> impl Iterator<Item = Transition> {
        steps.places_in(self.steps).map(|place| self.slots[place])
    }

    /// The transitions of a slot that has none or several.
    #[cold]
    pub fn several(&self, slot: Transition) -> &'a [Transition] {
        let (first, count) = (slot.orbit as usize, slot.arrangement - Transition::SEVERAL);
        &self.listed[first..first + count as usize]
    }
}

/// The transitions and chains of some consecutive orbits.
#[derive(Default)]
struct TransitionBatch {
    slots: Vec<Transition>,
    /// For each orbit, its first slot; then the number of slots.
    starts: Vec<u32>,
    /// The transitions of slots that have none or several.
    listed: Vec<Transition>,
    /// The chains of one orbit after another.
    chains: Vec<ChainBack>,
    /// For each orbit, its first chain; then the number of chains.
    chain_starts: Vec<u32>,
    kept: Vec<SymmetrySet>,
}

/// Numbers for the arrangements that occur.
#[derive(Default)]
struct ArrangementNumbers {
    arrangements: Vec<Arrangement>,
    numbers: FxHashMap<Arrangement, u32>,
}

impl ArrangementNumbers {
    fn number(&mut self, arrangement: Arrangement) -> u32 {
        *self.numbers.entry(arrangement).or_insert_with(|| {
            self.arrangements.push(arrangement);
            self.arrangements.len() as u32 - 1
        })
    }
}

impl TransitionBatch {
    fn add_orbit(
        &mut self,
        sets: &OccupiedSets,
        orbit: usize,
        search: ChainSearch,
        numbers: &mut ArrangementNumbers,
    ) {
        let occupied = sets.representative(orbit);
        let columns = OrbitColumns::of(occupied);
        let kept = sets.stabilizer(orbit).transversal();
        self.starts.push(self.slots.len() as u32);
        self.chain_starts.push(self.chains.len() as u32);
        self.kept.push(kept);
        search.find(&columns, sets, kept, &mut self.chains);
        let steps = UnMoves::steps(occupied);
        for step in steps.iter() {
            let (from, to) = step.squares(occupied);
            let (target, symmetries) = sets.fold(occupied.without(from).with(to));
            let representative = sets.representative(target);
            let first = self.listed.len();
            for symmetry in symmetries.and(kept).iter() {
                let moved = columns.on(from);
                let arrangement = columns.arrangement(moved, to, symmetry, representative);
                let arrangement = numbers.number(arrangement);
                self.listed.push(Transition { orbit: target as u32, arrangement });
            }
            self.slots.push(match self.listed[first..] {
                [transition] => {
                    self.listed.pop();
                    transition
                }
                ref several => {
                    let arrangement = Transition::SEVERAL + several.len() as u32;
                    Transition { orbit: first as u32, arrangement }
                }
            });
        }
    }

    fn finished(mut self) -> TransitionBatch {
        self.starts.push(self.slots.len() as u32);
        self.chain_starts.push(self.chains.len() as u32);
        self.slots.shrink_to_fit();
        self.chains.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.chain_starts.shrink_to_fit();
        self
    }
}
