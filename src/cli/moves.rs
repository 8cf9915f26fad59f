//! `moves`: lists the legal moves of a position.

use crate::answer::why_over;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::{Answer, RatedStep};
use crate::positions::{Asked, Positions};
use crate::text;
use lasca_tablebase::notation::board_text;
use lasca_tablebase::rules::Position;

/// List the legal moves of a position
///
/// Each move is listed with the position that it leads to. The command needs no tables, and the
/// position may have soldiers.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb moves \"b2W c3B c5BB w\"
  lasca-tb moves --stdin < positions.txt")]
pub struct Args {
    #[command(flatten)]
    positions: Positions,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    let asked = Asked { command: "moves", global, options: &["id"] };
    args.positions.answer_with(asked, true, rules, |&rules, position, options| {
        let answer = Answer::of_moves(position, &position.successors(rules)?);
        let as_page = || page(position, answer.moves.as_deref().unwrap_or_default());
        Ok((Status::Affirmative, options.shown(|| answer.clone(), as_page)))
    })
}

/// The legal moves of a position, as a page of text.
fn page(position: &Position, moves: &[RatedStep]) -> String {
    let mut lines = vec![board_text(position), String::new()];
    match moves.len() {
        0 => lines.push(why_over(position)),
        1 => lines.push("1 move:".to_owned()),
        moves => lines.push(format!("{moves} moves:")),
    }
    let row = |legal: &RatedStep| vec![legal.played.clone(), legal.position.clone()];
    let rows: Vec<Vec<String>> = moves.iter().map(row).collect();
    lines.extend(text::table(2, "ll", &rows));
    lines.join("\n")
}
