//! The file format: tables as bytes, written and read.
//!
//! A table holds one material under one rule set. It consists of two files: one of WDLs, and one of DTWs,
//! which is of use only beside the first. `docs/FORMAT.md` describes both byte by byte.
//! [`TableWriter`] writes them, and [`Table`] reads them from files or from bytes in memory. This module
//! knows what is stored and where, but no moves; the values that are not stored come from
//! [`resolve`](crate::resolve).
//!
//! | module | what is there |
//! | --- | --- |
//! | `format` | the fixed structures: header, directory |
//! | `file` | one of the two files: its directory, and where its blocks are |
//! | `pages` | the pages of a file, checked before anything is read from them |
//! | `source` | an open file, and whether it has changed since it was opened |
//! | `reader` | both files: what is stored of a position or of a chunk |
//! | `open` | tables in files, and the ways to read them |
//! | `writer`, `file_writer` | making a table, and one of its files |
//! | `spread` | the values of a slice that is being written, which several processes may hold |
//! | `side`, `cells` | a slice that is being written: its codes and blocks, and the cells of a chunk by rows |
//! | `model` | how the rows of a slice are coded, and coding them |
//! | `stats`, `count` | the statistics of a slice, and how they are counted |
//! | `order` | the halves of the orbits, and their order in each half |
//! | `quiet` | which orbits of a chunk have a cell under an owner mask |
//! | `block` | names of blocks, and decoded blocks |
//! | `symbols` | the values of a block as symbols |
//! | `huffman`, `bits` | symbols as bits |
//! | `classes` | which rows share their codes |

mod bits;
mod block;
#[cfg(feature = "generate")]
mod cells;
#[cfg(feature = "generate")]
mod classes;
#[cfg(feature = "generate")]
mod count;
mod error;
mod file;
mod file_kind;
#[cfg(feature = "generate")]
mod file_writer;
mod format;
mod huffman;
#[cfg(feature = "generate")]
mod model;
mod open;
mod order;
mod pages;
mod quiet;
mod reader;
#[cfg(feature = "generate")]
mod side;
mod source;
#[cfg(feature = "generate")]
mod spread;
mod stats;
mod symbols;
#[cfg(all(test, feature = "generate"))]
mod tests;
#[cfg(feature = "generate")]
mod writer;

pub use block::{BlockCache, BlockId, DecodedBlock, NoCache};
pub use error::{Part, TableError};
pub use file_kind::FileKind;
pub use format::{VERSION, file_name};
#[cfg(feature = "generate")]
pub(crate) use open::identity_of_file;
pub(crate) use open::is_preferred;
pub use open::{Access, OpenError, header_extent};
#[cfg(feature = "generate")]
pub(crate) use order::CHUNK_ORBITS;
#[cfg(feature = "generate")]
pub(crate) use order::half_of;
pub(crate) use order::{Half, OrbitOrder};
pub use reader::{SliceInfo, Table};
pub(crate) use source::{Origin, Stamp};
pub use stats::SliceStats;
#[cfg(feature = "generate")]
pub use writer::TableWriter;
