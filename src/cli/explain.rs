//! `explain`: shows for each move of a position the line that proves its value.

use crate::answer::Style;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::lookup::BySearch;
use crate::positions::Positions;
use lasca_analysis::answer::Question;

/// Show the value of each move of a position, and the line that proves it
///
/// For a move that wins or loses, the line is best play to the end: the winner takes the shortest
/// way and the loser the longest. For a move that draws, the replies that hold the draw are listed.
/// The only move that keeps the result is marked. If the move and the line after it have ten or more plies
/// in a row without a capture, the longest such run is named.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb explain \"c3W d4B c5B e5W w\"
  lasca-tb explain \"d2W d4W f2B f4B b\" --json
  lasca-tb explain \"a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w\" --seconds 10")]
pub struct Args {
    #[command(flatten)]
    positions: Positions,

    #[command(flatten)]
    by_search: BySearch,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let wanted = Question { exact: true, proofs: true, ..Question::new(global.rules()) };
    let style = Style { brief: None, needs_distance: false };
    args.by_search.answer(&args.positions, "explain", global, wanted, style)
}
