//! `perft`: counts move sequences.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::output::Output;
use crate::positions::OnePosition;
use crate::progress::counter;
use lasca_tablebase::notation::move_text;
use lasca_tablebase::rules::perft;
use std::ops::ControlFlow;

/// Count the move sequences of a given length
///
/// The output is the number. A terminal shows how far the count is. Programs with the same rules get the
/// same numbers, so this is a test of move generators. The command needs no tables, and the position may
/// have soldiers.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Example:
  lasca-tb perft start 5
  lasca-tb perft --divide start 5")]
pub struct Args {
    #[command(flatten)]
    position: OnePosition,

    /// The number of plies in a sequence, at most 100
    #[arg(value_name = "DEPTH", value_parser = parse_depth)]
    depth: u32,

    /// First print each legal move with the number of sequences that begin with it
    #[arg(long)]
    divide: bool,
}

/// If the depth is left out, this gets the last word of the position. The error says so.
fn parse_depth(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|depth| *depth <= 100).ok_or_else(|| {
        format!("expected a number of plies from 0 to 100 after the position, found {text:?}")
    })
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let (position, rules) = (args.position.read()?, global.rules());
    let mut output = Output::new();
    let Some(rest) = args.depth.checked_sub(1) else {
        output.lines([1])?;
        return Ok(Status::Affirmative);
    };
    let bar = counter("first moves");
    bar.set_length(perft(&position, rules, 1));
    let (mut sequences, mut by_move) = (0, Vec::new());
    let _: ControlFlow<()> = position.try_for_each_move(rules, |played, after| {
        let text = move_text(played, after);
        bar.set_message(text.clone());
        let count = perft(after, rules, rest);
        bar.inc(1);
        sequences += count;
        if args.divide {
            by_move.push((*played, format!("{text} {count}")));
        }
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    by_move.sort_unstable_by_key(|&(played, _)| played);
    output.lines(by_move.iter().map(|(_, line)| line))?;
    output.lines([sequences])?;
    Ok(Status::Affirmative)
}
