//! The C interface of lasca-tablebase. Its document is the header, `include/lasca_tb.h`, which is
//! generated from the comments here; names are therefore those of C.
//!
//! This crate holds all that C needs and the library does not: pointers, and the border that no
//! panic crosses.

#![allow(non_camel_case_types, reason = "the names are those of the header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the header says once, at its head, what holds for all pointers"
)]

mod failure;
mod functions;
mod status;
mod types;

pub use functions::*;
pub use status::lasca_tb_status;
pub use types::*;

/// The version of the interface that this header describes. It grows when a program would have to
/// be compiled again; lasca_tb_abi_version() tells that of the library at hand.
pub const LASCA_TB_ABI_VERSION: u32 = 1;

/// How many squares the board has.
pub const LASCA_TB_SQUARES: usize = 25;

/// The most squares that a move names: 21 jumps take the last of 22 counters.
pub const LASCA_TB_MOVE_SQUARES: usize = 43;

/// Bytes that hold any position as text, the final NUL included.
pub const LASCA_TB_POSITION_TEXT_SIZE: usize = 96;

/// Bytes that hold any move as text, the final NUL included.
pub const LASCA_TB_MOVE_TEXT_SIZE: usize = 160;

/// The dtw of a draw.
pub const LASCA_TB_NO_DTW: i32 = -1;
