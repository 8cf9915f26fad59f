//! `verify`: checks that tables are intact and right.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::output::Output;
use crate::progress::Bars;
use crate::threads::Threads;
use crate::{hints, json, memory, text};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{ProbeError, TableFile, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{Contradiction, SliceReader, SliceStats, Table, TableError};
use lasca_tablebase::values::SliceValues;
use lasca_tablebase::verify::{ValuesReport, check_table};
use std::collections::BTreeSet;
use std::time::Instant;

/// Check the bytes, values and statistics of tables
///
/// The first check compares the bytes with their checksums. It finds files that have changed since
/// they were written. The second check derives every value again, distance included, from the values
/// of the positions that the moves lead to. It finds mistakes of the generator, which works in the
/// other direction. The last check counts the statistics in the table again. The values of a damaged
/// table are not checked. The exit status is 1 if a table is missing, damaged or wrong.
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
    folders: Folders,

    #[command(flatten)]
    threads: Threads,

    /// Check only the bytes
    #[arg(long)]
    bytes_only: bool,

    /// The greatest number of wrong values, and of wrong statistics, to print per table
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: u32,

    /// Print one JSON object per table
    ///
    /// Keys: material, rules, path, positions, bytes_intact, values_right (null if not checked),
    /// differences (the number of wrong values), first_differences (position, stored, expected),
    /// statistics_right (null if not checked), wrong_statistics (side, columns, count, stored,
    /// counted), error, seconds.
    #[arg(long)]
    json: bool,
}

/// Checks the tables, and prints the result of each.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    args.threads.start()?;
    let folders = if args.materials.is_empty() {
        args.folders.open_each(rules.unwrap_or_default())?
    } else {
        vec![args.folders.open(rules.unwrap_or_default())?]
    };
    let todo = todo(args, rules, &folders);
    let positions = todo.iter().map(|todo| todo.positions()).sum();
    if todo.is_empty() {
        return Err(Failure::Negative(hints::no_tables(&args.folders, rules)));
    }

    let bars = Bars::new(if args.bytes_only { 0 } else { positions });
    let mut out = Output::new();
    let mut status = Status::Affirmative;
    for todo in &todo {
        let verified = todo.check(args, &bars)?;
        if !verified.is_good() {
            status = Status::Negative;
        }
        bars.suspend(|| {
            if args.json {
                out.json(&verified)?;
            } else {
                lines_of(&verified).into_iter().try_for_each(|line| out.line(line))?;
            }
            out.flush()
        })?;
    }
    Ok(status)
}

fn todo<'a>(args: &Args, rules: Option<RuleSet>, folders: &'a [Tablebase]) -> Vec<Todo<'a>> {
    let files = folders.iter().flat_map(|folder| folder.tables());
    if args.materials.is_empty() {
        return files
            .filter(|file| rules.is_none_or(|rules| rules == file.rules()))
            .map(|file| Todo { material: file.material(), rules: file.rules(), table: Ok(file) })
            .collect();
    }
    let rules = rules.unwrap_or_default();
    let mut materials: Vec<Material> = Vec::new();
    for material in args.materials.iter().map(|material| material.normalized()) {
        if !materials.contains(&material) {
            materials.push(material);
        }
    }
    let find = |material| {
        let found = files.clone().find(|file| (file.material(), file.rules()) == (material, rules));
        let table = found.ok_or_else(|| match folders[0].table(material) {
            Err(error) => error,
            Ok(_) => unreachable!("the table was looked for and not found"),
        });
        Todo { material, rules, table }
    };
    materials.into_iter().map(find).collect()
}

/// A table to be checked.
struct Todo<'a> {
    material: Material,
    rules: RuleSet,
    /// Its file, or why there is none.
    table: Result<&'a TableFile, ProbeError>,
}

impl Todo<'_> {
    /// Positions to check, 0 if the table cannot be opened.
    fn positions(&self) -> u64 {
        let table = self.table.as_ref().ok().and_then(|file| file.table().ok());
        table.map_or(0, Table::positions)
    }

    fn check(&self, args: &Args, bars: &Bars) -> Result<json::Verified, Failure> {
        let started = Instant::now();
        let mut verified = json::Verified {
            material: self.material.to_string(),
            rules: self.rules.name(),
            path: self.table.as_ref().ok().map(|file| file.path().display().to_string()),
            positions: None,
            bytes_intact: false,
            values_right: None,
            differences: None,
            first_differences: Vec::new(),
            statistics_right: None,
            wrong_statistics: Vec::new(),
            error: None,
            seconds: 0.0,
        };
        let file = self.table.as_ref().map_err(Clone::clone);
        match file.and_then(|file| Ok((file, file.table()?))) {
            Err(error @ ProbeError::MissingTable { .. }) => {
                verified.error = Some(Failure::from(error).to_string());
            }
            Err(error) => verified.error = Some(error.to_string()),
            Ok((file, table)) => {
                verified.positions = Some(table.positions());
                match table.check_bytes() {
                    Err(error) => verified.error = Some(in_file(file, &error)),
                    Ok(()) if args.bytes_only => verified.bytes_intact = true,
                    Ok(()) => {
                        verified.bytes_intact = true;
                        verified.check_values_of(file, table, args.limit as usize, bars)?;
                    }
                }
            }
        }
        verified.seconds = started.elapsed().as_secs_f64();
        Ok(verified)
    }
}

/// What is wrong with a table, and in which of its files.
fn in_file(file: &TableFile, error: &TableError) -> String {
    format!("{}: {error}", file.path_of(error.kind()).display())
}

/// What is wrong with a table that cannot be read, or the system's word for why.
type Read<T> = Result<T, String>;

/// The statistics that a table keeps and that are not those of its values.
fn wrong_statistics<D: AsRef<[u8]> + Sync>(
    table: &Table<D>,
    slices: &[Vec<SliceValues>],
) -> Read<Vec<json::WrongStatistic>> {
    let mut wrong = Vec::new();
    for (side, slices) in slices.iter().enumerate() {
        let stored = table.material().columns().filter_map(|k| table.slice(side, k));
        for (info, values) in stored.zip(slices) {
            let counted = SliceStats::count(info.index(), values).map_err(|e| e.to_string())?;
            let counts = counts_of(info.stats(), &counted);
            wrong.extend(counts.into_iter().filter(|(_, stored, counted)| stored != counted).map(
                |(count, stored, counted)| json::WrongStatistic {
                    side: table.material().stored_sides()[side].name().to_owned(),
                    columns: info.columns(),
                    count,
                    stored,
                    counted,
                },
            ));
        }
    }
    Ok(wrong)
}

/// All counts of a slice by name, as the table has them and as they were counted.
fn counts_of(stored: &SliceStats, counted: &SliceStats) -> Vec<(String, u64, u64)> {
    let mut counts = vec![
        ("win".to_owned(), stored.win, counted.win),
        ("draw".to_owned(), stored.draw, counted.draw),
        ("loss".to_owned(), stored.loss, counted.loss),
        ("capture".to_owned(), stored.capture, counted.capture),
    ];
    let plies: BTreeSet<&u16> = stored.histogram.keys().chain(counted.histogram.keys()).collect();
    let of = |stats: &SliceStats, plies| stats.histogram.get(plies).copied().unwrap_or(0);
    counts.extend(
        plies.into_iter().map(|plies| {
            (format!("{plies} plies to the end"), of(stored, plies), of(counted, plies))
        }),
    );
    counts
}

/// Refuses to check values for which the memory does not suffice.
fn check_memory<D: AsRef<[u8]>>(table: &Table<D>) -> Result<(), Failure> {
    // A byte a position, and what is being worked out meanwhile.
    let needed = table.positions() + (256 << 20);
    match memory::available().filter(|&available| available < needed) {
        None => Ok(()),
        Some(available) => Err(Failure::Wrong(format!(
            "checking the values of {} needs {} of memory, and this machine has {} to spare; \
             --bytes-only needs none",
            table.material(),
            text::bytes_or_more(needed),
            text::bytes_or_less(available),
        ))),
    }
}

impl json::Verified {
    fn is_good(&self) -> bool {
        self.bytes_intact
            && self.error.is_none()
            && self.values_right != Some(false)
            && self.statistics_right != Some(false)
    }

    /// Checks values and statistics of a table whose bytes are intact.
    fn check_values_of<D: AsRef<[u8]> + Sync>(
        &mut self,
        file: &TableFile,
        table: &Table<D>,
        limit: usize,
        bars: &Bars,
    ) -> Result<(), Failure> {
        check_memory(table)?;
        let mut reader = SliceReader::new(table);
        loop {
            match reader.read_next() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    let unchecked = matches!(error, TableError::NoDtw | TableError::Memory);
                    self.values_right = (!unchecked).then_some(false);
                    self.error = Some(in_file(file, &error));
                    return Ok(());
                }
            }
        }
        let slices = reader.slices();
        match wrong_statistics(table, slices) {
            Ok(mut wrong) => {
                self.statistics_right = Some(wrong.is_empty());
                wrong.truncate(limit);
                self.wrong_statistics = wrong;
            }
            Err(error) => self.error = Some(error),
        }
        match check_table(table, &reader, limit, bars) {
            Ok(report) => {
                self.note(&report);
                self.note_contradictions(table, &reader, limit);
            }
            Err(error) => {
                self.values_right = Some(false);
                self.error = Some(error.to_string());
            }
        }
        Ok(())
    }

    /// Notes positions whose stored WDL is wrong by the values around them, before all others.
    fn note_contradictions<D: AsRef<[u8]> + Sync>(
        &mut self,
        table: &Table<D>,
        reader: &SliceReader<D>,
        limit: usize,
    ) {
        if reader.contradicted() == 0 {
            return;
        }
        self.values_right = Some(false);
        self.differences = Some(self.differences.unwrap_or(0) + reader.contradicted());
        let difference = |found: &Contradiction| {
            let slice = table.slice(found.side, found.columns)?;
            let side = table.material().stored_sides()[found.side];
            let position = slice.index().position(found.number).to_position(side)?;
            Some(json::Difference {
                position: position.to_string(),
                stored: json::Rating { wdl: found.stored, dtw: None },
                expected: found.expected.into(),
            })
        };
        let mut all: Vec<json::Difference> =
            reader.contradictions().iter().filter_map(difference).collect();
        all.append(&mut self.first_differences);
        all.truncate(limit);
        self.first_differences = all;
    }

    fn note(&mut self, report: &ValuesReport) {
        self.values_right = Some(report.differences == 0);
        self.differences = Some(report.differences);
        let differences = report.first.iter().map(|difference| json::Difference {
            position: difference.position.to_string(),
            stored: difference.stored.into(),
            expected: difference.expected.into(),
        });
        self.first_differences = differences.collect();
    }
}

fn lines_of(verified: &json::Verified) -> Vec<String> {
    let mut said = vec![match (verified.bytes_intact, &verified.path) {
        (true, _) => "bytes intact".to_owned(),
        (false, Some(_)) => "DAMAGED".to_owned(),
        (false, None) => "MISSING".to_owned(),
    }];
    if let (Some(positions), Some(right)) = (verified.positions, verified.values_right) {
        let positions = text::grouped(positions);
        said.push(match (right, verified.differences) {
            (true, _) => format!("values right, all {positions}"),
            (false, Some(differences)) => {
                format!("VALUES WRONG, {} of {positions}", text::grouped(differences))
            }
            (false, None) => "VALUES WRONG".to_owned(),
        });
    } else if verified.bytes_intact && verified.error.is_some() {
        said.push("VALUES NOT CHECKED".to_owned());
    }
    if verified.statistics_right == Some(false) {
        said.push("STATISTICS WRONG".to_owned());
    }
    let mut lines =
        vec![format!("{} under {} rules: {}", verified.material, verified.rules, said.join("; "))];
    if let Some(error) = &verified.error {
        lines.push(format!("  {error}"));
        if !verified.bytes_intact && verified.path.is_some() {
            lines.push("  Remove it and generate it again.".to_owned());
        }
    }
    lines.extend(verified.first_differences.iter().map(|difference| {
        let json::Difference { position, stored, expected } = difference;
        format!("  {position}: stored {stored}, expected {expected}")
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
    lines
}
