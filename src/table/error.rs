//! What can be wrong with the bytes of a table.

use super::Kind;
use crate::index::MaterialError;
use std::fmt;

/// A part of a table file, for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// What a slice says of its rows and their codes.
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
        /// The half of the sets.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// The file does not begin as every table does.
    NotATable,
    /// A format version that this program does not read.
    Version {
        /// The version that the file names.
        found: u16,
    },
    /// The file is shorter or longer than its header says.
    Length {
        /// The number of bytes that the header promises, or that a header takes.
        expected: u64,
        /// The number of bytes there are.
        found: u64,
    },
    /// A part's bytes are not the ones that were written.
    Checksum(Part),
    /// A part lies outside the file, or there is no such part.
    Place(Part),
    /// A field holds a value that it cannot have.
    Field {
        /// The part that holds the field.
        part: Part,
        /// The field's name in the format document.
        field: &'static str,
        /// What it holds.
        found: u64,
    },
    /// Statistics of a slice do not add up.
    Statistics {
        /// The slice's place in the directory, from 0.
        slice: usize,
        /// What was added up, in the format document's words.
        sum: &'static str,
        /// What it should come to.
        expected: u64,
        /// What it comes to.
        found: u128,
    },
    /// The material in the header is none.
    Material(MaterialError),
    /// A slice that every whole table has is not there.
    MissingSlice {
        /// The stored side to move, 0 or 1.
        side: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A slice stands in the directory twice.
    RepeatedSlice {
        /// The stored side to move, 0 or 1.
        side: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A part whose checksum is right does not decode to what it should.
    Content(Part),
    /// Something is wrong with the DTW file; all other errors are of the WDL file.
    InDtw(Box<TableError>),
    /// The DTW file was not made with the WDL file beside it.
    Strangers,
    /// The table has no DTW file, and a distance was asked for.
    NoDtw,
    /// There is no memory for the values.
    Memory,
    /// Takes lead from a position to itself, although the table says that they do not.
    EndlessCaptures {
        /// The number of columns of the position.
        columns: usize,
    },
    /// The WDL of a position is not the one that follows from the values around it, and so it has no
    /// distance.
    Contradiction {
        /// The number of columns of the position.
        columns: usize,
    },
}

impl TableError {
    /// The error as one of the DTW file.
    pub(super) fn in_dtw(self) -> TableError {
        match self {
            TableError::InDtw(_) => self,
            error => TableError::InDtw(Box::new(error)),
        }
    }

    /// Whether it is that one of the files is of another format version.
    pub(crate) fn is_of_version(&self) -> bool {
        match self {
            TableError::InDtw(error) => error.is_of_version(),
            error => matches!(error, TableError::Version { .. }),
        }
    }

    /// The file that the error is about.
    pub fn kind(&self) -> Kind {
        if matches!(self, TableError::InDtw(_)) { Kind::Dtw } else { Kind::Wdl }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::NotATable => write!(f, "this is not a table: its first bytes differ"),
            TableError::Version { found } => write!(
                f,
                "expected format version {}, found {found}; a newer program may read it",
                super::VERSION
            ),
            TableError::Length { expected, found } => write!(
                f,
                "expected {expected} bytes, found {found}: {}",
                if found < expected {
                    "the file was cut short or is not whole"
                } else {
                    "something was added to the file"
                }
            ),
            TableError::Checksum(part) => {
                write!(f, "{part} is damaged: its bytes do not match their checksum")
            }
            TableError::Place(part) => write!(f, "{part} lies outside the file, or there is none"),
            TableError::Field { part, field, found } => {
                write!(f, "{part} holds {found} as its {field}, which cannot be")
            }
            TableError::Statistics { slice, sum, expected, found } => {
                write!(f, "in slice {slice} {sum} should come to {expected}, and is {found}")
            }
            TableError::Material(error) => write!(f, "the header names no material: {error}"),
            TableError::MissingSlice { side, columns } => {
                write!(f, "the slice for stored side {side}, {columns} columns, is missing")
            }
            TableError::RepeatedSlice { side, columns } => {
                write!(f, "the slice for stored side {side}, {columns} columns, stands there twice")
            }
            TableError::Content(part) => {
                write!(f, "{part} does not decode to what it should hold")
            }
            TableError::InDtw(error) => error.fmt(f),
            TableError::Strangers => {
                write!(f, "the DTW file was not made with the WDL file beside it")
            }
            TableError::Memory => write!(f, "there is not enough memory for its values"),
            TableError::NoDtw => write!(f, "there is no DTW file beside the WDL file"),
            TableError::EndlessCaptures { columns } => write!(
                f,
                "takes lead back to a position of {columns} columns, although the table says that \
                 they all come to an end"
            ),
            TableError::Contradiction { columns } => write!(
                f,
                "the WDL of a position of {columns} columns does not follow from the values around \
                 it"
            ),
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TableError::Material(error) => Some(error),
            TableError::InDtw(error) => Some(error),
            _ => None,
        }
    }
}
