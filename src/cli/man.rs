//! `man`: writes the manual pages.

use crate::failure::{Failure, Status};
use std::fs;
use std::path::PathBuf;

/// Write the manual pages: one for the program and one for each command
///
/// `man lasca-tb` finds them in a folder such as ~/.local/share/man/man1.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb man --out ~/.local/share/man/man1
  man lasca-tb-probe")]
pub struct Args {
    /// The folder to write to; it is made if it is missing, and existing pages are replaced
    #[arg(short, long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

/// Writes the pages about the command line of this program.
pub fn run(args: &Args, program: clap::Command) -> Result<Status, Failure> {
    let write = || {
        fs::create_dir_all(&args.out)?;
        clap_mangen::generate_to(program.disable_help_subcommand(true), &args.out)
    };
    write().map_err(|error| {
        Failure::system(format!("cannot write to {}: {error}", args.out.display()))
    })?;
    Ok(Status::Affirmative)
}
