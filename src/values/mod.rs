//! The values of one slice.
//!
//! | to | use |
//! | --- | --- |
//! | read the values of a finished slice, in memory or in a scratch file | [`SliceValues`] |
//! | fill a slice whose values become known one by one | `SliceBuilder` |
//! | know what the byte that is kept for each position means | `ByteCodes` |
//! | hold or write one value in two bytes | [`Distance`] |
//! | keep a byte for each position, wherever there is room | `bytes` |

mod builder;
mod byte_codes;
pub(crate) mod bytes;
mod distance;
mod slice;

pub(crate) use builder::SliceBuilder;
pub(crate) use byte_codes::{ByteCodes, Meaning};
pub use distance::Distance;
pub use slice::SliceValues;
pub(crate) use slice::Window;
