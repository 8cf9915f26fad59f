//! `verify`: checks that tables are intact and right.

use crate::failure::{Failure, Status, hint_line, no_tables};
use crate::folders::open_each;
use crate::global::Global;
use crate::json::{Fault, TableHead};
use crate::memory::{TEMPORARY, ValuesMemory, largest_slices};
use crate::output::Output;
use crate::parsers;
use crate::progress::Bars;
use crate::{hints, text};
use lasca_tablebase::Reason;
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::probe::{ProbeError, TableEntry, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{Table, TableError};
use lasca_tablebase::verify::{
    ContentsReport, Difference, StatisticsReport, ValuesReport, WrongStatistic, check_contents,
};
use serde::Serialize;
use std::convert::identity;
use std::path::Path;
use std::time::{Duration, Instant};

/// Check the bytes, values and statistics of tables
///
/// The first check compares the bytes with their checksums. It finds files that have changed since
/// they were written. The second check derives every value again, distance included, from the values
/// of the positions that the moves lead to. It finds mistakes of the generator, which works in the
/// other direction. The last check counts the statistics in the table again. The values of a damaged
/// table are not checked. The exit status is 1 if a table is missing, damaged or wrong, or cannot be
/// read.
///
/// This does not notice a sound table in place of another one. `sha256sum -c SHA256SUMS`, in the folder,
/// compares the files with the list of a release.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb verify
  lasca-tb verify 4-3 --tables my-tables")]
pub struct Args {
    /// The materials [default: all tables in the folder]
    ///
    /// Without materials, tables of all rule sets are checked, unless --rules names one.
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,

    #[command(flatten)]
    memory: ValuesMemory,

    /// Check only the bytes
    #[arg(long)]
    bytes_only: bool,

    /// The greatest number of wrong values, and of wrong statistics, to print per table
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
        value_parser = parsers::number::<u32>(0..=1_000_000_000))]
    limit: u32,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let folders = global.folders.to_check();
    let folders = match args.materials.is_empty() {
        true => open_each(&folders, global.rules())?,
        false => vec![Tablebase::options(global.rules()).open(folders)?],
    };
    let tables = tables_to_check(args, global.rules, &folders);
    if tables.is_empty() {
        return Err(no_tables(&global.folders.paths(), global.rules));
    }
    let (mut positions, mut at_a_time) = (0, 0);
    for table in tables.iter().filter(|_| !args.bytes_only) {
        let (all, largest) = table.positions();
        positions += all;
        at_a_time = at_a_time.max(largest);
    }
    let bars = Bars::of_values(positions, at_a_time)?;
    let mut out = Output::new();
    let mut status = Status::Affirmative;
    for table in &tables {
        let verified = table.check(args, &bars)?;
        if !verified.is_good() {
            status = Status::Negative;
        }
        bars.suspend(|| out.result(global.json, || verified.json(), || verified.lines()))?;
    }
    Ok(status)
}

fn tables_to_check<'a>(
    args: &Args,
    rules: Option<RuleSet>,
    folders: &'a [Tablebase],
) -> Vec<TableToCheck<'a>> {
    if args.materials.is_empty() {
        let files = folders.iter().flat_map(|folder| folder.tables());
        let wanted = files.filter(|file| rules.is_none_or(|rules| rules == file.rules()));
        let check = |file: &'a TableEntry| TableToCheck {
            material: file.material(),
            rules: file.rules(),
            table: Ok(file),
        };
        return wanted.map(check).collect();
    }
    let (tables, rules) = (&folders[0], rules.unwrap_or_default());
    let check = |material| TableToCheck { material, rules, table: tables.file_of(material) };
    let materials = args.materials.iter().map(|material| material.normalized());
    parsers::each_once(materials, identity).into_iter().map(check).collect()
}

/// A table that is to be checked.
struct TableToCheck<'a> {
    material: Material,
    rules: RuleSet,
    /// The files of the table, or why there are none.
    table: Result<&'a TableEntry, ProbeError>,
}

impl TableToCheck<'_> {
    /// How many positions there are to check, in all and at a time; none if the table cannot be opened. No
    /// file stays open.
    fn positions(&self) -> (u64, u64) {
        let counts = |table: &Table| (table.positions(), largest_slices(table));
        let file = self.table.as_ref().ok().map(|file| file.closed());
        file.and_then(|file| file.table().ok().map(counts)).unwrap_or_default()
    }

    fn check(&self, args: &Args, bars: &Bars) -> Result<Verified<'_>, Failure> {
        let started = Instant::now();
        let mut verified = Verified {
            table: self,
            size: None,
            bytes_intact: false,
            values_right: None,
            reports: None,
            failure: None,
            is_unreadable: false,
            time: Duration::ZERO,
        };
        // The files are closed after the check, and their memory is free for the next table.
        let checked = self.table.as_ref().map(|file| file.closed()).map_err(Clone::clone);
        let checked = checked.and_then(|file| verified.check_bytes_of(file));
        match checked {
            Ok(file) if !args.bytes_only => {
                verified.check_contents_of(&file, args, bars)?;
            }
            Ok(_) => {}
            Err(error) => verified.note_error(error)?,
        }
        verified.time = started.elapsed();
        Ok(verified)
    }
}

/// What was found out about a table.
struct Verified<'a> {
    table: &'a TableToCheck<'a>,
    /// What the table covers, and how many positions that are, if it could be opened.
    size: Option<(Extent, u64)>,
    bytes_intact: bool,
    /// Whether the values are right, if they were to be checked.
    values_right: Option<bool>,
    /// What was found out about values and statistics, if they could be read.
    reports: Option<(ValuesReport, StatisticsReport)>,
    failure: Option<Failure>,
    /// Whether the failure says nothing about the table: the system cannot read a file.
    is_unreadable: bool,
    time: Duration,
}

/// The result of checking a table: `verify --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Verified"))]
pub struct VerifiedLine<'a> {
    #[serde(flatten)]
    head: TableHead,
    /// The path of the table's `.ltbw` file; `null` if there is none.
    path: Option<String>,
    /// How many positions are stored. Positions that differ only by a symmetry count once. `null` if the table could not be
    /// opened.
    positions: Option<u64>,
    /// Whether the table is there and all bytes match their checksums.
    bytes_intact: bool,
    /// Whether every value follows from the values of its successors; `null` if not checked.
    values_right: Option<bool>,
    /// How many values are wrong; `null` if not checked.
    differences: Option<u64>,
    /// The first wrong values.
    first_differences: &'a [Difference],
    /// Whether the statistics in the table match its values; `null` if not checked.
    statistics_right: Option<bool>,
    /// The first statistics that do not match.
    wrong_statistics: &'a [WrongStatistic],
    /// How long the check took, in seconds.
    seconds: f64,
    #[serde(flatten)]
    failed: Option<Fault>,
}

impl Verified<'_> {
    fn is_good(&self) -> bool {
        self.bytes_intact
            && self.failure.is_none()
            && self.values_right != Some(false)
            && self.statistics_right() != Some(false)
    }

    /// Whether the statistics are right, if they were checked.
    fn statistics_right(&self) -> Option<bool> {
        self.reports.as_ref().map(|(_, statistics)| statistics.differences == 0)
    }

    /// The path of the `.ltbw` file, if there is one.
    fn path(&self) -> Option<&Path> {
        self.table.table.as_ref().ok().and_then(|file| file.path())
    }

    /// Checks the bytes of a table, and hands it back if they are intact.
    fn check_bytes_of(&mut self, file: TableEntry) -> Result<TableEntry, ProbeError> {
        let table = file.table()?;
        self.size = Some((table.extent(), table.positions()));
        table.check_bytes().map_err(|error| file.error(error))?;
        self.bytes_intact = true;
        Ok(file)
    }

    /// Checks the values and statistics of a table whose bytes are intact.
    fn check_contents_of(
        &mut self,
        file: &TableEntry,
        args: &Args,
        bars: &Bars,
    ) -> Result<(), Failure> {
        let table = file.table()?;
        let kept = args
            .memory
            .keep("checking", table, 0)
            .map_err(|failure| failure.with_hint("--bytes-only needs none"))?;
        match kept.work(|keep| check_contents(table, keep, args.limit as usize, bars)) {
            ContentsReport::Checked { values, statistics } => {
                self.values_right = Some(values.differences == 0);
                self.reports = Some((values, statistics));
            }
            ContentsReport::Unreadable(error) => {
                self.values_right = Some(false);
                self.failure = Some(file.error(error).into());
            }
            // Other tables would meet it too.
            ContentsReport::NotChecked(error @ TableError::Temporary { .. }) => {
                let hint = format!("{} names the folder", TEMPORARY);
                return Err(Failure::from(file.error(error)).with_hint(hint));
            }
            ContentsReport::NotChecked(error) => self.note_error(file.error(error))?,
        }
        Ok(())
    }

    /// Notes why something was not checked.
    ///
    /// # Errors
    /// If there is not enough memory, so that other tables are not worth a try.
    fn note_error(&mut self, error: ProbeError) -> Result<(), Failure> {
        let failure = Failure::from(error);
        self.is_unreadable = failure.failed.reason == Reason::Unreadable;
        if failure.failed.reason == Reason::NoMemory {
            return Err(failure);
        }
        self.failure = Some(failure);
        Ok(())
    }

    fn json(&self) -> VerifiedLine<'_> {
        let (values, statistics) =
            self.reports.as_ref().map(|(values, statistics)| (values, statistics)).unzip();
        VerifiedLine {
            head: TableHead {
                material: self.table.material,
                rules: self.table.rules,
                max_columns: self.size.and_then(|(extent, _)| extent.max_columns()),
            },
            path: self.path().map(|path| path.display().to_string()),
            positions: self.size.map(|(_, positions)| positions),
            bytes_intact: self.bytes_intact,
            values_right: self.values_right,
            differences: values.map(|report| report.differences),
            first_differences: values.map_or(&[][..], |report| &report.first),
            statistics_right: self.statistics_right(),
            wrong_statistics: statistics.map_or(&[][..], |report| &report.first),
            seconds: self.time.as_secs_f64(),
            failed: self.failure.as_ref().map(|failure| (*failure.failed).clone().into()),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut findings = vec![match (self.bytes_intact, self.path()) {
            (true, _) => "bytes intact".to_owned(),
            (false, Some(_)) if self.is_unreadable => "CANNOT BE READ".to_owned(),
            (false, Some(_)) => "DAMAGED".to_owned(),
            (false, None) => "MISSING".to_owned(),
        }];
        if let (Some((_, positions)), Some(right)) = (self.size, self.values_right) {
            let positions = text::grouped(positions);
            findings.push(match (right, &self.reports) {
                (true, _) => format!("values right, all {positions}"),
                (false, Some((values, _))) => {
                    let wrong = text::grouped(values.differences);
                    format!("VALUES WRONG, {wrong} of {positions}")
                }
                (false, None) => "VALUES WRONG".to_owned(),
            });
        } else if self.bytes_intact && self.failure.is_some() {
            findings.push("VALUES NOT CHECKED".to_owned());
        }
        if self.statistics_right() == Some(false) {
            findings.push("STATISTICS WRONG".to_owned());
        }
        let material = self.table.material.to_string();
        let name = self.size.map_or(material, |(extent, _)| extent.to_string());
        let (rules, findings) = (self.table.rules, findings.join("; "));
        let mut lines = text::result_line(&format!("{name} under {rules} rules: {findings}"));
        let why = self.failure.iter().flat_map(Failure::lines);
        lines.extend(why.map(|line| format!("  {line}")));
        if let Some((values, statistics)) = &self.reports {
            let difference = |Difference { position, stored, expected, .. }: &Difference| {
                format!("  {position}: stored {stored}, expected {expected}")
            };
            lines.extend(values.first.iter().map(difference));
            let more = values.differences - values.first.len() as u64;
            if more > 0 {
                lines.push(format!("  and {} more", text::grouped(more)));
            }
            lines.extend(statistics.first.iter().map(|wrong| {
                let (stored, counted) = (text::grouped(wrong.stored), text::grouped(wrong.counted));
                let (side, columns, count) = (wrong.side.name(), wrong.columns, wrong.statistic);
                format!("  {side}, {columns} columns, {count}: stored {stored}, counted {counted}")
            }));
        }
        if let Some(path) = self.path()
            && (self.values_right == Some(false) || self.statistics_right() == Some(false))
        {
            lines.push(format!("  {}", hint_line(&hints::replace(path))));
        }
        lines
    }
}
