//! What happens inside one block: its starting state, and the updates it sends to other blocks.
//!
//! Nothing here knows of threads or of where the bytes are kept; [`super::solve`] does.

use super::SolvedSlice;
use super::state::{Codes, Partition};
use super::transitions::Transitions;
use crate::Value;
use crate::index::{PermutationMaps, Section, SliceIndex, Spare};
use crate::rules::{OfficerPosition, Placement, RuleSet, Square, SquareSet};

/// The slices below the one being solved, for one side to move, by number of columns.
pub struct Below<'a> {
    /// For each number of columns, the numbering and the values; `None` where none is solved.
    pub slices: Vec<Option<(SliceIndex, &'a SolvedSlice)>>,
}

impl Below<'_> {
    fn value(&self, position: &OfficerPosition) -> Value {
        if position.placement().mover.is_empty() {
            // The last column has been taken.
            return Value::Loss(0);
        }
        let columns = position.placement().occupied().len();
        let slice = self.slices.get(columns).and_then(Option::as_ref);
        match slice.and_then(|(index, values)| Some(values.value(index.number(position)?))) {
            Some(value) => value,
            None => unreachable!("slices are solved in the order of their columns"),
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
    cells: Vec<Cell>,
}

/// What an offset in a block stands for.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The owner mask: which columns are the mover's.
    mask: u16,
    /// The rank of the mover's stacking.
    mover: u16,
    /// The rank of the other side's stacking.
    other: u16,
}

/// An update on its way: which position of which partition.
pub trait Updates {
    /// Sends an update to the position `offset` places into `block`, of the other side to move.
    fn send(&mut self, block: u32, offset: u32);
}

/// The counts of one position's successors as they are looked at in turn.
#[derive(Clone, Copy, Default)]
struct Outlook {
    best: Option<u16>,
    worst: Option<u16>,
    draws: bool,
    in_slice: usize,
}

impl Outlook {
    fn add(&mut self, reply: Value) {
        match reply.before_move() {
            Value::Win(ply) => self.best = Some(self.best.map_or(ply, |best| best.min(ply))),
            Value::Draw => self.draws = true,
            Value::Loss(ply) => self.worst = self.worst.max(Some(ply)),
        }
    }

    /// Writes what is known at the start of the position `at`.
    fn write(self, partition: &mut Partition, codes: Codes, at: usize) -> Result<(), TooManyMoves> {
        match self {
            Outlook { best: Some(ply), .. } if codes.is_late(ply) => {
                partition.bytes[at] = Codes::UNLOSABLE;
                partition.update_at(ply - 1, at);
            }
            Outlook { best: Some(ply), .. } => partition.decide_at(at, ply),
            Outlook { draws: true, .. } => partition.bytes[at] = Codes::UNLOSABLE,
            Outlook { worst: Some(ply), in_slice: 0, .. } if !codes.is_late(ply) => {
                partition.decide_at(at, ply);
            }
            Outlook { worst, in_slice, .. } => {
                // All takes into slices below count as one open move, refuted when the last of
                // them is.
                let open = in_slice + usize::from(worst.is_some());
                partition.bytes[at] = codes.open(open).ok_or(TooManyMoves)?;
                if let Some(ply) = worst {
                    partition.update_at(ply - 1, at);
                }
            }
        }
        Ok(())
    }
}

/// A position has more open moves than a byte can count.
#[derive(Clone, Copy, Debug)]
pub struct TooManyMoves;

impl<'a> Side<'a> {
    /// The side to move whose positions `index` numbers.
    pub fn new(index: SliceIndex, below: Below<'a>) -> Side<'a> {
        let replies = index.for_other_side();
        let mut cells = Vec::with_capacity(index.block_len());
        for section in index.sections() {
            for mask in section.owner_masks() {
                for mover in 0..section.mover_stackings.count() {
                    for other in 0..section.other_stackings.count() {
                        let (mover, other) = (mover as u16, other as u16);
                        cells.push(Cell { mask: mask as u16, mover, other });
                    }
                }
            }
        }
        Side { index, replies, below, cells }
    }

    /// Writes the starting state of `block`, whose first position is at `start` in `partition`:
    /// how many moves each position has, and what is known already from slices below.
    pub fn start_block(
        &self,
        rules: RuleSet,
        codes: Codes,
        block: usize,
        partition: &mut Partition,
        start: usize,
    ) -> Result<(), TooManyMoves> {
        let occupied = self.index.sets().representative(block);
        let all = (1u32 << self.index.columns()) - 1;
        for section in self.index.sections() {
            for (rank, mask) in section.owner_masks().enumerate() {
                let first = start + section.start + rank * section.stride();
                let mover = deposit(mask, occupied);
                let placement = Placement { mover, other: deposit(mask ^ all, occupied) };
                if placement.must_take() {
                    for at in first..first + section.stride() {
                        let number = (block * self.index.block_len() + at - start) as u64;
                        let outlook = self.look_ahead(rules, &self.index.position(number));
                        outlook.write(partition, codes, at)?;
                    }
                } else {
                    match placement.step_count() {
                        0 => (first..first + section.stride())
                            .for_each(|at| partition.decide_at(at, 0)),
                        moves => partition.bytes[first..first + section.stride()]
                            .fill(codes.open(moves).ok_or(TooManyMoves)?),
                    }
                }
            }
        }
        Ok(())
    }

    fn look_ahead(&self, rules: RuleSet, position: &OfficerPosition) -> Outlook {
        let mut outlook = Outlook::default();
        position.takes(rules, |after| {
            if after.placement().occupied().len() == self.index.columns()
                && !after.placement().mover.is_empty()
            {
                outlook.in_slice += 1;
            } else {
                outlook.add(self.below.value(after));
            }
        });
        outlook
    }

    /// Sends the updates that follow from the positions at `offsets` of `block`, all decided at the
    /// same ply, to the positions that lead to them.
    pub fn expand_block(
        &self,
        rules: RuleSet,
        transitions: &Transitions,
        maps: &PermutationMaps,
        block: usize,
        offsets: &[u32],
        updates: &mut impl Updates,
    ) {
        let occupied = self.index.sets().representative(block);
        let all = (1u32 << self.index.columns()) - 1;
        let mut rest = offsets;
        while let Some(&first) = rest.first() {
            let mask = self.cells[first as usize].mask;
            let same = |&&offset: &&u32| self.cells[offset as usize].mask == mask;
            let (group, others) = rest.split_at(rest.iter().take_while(same).count());
            rest = others;

            let mask = u32::from(mask);
            let section = self.index.section(mask.count_ones() as usize);
            let placement =
                Placement { mover: deposit(mask, occupied), other: deposit(mask ^ all, occupied) };
            self.send_unsteps(transitions, maps, block, mask, placement, section, group, updates);
            if section.mover_spare > 0 && may_have_taken(placement) {
                self.send_untakes(rules, block, mask, placement, section, group, updates);
            }
        }
    }

    /// Updates by quiet moves: the other side's columns step back.
    #[allow(clippy::too_many_arguments)]
    fn send_unsteps(
        &self,
        transitions: &Transitions,
        maps: &PermutationMaps,
        block: usize,
        mask: u32,
        placement: Placement,
        section: &Section,
        group: &[u32],
        updates: &mut impl Updates,
    ) {
        let all = (1u32 << self.index.columns()) - 1;
        let before = self.replies.section(self.index.columns() - section.mover_columns);
        let row = before.other_stackings.count() as u32;
        let occupied = placement.occupied().bits();
        for transition in transitions.of(block) {
            if mask >> transition.column() & 1 != 0 {
                continue;
            }
            let from = nth_square(occupied, transition.column());
            let moved = placement.other.bits() ^ from ^ 1 << transition.to();
            let unmoved = Placement { mover: SquareSet::from_bits(moved), other: placement.mover };
            if unmoved.must_take() {
                continue;
            }
            let permutation = transition.permutation();
            let start = before.mask_start(maps.mask(permutation, mask ^ all)) as u32;
            let takers = maps.stackings(permutation, section.other_spare);
            let others = maps.stackings(permutation, section.mover_spare);
            for &offset in group {
                let cell = self.cells[offset as usize];
                let taker = u32::from(takers[usize::from(cell.other)]);
                let other = u32::from(others[usize::from(cell.mover)]);
                updates.send(transition.block, start + taker * row + other);
            }
        }
    }

    /// Updates by takes that lost no column: the other side's columns go back along their chains.
    #[allow(clippy::too_many_arguments)]
    fn send_untakes(
        &self,
        rules: RuleSet,
        block: usize,
        mask: u32,
        placement: Placement,
        section: &Section,
        group: &[u32],
        updates: &mut impl Updates,
    ) {
        let sets = self.index.sets();
        let kept = sets.stabilizer(block).transversal();
        for &offset in group {
            let cell = self.cells[offset as usize];
            let mover = section.mover_stackings.unrank(usize::from(cell.mover));
            let other = section.other_stackings.unrank(usize::from(cell.other));
            let position = unfold(placement, mask, &mover, &other);
            position.untakes(rules, true, |before| {
                let (target, symmetries) = sets.fold(before.placement().occupied());
                let representative = sets.representative(target);
                for symmetry in symmetries.and(kept) {
                    let offset = self.replies.offset(before, symmetry, representative);
                    updates.send(target as u32, offset as u32);
                }
            });
        }
    }
}

/// The squares of `occupied` whose columns `mask` names.
#[inline]
fn deposit(mut mask: u32, occupied: SquareSet) -> SquareSet {
    let (mut squares, mut bits) = (0, occupied.bits());
    while mask != 0 {
        let lowest = bits & bits.wrapping_neg();
        squares |= lowest & (mask & 1).wrapping_neg();
        bits ^= lowest;
        mask >>= 1;
    }
    SquareSet::from_bits(squares)
}

/// The `n`-th lowest bit of `bits`, as a bit.
#[inline]
fn nth_square(mut bits: u32, n: u32) -> u32 {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits & bits.wrapping_neg()
}

/// Whether a column of the side not to move stands where a jump over a column may have ended.
#[inline]
fn may_have_taken(placement: Placement) -> bool {
    let over = Placement { mover: placement.other, other: placement.occupied() };
    // Seen from the square jumped, the landing square is held and the one opposite is empty.
    let (held, empty) = (over.mover.bits(), over.empty().bits());
    let beside = (held << 4 & empty >> 4)
        | (held >> 4 & empty << 4)
        | (held << 3 & empty >> 3)
        | (held >> 3 & empty << 3);
    beside & over.other.bits() & SquareSet::INTERIOR.bits() != 0
}

fn unfold(placement: Placement, mask: u32, mover: &Spare, other: &Spare) -> OfficerPosition {
    let (mut movers, mut others) = ([0; Square::COUNT], [0; Square::COUNT]);
    for (column, square) in placement.occupied().into_iter().enumerate() {
        let owned = (mask >> column & 1) as u8;
        movers[square.index()] = mover[column] + owned;
        others[square.index()] = other[column] + 1 - owned;
    }
    match OfficerPosition::new(placement, movers, others) {
        Some(position) => position,
        None => unreachable!("each commander is counted on its square"),
    }
}
