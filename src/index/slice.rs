//! Slices: all positions of one material with the same side to move and number of columns.

use super::binomial::{binomial, next_subset, nth_subset, small_subset_ordinal};
use super::stacking::Backwards;
use super::{LaidOrdinals, Material, OccupiedSets, Spare, Stackings};
use crate::rules::{OfficerPosition, Placement, Square, SquareSet, Symmetry};
use std::ops::Range;

/// The numbering of one slice, seen by the side to move; the formula is in the
/// [module's documentation](super).
///
/// Sometimes a symmetry maps the occupied squares onto themselves. Then a position has several numbers,
/// one for each way to map its occupied squares onto the orbit's representative.
/// If [`SliceIndex::position`] made the position, [`SliceIndex::number`] returns the number that it was
/// made from.
///
/// ```
/// use lasca_tablebase::index::SliceIndex;
/// let slice = SliceIndex::new(2, 1, 3).unwrap();
/// assert_eq!((slice.orbits(), slice.rows(), slice.positions()), (322, 3, 966));
/// for number in 0..slice.positions() {
///     assert_eq!(slice.number(&slice.position(number)), Some(number));
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SliceIndex {
    mover: usize,
    other: usize,
    sets: &'static OccupiedSets,
    splits: Vec<Split>,
    rows: usize,
}

/// The rows of an orbit in which the mover commands the same number of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// How many columns the mover commands.
    pub mover_columns: usize,
    /// The first row of the split.
    pub start: usize,
    /// How many owner masks there are: ways to choose the mover's columns.
    pub masks: usize,
    /// The stackings of the mover's spare counters.
    pub mover_stackings: Stackings,
    /// The stackings of the other side's spare counters.
    pub other_stackings: Stackings,
    /// How many rows share an owner mask and a mover's stacking: the number of
    /// [`Split::other_stackings`].
    pub mover_rows: usize,
    /// How many rows share an owner mask.
    pub mask_rows: usize,
}

impl Split {
    /// The first row with this owner mask.
    #[inline]
    pub fn mask_start(&self, mask: u32) -> usize {
        debug_assert_eq!(mask.count_ones() as usize, self.mover_columns);
        self.start + small_subset_ordinal(mask) as usize * self.mask_rows
    }

    /// The owner mask of a row of the split.
    fn mask_of(&self, row: usize) -> u32 {
        nth_subset(((row - self.start) / self.mask_rows) as u64, self.mover_columns)
    }

    /// The owner masks of the split in the order of their ordinals.
    pub fn owner_masks(&self) -> impl Iterator<Item = u32> + use<> {
        let first = (1 << self.mover_columns) - 1;
        std::iter::successors(Some(first), |&mask| Some(next_subset(mask))).take(self.masks)
    }
}

/// The rows of an orbit that share an owner mask.
#[derive(Clone, Debug)]
pub struct MaskRows {
    /// The owner mask.
    pub mask: u32,
    /// The rows, by their numbers.
    pub rows: Range<usize>,
}

impl SliceIndex {
    /// The slice of `columns` columns in which the side to move has `mover` counters and the other side
    /// has `other`. `None` if there are no such positions, or if they are too many: [`Material::columns`]
    /// says how many columns there can be.
    pub fn new(mover: usize, other: usize, columns: usize) -> Option<SliceIndex> {
        Material::new(mover, other).ok()?;
        if columns < 2 || columns > mover + other {
            return None;
        }
        let sets = OccupiedSets::of(columns)?;
        let (mut splits, mut rows) = (Vec::new(), 0);
        for mover_columns in columns.saturating_sub(other).max(1)..=mover.min(columns - 1) {
            let mover_stackings = Stackings::new(columns, mover - mover_columns);
            let other_stackings = Stackings::new(columns, other + mover_columns - columns);
            let (of_mover, of_other) = (mover_stackings.count(), other_stackings.count());
            let masks = binomial(columns, mover_columns);
            // Many parts of the program keep the rows of an orbit in 32 bits, and the ordinals of stackings in
            // 16 bits.
            if of_mover.max(of_other) as u64 > Stackings::MOST {
                return None;
            }
            let start = rows;
            rows += masks * of_mover as u64 * of_other as u64;
            u32::try_from(rows).ok()?;
            splits.push(Split {
                mover_columns,
                start: start as usize,
                masks: masks as usize,
                mover_stackings,
                other_stackings,
                mover_rows: of_other,
                mask_rows: of_mover * of_other,
            });
        }
        Some(SliceIndex { mover, other, sets, splits, rows: rows as usize })
    }

    /// The slice of the same positions with the other side to move.
    #[must_use]
    pub(crate) fn for_other_side(&self) -> SliceIndex {
        match SliceIndex::new(self.other, self.mover, self.columns()) {
            Some(slice) => slice,
            None => unreachable!("exchanging the sides of a slice gives a slice"),
        }
    }

    /// The counters of the side to move.
    pub fn mover_counters(&self) -> usize {
        self.mover
    }

    /// The counters of the other side.
    pub fn other_counters(&self) -> usize {
        self.other
    }

    /// The ordinals of the stackings that positions of the slice have.
    pub(crate) fn laid_ordinals(&self) -> &'static LaidOrdinals {
        LaidOrdinals::of(self.columns(), self.mover + self.other)
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.sets.columns()
    }

    /// The occupied sets that the orbits stand for.
    #[doc(hidden)]
    pub fn sets(&self) -> &'static OccupiedSets {
        self.sets
    }

    /// How many orbits there are.
    pub fn orbits(&self) -> usize {
        self.sets.orbits()
    }

    /// How many rows each orbit has.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many numbers there are. These are the positions of the slice, up to the symmetries of the board.
    pub fn positions(&self) -> u64 {
        self.orbits() as u64 * self.rows as u64
    }

    /// The splits of each orbit, those with fewer columns of the mover first.
    pub(crate) fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// The split in which the mover commands `mover_columns` columns.
    #[inline]
    pub(crate) fn split(&self, mover_columns: usize) -> &Split {
        &self.splits[mover_columns - self.splits[0].mover_columns]
    }

    /// The number of a position; `None` if the position is not of this slice.
    pub fn number(&self, position: &OfficerPosition) -> Option<u64> {
        if position.mover_and_other() != (self.mover, self.other) {
            return None;
        }
        let (orbit, symmetry) = self.orbit_of(position)?;
        let (row, _) = self.row_and_mask(position, symmetry);
        Some(orbit as u64 * self.rows as u64 + row as u64)
    }

    /// The orbit of a position, whose counters must be those of the slice, and a symmetry that maps the occupied
    /// squares onto the orbit's representative; `None` if the position is not of this slice for another reason.
    #[inline]
    pub(crate) fn orbit_of(&self, position: &OfficerPosition) -> Option<(usize, Symmetry)> {
        debug_assert_eq!(position.mover_and_other(), (self.mover, self.other));
        let placement = position.placement();
        let occupied = placement.occupied();
        if occupied.len() != self.columns()
            || placement.mover.is_empty()
            || placement.other.is_empty()
        {
            return None;
        }
        let (orbit, symmetries) = self.sets.fold(occupied);
        Some((orbit, symmetries.iter().next()?))
    }

    /// The row and the owner mask of a position of this slice, whose occupied squares `symmetry` maps onto the
    /// representative of their orbit.
    #[doc(hidden)]
    #[inline]
    pub fn row_and_mask(&self, position: &OfficerPosition, symmetry: Symmetry) -> (usize, u32) {
        let placement = position.placement();
        let owners = placement.mover.bits();
        let preimages = symmetry.preimages();
        let (mut mover, mut other) = (Backwards::default(), Backwards::default());
        // The representative need not be looked up.
        let (mut mask, mut rest) = (0, symmetry.apply_set(placement.occupied()).bits());
        while rest != 0 {
            let highest = rest.ilog2();
            rest ^= 1 << highest;
            let i = usize::from(preimages[highest as usize]);
            let owned = owners >> i & 1;
            mask = mask << 1 | owned;
            mover.add((u32::from(position.mover_counters()[i]) - owned) as usize);
            other.add((u32::from(position.other_counters()[i]) + owned) as usize - 1);
        }
        let split = self.split(mask.count_ones() as usize);
        let row = split.mask_start(mask) + mover.ordinal() * split.mover_rows + other.ordinal();
        (row, mask)
    }

    /// The split that a row belongs to.
    fn split_of(&self, row: usize) -> &Split {
        assert!(row < self.rows);
        self.splits.iter().rev().find(|split| split.start <= row).unwrap_or(&self.splits[0])
    }

    /// The owner mask of a row.
    pub(crate) fn mask_of(&self, row: usize) -> u32 {
        self.split_of(row).mask_of(row)
    }

    /// The owner masks of all splits with their rows, which follow one another.
    #[doc(hidden)]
    pub fn mask_rows(&self) -> impl Iterator<Item = MaskRows> {
        self.splits.iter().flat_map(|split| {
            split.owner_masks().map(|mask| {
                let first = split.mask_start(mask);
                MaskRows { mask, rows: first..first + split.mask_rows }
            })
        })
    }

    /// The most counters that one of the sides has to spare.
    pub(crate) fn most_spare(&self) -> usize {
        let spare = |split: &Split| [split.mover_stackings.spare, split.other_stackings.spare];
        self.splits.iter().flat_map(spare).max().unwrap_or(0)
    }

    /// For each owner mask, its first row; 0 for masks that no position has.
    pub(crate) fn mask_starts(&self) -> Vec<u32> {
        let mut starts = vec![0; 1 << self.columns()];
        for MaskRows { mask, rows } in self.mask_rows() {
            starts[mask as usize] = rows.start as u32;
        }
        starts
    }

    /// The position with this number: the inverse of [`SliceIndex::number`].
    ///
    /// # Panics
    /// If `number` is not below [`SliceIndex::positions`].
    pub fn position(&self, number: u64) -> OfficerPosition {
        assert!(number < self.positions());
        let (orbit, row) = (number / self.rows as u64, (number % self.rows as u64) as usize);
        let split = self.split_of(row);
        let pair = (row - split.start) % split.mask_rows;
        let mover_spare = split.mover_stackings.nth(pair / split.mover_rows);
        let other_spare = split.other_stackings.nth(pair % split.mover_rows);
        let occupied = self.sets.representative(orbit as usize);
        position_of(occupied, split.mask_of(row), &mover_spare, &other_spare)
    }
}

/// The position on these squares in which the mover commands the columns of an owner mask, and the spare
/// counters of both sides lie on the columns like this.
pub(crate) fn position_of(
    occupied: SquareSet,
    mask: u32,
    mover_spare: &Spare,
    other_spare: &Spare,
) -> OfficerPosition {
    let (mut mover, mut other) = ([0; Square::COUNT], [0; Square::COUNT]);
    for (column, square) in occupied.into_iter().enumerate() {
        let owned = (mask >> column & 1) as u8;
        mover[square.index()] = mover_spare[column] + owned;
        other[square.index()] = other_spare[column] + 1 - owned;
    }
    OfficerPosition::from_sound_parts(Placement::with_owners(occupied, mask), mover, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_positions_are_inverse_over_whole_slices() {
        for (mover, other, columns) in
            [(1, 1, 2), (3, 1, 2), (2, 2, 3), (1, 4, 2), (3, 2, 2), (21, 1, 2), (11, 11, 2)]
        {
            let slice = SliceIndex::new(mover, other, columns).unwrap();
            for number in 0..slice.positions() {
                let position = slice.position(number);
                let orbit = (number / slice.rows() as u64) as usize;
                let symmetries = slice.sets().stabilizer(orbit);
                let numbers: Vec<u64> = symmetries
                    .iter()
                    .map(|g| (orbit * slice.rows() + slice.row_and_mask(&position, g).0) as u64)
                    .collect();
                assert_eq!(numbers[0], number, "the identity comes first");
                assert_eq!(slice.number(&position), Some(number));
                assert!(numbers.iter().all(|&n| n < slice.positions()));
            }
        }
    }

    #[test]
    fn numbers_and_positions_are_inverse_beyond_32_bits() {
        let slice = SliceIndex::new(6, 5, 8).unwrap();
        let last = slice.positions() - 1;
        assert!(last > 1 << 32);
        let spread = (0..slice.positions()).step_by(300_000_007);
        for number in spread.chain((1 << 32) - 2..(1 << 32) + 2).chain([last]) {
            assert_eq!(slice.number(&slice.position(number)), Some(number));
        }
    }

    #[test]
    fn a_slice_needs_a_column_for_each_side() {
        assert!(SliceIndex::new(3, 0, 2).is_none());
        assert!(SliceIndex::new(2, 2, 1).is_none());
        assert!(SliceIndex::new(2, 2, 5).is_none());
        assert!(SliceIndex::new(12, 11, 2).is_none());
        assert!(SliceIndex::new(11, 11, 9).is_none());
    }
}
