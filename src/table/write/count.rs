//! Counting the statistics of a slice from its values.

use super::SliceStats;
use super::order::{ChunkId, OrbitOrder};
use super::quiet;
use super::spread::Spread;
use crate::index::{MaskRows, SliceIndex};
use crate::processes::{Alone, Processes, gather};
use crate::values::{Meaning, SliceValues};
use rayon::prelude::*;
use std::io;

impl SliceStats {
    /// Counts the positions of a solved slice.
    ///
    /// # Errors
    /// If the values are kept in a file and cannot be read.
    pub fn count(index: &SliceIndex, slice: &SliceValues) -> io::Result<SliceStats> {
        SliceStats::count_spread(&Spread::whole(index.clone(), slice), &Alone)
    }

    /// Counts the positions of a solved slice whose values are spread over processes. Process 0 gets the
    /// result; what other processes get means nothing.
    ///
    /// # Errors
    /// If a process cannot read its values. All processes get an error then.
    pub(super) fn count_spread(
        spread: &Spread,
        processes: &dyn Processes,
    ) -> io::Result<SliceStats> {
        let mut total = SliceStats::default();
        let part = SliceStats::count_part(spread, processes);
        let numbers = part.map(|SliceStats { win, draw, loss, capture, histogram }| {
            (win, draw, loss, capture, histogram)
        });
        for part in gather(processes, numbers)? {
            let (win, draw, loss, capture, histogram) = part?;
            total.merge(&SliceStats { win, draw, loss, capture, histogram });
        }
        Ok(total)
    }

    /// Counts the values that this process holds, and finds its part of the capture positions.
    fn count_part(spread: &Spread, processes: &dyn Processes) -> io::Result<SliceStats> {
        let (index, slice, held) = (&spread.index, spread.values, spread.orbits());
        let capture = captures(index, processes);
        let mut stats = SliceStats { capture, ..SliceStats::default() };
        for (byte, count) in (0..=u8::MAX).zip(byte_counts(spread)?).filter(|of| of.1 > 0) {
            match slice.byte_codes().meaning(byte) {
                Meaning::Dtw(dtw) => stats.add_decided(dtw.into(), count),
                Meaning::Draw => stats.draw += count,
                // They are counted below. In a slice that is finished, nothing is unknown.
                Meaning::Late | Meaning::Unknown => {}
            }
        }
        for &(number, distance) in slice.late() {
            let orbit = held.start + (number / index.rows() as u64) as usize;
            let images = index.sets().orbit_len(orbit) as u64;
            match distance.dtw() {
                Some(dtw) => stats.add_decided(dtw, images),
                None => stats.draw += images,
            }
        }
        Ok(stats)
    }
}

/// How many positions have each byte that this process holds, unfolded.
fn byte_counts(spread: &Spread) -> io::Result<[u64; 256]> {
    let (index, slice, held) = (&spread.index, spread.values, spread.orbits());
    // Where the values are in a file, each thread holds those of a task.
    let orbits_a_task = ((1 << 16) / index.rows()).clamp(1, 256);
    (0..held.len().div_ceil(orbits_a_task))
        .into_par_iter()
        .map_init(Vec::new, |buffer, task| {
            let first = task * orbits_a_task;
            let end = (first + orbits_a_task).min(held.len());
            let number = |orbit: usize| (orbit * index.rows()) as u64;
            let bytes = slice.bytes.read(number(first)..number(end), buffer)?;
            let mut counts = [0; 256];
            for (orbit, bytes) in (first..end).zip(bytes.chunks_exact(index.rows())) {
                let images = index.sets().orbit_len(held.start + orbit) as u64;
                bytes.iter().for_each(|&byte| counts[usize::from(byte)] += images);
            }
            Ok(counts)
        })
        .try_reduce(
            || [0; 256],
            |total, part| Ok(std::array::from_fn(|byte| total[byte] + part[byte])),
        )
}

/// How many positions of the slice are capture positions, in the part of the chunks which this process goes
/// through. Under each owner mask, an orbit has none or only such.
fn captures(index: &SliceIndex, processes: &dyn Processes) -> u64 {
    let order = OrbitOrder::of(index.sets());
    let chunks = order.chunks_of(&[0, 1]);
    let chunks: Vec<ChunkId> = chunks.skip(processes.number()).step_by(processes.count()).collect();
    let of_chunk = |(half, chunk)| {
        let orbits = order.chunk(half, chunk).iter();
        let images = orbits.map(|&orbit| index.sets().orbit_len(orbit as usize) as u64);
        let images: Vec<u64> = images.collect();
        let all: u64 = images.iter().sum();
        let quiet = quiet::passing_chunk(index.sets(), half, chunk);
        let of_mask = |MaskRows { mask, rows }: MaskRows| {
            let quiet = quiet::places(quiet.of_mask(mask)).map(|place| images[place]);
            (all - quiet.sum::<u64>()) * rows.len() as u64
        };
        index.mask_rows().map(of_mask).sum::<u64>()
    };
    chunks.into_par_iter().map(of_chunk).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Placement;
    use crate::values::Distance;

    #[test]
    fn statistics_are_those_of_each_position_and_its_images() {
        let index = SliceIndex::new(3, 2, 4).unwrap();
        let dtw = |number: u64| match number % 7 {
            0 => None,
            1 => Some((number * number % 400) as u16),
            _ => Some((number % 11) as u16),
        };
        let distances = (0..index.positions()).map(|number| Distance::new(dtw(number)).unwrap());
        let slice = SliceValues::from_distances(distances);
        let mut expected = SliceStats::default();
        for number in 0..index.positions() {
            let orbit = number as usize / index.rows();
            let images = index.sets().orbit_len(orbit) as u64;
            match dtw(number) {
                None => expected.draw += images,
                Some(dtw) => expected.add_decided(dtw, images),
            }
            let set = index.sets().representative(orbit);
            let mask = index.mask_of(number as usize % index.rows());
            if Placement::with_owners(set, mask).must_capture() {
                expected.capture += images;
            }
        }
        assert_eq!(SliceStats::count(&index, &slice).unwrap(), expected);
    }
}
