//! The counts that a table stores, by colour and by number of columns.

use super::{SliceStats, Table};
use crate::index::Material;
use crate::rules::{ByColor, Color};
use std::collections::BTreeMap;

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
