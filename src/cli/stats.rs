//! `stats`: how the positions of a material are won, drawn and lost.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::json;
use crate::output::Output;
use crate::text::{self, Align};
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::{ByColor, Color, RuleSet};
use lasca_tablebase::table::{SectionStats, Table};
use std::collections::BTreeMap;

/// Count how the positions of a material are won, drawn and lost
///
/// Counts are over all positions in which both sides command a column, symmetric ones counted
/// apart. 3-4 is read from the table of 4-3, colours exchanged.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Example:
  lasca-tb stats 3-2")]
pub struct Args {
    /// The material: white counters, a hyphen, black counters
    #[arg(value_name = "MATERIAL")]
    material: Material,

    #[command(flatten)]
    folders: Folders,

    /// One JSON object
    ///
    /// Keys: material, rules, white, black (win, draw, loss, max_win, max_loss, capture, histogram),
    /// columns (columns, win, draw, loss; both sides to move together).
    #[arg(long)]
    json: bool,
}

/// Prints the statistics that the table keeps.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    let tables = args.folders.open(rules)?;
    let counts = Counts::new(tables.table(args.material)?, args.material);
    let mut out = Output::new();
    if args.json {
        out.json(&counts.to_json(args.material, rules))?;
    } else {
        for line in counts.to_text(args.material, rules) {
            out.line(line)?;
        }
    }
    out.finish()?;
    Ok(Status::Affirmative)
}

/// The counts of a table as seen from a material, which may be the table's with colours exchanged.
struct Counts {
    sides: ByColor<SectionStats>,
    /// Both sides to move together.
    columns: BTreeMap<usize, SectionStats>,
}

impl Counts {
    fn new<D: AsRef<[u8]>>(table: &Table<D>, asked: Material) -> Counts {
        let stored = table.material();
        let mut counts = Counts { sides: ByColor::default(), columns: BTreeMap::new() };
        for section in table.sections() {
            let side = stored.stored_sides()[section.side()];
            // Where the sides have as many counters, what is stored for White holds for Black.
            let seen_as: &[Color] = match (stored.is_balanced(), asked == stored) {
                (true, _) => &Color::ALL,
                (false, true) => &[side],
                (false, false) => &[!side],
            };
            for &color in seen_as {
                counts.sides[color].merge(section.stats());
                counts.columns.entry(section.columns()).or_default().merge(section.stats());
            }
        }
        counts
    }

    fn to_json(&self, material: Material, rules: RuleSet) -> json::Stats {
        let side = |stats: &SectionStats| json::SideStats {
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
        }
    }

    fn to_text(&self, material: Material, rules: RuleSet) -> Vec<String> {
        let positions = self.sides.white.positions() + self.sides.black.positions();
        let mut lines = vec![
            format!(
                "{material} under {rules} rules: {} positions, both sides to move",
                text::grouped(positions)
            ),
            String::new(),
        ];
        lines.extend(self.by_side());
        lines.extend([String::new(), "By columns, both sides to move".to_owned()]);
        lines.extend(self.by_columns());
        lines.extend([String::new(), "By plies to the end, both sides to move".to_owned()]);
        lines.extend(self.histogram());
        lines
    }

    fn by_side(&self) -> Vec<String> {
        let sides = [&self.sides.white, &self.sides.black];
        let header = ["", "White to move", "", "Black to move", ""].map(str::to_owned).to_vec();
        let counted = |name: &str, count: fn(&SectionStats) -> u64| {
            let cells = sides.iter().flat_map(|stats| {
                let count = count(stats);
                [text::grouped(count), text::share(count, stats.positions())]
            });
            std::iter::once(name.to_owned()).chain(cells).collect()
        };
        let longest = |name: &str, plies: fn(&SectionStats) -> Option<u16>| {
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
            longest("longest win", SectionStats::max_win),
            longest("longest loss", SectionStats::max_loss),
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
        let mut all = SectionStats::default();
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

/// How long the bar for a count is: in proportion, but never nothing for something.
fn bar_length(count: u64, most: u64, width: usize) -> usize {
    let exact = count as f64 / most.max(1) as f64 * width as f64;
    (exact.ceil() as usize).min(width)
}
