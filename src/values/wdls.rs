//! Win, draw or loss of each position of a slice, in two bits.

use super::{Distance, Meaning, Store};
use crate::reserve::reserve_exact;
use crate::{Value, Wdl};
use std::io;

/// Win, draw or loss of all positions of a slice. The code of a position is in the two bits of its byte
/// that its row says, the first row lowest.
#[derive(Debug)]
pub(crate) struct SliceWdls {
    bytes: Vec<u8>,
}

impl SliceWdls {
    /// The result of the position in a row of an orbit, of so many rows. It must be known.
    #[inline]
    pub fn wdl(&self, orbit: usize, row: usize, rows: usize) -> Wdl {
        Wdl::from_code(Self::code_of_row(self.orbit(orbit, rows), row))
    }
}

impl Store for SliceWdls {
    const IN_A_BYTE: usize = 4;
    const UNKNOWN: u8 = 3;
    const LATE: Option<u8> = None;

    fn unknown(orbits: usize, rows: usize) -> io::Result<SliceWdls> {
        let (len, mut bytes) = (orbits * rows.div_ceil(Self::IN_A_BYTE), Vec::new());
        reserve_exact(&mut bytes, len).map_err(io::Error::other)?;
        bytes.resize(len, Self::UNKNOWN * 0b0101_0101);
        Ok(SliceWdls { bytes })
    }

    #[inline]
    fn code(distance: Distance) -> u8 {
        distance.wdl_code()
    }

    fn meaning(&self, code: u8) -> Meaning {
        match Wdl::from_code(code) {
            _ if code == Self::UNKNOWN => Meaning::Unknown,
            Wdl::Loss => Meaning::Dtw(0),
            Wdl::Draw => Meaning::Draw,
            Wdl::Win => Meaning::Dtw(1),
        }
    }

    fn value_at(&self, orbit: usize, row: usize, rows: usize) -> Value {
        match self.wdl(orbit, row, rows) {
            Wdl::Loss => Value::Loss(0),
            Wdl::Draw => Value::Draw,
            Wdl::Win => Value::Win(1),
        }
    }

    #[inline]
    fn orbit(&self, orbit: usize, rows: usize) -> &[u8] {
        let len = rows.div_ceil(Self::IN_A_BYTE);
        &self.bytes[orbit * len..(orbit + 1) * len]
    }

    #[inline]
    fn rows_from(orbit: &[u8], first: usize) -> (&[u8], usize) {
        (orbit, first)
    }

    #[inline]
    fn code_of_row(bytes: &[u8], row: usize) -> u8 {
        bytes[row / Self::IN_A_BYTE] >> (2 * (row % Self::IN_A_BYTE)) & 0b11
    }

    fn unpack(orbit: &[u8], rows: usize, codes: &mut Vec<u8>) {
        let start = codes.len();
        codes.resize(start + orbit.len() * Self::IN_A_BYTE, 0);
        for (codes, &byte) in codes[start..].chunks_exact_mut(Self::IN_A_BYTE).zip(orbit) {
            // The bits of each code go to the bottom of a byte of their own.
            let halves = (u32::from(byte) | u32::from(byte) << 12) & 0x000F_000F;
            let spread = (halves | halves << 6) & 0x0303_0303;
            codes.copy_from_slice(&spread.to_le_bytes());
        }
        codes.truncate(start + rows);
    }

    fn write(&mut self, orbit: usize, codes: &[u8]) {
        let len = codes.len().div_ceil(Self::IN_A_BYTE);
        let bytes = &mut self.bytes[orbit * len..(orbit + 1) * len];
        let (fours, rest) = codes.as_chunks();
        for (byte, &four) in bytes.iter_mut().zip(fours) {
            let four = u32::from_le_bytes(four);
            *byte = (four | four >> 6 | four >> 12 | four >> 18) as u8;
        }
        if !rest.is_empty() {
            bytes[len - 1] = rest.iter().rev().fold(0, |packed, code| packed << 2 | code);
        }
    }

    fn list_late(&mut self, late: Vec<(u64, Distance)>) {
        debug_assert!(late.is_empty(), "no distances are kept");
    }

    /// The captures were followed until all values were known, or the slice is full.
    fn finish(&mut self) -> bool {
        let unknown = |byte: &u8| byte >> 1 & byte & 0b0101_0101 != 0;
        !self.bytes.iter().any(unknown)
    }
}
