//! Why a request has no answer, and the status that says so.

use super::log;
use crate::failure::Failure;
use crate::hints;
use crate::json::{self, Failed};
use axum::response::{IntoResponse, Response};
use hyper::StatusCode;
use hyper::header::{self, HeaderName, HeaderValue};
use lasca_tablebase::Reason;
use lasca_tablebase::probe::{Origin, ProbeError};
use lasca_tablebase::rules::TooManyMoves;
use lasca_tablebase::table::TableError;
use std::fmt::Display;
use std::path::Path;

/// The media type of a line of JSON, as a header.
pub const JSON: (HeaderName, &str) = (header::CONTENT_TYPE, "application/json");

/// Why a request is refused.
#[derive(Debug)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// What the client is told.
    pub failed: Box<Failed>,
    /// The position in the request, as it was given.
    pub position: Option<String>,
}

impl Refusal {
    /// A refusal that is about no position, for the reason that its status usually has.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Refusal {
        let reason = match status {
            StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST => Reason::Forbidden,
            StatusCode::NOT_FOUND => Reason::UnknownPath,
            StatusCode::PAYLOAD_TOO_LARGE => Reason::TooLarge,
            StatusCode::INTERNAL_SERVER_ERROR => Reason::InternalError,
            StatusCode::SERVICE_UNAVAILABLE => Reason::Busy,
            _ => Reason::BadArgument,
        };
        let failed = Box::new(Failed::new(reason, error));
        Refusal { status, failed, position: None }
    }

    /// The same for this reason.
    pub fn because(mut self, reason: Reason) -> Refusal {
        self.failed.reason = reason;
        self
    }

    /// The same with what whoever asks can do.
    pub fn with_hint(mut self, hint: impl Display) -> Refusal {
        self.failed.add_hint(hint);
        self
    }

    /// A refusal of a server that has too much to do now.
    pub fn busy(error: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error).with_hint("try again soon")
    }

    /// The same about a position.
    pub fn about(mut self, position: &str) -> Refusal {
        self.position = Some(position.to_owned());
        self
    }

    /// A line of JSON.
    pub fn line(&self) -> String {
        let failed = &*self.failed;
        match &self.position {
            Some(position) => json::to_line(&json::Unanswered { id: None, position, failed }),
            None => json::to_line(failed),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let more = match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                Some((header::RETRY_AFTER, HeaderValue::from_static("1")))
            }
            // The server does not read the body that the client has begun to send.
            StatusCode::PAYLOAD_TOO_LARGE => {
                Some((header::CONNECTION, HeaderValue::from_static("close")))
            }
            _ => None,
        };
        let more = more.map(|header| [header]);
        (self.status, [JSON], more, self.line() + "\n").into_response()
    }
}

impl From<TooManyMoves> for Refusal {
    fn from(error: TooManyMoves) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error.to_string()).because(Reason::TooManyMoves)
    }
}

impl From<ProbeError> for Refusal {
    /// The server is at fault, unless its tables do not cover the position. If it is, the log says all, and the client
    /// is told only the names of files.
    fn from(error: ProbeError) -> Refusal {
        match error {
            ProbeError::TooManyMoves(error) => return error.into(),
            ProbeError::SearchMemory { .. } => {
                log::line(format_args!("- {error}, and --search-memory sets the limit"));
                return Refusal::busy("there is not enough memory for a search now")
                    .because(Reason::NoMemory);
            }
            _ => {}
        }
        let is_covered = !error.is_not_covered();
        if is_covered {
            log::line(format_args!("- {}", Failure::from(error.clone()).lines().join(", ")));
        }
        let status = match is_covered {
            true => StatusCode::INTERNAL_SERVER_ERROR,
            false => StatusCode::NOT_FOUND,
        };
        let hint = hints::missing_table(&error)
            .map(|(extent, rules)| hints::generate_one(extent, rules).to_string());
        let failed = Box::new(Failed { hint, ..Failed::from(&without_folders(error)) });
        Refusal { status, failed, position: None }
    }
}

/// The error as clients are told it: with the names of files, but not the folders that they are in.
pub fn without_folders(mut error: ProbeError) -> ProbeError {
    match &mut error {
        ProbeError::Table { origin: Origin::File(path), error, .. } => {
            *path = file_name(path).into();
            if let TableError::Temporary { folder, .. } = error {
                *folder = file_name(folder).into();
            }
        }
        ProbeError::MissingTable { folders, .. } => *folders = vec!["this server".into()],
        _ => {}
    }
    error
}

/// The name of a file without its folders.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().display().to_string()
}
