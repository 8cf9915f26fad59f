//! The values of one slice.
//!
//! | to | use |
//! | --- | --- |
//! | fill a slice orbit by orbit, and read the values of a finished one, in memory or in a file | `SliceValues` |
//! | hold a part of a slice on one of several processes | `SliceShare` |
//! | know what the byte that is kept for each position means | `ByteCodes` |
//! | hold or write one value in two bytes | [`Distance`] |
//! | keep a byte for each position, wherever there is room | `bytes` |
//!
//! # All forms of a value
//!
//! A distance is *late* if it does not fit the form, and is listed apart or looked up.
//!
//! | form | where | bits | what it holds | late from | viewpoint |
//! | --- | --- | ---: | --- | --- | --- |
//! | [`Value`](crate::Value), [`ValueRange`](crate::ValueRange), [`Wdl`](crate::Wdl) | questions and answers | 32, 64, 8 | a win or loss in 0 to 65,535 plies, a draw; a range has the worst value that is possible and the best | never | side to move |
//! | [`Distance`] | decoded blocks, late distances, messages between processes | 16 | 0 to 65,534 plies (odd for a win), a draw | never | side to move |
//! | `ByteCodes` | slices that are solved, or that are read from a table; tables in memory | 8 | plies below the late code, a draw, unknown | the late code: 191 or less after solving, 253 after reading | side to move |
//! | the codes of `SharedWdls` in `capture_search::shared` | tables in memory | 2 | a `Wdl` as a number, unknown | no plies | side to move |
//! | `Codes` in `retrograde::state` | a slice while it is solved | 8 | plies below the late code, how many moves are open | the late code: 191 or less, as the greater bytes count moves | side to move |
//! | `MoveScore` in `retrograde::score` | captures into slices that are solved | 32 | like `Value`; the best move has the least; no move | never | side that makes the move |
//! | `Grade` in `forward::grade` | all moves of an orbit at once | 8 | like `Value`; the best move has the least; no move, unknown | 250 | side that makes the move |
//! | `StoredWdl` and half the plies in `table::symbols` | the blocks of a file | 8, 16 | a `Wdl` as a number; whether the plies are odd follows from that | never | side to move |

mod byte_codes;
#[cfg(feature = "generate")]
pub(crate) mod bytes;
mod distance;
#[cfg(feature = "generate")]
mod slice;

pub(crate) use byte_codes::ByteCodes;
pub use distance::Distance;
#[cfg(feature = "generate")]
pub use slice::SliceValues;
#[cfg(feature = "generate")]
pub(crate) use {
    byte_codes::Meaning,
    slice::{SliceShare, Window},
};
