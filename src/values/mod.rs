//! The values of a finished slice.

pub(crate) mod bytes;

use crate::Value;
use bytes::Bytes;
use std::io;

/// The code of late positions, and that of draws, in slices that are not fresh from the solver.
const LATE: u8 = 253;
const DRAW: u8 = 254;
/// The code of positions whose values are not known yet.
const UNKNOWN: u8 = 255;

/// All values of one solved slice, by number, one byte a position.
#[derive(Debug)]
pub struct SliceValues {
    /// A position's DTW if below `late_code`; `late_code` if it is listed in `late`; greater for a
    /// draw.
    bytes: Bytes,
    late_code: u8,
    /// The code of positions whose value is not known yet, in a slice that is not finished.
    unknown_code: Option<u8>,
    /// The positions marked late, rising, with their DTW.
    late: Vec<(u64, u16)>,
}

impl SliceValues {
    /// The slice with these bytes, the positions marked `late_code` having the distances listed.
    pub(crate) fn new(bytes: Bytes, late_code: u8, mut late: Vec<(u64, u16)>) -> SliceValues {
        late.sort_unstable();
        SliceValues { bytes, late_code, unknown_code: None, late }
    }

    /// The slice with these distances to the win, `None` for draws.
    pub fn from_distances(distances: impl Iterator<Item = Option<u16>>) -> SliceValues {
        let (mut bytes, mut late) = (Vec::with_capacity(distances.size_hint().0), Vec::new());
        encode(distances, 0, &mut bytes, &mut late);
        SliceValues { bytes: Bytes::Memory(bytes), late_code: LATE, unknown_code: None, late }
    }

    /// The slice of `len` positions whose distances come in parts that follow one another; in a
    /// scratch file in `scratch` if that is given, else in memory.
    pub(crate) fn from_parts<E: From<io::Error>>(
        len: u64,
        scratch: Option<&std::path::Path>,
        parts: impl Iterator<Item = Result<Vec<Option<u16>>, E>>,
    ) -> Result<SliceValues, E> {
        let mut late = Vec::new();
        let bytes = match scratch {
            None => {
                // If so much cannot be set aside, the parts tell whether it is needed: a damaged file may
                // claim any number.
                let mut bytes = Vec::new();
                let _ = bytes.try_reserve_exact(len as usize);
                for part in parts {
                    encode(part?.into_iter(), bytes.len() as u64, &mut bytes, &mut late);
                }
                Bytes::Memory(bytes)
            }
            Some(folder) => {
                let file = bytes::ScratchFile::new(folder, len)?;
                let mut at = 0;
                for part in parts {
                    let mut bytes = Vec::new();
                    encode(part?.into_iter(), at, &mut bytes, &mut late);
                    file.write(at, &bytes)?;
                    at += bytes.len() as u64;
                }
                Bytes::Scratch(file)
            }
        };
        Ok(SliceValues { bytes, late_code: LATE, unknown_code: None, late })
    }

    /// A slice of `len` positions whose values are still to be [set](SliceValues::set).
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(crate) fn unfinished(len: u64) -> io::Result<SliceValues> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(io::Error::other)?;
        bytes.resize(len, UNKNOWN);
        let unknown_code = Some(UNKNOWN);
        Ok(SliceValues {
            bytes: Bytes::Memory(bytes),
            late_code: LATE,
            unknown_code,
            late: Vec::new(),
        })
    }

    /// Sets the distance of a position, `None` for a draw, in a slice that is not finished. Distances
    /// can be read back after [`SliceValues::settle`].
    #[inline]
    pub(crate) fn set(&mut self, number: u64, distance: Option<u16>) {
        let Bytes::Memory(bytes) = &mut self.bytes else {
            unreachable!("unfinished slices are in memory")
        };
        bytes[number as usize] = match distance {
            None => DRAW,
            Some(dtw) if dtw < u16::from(LATE) => dtw as u8,
            Some(dtw) => {
                self.late.push((number, dtw));
                LATE
            }
        };
    }

    /// Makes distances that were set ready to be read.
    pub(crate) fn settle(&mut self) {
        self.late.sort_unstable();
    }

    /// Ends setting values; says whether all are known.
    pub(crate) fn finish(&mut self) -> bool {
        let known = !matches!(&self.bytes, Bytes::Memory(bytes) if bytes.contains(&UNKNOWN));
        self.unknown_code = None;
        known
    }

    /// The code of positions whose value is not known yet, if there may be any.
    pub(crate) fn unknown_code(&self) -> Option<u8> {
        self.unknown_code
    }

    /// How many positions there are.
    pub fn len(&self) -> u64 {
        self.bytes.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distance to the win of the position with this number, `None` for a draw.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn distance(&self, number: u64) -> Option<u16> {
        self.decode(self.codes(number, 1)[0], number)
    }

    /// The distance that a code stands for, which is that of this number.
    #[inline]
    fn decode(&self, code: u8, number: u64) -> Option<u16> {
        if code < self.late_code {
            Some(u16::from(code))
        } else if code > self.late_code {
            None
        } else {
            self.late_distance(number)
        }
    }

    /// The distances of the positions from number `first` on, as many as `len`, wherever the values
    /// are kept.
    pub(crate) fn read(&self, first: u64, len: u64) -> io::Result<Vec<Option<u16>>> {
        let mut buffer = Vec::new();
        let codes = self.bytes.read(first..first + len, &mut buffer)?;
        Ok((first..).zip(codes).map(|(number, &code)| self.decode(code, number)).collect())
    }

    /// Writes codes of the positions from number `first` on, as many as there is room for: 0 for a
    /// draw, else the DTW plus 1.
    pub(crate) fn read_codes(&self, first: u64, codes: &mut [u16]) -> io::Result<()> {
        let mut buffer = Vec::new();
        let bytes = self.bytes.read(first..first + codes.len() as u64, &mut buffer)?;
        for ((number, &byte), code) in (first..).zip(bytes).zip(codes) {
            *code = self.decode(byte, number).map_or(0, |dtw| dtw + 1);
        }
        Ok(())
    }

    /// The code of one position, wherever it is kept. `window` holds what was read last, and where.
    pub(crate) fn code(&self, number: u64, window: &mut Window) -> io::Result<u8> {
        match &self.bytes {
            Bytes::Memory(bytes) => Ok(bytes[number as usize]),
            Bytes::Scratch(file) => {
                let at = number / WINDOW * WINDOW;
                if window.at != Some(at) {
                    window.bytes.resize(WINDOW.min(self.len() - at) as usize, 0);
                    window.at = None;
                    file.read(at, &mut window.bytes)?;
                    window.at = Some(at);
                }
                Ok(window.bytes[(number - at) as usize])
            }
        }
    }

    #[cold]
    pub(crate) fn late_distance(&self, number: u64) -> Option<u16> {
        let found = self.late.binary_search_by_key(&number, |&(number, _)| number);
        found.ok().map(|i| self.late[i].1)
    }

    /// The value of the position with this number, for the side to move.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn value(&self, number: u64) -> Value {
        Value::from_dtw(self.distance(number))
    }

    /// Whether the values are kept in a scratch file.
    pub(crate) fn is_in_scratch(&self) -> bool {
        matches!(self.bytes, Bytes::Scratch(_))
    }

    /// The code of late positions: bytes below it are a DTW, bytes above it draws.
    pub(crate) fn late_code(&self) -> u8 {
        self.late_code
    }

    /// The codes of the `len` positions from number `first` on.
    #[inline]
    pub(crate) fn codes(&self, first: u64, len: usize) -> &[u8] {
        match &self.bytes {
            Bytes::Memory(bytes) => &bytes[first as usize..first as usize + len],
            Bytes::Scratch(_) => unreachable!("slices in scratch files do not leave a generation"),
        }
    }

    /// Overwrites a value, so that tests see whether this is noticed.
    #[cfg(test)]
    pub(crate) fn corrupt(&mut self, number: u64, value: Value) {
        self.late.retain(|&(late, _)| late != number);
        let Bytes::Memory(bytes) = &mut self.bytes else { panic!("a test keeps values in memory") };
        bytes[number as usize] = match value.dtw() {
            None => self.late_code + 1,
            Some(dtw) if dtw < u16::from(self.late_code) => dtw as u8,
            Some(dtw) => {
                self.late.push((number, dtw));
                self.late.sort_unstable();
                self.late_code
            }
        };
    }
}

/// How many bytes of a scratch file are read at once when single values are looked up.
const WINDOW: u64 = 4096;

/// What was read last of a scratch file.
#[derive(Debug, Default)]
pub struct Window {
    at: Option<u64>,
    bytes: Vec<u8>,
}

impl Window {
    /// Forgets what was read, because another file is read next.
    pub fn clear(&mut self) {
        self.at = None;
    }
}

/// Appends the codes of distances; `first` is the number of the first position.
fn encode(
    distances: impl Iterator<Item = Option<u16>>,
    first: u64,
    bytes: &mut Vec<u8>,
    late: &mut Vec<(u64, u16)>,
) {
    for (number, distance) in (first..).zip(distances) {
        bytes.push(match distance {
            None => DRAW,
            Some(dtw) if dtw < u16::from(LATE) => dtw as u8,
            Some(dtw) => {
                late.push((number, dtw));
                LATE
            }
        });
    }
}

#[cfg(test)]
impl Clone for SliceValues {
    fn clone(&self) -> SliceValues {
        let bytes = self.codes(0, self.len() as usize).to_vec();
        SliceValues {
            bytes: Bytes::Memory(bytes),
            late_code: self.late_code,
            unknown_code: self.unknown_code,
            late: self.late.clone(),
        }
    }
}

#[cfg(test)]
impl PartialEq for SliceValues {
    fn eq(&self, other: &SliceValues) -> bool {
        self.len() == other.len()
            && (0..self.len()).all(|number| self.distance(number) == other.distance(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_overwritten_is_read_back() {
        let mut slice =
            SliceValues::new(Bytes::Memory(vec![0, 1, 9, 8, 8]), 8, vec![(4, 21), (3, 20)]);
        let values = [Value::Win(21), Value::Draw, Value::Loss(2), Value::Loss(8), Value::Win(7)];
        for number in 0..slice.len() {
            let others: Vec<Value> = (0..slice.len()).map(|n| slice.value(n)).collect();
            for value in values {
                slice.corrupt(number, value);
                assert_eq!(slice.value(number), value);
                for (n, &other) in others.iter().enumerate().filter(|&(n, _)| n as u64 != number) {
                    assert_eq!(slice.value(n as u64), other);
                }
            }
        }
    }

    #[test]
    fn parts_follow_one_another_with_their_late_positions() {
        let distances = [Some(0), None, Some(253), Some(254), Some(60_000), Some(3)];
        let folder = tempfile::tempdir().unwrap();
        for scratch in [None, Some(folder.path())] {
            let parts = distances.chunks(2).map(|part| Ok::<_, io::Error>(part.to_vec()));
            let whole = SliceValues::from_parts(6, scratch, parts).unwrap();
            assert_eq!(whole.read(0, 6).unwrap(), distances);
            assert_eq!(whole.read(3, 2).unwrap(), distances[3..5]);
        }
    }
}
