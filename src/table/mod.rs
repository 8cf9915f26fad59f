//! The file format: tables as bytes, written and read.
//!
//! A table holds one material under one rule set. It consists of two files: one of WDLs, and one of DTWs,
//! which is of use only beside the first. `docs/FORMAT.md` describes both byte by byte.
//! [`TableWriter`] writes them, and [`Table`] reads them from files or from bytes in memory. This module
//! knows what is stored and where. Of the rules it knows only which positions have captures; the values
//! that are not stored come from [`resolve`](crate::resolve).
//!
//! | module | what is there |
//! | --- | --- |
//! | `format` | the fixed structures: header, directory |
//! | `file_reader` | one of the two files: its directory, and where its blocks are |
//! | `pages` | the pages of a file, checked before anything is read from them |
//! | `source` | an open file, and whether it has changed since it was opened |
//! | `reader` | both files: what is stored of a position or of a chunk |
//! | `open` | tables in files, and the ways to read them |
//! | `write` | writing tables |
//! | `stats` | the statistics of a slice |
//! | `order` | the halves of the orbits, and their order in each half |
//! | `quiet` | which orbits of a chunk have a cell under an owner mask |
//! | `block` | names of blocks, and decoded blocks |
//! | `symbols` | the values of a block as symbols |
//! | `huffman`, `bits` | symbols as bits |

mod bits;
mod block;
mod error;
mod file_kind;
mod file_reader;
mod format;
mod huffman;
mod open;
mod order;
mod pages;
mod quiet;
mod reader;
mod source;
mod stats;
mod symbols;
#[cfg(all(test, feature = "generate"))]
mod tests;
#[cfg(feature = "generate")]
mod write;

pub use block::{BlockCache, BlockId, DecodedBlock, NoCache};
pub use error::{Part, TableError};
pub use file_kind::FileKind;
pub use format::{VERSION, file_name};
pub(crate) use open::is_preferred;
pub use open::{Access, header_extent};
pub(crate) use order::{Half, OrbitOrder};
pub use reader::{SliceInfo, Table};
pub(crate) use source::{Origin, Stamp};
pub use stats::SliceStats;
#[cfg(feature = "generate")]
pub use write::TableWriter;
#[cfg(feature = "generate")]
pub(crate) use {
    open::identity_of_file,
    order::{CHUNK_ORBITS, half_of},
};
