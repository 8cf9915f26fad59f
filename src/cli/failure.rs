//! How a command ends: its exit status, and what it says if it fails.

use lasca_tablebase::generate::GenerateError;
use lasca_tablebase::probe::{FolderError, ProbeError};
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit status of a command. The greater one wins where several are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0: done, and the answer is yes.
    Affirmative,
    /// 1: done, and the answer is no: a check failed, a table is missing or damaged.
    Negative,
    /// 2: not done: wrong usage or input, or the machine does not allow it.
    Wrong,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Affirmative => 0,
            Status::Negative => 1,
            Status::Wrong => 2,
        })
    }
}

/// Why a command stops before its end.
#[derive(Clone, Debug)]
pub enum Failure {
    /// Nobody reads standard output any more. That is no error.
    ClosedPipe,
    /// The answer is no, and this is why.
    Negative(String),
    /// It cannot be done, and this is why.
    Wrong(String),
}

impl Failure {
    /// The exit status that goes with it.
    pub fn status(&self) -> Status {
        match self {
            Failure::ClosedPipe => Status::Affirmative,
            Failure::Negative(_) => Status::Negative,
            Failure::Wrong(_) => Status::Wrong,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::ClosedPipe => f.write_str("standard output was closed"),
            Failure::Negative(why) | Failure::Wrong(why) => f.write_str(why),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        let why = format!(
            "{error}; name another with --tables or LASCA_TABLES, or make tables with \
             lasca-tb generate"
        );
        match error.error.kind() {
            // As with a table that is missing.
            io::ErrorKind::NotFound => Failure::Negative(why),
            _ => Failure::Wrong(why),
        }
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Failure {
        Failure::Negative(match &error {
            ProbeError::Damaged { .. } => {
                format!("{error}; remove the file and generate the table again")
            }
            ProbeError::Inconsistent { .. } => format!("{error}; see lasca-tb verify"),
            ProbeError::OtherRules { .. } => {
                format!("{error}; choose with --rules, or generate the table that is wanted")
            }
            _ => error.to_string(),
        })
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        match &error {
            GenerateError::Io { .. } => Failure::Wrong(format!(
                "{error}; what was finished before stays, and is used when started again"
            )),
            GenerateError::Memory { .. } => Failure::Wrong(error.to_string()),
            GenerateError::Solve { .. } | GenerateError::Work { .. } => {
                Failure::Negative(error.to_string())
            }
        }
    }
}

/// Says something to the user on standard error. Where that is closed there is nobody to tell.
pub fn say(message: &dyn fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lasca-tb: {message}");
}
