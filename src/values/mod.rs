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
//! | form | bits | where |
//! | --- | ---: | --- |
//! | [`Value`](crate::Value), [`ValueRange`](crate::ValueRange) | 32, 64 | questions and answers |
//! | [`Wdl`](crate::Wdl) | 8 | questions and answers |
//! | [`Distance`] | 16 | decoded blocks, late distances, messages between processes |
//! | `ByteCodes` | 8 | slices that are solved, or that are read from a table; tables in memory |
//! | `SharedWdls` in `capture_search::shared` | 2 | tables in memory |
//! | `Codes` in `retrograde::codes` | 8 | a slice while it is solved |
//! | `Grade` in `forward::grade` | 8 | all moves of an orbit at once |
//! | `StoredWdl` in `table::symbols` | 8 | the blocks of a WDL file |
//! | half the plies, in `table::symbols` | 16 | the blocks of a DTW file |
//!
//! `Grade` is for the side that makes the move, all others for the side to move. Plies that do not fit
//! a byte are *late*: they are listed apart, or looked up. They begin at 191 or sooner in `Codes` and what comes from it,
//! at 250 in `Grade`, and at 253 in slices that are read.

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
