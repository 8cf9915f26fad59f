//! The file format: tables as bytes, written and read.
//!
//! A table holds one material under one rule set. It consists of two files: one of WDLs, and one of DTWs,
//! which is of use only beside the first. `docs/FORMAT.md` describes both byte by byte, and its words are
//! those of the code. [`TableWriter`] writes them, and [`Table`] reads them from files or from bytes in
//! memory. Of all moves, this module knows only whether there is a capture; the values that are not stored
//! come from [`capture_search`](crate::capture_search).
//!
//! # How a table is coded
//!
//! Writing has these steps. `writer`, in the module `write`, leads through them slice by slice; `order`,
//! `quiet`, `symbols`, `huffman` and `bits` also serve reading:
//!
//! 1. `order` puts the orbits in the order of the file: by halves, in each half so that neighbours are
//!    alike, 512 to a chunk.
//! 2. `quiet` finds the positions that have cells: for each chunk and owner mask, a bit for each orbit.
//! 3. `spread` fetches the values of a chunk, which several processes may hold, and `cells` transposes them:
//!    values come orbit by orbit, and a block has those of a row.
//! 4. `symbols` turns the cells of a block into symbols and plain bits: WDLs as runs, each DTW as what
//!    the one before it makes likely.
//! 5. `sample` counts the symbols of each row in some of the chunks, and chooses the row's usual value.
//!    `classes` then puts rows that are alike into a class, whose prefix codes `huffman` makes. The
//!    result is a `model`. The WDL file gets one. For DTWs, both halves are tried, and the one that takes
//!    less is stored.
//! 6. `slice_writer` codes all chunks with the models, block by block, into `bits`. Some blocks are read
//!    back at once. `crew` says which process and thread codes which chunk.
//! 7. `file_writer` puts blocks, groups and heads into each of the files, then the directory and the page
//!    list, and at last the header. The directory has the statistics that `count` makes.
//!
//! # How a value is read
//!
//! | module | what is there |
//! | --- | --- |
//! | `open` | tables in files, and the ways to read them |
//! | `source` | bytes that may be a table: in memory, or in a file |
//! | `pages` | the pages of a file, checked before anything is read from them |
//! | `format` | the fixed structures: header, directory |
//! | `file_reader` | one of the two files: its directory, and where its blocks are |
//! | `reader` | both files: what is stored of a position or of a chunk |
//! | `order`, `quiet`, `symbols`, `huffman`, `bits` | as for writing, the other way round |
//! | `block` | names of blocks, and decoded blocks |
//! | `coverage` | what a table has answers for, and which of two tables is used |
//! | `stats`, `json` | the statistics of a slice, those of a material, and how programs get them |

mod bits;
pub(crate) mod block;
mod coverage;
mod error;
mod file_kind;
mod file_reader;
mod format;
mod huffman;
#[cfg(feature = "serde")]
pub mod json;
pub(crate) mod open;
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

pub(crate) use block::{BlockCache, BlockId, DecodedBlock, NoCache};
pub(crate) use coverage::Coverage;
pub use error::TableError;
pub use file_kind::FileKind;
pub use format::{VERSION, file_name};
pub use open::Access;
pub(crate) use order::{ChunkId, Half, OrbitOrder, chunks_of};
pub(crate) use reader::Cell;
pub use reader::{SliceInfo, Table};
pub use stats::{SliceStats, StoredCounts};
#[cfg(feature = "generate")]
pub use write::{NewTable, Spread, TableWriter};
#[cfg(feature = "generate")]
pub(crate) use {open::identity_of_file, order::half_of};
