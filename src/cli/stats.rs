//! `stats`: how the positions of a material are won, drawn and lost.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::json;
use crate::output::Output;
use crate::text::{self, Align};
use clap::ValueEnum;
use clap::builder::RangedU64ValueParser;
use lasca_tablebase::Value;
use lasca_tablebase::analysis::{Analysis, AnalysisOptions, Tally, Zugzwang, Zugzwangs};
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::{ByColor, Color, RuleSet};
use lasca_tablebase::table::{SliceStats, Table};
use std::collections::BTreeMap;

/// How many positions of a kind are listed at most.
const MOST_LISTED: u64 = 10_000;

/// How many zugzwangs of each kind are listed if no number is given.
const ZUGZWANGS_LISTED: &str = "5";

/// Count how the positions of a material are won, drawn and lost
///
/// Counts are over all positions in which both sides command a column, symmetric ones counted
/// apart. 3-4 is read from the table of 4-3, colours exchanged. Without options that name parts,
/// the counts by columns and by plies are printed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb stats 3-2
  lasca-tb stats 3-2 --by pieces --longest 3 --zugzwang 3")]
pub struct Args {
    /// The material: white counters, a hyphen, black counters
    #[arg(value_name = "MATERIAL")]
    material: Material,

    #[command(flatten)]
    folders: Folders,

    /// Count by: columns, both sides together; pieces, each side's (2v3); stackings
    ///
    /// A stacking is the columns of each side, wherever they stand, such as `WWB W v BB`. Several
    /// may be named with commas between them.
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    by: Vec<By>,

    /// How many positions have each distance, for each side to move
    #[arg(long)]
    histogram: bool,

    /// List the N deepest wins of the side to move
    ///
    /// Of positions alike by the symmetries of the board, and by exchanging the colours if both
    /// sides have as many counters, one is listed. Of equal wins, those with the fewest columns
    /// come first.
    #[arg(long, value_name = "N", value_parser = listed())]
    longest: Option<usize>,

    /// Count mutual zugzwangs, and list N of each kind
    ///
    /// They are boards on which neither side need take, whoever is to move: in those of a full
    /// point whoever is to move loses, in those of half a point one side loses if it is to move and
    /// the game is drawn if the other is. A side without a move counts as one that loses. Those
    /// with the fewest columns come first, of these the longest. Without N, five are listed.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = ZUGZWANGS_LISTED,
        value_parser = listed_or_none()
    )]
    zugzwang: Option<usize>,

    /// One JSON object
    ///
    /// Keys: material, rules, white, black (win, draw, loss, max_win, max_loss, capture, histogram),
    /// columns (columns, win, draw, loss; both sides to move together). With --by pieces also
    /// pieces (pieces, white and black: win, draw, loss); with --by stackings also stackings
    /// (stacking, white, black); with --longest also longest (position, wdl, dtw); with --zugzwang
    /// also zugzwangs: full_point and half_point (boards, distinct, listed: position, and white and
    /// black: wdl, dtw if that side is to move). boards counts each board once, distinct those
    /// alike once.
    #[arg(long)]
    json: bool,
}

/// What positions can be counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// The number of columns.
    Columns,
    /// How many columns each side commands.
    Pieces,
    /// The columns of each side, wherever they stand.
    Stackings,
}

fn listed() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MOST_LISTED)
}

fn listed_or_none() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=MOST_LISTED)
}

impl Args {
    /// What has to be looked for in the values, if anything: the table keeps the rest.
    fn analysis_options(&self) -> Option<AnalysisOptions> {
        let by_walking = [By::Pieces, By::Stackings].iter().any(|by| self.by.contains(by));
        (by_walking || self.longest.is_some() || self.zugzwang.is_some()).then(|| {
            AnalysisOptions::default()
                .with_longest(self.longest.unwrap_or(0))
                .with_zugzwangs(self.zugzwang)
        })
    }

    /// Whether no part is named, so that those are printed that the table keeps.
    fn names_nothing(&self) -> bool {
        self.by.is_empty() && !self.histogram && self.analysis_options().is_none()
    }
}

/// Prints the statistics that the table keeps, and what is found in its values if that is asked for.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    let tables = args.folders.open(rules)?;
    let counts = Counts::new(tables.table(args.material)?, args.material);
    let analyse = |options| Analysis::in_tables(&tables, args.material, options);
    let analysis = args.analysis_options().map(analyse).transpose()?;
    let mut out = Output::new();
    if args.json {
        let mut stats = counts.to_json(args.material, rules);
        if let Some(analysis) = &analysis {
            add_to_json(&mut stats, args, analysis);
        }
        out.json(&stats)?;
    } else {
        let mut lines = counts.to_text(args, rules);
        if let Some(analysis) = &analysis {
            lines.extend(found_text(args, analysis));
        }
        lines.into_iter().try_for_each(|line| out.line(line))?;
    }
    out.finish()?;
    Ok(Status::Affirmative)
}

fn add_to_json(stats: &mut json::Stats, args: &Args, analysis: &Analysis) {
    let tally = |tally: Tally| json::Tally { win: tally.win, draw: tally.draw, loss: tally.loss };
    if args.by.contains(&By::Pieces) {
        let by_pieces = analysis.by_pieces().into_iter().map(|(pieces, tallies)| json::Pieces {
            pieces: pieces.to_string(),
            white: tally(tallies.white),
            black: tally(tallies.black),
        });
        stats.pieces = Some(by_pieces.collect());
    }
    if args.by.contains(&By::Stackings) {
        let by_stacking =
            analysis.by_column_shapes.iter().map(|(stacking, tallies)| json::Stacking {
                stacking: stacking.to_string(),
                white: tally(tallies.white),
                black: tally(tallies.black),
            });
        stats.stackings = Some(by_stacking.collect());
    }
    if args.longest.is_some() {
        let longest = analysis.longest.iter().map(|deep| json::Brief {
            position: deep.position.to_string(),
            value: deep.value.into(),
        });
        stats.longest = Some(longest.collect());
    }
    if let (Some(full_point), Some(half_point)) = (&analysis.full_point, &analysis.half_point) {
        let zugzwang = |zugzwang: &Zugzwang| json::Zugzwang {
            position: zugzwang.position.to_string(),
            white: zugzwang.to_move.white.into(),
            black: zugzwang.to_move.black.into(),
        };
        let of_kind = |found: &Zugzwangs| json::ZugzwangKind {
            boards: found.boards,
            distinct: found.distinct,
            listed: found.listed.iter().map(zugzwang).collect(),
        };
        stats.zugzwangs = Some(json::Zugzwangs {
            full_point: of_kind(full_point),
            half_point: of_kind(half_point),
        });
    }
}

/// What was found in the values, as text.
fn found_text(args: &Args, analysis: &Analysis) -> Vec<String> {
    let mut lines = Vec::new();
    if args.by.contains(&By::Pieces) {
        lines.extend([String::new(), "By pieces: White's columns v Black's".to_owned()]);
        let by_pieces = analysis.by_pieces().into_iter();
        lines.extend(shares("pieces", by_pieces.map(|(pieces, t)| (pieces.to_string(), t))));
    }
    if args.by.contains(&By::Stackings) {
        lines.extend([String::new(), "By stackings, wherever the columns stand".to_owned()]);
        let by_stacking = analysis.by_column_shapes.iter();
        lines.extend(shares("stacking", by_stacking.map(|(s, t)| (s.to_string(), *t))));
    }
    if args.longest.is_some() {
        lines.extend([String::new(), "The deepest wins of the side to move".to_owned()]);
        if analysis.longest.is_empty() {
            lines.push("none".to_owned());
        }
        let rows: Vec<Vec<String>> = analysis
            .longest
            .iter()
            .map(|deep| vec![deep.value.to_string(), deep.position.to_string()])
            .collect();
        lines.extend(text::rows_or_wrapped(&[Align::Left; 2], &rows));
    }
    for (found, heading) in [
        (&analysis.full_point, "Mutual zugzwangs of a full point: whoever is to move loses"),
        (&analysis.half_point, "Mutual zugzwangs of half a point: one side loses if to move"),
    ] {
        let Some(found) = found else { continue };
        lines.extend([String::new(), heading.to_owned()]);
        lines.push(format!(
            "{} boards, {} of them distinct",
            text::grouped(found.boards),
            text::grouped(found.distinct)
        ));
        if found.listed.is_empty() {
            continue;
        }
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let mut rows = vec![row(["White to move", "Black to move", "board"])];
        for zugzwang in &found.listed {
            let board = zugzwang.position.to_string();
            let board = board.rsplit_once(' ').map_or(board.as_str(), |(board, _)| board);
            let value = |value: Value| value.to_string();
            let [white, black] = [zugzwang.to_move.white, zugzwang.to_move.black].map(value);
            rows.push(row([&white, &black, board]));
        }
        lines.extend(text::rows_or_wrapped(&[Align::Left; 3], &rows));
    }
    lines
}

/// A row for each name, with the count and the shares of win, draw and loss for each side to move;
/// names that are too long for the line stand on lines of their own.
fn shares(heading: &str, counts: impl Iterator<Item = (String, ByColor<Tally>)>) -> Vec<String> {
    let row = |cells: [&str; 9]| cells.map(str::to_owned).to_vec();
    let mut rows = vec![
        row(["", "White", "", "", "", "Black", "", "", ""]),
        row([heading, "to move", "won", "drawn", "lost", "to move", "won", "drawn", "lost"]),
    ];
    for (name, tallies) in counts {
        let cells = [tallies.white, tallies.black].into_iter().flat_map(|tally| {
            let share = |count| match text::share(count, tally.positions()) {
                share if share == "-" => share,
                share => share.trim_end_matches(" %").to_owned(),
            };
            let positions = text::grouped(tally.positions());
            [positions, share(tally.win), share(tally.draw), share(tally.loss)]
        });
        rows.push(std::iter::once(name).chain(cells).collect());
    }
    let mut align = [Align::Right; 9];
    align[0] = Align::Left;
    let lines = text::table(0, &align, &rows);
    let mut lines = if lines.iter().all(|line| line.chars().count() <= text::WIDTH) {
        lines
    } else {
        let names: Vec<String> = rows.iter_mut().map(|row| std::mem::take(&mut row[0])).collect();
        let numbers =
            text::table(2, &align[1..], &rows.iter().map(|r| r[1..].to_vec()).collect::<Vec<_>>());
        let named = |(name, numbers): (String, String)| {
            text::wrapped(0, &name).into_iter().chain([numbers])
        };
        names.into_iter().zip(numbers).flat_map(named).collect()
    };
    lines.insert(0, "(positions, and per cent of them)".to_owned());
    lines
}

/// The counts of a table as seen from a material, which may be the table's with colours exchanged.
struct Counts {
    sides: ByColor<SliceStats>,
    /// Both sides to move together.
    columns: BTreeMap<usize, SliceStats>,
}

impl Counts {
    fn new<D: AsRef<[u8]>>(table: &Table<D>, asked: Material) -> Counts {
        let stored = table.material();
        let mut counts = Counts { sides: ByColor::default(), columns: BTreeMap::new() };
        for slice in table.slices() {
            let side = stored.stored_sides()[slice.side()];
            // Where the sides have as many counters, what is stored for White holds for Black.
            let seen_as: &[Color] = match (stored.is_balanced(), asked == stored) {
                (true, _) => &Color::ALL,
                (false, true) => &[side],
                (false, false) => &[!side],
            };
            for &color in seen_as {
                counts.sides[color].merge(slice.stats());
                counts.columns.entry(slice.columns()).or_default().merge(slice.stats());
            }
        }
        counts
    }

    fn to_json(&self, material: Material, rules: RuleSet) -> json::Stats {
        let side = |stats: &SliceStats| json::SideStats {
            win: stats.win,
            draw: stats.draw,
            loss: stats.loss,
            max_win: stats.max_win(),
            max_loss: stats.max_loss(),
            capture: stats.capture,
            histogram: stats.histogram.iter().map(|(&plies, &count)| (plies, count)).collect(),
        };
        let columns = self.columns.iter().map(|(&columns, stats)| json::ColumnStats {
            columns,
            win: stats.win,
            draw: stats.draw,
            loss: stats.loss,
        });
        json::Stats {
            material: material.to_string(),
            rules: rules.name(),
            white: side(&self.sides.white),
            black: side(&self.sides.black),
            columns: columns.collect(),
            pieces: None,
            stackings: None,
            longest: None,
            zugzwangs: None,
        }
    }

    fn to_text(&self, args: &Args, rules: RuleSet) -> Vec<String> {
        let material = args.material;
        let positions = self.sides.white.positions() + self.sides.black.positions();
        let mut lines = vec![
            format!(
                "{material} under {rules} rules: {} positions, both sides to move",
                text::grouped(positions)
            ),
            String::new(),
        ];
        lines.extend(self.by_side());
        if args.by.contains(&By::Columns) || args.names_nothing() {
            lines.extend([String::new(), "By columns, both sides to move".to_owned()]);
            lines.extend(self.by_columns());
        }
        if args.names_nothing() {
            lines.extend([String::new(), "By plies to the end, both sides to move".to_owned()]);
            lines.extend(self.histogram());
        }
        if args.histogram {
            lines.extend([String::new(), "By plies to the end, each side to move".to_owned()]);
            lines.extend(self.histogram_by_side());
        }
        lines
    }

    fn by_side(&self) -> Vec<String> {
        let sides = [&self.sides.white, &self.sides.black];
        let header = ["", "White to move", "", "Black to move", ""].map(str::to_owned).to_vec();
        let counted = |name: &str, count: fn(&SliceStats) -> u64| {
            let cells = sides.iter().flat_map(|stats| {
                let count = count(stats);
                [text::grouped(count), text::share(count, stats.positions())]
            });
            std::iter::once(name.to_owned()).chain(cells).collect()
        };
        let longest = |name: &str, plies: fn(&SliceStats) -> Option<u16>| {
            let cells = sides.iter().flat_map(|stats| {
                [plies(stats).map_or("-".to_owned(), text::plies), String::new()]
            });
            std::iter::once(name.to_owned()).chain(cells).collect()
        };
        let rows = [
            header,
            counted("won", |stats| stats.win),
            counted("drawn", |stats| stats.draw),
            counted("lost", |stats| stats.loss),
            counted("must take", |stats| stats.capture),
            longest("longest win", SliceStats::max_win),
            longest("longest loss", SliceStats::max_loss),
        ];
        let [left, right] = [Align::Left, Align::Right];
        text::table(0, &[left, right, right, right, right], &rows)
    }

    fn by_columns(&self) -> Vec<String> {
        let header = ["columns", "won", "", "drawn", "", "lost", ""].map(str::to_owned).to_vec();
        let mut rows = vec![header];
        for (columns, stats) in &self.columns {
            let counts = [stats.win, stats.draw, stats.loss];
            let cells = counts
                .into_iter()
                .flat_map(|count| [text::grouped(count), text::share(count, stats.positions())]);
            rows.push(std::iter::once(columns.to_string()).chain(cells).collect());
        }
        text::table(0, &[Align::Right; 7], &rows)
    }

    fn histogram(&self) -> Vec<String> {
        let mut all = SliceStats::default();
        all.merge(&self.sides.white);
        all.merge(&self.sides.black);
        let most = all.histogram.values().copied().max().unwrap_or(0);
        let rows: Vec<Vec<String>> = all
            .histogram
            .iter()
            .map(|(&plies, &count)| {
                let result = if plies % 2 == 1 { "won" } else { "lost" };
                vec![plies.to_string(), result.to_owned(), text::grouped(count)]
            })
            .collect();
        let mut lines = text::table(0, &[Align::Right, Align::Left, Align::Right], &rows);
        let width = lines.iter().map(String::len).max().unwrap_or(0);
        for (line, &count) in lines.iter_mut().zip(all.histogram.values()) {
            let bar = bar_length(count, most, text::WIDTH.saturating_sub(width + 2));
            *line = format!("{line:<width$}  {}", "#".repeat(bar));
        }
        lines
    }
}

impl Counts {
    /// A line for each distance, with the positions that each side to move has at it, and what share
    /// of all decided positions are no further from the end.
    fn histogram_by_side(&self) -> Vec<String> {
        let mut all = SliceStats::default();
        all.merge(&self.sides.white);
        all.merge(&self.sides.black);
        let decided = all.win + all.loss;
        let most = all.histogram.values().copied().max().unwrap_or(0);
        let header = ["plies", "", "White to move", "Black to move", "so far"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        let mut so_far = 0;
        for (plies, &count) in &all.histogram {
            so_far += count;
            let of_side = |stats: &SliceStats| {
                text::grouped(stats.histogram.get(plies).copied().unwrap_or(0))
            };
            rows.push(vec![
                plies.to_string(),
                if plies % 2 == 1 { "won" } else { "lost" }.to_owned(),
                of_side(&self.sides.white),
                of_side(&self.sides.black),
                text::share(so_far, decided),
            ]);
        }
        let [left, right] = [Align::Left, Align::Right];
        let mut lines = text::table(0, &[right, left, right, right, right], &rows);
        let width = lines.iter().map(String::len).max().unwrap_or(0);
        for (line, &count) in lines.iter_mut().skip(1).zip(all.histogram.values()) {
            let bar = bar_length(count, most, text::WIDTH.saturating_sub(width + 2));
            *line = format!("{line:<width$}  {}", "#".repeat(bar));
        }
        lines
    }
}

/// How long the bar for a count is: in proportion, but never nothing for something.
fn bar_length(count: u64, most: u64, width: usize) -> usize {
    let exact = count as f64 / most.max(1) as f64 * width as f64;
    (exact.ceil() as usize).min(width)
}
