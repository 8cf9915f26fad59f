//! What can be wrong with the bytes of a table.

use crate::index::MaterialError;
use std::fmt;

/// A part of a table file, for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The fixed header.
    Header,
    /// The list of sections.
    Directory,
    /// The histogram of a section.
    Histogram {
        /// The section's place in the directory, from 0.
        section: usize,
    },
    /// The list of a section's blocks.
    BlockIndex {
        /// The section's place in the directory, from 0.
        section: usize,
    },
    /// A block of values.
    Block {
        /// The section's place in the directory, from 0.
        section: usize,
        /// The block's place in the section, from 0.
        block: usize,
    },
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Header => write!(f, "the header"),
            Part::Directory => write!(f, "the directory"),
            Part::Histogram { section } => write!(f, "the histogram of section {section}"),
            Part::BlockIndex { section } => write!(f, "the block index of section {section}"),
            Part::Block { section, block } => write!(f, "block {block} of section {section}"),
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
    /// Statistics of a section do not add up.
    Statistics {
        /// The section's place in the directory, from 0.
        section: usize,
        /// What was added up, in the format document's words.
        sum: &'static str,
        /// What it should come to.
        expected: u64,
        /// What it comes to.
        found: u128,
    },
    /// The material in the header is none.
    Material(MaterialError),
    /// A section that every whole table has is not there.
    MissingSection {
        /// The stored side to move, 0 or 1.
        side: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A section stands in the directory twice.
    RepeatedSection {
        /// The stored side to move, 0 or 1.
        side: usize,
        /// The number of columns.
        columns: usize,
    },
    /// The section has no position of this number.
    NoPosition {
        /// The section's place in the directory, from 0.
        section: usize,
        /// How many positions it has.
        positions: u64,
        /// The number asked for.
        number: u64,
    },
    /// A block whose checksum is right does not decompress to what it should.
    Content(Part),
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
            TableError::Statistics { section, sum, expected, found } => {
                write!(f, "in section {section} {sum} should come to {expected}, and is {found}")
            }
            TableError::Material(error) => write!(f, "the header names no material: {error}"),
            TableError::MissingSection { side, columns } => {
                write!(f, "the section for stored side {side}, {columns} columns, is missing")
            }
            TableError::RepeatedSection { side, columns } => {
                write!(
                    f,
                    "the section for stored side {side}, {columns} columns, stands there twice"
                )
            }
            TableError::NoPosition { section, positions, number } => write!(
                f,
                "expected a number below {positions}, the positions of section {section}, found \
                 {number}"
            ),
            TableError::Content(part) => {
                write!(f, "{part} does not decompress to the values it should hold")
            }
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TableError::Material(error) => Some(error),
            _ => None,
        }
    }
}
