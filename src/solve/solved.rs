//! The values of a finished slice.

use crate::Value;

/// All values of one solved slice, by number, one byte a position.
#[derive(Clone, Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub struct SolvedSlice {
    /// A position's DTW if below `late_code`; `late_code` if it is listed in `late`; greater for a
    /// draw.
    bytes: Vec<u8>,
    late_code: u8,
    /// The positions marked late, rising, with their DTW.
    late: Vec<(u64, u16)>,
}

impl SolvedSlice {
    /// The slice with these bytes, the positions marked `late_code` having the distances listed.
    pub(super) fn new(bytes: Vec<u8>, late_code: u8, mut late: Vec<(u64, u16)>) -> SolvedSlice {
        late.sort_unstable();
        SolvedSlice { bytes, late_code, late }
    }

    /// The slice with these distances to the win, `None` for draws.
    pub fn from_distances(distances: impl Iterator<Item = Option<u16>>) -> SolvedSlice {
        const LATE: u8 = 254;
        const DRAW: u8 = 255;
        let mut slice = SolvedSlice { late_code: LATE, ..SolvedSlice::default() };
        slice.bytes.reserve(distances.size_hint().0);
        for (number, distance) in distances.enumerate() {
            slice.bytes.push(match distance {
                None => DRAW,
                Some(dtw) if dtw < u16::from(LATE) => dtw as u8,
                Some(dtw) => {
                    slice.late.push((number as u64, dtw));
                    LATE
                }
            });
        }
        slice
    }

    /// The slice made of parts that follow one another.
    pub(crate) fn concat(parts: Vec<SolvedSlice>) -> SolvedSlice {
        let mut whole = SolvedSlice {
            late_code: parts.first().map_or(0, |part| part.late_code),
            ..SolvedSlice::default()
        };
        whole.bytes.reserve_exact(parts.iter().map(|part| part.bytes.len()).sum());
        for part in parts {
            debug_assert_eq!(part.late_code, whole.late_code);
            let first = whole.len();
            whole.bytes.extend_from_slice(&part.bytes);
            whole.late.extend(part.late.iter().map(|&(number, dtw)| (first + number, dtw)));
        }
        whole
    }

    /// How many positions there are.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The distance to the win of the position with this number, `None` for a draw.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn distance(&self, number: u64) -> Option<u16> {
        let byte = self.bytes[number as usize];
        if byte < self.late_code {
            Some(u16::from(byte))
        } else if byte > self.late_code {
            None
        } else {
            self.late_distance(number)
        }
    }

    #[cold]
    fn late_distance(&self, number: u64) -> Option<u16> {
        let found = self.late.binary_search_by_key(&number, |&(number, _)| number);
        found.ok().map(|i| self.late[i].1)
    }

    /// The value of the position with this number, for the side to move.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn value(&self, number: u64) -> Value {
        Value::of_distance(self.distance(number))
    }

    /// The code of late positions: bytes below it are a DTW, bytes above it draws.
    pub(crate) fn late_code(&self) -> u8 {
        self.late_code
    }

    /// The codes of the `len` positions from number `first` on.
    #[inline]
    pub(crate) fn codes(&self, first: u64, len: usize) -> &[u8] {
        &self.bytes[first as usize..first as usize + len]
    }

    /// Overwrites a value, so that tests see whether this is noticed.
    #[cfg(test)]
    pub(crate) fn corrupt(&mut self, number: u64, value: Value) {
        self.late.retain(|&(late, _)| late != number);
        self.bytes[number as usize] = match value.dtw() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_overwritten_is_read_back() {
        let mut slice = SolvedSlice::new(vec![0, 1, 9, 8, 8], 8, vec![(4, 21), (3, 20)]);
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
        let parts = distances.chunks(2).map(|p| SolvedSlice::from_distances(p.iter().copied()));
        let whole = SolvedSlice::concat(parts.collect());
        let read: Vec<_> = (0..whole.len()).map(|number| whole.distance(number)).collect();
        assert_eq!(read, distances);
    }
}
