//! Counting the statistics of a slice from its values.

use super::SliceStats;
use super::order::{Half, OrbitOrder};
use super::quiet::{self, WORDS};
use super::spread::Spread;
use crate::index::SliceIndex;
use crate::processes::{Alone, Processes, gather};
use crate::rules::Symmetry;
use crate::values::{Meaning, SliceValues};
use rayon::prelude::*;
use std::io;

/// For each power of two up to the number of symmetries: an orbit has so many images.
const IMAGES: usize = Symmetry::COUNT.ilog2() as usize + 1;

/// How many positions have each byte, by the images that their orbits have: place `i` stands for
/// `1 << i` images.
type ByteCounts = [[u64; 256]; IMAGES];

impl SliceStats {
    /// Counts the positions of a solved slice.
    ///
    /// # Errors
    /// If the values are kept in a file and cannot be read.
    pub fn count(index: &SliceIndex, slice: &SliceValues) -> io::Result<SliceStats> {
        SliceStats::count_spread(&Spread::whole(index, slice), &Alone)
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
        let mine = SliceStats::count_part(spread, (processes.number(), processes.count()));
        let mine = mine.map(|stats| {
            let SliceStats { win, draw, loss, capture, histogram } = stats;
            ([win, draw, loss, capture], histogram)
        });
        let mut total = SliceStats::default();
        for part in gather(processes, mine)? {
            let ([win, draw, loss, capture], histogram) = part?;
            total.merge(&SliceStats { win, draw, loss, capture, histogram });
        }
        Ok(total)
    }

    /// Counts the values that one of so many processes holds, and finds its part of the capture positions.
    fn count_part(spread: &Spread, (process, processes): (usize, usize)) -> io::Result<SliceStats> {
        let (index, slice, held) = (spread.index(), spread.values(), spread.orbits());
        let capture = captures(index, (process, processes));
        let mut stats = SliceStats { capture, ..SliceStats::default() };
        for (images, counts) in byte_counts(spread)?.iter().enumerate() {
            for (byte, &count) in (0..=u8::MAX).zip(counts).filter(|(_, count)| **count > 0) {
                let count = count << images;
                match slice.byte_codes().meaning(byte) {
                    Meaning::Dtw(dtw) => stats.add_decided(dtw.into(), count),
                    Meaning::Draw => stats.draw += count,
                    // They are counted below. In a slice that is finished, nothing is unknown.
                    Meaning::Late | Meaning::Unknown => {}
                }
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

/// Counts the bytes that this process holds.
fn byte_counts(spread: &Spread) -> io::Result<ByteCounts> {
    let (index, slice, held) = (spread.index(), spread.values(), spread.orbits());
    // Where the values are in a file, each thread holds those of a task.
    let orbits_a_task = ((1 << 16) / index.rows()).clamp(1, 256);
    (0..held.len().div_ceil(orbits_a_task))
        .into_par_iter()
        .map_init(Vec::new, |buffer, task| {
            let first = task * orbits_a_task;
            let end = (first + orbits_a_task).min(held.len());
            let positions = |orbit: usize| (orbit * index.rows()) as u64;
            let bytes = slice.bytes(positions(first)..positions(end), buffer)?;
            // Neighbours are often equal, and counting one waits for the count of the one before. So
            // they are counted apart.
            let mut counts = [[[0u32; 256]; 4]; IMAGES];
            for (orbit, bytes) in (first..end).zip(bytes.chunks_exact(index.rows())) {
                let images = index.sets().orbit_len(held.start + orbit).ilog2();
                let counts = &mut counts[images as usize];
                let (fours, rest) = bytes.as_chunks::<4>();
                for four in fours {
                    for (counts, &byte) in counts.iter_mut().zip(four) {
                        counts[usize::from(byte)] += 1;
                    }
                }
                for &byte in rest {
                    counts[0][usize::from(byte)] += 1;
                }
            }
            let sum = |of: &[[u32; 256]; 4]| {
                std::array::from_fn(|byte| of.iter().map(|counts| u64::from(counts[byte])).sum())
            };
            Ok(counts.each_ref().map(sum))
        })
        .try_reduce(
            || [[0; 256]; IMAGES],
            |mut total: ByteCounts, part| {
                for (total, part) in total.iter_mut().flatten().zip(part.iter().flatten()) {
                    *total += part;
                }
                Ok(total)
            },
        )
}

/// How many positions of the slice are capture positions, in that part of the chunks which one of so many
/// processes goes through. Under each owner mask, an orbit has none or only such.
fn captures(index: &SliceIndex, (process, processes): (usize, usize)) -> u64 {
    let order = OrbitOrder::of(index.sets());
    let chunks =
        (0..2).flat_map(|half: Half| (0..order.chunks(half)).map(move |chunk| (half, chunk)));
    let chunks: Vec<(Half, usize)> = chunks.skip(process).step_by(processes).collect();
    let of_chunk = |(half, chunk)| {
        let mut by_images = [[0; WORDS]; IMAGES];
        for (place, &orbit) in order.chunk(half, chunk).iter().enumerate() {
            let images = index.sets().orbit_len(orbit as usize).ilog2() as usize;
            by_images[images][place / 64] |= 1u64 << (place % 64);
        }
        let quiet = quiet::passing_chunk(index.sets(), half, chunk);
        let mut captures = 0;
        for split in index.splits() {
            for mask in split.owner_masks() {
                let quiet = quiet.of_mask(mask);
                for (images, orbits) in by_images.iter().enumerate() {
                    let orbits = orbits.iter().zip(quiet).map(|(orbits, quiet)| orbits & !quiet);
                    let count: u32 = orbits.map(u64::count_ones).sum();
                    captures += (u64::from(count) << images) * split.mask_rows as u64;
                }
            }
        }
        captures
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
            let mask = index.row_parts(number as usize % index.rows()).mask;
            if Placement::with_owners(set, mask).must_capture() {
                expected.capture += images;
            }
        }
        assert_eq!(SliceStats::count(&index, &slice).unwrap(), expected);
    }
}
