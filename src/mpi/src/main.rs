//! `lasca-tb-mpi`: makes Lasca endgame tablebases on several machines, over MPI.
//!
//! It is a thin face over the library, which does the work on any ranks that can exchange bytes. The
//! ranks of MPI are in [`ranks`].

mod args;
mod generate;
mod ranks;

use args::Command;
use clap::Parser;
use mpi::Threading;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Command::Generate(args) = match args::Args::try_parse() {
        Ok(args) => args.command,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if args.dry_run {
        return generate::dry_run(&args);
    }
    let Some((_universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        unreachable!("MPI is initialized once")
    };
    if threading < Threading::Serialized {
        generate::say("this MPI lets only one thread call it; install one with thread support");
        return ExitCode::from(2);
    }
    // A rank that ends without a word to MPI ends the whole job.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        usual(info);
        std::process::abort();
    }));
    generate::run(&args)
}
