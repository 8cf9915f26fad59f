//! How a command ends: its exit status, and what it says if it fails.

use crate::json::Failed;
use crate::{hints, text};
use lasca_tablebase::Reason;
use lasca_tablebase::generate::{GenerateError, SolveError};
use lasca_tablebase::index::{ExtentError, Material};
use lasca_tablebase::probe::{FolderError, ProbeError};
use lasca_tablebase::rules::{RuleSet, TooManyMoves};
use lasca_tablebase::table::TableError;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

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
    /// 128 and the number of a signal: the run has stopped after it.
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

/// Why a command stops early.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The exit status.
    pub status: Status,
    /// Why, and what the user can do, as JSON has it.
    pub failed: Box<Failed>,
    /// Whether another process of the run has failed, and says why.
    pub is_elsewhere: bool,
}

impl Failure {
    /// The answer is no.
    pub fn negative(reason: Reason, error: impl Into<String>) -> Failure {
        Failure::new(Status::Negative, reason, error.into())
    }

    /// The command cannot be done.
    pub fn wrong(reason: Reason, error: impl Into<String>) -> Failure {
        Failure::new(Status::Wrong, reason, error.into())
    }

    /// The command cannot be done: the usage is wrong.
    pub fn usage(error: impl Into<String>) -> Failure {
        Failure::wrong(Reason::BadArgument, error)
    }

    /// The command cannot be done: the system does not allow it.
    pub fn system(error: impl Into<String>) -> Failure {
        Failure::wrong(Reason::Unreadable, error)
    }

    fn new(status: Status, reason: Reason, error: String) -> Failure {
        Failure { status, failed: Box::new(Failed::new(reason, error)), is_elsewhere: false }
    }

    /// Another process of the run has failed with this status, and says why.
    pub fn elsewhere(status: Status) -> Failure {
        let failure = Failure::new(status, Reason::Unreadable, "another process has failed".into());
        Failure { is_elsewhere: true, ..failure }
    }

    /// The same with what the user can do: a command or a sentence.
    pub fn with_hint(mut self, hint: impl Display) -> Failure {
        self.failed.add_hint(hint);
        self
    }

    /// The same with its reason in these words.
    pub fn reworded(mut self, words: impl FnOnce(&str) -> String) -> Failure {
        self.failed.error = words(&self.failed.error);
        self
    }

    /// Tells why, unless another process does so. Returns the exit status.
    pub fn tell(&self) -> Status {
        if !self.is_elsewhere {
            self.say();
        }
        self.status
    }

    /// As [`say`], with each hint on a line of its own.
    pub fn say(&self) {
        write_to_stderr(&self.lines().join("\n"));
    }

    /// Why, and then the hints: lines that are [`printable`](text::printable).
    pub fn lines(&self) -> Vec<String> {
        let hints = hint_lines(&self.failed.hint);
        std::iter::once(text::printable(&self.failed.error)).chain(hints).collect()
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        let here = if error.folder.is_relative() { " here" } else { "" };
        let failure = match error.error.kind() {
            // A missing table is a negative answer too.
            io::ErrorKind::NotFound => {
                let folder = error.folder.display();
                let why = format!("there is no folder `{folder}`{here}");
                Failure::negative(Reason::Unreadable, why)
            }
            _ => Failure::system(error.to_string()),
        };
        failure
            .with_hint(hints::generate_some().in_folder(&error.folder))
            .with_hint("--tables or LASCA_TABLES names another folder")
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Failure {
        let status = match error.reason() {
            // The system does not allow the file to be read, or the moves are not listed: nothing is known.
            Reason::Unreadable | Reason::NoMemory | Reason::TooManyMoves => Status::Wrong,
            _ => Status::Negative,
        };
        let hint = match &error {
            ProbeError::Table { error: TableError::WrongTable { .. }, .. } => None,
            ProbeError::Table { origin, error, .. }
                if matches!(error.reason(), Reason::Damaged | Reason::NoDistances) =>
            {
                origin.path().map(|path| match error.is_of_version() {
                    true => hints::replace(path),
                    false => hints::generate_file(path).to_string(),
                })
            }
            ProbeError::Inconsistent { position } => {
                let material = Material::of(position).ok();
                material.map(|material| hints::verify(material).to_string())
            }
            error => hints::missing_table(error)
                .map(|(extent, rules)| hints::generate_one(extent, rules).tables().to_string()),
        };
        let mut failed = Failed::from(&error);
        hint.into_iter().for_each(|hint| failed.add_hint(hint));
        if let ProbeError::OtherRules { .. } = error {
            failed.add_hint("--rules chooses other rules");
        }
        Failure { status, failed: Box::new(failed), is_elsewhere: false }
    }
}

impl From<TooManyMoves> for Failure {
    fn from(error: TooManyMoves) -> Failure {
        Failure::wrong(Reason::TooManyMoves, error.to_string())
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        let reason = match &error {
            GenerateError::Extent(_) => Reason::BadArgument,
            error if error.is_of_memory() => Reason::NoMemory,
            GenerateError::Work { .. } => Reason::Damaged,
            GenerateError::Busy { .. } => Reason::Busy,
            _ => Reason::Unreadable,
        };
        let status = if error.is_negative() { Status::Negative } else { Status::Wrong };
        let failure = Failure::new(status, reason, error.to_string());
        match &error {
            GenerateError::Extent(ExtentError::NeedsBound { .. }) => {
                failure.with_hint("--columns gives one")
            }
            GenerateError::Io(_)
            | GenerateError::Solve { error: SolveError::File(_) | SolveError::Memory, .. } => {
                let hint = "after that is mended, the same command goes on from what is saved, if anything";
                failure.with_hint(hint)
            }
            GenerateError::Busy { .. } => {
                failure.with_hint("when that run has ended, the same command goes on")
            }
            GenerateError::Work { path, error: opened } if opened.is_of_version() => {
                failure.with_hint(hints::replace(path))
            }
            GenerateError::OnProcess(_) => Failure::elsewhere(Status::Wrong),
            _ => failure,
        }
    }
}

/// A hint as a line of a message, [`printable`](text::printable).
pub fn hint_line(hint: &str) -> String {
    format!("hint: {}", text::printable(hint))
}

/// The hints of a message, each as a line.
pub fn hint_lines(hints: &Option<String>) -> impl Iterator<Item = String> {
    hints.iter().flat_map(|hints| hints.lines()).map(hint_line)
}

/// There are no tables in these folders: of a rule set, or of any.
pub fn no_tables(folders: &[PathBuf], rules: Option<RuleSet>) -> Failure {
    let of_rules = rules.map(|rules| format!(" for {rules} rules")).unwrap_or_default();
    let paths: Vec<String> = folders.iter().map(hints::quoted).collect();
    let why = format!("there are no tables{of_rules} in {}", paths.join(", "));
    Failure::negative(Reason::NotCovered, why).with_hint(hints::generate_some().tables())
}

/// Writes a message to standard error as one line, [`printable`](text::printable).
pub fn say(message: &dyn Display) {
    write_to_stderr(&text::printable(&message.to_string()));
}

/// Writes a message to standard error. If that fails, there is nobody to tell.
fn write_to_stderr(message: &str) {
    // One write, so that the message stays whole among those of other processes.
    let text = format!("lasca-tb: {message}\n");
    let _ = io::stderr().write_all(text.as_bytes());
}
