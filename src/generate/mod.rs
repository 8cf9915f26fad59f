//! Generating tables: plan, solve slice by slice, write, and go on where an earlier run stopped.
//!
//! Beside the tables, the folder holds `.work`, with one folder for each material that is being
//! generated. When all slices are solved, the table is made there and renamed into its place. After five
//! seconds of work, and from then on so often that it takes little of the time, the slice that is being
//! solved is saved in that folder. One that took a second or more is saved once more when it is solved. A
//! table is written from the saved slices, and from its beginning. A run that is asked to stop saves its
//! slice. So a run that is stopped, in whatever way, loses little, and a run of a few seconds saves
//! nothing. A lock on the work folder of the material keeps a second run from touching it.
//!
//! Several [processes](crate::processes) do the same together, each with its share of the values. Any
//! number of them goes on where any other number was stopped.

mod error;
mod existing;
mod generated;
mod machine;
mod plan;
mod run;
mod settings;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_on_processes;
mod work;

pub use crate::retrograde::Interval;
pub use crate::retrograde::SolveError;
pub use error::GenerateError;
pub use generated::Generated;
pub use machine::{Estimate, Machine};
pub use plan::{Plan, SlicePlan, Storage, Workers};
pub use run::Generator;
