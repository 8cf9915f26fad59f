//! Writing tables, in the steps that [`table`](super) tells.

mod cells;
mod classes;
mod count;
mod crew;
mod file_writer;
mod model;
mod sample;
mod slice_writer;
mod spread;
mod writer;

use super::{FileKind, SliceStats, bits, format, huffman, order, quiet, symbols};

pub use spread::Spread;
pub use writer::{NewTable, TableWriter};
