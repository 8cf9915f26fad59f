//! The values of a slice in memory, as far as they are known, which threads share and add to.
//!
//! Every value follows from the rules, so whoever works out the same value comes to the same code. It does
//! not matter which thread notes it first, and no thread has to see what another one noted: it would work
//! the value out once more. So all reads and writes are [`Relaxed`].

use crate::portable::AtomicU8;
use crate::prefetch::{prefetch, prefetch_at};
use crate::values::{ByteCodes, Distance};
use crate::{Value, Wdl};
use std::collections::TryReserveError;
use std::sync::atomic::Ordering::Relaxed;

/// This many orbits, with this many bytes of this value each. There is never memory for more bytes than a number
/// holds.
fn filled(orbits: usize, of_orbit: usize, byte: u8) -> Result<Vec<AtomicU8>, TryReserveError> {
    let len = orbits.saturating_mul(of_orbit);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len)?;
    bytes.resize_with(len, || AtomicU8::new(byte));
    Ok(bytes)
}

/// Win, draw or loss of the positions of a slice, in two bits for each. Each orbit begins with a byte of its
/// own. A position's code is in the two bits of its byte that its row says, the first row lowest.
#[derive(Debug)]
pub(crate) struct SharedWdls {
    bytes: Vec<AtomicU8>,
    /// How many bytes an orbit takes.
    of_orbit: usize,
}

impl SharedWdls {
    /// The code of a result that is not known.
    pub const UNKNOWN: u8 = 3;
    /// How many codes share a byte.
    const IN_A_BYTE: usize = 4;

    /// How many bytes this many orbits and rows take.
    pub fn bytes_of(orbits: usize, rows: usize) -> u64 {
        orbits as u64 * rows.div_ceil(Self::IN_A_BYTE) as u64
    }

    /// A slice of this many orbits and rows, of which nothing is known.
    pub fn unknown(orbits: usize, rows: usize) -> Result<SharedWdls, TryReserveError> {
        let of_orbit = rows.div_ceil(Self::IN_A_BYTE);
        let bytes = filled(orbits, of_orbit, Self::UNKNOWN * 0b0101_0101)?;
        Ok(SharedWdls { bytes, of_orbit })
    }

    /// The byte of a position, and where its code is there.
    #[inline]
    fn byte(&self, orbit: usize, row: usize) -> (&AtomicU8, usize) {
        (&self.bytes[orbit * self.of_orbit + row / Self::IN_A_BYTE], 2 * (row % Self::IN_A_BYTE))
    }

    /// Tells the processor that the result of a position will be read soon.
    #[inline]
    pub fn fetch(&self, orbit: usize, row: usize) {
        prefetch(self.byte(orbit, row).0);
    }

    /// The result of the position in a row of an orbit; `None` if it is not known.
    #[inline]
    pub fn wdl(&self, orbit: usize, row: usize) -> Option<Wdl> {
        let (byte, shift) = self.byte(orbit, row);
        let code = byte.load(Relaxed) >> shift & 0b11;
        (code != Self::UNKNOWN).then(|| Wdl::from_code(code))
    }

    /// Notes the result of a position.
    pub fn remember(&self, orbit: usize, row: usize, wdl: Wdl) {
        let (byte, shift) = self.byte(orbit, row);
        // Only bits of this code are cleared, and the unknown code has both bits set. So the code becomes
        // the right one, however many threads do this, and whatever they do to others in the byte.
        byte.fetch_and(!((wdl as u8 ^ Self::UNKNOWN) << shift), Relaxed);
    }

    /// Writes the codes of an orbit from a row on, which begins a byte: a byte for each. No other thread may
    /// write to the orbit.
    pub fn write(&self, orbit: usize, first_row: usize, codes: &[u8]) {
        let start = orbit * self.of_orbit + first_row / Self::IN_A_BYTE;
        let (fours, rest) = codes.as_chunks();
        let bytes = &self.bytes[start..start + codes.len().div_ceil(Self::IN_A_BYTE)];
        for (byte, &four) in bytes.iter().zip(fours) {
            let four = u32::from_le_bytes(four);
            byte.store((four | four >> 6 | four >> 12 | four >> 18) as u8, Relaxed);
        }
        if let (Some(byte), false) = (bytes.last(), rest.is_empty()) {
            let packed = rest.iter().rev().fold(0, |packed, code| packed << 2 | code);
            byte.store(packed, Relaxed);
        }
    }
}

/// The values of the positions of a slice with their distances, in a byte for each: its
/// [code](ByteCodes::PLAIN).
#[derive(Debug)]
pub(crate) struct SharedValues {
    bytes: Vec<AtomicU8>,
    /// How many rows each orbit has.
    rows: usize,
    /// The stored distances that do not fit a byte, by number of the position, rising.
    late: Vec<(u64, Distance)>,
}

impl SharedValues {
    /// How many bytes this many orbits and rows take, if this many distances are late.
    pub fn bytes_of(orbits: usize, rows: usize, late: u64) -> u64 {
        orbits as u64 * rows as u64 + late * size_of::<(u64, Distance)>() as u64
    }

    /// A slice of this many orbits and rows, of which nothing is known.
    pub fn unknown(orbits: usize, rows: usize) -> Result<SharedValues, TryReserveError> {
        let bytes = filled(orbits, rows, ByteCodes::UNKNOWN)?;
        Ok(SharedValues { bytes, rows, late: Vec::new() })
    }

    /// Tells the processor that the value of a position will be read soon.
    #[inline]
    pub fn fetch(&self, orbit: usize, row: usize) {
        prefetch_at(&self.bytes, orbit * self.rows + row);
    }

    /// The value of the position in a row of an orbit; `None` if it is not known.
    #[inline]
    pub fn value(&self, orbit: usize, row: usize) -> Option<Value> {
        let number = orbit * self.rows + row;
        let byte = self.bytes[number].load(Relaxed);
        if byte == ByteCodes::UNKNOWN {
            return None;
        }
        match ByteCodes::PLAIN.distance(byte) {
            Some(distance) => Some(distance.value()),
            None => self.late_value(number as u64),
        }
    }

    #[cold]
    fn late_value(&self, number: u64) -> Option<Value> {
        let found = self.late.binary_search_by_key(&number, |&(number, _)| number);
        found.ok().map(|at| self.late[at].1.value())
    }

    /// Notes the value of a position, if its distance fits a byte.
    pub fn remember(&self, orbit: usize, row: usize, value: Value) {
        let code = Distance::new(value.dtw()).map(|distance| ByteCodes::PLAIN.byte(distance));
        if let Some(code) = code.filter(|&code| code != ByteCodes::PLAIN.late()) {
            self.bytes[orbit * self.rows + row].store(code, Relaxed);
        }
    }

    /// Writes the codes of an orbit from a row on.
    pub fn write(&self, orbit: usize, first_row: usize, codes: &[u8]) {
        let start = orbit * self.rows + first_row;
        let bytes = &self.bytes[start..start + codes.len()];
        bytes.iter().zip(codes).for_each(|(byte, &code)| byte.store(code, Relaxed));
    }

    /// Lists the stored distances that do not fit a byte, by number of the position, rising.
    pub fn list_late(&mut self, late: Vec<(u64, Distance)>) {
        self.late = late;
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn loom_results_that_threads_note_in_one_byte_are_unknown_or_right() {
        loom::model(|| {
            let wdls = Arc::new(SharedWdls::unknown(1, 3).unwrap());
            let note = |wdls: &SharedWdls, row, wdl, [of_both, of_other]: [usize; 2]| {
                wdls.remember(0, row, wdl);
                wdls.remember(0, of_both, Wdl::Draw);
                assert_eq!((wdls.wdl(0, row), wdls.wdl(0, of_both)), (Some(wdl), Some(Wdl::Draw)));
                wdls.wdl(0, of_other)
            };
            let other = {
                let wdls = wdls.clone();
                thread::spawn(move || note(&wdls, 0, Wdl::Loss, [1, 2]))
            };
            let seen = note(&wdls, 2, Wdl::Win, [1, 0]);
            assert!([None, Some(Wdl::Loss)].contains(&seen));
            assert!([None, Some(Wdl::Win)].contains(&other.join().unwrap()));
            let all = [0, 1, 2].map(|row| wdls.wdl(0, row).unwrap());
            assert_eq!(all, [Wdl::Loss, Wdl::Draw, Wdl::Win]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const WDLS: [Wdl; 3] = [Wdl::Loss, Wdl::Draw, Wdl::Win];

    #[test]
    fn results_that_several_threads_note_leave_all_others_as_they_are() {
        let (orbits, rows) = (3, 70);
        let wdls = SharedWdls::unknown(orbits, rows).unwrap();
        let expected = |orbit: usize, row: usize| WDLS[(orbit + row * row) % 3];
        // Every fifth one is written first, from a row on that begins a byte.
        for (orbit, first) in (0..orbits).flat_map(|orbit| [(orbit, 0), (orbit, 64)]) {
            let code = |row| match row % 5 {
                0 => expected(orbit, row) as u8,
                _ => SharedWdls::UNKNOWN,
            };
            let codes: Vec<u8> = (first..rows.min(first + 64)).map(code).collect();
            wdls.write(orbit, first, &codes);
        }
        let all = || (0..orbits).flat_map(|orbit| (0..rows).map(move |row| (orbit, row)));
        for (orbit, row) in all() {
            let written = (row % 5 == 0).then(|| expected(orbit, row));
            assert_eq!(wdls.wdl(orbit, row), written, "{orbit} {row}");
        }
        thread::scope(|scope| {
            for skipped in [1, 2] {
                let mine = all().filter(move |(_, row)| row % 5 != skipped);
                scope.spawn(|| {
                    mine.for_each(|(orbit, row)| {
                        wdls.remember(orbit, row, expected(orbit, row));
                    })
                });
            }
        });
        for (orbit, row) in all() {
            assert_eq!(wdls.wdl(orbit, row), Some(expected(orbit, row)), "{orbit} {row}");
        }
    }

    #[test]
    fn late_distances_are_listed_if_they_are_stored_and_are_not_remembered_otherwise() {
        let mut values = SharedValues::unknown(2, 3).unwrap();
        let late = Distance::new(Some(300)).unwrap();
        let code = ByteCodes::PLAIN.byte(late);
        values.write(1, 0, &[code, 4, ByteCodes::UNKNOWN]);
        values.list_late(vec![(3, late)]);
        values.remember(0, 1, Value::Loss(300));
        values.remember(0, 2, Value::Draw);
        values.remember(1, 2, Value::Loss(252));
        let found: Vec<Option<Value>> =
            (0..6).map(|number| values.value(number / 3, number % 3)).collect();
        let (late, loss) = (Value::Loss(300), Some(Value::Loss(4)));
        let expected = [None, None, Some(Value::Draw), Some(late), loss, Some(Value::Loss(252))];
        assert_eq!(found, expected);
    }
}
