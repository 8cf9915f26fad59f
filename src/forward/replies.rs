//! The stored values of the positions that moves lead to.

use super::grade::{Joined, MoveTables};
use crate::Value;
use crate::index::SliceIndex;
use crate::prefetch::prefetch_all;
use crate::rules::OfficerPosition;
use crate::values::SliceValues;

/// One slice of positions that moves lead to, the other side being to move.
pub struct ReplySlice<'a> {
    pub index: SliceIndex,
    values: &'a SliceValues,
    /// What a move to a position with each code is worth to the side that makes it.
    pub moves: MoveTables,
    /// For each owner mask, the offset in an orbit of the first position that has it.
    starts: Vec<u32>,
}

impl<'a> ReplySlice<'a> {
    /// The offset in an orbit of the first position with this owner mask.
    #[inline]
    pub fn mask_start(&self, mask: u32) -> usize {
        self.starts[mask as usize] as usize
    }

    /// The codes of an orbit.
    #[inline]
    pub fn orbit(&self, orbit: usize) -> &'a [u8] {
        let len = self.index.rows();
        self.values.codes(orbit as u64 * len as u64, len)
    }
}

impl ReplySlice<'_> {
    /// Tells the processor that an orbit will be read soon.
    #[inline]
    pub fn prefetch(&self, orbit: usize) {
        /// Longer orbits are read from one end to the other, which the processor foresees.
        const LONGEST: usize = 4096;
        let codes = self.orbit(orbit);
        if codes.len() <= LONGEST {
            prefetch_all(codes);
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
            let moves = MoveTables::of(values);
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
        match self.slice_and_number(position) {
            // The last column was captured.
            None => Value::Loss(0),
            Some((slice, number)) => slice.values.value(number),
        }
    }

    /// What a move to a position is worth to the side that makes it, whether that is known or not.
    pub fn byte_of_move_to<J: Joined>(&self, position: &OfficerPosition) -> u8 {
        match self.slice_and_number(position) {
            None => J::WIN,
            Some((slice, number)) => {
                J::of(&slice.moves)[usize::from(slice.values.codes(number, 1)[0])]
            }
        }
    }

    /// Where the value of a position is kept; `None` if the side to move commands no column.
    fn slice_and_number(&self, position: &OfficerPosition) -> Option<(&ReplySlice<'a>, u64)> {
        if position.placement().mover.is_empty() {
            return None;
        }
        let slice = self.of(position.placement().occupied().len());
        match slice.index.number(position) {
            Some(number) => Some((slice, number)),
            None => unreachable!("moves keep the counters"),
        }
    }
}
