//! Looking forward: what the moves of all positions of an orbit lead to, one orbit at a time.
//!
//! | module | what is there |
//! | --- | --- |
//! | `lookahead` | the best moves of all positions of an orbit, given the values after them |
//! | `capture_sequences` | whether all sequences of captures end, for which no values are needed |
//! | `again` | the chains of jumps where a square may be jumped again |
//! | `chain` | what one chain of jumps does in all positions of an orbit at once |
//! | `columns` | where columns stand after a move |
//! | `grade` | moves as bytes, of which the least is the best |
//! | `replies` | the values that moves lead to |
//!
//! [`verify`](crate::verify) checks values in this way, [`resolve`](crate::resolve) finds values that
//! a table does not store, and [`generate`](crate::generate) finds out whether a table needs the
//! values of capture positions.

mod again;
#[cfg(feature = "generate")]
mod capture_sequences;
mod chain;
mod columns;
pub mod grade;
mod lookahead;
mod replies;

#[cfg(feature = "generate")]
pub use capture_sequences::{capture_sequences_end, is_proved, proof_memory};
pub use lookahead::{Lookahead, Selection, Workspace};
pub use replies::Replies;
