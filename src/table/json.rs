//! The counts of a table in the form in which programs get them.

use super::{SliceStats, StoredCounts, Table};
use crate::index::Material;
use crate::rules::RuleSet;
use serde::Serialize;

/// The counts of a material: of all positions in which neither side has lost all its columns, or of those of at most
/// `max_columns` columns. Positions that differ only by a symmetry count separately.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    /// The material as it was asked for.
    material: Material,
    /// The rule set.
    rules: RuleSet,
    /// The column bound; absent if the table is whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_columns: Option<usize>,
    /// The positions with White to move.
    white: OfSide,
    /// The positions with Black to move.
    black: OfSide,
    /// By number of columns, for both sides to move together.
    columns: Vec<OfColumns>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Results {
    /// How many the side to move wins.
    win: u64,
    /// How many are drawn.
    draw: u64,
    /// How many it loses.
    loss: u64,
}

/// Counts of positions with one side to move.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfSide {
    #[serde(flatten)]
    results: Results,
    /// The longest win in plies; `null` if there is none.
    max_win: Option<u16>,
    /// The longest loss in plies; `null` if there is none.
    max_loss: Option<u16>,
    /// In how many it must capture.
    capture: u64,
    /// How many positions have each distance that occurs: `[[plies, positions], …]`.
    histogram: Vec<(u16, u64)>,
}

/// Counts of the positions with a certain number of columns.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfColumns {
    /// The number of columns.
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
