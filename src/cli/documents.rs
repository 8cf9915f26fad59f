//! What the program says of itself: the documents that `lasca-tb help` prints, which are the same files as in the
//! source, and `man` and `completions`, which follow from the command line.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::output::Output;
use clap::{Arg, Args, Command, ValueHint};
use clap_complete::{Shell, generate};
use std::fs;
use std::path::PathBuf;

/// A document by the name of its file.
macro_rules! file {
    ($name:literal) => {
        include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/", $name))
    };
}

/// The heading of the part about positions and moves.
const NOTATION: &str = "## Positions and moves\n";

/// The document that the command line asks for, if it is `help` and the name of one. Options may stand there too.
pub fn asked() -> Option<&'static str> {
    let help = Command::new("help").arg(Arg::new("name").required(true));
    let program = Global::augment_args(Command::new("lasca-tb")).args_override_self(true);
    let program = program.disable_help_subcommand(true).subcommand(help);
    let words = program.try_get_matches().ok()?;
    document(words.subcommand()?.1.get_one::<String>("name")?)
}

fn document(name: &str) -> Option<&'static str> {
    match name {
        "protocol" => Some(file!("PROTOCOL.md")),
        "server" => Some(file!("SERVER.md")),
        "studies" => Some(file!("STUDY_FORMAT.md")),
        "notation" => {
            let commands = file!("COMMANDS.md");
            let part = &commands[commands.find(NOTATION)?..];
            let end = part[NOTATION.len()..].find("\n## ").map(|end| NOTATION.len() + end);
            Some(&part[..end.unwrap_or(part.len())])
        }
        _ => None,
    }
}

/// Prints a document.
pub fn print(document: &str) -> Result<Status, Failure> {
    Output::new().lines([document.trim_end()])?;
    Ok(Status::Affirmative)
}

/// Write the manual pages: one for the program and one for each command
///
/// `man lasca-tb` finds them in a folder such as ~/.local/share/man/man1.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb man --out ~/.local/share/man/man1
  man lasca-tb-probe")]
pub struct ManArgs {
    /// The folder to write to; it is made if it is missing, and existing pages are replaced
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
}

/// Writes the pages about the command line of this program.
pub fn write_man(args: &ManArgs, program: Command) -> Result<Status, Failure> {
    let write = || {
        fs::create_dir_all(&args.out)?;
        clap_mangen::generate_to(program.disable_help_subcommand(true), &args.out)
    };
    write().map_err(|error| {
        Failure::system(format!("cannot write to {}: {error}", args.out.display()))
    })?;
    Ok(Status::Affirmative)
}

/// Print a script with which a shell completes commands and options
///
/// The shell reads the script when it starts, or when it first completes this program. How it finds
/// the script depends on the shell; the examples show the usual places. The folders must exist. zsh
/// looks only in the folders of its variable `fpath`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cd ~/.local/share/bash-completion/completions
  lasca-tb completions bash > lasca-tb
  lasca-tb completions zsh > ~/.zfunc/_lasca-tb
  lasca-tb completions fish > ~/.config/fish/completions/lasca-tb.fish
  lasca-tb completions powershell >> $PROFILE")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", ignore_case = true)]
    shell: Shell,
}

/// Prints the script for the command line of this program.
pub fn print_completions(args: &CompletionsArgs, mut program: Command) -> Result<Status, Failure> {
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
