//! Filling a slice whose values become known one by one.

use super::bytes::Bytes;
use super::{ByteCodes, Distance, SliceValues};
use crate::reserve::{reserve, reserve_exact};
use std::collections::TryReserveError;
use std::io;

/// The values of a slice, in memory, of which some are not known yet.
#[derive(Debug)]
pub(crate) struct SliceBuilder {
    values: SliceValues,
    /// The distances that were listed and are not settled, in any order.
    new_late: Vec<(u64, Distance)>,
}

impl SliceBuilder {
    /// A slice of `len` positions of which nothing is known.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(len: u64) -> io::Result<SliceBuilder> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, len)?;
        bytes.resize(len, ByteCodes::UNKNOWN);
        let values = SliceValues {
            bytes: Bytes::Memory(bytes),
            codes: ByteCodes::UNFINISHED,
            late: Vec::new(),
        };
        Ok(SliceBuilder { values, new_late: Vec::new() })
    }

    /// Sets the bytes of the positions from number `first` on. Those with the late code are given to
    /// [`SliceBuilder::list_late`] as well.
    pub fn write(&mut self, first: u64, codes: &[u8]) {
        let Bytes::Memory(bytes) = &mut self.values.bytes else {
            unreachable!("a slice that is being filled is in memory")
        };
        bytes[first as usize..first as usize + codes.len()].copy_from_slice(codes);
    }

    /// Lists the distances of positions, by number, whose byte is the late code. They can be read after
    /// [`SliceBuilder::settle`].
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn list_late(&mut self, late: &[(u64, Distance)]) -> Result<(), TryReserveError> {
        reserve(&mut self.new_late, late.len())?;
        self.new_late.extend_from_slice(late);
        Ok(())
    }

    /// Makes the distances that were set ready to be read. Takes no longer if many are settled already,
    /// as long as their positions come before the new ones.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn settle(&mut self) -> Result<(), TryReserveError> {
        let SliceBuilder { values: SliceValues { late, .. }, new_late } = self;
        new_late.sort_unstable_by_key(|&(number, _)| number);
        let mut settled = late.len();
        reserve(late, new_late.len())?;
        late.extend_from_slice(new_late);
        // The two are merged from the end on, so that each stands where it belongs at once.
        for at in (0..late.len()).rev() {
            let Some(&new) = new_late.last() else { break };
            late[at] = match settled.checked_sub(1) {
                Some(last) if late[last].0 > new.0 => {
                    settled = last;
                    late[last]
                }
                _ => {
                    new_late.pop();
                    new
                }
            };
        }
        Ok(())
    }

    /// What is known so far, once it is settled.
    pub fn values(&self) -> &SliceValues {
        &self.values
    }

    /// The finished slice; `None` if some value is not known. All distances that are listed must be
    /// settled.
    pub fn finish(self) -> Option<SliceValues> {
        let unknown = |bytes: &[u8]| bytes.contains(&ByteCodes::UNKNOWN);
        if matches!(&self.values.bytes, Bytes::Memory(bytes) if unknown(bytes)) {
            return None;
        }
        debug_assert!(self.new_late.is_empty(), "a distance is not settled");
        Some(SliceValues { codes: ByteCodes::FINISHED, ..self.values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_finished_when_every_value_is_known() {
        let distances = [Some(7), None, Some(253), Some(Distance::MAX_DTW)];
        let distances = distances.map(|dtw| Distance::new(dtw).unwrap());
        let filled = |known: usize| {
            let mut builder = SliceBuilder::new(4).unwrap();
            for (number, &distance) in distances.iter().enumerate().take(known).rev() {
                let (number, byte) = (number as u64, ByteCodes::UNFINISHED.byte(distance));
                builder.write(number, &[byte]);
                if byte == ByteCodes::UNFINISHED.late() {
                    builder.list_late(&[(number, distance)]).unwrap();
                }
            }
            builder.settle().unwrap();
            builder
        };
        let partly = filled(3);
        assert_eq!(partly.values().distance(2), distances[2]);
        assert_eq!(partly.values().codes(3, 1)[0], partly.values().byte_codes().unknown().unwrap());
        assert!(partly.finish().is_none());
        let whole = filled(4).finish().unwrap();
        assert!((0..4).all(|number| whole.distance(number) == distances[number as usize]));
    }

    #[test]
    fn distances_that_are_settled_batch_by_batch_are_all_read_back() {
        let distance = |number: u64| Distance::new(Some(253 + number as u16)).unwrap();
        let mut builder = SliceBuilder::new(1000).unwrap();
        // Batches behind, before and between those that are settled, and one of none.
        let batches = [&[500, 502, 501][..], &[], &[900, 700], &[0, 650, 999, 3], &[1, 503]];
        for known in 1..=batches.len() {
            for &number in batches[known - 1] {
                builder.write(number, &[ByteCodes::UNFINISHED.late()]);
                builder.list_late(&[(number, distance(number))]).unwrap();
            }
            builder.settle().unwrap();
            let known = batches[..known].concat();
            assert!(known.iter().all(|&n| builder.values().distance(n) == distance(n)));
            assert_eq!(builder.values().late().len(), known.len());
        }
    }
}
