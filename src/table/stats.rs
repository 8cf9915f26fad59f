//! Statistics of a slice, which the file keeps beside the values.

use crate::index::SliceIndex;
use crate::rules::Placement;
use crate::values::{Distance, SliceValues};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;

/// Counts over all positions of a slice, unfolded, in which both sides command a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceStats {
    /// Positions that the side to move wins.
    pub win: u64,
    /// Positions that are drawn.
    pub draw: u64,
    /// Positions that the side to move loses.
    pub loss: u64,
    /// Positions in which the side to move must take.
    pub capture: u64,
    /// For each DTW in plies that occurs, how many positions have it.
    pub histogram: BTreeMap<u16, u64>,
}

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

    fn add_decided(&mut self, dtw: u16, count: u64) {
        *self.histogram.entry(dtw).or_default() += count;
        if dtw.is_multiple_of(2) {
            self.loss += count;
        } else {
            self.win += count;
        }
    }

    /// Adds the counts of another part of the positions.
    pub fn merge(&mut self, other: &SliceStats) {
        self.win += other.win;
        self.draw += other.draw;
        self.loss += other.loss;
        self.capture += other.capture;
        for (&dtw, &count) in &other.histogram {
            *self.histogram.entry(dtw).or_default() += count;
        }
    }

    /// All positions together.
    pub fn positions(&self) -> u64 {
        self.win + self.draw + self.loss
    }

    /// The longest win in plies, if there is a win.
    pub fn max_win(&self) -> Option<u16> {
        self.histogram.keys().rev().find(|dtw| *dtw % 2 == 1).copied()
    }

    /// The longest loss in plies, if there is a loss.
    pub fn max_loss(&self) -> Option<u16> {
        self.histogram.keys().rev().find(|dtw| *dtw % 2 == 0).copied()
    }

    /// The greatest DTW, if any position is decided.
    pub fn max_dtw(&self) -> Option<u16> {
        self.histogram.keys().next_back().copied()
    }
}

/// How many positions of a orbit are capture positions: for each owner mask, all or none.
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
