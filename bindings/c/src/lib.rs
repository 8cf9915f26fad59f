//! The C interface of lasca-tablebase. cbindgen makes the header, `include/lasca_tb.h`, of this source and its
//! documentation, and of what `cbindgen.toml` puts at its beginning. Names and documentation follow the habits of C.
//!
//! This crate has what only C needs: it handles pointers, and it stops panics before they reach C.

#![allow(non_camel_case_types, reason = "the names are those of the header")]
#![allow(clippy::missing_safety_doc, reason = "the beginning of the header asks the same of all")]

mod failure;
mod make;
mod pointers;
mod position;
mod probe;
mod search;
mod status;
mod tables;

use lasca_tablebase::rules::{MOST_MOVES, Move, Position, Square};

pub use failure::*;
pub use make::*;
pub use position::*;
pub use probe::*;
pub use search::*;
pub use status::lasca_tb_status;
pub use tables::*;

/// The version of the interface in this header. It grows with every change after which programs must
/// be compiled again. lasca_tb_abi_version() returns the version that the library has.
pub const LASCA_TB_ABI_VERSION: u32 = 3;
/// The number of squares on the board.
pub const LASCA_TB_SQUARES: usize = 25;
/// The greatest number of counters on the board, both sides together. A material has no more.
pub const LASCA_TB_MAX_COUNTERS: usize = 22;
/// The greatest number of squares in a move: 22 counters allow at most 21 jumps.
pub const LASCA_TB_MOVE_SQUARES: usize = 43;
/// The greatest number of moves of a position that are listed. Only LASCA_TB_RULES_REJUMP allows more, and no
/// known game comes near to that.
pub const LASCA_TB_MOST_MOVES: usize = 4096;
/// A buffer of this many bytes holds any position as text, with the NUL at the end.
pub const LASCA_TB_POSITION_TEXT_SIZE: usize = 96;
/// A buffer of this many bytes holds any legal move as text, with the NUL at the end.
pub const LASCA_TB_MOVE_TEXT_SIZE: usize = 200;
/// The distance of a draw, and of what is not known.
pub const LASCA_TB_NO_DTW: i32 = -1;
/// The estimate of what is known, and of what was not estimated.
pub const LASCA_TB_NO_ESTIMATE: i16 = -32768;

const _: () = {
    assert!(LASCA_TB_SQUARES == Square::COUNT && LASCA_TB_MAX_COUNTERS == Position::MAX_COUNTERS);
    assert!(LASCA_TB_MOVE_SQUARES == Move::MAX_SQUARES && LASCA_TB_MOST_MOVES == MOST_MOVES);
    // Each counter on a square of its own with a space after it, and the side to move; a NUL follows.
    assert!(LASCA_TB_POSITION_TEXT_SIZE > LASCA_TB_MAX_COUNTERS * (2 + 1 + 1) + 1);
};

/// Asserts the size and the offsets that the header states for languages that cannot read it, and that there is no
/// padding.
macro_rules! assert_layout {
    ($name:ident: $size:expr, aligned to $align:expr; $($field:ident at $offset:expr),*) => {
        const _: () = {
            assert!(size_of::<$name>() == $size && align_of::<$name>() <= $align);
            // Each field begins where the one before it ends.
            let mut end = 0;
            $(
                assert!(std::mem::offset_of!($name, $field) == $offset && $offset == end);
                end += $crate::size_of_field(|it: &$name| &it.$field);
            )*
            assert!(end == $size);
        };
    };
}
use assert_layout;

/// The size of the field that a function returns.
const fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}
