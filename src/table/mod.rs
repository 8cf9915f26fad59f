//! Table files: one material under one rule set, compressed, checked and memory-mapped.
//!
//! A table is two files: one of WDLs, and one of DTWs, which only tells something beside the first.
//! Both are described byte by byte in `docs/FORMAT.md`. [`TableWriter`] makes them, [`Table`] reads
//! them from any bytes (memory maps, `Vec`s): opening checks the headers, the directories and the
//! lists of checksums; every other byte is checked when it is first read.
//!
//! `order` says which sets of occupied squares stand beside each other, `quiet` which of them have a
//! cell under an owner mask, `cells` how the cells of a row become symbols and bits, `huffman` and
//! `bits` how symbols become bits, `classes` which rows share their codes.

mod bits;
mod cells;
#[cfg(feature = "generate")]
mod classes;
#[cfg(feature = "generate")]
mod count;
mod error;
mod file;
mod format;
mod huffman;
mod kind;
mod open;
mod order;
mod quiet;
mod reader;
#[cfg(feature = "generate")]
mod slice_reader;
mod stats;
#[cfg(feature = "generate")]
mod writer;

pub use error::{Part, TableError};
pub use format::{VERSION, file_name};
pub use kind::Kind;
pub use open::{Access, FileBytes, OpenError};
pub use reader::{BlockCache, BlockId, DecodedBlock, NoCache, SliceInfo, Table};
#[cfg(feature = "generate")]
pub use slice_reader::{Contradiction, SliceReader};
pub use stats::SliceStats;
#[cfg(feature = "generate")]
pub use writer::TableWriter;
