//! `lasca-tb`, the command line of the Lasca endgame tablebases.
//!
//! It is a thin face over the library. [`args`] describes the arguments, and each subcommand has a
//! module of its own.

mod allocator;
mod args;
mod certify;
mod failure;
mod folders;
mod generate;
mod hints;
mod interrupt;
mod json;
mod line;
mod list;
mod memory;
mod moves;
mod output;
mod perft;
mod probe;
mod progress;
mod question;
mod report;
mod search;
mod searching;
#[cfg(feature = "server")]
mod serve;
mod solve;
mod stats;
mod study;
mod suggest;
mod text;
mod threads;
mod verify;

use args::Command;
use failure::{Failure, Status};
use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::fit_into_address_space();
    output::fail_where_files_are_too_large();
    let cli = match args::parse() {
        Ok(cli) => cli,
        Err(error) => return args::report(&error),
    };
    let done = match cli.command {
        Command::Generate(args) => generate::run(&args, cli.rules),
        Command::Probe(args) => probe::run(&args, cli.rules),
        Command::Line(args) => line::run(&args, cli.rules),
        Command::Solve(args) => solve::run(&args, cli.rules),
        Command::Study(args) => study::run(&args, cli.rules),
        Command::Certify(args) => certify::run(&args, cli.rules),
        Command::Verify(args) => verify::run(&args, cli.rules),
        Command::Stats(args) => stats::run(&args, cli.rules),
        Command::Report(args) => report::run(&args, cli.rules),
        Command::List(args) => list::run(&args, cli.rules),
        #[cfg(feature = "server")]
        Command::Serve(args) => serve::run(&args, cli.rules),
        Command::Moves(args) => moves::run(&args, cli.rules),
        Command::Perft(args) => perft::run(&args, cli.rules),
    };
    match done {
        Ok(status) => status.into(),
        Err(Failure::ClosedPipe) => Status::Affirmative.into(),
        Err(failure) => {
            failure::say(&failure);
            failure.status().into()
        }
    }
}
