//! Counting the statistics of a slice from its values.

use super::SliceStats;
use crate::index::SliceIndex;
use crate::rules::Placement;
use crate::values::{Distance, SliceValues};
use rayon::prelude::*;
use std::io;

impl SliceStats {
    /// Counts the positions of a solved slice.
    ///
    /// # Errors
    /// If the values are kept in a file and cannot be read.
    pub fn count(index: &SliceIndex, slice: &SliceValues) -> io::Result<SliceStats> {
        const ORBITS_A_TASK: usize = 256;
        (0..index.orbits().div_ceil(ORBITS_A_TASK))
            .into_par_iter()
            .map(|task| {
                let first = task * ORBITS_A_TASK;
                let mut stats = SliceStats::default();
                // By distance, where that is short.
                let mut counts = [0u64; 256];
                let mut distances = vec![Distance::DRAW; index.rows()];
                for orbit in first..(first + ORBITS_A_TASK).min(index.orbits()) {
                    let images = index.sets().orbit_len(orbit) as u64;
                    let start = (orbit * index.rows()) as u64;
                    slice.read(start, &mut distances)?;
                    for distance in &distances {
                        match distance.dtw() {
                            None => stats.draw += images,
                            Some(dtw) if dtw < 256 => counts[usize::from(dtw)] += images,
                            Some(dtw) => stats.add_decided(dtw, images),
                        }
                    }
                    stats.capture += images * captures_in(index, orbit);
                }
                for (dtw, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                    stats.add_decided(dtw as u16, count);
                }
                Ok(stats)
            })
            .try_reduce(SliceStats::default, |mut total, part| {
                total.merge(&part);
                Ok(total)
            })
    }
}

/// How many positions of an orbit are capture positions: for each owner mask, all or none.
fn captures_in(index: &SliceIndex, orbit: usize) -> u64 {
    let occupied = index.sets().representative(orbit);
    let mut captures = 0;
    for split in index.splits() {
        for mask in split.owner_masks() {
            if Placement::with_owners(occupied, mask).must_capture() {
                captures += split.mask_rows as u64;
            }
        }
    }
    captures
}
