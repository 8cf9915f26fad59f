//! Table files: one material under one rule set, compressed, checked and memory-mapped.
//!
//! The layout is described byte by byte in `tables/FORMAT.md`. [`TableWriter`] makes a file,
//! [`Table`] reads one from any bytes (a memory map, a `Vec`): opening checks the header, the
//! directory and everything else that is read at once; a block of values is checked when it is
//! first read. How values become bytes is known to
//! the `codec` module alone.

mod codec;
mod error;
mod format;
mod mapped;
mod reader;
mod stats;
mod writer;

pub use error::{Part, TableError};
pub use format::{EXTENSION, VERSION, file_name};
pub use mapped::{Access, FileBytes, OpenError};
pub use reader::{BlockId, SectionInfo, Table};
pub use stats::SectionStats;
pub use writer::TableWriter;
pub(crate) use writer::sync_folder;
