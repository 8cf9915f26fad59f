//! The slices below the one being solved: what captures that lose a column lead to.

use super::score::MoveScore;
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
    /// For each byte of a value, the score of a move there; none for the late code.
    scores: Box<[MoveScore; 256]>,
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

    /// The score of a move to the position with this number among those that this process holds.
    #[inline]
    pub fn score(&self, number: u64, window: &mut Window) -> io::Result<MoveScore> {
        match self.bytes.get(number as usize).map(|&byte| self.scores[usize::from(byte)]) {
            None | Some(MoveScore::NONE) => self.look_up(number, window),
            Some(score) => Ok(score),
        }
    }

    /// The same for a position whose byte is in a file, or says that its distance is listed apart.
    #[cold]
    fn look_up(&self, number: u64, window: &mut Window) -> io::Result<MoveScore> {
        let byte = self.values.look_up(number, window)?;
        Ok(match self.scores[usize::from(byte)] {
            MoveScore::NONE => MoveScore::of_reply(self.values.late_distance(number).value()),
            score => score,
        })
    }
}

impl<'a> Below<'a> {
    /// The slices of 2, 3, … columns, each with its numbering, the first orbit that this process holds and
    /// the values that it holds.
    pub fn new(slices: impl Iterator<Item = (SliceIndex, usize, &'a SliceValues)>) -> Below<'a> {
        let slice = |(index, orbit, values): (SliceIndex, usize, &'a SliceValues)| {
            let codes = values.byte_codes();
            let score = |byte: usize| match codes.meaning(byte as u8) {
                Meaning::Dtw(dtw) => MoveScore::of_reply(Value::from_dtw(Some(u16::from(dtw)))),
                Meaning::Late => MoveScore::NONE,
                _ => MoveScore::DRAW,
            };
            let ordinals = index.laid_ordinals();
            let (mask_starts, scores) = (index.mask_starts(), Box::new(std::array::from_fn(score)));
            let bytes = match values.is_in_file() {
                true => &[],
                false => values.codes(0, values.len() as usize),
            };
            let first = orbit as u64 * index.rows() as u64;
            let own = first..first + values.len();
            BelowSlice { index, ordinals, mask_starts, values, bytes, own, scores }
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
