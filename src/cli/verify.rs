//! `verify`: checks that tables are intact and right.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::memory::ValuesMemory;
use crate::output::Output;
use crate::parsers;
use crate::progress::Bars;
use crate::sums::Sums;
use crate::terminal::{Tone, painted};
use crate::{hints, json, text, threads};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{ProbeError, TableFile, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::TableError;
use lasca_tablebase::verify::{ContentsReport, StatisticsReport, ValuesReport, check_contents};
use std::io;
use std::path::Path;
use std::time::Instant;

/// Check the bytes, values and statistics of tables
///
/// The first check compares the bytes with their checksums. It finds files that have changed since
/// they were written. The second check derives every value again, distance included, from the values
/// of the positions that the moves lead to. It finds mistakes of the generator, which works in the
/// other direction. The last check counts the statistics in the table again. The values of a damaged
/// table are not checked. If the folder has a list SHA256SUMS, as the folder of a release has, its
/// files are compared with the list too. The exit status is 1 if a table is missing, damaged or wrong,
/// is not the one in the list, or cannot be read.
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

/// Checks the tables, and prints the result of each.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    threads::start()?;
    let folders = if args.materials.is_empty() {
        global.folders.open_each(global.rules())?
    } else {
        vec![global.folders.open(global.rules())?]
    };
    let sums: Vec<Sums> =
        global.folders.paths().iter().map(|path| Sums::read(path)).collect::<Result<_, _>>()?;
    let tables = tables_to_check(args, global.rules, &folders, &sums);
    if tables.is_empty() {
        return Err(Failure::Negative(hints::no_tables(&global.folders.paths(), global.rules)));
    }
    let positions = match args.bytes_only {
        true => 0,
        false => tables.iter().map(TableToCheck::positions).sum(),
    };

    let bars = Bars::new(positions);
    let mut out = Output::new();
    let mut status = Status::Affirmative;
    for table in &tables {
        let mut verified = table.check(args, &bars)?;
        verified.compare_with(&sums, table);
        if !verified.is_good() {
            status = Status::Negative;
        }
        bars.suspend(|| {
            if global.json {
                out.json(&verified)?;
            } else {
                lines_of(&verified).into_iter().try_for_each(|line| out.line(line))?;
            }
            out.flush()
        })?;
    }
    Ok(status)
}

fn tables_to_check<'a>(
    args: &Args,
    rules: Option<RuleSet>,
    folders: &'a [Tablebase],
    sums: &[Sums],
) -> Vec<TableToCheck<'a>> {
    let files = folders.iter().flat_map(|folder| folder.tables());
    if args.materials.is_empty() {
        let here = files.map(|file| TableToCheck {
            material: file.material(),
            rules: file.rules(),
            table: Ok(file),
        });
        let missing = sums.iter().flat_map(|sums| {
            let tables = sums.missing_tables();
            tables.map(|(material, rules)| {
                let folders = vec![sums.folder().to_owned()];
                let error = ProbeError::MissingTable { material, rules, folders, columns: None };
                TableToCheck { material, rules, table: Err(error) }
            })
        });
        let wanted = |table: &TableToCheck<'_>| rules.is_none_or(|rules| rules == table.rules);
        return here.chain(missing).filter(wanted).collect();
    }
    let rules = rules.unwrap_or_default();
    let mut materials: Vec<Material> = Vec::new();
    for material in args.materials.iter().map(|material| material.normalized()) {
        if !materials.contains(&material) {
            materials.push(material);
        }
    }
    let find = |material| {
        // The one that questions are answered from.
        let found = files
            .clone()
            .filter(|file| (file.material(), file.rules()) == (material, rules))
            .reduce(|best, next| if next.is_preferred_to(best) { next } else { best });
        let table = found.ok_or_else(|| match folders[0].table(material) {
            Err(error) => error,
            Ok(_) => unreachable!("the table was looked for and not found"),
        });
        TableToCheck { material, rules, table }
    };
    materials.into_iter().map(find).collect()
}

/// A table that is to be checked.
struct TableToCheck<'a> {
    material: Material,
    rules: RuleSet,
    /// The files of the table, or why there are none.
    table: Result<&'a TableFile, ProbeError>,
}

impl TableToCheck<'_> {
    /// How many positions there are to check; 0 if the table cannot be opened. No file stays open.
    fn positions(&self) -> u64 {
        let file = self.table.as_ref().ok().map(|file| file.closed());
        file.and_then(|file| Some(file.table().ok()?.positions())).unwrap_or(0)
    }

    fn check(&self, args: &Args, bars: &Bars) -> Result<json::Verified, Failure> {
        let started = Instant::now();
        let mut verified = json::Verified {
            material: self.material.to_string(),
            rules: self.rules.name(),
            max_columns: None,
            path: self.table.as_ref().ok().map(|file| file.path().display().to_string()),
            positions: None,
            bytes_intact: false,
            values_right: None,
            differences: None,
            first_differences: Vec::new(),
            statistics_right: None,
            wrong_statistics: Vec::new(),
            as_listed: None,
            error: None,
            seconds: 0.0,
            is_unreadable: false,
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

impl json::Verified {
    fn is_good(&self) -> bool {
        self.bytes_intact
            && self.error.is_none()
            && self.values_right != Some(false)
            && self.statistics_right != Some(false)
            && self.as_listed != Some(false)
    }

    /// Compares the files of a table with the lists of the folders.
    fn compare_with(&mut self, sums: &[Sums], table: &TableToCheck<'_>) {
        let Ok(file) = table.table else { return };
        let found = sums.iter().find_map(|sums| sums.check(file));
        self.as_listed = found.as_ref().map(Result::is_ok);
        if let Some(Err(error)) = found {
            self.error.get_or_insert(error);
        }
    }

    /// Checks the bytes of a table, and hands it back if they are intact.
    fn check_bytes_of(&mut self, file: TableFile) -> Result<TableFile, ProbeError> {
        let table = file.table()?;
        self.max_columns = table.extent().max_columns();
        self.positions = Some(table.positions());
        table.check_bytes().map_err(|error| file.error(error))?;
        self.bytes_intact = true;
        Ok(file)
    }

    /// Checks the values and statistics of a table whose bytes are intact.
    fn check_contents_of(
        &mut self,
        file: &TableFile,
        args: &Args,
        bars: &Bars,
    ) -> Result<(), Failure> {
        let table = file.table()?;
        let keep = args
            .memory
            .keep("checking", table)
            .map_err(|failure| failure.with_hint("--bytes-only needs none"))?;
        match check_contents(table, keep, args.limit as usize, bars) {
            ContentsReport::Checked { values, statistics } => {
                self.note_values(&values);
                self.note_statistics(&statistics);
            }
            ContentsReport::Unreadable(error) => {
                self.values_right = Some(false);
                self.error = Some(file.error(error).to_string());
            }
            ContentsReport::NotChecked(error @ TableError::NoDtw) => {
                self.error = Some(format!("{}: {error}", file.path().display()));
            }
            // Other tables would meet it too.
            ContentsReport::NotChecked(error @ TableError::Temporary { .. }) => {
                return Err(Failure::from(file.error(error)).with_hint("TMPDIR names the folder"));
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
        self.is_unreadable = match &error {
            ProbeError::Unreadable { .. } => true,
            ProbeError::Damaged { error, .. } => matches!(error.cause(), TableError::Changed(_)),
            _ => false,
        };
        let lacks_memory =
            matches!(&error, ProbeError::Unreadable { kind: io::ErrorKind::OutOfMemory, .. });
        let failure = Failure::from(error);
        if lacks_memory {
            return Err(failure);
        }
        self.error = Some(failure.to_string());
        Ok(())
    }

    fn note_values(&mut self, report: &ValuesReport) {
        self.values_right = Some(report.differences == 0);
        self.differences = Some(report.differences);
        let differences = report.first.iter().map(|difference| json::Difference {
            position: difference.position.to_string(),
            stored: difference.stored.into(),
            expected: difference.expected.into(),
        });
        self.first_differences = differences.collect();
    }

    fn note_statistics(&mut self, report: &StatisticsReport) {
        self.statistics_right = Some(report.differences == 0);
        let wrong = report.first.iter().map(|wrong| json::WrongStatistic {
            side: wrong.side.name(),
            columns: wrong.columns,
            count: wrong.statistic.to_string(),
            stored: wrong.stored,
            counted: wrong.counted,
        });
        self.wrong_statistics = wrong.collect();
    }
}

fn lines_of(verified: &json::Verified) -> Vec<String> {
    let mut findings = vec![match (verified.bytes_intact, &verified.path) {
        (true, _) => painted(Tone::Good, "bytes intact"),
        (false, Some(_)) if verified.is_unreadable => painted(Tone::Bad, "CANNOT BE READ"),
        (false, Some(_)) => painted(Tone::Bad, "DAMAGED"),
        (false, None) => painted(Tone::Bad, "MISSING"),
    }];
    if let (Some(positions), Some(right)) = (verified.positions, verified.values_right) {
        let positions = text::grouped(positions);
        findings.push(match (right, verified.differences) {
            (true, _) => painted(Tone::Good, &format!("values right, all {positions}")),
            (false, Some(differences)) => {
                let wrong = format!("VALUES WRONG, {} of {positions}", text::grouped(differences));
                painted(Tone::Bad, &wrong)
            }
            (false, None) => painted(Tone::Bad, "VALUES WRONG"),
        });
    } else if verified.bytes_intact && verified.error.is_some() && verified.as_listed != Some(false)
    {
        findings.push(painted(Tone::Even, "VALUES NOT CHECKED"));
    }
    if verified.statistics_right == Some(false) {
        findings.push(painted(Tone::Bad, "STATISTICS WRONG"));
    }
    if verified.as_listed == Some(false) {
        findings.push(painted(Tone::Bad, "NOT AS LISTED"));
    }
    let columns = verified.max_columns.map(|k| format!(" with at most {k} columns"));
    let mut lines = vec![format!(
        "{}{} under {} rules: {}",
        verified.material,
        columns.unwrap_or_default(),
        verified.rules,
        findings.join("; ")
    )];
    if let Some(error) = &verified.error {
        lines.push(format!("  {}", text::printable(error)));
    }
    lines.extend(verified.first_differences.iter().map(|difference| {
        let json::Difference { position, stored, expected } = difference;
        let in_words = |value: &json::Known| {
            let plies = value.dtw.map(|plies| format!(" in {plies}"));
            format!("{}{}", value.wdl.unwrap_or_default(), plies.unwrap_or_default())
        };
        format!("  {position}: stored {}, expected {}", in_words(stored), in_words(expected))
    }));
    let shown = verified.first_differences.len() as u64;
    let more = verified.differences.unwrap_or(0).saturating_sub(shown);
    if more > 0 {
        lines.push(format!("  and {} more", text::grouped(more)));
    }
    lines.extend(verified.wrong_statistics.iter().map(|wrong| {
        let json::WrongStatistic { side, columns, count, stored, counted } = wrong;
        let (stored, counted) = (text::grouped(*stored), text::grouped(*counted));
        format!("  {side}, {columns} columns, {count}: stored {stored}, counted {counted}")
    }));
    if let Some(path) = &verified.path
        && (verified.values_right == Some(false) || verified.statistics_right == Some(false))
    {
        let how = text::printable(&hints::replace(Path::new(path)));
        lines.push(format!("  To mend the table, {how}"));
    }
    lines
}
