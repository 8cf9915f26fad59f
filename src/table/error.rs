//! What can be wrong with the bytes of a table.

use super::{FileKind, file_name};
use crate::Reason;
use crate::index::{Extent, Material, MaterialError};
use crate::rules::{Position, RuleSet};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A part of a table file, for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The fixed header.
    Header,
    /// The list of slices, with their histograms.
    Directory,
    /// The list of the pages' checksums.
    PageList,
    /// A page: the bytes that one checksum of the page list covers.
    Page {
        /// The page's place in the file, from 0.
        page: usize,
    },
    /// The head of a slice: the class and usual value of each row, and the codes.
    Head {
        /// The slice's place in the directory, from 0.
        slice: usize,
    },
    /// A block of values.
    Block {
        /// The slice's place in the directory, from 0.
        slice: usize,
        /// The row, from 0.
        row: usize,
        /// The half of the orbits.
        half: usize,
        /// The chunk of the half, from 0.
        chunk: usize,
    },
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Header => write!(f, "the header"),
            Part::Directory => write!(f, "the directory"),
            Part::PageList => write!(f, "the page list"),
            Part::Page { page } => write!(f, "page {page}"),
            Part::Head { slice } => write!(f, "the head of slice {slice}"),
            Part::Block { slice, row, half, chunk } => {
                write!(f, "the block of row {row} in chunk {chunk} of half {half}, slice {slice}")
            }
        }
    }
}

/// Why bytes are not a table, or not a sound one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file does not begin as every table does.
    #[error("this is not a table: its first bytes differ")]
    NotATable,
    /// A format version that this program does not read.
    #[error(
        "expected format version {}, found {found}; a newer program may read it",
        super::VERSION
    )]
    Version {
        /// The version that the file names.
        found: u16,
    },
    /// The file is the other one of the two that a table has.
    #[error("expected a {expected} file, found a {found} file")]
    Kind {
        /// What the file should hold.
        expected: FileKind,
        /// What it holds.
        found: FileKind,
    },
    /// The file holds another table than its name says.
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
        /// The number of bytes that the header promises, or that a header takes.
        expected: u64,
        /// The number of bytes there are.
        found: u64,
    },
    /// A part's bytes are not the ones that were written.
    #[error("{0} is damaged: its bytes do not match their checksum")]
    Checksum(Part),
    /// The system cannot open or read the file, or it is no regular file.
    #[error("{message}")]
    Unreadable {
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The system's error as text.
        message: String,
    },
    /// A part lies outside the file, or the file has no such part.
    #[error("{0} lies outside the file, or is missing")]
    Outside(Part),
    /// A field holds a value that it cannot have.
    #[error("{part} holds {found} as its {field}, which is not possible")]
    Field {
        /// The part that holds the field.
        part: Part,
        /// The field's name in the format document.
        field: &'static str,
        /// What it holds.
        found: u64,
    },
    /// Statistics of a slice do not add up.
    #[error("in slice {slice}, {sum} should be {expected}, but is {found}")]
    Statistics {
        /// The slice's place in the directory, from 0.
        slice: usize,
        /// What was added up, in the words of the format document.
        sum: &'static str,
        /// The right sum.
        expected: u64,
        /// The sum of the numbers in the file.
        found: u128,
    },
    /// The counters in the header are not a material.
    #[error("the header names no material: {0}")]
    Material(#[source] MaterialError),
    /// A slice that a complete table must have is missing.
    #[error("the slice of {columns} columns for stored side {side} is missing")]
    MissingSlice {
        /// The stored side to move, 0 or 1.
        side: usize,
        /// The number of columns.
        columns: usize,
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
    /// The directory lists a slice twice.
    #[error("the slice of {columns} columns for stored side {side} is listed twice")]
    RepeatedSlice {
        /// The stored side to move, 0 or 1.
        side: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A part has the right checksum, but does not decode to what it should hold.
    #[error("{0} does not decode to what it should hold")]
    Content(Part),
    /// Something is wrong with the DTW file. All other errors are about the WDL file.
    #[error("{0}")]
    InDtw(#[source] Box<TableError>),
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
    /// Captures lead from a position back to itself, although the table says that all sequences of
    /// captures end.
    #[error(
        "captures lead back to {position}, although the table says that all sequences of captures end"
    )]
    EndlessCaptures {
        /// The position.
        position: Box<Position>,
    },
    /// The value of a position does not follow from the stored values within a reasonable number of
    /// other positions, as in a table that says falsely that all sequences of captures end.
    #[error("the value of {position} depends on more positions than are looked at for one answer")]
    TooManyPositions {
        /// The position that was asked about.
        position: Box<Position>,
    },
    /// No result is stored for a quiet position.
    #[error("no result is stored for {position}, in which no capture is possible")]
    NoResult {
        /// The position.
        position: Box<Position>,
    },
    /// The stored WDL of a position does not follow from the values of its successors, so the
    /// position has no distance.
    #[error(
        "the result that is stored for {position} does not follow from the values of its successors"
    )]
    Contradiction {
        /// The position.
        position: Box<Position>,
    },
}

impl TableError {
    /// Why there is no slice of this many columns in a table, or why it does not hold a position.
    #[cold]
    pub(crate) fn not_covered(extent: Extent, side: usize, columns: usize) -> TableError {
        match extent.max_columns() {
            Some(max_columns) if columns > max_columns => {
                TableError::BeyondColumns { max_columns, columns }
            }
            _ => TableError::MissingSlice { side, columns },
        }
    }

    /// The error as one of the DTW file.
    pub(crate) fn in_dtw(self) -> TableError {
        match self {
            TableError::InDtw(_) => self,
            error => TableError::InDtw(Box::new(error)),
        }
    }

    /// What is wrong, whichever file it is about: the error within [`TableError::InDtw`], or this one.
    pub fn cause(&self) -> &TableError {
        match self {
            TableError::InDtw(error) => error.cause(),
            error => error,
        }
    }

    /// Whether the error is that one of the files is of another format version.
    pub fn is_of_version(&self) -> bool {
        matches!(self.cause(), TableError::Version { .. })
    }

    /// Whether a file could not be read, so that what it holds may be sound. Also true if there is no
    /// WDL file.
    pub fn is_unreadable(&self) -> bool {
        matches!(self.reason(), Reason::Unreadable | Reason::NoMemory)
    }

    /// The reason, in a word for programs.
    pub fn reason(&self) -> Reason {
        match self.cause() {
            TableError::BeyondColumns { .. } => Reason::NotCovered,
            TableError::NoDtw => Reason::NoDistances,
            TableError::Memory
            | TableError::Unreadable { kind: io::ErrorKind::OutOfMemory, .. }
            | TableError::Temporary { kind: io::ErrorKind::OutOfMemory, .. } => Reason::NoMemory,
            TableError::Unreadable { .. } | TableError::Temporary { .. } => Reason::Unreadable,
            _ => Reason::Damaged,
        }
    }

    /// The file that the error is about.
    pub fn kind(&self) -> FileKind {
        match self {
            TableError::InDtw(_) | TableError::NoDtw => FileKind::Dtw,
            _ => FileKind::Wdl,
        }
    }
}
