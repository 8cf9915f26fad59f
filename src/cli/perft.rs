//! `perft`: counts move sequences.

use crate::failure::{Failure, Status};
use crate::output::Output;
use crate::question;
use lasca_tablebase::rules::{RuleSet, perft};

/// Count the move sequences of a given length
///
/// The output is just the number. Programs with the same rules get the same numbers, so this is a test
/// of move generators. The command needs no tables, and the position may have soldiers and up to 22
/// counters.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Example:
  lasca-tb perft \"b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w\" 5")]
pub struct Args {
    /// The position, in list form or row form; quotes are not needed
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

    /// The number of plies in a sequence, at most 100
    #[arg(value_name = "DEPTH", value_parser = parse_depth)]
    depth: u32,
}

/// If the depth is left out, this gets the last word of the position. The error says so.
fn parse_depth(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|depth| *depth <= 100).ok_or_else(|| {
        format!("expected a number of plies from 0 to 100 after the position, found {text:?}")
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
