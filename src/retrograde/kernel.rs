//! What happens inside one orbit: its starting state, and the updates it sends to other orbits.
//!
//! Nothing here knows of threads, nor of where the bytes of this slice are kept: `solver` does.

use super::captures::Takes;
use super::columns::{ColumnBits, placement_of, unfold};
use super::state::{Codes, Partition};
use super::transitions::{StepNumber, StepSet, Transition, Transitions};
use crate::Value;
use crate::index::{LaidOrdinals, Material, PermutationMaps, SliceIndex, Spare, Stackings};
use crate::rules::{Continuation, OfficerPosition, Placement, RuleSet, SquareSet, SymmetrySet};
use crate::values::{Meaning, SliceValues, Window};
use std::io;
use std::ops::Range;

/// The slices below the one being solved, for one side to move, by number of columns.
pub struct Below<'a> {
    /// For each number of columns, the slice; `None` where none is solved.
    slices: Vec<Option<BelowSlice<'a>>>,
}

/// A slice below the one being solved.
pub struct BelowSlice<'a> {
    /// The numbering.
    pub index: SliceIndex,
    /// The ordinals of its stackings.
    pub ordinals: &'static LaidOrdinals,
    values: &'a SliceValues,
    /// For each code of a value, the score of a move there; not of late ones.
    scores: Box<[Score; 256]>,
}

impl BelowSlice<'_> {
    /// The score of a move to the position with this number.
    #[inline]
    pub fn score(&self, number: u64, window: &mut Window) -> io::Result<Score> {
        let code = self.values.look_up(number, window)?;
        if code == self.values.byte_codes().late() {
            Ok(Score::of_reply(self.values.late_distance(number).value()))
        } else {
            Ok(self.scores[usize::from(code)])
        }
    }
}

impl<'a> Below<'a> {
    /// The slices of 2, 3, … columns, each with its numbering.
    pub fn new(slices: impl Iterator<Item = (SliceIndex, &'a SliceValues)>) -> Below<'a> {
        let slice = |(index, values): (SliceIndex, &'a SliceValues)| {
            let codes = values.byte_codes();
            let score = |byte: usize| match codes.meaning(byte as u8) {
                Meaning::Dtw(dtw) => Score::of_reply(Value::from_dtw(Some(u16::from(dtw)))),
                _ => Score::DRAW,
            };
            let Some(ordinals) = LaidOrdinals::of(index.columns()) else {
                unreachable!("a slice has no more columns than the index numbers")
            };
            BelowSlice { index, ordinals, values, scores: Box::new(std::array::from_fn(score)) }
        };
        Below { slices: [None, None].into_iter().chain(slices.map(slice).map(Some)).collect() }
    }

    /// Whether values are kept in scratch files.
    pub fn in_scratch(&self) -> bool {
        self.slices.iter().flatten().any(|slice| slice.values.is_in_scratch())
    }

    /// The slice with so many columns.
    #[inline]
    pub fn slice(&self, columns: usize) -> &BelowSlice<'a> {
        match self.slices.get(columns) {
            Some(Some(slice)) => slice,
            _ => unreachable!("slices are solved in the order of their columns"),
        }
    }
}

/// One side to move of the slice being solved.
pub struct Side<'a> {
    /// The numbering of the positions with this side to move.
    pub index: SliceIndex,
    /// The numbering of the positions with the other side to move.
    pub replies: SliceIndex,
    /// What a take that loses a column leads to.
    pub below: Below<'a>,
    /// The rule set.
    pub rules: RuleSet,
    cells: Vec<Cell>,
    stacks: Vec<Stacks>,
    /// For each owner mask, where its positions start in an orbit of [`Side::replies`].
    mask_starts: Vec<u32>,
}

/// What an offset in an orbit stands for.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The owner mask: which columns are the mover's.
    mask: u16,
    /// The ordinal of the mover's stacking.
    mover: u16,
    /// The ordinal of the other side's stacking.
    other: u16,
}

/// The stackings of a split, listed.
pub struct Stacks {
    /// How many counters both sides have to spare together.
    pub spare: usize,
    /// The mover's, by ordinal.
    pub mover: Vec<Stacking>,
    /// The other side's, by ordinal.
    pub other: Vec<Stacking>,
}

/// A stacking of one colour's spare counters.
#[derive(Clone, Copy, Debug)]
pub struct Stacking {
    /// How many lie on each column.
    pub spare: Spare,
    /// The columns that hold none, as a mask.
    pub bare: u32,
    /// The column of each counter, rising.
    counters: [u8; Material::MAX_COUNTERS],
    /// How many counters there are.
    count: u8,
}

impl Stacking {
    fn new(spare: Spare, columns: usize) -> Stacking {
        let mut stacking =
            Stacking { spare, bare: 0, counters: [0; Material::MAX_COUNTERS], count: 0 };
        for (column, &counters) in spare.iter().enumerate().take(columns) {
            stacking.bare |= u32::from(counters == 0) << column;
            for _ in 0..counters {
                stacking.counters[usize::from(stacking.count)] = column as u8;
                stacking.count += 1;
            }
        }
        stacking
    }

    /// The column of each counter, rising.
    #[inline]
    pub fn counters(&self) -> &[u8] {
        &self.counters[..usize::from(self.count)]
    }
}

fn list(stackings: Stackings, columns: usize) -> Vec<Stacking> {
    stackings.iter().map(|spare| Stacking::new(spare, columns)).collect()
}

/// Where updates go.
pub trait Updates {
    /// Sends updates to positions of `orbit`, of the other side to move, at these offsets.
    fn send(&mut self, orbit: u32, offsets: impl ExactSizeIterator<Item = u32>);
}

/// What is known of a position from its takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    best: Score,
    in_slice: u16,
}

/// The best that takes into slices below lead to, as a number that is the smaller the better, so
/// that the best is the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u32);

impl Score {
    const DRAW: Score = Score(1 << 16);
    const LOSS_IN_NONE: u32 = 1 << 18;
    /// There is no such take.
    const NONE: Score = Score(u32::MAX);

    /// The score of a move to a position of this value for the side to move there.
    pub fn of_reply(reply: Value) -> Score {
        match reply {
            Value::Loss(plies) => Score(u32::from(plies) + 1),
            Value::Draw => Score::DRAW,
            Value::Win(plies) => Score(Score::LOSS_IN_NONE - u32::from(plies) - 1),
        }
    }

    fn known(self) -> Known {
        match self {
            Score::NONE => Known::Nothing,
            Score::DRAW => Known::Draw,
            Score(plies) if self < Score::DRAW => Known::Win(plies as u16),
            Score(score) => Known::Loss((Score::LOSS_IN_NONE - score) as u16),
        }
    }
}

/// What a [`Score`] says.
enum Known {
    Nothing,
    Win(u16),
    Draw,
    Loss(u16),
}

impl Default for Outlook {
    fn default() -> Outlook {
        Outlook { best: Score::NONE, in_slice: 0 }
    }
}

impl Outlook {
    /// A take leads to a position of a slice below with this score.
    #[inline]
    pub fn add(&mut self, score: Score) {
        self.best = self.best.min(score);
    }

    /// A take leads to a position of the slice being solved.
    #[inline]
    pub fn add_in_slice(&mut self) {
        self.in_slice += 1;
    }

    /// Writes what is known at the start of the position `at`.
    fn write(self, partition: &mut Partition, codes: Codes, at: usize) -> Result<(), StartError> {
        let in_slice = usize::from(self.in_slice);
        match self.best.known() {
            Known::Win(ply) if codes.is_late(ply) => {
                partition.bytes[at] = Codes::UNLOSABLE;
                partition.update_later(ply - 1, at);
            }
            Known::Win(ply) => partition.decide_at(at, ply),
            Known::Draw => partition.bytes[at] = Codes::UNLOSABLE,
            Known::Loss(ply) if in_slice == 0 && !codes.is_late(ply) => {
                partition.decide_at(at, ply);
            }
            Known::Loss(ply) => {
                // All takes into slices below count as one open move, refuted when the last of
                // them is.
                partition.bytes[at] = codes.open(in_slice + 1).ok_or(StartError::TooManyMoves)?;
                partition.update_later(ply - 1, at);
            }
            Known::Nothing => {
                partition.bytes[at] = codes.open(in_slice).ok_or(StartError::TooManyMoves)?
            }
        }
        Ok(())
    }
}

/// Why the starting state of an orbit could not be written.
#[derive(Debug)]
pub enum StartError {
    /// A position has more open moves than a byte can count.
    TooManyMoves,
    /// A value of a slice below could not be read.
    Io(io::Error),
}

/// What a slice's quiet moves do, worked out once for all its positions.
pub struct Tables {
    /// How they lead from orbit to orbit.
    pub transitions: Transitions,
    /// What their permutations do within an orbit.
    pub maps: PermutationMaps,
}

/// Memory that is used again from orbit to orbit.
#[derive(Default)]
pub struct Workspace {
    /// For each position of the orbit, what its takes lead to.
    outlooks: Vec<Outlook>,
    takes: Takes,
    /// Where the orbit's capture positions are.
    captures: Vec<Range<usize>>,
}

impl<'a> Side<'a> {
    /// The side to move whose positions `index` numbers.
    pub fn new(rules: RuleSet, index: SliceIndex, below: Below<'a>) -> Side<'a> {
        let replies = index.for_other_side();
        let mut cells = Vec::with_capacity(index.rows());
        let mut stacks = Vec::new();
        for split in index.splits() {
            for mask in split.owner_masks() {
                for mover in 0..split.mover_stackings.count() {
                    for other in 0..split.mover_rows {
                        let (mover, other) = (mover as u16, other as u16);
                        cells.push(Cell { mask: mask as u16, mover, other });
                    }
                }
            }
            stacks.push(Stacks {
                spare: split.mover_spare + split.other_spare,
                mover: list(split.mover_stackings, index.columns()),
                other: list(split.other_stackings, index.columns()),
            });
        }
        let mut mask_starts = vec![0; 1 << index.columns()];
        for split in replies.splits() {
            for mask in split.owner_masks() {
                mask_starts[mask as usize] = split.mask_start(mask) as u32;
            }
        }
        Side { index, replies, below, rules, cells, stacks, mask_starts }
    }

    /// The stackings of each split.
    #[cfg(test)]
    pub fn stacks(&self) -> &[Stacks] {
        &self.stacks
    }

    /// Writes the starting state of `orbit`, whose first position is at `start` in `partition`:
    /// how many moves each position has, and what is known already from slices below.
    pub fn start_orbit(
        &self,
        codes: Codes,
        orbit: usize,
        partition: &mut Partition,
        start: usize,
        workspace: &mut Workspace,
    ) -> Result<(), StartError> {
        let occupied = self.index.sets().representative(orbit);
        let squares = ColumnBits::squares(occupied);
        let all = (1u32 << self.index.columns()) - 1;
        let Workspace { outlooks, takes, captures } = workspace;
        outlooks.clear();
        outlooks.resize(self.index.rows(), Outlook::default());
        captures.clear();
        takes.begin_orbit();
        for (split, stacks) in self.index.splits().iter().zip(&self.stacks) {
            for (ordinal, mask) in split.owner_masks().enumerate() {
                let first = split.start + ordinal * split.mask_rows;
                let places = first..first + split.mask_rows;
                let placement = placement_of(&squares, mask, occupied);
                if placement.must_capture() {
                    captures.push(places.clone());
                    if self.rules.continuation() == Continuation::Unlimited {
                        self.look_at_each(placement, mask, stacks, first, outlooks, takes);
                    } else {
                        takes.look(
                            self.rules,
                            &self.below,
                            placement,
                            mask ^ all,
                            stacks,
                            first,
                            outlooks,
                        );
                    }
                    continue;
                }
                match placement.step_count() {
                    0 => places.for_each(|at| partition.decide_at(start + at, 0)),
                    moves => partition.bytes[start + places.start..start + places.end]
                        .fill(codes.open(moves).ok_or(StartError::TooManyMoves)?),
                }
            }
        }
        takes.look_up(&self.below, outlooks).map_err(StartError::Io)?;
        for at in captures.iter().cloned().flatten() {
            outlooks[at].write(partition, codes, start + at)?;
        }
        Ok(())
    }

    /// Looks at the takes of each stacking by itself: the plain way, and the only one where the
    /// stacks decide how far a chain goes. The positions start at `first` of `outlooks`; what is to
    /// be looked up in slices below is left to [`Takes::look_up`].
    pub fn look_at_each(
        &self,
        placement: Placement,
        mask: u32,
        stacks: &Stacks,
        first: usize,
        outlooks: &mut [Outlook],
        takes: &mut Takes,
    ) {
        let columns = self.index.columns();
        let both = stacks.mover.iter().flat_map(|m| stacks.other.iter().map(move |o| (m, o)));
        for ((mover, other), at) in both.zip(first..) {
            unfold(placement, mask, &mover.spare, &other.spare).captures(self.rules, |after| {
                let left = after.placement().occupied().len();
                if after.placement().mover.is_empty() {
                    // The last column has been taken.
                    outlooks[at].add(Score::of_reply(Value::Loss(0)));
                } else if left == columns {
                    outlooks[at].add_in_slice();
                } else {
                    match self.below.slice(left).index.number(after) {
                        Some(number) => takes.look_up_later(at, left, number),
                        None => unreachable!("no take changes how many counters there are"),
                    }
                }
            });
        }
    }

    /// Sends the updates that follow from the positions at `offsets` of `orbit`, rising, all decided
    /// at the same ply, to the positions that lead to them. Without tables, each position is looked
    /// at by itself: the plain way.
    pub fn expand_orbit(
        &self,
        tables: Option<&Tables>,
        orbit: usize,
        mut offsets: &[u32],
        updates: &mut impl Updates,
    ) {
        let occupied = self.index.sets().representative(orbit);
        let squares = ColumnBits::squares(occupied);
        let steps = Transitions::steps(self.index.sets(), orbit);
        let kept = match tables {
            Some(tables) => tables.transitions.kept(orbit),
            None => self.index.sets().stabilizer(orbit).transversal(),
        };
        while let Some(&first) = offsets.first() {
            // Positions that share an owner mask share their un-moves.
            let mask = self.cells[first as usize].mask;
            let same = |&&offset: &&u32| self.cells[offset as usize].mask == mask;
            let len = 1 + offsets[1..].iter().take_while(same).count();
            let group;
            (group, offsets) = offsets.split_at(len);
            let mask = u32::from(mask);
            let placement = placement_of(&squares, mask, occupied);
            match tables {
                Some(tables) => {
                    self.send_unsteps(tables, orbit, steps, placement, mask, group, updates);
                }
                None => self.send_each_unstep(kept, placement, mask, group, updates),
            }
            self.send_uncaptures(tables.is_some(), kept, placement, mask, group, updates);
        }
    }

    /// Updates by quiet moves, worked out for each position by itself: the plain way, which needs no
    /// tables.
    fn send_each_unstep(
        &self,
        kept: SymmetrySet,
        placement: Placement,
        mask: u32,
        offsets: &[u32],
        updates: &mut impl Updates,
    ) {
        let stacks = self.stacks_of(mask);
        for &offset in offsets {
            let (mover, other) = self.stackings(stacks, offset);
            let position = unfold(placement, mask, &mover.spare, &other.spare);
            for step in placement.for_other_side().steps() {
                let before = position.before_step(step);
                if !before.placement().must_capture() {
                    self.send_to(kept, &before, updates);
                }
            }
        }
    }

    /// The mover's and the other side's stacking of the position at an offset, whose split's
    /// stackings are `stacks`.
    #[inline]
    pub fn stackings<'s>(&self, stacks: &'s Stacks, offset: u32) -> (&'s Stacking, &'s Stacking) {
        let cell = self.cells[offset as usize];
        (&stacks.mover[usize::from(cell.mover)], &stacks.other[usize::from(cell.other)])
    }

    /// The stackings of the split of an owner mask.
    #[inline]
    pub fn stacks_of(&self, mask: u32) -> &Stacks {
        &self.stacks[mask.count_ones() as usize - self.index.splits()[0].mover_columns]
    }

    /// Sends an update to a position of the other side to move, under all its numbers that are to
    /// have it.
    pub fn send_to(&self, kept: SymmetrySet, before: &OfficerPosition, updates: &mut impl Updates) {
        let sets = self.index.sets();
        let (target, symmetries) = sets.fold(before.placement().occupied());
        let representative = sets.representative(target);
        for symmetry in symmetries.and(kept) {
            let offset = self.replies.row(before, symmetry, representative);
            updates.send(target as u32, std::iter::once(offset as u32));
        }
    }

    /// Updates by quiet moves: the other side's columns step back.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn send_unsteps(
        &self,
        Tables { transitions, maps }: &Tables,
        orbit: usize,
        steps: StepSet,
        placement: Placement,
        mask: u32,
        offsets: &[u32],
        updates: &mut impl Updates,
    ) {
        let columns = self.index.columns();
        let before = self.replies.split(columns - mask.count_ones() as usize);
        let group = Group {
            offsets,
            other_mask: mask ^ ((1 << columns) - 1),
            mask_rows: before.mask_rows as u32,
            row: before.mover_rows as u32,
            mover_start: maps.start(before.other_spare),
            other_start: maps.start(before.mover_spare),
        };
        let slots = transitions.of(orbit);
        let quiet = QuietUnsteps::new(placement);
        for (slot, step) in quiet.steps.numbered_among(steps) {
            if quiet.unsure && !quiet.is_quiet(step) {
                continue;
            }
            let transition = slots[slot];
            if transition.is_one() {
                self.send_unstep(transition, maps, &group, updates);
            } else {
                self.send_several(transitions.several(orbit, transition), maps, &group, updates);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn send_several(
        &self,
        several: &[Transition],
        maps: &PermutationMaps,
        group: &Group,
        updates: &mut impl Updates,
    ) {
        for &transition in several {
            self.send_unstep(transition, maps, group, updates);
        }
    }

    #[inline(always)]
    fn send_unstep(
        &self,
        transition: Transition,
        maps: &PermutationMaps,
        group: &Group,
        updates: &mut impl Updates,
    ) {
        let map = maps.of(transition.permutation as usize);
        let start = self.mask_starts[map.mask(group.other_mask) as usize];
        if group.mask_rows == 1 {
            // No counters to spare.
            updates.send(transition.orbit, std::iter::once(start));
            return;
        }
        let offsets = group.offsets.iter().map(|&offset| {
            let cell = self.cells[offset as usize];
            let other = map.stacking(group.other_start + usize::from(cell.other));
            let mover = map.stacking(group.mover_start + usize::from(cell.mover));
            start + other * group.row + mover
        });
        updates.send(transition.orbit, offsets);
    }
}

/// The un-moves of the side not to move that lead to positions in which it had no take.
#[derive(Debug)]
struct QuietUnsteps {
    /// Seen by the side that moved.
    placement: Placement,
    steps: StepSet,
    /// Whether each step must be looked at by itself: it may leave a take.
    unsure: bool,
}

impl QuietUnsteps {
    #[inline]
    fn new(placement: Placement) -> QuietUnsteps {
        let placement = placement.for_other_side();
        let (own, empty) = (placement.mover.bits(), placement.empty().bits());
        let steps =
            |from, to| StepSet::between(SquareSet::from_bits(from), SquareSet::from_bits(to));
        // The squares of `start` from which a jump over the enemy would end on a square of `landing`.
        let lines = |start: u32, landing: u32| {
            let landing = SquareSet::from_bits(landing);
            start & SquareSet::jump_starts(placement.other, landing).bits()
        };
        // A column that steps back must not uncover a take, nor have one from where it stood.
        let from = own & !lines(own, own);
        let to = empty & !lines(empty, empty);
        // What could take as things stand, and where it would land: the step must end that, by
        // taking away the only column that could, or by filling the only square.
        let capturers = own & lines(own, empty);
        let landings = lines(empty, own);
        let is_one = |bits: u32| bits & bits.wrapping_sub(1) == 0;
        let (steps, unsure) = match (is_one(capturers), is_one(landings)) {
            _ if capturers == 0 => (steps(from, to), false),
            (true, true) => (steps(from & capturers, to).or(steps(from, to & landings)), false),
            (true, false) => (steps(from & capturers, to), false),
            (false, true) => (steps(from, to & landings), false),
            (false, false) => (steps(from & capturers, to & landings), true),
        };
        QuietUnsteps { placement, steps, unsure }
    }

    /// Whether no take is left after this step.
    fn is_quiet(&self, step: StepNumber) -> bool {
        let (from, to) = step.squares();
        let moved = SquareSet::from_bits(self.placement.mover.bits() ^ from ^ to);
        !Placement { mover: moved, ..self.placement }.must_capture()
    }
}

/// Positions of an orbit that share an owner mask and are decided at the same ply.
struct Group<'a> {
    offsets: &'a [u32],
    /// The columns of the side not to move.
    other_mask: u32,
    /// Of the split that un-moves lead to: how many positions share an owner mask, or that and the
    /// stacking of the side that moved.
    mask_rows: u32,
    row: u32,
    /// Where the stackings of each side's spare counters start in a permutation's map.
    mover_start: usize,
    other_start: usize,
}
