//! `solve`: finds out by search who wins any position, or that nobody does.

use crate::answer::{Known, Style};
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::interrupt;
use crate::lookup::{FolderTables, default_for};
use crate::make::ToBeMade;
use crate::memory::{MemoryLimit, search_failure};
use crate::parsers;
use crate::positions::{Asked, Positions};
use crate::progress::SearchProgress;
use crate::threads;
use lasca_analysis::answer::{Question, SearchLimits};
use std::time::Duration;

/// Find out by search who wins any position, also with soldiers
///
/// The search proves that one side wins, or that neither side can win. It uses the tables for
/// positions that they cover, and it works without any table. A win comes with the number of plies
/// that the proof needs at most; --exact finds the distance itself. If a limit is reached, or if you
/// press Ctrl-C, the command says what is proved so far. With --stdin, positions are answered one after
/// another.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb solve \"a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w\" --exact
  lasca-tb solve --stdin --seconds 10 < positions.txt")]
pub struct Args {
    #[command(flatten)]
    positions: Positions,

    /// Also find out what each move is worth
    ///
    /// With --seconds, a quarter of the time goes to estimates of the moves that are open, if the position is
    /// open too: from -100 to 100, larger is better for the side that makes the move. They prove nothing.
    /// Without --seconds, the search goes on until its memory is full.
    #[arg(long)]
    moves: bool,

    /// Find the exact distance of a win or loss
    #[arg(long)]
    exact: bool,

    /// The time limit for each position, in seconds [default: none]
    #[arg(short, long, value_name = "S", value_parser = parsers::seconds)]
    seconds: Option<Duration>,

    #[command(flatten)]
    make: ToBeMade,

    #[command(flatten)]
    memory: MemoryLimit,

    /// Print only win, draw, loss or open
    ///
    /// With --exact, the number of plies follows a win or a loss, such as `win 31`. JSON has no line then.
    #[arg(short, long, conflicts_with = "moves")]
    brief: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let tables = FolderTables::open(global);
    tables.get()?;
    interrupt::watch_for_ctrl_c()?;
    let memory = args.memory.bytes();
    let maker = args.make.maker(default_for(&args.positions), global);
    let options = &["id", "seconds", "make", "exact", "moves"];
    let asked = Asked { command: "solve", global, options };
    args.positions.answer_with(asked, false, tables, |tables, position, options| {
        let exact = options.exact.unwrap_or(args.exact);
        let moves = options.moves.unwrap_or(args.moves);
        let tables = tables.get()?;
        let question = Question { exact, moves, line: !args.brief, ..Question::new(tables) };
        let time = options.seconds.or(args.seconds);
        let threads = threads::count();
        let limits = SearchLimits { time, threads, memory, ..SearchLimits::default() };
        let brief = args.brief.then_some(exact);
        let style = Style { brief, needs_distance: exact };
        let found = interrupt::stoppable(options.number, || {
            maker.search_and_make(tables, position, limits, options.make, |limits| {
                question.by_search(position, limits, &SearchProgress::new())
            })
        });
        let answer = found.map_err(|error| search_failure(&error))?;
        Known::shown(answer, style, options)
    })
}
