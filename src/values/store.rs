//! The codes of a slice whose values become known orbit by orbit.

use super::bytes::Bytes;
use super::{ByteCodes, Distance, Meaning, SliceValues};
use crate::Value;
use std::io;

/// A code for each position of a slice, in as many bits as its values need. Values that are not known yet
/// have a code too.
///
/// The codes of an orbit begin with a byte of their own.
pub trait Store: Sized + Send + Sync {
    /// How many codes share a byte.
    const IN_A_BYTE: usize;
    /// The code of values that are not known yet, in a slice that is being filled.
    const UNKNOWN: u8;
    /// The code of distances that are listed apart, in a slice that is being filled.
    const LATE: Option<u8>;

    /// A slice of so many orbits and rows, of which nothing is known.
    fn unknown(orbits: usize, rows: usize) -> io::Result<Self>;

    /// The code of a distance, in a slice that is being filled.
    fn code(distance: Distance) -> u8;

    /// What a code means. If only results are kept, each has the shortest distance.
    fn meaning(&self, code: u8) -> Meaning;

    /// The value of the position in a row of an orbit, of so many rows. It must be known.
    fn value_at(&self, orbit: usize, row: usize, rows: usize) -> Value;

    /// The bytes of an orbit of so many rows.
    fn orbit(&self, orbit: usize, rows: usize) -> &[u8];

    /// The bytes of an orbit in which its rows from `first` on lie, and the row with which they begin.
    fn rows_from(orbit: &[u8], first: usize) -> (&[u8], usize);

    /// The code of a row.
    fn code_of_row(bytes: &[u8], row: usize) -> u8;

    /// Adds the codes of an orbit of so many rows to `codes`, a byte for each.
    fn unpack(orbit: &[u8], rows: usize, codes: &mut Vec<u8>);

    /// Writes the codes of an orbit, which come as a byte for each row.
    fn write(&mut self, orbit: usize, codes: &[u8]);

    /// Lists distances, by number, of positions whose code is [`Store::LATE`].
    fn list_late(&mut self, late: Vec<(u64, Distance)>);

    /// Ends the filling. Returns whether all values are known.
    fn finish(&mut self) -> bool;
}

impl Store for SliceValues {
    const IN_A_BYTE: usize = 1;
    const UNKNOWN: u8 = ByteCodes::UNKNOWN;
    const LATE: Option<u8> = Some(ByteCodes::UNFINISHED.late());

    fn unknown(orbits: usize, rows: usize) -> io::Result<SliceValues> {
        let mut bytes = Bytes::in_memory(orbits as u64 * rows as u64)?;
        if let Bytes::Memory(bytes) = &mut bytes {
            bytes.fill(ByteCodes::UNKNOWN);
        }
        Ok(SliceValues { bytes, codes: ByteCodes::UNFINISHED, late: Vec::new() })
    }

    #[inline]
    fn code(distance: Distance) -> u8 {
        ByteCodes::UNFINISHED.byte(distance)
    }

    fn meaning(&self, code: u8) -> Meaning {
        self.codes.meaning(code)
    }

    #[inline]
    fn value_at(&self, orbit: usize, row: usize, rows: usize) -> Value {
        self.value(orbit as u64 * rows as u64 + row as u64)
    }

    #[inline]
    fn orbit(&self, orbit: usize, rows: usize) -> &[u8] {
        self.codes(orbit as u64 * rows as u64, rows)
    }

    #[inline]
    fn rows_from(orbit: &[u8], first: usize) -> (&[u8], usize) {
        (&orbit[first..], 0)
    }

    #[inline]
    fn code_of_row(bytes: &[u8], row: usize) -> u8 {
        bytes[row]
    }

    fn unpack(orbit: &[u8], _: usize, codes: &mut Vec<u8>) {
        codes.extend_from_slice(orbit);
    }

    fn write(&mut self, orbit: usize, codes: &[u8]) {
        let Bytes::Memory(all) = &mut self.bytes else {
            unreachable!("a slice that is being filled is in memory")
        };
        let first = orbit * codes.len();
        all[first..first + codes.len()].copy_from_slice(codes);
    }

    fn list_late(&mut self, late: Vec<(u64, Distance)>) {
        if !late.is_empty() {
            self.late.extend(late);
            self.late.sort_unstable_by_key(|&(number, _)| number);
        }
    }

    fn finish(&mut self) -> bool {
        self.codes = ByteCodes::FINISHED;
        !matches!(&self.bytes, Bytes::Memory(bytes) if bytes.contains(&ByteCodes::UNKNOWN))
    }
}
