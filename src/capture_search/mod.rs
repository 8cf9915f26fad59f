//! The values that a table does not store, worked out from those that it stores.
//!
//! A table stores the WDLs of quiet positions and, in one half of the orbits, their DTWs. All other
//! values follow by the rules: the value of a capture position from the positions after its captures,
//! and a missing distance from the positions after the quiet moves.
//!
//! | module | what is there |
//! | --- | --- |
//! | `position` | one position, in files or in memory: [`Table::wdl`] and [`Table::value`] |
//! | `decoded` | slices as far as they are stored, decoded on several threads |
//! | `loaded` | tables in memory: what is stored of them, and what was worked out since |
//! | `reading` | all positions, slice by slice: `SliceReader` (only with the feature `generate`) |
//! | `shared` | the values of a slice in memory, as far as they are known, which threads share and add to |
//!
//! What is stored, and where, is the business of [`table`](crate::table).
//!
//! [`Table::wdl`]: crate::table::Table::wdl
//! [`Table::value`]: crate::table::Table::value

mod decoded;
mod loaded;
pub(crate) mod position;
#[cfg(feature = "generate")]
mod reading;
mod shared;

pub(crate) use loaded::{Address, LoadedTable};
pub(crate) use position::KnownValues;
#[cfg(feature = "generate")]
pub use reading::{Difference, KeepIn, SliceReader};
