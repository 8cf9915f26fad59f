//! `completions`: prints a script that lets a shell complete commands and options.

use crate::failure::{Failure, Status};
use crate::output::Output;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap_complete::{Shell, generate};

/// Print a script with which a shell completes commands and options
///
/// The shell reads the script when it starts, or when it first completes this program. How it finds
/// the script depends on the shell; the examples show the usual places. The folders must exist. zsh
/// looks only in the folders of its variable `fpath`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  cd ~/.local/share/bash-completion/completions
  lasca-tb completions bash > lasca-tb
  lasca-tb completions zsh > ~/.zfunc/_lasca-tb
  lasca-tb completions fish > ~/.config/fish/completions/lasca-tb.fish
  lasca-tb completions powershell >> $PROFILE")]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL", ignore_case = true,
        value_parser = PossibleValuesParser::new(["bash", "zsh", "fish", "powershell"])
            .try_map(|name| Shell::from_str(&name, true)))]
    shell: Shell,
}

/// Prints the script for the command line of this program.
pub fn run(args: &Args, mut program: clap::Command) -> Result<Status, Failure> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    generate(args.shell, &mut program, name, &mut script);
    let script = String::from_utf8_lossy(&script);
    // For bash, clap_complete 4.6 writes the hyphen in the name of a program in two ways, and then
    // completes nothing after the command: https://github.com/clap-rs/clap/issues/6421.
    let mut script = script.replace("lasca__subcmd__tb", "lasca__tb");
    if args.shell == Shell::Fish {
        // The function says that there is no command yet. Where the last option still has no value, it
        // gives up, and fish offers files.
        script = script.replace("    or return\n", "    or return 0\n");
    }
    Output::new().lines([script.trim_end()])?;
    Ok(Status::Affirmative)
}
