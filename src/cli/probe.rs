//! `probe`: looks up the value of a position and of its moves.

use crate::failure::{Failure, Status};
use crate::folders::preload;
use crate::global::Global;
use crate::json::{self, Greeting, LineEnd, Rating};
use crate::parsers;
use crate::question::{Answer, Question};
use crate::search::{Brief, BySearch, Found, Searcher, Wanted, ask, line_end, line_moves};
use crate::searching::SearchMemory;
use crate::terminal::{note, painted};
use crate::text::{self, Align};
use lasca_tablebase::Wdl;
use lasca_tablebase::notation::{board_text, move_text};
use lasca_tablebase::probe::{Load, ProbeError, Tablebase};
use lasca_tablebase::rules::{Move, Position};

/// Look up who wins a position, and what each move is worth
///
/// A win or a loss comes with its distance: the number of plies until the loser cannot move, if both
/// sides play best. The value of a move is seen from the side that makes it, and its distance counts
/// from the position before the move. The best move comes first.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb probe \"a1WWW b2BBB w\" --line
  lasca-tb probe \"a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w\" --seconds 10
  lasca-tb probe --stdin --json < positions.txt > answers.jsonl
  lasca-tb probe --stdin --brief < positions.txt > values.txt")]
pub struct Args {
    #[command(flatten)]
    question: Question,

    #[command(flatten)]
    by_search: BySearch,

    /// Also show best play, to the end of the game or to the first repetition
    #[arg(short, long)]
    line: bool,

    /// Print only the value, which is fastest for many positions
    ///
    /// The answer is a line such as `win 5`, `draw` or `loss 12`. The number is the distance in
    /// plies. If the table's .ltbd file, which has the distances, is missing, the answer is just
    /// `win` or `loss`. If a search with --seconds leaves it open who wins, the answer is `open`; if it
    /// does not find the exact distance, there is no number. With --stdin, a position without an
    /// answer gives `error:` and the reason.
    #[arg(short, long, conflicts_with = "line")]
    brief: bool,

    /// Decode tables into memory first, up to this size in all, such as 800M or 4G
    ///
    /// The answers stay the same. They come many times as fast, because values are then only looked up.
    /// Decoding all tables of up to eight counters takes 435 MB, and longer than looking up a few hundred
    /// thousand positions, so this is for a million positions or more. The tables with the fewest positions
    /// come first; one that does not fit is answered from its files.
    #[arg(long, value_name = "SIZE", value_parser = parsers::size)]
    preload: Option<u64>,
}

/// Prints the answers.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    let (question, greeting) = (&args.question, Greeting::new("probe", rules));
    let of_tables = |tables: &Tablebase, position: &Position| {
        answer(tables, position, args.line, |position| question.text(position))
    };
    if let Some(seconds) = args.by_search.seconds() {
        let tables = global.folders.open_if_any(rules)?;
        tables.iter().for_each(|tables| args.preload(tables));
        let searcher =
            Searcher::new(rules, tables.as_ref(), Some(seconds), SearchMemory::of_free())?;
        let search = |position: &Position| Searched::new(&searcher, position, args);
        return if args.brief {
            question.answer_with(greeting, global.json, |position| {
                let of_tables = |tables: &Tablebase| brief(tables, position, args, global);
                let search = || {
                    search(position).map(|answer| Brief { text: answer.found.brief(true), answer })
                };
                searcher.tables_or_search(of_tables, search)
            })
        } else {
            question.answer_with(greeting, global.json, |position| {
                searcher.tables_or_search(|t| of_tables(t, position), || search(position))
            })
        };
    }
    // Without tables, the answer to each position says why.
    let tables = global.folders.open(rules);
    tables.iter().for_each(|tables| args.preload(tables));
    if args.brief {
        question.answer_with(greeting, global.json, |position| {
            ask(&tables, rules, position, |tables| brief(tables, position, args, global))
        })
    } else {
        question.answer_with(greeting, global.json, |position| {
            ask(&tables, rules, position, |tables| of_tables(tables, position))
        })
    }
}

impl Args {
    /// Decodes tables into memory if that is asked for and there is a position to answer, and says what
    /// could not be.
    fn preload(&self, tables: &Tablebase) {
        if let Some(limit) = self.preload.filter(|_| !self.question.is_wrong()) {
            let load = Load::default().with_dtw(true).with_limit(limit);
            preload(tables, &load).iter().for_each(|line| note(line));
        }
    }
}

fn brief(
    tables: &Tablebase,
    position: &Position,
    args: &Args,
    global: &Global,
) -> Result<json::Brief, ProbeError> {
    let value = tables.rating(position)?.into();
    // Only JSON shows the position, and writing it takes longer than looking the value up.
    let text = if global.json { args.question.text(position) } else { String::new() };
    Ok(json::Brief { position: text, value })
}

/// The value of a position and of its moves, and best play if `line` is asked for. `text` writes
/// the positions. Without a DTW file, distances are left out, and best play is an error.
pub fn answer(
    tables: &Tablebase,
    position: &Position,
    line: bool,
    text: impl Fn(&Position) -> String,
) -> Result<json::Probe, ProbeError> {
    let rated = |played: &Move, after: &Position, value: Rating| json::RatedMove {
        played: move_text(played, after),
        position: text(after),
        value,
    };
    let value = tables.rating(position)?.into();
    let moves = tables.move_ratings(position)?;
    let mut answer = json::Probe {
        position: text(position),
        value,
        moves: moves.iter().map(|m| rated(&m.played, &m.after, m.rating.into())).collect(),
        line: None,
        line_end: None,
    };
    if line {
        let line = tables.best_line(position)?;
        let moves = line.moves.iter().map(|m| rated(&m.played, &m.after, m.value.into()));
        answer.line = Some(moves.collect());
        answer.line_end = Some(line.end.into());
    }
    Ok(answer)
}

/// Who wins, in a sentence.
pub fn verdict(position: &Position, value: Rating, is_over: bool) -> String {
    let side = position.side_to_move();
    let verb = match value.wdl {
        _ if is_over => return why_over(position),
        Wdl::Win => "wins",
        Wdl::Draw => return "Drawn.".to_owned(),
        Wdl::Loss => "loses",
    };
    match value.dtw {
        Some(dtw) => format!("{side} {verb} in {}.", text::plies(dtw)),
        None => format!("{side} {verb}; the distance is not known without a .ltbd file."),
    }
}

/// Why a position has no moves, in a sentence.
pub fn why_over(position: &Position) -> String {
    let side = position.side_to_move();
    if position.commanded_by(side).is_empty() {
        format!("{side} has lost: it commands no column.")
    } else if position.commanded_by(!side).is_empty() {
        format!("{side} has won: {} commands no column.", !side)
    } else {
        format!("{side} has lost: it cannot move.")
    }
}

impl Answer for json::Probe {
    fn as_page(&self, position: &Position) -> String {
        let mut lines = vec![board_text(position), String::new()];
        let verdict = verdict(position, self.value, self.moves.is_empty());
        lines.push(painted(self.value.wdl.into(), &verdict));
        if !self.moves.is_empty() {
            lines.push(String::new());
        }
        let rows: Vec<Vec<String>> = self.moves.iter().map(cells).collect();
        lines.extend(text::rows_in_width(2, &[Align::Left; 3], &rows));
        if let (Some(line), Some(end)) = (&self.line, self.line_end)
            && !line.is_empty()
        {
            lines.extend([String::new(), "Best line:".to_owned()]);
            let numbered =
                |(i, rated)| std::iter::once(format!("{}.", i + 1)).chain(cells(rated)).collect();
            let rows: Vec<Vec<String>> = line.iter().enumerate().map(numbered).collect();
            let align = [Align::Right, Align::Left, Align::Left, Align::Left];
            lines.extend(text::rows_in_width(2, &align, &rows));
            lines.push(
                match end {
                    LineEnd::WhiteWins => "White has won.",
                    LineEnd::BlackWins => "Black has won.",
                    LineEnd::Repetition => "The position is repeated: a draw.",
                }
                .to_owned(),
            );
        }
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let played: Vec<&str> = match &self.line {
            Some(line) => line.iter().map(|rated| rated.played.as_str()).collect(),
            None => self.moves.iter().take(1).map(|rated| rated.played.as_str()).collect(),
        };
        let mut text = format!("{}: {}", self.position, self.value);
        if !played.is_empty() {
            text.push_str(", ");
            text.push_str(&played.join(" "));
        }
        text
    }
}

impl Answer for json::Brief {
    fn as_page(&self, _: &Position) -> String {
        self.as_line()
    }

    fn as_line(&self) -> String {
        match self.value.dtw {
            Some(plies) => format!("{} {plies}", self.value.wdl.name()),
            None => self.value.wdl.name().to_owned(),
        }
    }

    fn no_answer(_: &str, error: &str) -> String {
        format!("error: {error}")
    }
}

/// The answer of a search.
struct Searched {
    found: Found,
    /// How the line ends, if it is asked for.
    line_end: Option<Option<LineEnd>>,
    text: String,
    /// Writes positions as the user asked for.
    write: Question,
}

impl Searched {
    fn new(searcher: &Searcher<'_>, position: &Position, args: &Args) -> Result<Searched, Failure> {
        let wanted = Wanted { exact: true, moves: !args.brief };
        let (found, ()) = searcher.search(position, wanted, |_, _| Ok(()))?;
        let line_end = args.line.then(|| line_end(position, &found.line, searcher.rules()));
        let write = args.question.clone();
        Ok(Searched { found, line_end, text: write.text(position), write })
    }
}

impl serde::Serialize for Searched {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Searched { found, line_end, text, write } = self;
        let rated = |rated| found.proved_move(rated, write);
        let searched = json::SearchedProbe {
            position: text.clone(),
            value: found.proved(),
            moves: found.moves.as_ref().map(|moves| moves.iter().map(rated).collect()),
            line: line_end.map(|_| line_moves(&found.line, write)),
            line_end: *line_end,
            positions: found.positions,
            seconds: found.seconds.as_secs_f64(),
        };
        searched.serialize(serializer)
    }
}

impl Answer for Searched {
    fn status(&self) -> Status {
        self.found.status()
    }

    fn as_page(&self, position: &Position) -> String {
        let mut lines = self.found.heading(position);
        lines.extend(self.found.moves_table(&self.write));
        if self.line_end.is_some() {
            lines.extend(self.found.line_table());
        }
        lines.extend(self.found.effort());
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let line = &self.found.line;
        let shown = if self.line_end.is_some() { line.len() } else { line.len().min(1) };
        let moves = line[..shown].iter().map(|step| move_text(&step.played, &step.after));
        let moves: Vec<String> = moves.collect();
        let value = self.found.value();
        match moves.is_empty() {
            true => format!("{}: {value}", self.text),
            false => format!("{}: {value}, {}", self.text, moves.join(" ")),
        }
    }
}

fn cells(rated: &json::RatedMove) -> Vec<String> {
    let value = painted(rated.value.wdl.into(), &rated.value.to_string());
    vec![rated.played.clone(), value, rated.position.clone()]
}
