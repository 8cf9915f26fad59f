//! Retrograde analysis: solving slices backwards, ply by ply, one slice after another.
//!
//! Each position of a slice has one byte, and is decided once. `slice_solver` goes through these phases:
//!
//! 1. **Look for earlier work** (`saver`). If an earlier run has left a `checkpoint` of the whole slice, its
//!    values are read, and nothing is left to do.
//! 2. **Prepare** (`slice_work`). The orbits are divided into `partitions`, and where un-moves lead is
//!    worked out once for all positions (`transitions`).
//! 3. **Start** (`start`). The state in an unfinished checkpoint is read. If there is none, it is found out of
//!    each position what is known before the first ply, orbit by orbit (`start_orbit`). If its side to move is
//!    blocked, it is lost. A capture that removes a column leads to a slice that is solved already (`captures` looks
//!    ahead into the slices in `below`). For the rest, the moves are counted.
//! 4. **Ply by ply**, until nothing is left to do:
//!    1. Results from slices below that fall due at this ply are entered (`state`).
//!    2. **Expand** (`expand`). Every position decided at this ply sends `updates` to the positions
//!       that lead to it: by quiet moves (`unsteps`) and by captures (`uncaptures`).
//!    3. **Update** (`state`). A position with a move to a lost position is won at the next ply. A
//!       move to a won position is refuted, and if it was the last one, the position is lost at the
//!       next ply.
//! 5. **Finish**. What no ply has decided is drawn.
//!
//! Now and then, at the end of phase 3 or of a ply, where no update waits, the state is saved as a checkpoint
//! (`saver`). There the work also stops if that is asked for. A solved slice is a finished checkpoint.
//!
//! A partition is a run of consecutive orbits. Expanding only reads the bytes of a partition, and the
//! updates that it sends wait in an outbox until they are applied, each to the partition it goes to. So no
//! two threads ever write to the same bytes, no update needs an atomic operation, and each pass over memory
//! stays within one partition that fits a cache.
//!
//! Several [processes](crate::processes) solve a slice together in the same phases, and one that works
//! alone goes through them too. Each owns a run of partitions. In phase 3 they ask each other for values of
//! slices below (`start`), and in phase 4 they send each other the updates in an outbox (`messages`). Each
//! saves its part of a checkpoint, from which any number of processes goes on.

mod below;
mod captures;
mod checkpoint;
mod codes;
mod error;
mod expand;
mod messages;
mod pace;
mod partitions;
mod resources;
mod saver;
mod side;
mod slice_solver;
mod slice_work;
mod start;
mod start_orbit;
mod state;
mod steps;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_on_processes;
mod transitions;
mod uncaptures;
mod unsteps;
mod updates;

pub(crate) use checkpoint::saved_positions;
pub use error::SolveError;
pub use pace::Interval;
pub(crate) use resources::{Checkpoints, Resources};
pub use slice_solver::SliceSolver;
pub(crate) use slice_solver::SolvedSlice;
pub(crate) use slice_work::work_memory;
pub(crate) use state::due_bytes;
