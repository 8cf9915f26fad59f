//! The stored values of the positions that moves lead to.

use super::grade::{self, GradeTable};
use crate::Value;
use crate::index::SliceIndex;
use crate::prefetch::prefetch_all;
use crate::rules::OfficerPosition;
use crate::values::SliceValues;

/// One slice of positions that moves lead to, the other side being to move.
pub struct ReplySlice<'a> {
    pub index: SliceIndex,
    values: &'a SliceValues,
    /// The grade of a move to a position with each code.
    pub moves: GradeTable,
    /// For each owner mask, the offset in an orbit of the first position that has it.
    starts: Vec<u32>,
}

impl<'a> ReplySlice<'a> {
    /// The offset in an orbit of the first position with this owner mask.
    #[inline]
    pub fn mask_start(&self, mask: u32) -> usize {
        self.starts[mask as usize] as usize
    }

    /// The bytes of an orbit.
    #[inline]
    pub fn orbit(&self, orbit: usize) -> &'a [u8] {
        self.values.orbit(orbit, self.index.rows())
    }

    /// Hints that an orbit will be read soon: to the processor if it is short, and otherwise to the system if
    /// it is in a mapped file.
    #[inline]
    pub fn prefetch(&self, orbit: usize) {
        /// Longer orbits are read from one end to the other, which the processor foresees. The system does not
        /// foresee where in a mapped file they begin; for shorter ones, a call of it takes too long.
        const LONGEST: usize = 4096;
        let bytes = self.orbit(orbit);
        if bytes.len() <= LONGEST {
            prefetch_all(bytes);
        } else {
            self.values.read_soon(orbit, bytes.len());
        }
    }
}

/// All slices that the moves of one slice can lead to.
pub struct Replies<'a> {
    /// By number of columns, from two on.
    slices: Vec<ReplySlice<'a>>,
}

impl<'a> Replies<'a> {
    /// The slices of two columns, three columns and so on, with their values.
    pub fn new(slices: impl Iterator<Item = (SliceIndex, &'a SliceValues)>) -> Replies<'a> {
        let slices = slices.map(|(index, values)| {
            let starts = index.mask_starts();
            let moves = grade::table(values, grade::of_move_to);
            ReplySlice { index, values, moves, starts }
        });
        Replies { slices: slices.collect() }
    }

    /// The slice of this many columns.
    #[inline]
    pub fn of(&self, columns: usize) -> &ReplySlice<'a> {
        &self.slices[columns - 2]
    }

    /// The value of a position that a move leads to. It must be known.
    pub fn value(&self, position: &OfficerPosition) -> Value {
        if position.placement().mover.is_empty() {
            // The last column was captured.
            return Value::Loss(0);
        }
        let slice = self.of(position.placement().occupied().len());
        match slice.index.number(position) {
            Some(number) => slice.values.value(number),
            None => unreachable!("moves keep the counters"),
        }
    }
}
