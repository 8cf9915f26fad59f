//! What can be wrong with a table.

use super::{FileKind, file_name};
use crate::Reason;
use crate::index::{Extent, Material};
use crate::rules::RuleSet;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;

/// Why bytes are not a table or not a sound one, or why a table has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A file is damaged, or is not the WDL file or DTW file that it should be.
    #[error("{problem}")]
    Damaged {
        /// The file.
        file: FileKind,
        /// Where it is damaged, what was expected and what was found.
        problem: String,
    },
    /// A format version that this program does not read.
    #[error(
        "expected format version {}, found {found}; a newer program may read it",
        super::VERSION
    )]
    Version {
        /// The file.
        file: FileKind,
        /// The version that the file names.
        found: u16,
    },
    /// The WDL file holds another table than its name says.
    #[error(
        "expected the table of {} under {} rules, found that of {} under {} rules; rename the file to {}, \
         or remove it",
        expected.0, expected.1, found.0, found.1, file_name(found.0, found.1, FileKind::Wdl)
    )]
    WrongTable {
        /// The table that the name stands for.
        expected: (Material, RuleSet),
        /// The table that the file holds.
        found: (Material, RuleSet),
    },
    /// The file is shorter or longer than its header says.
    #[error(
        "expected {expected} bytes, found {found}: {}",
        match found < expected {
            true => "the file was cut short or is not complete",
            false => "something was added to the file",
        }
    )]
    Length {
        /// The file.
        file: FileKind,
        /// The number of bytes that the header promises, or that a header takes.
        expected: u64,
        /// The number of bytes there are.
        found: u64,
    },
    /// The system cannot open or read the file, or it is no regular file.
    #[error("{message}")]
    Unreadable {
        /// The file.
        file: FileKind,
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The system's error as text.
        message: String,
    },
    /// A position has more columns than a bounded table covers.
    #[error(
        "the table holds positions of at most {max_columns} columns, and this one has {columns}"
    )]
    BeyondColumns {
        /// The column bound of the table.
        max_columns: usize,
        /// The number of columns of the position.
        columns: usize,
    },
    /// The DTW file was not made together with the WDL file beside it.
    #[error("the DTW file was not made with the WDL file beside it")]
    Mismatched,
    /// A distance was asked for, but the table has no DTW file.
    #[error("the file with the distances is missing; without it, only win, draw or loss is known")]
    NoDtw,
    /// There is not enough memory for the values.
    #[error("there is not enough memory for its values")]
    Memory,
    /// A temporary file for the values could not be made, or there is no room for it. Nothing is wrong
    /// with the table.
    #[error("a temporary file for the values in {folder} failed: {message}")]
    Temporary {
        /// The folder for temporary files.
        folder: PathBuf,
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The system's error as text.
        message: String,
    },
}

impl TableError {
    /// Something is wrong with the WDL file. Errors are made as those of this file, and
    /// [`TableError::in_dtw`] makes them those of the other one.
    #[cold]
    pub(crate) fn damaged(problem: impl Into<String>) -> TableError {
        TableError::Damaged { file: FileKind::Wdl, problem: problem.into() }
    }

    /// A part, such as `the header`, has not the bytes that were written.
    #[cold]
    pub(super) fn wrong_checksum(part: impl Display) -> TableError {
        TableError::damaged(format!("{part} is damaged: its bytes do not match their checksum"))
    }

    /// A part lies outside the file, or the file has no such part.
    #[cold]
    pub(super) fn outside(part: impl Display) -> TableError {
        TableError::damaged(format!("{part} lies outside the file, or is missing"))
    }

    /// A field of a part, by its name in the format document, holds a value that it cannot have.
    #[cold]
    pub(super) fn wrong_field(part: &str, field: &str, found: u64) -> TableError {
        let problem = format!("{part} holds {found} as its {field}, which is not possible");
        TableError::damaged(problem)
    }

    /// A part has the right checksum, but does not decode to what it should hold.
    #[cold]
    pub(crate) fn wrong_content(part: impl Display) -> TableError {
        TableError::damaged(format!("{part} does not decode to what it should hold"))
    }

    /// Why there is no slice of this many columns in a table, or why it does not hold a position.
    #[cold]
    pub(crate) fn not_covered(extent: Extent, side: usize, columns: usize) -> TableError {
        match extent.max_columns() {
            Some(max_columns) if columns > max_columns => {
                TableError::BeyondColumns { max_columns, columns }
            }
            _ => TableError::damaged(format!(
                "the slice of {columns} columns for stored side {side} is missing"
            )),
        }
    }

    /// The error as one of the DTW file.
    #[cold]
    pub(crate) fn in_dtw(mut self) -> TableError {
        if let TableError::Damaged { file, .. }
        | TableError::Version { file, .. }
        | TableError::Length { file, .. }
        | TableError::Unreadable { file, .. } = &mut self
        {
            *file = FileKind::Dtw;
        }
        self
    }

    /// The file that the error is about.
    pub fn kind(&self) -> FileKind {
        match self {
            TableError::Damaged { file, .. }
            | TableError::Version { file, .. }
            | TableError::Length { file, .. }
            | TableError::Unreadable { file, .. } => *file,
            TableError::Mismatched | TableError::NoDtw => FileKind::Dtw,
            _ => FileKind::Wdl,
        }
    }

    /// Whether the error is that one of the files is of another format version.
    pub fn is_of_version(&self) -> bool {
        matches!(self, TableError::Version { .. })
    }

    /// Whether a file could not be read, so that what it holds may be sound. Also true if there is no
    /// WDL file.
    pub fn is_unreadable(&self) -> bool {
        matches!(self.reason(), Reason::Unreadable | Reason::NoMemory)
    }

    /// The reason, in a word for programs.
    pub fn reason(&self) -> Reason {
        match self {
            TableError::BeyondColumns { .. } => Reason::NotCovered,
            TableError::NoDtw => Reason::NoDistances,
            TableError::Memory
            | TableError::Unreadable { kind: io::ErrorKind::OutOfMemory, .. }
            | TableError::Temporary { kind: io::ErrorKind::OutOfMemory, .. } => Reason::NoMemory,
            TableError::Unreadable { .. } | TableError::Temporary { .. } => Reason::Unreadable,
            _ => Reason::Damaged,
        }
    }
}
