//! Statistics of a slice, which the file keeps beside the values.

use std::collections::BTreeMap;

/// Counts over all positions of a slice, unfolded, in which both sides command a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SliceStats {
    /// Positions that the side to move wins.
    pub win: u64,
    /// Positions that are drawn.
    pub draw: u64,
    /// Positions that the side to move loses.
    pub loss: u64,
    /// Positions in which the side to move must capture.
    pub capture: u64,
    /// For each DTW in plies that occurs, how many positions have it.
    pub histogram: BTreeMap<u16, u64>,
}

impl SliceStats {
    /// Counts positions that are won or lost in `dtw` plies.
    pub(super) fn add_decided(&mut self, dtw: u16, count: u64) {
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
