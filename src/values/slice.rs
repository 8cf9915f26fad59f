//! The values of a finished slice, and the share of them that a process holds.

use super::bytes::{Bytes, PIECE};
use super::{ByteCodes, Distance};
use crate::Value;
use rayon::prelude::*;
use std::io;
use std::sync::atomic::AtomicU8;

/// The values of all positions of one slice, by number, one byte a position.
#[derive(Debug)]
pub struct SliceValues {
    pub(crate) bytes: Bytes,
    codes: ByteCodes,
    /// The positions whose byte is the late code, rising, with their distances.
    late: Vec<(u64, Distance)>,
}

impl SliceValues {
    /// The slice with these bytes: below `late_code` a DTW, above it a draw. Positions with
    /// `late_code` have the distances listed, in any order.
    pub(crate) fn new(bytes: Bytes, late_code: u8, mut late: Vec<(u64, Distance)>) -> SliceValues {
        late.sort_unstable_by_key(|&(number, _)| number);
        SliceValues { bytes, codes: ByteCodes::with_late(late_code), late }
    }

    /// A slice that is being filled, with the bytes of the values that are known and their late distances.
    pub(crate) fn filling(bytes: Bytes, late: Vec<(u64, Distance)>) -> SliceValues {
        SliceValues { bytes, codes: ByteCodes::PLAIN, late }
    }

    /// The bytes of a slice that is being filled, for several threads to write.
    pub(crate) fn shared(&mut self) -> &[AtomicU8] {
        match self.bytes.shared() {
            Some(bytes) => bytes,
            None => unreachable!("a slice that is being filled is in memory"),
        }
    }

    /// Lists distances, by number, of positions whose byte in a slice that is being filled is the late code.
    pub(crate) fn list_late(&mut self, late: Vec<(u64, Distance)>) {
        if !late.is_empty() {
            self.late.extend(late);
            self.late.sort_unstable_by_key(|&(number, _)| number);
        }
    }

    /// Whether all values of a slice that was filled are known.
    pub(crate) fn is_filled(&self) -> bool {
        let is_known = |bytes: &[u8]| !bytes.contains(&ByteCodes::UNKNOWN);
        self.bytes.in_place().is_ok_and(|bytes| bytes.par_chunks(PIECE).all(is_known))
    }

    /// The slice with these distances to the win, by number.
    pub fn from_distances(distances: impl Iterator<Item = Distance>) -> SliceValues {
        let (codes, mut late) = (ByteCodes::PLAIN, Vec::new());
        let mut bytes = Vec::with_capacity(distances.size_hint().0);
        for (number, distance) in (0..).zip(distances) {
            let byte = codes.byte(distance);
            bytes.push(byte);
            if byte == codes.late() {
                late.push((number, distance));
            }
        }
        SliceValues { bytes: Bytes::Memory(bytes), codes, late }
    }

    /// The same values, with their bytes in a mapped file without a name, in the system's folder for
    /// temporary files.
    pub(crate) fn into_mapped(self) -> io::Result<SliceValues> {
        Ok(SliceValues { bytes: self.bytes.into_mapped()?, ..self })
    }

    /// How many positions there are.
    pub fn len(&self) -> u64 {
        self.bytes.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distance to the win of the position with this number.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn distance(&self, number: u64) -> Distance {
        self.decode(self.codes(number, 1)[0], number)
    }

    /// The value of the position with this number, for the side to move.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn value(&self, number: u64) -> Value {
        self.distance(number).value()
    }

    /// The distance that the byte of the position with this number stands for.
    #[inline]
    fn decode(&self, byte: u8, number: u64) -> Distance {
        self.codes.distance(byte).unwrap_or_else(|| self.late_distance(number))
    }

    /// All distances, wherever the values are kept.
    #[cfg(test)]
    pub(crate) fn distances(&self) -> Vec<Distance> {
        let mut window = Window::default();
        (0..self.len()).map(|number| self.read(number, &mut window).unwrap()).collect()
    }

    /// Reads the bytes of the positions from number `first` on, as many as there is room for, wherever
    /// the values are kept. They are changed to the codes [`ByteCodes::PLAIN`], with one byte for
    /// draws, whatever codes this slice has.
    pub(crate) fn read_codes(&self, first: u64, codes: &mut [u8]) -> io::Result<()> {
        self.bytes.copy(first, codes)?;
        let (late, plain) = (self.codes.late(), ByteCodes::PLAIN);
        for code in codes {
            let is_known = if *code == late { plain.late() } else { plain.draw() };
            *code = if *code < late { *code } else { is_known };
        }
        Ok(())
    }

    /// Looks up the byte of one position, wherever it is kept. `window` holds what was read last of
    /// this slice's file.
    pub(crate) fn look_up(&self, number: u64, window: &mut Window) -> io::Result<u8> {
        match self.bytes.in_place() {
            Ok(bytes) => Ok(bytes[number as usize]),
            Err(file) => {
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

    /// The distance to the win of one position, wherever its byte is kept. `window` holds what was read
    /// last of this slice's file.
    pub(crate) fn read(&self, number: u64, window: &mut Window) -> io::Result<Distance> {
        Ok(self.decode(self.look_up(number, window)?, number))
    }

    /// The distance of a position whose byte is the late code.
    ///
    /// # Panics
    /// If it is not listed. Whoever makes a slice lists all of them, and what is read from a file is
    /// compared with its checksums first, so only a mistake in this program leads to that.
    #[cold]
    pub(crate) fn late_distance(&self, number: u64) -> Distance {
        match self.late.binary_search_by_key(&number, |&(number, _)| number) {
            Ok(at) => self.late[at].1,
            Err(_) => panic!("the distance of position {number} is not listed; this is a bug"),
        }
    }

    /// The distances that are listed apart, with the numbers of their positions, rising.
    pub(crate) fn late(&self) -> &[(u64, Distance)] {
        &self.late
    }

    pub(crate) fn is_in_file(&self) -> bool {
        matches!(self.bytes, Bytes::File(_))
    }

    #[doc(hidden)]
    pub fn byte_codes(&self) -> ByteCodes {
        self.codes
    }

    /// The bytes of the `len` positions from number `first` on, in a slice that is kept in memory or
    /// mapped.
    #[doc(hidden)]
    #[inline]
    pub fn codes(&self, first: u64, len: usize) -> &[u8] {
        match self.bytes.in_place() {
            Ok(bytes) => &bytes[first as usize..first as usize + len],
            Err(_) => unreachable!("slices in files do not leave a generation"),
        }
    }

    /// On Unix, asks the system to read an orbit of this many rows ahead if the slice is mapped.
    pub(crate) fn read_soon(&self, orbit: usize, rows: usize) {
        let first = orbit as u64 * rows as u64;
        self.bytes.read_soon(first..first + rows as u64);
    }

    /// The bytes of an orbit of this many rows, in such a slice.
    #[inline]
    pub(crate) fn orbit(&self, orbit: usize, rows: usize) -> &[u8] {
        self.codes(orbit as u64 * rows as u64, rows)
    }

    /// Overwrites a value, so that tests see whether this is noticed.
    #[cfg(test)]
    pub(crate) fn corrupt(&mut self, number: u64, value: Value) {
        self.late.retain(|&(late, _)| late != number);
        let bytes = self.bytes.in_place_mut().expect("a test keeps values in memory");
        let distance = Distance::new(value.dtw()).unwrap();
        bytes[number as usize] = self.codes.byte(distance);
        if bytes[number as usize] == self.codes.late() {
            self.late.push((number, distance));
            self.late.sort_unstable_by_key(|&(number, _)| number);
        }
    }
}

/// How many bytes of a file are read at once when single values are looked up.
const WINDOW: u64 = 4096;

/// What was read last of a file.
#[derive(Debug, Default)]
pub(crate) struct Window {
    at: Option<u64>,
    bytes: Vec<u8>,
}

impl Window {
    /// Forgets what was read, because another file is read next.
    pub fn clear(&mut self) {
        self.at = None;
    }
}

/// What one process holds of the values of a slice: those of a run of consecutive orbits.
///
/// The runs of all processes follow one another in the order of the processes and make up the slice. A run
/// may be empty.
#[derive(Debug)]
pub(crate) struct SliceShare {
    /// For each process, its first orbit; then the number of orbits. All processes have the same bounds.
    pub bounds: Vec<usize>,
    /// The process that holds this share.
    pub process: usize,
    /// The values of the orbits of this process: all values of the slice, if one process holds them alone. Their
    /// numbers count from the first position of its first orbit.
    pub values: SliceValues,
}

impl SliceShare {
    /// The process that holds an orbit.
    pub fn owner(&self, orbit: usize) -> usize {
        self.bounds.partition_point(|&first| first <= orbit) - 1
    }
}

#[cfg(test)]
impl Clone for SliceValues {
    fn clone(&self) -> SliceValues {
        let bytes = self.codes(0, self.len() as usize).to_vec();
        SliceValues { bytes: Bytes::Memory(bytes), codes: self.codes, late: self.late.clone() }
    }
}

#[cfg(test)]
impl PartialEq for SliceValues {
    fn eq(&self, other: &SliceValues) -> bool {
        self.distances() == other.distances()
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::FileBytes;
    use super::*;

    fn distance(dtw: u16) -> Distance {
        Distance::new(Some(dtw)).unwrap()
    }

    #[test]
    fn values_are_read_the_same_from_memory_and_from_a_file() {
        let distances = [
            distance(0),
            Distance::DRAW,
            distance(252),
            distance(253),
            distance(65_534),
            distance(3),
        ];
        let folder = tempfile::tempdir().unwrap();
        let file = FileBytes::scratch(folder.path(), 6).unwrap();
        // Draws have any byte above the late code.
        file.write(0, &[0, 255, 200, 200, 200, 3]).unwrap();
        let late = vec![(4, distances[4]), (2, distances[2]), (3, distances[3])];
        let of_file = SliceValues::new(Bytes::File(file), 200, late);
        let in_memory = SliceValues::from_distances(distances.into_iter());
        for slice in [&in_memory, &of_file] {
            assert_eq!(slice.distances(), distances);
        }
        let codes = |slice: &SliceValues| {
            let mut codes = [0; 4];
            slice.read_codes(1, &mut codes).unwrap();
            codes
        };
        assert_eq!(codes(&in_memory), [254, 252, 253, 253]);
        assert_eq!(codes(&of_file), [254, 253, 253, 253]);
    }

    #[test]
    fn values_beyond_32_bits_are_read_from_where_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let (first, len) = ((1 << 32) - 2, (1 << 32) + 5000);
        // The file has a hole before the values that are written.
        let file = FileBytes::scratch(folder.path(), len).unwrap();
        file.write(first, &[1, 2, 3, 4, 200]).unwrap();
        let late = vec![(first + 4, distance(300)), (4, distance(7))];
        let mut bytes = Bytes::File(file);
        let last = bytes.parts(1 << 20).pop().unwrap();
        last.change::<io::Error>(&mut Vec::new(), |part| {
            part[0] = 9;
            Ok(())
        })
        .unwrap();
        let slice = SliceValues::new(bytes, 200, late);
        let mut window = Window::default();
        for (number, dtw) in (first..).zip([1, 2, 9, 4, 300, 0]) {
            assert_eq!(slice.read(number, &mut window).unwrap(), distance(dtw));
        }
    }

    #[test]
    #[should_panic(expected = "the distance of position 1 is not listed; this is a bug")]
    fn a_distance_that_should_be_listed_and_is_not_is_no_draw() {
        SliceValues::new(Bytes::Memory(vec![8, 8]), 8, vec![(0, distance(9))]).value(1);
    }
}
