//! What can be asked on the command line.

use crate::failure::Status;
#[cfg(feature = "server")]
use crate::serve;
use crate::{certify, generate, line, list, moves, perft, probe, report, stats, study, verify};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use lasca_tablebase::rules::RuleSet;
use std::io::Write;
use std::process::ExitCode;

/// Endgame tablebases for Lasca: generate, probe and verify officer-only endings
///
/// A table holds, for every position of a material such as 4-3 (four white counters, three black
/// ones, all of them officers, prisoners counted), who wins and in how many plies.
#[derive(Debug, Parser)]
#[command(
    name = "lasca-tb",
    version,
    max_term_width = 80,
    arg_required_else_help = true,
    after_long_help = "\
Positions:
  a1WWW b2BBB w     columns by square, from the top down; then the side to move
                    (soldiers are w and b)
  ,,,/,,/,,,/,,/,,,/BBB,,/WWW,,, w
                    the rows from row 7 down to row 1, their squares

Results go to standard output, everything else to standard error.

Exit status:
  0  done, and the answer is yes
  1  done, and the answer is no: a check failed; a table, or the folder of
     tables, is missing; a table is damaged
  2  not done: wrong usage or input, a folder that cannot be read or written,
     a full disk, not enough memory

Examples:
  lasca-tb generate --up-to 6
  lasca-tb probe \"a1WWW b2BBB w\""
)]
pub struct Cli {
    /// The rule set: they differ in how a take goes on
    ///
    /// lasca (the default): a square is jumped at most once in a move. bignor: a take is a single
    /// jump. rejump: squares may be jumped again.
    #[arg(long, global = true, value_name = "RULES", value_parser = rule_set())]
    pub rules: Option<RuleSet>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Generate(generate::Args),
    Probe(probe::Args),
    Line(line::Args),
    Study(study::Args),
    Certify(certify::Args),
    Verify(verify::Args),
    Stats(stats::Args),
    Report(report::Args),
    List(list::Args),
    #[cfg(feature = "server")]
    Serve(serve::Args),
    Moves(moves::Args),
    Perft(perft::Args),
}

fn rule_set() -> impl TypedValueParser<Value = RuleSet> {
    PossibleValuesParser::new(RuleSet::ALL.map(RuleSet::name)).try_map(|name| name.parse())
}

/// Prints help, or says what is wrong with the arguments.
pub fn report(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        let _ = match text.strip_prefix("error: ") {
            Some(text) => write!(std::io::stderr(), "lasca-tb: {text}"),
            None => write!(std::io::stderr(), "{text}"),
        };
        return Status::Wrong.into();
    }
    match write!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "lasca-tb: writing standard output: {error}");
            Status::Wrong.into()
        }
        _ => Status::Affirmative.into(),
    }
}
