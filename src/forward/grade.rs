//! Moves graded by bytes, so that the best of many is the least of many bytes.
//!
//! ```text
//!   0         it leads to a position whose value is not known yet
//!   1 … 125   the move wins in 1, 3, … 249 plies
//! 127         it leads to a position of a late DTW, so its worth must be looked up
//! 128         it draws
//! 130 … 254   it loses in 250, 248, … 2 plies
//! 255         there is no move
//! ```
//!
//! Whether a late position is won or lost its code alone does not tell. So a late move's grade is
//! worse than all early wins, and better than everything else: an early win is then right
//! whatever late moves there are, a draw or a loss is the least grade only if there is none, and if
//! [`LATE`] itself is the least, the value has to be looked up move by move.

use crate::Value;
use crate::values::{Meaning, SliceValues};

/// What a position comes to with its best move, or what a move comes to. Less is better.
pub type Grade = u8;

/// A value is missing: whatever the other moves are, nothing can be said.
pub const UNKNOWN: Grade = 0;
/// The value must be looked up.
pub const LATE: Grade = 127;
/// A move that wins at once.
pub const BEST: Grade = of_move_to(Value::Loss(0));
/// A draw.
pub const DRAW: Grade = 128;
/// There is no move.
pub const NO_MOVE: Grade = 255;
/// A DTW from this on is graded [`LATE`].
const FIRST_LATE: u16 = 250;

/// The grade of a move to a position of this value.
pub const fn of_move_to(reply: Value) -> Grade {
    match reply {
        Value::Draw => DRAW,
        Value::Loss(dtw) if dtw < FIRST_LATE => (dtw / 2) as u8 + 1,
        Value::Win(dtw) if dtw < FIRST_LATE => 254 - (dtw / 2) as u8,
        Value::Loss(_) | Value::Win(_) => LATE,
    }
}

/// The grade of the best move of a position of this value.
pub const fn of_position(value: Value) -> Grade {
    match value {
        Value::Loss(0) => NO_MOVE,
        Value::Draw => DRAW,
        Value::Win(dtw) => of_move_to(Value::Loss(dtw - 1)),
        Value::Loss(dtw) => of_move_to(Value::Win(dtw - 1)),
    }
}

/// The value of a position whose best move has this grade; `None` if it must be looked up or a value
/// is missing.
pub const fn value(grade: Grade) -> Option<Value> {
    match grade {
        NO_MOVE => Some(Value::Loss(0)),
        DRAW => Some(Value::Draw),
        UNKNOWN | LATE => None,
        1..LATE => Some(Value::Win(2 * grade as u16 - 1)),
        _ => Some(Value::Loss(2 * (254 - grade as u16) + 2)),
    }
}

/// A grade for each code that a slice keeps.
pub type GradeTable = [Grade; 256];

/// What `of` says of the values behind the codes of a slice.
pub fn table(slice: &SliceValues, of: impl Fn(Value) -> Grade) -> GradeTable {
    std::array::from_fn(|code| match slice.byte_codes().meaning(code as u8) {
        Meaning::Dtw(dtw) => of(Value::from_dtw(Some(u16::from(dtw)))),
        Meaning::Late => LATE,
        Meaning::Draw => of(Value::Draw),
        Meaning::Unknown => UNKNOWN,
    })
}
