//! A table: its bytes, its values and its statistics.

use super::values::{ValuesReport, check_values};
use crate::capture_search::{KeepIn, SliceReader};
use crate::forward::Selection;
use crate::rules::{Color, SquareSet};
use crate::table::{SliceStats, Table, TableError, half_of};
use crate::values::SliceValues;
use crate::{Done, Progress};
use std::collections::BTreeSet;
use std::fmt;

/// What a check of a table's values and statistics found. If it ends early, the differences found before are
/// not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentsReport {
    /// The values could not be checked, for a reason that tells nothing about them: the table has no
    /// DTW file, there is not enough memory or no room for a temporary file, the system cannot read a
    /// file, or a file was cut short during the check.
    NotChecked(TableError),
    /// The values cannot be read as a whole, so they are not right.
    Unreadable(TableError),
    /// All values and statistics were checked.
    Checked {
        /// Which values do not fit those of their successors.
        values: ValuesReport,
        /// Which statistics are not those of the values.
        statistics: StatisticsReport,
    },
}

impl ContentsReport {
    /// The report if the values could not be read.
    fn of(error: TableError) -> ContentsReport {
        match error {
            TableError::NoDtw
            | TableError::Memory
            | TableError::Temporary { .. }
            | TableError::Unreadable { .. }
            // A file was cut short since it was opened.
            | TableError::Length { .. } => ContentsReport::NotChecked(error),
            _ => ContentsReport::Unreadable(error),
        }
    }

    /// Whether everything was checked and nothing is wrong.
    pub fn is_right(&self) -> bool {
        match self {
            ContentsReport::Checked { values, statistics } => {
                values.differences == 0 && statistics.differences == 0
            }
            ContentsReport::NotChecked(_) | ContentsReport::Unreadable(_) => false,
        }
    }
}

/// Which statistics of a table are not those of its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatisticsReport {
    /// How many statistics are wrong.
    pub differences: u64,
    /// The first of them, up to the limit asked for: by number of columns, then by stored side.
    pub first: Vec<WrongStatistic>,
}

/// A number that a table keeps beside its values, and that is not theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WrongStatistic {
    /// The side to move.
    pub side: Color,
    /// The number of columns.
    pub columns: usize,
    /// What is counted: `win`, `draw`, `loss`, `capture`, or a distance such as `5 plies to the end`.
    #[cfg_attr(feature = "serde", serde(rename = "count"))]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub statistic: Statistic,
    /// The number in the table.
    pub stored: u64,
    /// The number counted from the values.
    pub counted: u64,
}

/// A number that a table keeps of each slice: a count of positions, unfolded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Statistic {
    /// Positions that the side to move wins.
    Win,
    /// Positions that are drawn.
    Draw,
    /// Positions that the side to move loses.
    Loss,
    /// Positions in which the side to move must capture.
    Capture,
    /// Positions with this DTW.
    Plies(u16),
}

impl Statistic {
    fn of(self, stats: &SliceStats) -> u64 {
        match self {
            Statistic::Win => stats.win,
            Statistic::Draw => stats.draw,
            Statistic::Loss => stats.loss,
            Statistic::Capture => stats.capture,
            Statistic::Plies(plies) => stats.histogram.get(&plies).copied().unwrap_or(0),
        }
    }
}

impl fmt::Display for Statistic {
    /// `win`, `draw`, `loss`, `capture`, or `5 plies to the end`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statistic::Win => f.write_str("win"),
            Statistic::Draw => f.write_str("draw"),
            Statistic::Loss => f.write_str("loss"),
            Statistic::Capture => f.write_str("capture"),
            Statistic::Plies(plies) => write!(f, "{plies} plies to the end"),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Statistic {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Checks every value of a table against those of its successors, and counts its statistics again.
/// The bytes are checked only as far as they are read.
///
/// Values that are not stored follow from the stored ones by the same rules that would check them
/// here, so the values that are checked are the stored ones: whole values against those of their
/// successors, and WDLs without a distance against what follows. Differences of the second kind are
/// listed first.
///
/// The lists hold the first `limit` differences each. The values take a byte for each position, in memory
/// or in files. The check runs on the threads of the current rayon pool: see
/// [`with_threads`](crate::with_threads).
///
/// ```
/// use lasca_tablebase::Silent;
/// use lasca_tablebase::capture_search::KeepIn;
/// use lasca_tablebase::table::Table;
/// use lasca_tablebase::verify::{ContentsReport, check_contents};
/// let table = Table::open_file("tables/lasca-3-1.ltbw".as_ref())?;
/// match check_contents(&table, KeepIn::Memory, 10, &Silent) {
///     ContentsReport::Checked { values, statistics } => {
///         assert_eq!((values.positions, values.differences), (19_820, 0));
///         assert_eq!(statistics.differences, 0);
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), lasca_tablebase::table::TableError>(())
/// ```
pub fn check_contents(
    table: &Table,
    keep: KeepIn,
    limit: usize,
    progress: &dyn Progress,
) -> ContentsReport {
    let mut reader = SliceReader::new(table).keep_in(keep);
    let (material, rules) = (table.material(), table.rules());
    let (mut values, mut statistics) = (ValuesReport::default(), StatisticsReport::default());
    for columns in table.extent().columns() {
        progress.slice_started(material, columns, table.positions_of(columns));
        // Slices are checked while they are in memory: quiet moves lead to positions of the same slices.
        let done = Done::new(progress);
        if let Err(error) = reader.read_next_telling(&done) {
            return ContentsReport::of(error);
        }
        let slices = reader.slices();
        statistics.check(table, columns, slices, limit);
        let stored = |set: SquareSet| stored_positions(table, columns, set);
        let left = limit - values.first.len();
        values.append(check_values(material, rules, columns, slices, &stored, left, &done));
        progress.slice_finished();
    }
    // The positions whose stored WDL is not the one that follows come before all others.
    values.differences += reader.contradicted();
    values.first.splice(0..0, reader.contradictions().iter().copied());
    values.first.truncate(limit);
    ContentsReport::Checked { values, statistics }
}

/// The positions on a set of squares for which a table stores distances.
fn stored_positions(table: &Table, columns: usize, set: SquareSet) -> Option<Selection> {
    let slice = table.slice(0, columns)?;
    if slice.is_full() {
        return Some(Selection::All);
    }
    let halves = slice.dtw_halves().ok()?;
    halves.contains(&half_of(set)).then_some(Selection::Quiet)
}

impl StatisticsReport {
    /// Counts the statistics of the slices with this many columns again.
    fn check(&mut self, table: &Table, columns: usize, slices: &[Vec<SliceValues>], limit: usize) {
        for (number, &side) in table.material().stored_sides().iter().enumerate() {
            let Some(info) = table.slice(number, columns) else {
                unreachable!("its values were read")
            };
            let Ok(recount) = SliceStats::count(info.index(), &slices[number][columns - 2]) else {
                unreachable!("a reader keeps the values in memory or maps them")
            };
            for statistic in statistics_of(info.stats(), &recount) {
                let (stored, counted) = (statistic.of(info.stats()), statistic.of(&recount));
                if stored == counted {
                    continue;
                }
                self.differences += 1;
                if self.first.len() < limit {
                    self.first.push(WrongStatistic { side, columns, statistic, stored, counted });
                }
            }
        }
    }
}

/// All statistics that one of these names.
fn statistics_of(stored: &SliceStats, counted: &SliceStats) -> BTreeSet<Statistic> {
    let plies = stored.histogram.keys().chain(counted.histogram.keys());
    [Statistic::Win, Statistic::Draw, Statistic::Loss, Statistic::Capture]
        .into_iter()
        .chain(plies.map(|&plies| Statistic::Plies(plies)))
        .collect()
}
