//! The slices below the one being solved: what captures that lose a column lead to.

use crate::Value;
use crate::index::{LaidOrdinals, SliceIndex};
use crate::prefetch::prefetch;
use crate::values::{Meaning, SliceValues, Window};
use std::io;
use std::ops::Range;

/// The slices below the one being solved, for one side to move, by number of columns.
pub struct Below<'a> {
    /// From two columns on. Slices are solved in the order of their columns, so none is missing.
    slices: Vec<BelowSlice<'a>>,
}

/// A slice below the one being solved.
pub struct BelowSlice<'a> {
    /// The numbering.
    pub index: SliceIndex,
    /// The ordinals of its stackings.
    pub ordinals: &'static LaidOrdinals,
    /// For each owner mask, its first row in an orbit.
    mask_starts: Vec<u32>,
    /// The values that this process holds.
    values: &'a SliceValues,
    /// Their bytes; none if they are kept in a file.
    bytes: &'a [u8],
    /// The numbers of the positions that this process holds.
    own: Range<u64>,
    /// For each byte of a value, what a move there is worth to the side that makes it; none for the late code.
    moves: Box<[Option<Value>; 256]>,
}

impl BelowSlice<'_> {
    /// The number of the first position of an orbit.
    #[inline]
    pub fn orbit_start(&self, orbit: usize) -> u64 {
        orbit as u64 * self.index.rows() as u64
    }

    /// The first row of an owner mask in an orbit.
    #[inline]
    pub fn mask_start(&self, mask: u32) -> u64 {
        u64::from(self.mask_starts[mask as usize])
    }

    /// Tells the processor that the position with this number, among those of all processes, will be looked
    /// up, if its byte is here.
    #[inline]
    pub fn prefetch(&self, number: u64) {
        if let Some(byte) = self.bytes.get(number.wrapping_sub(self.own.start) as usize) {
            prefetch(byte);
        }
    }

    /// The number that a position has among those that this process holds, if it is one of them.
    #[inline]
    pub fn place_of(&self, number: u64) -> Option<u64> {
        self.own.contains(&number).then(|| number - self.own.start)
    }

    /// What a move to the position with this number among those that this process holds is worth to the side that
    /// makes it.
    #[inline]
    pub fn value_of_move(&self, number: u64, window: &mut Window) -> io::Result<Value> {
        match self.bytes.get(number as usize).and_then(|&byte| self.moves[usize::from(byte)]) {
            None => self.look_up(number, window),
            Some(value) => Ok(value),
        }
    }

    /// The same for a position whose byte is in a file, or says that its distance is listed apart.
    #[cold]
    fn look_up(&self, number: u64, window: &mut Window) -> io::Result<Value> {
        let byte = self.values.look_up(number, window)?;
        let late = || self.values.late_distance(number).value().before_move();
        Ok(self.moves[usize::from(byte)].unwrap_or_else(late))
    }
}

impl<'a> Below<'a> {
    /// The slices of 2, 3, … columns, each with its numbering, the first orbit that this process holds and
    /// the values that it holds.
    pub fn new(slices: impl Iterator<Item = (SliceIndex, usize, &'a SliceValues)>) -> Below<'a> {
        let slice = |(index, orbit, values): (SliceIndex, usize, &'a SliceValues)| {
            let codes = values.byte_codes();
            let value_of_move = |byte: usize| match codes.meaning(byte as u8) {
                Meaning::Dtw(dtw) => Some(Value::from_dtw(Some(u16::from(dtw))).before_move()),
                Meaning::Late => None,
                _ => Some(Value::Draw),
            };
            let ordinals = index.laid_ordinals();
            let mask_starts = index.mask_starts();
            let moves = Box::new(std::array::from_fn(value_of_move));
            let bytes = match values.is_in_file() {
                true => &[],
                false => values.codes(0, values.len() as usize),
            };
            let first = orbit as u64 * index.rows() as u64;
            let own = first..first + values.len();
            BelowSlice { index, ordinals, mask_starts, values, bytes, own, moves }
        };
        Below { slices: slices.map(slice).collect() }
    }

    /// Whether values are kept in files.
    pub fn in_files(&self) -> bool {
        self.slices.iter().any(|slice| slice.values.is_in_file())
    }

    /// The slice with this many columns.
    #[inline]
    pub fn slice(&self, columns: usize) -> &BelowSlice<'a> {
        &self.slices[columns - 2]
    }
}
