//! `perft`: how many move sequences there are.

use crate::failure::{Failure, Status};
use crate::output::Output;
use crate::question;
use lasca_tablebase::rules::{RuleSet, perft};

/// Count the move sequences of a given length
///
/// Prints the number alone. Needs no table; any counters may be on the board.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Example:
  lasca-tb perft \"b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w\" 5")]
pub struct Args {
    /// The position, in list or row form; its words need no quotes
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

    /// How many moves make a sequence, at most 100
    #[arg(value_name = "DEPTH", value_parser = parse_depth)]
    depth: u32,
}

/// Without a depth, the end of the position stands in its place.
fn parse_depth(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|depth| *depth <= 100).ok_or_else(|| {
        format!("expected after the position a number of moves from 0 to 100, found {text:?}")
    })
}

/// Prints the count.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let position = question::read(&args.position.join(" ")).map_err(Failure::Wrong)?;
    let mut out = Output::new();
    out.line(perft(&position, rules.unwrap_or_default(), args.depth))?;
    out.finish()?;
    Ok(Status::Affirmative)
}
