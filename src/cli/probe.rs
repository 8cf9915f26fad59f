//! `probe`: looks up the value of a position and of its moves.

use crate::answer::Style;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::lookup::BySearch;
use crate::memory::PreloadMemory;
use crate::parsers;
use crate::positions::Positions;
use crate::terminal::note;
use lasca_analysis::answer::Question;
use lasca_tablebase::probe::Tablebase;
use std::sync::OnceLock;

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
  lasca-tb probe --stdin < positions.txt > answers.jsonl")]
pub struct Args {
    #[command(flatten)]
    positions: Positions,

    #[command(flatten)]
    by_search: BySearch,

    /// Also show best play, to the end of the game or to the first repetition
    #[arg(short, long)]
    line: bool,

    /// Print only the value, which is fastest for many positions
    ///
    /// The answer is a line such as `win 5`, `draw` or `loss 12`, or JSON without moves. The number is the distance in
    /// plies. If the table's .ltbd file, which has the distances, is missing, the answer is just
    /// `win` or `loss`. If a search with --seconds leaves it open who wins, the answer is `open`; if it
    /// does not find the exact distance, there is no number.
    #[arg(short, long, conflicts_with = "line")]
    brief: bool,

    /// Decode tables into memory first, up to this size in all, such as 800M or 4G
    ///
    /// The answers stay the same. They come faster, because most values are then only looked up. Decoding
    /// all tables of up to eight counters takes 473 MB and a second or two, so this is for many thousands of
    /// positions. The tables with the fewest positions come first; one that does not fit is answered from
    /// its files. It leaves 80 MiB of what is free to the rest of the program, or half of it if that is less.
    /// If less than 16 MiB is free, nothing is decoded.
    #[arg(long, value_name = "SIZE", value_parser = parsers::size)]
    preload: Option<u64>,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    let wanted =
        Question { exact: true, moves: !args.brief, line: args.line, ..Question::new(rules) };
    let style = Style { brief: args.brief.then_some(true), needs_distance: false };
    let limit = OnceLock::new();
    let preload = |tables: &Tablebase| {
        let Some(by_user) = args.preload else { return };
        // Later, what is decoded is no longer free, and what was said is not said again.
        let is_first = limit.get().is_none();
        let memory = limit.get_or_init(|| PreloadMemory::new(by_user));
        let said = memory.preload(tables);
        said.iter().filter(|_| is_first).for_each(|line| note(line));
    };
    args.by_search.answer(&args.positions, "probe", global, wanted, style, &preload)
}
