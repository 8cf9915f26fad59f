//! Looking forward: what the moves of all positions of an orbit lead to, one orbit at a time.
//!
//! Two things are found in this way. The first is the value of each position, given the values after its
//! moves: [`verify`](crate::verify) checks values so, and [`capture_search`](crate::capture_search) finds
//! those that a table does not store, when whole slices are read. The second, for which no values are
//! needed, is a proof that all sequences of captures end: [`generate`](crate::generate) then leaves out the
//! values of capture positions.
//!
//! | module | for | what is there |
//! | --- | --- | --- |
//! | `chain` | both | what one chain of jumps does in all positions of an orbit at once |
//! | `chains` | both | all chains of jumps of an orbit |
//! | `lookahead` | values | the best moves of all positions of an orbit, given the values after them |
//! | `grade` | values | moves as bytes, of which the least is the best |
//! | `replies` | values | the values that moves lead to |
//! | `proof` | the proof | whether all sequences of captures end |

mod chain;
mod chains;
pub mod grade;
mod lookahead;
mod proof;
mod replies;

pub use lookahead::{Lookahead, Selection, Workspace};
pub use proof::{capture_sequences_end, is_proved, proof_memory};
