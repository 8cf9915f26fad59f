//! The values of a slice, packed, by orbit and row.

use super::codes::Code;
use crate::index::SliceIndex;
use crate::prefetch::prefetch_all;
use crate::reserve::reserve_exact;
use crate::table::TableError;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

/// A code for each position of a slice, packed from the lowest bits up. The codes of an orbit begin with a
/// byte of their own, so threads that fill different orbits write different bytes.
#[derive(Debug)]
pub struct Cells<C> {
    bytes: Vec<AtomicU8>,
    orbit_bytes: usize,
    code: PhantomData<C>,
}

/// The codes of an orbit.
pub struct OrbitCells<'a, C> {
    bytes: &'a [AtomicU8],
    code: PhantomData<C>,
}

impl<C: Code> Cells<C> {
    const IN_A_BYTE: usize = 8 / C::BITS;
    const MASK: u8 = (0xFF_u16 >> (8 - C::BITS)) as u8;
    /// All codes of a byte, where no value is known.
    const UNKNOWN: u8 = C::UNKNOWN * (0xFF / Self::MASK);

    /// How many bytes the codes of a slice take.
    pub fn bytes_of(index: &SliceIndex) -> u64 {
        index.orbits() as u64 * index.rows().div_ceil(Self::IN_A_BYTE) as u64
    }

    /// Room for a slice of which no value is known.
    pub fn new(index: &SliceIndex) -> Result<Cells<C>, TableError> {
        let len = usize::try_from(Self::bytes_of(index)).map_err(|_| TableError::Memory)?;
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, len).map_err(|_| TableError::Memory)?;
        bytes.resize_with(len, || AtomicU8::new(Self::UNKNOWN));
        let orbit_bytes = index.rows().div_ceil(Self::IN_A_BYTE);
        Ok(Cells { bytes, orbit_bytes, code: PhantomData })
    }

    /// The codes of an orbit.
    #[inline]
    pub fn orbit(&self, orbit: usize) -> OrbitCells<'_, C> {
        let first = orbit * self.orbit_bytes;
        OrbitCells { bytes: &self.bytes[first..first + self.orbit_bytes], code: PhantomData }
    }

    /// The code of a position.
    #[inline]
    pub fn get(&self, orbit: usize, row: usize) -> u8 {
        let byte = &self.bytes[orbit * self.orbit_bytes + row / Self::IN_A_BYTE];
        byte.load(Ordering::Relaxed) >> (C::BITS * (row % Self::IN_A_BYTE)) & Self::MASK
    }
}

impl<C: Code> OrbitCells<'_, C> {
    /// The code of a row.
    #[inline]
    pub fn get(&self, row: usize) -> u8 {
        let byte = &self.bytes[row / Cells::<C>::IN_A_BYTE];
        let shift = C::BITS * (row % Cells::<C>::IN_A_BYTE);
        byte.load(Ordering::Relaxed) >> shift & Cells::<C>::MASK
    }

    /// Tells the processor that the codes of some rows, `first` and those behind it, will be read soon.
    #[inline]
    pub fn prefetch(&self, first: usize, rows: usize) {
        let end = (first + rows).div_ceil(Cells::<C>::IN_A_BYTE);
        prefetch_all(&self.bytes[first / Cells::<C>::IN_A_BYTE..end]);
    }

    /// Reads the codes of all rows.
    pub fn read(&self, rows: &mut Vec<u8>, count: usize) {
        rows.clear();
        for byte in self.bytes {
            let byte = byte.load(Ordering::Relaxed);
            if C::BITS == 8 {
                rows.push(byte);
            } else {
                // The bits of each code go to the bottom of a byte of their own.
                let halves = (u32::from(byte) | u32::from(byte) << 12) & 0x000F_000F;
                let codes = (halves | halves << 6) & 0x0303_0303;
                rows.extend_from_slice(&codes.to_le_bytes());
            }
        }
        rows.truncate(count);
    }

    /// Writes the codes of all rows. No other thread may write to the orbit at the time.
    pub fn write(&self, rows: &[u8]) {
        for (byte, rows) in self.bytes.iter().zip(rows.chunks(Cells::<C>::IN_A_BYTE)) {
            let packed = match *rows {
                [code] => code,
                [a, b, c, d] => a | b << 2 | c << 4 | d << 6,
                _ => rows.iter().rev().fold(0, |packed, code| packed << 2 | code),
            };
            byte.store(packed, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::codes::{DtwCode, WdlCode};
    use super::*;

    fn check<C: Code>() {
        let index = SliceIndex::new(3, 2, 3).unwrap();
        assert_ne!(index.rows() % 4, 0);
        let cells = Cells::<C>::new(&index).unwrap();
        let code = |orbit: usize, row: usize| ((orbit * 7 + row * row) as u8) & Cells::<C>::MASK;
        for orbit in 0..index.orbits() {
            assert!((0..index.rows()).all(|row| cells.get(orbit, row) == C::UNKNOWN));
            let rows: Vec<u8> = (0..index.rows()).map(|row| code(orbit, row)).collect();
            cells.orbit(orbit).write(&rows);
        }
        for orbit in 0..index.orbits() {
            let mut rows = vec![77];
            cells.orbit(orbit).read(&mut rows, index.rows());
            assert_eq!(rows.len(), index.rows());
            for (row, found) in rows.into_iter().enumerate() {
                assert_eq!(found, code(orbit, row));
                assert_eq!((cells.get(orbit, row), cells.orbit(orbit).get(row)), (found, found));
            }
        }
    }

    #[test]
    fn codes_are_read_as_they_were_written() {
        check::<WdlCode>();
        check::<DtwCode>();
    }
}
