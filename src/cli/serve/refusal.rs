//! Why a request has no answer, and the status that says so.

use super::workers::WorkError;
use crate::failure::Failure;
use crate::hints;
use crate::json;
use hyper::StatusCode;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::search::SearchError;
use lasca_tablebase::table::TableError;
use std::path::Path;

/// Why a request is refused.
#[derive(Debug)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// What the client is told.
    pub error: String,
    /// The position in the request, as it was given.
    pub position: Option<String>,
    /// What goes to the log but not to the client, who has no use for it.
    pub cause: Option<String>,
}

impl Refusal {
    /// A refusal that is about no position.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Refusal {
        Refusal { status, error: error.into(), position: None, cause: None }
    }

    /// The text of the moves would be longer than the server allows.
    pub fn too_many_moves() -> Refusal {
        let error =
            "there are too many moves to list here; the command lasca-tb moves lists them all";
        Refusal::new(StatusCode::BAD_REQUEST, error)
    }

    /// The same about a position.
    pub fn about(mut self, position: &str) -> Refusal {
        self.position = Some(position.to_owned());
        self
    }

    /// A line of JSON.
    pub fn line(&self) -> String {
        match &self.position {
            Some(position) => {
                json::to_line(&json::Unanswered { id: None, position, error: &self.error })
            }
            None => json::to_line(&json::Refused { error: &self.error }),
        }
    }
}

impl From<WorkError> for Refusal {
    fn from(undone: WorkError) -> Refusal {
        match undone {
            WorkError::QueueFull => Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many requests are waiting for an answer; try again soon",
            ),
            WorkError::TimedOut => Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the answer took too long; try again soon",
            ),
            WorkError::Panicked => Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the server failed to answer because of a bug in it",
            ),
        }
    }
}

/// The command that makes the table that an error is about, with what leads to it; nothing if no table
/// can hold the position.
fn command(error: &ProbeError, what: &str, rules: RuleSet) -> String {
    let command = hints::missing_extent(error).map(|extent| hints::generate_one(extent, rules));
    command.map(|command| format!("; {what}: {command}")).unwrap_or_default()
}

impl From<ProbeError> for Refusal {
    /// Tells the client the names of files, but not the folders that they are in.
    fn from(error: ProbeError) -> Refusal {
        let (status, text) = match &error {
            ProbeError::NotOfficers(_) | ProbeError::Material(_) => {
                (StatusCode::NOT_FOUND, error.to_string())
            }
            ProbeError::MissingTable { material, rules, .. } => {
                let text = format!("the table of {material} under {rules} rules is not here");
                (StatusCode::NOT_FOUND, text + &command(&error, "make it with", *rules))
            }
            ProbeError::BeyondColumns { material, rules, max_columns, columns, .. } => {
                let text = format!(
                    "the table of {material} under {rules} rules holds positions of at most \
                     {max_columns} columns, and this one has {columns}"
                );
                (StatusCode::NOT_FOUND, text + &command(&error, "make more with", *rules))
            }
            ProbeError::MissingDtw { path } => {
                let text = format!("{} is not here, so no distance is known", file_name(path));
                (StatusCode::NOT_FOUND, text)
            }
            ProbeError::OtherRules { .. } => (StatusCode::NOT_FOUND, error.to_string()),
            ProbeError::WrongTable { path, .. } => {
                let text = format!("{} holds another table than its name says", file_name(path));
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
            ProbeError::Damaged { path, error: cause }
                if matches!(cause.cause(), TableError::Changed(_)) =>
            {
                let text = format!("{} is being replaced; try again soon", file_name(path));
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
            ProbeError::Damaged { path, .. } => {
                let text = format!("{} is damaged", file_name(path));
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
            ProbeError::Unreadable { path, .. } => {
                let text = format!("{} cannot be read", file_name(path));
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        };
        let mut refusal = Refusal::new(status, text);
        if status.is_server_error() {
            refusal.cause = Some(Failure::from(error).to_string());
        }
        refusal
    }
}

impl From<SearchError> for Refusal {
    fn from(error: SearchError) -> Refusal {
        match error {
            SearchError::Probe(error) => {
                let mut refusal = Refusal::from(error);
                // A search does without tables that are missing, so it is the server's fault.
                refusal.status = StatusCode::INTERNAL_SERVER_ERROR;
                refusal
            }
            SearchError::Memory { .. } => Refusal {
                cause: Some(format!("{error}; --search-memory sets the limit")),
                ..Refusal::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "there is not enough memory for a search now; try again later",
                )
            },
        }
    }
}

/// The name of a file without its folders.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().display().to_string()
}
