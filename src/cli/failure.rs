//! How a command ends: its exit status, and what it says if it fails.

use crate::hints::{self, CommandLine};
use crate::text;
use lasca_tablebase::generate::{GenerateError, SolveError};
use lasca_tablebase::index::{ExtentError, Material};
use lasca_tablebase::probe::{FolderError, ProbeError};
use lasca_tablebase::table::TableError;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit status of a command. If several apply, the greatest is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0: the command is done, and the answer is yes.
    Affirmative,
    /// 1: the command is done, and the answer is no: a check failed, or a table is missing or
    /// damaged.
    Negative,
    /// 2: the command is not done: the usage or the input is wrong, or the system does not allow it.
    Wrong,
    /// 128 and the number of a signal: all processes of a run have stopped after it.
    Stopped(u8),
}

impl Status {
    /// The exit status as a number.
    pub fn code(self) -> u8 {
        match self {
            Status::Affirmative => 0,
            Status::Negative => 1,
            Status::Wrong => 2,
            Status::Stopped(signal) => 128 + signal,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

/// Why a command stops early.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The answer is no, with the reason.
    Negative(String),
    /// The command cannot be done, with the reason.
    Wrong(String),
    /// Another process of the run has failed with this status, and says why.
    Elsewhere(Status),
}

impl Failure {
    /// The same with what the user can do.
    pub fn with_hint(self, hint: &str) -> Failure {
        self.reworded(|why| format!("{why}; {hint}"))
    }

    /// The same with its reason in these words.
    pub fn reworded(self, words: impl FnOnce(String) -> String) -> Failure {
        match self {
            Failure::Negative(why) => Failure::Negative(words(why)),
            Failure::Wrong(why) => Failure::Wrong(words(why)),
            silent => silent,
        }
    }

    /// Whether nothing is said of it here.
    pub fn is_silent(&self) -> bool {
        matches!(self, Failure::Elsewhere(_))
    }

    /// The exit status of this failure.
    pub fn status(&self) -> Status {
        match self {
            Failure::Negative(_) => Status::Negative,
            Failure::Wrong(_) => Status::Wrong,
            Failure::Elsewhere(status) => *status,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Negative(why) | Failure::Wrong(why) => f.write_str(why),
            Failure::Elsewhere(_) => f.write_str("another process has failed"),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        let command = hints::generate_some().tables_in(&error.folder);
        let instead =
            format!("name another with --tables or LASCA_TABLES, or make tables with: {command}");
        let here = if error.folder.is_relative() { " here" } else { "" };
        match error.error.kind() {
            // A missing table is a negative answer too.
            io::ErrorKind::NotFound => Failure::Negative(format!(
                "there is no folder `{}`{here}; {instead}",
                error.folder.display()
            )),
            _ => Failure::Wrong(format!("{error}; {instead}")),
        }
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Failure {
        let made_by = |command: CommandLine| format!("make it with: {command}");
        let hint = match &error {
            // The system does not allow the file to be read: nothing is known about the table.
            ProbeError::Unreadable { .. } => return Failure::Wrong(error.to_string()),
            ProbeError::Damaged { error, .. }
                if matches!(error.cause(), TableError::Changed(_)) =>
            {
                Some("run the command again when the file is complete".to_owned())
            }
            ProbeError::Damaged { origin, error } => {
                origin.path().map(|path| hints::mend(path, error))
            }
            ProbeError::MissingDtw { origin } => {
                origin.path().map(|path| made_by(hints::generate_file(path)))
            }
            ProbeError::Inconsistent { position } => Material::of(position).ok().map(|material| {
                format!("find out what is wrong with them with: {}", hints::verify(material))
            }),
            error => hints::missing_table(error).map(|(extent, rules)| {
                let made = made_by(hints::generate_one(extent, rules).tables());
                match error {
                    ProbeError::OtherRules { .. } => {
                        format!("choose other rules with --rules, or {made}")
                    }
                    _ => made,
                }
            }),
        };
        let failure = Failure::Negative(error.to_string());
        hint.into_iter().fold(failure, |failure, hint| failure.with_hint(&hint))
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        match &error {
            GenerateError::Io { kept: true, .. }
            | GenerateError::Solve {
                error: SolveError::Scratch(_) | SolveError::Save(_) | SolveError::Memory,
                kept: true,
                ..
            } => Failure::Wrong(format!(
                "{error}; finished work is kept, and the next run goes on from there"
            )),
            GenerateError::Extent(ExtentError::NeedsBound { .. }) => {
                Failure::Wrong(format!("{error}: give one with --columns"))
            }
            GenerateError::Work { path, error: opened } if opened.is_of_version() => {
                Failure::Negative(format!("{error}; {}", hints::replace_newer(path)))
            }
            GenerateError::LargerTable { path, .. } => {
                let command = hints::generate_file(path);
                Failure::Negative(format!("{error}; this makes it again: {command}"))
            }
            GenerateError::OnProcess(_) => Failure::Elsewhere(Status::Wrong),
            _ if error.is_negative() => Failure::Negative(error.to_string()),
            _ => Failure::Wrong(error.to_string()),
        }
    }
}

/// Writes a message to standard error, each line of it [`printable`](text::printable). If that fails,
/// there is nobody to tell.
pub fn say(message: &dyn fmt::Display) {
    let message = message.to_string();
    let lines: Vec<String> = message.split('\n').map(text::printable).collect();
    // One write, so that the message stays whole among those of other processes.
    let text = format!("lasca-tb: {}\n", lines.join("\n"));
    let _ = io::stderr().write_all(text.as_bytes());
}
