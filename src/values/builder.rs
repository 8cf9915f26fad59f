//! Filling a slice whose values become known one by one.

use super::bytes::Bytes;
use super::{ByteCodes, Distance, SliceValues};
use crate::reserve::reserve_exact;
use std::io;

/// The values of a slice, in memory, of which some are not known yet.
#[derive(Debug)]
pub(crate) struct SliceBuilder {
    values: SliceValues,
}

impl SliceBuilder {
    /// A slice of `len` positions of which nothing is known.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(len: u64) -> io::Result<SliceBuilder> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, len).map_err(io::Error::other)?;
        bytes.resize(len, ByteCodes::UNKNOWN);
        let values = SliceValues {
            bytes: Bytes::Memory(bytes),
            codes: ByteCodes::UNFINISHED,
            late: Vec::new(),
        };
        Ok(SliceBuilder { values })
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
    pub fn list_late(&mut self, late: impl IntoIterator<Item = (u64, Distance)>) {
        self.values.late.extend(late);
    }

    /// Makes the distances that were set ready to be read.
    pub fn settle(&mut self) {
        self.values.late.sort_unstable_by_key(|&(number, _)| number);
    }

    /// What is known so far, once it is settled.
    pub fn values(&self) -> &SliceValues {
        &self.values
    }

    /// The finished slice; `None` if some value is not known.
    pub fn finish(mut self) -> Option<SliceValues> {
        let unknown = |bytes: &[u8]| bytes.contains(&ByteCodes::UNKNOWN);
        if matches!(&self.values.bytes, Bytes::Memory(bytes) if unknown(bytes)) {
            return None;
        }
        self.settle();
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
                    builder.list_late([(number, distance)]);
                }
            }
            builder.settle();
            builder
        };
        let partly = filled(3);
        assert_eq!(partly.values().distance(2), distances[2]);
        assert_eq!(partly.values().codes(3, 1)[0], partly.values().byte_codes().unknown().unwrap());
        assert!(partly.finish().is_none());
        let whole = filled(4).finish().unwrap();
        assert!((0..4).all(|number| whole.distance(number) == distances[number as usize]));
    }
}
