//! Generating tables: plan, solve slice by slice, write, and take up where an earlier run stopped.
//!
//! Beside the tables, the folder holds `.work`, with one folder for each material in work. Each
//! slice is written there when it is solved and noted in a journal; when all are, the table is put
//! together and renamed into its place. Every two minutes the state of the slice in work is saved
//! too. So a run that is stopped, in whatever way, loses little. A lock on the material's work folder keeps a second run from touching it.

mod journal;
mod plan;
mod run;
mod work_file;

pub use crate::retrograde::SolveError;
pub use plan::{Plan, SlicePlan, Storage};
pub use run::{GenerateError, Generated, Generator};
