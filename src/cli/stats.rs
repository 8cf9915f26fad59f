//! `stats`: how the positions of a material are won, drawn and lost.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::Answer;
use crate::make::{FOR_ONE, ToBeMade};
use crate::memory::ValuesMemory;
use crate::output::Output;
use crate::parsers;
use crate::progress::Bars;
use crate::text::{self, cells};
use clap::ValueEnum;
use lasca_analysis::statistics::{
    Analysis, AnalysisOptions, ColumnShapes, Pieces, StoredCounts, Tally, ValuedPosition, Zugzwangs,
};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::ByColor;
use lasca_tablebase::table::{SliceStats, json::Stats};
use serde::Serialize;

/// Count how the positions of a material are won, drawn and lost
///
/// The counts cover all positions in which neither side has lost all its columns. Positions that differ only
/// by a symmetry of the board count separately. The table of 4-3 also serves 3-4. By default, the
/// positions are counted by columns and by plies to the end of the game; the options choose other
/// counts.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb stats 3-2
  lasca-tb stats 3-2 --by pieces --longest 3 --zugzwang=3")]
pub struct Args {
    /// The material: white counters, a hyphen, black counters
    #[arg(value_name = "MATERIAL")]
    material: Material,

    #[command(flatten)]
    make: ToBeMade,

    #[command(flatten)]
    memory: ValuesMemory,

    /// What to count by; several can be given, separated by commas
    #[arg(long, value_name = "WHAT", value_enum, ignore_case = true, value_delimiter = ',')]
    by: Vec<By>,

    /// List the N longest wins of the side to move, up to 10,000
    ///
    /// Of several symmetric positions, only one is listed. If both sides have the same number of
    /// counters, exchanging the colours is a symmetry too. Among wins of the same length, those with
    /// the fewest columns come first.
    #[arg(short = 'n', long, value_name = "N", value_parser = parsers::number::<usize>(1..=parsers::MOST_LISTED))]
    longest: Option<usize>,

    /// Count mutual zugzwangs, and list N of each kind (5 by default, up to 10,000)
    ///
    /// In a mutual zugzwang, neither side must capture, and each side would rather not be the one to move.
    /// There are two kinds. In a full-point zugzwang, whichever side is to move loses. In a half-point
    /// zugzwang, one side loses if it is to move, and if the other side is to move, the game is drawn. A
    /// side that cannot move has lost. The zugzwangs with the fewest columns are listed first, and among
    /// these the longest ones.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "5",
        value_parser = parsers::number::<usize>(0..=parsers::MOST_LISTED))]
    zugzwang: Option<usize>,
}

/// What positions can be counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// The number of columns that each side commands, such as 2v3
    Pieces,
    /// The columns of each side, wherever they stand, such as `WWB W v BB`
    Stackings,
}

/// Counts of a material: `stats --json` and `/stats`. They cover all positions in which neither side has lost all its columns, or those
/// of at most `max_columns` columns. Positions that differ only by a symmetry count separately.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Stats"))]
pub struct Counts<'a> {
    #[serde(flatten)]
    stored: Stats,
    #[serde(flatten)]
    asked: &'a Asked,
}

/// What the options ask for, as keys of the JSON and as text.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Asked {
    /// By how many columns each side commands. Only with `--by pieces`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<Vec<OfPieces>>,
    /// By the columns of each side, wherever they stand. Only with `--by stackings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    stackings: Option<Vec<OfStacking>>,
    /// The longest wins of the side to move. Only with `--longest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    longest: Option<Vec<Answer>>,
    /// Mutual zugzwangs. Only with `--zugzwang`.
    #[serde(skip_serializing_if = "Option::is_none")]
    zugzwangs: Option<OfZugzwangs>,
    #[serde(skip)]
    lines: Vec<String>,
}

/// Counts of the positions in which each side commands a certain number of columns.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Pieces"))]
struct OfPieces {
    /// How many columns White and Black command, such as `2v3`.
    pieces: String,
    /// The positions with White to move.
    white: Tally,
    /// The positions with Black to move.
    black: Tally,
}

/// Counts of the positions with certain columns.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Stacking"))]
struct OfStacking {
    /// White's columns and Black's, such as `WWB W v BB`.
    stacking: String,
    /// The positions with White to move.
    white: Tally,
    /// The positions with Black to move.
    black: Tally,
}

/// Mutual zugzwangs of both kinds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OfZugzwangs {
    /// The side to move loses, whichever side it is.
    full_point: Zugzwangs,
    /// One side loses if it is to move, and the game is drawn if the other side is to move.
    half_point: Zugzwangs,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    let material = args.material;
    let tables = global.folders.open(rules)?;
    args.make.maker(FOR_ONE, global).make_whole(&tables, material)?;
    let table = tables.table(material)?;
    let asked = searched(args, &tables)?;
    let counts = StoredCounts::of(table, material);
    let max_columns = table.extent().max_columns();
    let as_json = || Counts { stored: Stats::of(table, material), asked: &asked };
    let as_text = || {
        let bound = max_columns.map(|columns| format!(" with at most {columns} columns"));
        let bound = bound.unwrap_or_default();
        let positions = text::grouped(counts.total().positions());
        let head = format!(
            "{material}{bound} under {rules} rules: {positions} positions, both sides to move"
        );
        let mut lines = text::wrapped(0, &head);
        lines.push(String::new());
        lines.extend(by_side(&counts.by_color));
        lines.extend_from_slice(&asked.lines);
        if asked.lines.is_empty() {
            lines.extend(headed("By columns, both sides to move", by_columns(&counts)));
            lines.extend(headed("By plies to the end, both sides to move", histogram(&counts)));
        }
        lines
    };
    Output::new().result(global.json, as_json, as_text)?;
    Ok(Status::Affirmative)
}

/// What the options ask for that all values of the table have to be read for.
fn searched(args: &Args, tables: &Tablebase) -> Result<Asked, Failure> {
    let (material, table) = (args.material, tables.table(args.material)?);
    let mut asked = Asked::default();
    // The stored counts are enough.
    if args.by.is_empty() && args.longest.is_none() && args.zugzwang.is_none() {
        return Ok(asked);
    }
    let bars = Bars::of_values(table.positions())?;
    let keep = args.memory.keep("counting", table, 0)?;
    let (longest, zugzwangs) = (args.longest.unwrap_or(0), args.zugzwang);
    let options = AnalysisOptions { longest, zugzwangs, keep, ..AnalysisOptions::default() };
    asked.add_analysis(args, Analysis::in_tables(tables, material, options, &bars)?);
    Ok(asked)
}

/// A part of the text below its heading.
fn headed(heading: &str, lines: Vec<String>) -> Vec<String> {
    [vec![String::new(), heading.to_owned()], lines].concat()
}

impl Asked {
    /// Adds what the options ask for that the values of the table tell.
    fn add_analysis(&mut self, args: &Args, analysis: Analysis) {
        if args.by.contains(&By::Pieces) {
            let of = |(pieces, tallies): (Pieces, _)| (pieces.to_string(), tallies);
            let counts: Vec<_> = analysis.by_pieces().into_iter().map(of).collect();
            self.lines.extend(tallied("pieces", "By pieces: White's columns v Black's", &counts));
            let of = |(pieces, ByColor { white, black })| OfPieces { pieces, white, black };
            self.pieces = Some(counts.into_iter().map(of).collect());
        }
        if args.by.contains(&By::Stackings) {
            let of = |(shapes, tallies): (&ColumnShapes, &_)| (shapes.to_string(), *tallies);
            let counts: Vec<_> = analysis.by_column_shapes.iter().map(of).collect();
            let heading = "By stackings, wherever the columns stand";
            self.lines.extend(tallied("stacking", heading, &counts));
            let of = |(stacking, ByColor { white, black })| OfStacking { stacking, white, black };
            self.stackings = Some(counts.into_iter().map(of).collect());
        }
        if args.longest.is_some() {
            let brief = |deep: &ValuedPosition| Answer::brief(&deep.position, deep.value);
            let row =
                |deep: &ValuedPosition| vec![deep.value.to_string(), deep.position.to_string()];
            let rows: Vec<Vec<String>> = analysis.longest.iter().map(row).collect();
            let lines = match rows.as_slice() {
                [] => vec!["none".to_owned()],
                rows => text::table(0, "ll", rows),
            };
            self.lines.extend(headed("The longest wins of the side to move", lines));
            self.longest = Some(analysis.longest.iter().map(brief).collect());
        }
        if let (Some(full_point), Some(half_point)) = (analysis.full_point, analysis.half_point) {
            let full = "Full-point mutual zugzwangs: the side to move loses";
            let half = "Half-point mutual zugzwangs: one side loses if it is to move";
            self.lines.extend(headed(full, zugzwangs(&full_point)));
            self.lines.extend(headed(half, zugzwangs(&half_point)));
            self.zugzwangs = Some(OfZugzwangs { full_point, half_point });
        }
    }
}

/// The zugzwangs of a kind.
fn zugzwangs(found: &Zugzwangs) -> Vec<String> {
    let (boards, distinct) = (text::grouped(found.boards), text::grouped(found.distinct));
    let counts = vec![format!("{boards} boards, {distinct} of them distinct")];
    if found.listed.is_empty() {
        return counts;
    }
    let mut rows = vec![cells(["White to move", "Black to move", "board"])];
    for zugzwang in &found.listed {
        // White is to move in it.
        let position = zugzwang.position.to_string();
        let board = position.strip_suffix(" w").unwrap_or(&position);
        let ByColor { white, black } = zugzwang.to_move;
        rows.push(cells([&white.to_string(), &black.to_string(), board]));
    }
    [counts, text::table(0, "lll", &rows)].concat()
}

/// The numbers of positions of each kind, with the shares of wins, draws and losses for each side to move.
/// `name` is that of a kind.
fn tallied(name: &str, heading: &str, tallies: &[(String, ByColor<Tally>)]) -> Vec<String> {
    let mut rows = vec![
        cells(["White", "", "", "", "Black", "", "", "", ""]),
        cells(["to move", "won", "drawn", "lost", "to move", "won", "drawn", "lost", name]),
    ];
    for (kind, tallies) in tallies {
        let cells = [tallies.white, tallies.black].into_iter().flat_map(|tally| {
            let share =
                |count| text::share(count, tally.positions()).trim_end_matches(" %").to_owned();
            let positions = text::grouped(tally.positions());
            [positions, share(tally.win), share(tally.draw), share(tally.loss)]
        });
        rows.push(cells.chain([kind.clone()]).collect());
    }
    let mut lines = vec!["(number of positions, and percentages)".to_owned()];
    lines.extend(text::table(0, "rrrrrrrrl", &rows));
    headed(heading, lines)
}

/// A count and its share of all, as cells.
fn counted(count: u64, all: u64) -> [String; 2] {
    [text::grouped(count), text::share(count, all)]
}

fn by_side(counts: &ByColor<SliceStats>) -> Vec<String> {
    let row = |name: &str, of_side: &dyn Fn(&SliceStats) -> [String; 2]| {
        let cells = [&counts.white, &counts.black].into_iter().flat_map(of_side);
        std::iter::once(name.to_owned()).chain(cells).collect()
    };
    let counted = |name: &str, count: fn(&SliceStats) -> u64| {
        row(name, &|stats| counted(count(stats), stats.positions()))
    };
    let longest = |name: &str, plies: fn(&SliceStats) -> Option<u16>| {
        row(name, &|stats| [plies(stats).map_or("-".to_owned(), text::plies), String::new()])
    };
    let rows = [
        cells(["", "White to move", "", "Black to move", ""]),
        counted("won", |stats| stats.win),
        counted("drawn", |stats| stats.draw),
        counted("lost", |stats| stats.loss),
        counted("must capture", |stats| stats.capture),
        longest("longest win", SliceStats::max_win),
        longest("longest loss", SliceStats::max_loss),
    ];
    text::table(0, "lrrrr", &rows)
}

fn by_columns(counts: &StoredCounts) -> Vec<String> {
    let mut rows = vec![cells(["columns", "won", "", "drawn", "", "lost", ""])];
    for (columns, stats) in &counts.by_columns {
        let all = stats.positions();
        let counted = [stats.win, stats.draw, stats.loss].map(|count| counted(count, all));
        rows.push(std::iter::once(columns.to_string()).chain(counted.concat()).collect());
    }
    text::table(0, "rrrrrrr", &rows)
}

/// A line with a bar for each distance, and the number of positions that have it.
fn histogram(counts: &StoredCounts) -> Vec<String> {
    let counts = counts.total().histogram;
    let row = |(plies, &count): (&u16, &u64)| {
        let result = if plies % 2 == 1 { "won" } else { "lost" };
        vec![plies.to_string(), result.to_owned(), text::grouped(count)]
    };
    let mut lines = text::table(0, "rlr", &counts.iter().map(row).collect::<Vec<_>>());
    let width = lines.iter().map(String::len).max().unwrap_or(0);
    let most = counts.values().copied().max().unwrap_or(0);
    let room = text::WIDTH.saturating_sub(width + 2);
    for (line, &count) in lines.iter_mut().zip(counts.values()) {
        // At least 1 for a count above 0.
        let length = (count as f64 / most as f64 * room as f64).ceil() as usize;
        *line = format!("{line:<width$}  {}", "#".repeat(length.min(room)));
    }
    lines
}
