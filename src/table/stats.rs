//! Statistics of a slice, which the file keeps beside the values, and those of a material.

use super::Table;
use crate::index::Material;
use crate::rules::{ByColor, Color};
use std::collections::BTreeMap;

/// Counts over all positions of a slice, unfolded, in which neither side has lost all its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// The counts that a table stores, for all its positions. Nothing is counted anew.
///
/// ```
/// use lasca_tablebase::table::StoredCounts;
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::{Color, RuleSet};
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// let material = "2-2".parse()?;
/// let counts = StoredCounts::of(tables.table(material)?, material);
/// assert_eq!(counts.by_color[Color::White].win, 56_988);
/// assert_eq!(counts.total().win, 2 * 56_988);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredCounts {
    /// The counts for each side to move.
    pub by_color: ByColor<SliceStats>,
    /// The counts by number of columns, for both sides to move together.
    pub by_columns: BTreeMap<usize, SliceStats>,
}

impl StoredCounts {
    /// The counts of a material. The table is that of the material, or that of the material with the
    /// colours exchanged.
    pub fn of(table: &Table, material: Material) -> StoredCounts {
        let stored = table.material();
        let mut by_color = ByColor::<SliceStats>::default();
        let mut by_columns: BTreeMap<usize, SliceStats> = BTreeMap::new();
        for slice in table.slices() {
            let side = stored.stored_sides()[slice.side()];
            let colors: &[Color] = match (stored.is_balanced(), material == stored) {
                // Such a table stores White to move only. The counts for Black are the same.
                (true, _) => &Color::ALL,
                (false, true) => &[side],
                (false, false) => &[!side],
            };
            for &color in colors {
                by_color[color].merge(slice.stats());
                by_columns.entry(slice.columns()).or_default().merge(slice.stats());
            }
        }
        StoredCounts { by_color, by_columns }
    }

    /// The counts for both sides to move together.
    pub fn total(&self) -> SliceStats {
        let mut total = self.by_color.white.clone();
        total.merge(&self.by_color.black);
        total
    }
}
