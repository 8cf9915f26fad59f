//! Generating tables: plan, solve slice by slice, write, and go on where an earlier run stopped.
//!
//! Beside the tables, the folder holds `.work`, with one folder for each material that is being
//! generated. When a slice is solved, its values are written there and noted in a journal. When all
//! slices are solved, the table is written and renamed into its place. Every few seconds the state of
//! the slice that is being solved is saved as a checkpoint, or it is noted how far the table is
//! written and which codes are chosen. So a run that is stopped, in whatever way, loses little. A lock
//! on the work folder of the material keeps a second run from touching it.

mod error;
mod journal;
mod place;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod work_file;

pub use crate::durable::Interval;
pub use crate::retrograde::SolveError;
pub use error::GenerateError;
pub use plan::{Plan, SlicePlan, Storage};
pub use run::{Generated, Generator};
