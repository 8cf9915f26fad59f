//! A report on endgames, or a [`booklet`] of endings: one page of HTML without scripts, which loads no other files.
//!
//! For each material a report shows the shares of wins, draws and losses, the distances to the end, the
//! longest win with its line of best play, wins and draws by only moves with their moves, and the most
//! instructive zugzwangs on boards.
//!
//! ```
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! use lasca_tablebase::Silent;
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_analysis::report::{Endgame, page};
//! use lasca_tablebase::capture_search::KeepIn;
//! use lasca_tablebase::rules::RuleSet;
//! let tables = Tablebase::open("tables", RuleSet::Lasca)?;
//! let endgame = Endgame::of(&tables, "2-1".parse()?, KeepIn::Memory, &Silent)?;
//! let html = page(RuleSet::Lasca, &[endgame]);
//! assert!(html.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod booklet;
mod chart;

use crate::find::{Defence, Filter, Find, Finder, Turns};
use crate::statistics::{
    Analysis, AnalysisOptions, ColumnShapes, StoredCounts, Tally, ValuedPosition, Values, Walk,
    Zugzwang, ZugzwangKind, Zugzwangs, each_columns,
};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::{Done, escaped};
use lasca_tablebase::notation::{MoveNumber, Palette, Picture};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::{ByColor, Color, Position, RuleSet};
use lasca_tablebase::table::SliceStats;
use lasca_tablebase::{Outcome, Progress, Silent, Value, Wdl};
use std::collections::HashSet;
use std::fmt::Write;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

pub use booklet::{Ending, Part, Run, booklet};
pub use lasca_tablebase::internals::check_target;

/// How many zugzwangs of each kind the page shows.
const ZUGZWANGS: usize = 6;

/// How many zugzwangs of each kind they are chosen from. The choice avoids columns of the same shapes.
const ZUGZWANGS_TO_CHOOSE_FROM: usize = 2000;

/// How many wins by only moves the page shows, and how many draws.
const FINDS: usize = 3;

/// How many turns of only moves they have at least.
const TURNS: usize = 3;

/// How many boards the page shows for a line, with the first and the last.
const BOARDS_OF_A_LINE: usize = 6;

/// What a report shows about one material.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Endgame {
    /// The analysis. The report shows its counts, the first of its longest wins and some of its
    /// zugzwangs.
    pub analysis: Analysis,
    /// How many positions have each distance, for both sides to move.
    pub plies: SliceStats,
    /// The line of best play from the longest win, if there is one.
    pub line: Option<Line<Value>>,
    /// Wins by only moves, and then draws.
    pub finds: Vec<Find>,
    /// The column bound of the table; `None` if it is whole.
    pub max_columns: Option<usize>,
}

/// The results of the positions by only moves that the page shows.
const FOUND: [Wdl; 2] = [Wdl::Win, Wdl::Draw];

impl Endgame {
    /// How many bytes in memory are needed beside the values of a table, for each of its positions.
    pub const BYTES_A_POSITION: u64 = Filter::BYTES_A_POSITION;

    /// Goes through all values of a material's table, which are kept there meanwhile.
    ///
    /// # Errors
    /// If the table is missing or damaged, there is not enough memory or room for its values, or they
    /// contradict themselves.
    pub fn of(
        tables: &Tablebase,
        material: Material,
        keep: KeepIn,
        progress: &dyn Progress,
    ) -> Result<Endgame, ProbeError> {
        let table = tables.table(material)?;
        let options = AnalysisOptions {
            longest: 1,
            zugzwangs: Some(ZUGZWANGS_TO_CHOOSE_FROM),
            keep,
            ..AnalysisOptions::default()
        };
        let filters = FOUND.map(|result| Filter {
            result: Some(result),
            limit: FINDS,
            only_moves: TURNS,
            ..Filter::default()
        });
        let mut walk = Walk::new(material, options);
        let mut turns = Turns::new(Defence::Best, material.stored_sides().len());
        let finders = filters.each_ref().map(|filter| Finder::new(filter, progress));
        let most = *material.columns().end();
        let reader =
            each_columns(tables, material, keep, most, progress, |values, columns, done| {
                walk.add(values, columns, done);
                turns.make_room(values, columns)?;
                for finder in &finders {
                    // The walk has reported these positions.
                    finder.look(values, &turns, columns, &Done::new(&Silent))?;
                }
                Ok(ControlFlow::Continue(()))
            })?;
        let values = Values::of(&reader, material);
        let analysis = walk.analysis(&values);
        let plies = StoredCounts::of(table, material).total();
        let longest = analysis.longest.first();
        let line = longest.map(|longest| tables.best_line(&longest.position)).transpose()?;
        let mut finds = Vec::new();
        for finder in finders {
            finds.extend(finder.finds(&values, &turns, tables)?);
        }
        let max_columns = table.extent().max_columns();
        Ok(Endgame { analysis, plies, line, finds, max_columns })
    }
}

/// How boards are drawn. The style sheet has other colours for print.
fn picture() -> Picture {
    Picture { palette: Palette::WOOD, ..Picture::default() }
}

/// The beginning of a page, up to its heading.
fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <header>\n<h1>{title}</h1>\n",
        include_str!("style.css")
    )
}

/// The page as HTML.
pub fn page(rules: RuleSet, endgames: &[Endgame]) -> String {
    let mut html = head("Lasca endgames");
    let _ = write!(
        html,
        "<p>What the tables say about positions in which every counter is an officer, under the rule \
         set <code>{rules}</code>. A material such as 4-3 is four white counters and three black \
         ones, prisoners included. Counts are over all positions in which neither side has lost all its \
         columns. Positions that differ only by a symmetry of the board count separately. A \
         <em>ply</em> is one move by one side.</p>\n\
         <p>On the boards a column is drawn as stacked counters, its commander on top; an officer has \
         a ring and a mark on its side. The numbers beside a high column count its counters, from the top \
         down.</p>\n</header>\n"
    );
    if endgames.len() > 1 {
        html.push_str("<nav aria-label=\"Materials\">\n<ul>\n");
        for endgame in endgames {
            let material = endgame.analysis.material;
            let _ = writeln!(html, "<li><a href=\"#m{material}\">{material}</a></li>");
        }
        html.push_str("</ul>\n</nav>\n");
    }
    html.push_str("<main>\n");
    for endgame in endgames {
        html.push_str(&section(endgame));
    }
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

/// Saves a page or a picture as the file `path`, which stands under its name with all its text or not at all. Behind
/// a link, this is the file that the link names. A pipe or a device such as a terminal gets the text as it comes.
/// Check [`check_target`] first to learn before the work whether this can be done.
///
/// # Errors
/// If the file cannot be written; then what stood under the name is unchanged.
pub fn save(path: &Path, page: &str) -> io::Result<()> {
    lasca_tablebase::internals::save(path, |file| file.write_all(page.as_bytes())).map(drop)
}

fn section(endgame: &Endgame) -> String {
    let analysis = &endgame.analysis;
    let material = analysis.material;
    let mut html = format!(
        "<section aria-labelledby=\"m{material}\">\n<h2 id=\"m{material}\">{material}</h2>\n"
    );
    if let Some(columns) = endgame.max_columns {
        let _ = writeln!(html, "<p>Only positions with at most {columns} columns are counted.</p>");
    }
    html.push_str(&shares(analysis));
    html.push_str(&plies(endgame));
    html.push_str(&longest(endgame));
    html.push_str(&finds(endgame));
    for (kind, zugzwangs) in [
        (ZugzwangKind::FullPoint, &analysis.full_point),
        (ZugzwangKind::HalfPoint, &analysis.half_point),
    ] {
        if let Some(zugzwangs) = zugzwangs {
            html.push_str(&zugzwang_boards(kind, zugzwangs));
        }
    }
    html.push_str("</section>\n");
    html
}

fn shares(analysis: &Analysis) -> String {
    let by_pieces = analysis.by_pieces();
    let mut all = ByColor::<Tally>::default();
    for tallies in by_pieces.values() {
        Color::ALL.iter().for_each(|&color| all[color] += tallies[color]);
    }
    let mut html = "<h3>Who wins</h3>\n<p class=\"legend\" aria-hidden=\"true\">\
         <span><i class=\"key win\"></i>won</span><span><i class=\"key draw\"></i>drawn</span>\
         <span><i class=\"key loss\"></i>lost</span></p>\n"
        .to_owned();
    html.push_str(&shares_table(
        "Results for the side to move",
        "To move",
        Color::ALL.iter().map(|&color| (color.to_string(), all[color])),
    ));
    // If both sides have the same number of counters, Black to move mirrors White to move.
    let sides: &[Color] =
        if analysis.material.is_balanced() { &Color::ALL[..1] } else { &Color::ALL };
    for &color in sides {
        html.push_str(&shares_table(
            &format!("{color} to move, by pieces: White\u{2019}s columns v Black\u{2019}s"),
            "Pieces",
            by_pieces.iter().map(|(pieces, tallies)| (pieces.to_string(), tallies[color])),
        ));
    }
    html
}

fn shares_table(
    caption: &str,
    heading: &str,
    rows: impl Iterator<Item = (String, Tally)>,
) -> String {
    let mut html = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
         <table>\n<caption>{caption}</caption>\n<thead><tr>\
         <th scope=\"col\">{heading}</th><th scope=\"col\">Positions</th>\
         <th scope=\"col\">Won</th><th scope=\"col\">Drawn</th><th scope=\"col\">Lost</th>\
         <th scope=\"col\">Shares</th></tr></thead>\n<tbody>\n"
    );
    for (name, tally) in rows {
        let share = |count| percent(count, tally.positions());
        let title = format!("{name}: {}", chart::shares_text(tally));
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{name}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td class=\"bar\">{}</td></tr>",
            grouped(tally.positions()),
            share(tally.win),
            share(tally.draw),
            share(tally.loss),
            chart::shares_svg(tally, &title)
        );
    }
    html.push_str("</tbody>\n</table></div>\n");
    html
}

fn plies(endgame: &Endgame) -> String {
    let stats = &endgame.plies;
    let Some(longest) = stats.max_dtw() else {
        return "<h3>Plies to the end</h3>\n<p>Every position is a draw.</p>\n".to_owned();
    };
    let title = format!(
        "Positions of {} by their distance to the end: {} won and {} lost, the longest in {} plies",
        endgame.analysis.material,
        grouped(stats.win),
        grouped(stats.loss),
        longest
    );
    format!(
        "<h3>Plies to the end</h3>\n\
         <figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Histogram of plies\">{}</div>\n\
         <figcaption>Positions by their distance to the end, for both sides to move, on a logarithmic \
         scale. Won positions have odd distances, lost ones even distances. The longest is {longest} \
         plies.</figcaption></figure>\n",
        chart::histogram_svg(stats, &title)
    )
}

fn longest(endgame: &Endgame) -> String {
    let (Some(deep), Some(line)) = (endgame.analysis.longest.first(), &endgame.line) else {
        return "<h3>The longest win</h3>\n<p>No position is won.</p>\n".to_owned();
    };
    let side = deep.position.side_to_move();
    let plies = deep.value.dtw().unwrap_or(0);
    let mut html = format!(
        "<h3>The longest win</h3>\n<p>{side} to move wins in {plies} plies: \
         <code>{}</code></p>\n<div class=\"boards\">\n",
        deep.position
    );
    for ply in chosen_plies(line) {
        html.push_str(&line_board(deep, line, ply));
    }
    html.push_str("</div>\n");
    let texts = line.moves.iter().map(RatedMove::to_string);
    let _ = writeln!(html, "<p class=\"moves\">{}</p>", moves(side, texts));
    html
}

fn finds(endgame: &Endgame) -> String {
    let mut html = "<h3>Only moves</h3>\n".to_owned();
    if endgame.finds.is_empty() {
        html.push_str("<p>No position has three turns in a row with an only move.</p>\n");
        return html;
    }
    html.push_str(
        "<p>In these positions the side to move has only one right move, turn after turn, if the other \
         side plays best. A right move keeps a win, or keeps a draw. The moves are shown up to the \
         last of these turns. The mark ! stands where other moves would be legal.</p>\n<div class=\"boards\">\n",
    );
    for find in &endgame.finds {
        html.push_str(&find_board(find));
    }
    html.push_str("</div>\n");
    html
}

fn find_board(find: &Find) -> String {
    let side = find.position.side_to_move();
    let result = match find.value {
        Value::Win(plies) => format!("wins in {}", plies_text(plies.into())),
        Value::Draw => "draws".to_owned(),
        Value::Loss(plies) => format!("loses in {}", plies_text(plies.into())),
    };
    // The line goes on to the last of these turns.
    let plies = 2 * find.only_moves - usize::from(find.is_turn(0));
    format!(
        "<figure>{}<figcaption>{side} to move {result}; {} only moves<br>\
         <code>{}</code><br><span class=\"moves\">{}{}</span></figcaption></figure>\n",
        picture().svg(&find.position),
        find.only_moves,
        find.position,
        moves(side, find.marked_moves().take(plies)),
        if plies < find.solution.moves.len() { " \u{2026}" } else { "" }
    )
}

/// The plies after which the page shows a board: the beginning, the end, and some evenly between them.
fn chosen_plies(line: &Line<Value>) -> Vec<usize> {
    let (last, boards) = (line.moves.len(), BOARDS_OF_A_LINE - 1);
    let mut plies: Vec<usize> = (0..=boards).map(|i| last * i / boards).collect();
    plies.dedup();
    plies
}

fn line_board(deep: &ValuedPosition, line: &Line<Value>, ply: usize) -> String {
    let (position, heading) = match ply.checked_sub(1).and_then(|before| line.moves.get(before)) {
        None => (&deep.position, "At the start".to_owned()),
        Some(_) if ply == line.moves.len() => {
            let winner = match line.end.and_then(Outcome::winner) {
                Some(winner) => format!("{winner} has won"),
                None => "a repetition".to_owned(),
            };
            (&line.moves[ply - 1].after, format!("After {}: {winner}", plies_text(ply)))
        }
        Some(played) => (
            &played.after,
            format!("After {}: {} to move", plies_text(ply), played.after.side_to_move()),
        ),
    };
    format!("<figure>{}<figcaption>{heading}</figcaption></figure>\n", picture().svg(position))
}

/// The moves, numbered in pairs. `side` makes the first one.
fn moves(side: Color, texts: impl Iterator<Item = String>) -> String {
    let numbers = std::iter::successors(Some(MoveNumber::first(side)), |n| Some(n.next()));
    let moves = numbers.zip(texts).enumerate().map(|(ply, (number, text))| {
        format!("<span>{}</span>", number.before(&text, ply == 0).replace(' ', "\u{a0}"))
    });
    moves.collect::<Vec<_>>().join(" ")
}

fn zugzwang_boards(kind: ZugzwangKind, zugzwangs: &Zugzwangs) -> String {
    let (heading, meaning) = match kind {
        ZugzwangKind::FullPoint => {
            ("Zugzwangs of a full point", "the side to move loses, whichever it is")
        }
        ZugzwangKind::HalfPoint => (
            "Zugzwangs of half a point",
            "one side loses if it is to move, and the game is drawn if the other is",
        ),
    };
    let mut html = format!("<h3>{heading}</h3>\n");
    if zugzwangs.boards == 0 {
        html.push_str("<p>There are none.</p>\n");
        return html;
    }
    let _ = writeln!(
        html,
        "<p>Boards on which neither side has a capture and {meaning}: {}, or {} when boards that \
         differ only by a symmetry of the board{} count once. Shown are the longest with the fewest columns, \
         one for each set of columns:</p>\n<div class=\"boards\">",
        grouped(zugzwangs.boards),
        grouped(zugzwangs.distinct),
        if zugzwangs.listed.first().is_some_and(|z| is_balanced(&z.position)) {
            " or by exchanging the colours"
        } else {
            ""
        }
    );
    for zugzwang in chosen_zugzwangs(zugzwangs) {
        html.push_str(&zugzwang_board(zugzwang));
    }
    html.push_str("</div>\n");
    html
}

/// The first zugzwang for each set of column shapes.
fn chosen_zugzwangs(zugzwangs: &Zugzwangs) -> Vec<&Zugzwang> {
    let mut shown = HashSet::new();
    let is_new = |zugzwang: &&Zugzwang| shown.insert(ColumnShapes::of(&zugzwang.position));
    zugzwangs.listed.iter().filter(is_new).take(ZUGZWANGS).collect()
}

fn is_balanced(position: &Position) -> bool {
    let counters = position.counters();
    counters.white == counters.black
}

fn zugzwang_board(zugzwang: &Zugzwang) -> String {
    let result = |color: Color| match zugzwang.to_move[color] {
        Value::Win(plies) => format!("{color} to move wins in {plies}"),
        Value::Draw => format!("{color} to move draws"),
        Value::Loss(plies) => format!("{color} to move loses in {plies}"),
    };
    let text = zugzwang.position.to_string();
    let text = text.rsplit_once(' ').map_or(text.as_str(), |(board, _)| board);
    format!(
        "<figure>{}<figcaption>{}<br>{}<br><code>{text}</code></figcaption></figure>\n",
        Picture { side_to_move: false, ..picture() }.svg(&zugzwang.position),
        result(Color::White),
        result(Color::Black)
    )
}

fn plies_text(plies: usize) -> String {
    format!("{plies} {}", if plies == 1 { "ply" } else { "plies" })
}

/// `12345678` as `12,345,678`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A part as a percentage of a whole: `47.6 %`.
fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "\u{2013}".to_owned(),
        _ => format!("{:.1}\u{a0}%", 100.0 * part as f64 / whole as f64),
    }
}
