//! Writing tables.
//!
//! | module | what is there |
//! | --- | --- |
//! | `writer`, `file_writer` | making a table, and one of its files |
//! | `spread` | the values of a slice that is being written, which several ranks may hold |
//! | `side`, `cells` | a slice that is being written: its codes and blocks, and the cells of a chunk by rows |
//! | `model` | how the rows of a slice are coded, and coding them |
//! | `classes` | which rows share their codes |
//! | `count` | the statistics of a slice, counted from its values |

mod cells;
mod classes;
mod count;
mod file_writer;
mod model;
mod side;
mod spread;
mod writer;

use super::{FileKind, SliceStats, bits, format, huffman, order, quiet, symbols};

pub use writer::TableWriter;
