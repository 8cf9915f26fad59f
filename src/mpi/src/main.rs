//! `lasca-tb-mpi`: makes Lasca endgame tablebases on several machines, over MPI.
//!
//! It is a thin face over the library, which does the work on any ranks that can exchange bytes. The
//! ranks of MPI are in [`ranks`].

mod args;
mod generate;
mod ranks;

use args::Command;
use clap::Parser;
use lasca_tablebase::ranks::Ranks;
use mpi::Threading;
use std::process::ExitCode;

fn main() -> ExitCode {
    let parsed = args::Args::try_parse();
    match &parsed {
        Ok(args::Args { command: Command::Generate(args) }) if args.dry_run => {
            return generate::dry_run(args);
        }
        Err(text) if !text.use_stderr() => {
            let _ = text.print();
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let Some((_universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        unreachable!("MPI is initialized once")
    };
    // All ranks find the same here, and one of them says so.
    let is_first = ranks::MpiRanks::of_world().rank() == 0;
    let Command::Generate(args) = match parsed {
        Ok(args) => args.command,
        Err(error) => {
            if is_first {
                let _ = error.print();
            }
            return ExitCode::from(2);
        }
    };
    if threading < Threading::Serialized {
        if is_first {
            generate::say("this MPI lets only one thread call it; install one with thread support");
        }
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
