//! Verifying: whether the bytes, the values and the statistics of a table are right.
//!
//! | item | what it checks |
//! | --- | --- |
//! | [`Table::check_bytes`](crate::table::Table::check_bytes) | the bytes of a table against their checksums |
//! | [`check_contents`] | every value of a table against those of its successors, and its statistics |
//!
//! # What is checked
//!
//! The table is checked one number of columns at a time, the fewest first. When their values have been
//! read, each is derived again from the stored values of the positions that its moves lead to, and
//! compared with the stored value.
//!
//! # What verifying and solving share
//!
//! The verifier looks forward, from a position to its successors. The solver, `retrograde`,
//! looks backward. They share the [rules](crate::rules), the [numbering of positions](crate::index)
//! and the containers of `values`, and nothing else: outside of tests, no file of
//! `verify`, `capture_search`, `table` or `forward` imports anything from `retrograde`, or the other way
//! round. So a mistake in solving is found here. A mistake in the rules or in the numbering is not;
//! the tests look for those by means of solvers that use neither.
//!
//! # Why this is enough
//!
//! The check is only that every value fits those around it, but values that fit everywhere are
//! right. This follows by induction on `n`: a position is stored as decided in `n` plies exactly if
//! it truly is, for the same side.
//!
//! 1. `n = 0`: a position is stored as lost in 0 plies if and only if it has no move, which is what
//!    a loss in 0 plies is. No position with a move is expected to have a DTW of 0.
//! 2. `n > 0`, a win: since the value fits, a position is stored as won in `n` if and only if it has
//!    a move to a position stored as lost in `n − 1`, and none to one stored as lost sooner. By
//!    induction the same holds without the words "stored as", so it is a true win in `n`.
//! 3. `n > 0`, a loss: a position is stored as lost in `n` if and only if all its moves lead to
//!    positions stored as won, the last of them in `n − 1`. By induction these are stored rightly,
//!    and a position truly lost in `n` has no other moves.
//!
//! A position stored as drawn is then truly not decided in any number of plies, and the other way
//! round. So there are no circles of positions that only confirm each other: a distance would have
//! to be less than itself.
//!
//! If values do differ, look first at the difference with the least distance, stored or expected.
//! The others may only follow from it.

mod table;
mod values;

pub use crate::capture_search::Difference;
pub use table::{ContentsReport, Statistic, StatisticsReport, WrongStatistic, check_contents};
pub use values::ValuesReport;

#[cfg(test)]
mod tests;
