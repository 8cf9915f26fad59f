//! The values of one slice.
//!
//! | to | use |
//! | --- | --- |
//! | read the values of a finished slice, in memory or in a file | `SliceValues` |
//! | hold a part of a slice on one of several ranks | `SliceShare` |
//! | fill a slice whose values become known one by one | `SliceBuilder` |
//! | know what the byte that is kept for each position means | `ByteCodes` |
//! | hold or write one value in two bytes | [`Distance`] |
//! | keep a byte for each position, wherever there is room | `bytes` |

#[cfg(feature = "generate")]
mod builder;
#[cfg(feature = "generate")]
mod byte_codes;
#[cfg(feature = "generate")]
pub(crate) mod bytes;
mod distance;
#[cfg(feature = "generate")]
mod share;
#[cfg(feature = "generate")]
mod slice;

#[cfg(feature = "generate")]
pub(crate) use builder::SliceBuilder;
#[cfg(feature = "generate")]
pub(crate) use byte_codes::{ByteCodes, Meaning};
pub use distance::Distance;
#[cfg(feature = "generate")]
pub(crate) use share::SliceShare;
#[cfg(feature = "generate")]
pub use slice::SliceValues;
#[cfg(feature = "generate")]
pub(crate) use slice::Window;
