//! Generating tables: plan, solve slice by slice, write, and go on where an earlier run stopped.
//!
//! Beside the tables, the folder holds `.work`, with one folder for each material that is being
//! generated. When all slices are solved, the table is made there and renamed into its place. After five
//! seconds of work, and from then on so often that it takes little of the time, the slice that is being
//! solved is saved in that folder at the end of a ply. One that took a second or more is saved once more when it is
//! solved. A table is written from the saved slices, and from its beginning. A run that is asked to stop saves its
//! slice at the end of a ply, and one that is killed loses what it has done since it saved last. A run of a few seconds
//! saves nothing. A lock on the work folder of the material keeps a second run from touching it.
//!
//! No material needs the table of another: no counter leaves the board.
//!
//! Several [processes](crate::processes) do the same together, each with its share of the values. Any
//! number of them goes on where any other number was stopped.

mod error;
mod existing;
mod generated;
mod make;
mod on_demand;
mod plan;
mod run;
mod share;
mod slices;
mod speed;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_on_processes;
mod work;

pub use crate::retrograde::Interval;
pub use crate::retrograde::SolveError;
pub use error::GenerateError;
pub use generated::Generated;
pub use make::{MakeLimits, MakePlan};
pub use plan::{Plan, SlicePlan, Storage, Workers};
pub use run::Generator;
pub use share::MakeProgress;
pub use speed::Speed;
