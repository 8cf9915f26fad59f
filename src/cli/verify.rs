//! `verify`: checks that tables are intact and right.

use crate::failure::{Failure, Status, hint_line, hint_lines, no_tables};
use crate::folders::open_each;
use crate::global::Global;
use crate::json::{Fault, TableHead};
use crate::memory::{TEMPORARY, ValuesMemory};
use crate::output::Output;
use crate::parsers;
use crate::progress::Bars;
use crate::{hints, text};
use lasca_tablebase::Reason;
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{ProbeError, TableEntry, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{Table, TableError};
use lasca_tablebase::verify::{ContentsReport, Difference, WrongStatistic, check_contents};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

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
    let to_check = tables.iter().filter(|_| !args.bytes_only);
    let bars = Bars::of_values(to_check.map(TableToCheck::positions).sum())?;
    let mut out = Output::new();
    let mut status = Status::Affirmative;
    for table in &tables {
        let verified = table.check(args, &bars)?;
        if !verified.is_good() {
            status = Status::Negative;
        }
        out.result(global.json, || &verified, || verified.lines())?;
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
    let materials = parsers::each_once(args.materials.iter().copied());
    materials.into_iter().map(|material| check(material.normalized())).collect()
}

/// A table that is to be checked.
struct TableToCheck<'a> {
    material: Material,
    rules: RuleSet,
    /// The files of the table, or why there are none.
    table: Result<&'a TableEntry, ProbeError>,
}

impl TableToCheck<'_> {
    /// How many positions there are to check; none if the table cannot be opened. No file stays open.
    fn positions(&self) -> u64 {
        let file = self.table.as_ref().ok().map(|file| file.closed());
        file.and_then(|file| file.table().ok().map(Table::positions)).unwrap_or_default()
    }

    fn check(&self, args: &Args, bars: &Bars) -> Result<Verified, Failure> {
        let started = Instant::now();
        let path = self.table.as_ref().ok().and_then(|file| file.path());
        let mut verified = Verified {
            head: TableHead { material: self.material, rules: self.rules, max_columns: None },
            path: path.map(|path| path.display().to_string()),
            positions: None,
            bytes_intact: false,
            values_right: None,
            differences: None,
            first_differences: Vec::new(),
            statistics_right: None,
            wrong_statistics: Vec::new(),
            seconds: 0.0,
            failed: None,
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
        verified.seconds = started.elapsed().as_secs_f64();
        Ok(verified)
    }
}

/// The result of checking a table: `verify --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verified {
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
    first_differences: Vec<Difference>,
    /// Whether the statistics in the table match its values; `null` if not checked.
    statistics_right: Option<bool>,
    /// The first statistics that do not match.
    wrong_statistics: Vec<WrongStatistic>,
    /// How long the check took, in seconds.
    seconds: f64,
    #[serde(flatten)]
    failed: Option<Fault>,
}

impl Verified {
    fn is_good(&self) -> bool {
        self.bytes_intact
            && self.failed.is_none()
            && self.values_right != Some(false)
            && self.statistics_right != Some(false)
    }

    /// Checks the bytes of a table, and hands it back if they are intact.
    fn check_bytes_of(&mut self, file: TableEntry) -> Result<TableEntry, ProbeError> {
        let table = file.table()?;
        self.head.max_columns = table.extent().max_columns();
        self.positions = Some(table.positions());
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
        let keep = args
            .memory
            .keep("checking", table, 0)
            .map_err(|failure| failure.with_hint("--bytes-only needs none"))?;
        match check_contents(table, keep, args.limit as usize, bars) {
            ContentsReport::Checked { values, statistics } => {
                self.values_right = Some(values.differences == 0);
                self.differences = Some(values.differences);
                self.first_differences = values.first;
                self.statistics_right = Some(statistics.differences == 0);
                self.wrong_statistics = statistics.first;
            }
            ContentsReport::Unreadable(error) => {
                self.values_right = Some(false);
                self.failed = Some((*Failure::from(file.error(error)).failed).into());
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
        if failure.failed.reason == Reason::NoMemory {
            return Err(failure);
        }
        self.failed = Some((*failure.failed).into());
        Ok(())
    }

    /// The same as text.
    fn lines(&self) -> Vec<String> {
        let path = self.path.as_deref().map(Path::new);
        let mut findings = vec![match (self.bytes_intact, path, &self.failed) {
            (true, ..) => "bytes intact".to_owned(),
            (false, Some(_), Some(Fault { reason: Reason::Unreadable, .. })) => {
                "CANNOT BE READ".to_owned()
            }
            (false, Some(_), _) => "DAMAGED".to_owned(),
            (false, None, _) => "MISSING".to_owned(),
        }];
        if let (Some(positions), Some(right)) = (self.positions, self.values_right) {
            let positions = text::grouped(positions);
            findings.push(match (right, self.differences) {
                (true, _) => format!("values right, all {positions}"),
                (false, Some(wrong)) => {
                    format!("VALUES WRONG, {} of {positions}", text::grouped(wrong))
                }
                (false, None) => "VALUES WRONG".to_owned(),
            });
        } else if self.bytes_intact && self.failed.is_some() {
            findings.push("VALUES NOT CHECKED".to_owned());
        }
        if self.statistics_right == Some(false) {
            findings.push("STATISTICS WRONG".to_owned());
        }
        let TableHead { material, rules, max_columns } = self.head;
        let bound = max_columns.map(|most| format!(" with at most {most} columns"));
        let name = format!("{material}{}", bound.unwrap_or_default());
        let findings = findings.join("; ");
        let mut lines = text::result_line(&format!("{name} under {rules} rules: {findings}"));
        if let Some(Fault { error, hint, .. }) = &self.failed {
            let why = std::iter::once(text::printable(error)).chain(hint_lines(hint));
            lines.extend(why.map(|line| format!("  {line}")));
        }
        let difference = |Difference { position, stored, expected, .. }: &Difference| {
            format!("  {position}: stored {stored}, expected {expected}")
        };
        lines.extend(self.first_differences.iter().map(difference));
        let more = self.differences.unwrap_or(0) - self.first_differences.len() as u64;
        if more > 0 {
            lines.push(format!("  and {} more", text::grouped(more)));
        }
        lines.extend(self.wrong_statistics.iter().map(|wrong| {
            let (stored, counted) = (text::grouped(wrong.stored), text::grouped(wrong.counted));
            let (side, columns, count) = (wrong.side.name(), wrong.columns, wrong.statistic);
            format!("  {side}, {columns} columns, {count}: stored {stored}, counted {counted}")
        }));
        if let Some(path) = path
            && (self.values_right == Some(false) || self.statistics_right == Some(false))
        {
            lines.push(format!("  {}", hint_line(&hints::replace(path))));
        }
        lines
    }
}
