//! `solve`: finds out by search who wins any position, or that nobody does.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::{self, Greeting};
use crate::parsers;
use crate::question::{Answer, Question};
use crate::search::{Brief, Found, Searcher, Wanted, line_end, line_moves, named};
use crate::searching::MemoryLimit;
use crate::threads;
use lasca_tablebase::notation::move_text;
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::{Value, Wdl};
use std::time::Duration;

/// Find out by search who wins any position, with soldiers and up to 22 counters
///
/// The search proves that one side wins, or that neither side can win. It uses the tables for
/// positions that they cover, and it works without any table. A win comes with the number of plies
/// that the proof needs at most; --exact finds the distance itself. If a limit is reached, or if you
/// press Ctrl-C, the command says what is proved so far. With --stdin, positions are answered one after
/// another. At most eight threads are used.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Exit status:
  0  The position is solved, and its distance is found if --exact asks for it.
  1  The result or the distance is still open when a limit is reached or memory
     is full, or a table is damaged.
  2  The text is not a position, a table cannot be read, or memory is not enough
     to begin.

Examples:
  lasca-tb solve \"a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w\" --exact
  lasca-tb solve --stdin --brief --seconds 10 < positions.txt")]
pub struct Args {
    #[command(flatten)]
    question: Question,

    /// Also find out what each move is worth
    #[arg(long)]
    moves: bool,

    /// Find the exact distance of a win or loss
    #[arg(long)]
    exact: bool,

    /// The time limit for each position, in seconds [default: none]
    #[arg(short, long, value_name = "S", value_parser = parsers::seconds)]
    seconds: Option<Duration>,

    #[command(flatten)]
    memory: MemoryLimit,

    /// Print only win, draw, loss or open
    ///
    /// With --exact, the number of plies follows a win or a loss, such as `win 31`. With --stdin, a
    /// line without an answer gives `error:` and the reason.
    #[arg(short, long, conflicts_with = "moves")]
    brief: bool,
}

/// Prints what the search finds.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    if args.brief && global.json {
        return Err(Failure::Wrong("expected --brief or --json, found both".to_owned()));
    }
    threads::start()?;
    let tables = global.folders.open_if_any(rules)?;
    let searcher = Searcher::new(rules, tables.as_ref(), args.seconds, args.memory.memory())?;
    let wanted = Wanted { exact: args.exact, moves: args.moves };
    let solve = |position: &Position| {
        let (found, ()) = searcher.search(position, wanted, |_, _| Ok(()))?;
        let write = args.question.clone();
        let (text, position) = (write.text(position), *position);
        Ok(Solved { text, position, rules, found, wants_exact: args.exact, write })
    };
    let greeting = Greeting::new("solve", rules);
    if args.brief {
        args.question.answer_with(greeting, false, |position| {
            let solved = solve(position)?;
            Ok(Brief { text: solved.found.brief(args.exact), answer: solved })
        })
    } else {
        args.question.answer_with(greeting, global.json, solve)
    }
}

/// What a search has found out about a position.
struct Solved {
    text: String,
    position: Position,
    rules: RuleSet,
    found: Found,
    wants_exact: bool,
    /// Writes positions as the user asked for.
    write: Question,
}

impl Solved {
    fn distance_is_open(&self) -> bool {
        let is_decided = matches!(self.found.wdl, Some(Wdl::Win | Wdl::Loss));
        self.wants_exact && is_decided && self.found.exact.is_none()
    }
}

impl serde::Serialize for Solved {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let line_end = line_end(&self.position, &self.found.line, self.rules);
        json_of(&self.text, &self.found, line_end, &self.write).serialize(serializer)
    }
}

/// What a search has found about a position, and how the line ends, as JSON has them. `write` writes
/// positions.
pub fn json_of<'a>(
    text: &'a str,
    found: &Found,
    line_end: Option<json::LineEnd>,
    write: &Question,
) -> json::Solved<'a> {
    let moves = found.moves.as_ref().map(|moves| {
        let rated = moves.iter().map(|rated| json::SolvedMove {
            played: move_text(&rated.played, &rated.after),
            position: write.text(&rated.after),
            wdl: rated.wdl.map(Wdl::name),
            at_most: rated.at_most.and_then(Value::dtw),
            excluded: named(rated.excluded),
        });
        rated.collect()
    });
    json::Solved {
        position: text,
        wdl: found.wdl.map(Wdl::name),
        dtw: found.exact,
        at_most: found.at_most,
        excluded: named(found.excluded),
        line: line_moves(&found.line, write),
        line_end,
        moves,
        positions: found.positions,
        seconds: found.seconds.as_secs_f64(),
    }
}

impl Answer for Solved {
    /// Each position is searched with all threads.
    const IN_PARALLEL: bool = false;

    fn status(&self) -> Status {
        if self.distance_is_open() { Status::Negative } else { self.found.status() }
    }

    fn as_page(&self, position: &Position) -> String {
        let mut lines = self.found.heading(position);
        if self.distance_is_open() {
            lines.push("The exact distance is open.".to_owned());
        }
        lines.extend(self.found.moves_table(&self.write));
        lines.extend(self.found.line_table());
        lines.extend(self.found.effort());
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let value = self.found.value();
        let line = self.found.line.iter();
        let moves: Vec<String> = line.map(|step| move_text(&step.played, &step.after)).collect();
        match moves.is_empty() {
            true => format!("{}: {value}", self.text),
            false => format!("{}: {value}, {}", self.text, moves.join(" ")),
        }
    }
}
