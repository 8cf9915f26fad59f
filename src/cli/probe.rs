//! `probe`: looks up the value of a position and of its moves.

use crate::answer::Style;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::lookup::BySearch;
use crate::positions::Positions;
use lasca_analysis::answer::Question;

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
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    let wanted =
        Question { exact: true, moves: !args.brief, line: args.line, ..Question::new(rules) };
    let brief = args.brief.then_some(true);
    let style = Style { brief, needs_distance: false };
    args.by_search.answer(&args.positions, "probe", global, wanted, style)
}
