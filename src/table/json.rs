//! The counts of a table in the form in which programs get them.

use super::{SliceStats, StoredCounts, Table};
use crate::index::Material;
use crate::rules::RuleSet;
use serde::Serialize;

/// The counts of a material.
///
/// ```
/// use lasca_tablebase::table::json::Stats;
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// let material = "2-1".parse()?;
/// let line = serde_json::to_string(&Stats::of(tables.table(material)?, material))?;
/// assert!(line.starts_with(r#"{"material":"2-1","rules":"lasca","white":{"win":7766,"draw":0,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    material: Material,
    rules: RuleSet,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_columns: Option<usize>,
    white: OfSide,
    black: OfSide,
    columns: Vec<OfColumns>,
}

#[derive(Clone, Debug, Serialize)]
struct Results {
    win: u64,
    draw: u64,
    loss: u64,
}

/// The counts for a side to move.
#[derive(Clone, Debug, Serialize)]
struct OfSide {
    #[serde(flatten)]
    results: Results,
    max_win: Option<u16>,
    max_loss: Option<u16>,
    capture: u64,
    /// Pairs of a number of plies and of positions.
    histogram: Vec<(u16, u64)>,
}

/// The counts for a number of columns.
#[derive(Clone, Debug, Serialize)]
struct OfColumns {
    columns: usize,
    #[serde(flatten)]
    results: Results,
}

impl Stats {
    /// The counts of a material. The table is that of the material, or that of the material with the colours
    /// exchanged.
    pub fn of(table: &Table, material: Material) -> Stats {
        let counts = StoredCounts::of(table, material);
        let columns = counts.by_columns.iter();
        let columns =
            columns.map(|(&columns, stats)| OfColumns { columns, results: results(stats) });
        Stats {
            material,
            rules: table.rules(),
            max_columns: table.extent().max_columns(),
            white: OfSide::of(&counts.by_color.white),
            black: OfSide::of(&counts.by_color.black),
            columns: columns.collect(),
        }
    }
}

impl OfSide {
    fn of(stats: &SliceStats) -> OfSide {
        OfSide {
            results: results(stats),
            max_win: stats.max_win(),
            max_loss: stats.max_loss(),
            capture: stats.capture,
            histogram: stats.histogram.iter().map(|(&plies, &count)| (plies, count)).collect(),
        }
    }
}

fn results(stats: &SliceStats) -> Results {
    Results { win: stats.win, draw: stats.draw, loss: stats.loss }
}
