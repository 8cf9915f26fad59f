//! `perft`: counts move sequences.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::output::Output;
use crate::positions::OnePosition;
use crate::progress::spinner;
use indicatif::ProgressBar;
use lasca_tablebase::notation::move_text;
use lasca_tablebase::rules::{Position, RuleSet, perft};
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
    let position = args.position.read()?;
    let mut count = Count::new(global.rules());
    let mut by_move = Vec::new();
    if args.divide && args.depth > 0 {
        let successors = position.successors(global.rules())?;
        let each = 1.0 / successors.len() as f64;
        for (played, after) in &successors {
            let before = count.sequences;
            count.add(after, args.depth - 1, each);
            by_move.push(format!("{} {}", move_text(played, after), count.sequences - before));
        }
    } else {
        count.add(&position, args.depth, 1.0);
    }
    count.bar.finish_and_clear();
    let mut output = Output::new();
    output.lines(by_move)?;
    output.lines([count.sequences])?;
    Ok(Status::Affirmative)
}

/// How many of the last plies are counted at once, before the terminal shows how far the count is.
const AT_ONCE: u32 = 6;

/// A count that shows how far it is.
struct Count {
    rules: RuleSet,
    sequences: u64,
    /// How much of the work is done, if all moves of a position take equally long.
    share: f64,
    /// A line on standard error, which is hidden if that is no terminal.
    bar: ProgressBar,
}

impl Count {
    fn new(rules: RuleSet) -> Count {
        Count { rules, sequences: 0, share: 0.0, bar: spinner("sequences") }
    }

    /// Adds the sequences of this length, which are this share of the work.
    fn add(&mut self, position: &Position, depth: u32, share: f64) {
        if depth > AT_ONCE {
            let rules = self.rules;
            let moves = perft(position, rules, 1);
            if moves == 0 {
                self.share += share;
            }
            let each = share / moves as f64;
            let _: ControlFlow<()> = position.try_for_each_move(rules, |_, after| {
                self.add(after, depth - 1, each);
                ControlFlow::Continue(())
            });
            return;
        }
        self.sequences += perft(position, self.rules, depth);
        self.share += share;
        self.bar.set_position(self.sequences);
        self.bar.set_message(format!("about {:.2} % of the work", 100.0 * self.share));
    }
}
