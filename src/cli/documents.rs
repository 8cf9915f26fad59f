//! The documents that `lasca-tb help` prints: the same files as in the source.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::output::Output;
use clap::{Arg, Args, Command};

/// How programs use this one.
const PROTOCOL: &str = include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/PROTOCOL.md"));

/// How to run a server.
const SERVER: &str = include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/SERVER.md"));

/// All commands; a part of it is about positions and moves.
const COMMANDS: &str = include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/COMMANDS.md"));

/// How endings are annotated.
const STUDIES: &str = include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/STUDY_FORMAT.md"));

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
        "protocol" => Some(PROTOCOL),
        "server" => Some(SERVER),
        "studies" => Some(STUDIES),
        "notation" => {
            let part = &COMMANDS[COMMANDS.find(NOTATION)?..];
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
