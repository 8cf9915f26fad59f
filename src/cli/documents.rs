//! The documents that `lasca-tb help` prints: the same files as in the source.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::output::Output;
use clap::{Arg, Args, Command};

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
