//! The values of one slice.
//!
//! | to | use |
//! | --- | --- |
//! | read the values of a finished slice, in memory or in a file | `SliceValues` |
//! | hold a part of a slice on one of several processes | `SliceShare` |
//! | fill a slice whose values become known one by one, and look ahead in it | `Store` |
//! | keep no distances, and two bits for each position | `SliceWdls` |
//! | know what the byte that is kept for each position means | `ByteCodes` |
//! | hold or write one value in two bytes | [`Distance`] |
//! | keep a byte for each position, wherever there is room | `bytes` |

mod byte_codes;
pub(crate) mod bytes;
mod distance;
#[cfg(feature = "generate")]
mod share;
mod slice;
mod store;
mod wdls;

pub(crate) use byte_codes::{ByteCodes, Meaning};
pub use distance::Distance;
#[cfg(feature = "generate")]
pub(crate) use share::SliceShare;
pub use slice::SliceValues;
pub(crate) use slice::Window;
pub(crate) use store::Store;
pub(crate) use wdls::SliceWdls;
