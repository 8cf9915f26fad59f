//! `lasca-tb`, the command line of the Lasca endgame tablebases.
//!
//! It is a thin face over the library `lasca-tablebase`. `args` describes the arguments, and each subcommand has a
//! module of its own. It is a library so that cargo compiles it beside `lasca-tablebase`, and not after it. Nothing in
//! it is promised to other programs.

mod allocator;
mod answer;
mod args;
mod certify;
mod completions;
mod explain;
mod failure;
mod find;
mod folders;
mod generate;
mod global;
mod hints;
mod interrupt;
mod json;
mod list;
mod lookup;
mod make;
mod man;
mod memory;
mod moves;
mod output;
mod parsers;
mod perft;
mod picture;
mod positions;
mod probe;
mod processes;
mod progress;
mod review;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "server")]
mod serve;
mod solve;
mod stats;
mod studies;
mod study;
mod terminal;
mod text;
mod threads;
mod verify;
mod watch;

use args::{Cli, Command, command};
use failure::{Failure, Status};
use std::process::ExitCode;

/// The whole program, for its `main` function. It reads the arguments of the process, and returns the status with
/// which the process ends. README.md and docs/COMMANDS.md say what it does.
pub fn main() -> ExitCode {
    output::fail_where_files_are_too_large();
    // Each table is two files. What the system does not allow is told where a file cannot be opened.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let done = match args::parse() {
        Ok(cli) => run(&cli),
        // All processes of a run find the same, and one of them says it.
        Err(error) => processes::together(|all| args::report(&error, all.number() == 0)),
    };
    done.unwrap_or_else(|failure| failure.tell()).code().into()
}

fn run(cli: &Cli) -> Result<Status, Failure> {
    let global = &cli.global;
    threads::choose(global.threads);
    match &cli.command {
        Command::Generate(args) => generate::run(args, global),
        Command::Probe(args) => probe::run(args, global),
        Command::Explain(args) => explain::run(args, global),
        Command::Solve(args) => solve::run(args, global),
        Command::Study(args) => study::run(args, global),
        Command::Review(args) => review::run(args, global),
        Command::Certify(args) => certify::run(args, global),
        Command::Verify(args) => verify::run(args, global),
        Command::Stats(args) => stats::run(args, global),
        Command::Find(args) => find::run(args, global),
        Command::List(_) => list::run(global),
        #[cfg(feature = "server")]
        Command::Serve(args) => serve::run(args, global),
        Command::Moves(args) => moves::run(args, global),
        Command::Perft(args) => perft::run(args, global),
        Command::Picture(args) => picture::run(args, global),
        Command::Completions(args) => completions::run(args, command()),
        Command::Man(args) => man::run(args, command()),
    }
}
