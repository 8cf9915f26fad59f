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

/// The grades that `grade` gives to the values behind the codes of a slice.
pub fn table(slice: &SliceValues, grade: impl Fn(Value) -> Grade) -> GradeTable {
    let codes = slice.byte_codes();
    std::array::from_fn(|byte| match codes.meaning(byte as u8) {
        Meaning::Dtw(dtw) => grade(Value::from_dtw(Some(u16::from(dtw)))),
        Meaning::Late => LATE,
        Meaning::Draw => DRAW,
        Meaning::Unknown => UNKNOWN,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_are_ordered_as_the_values_of_moves_are() {
        let mut replies: Vec<Value> = (0..FIRST_LATE)
            .map(|dtw| if dtw.is_multiple_of(2) { Value::Loss(dtw) } else { Value::Win(dtw) })
            .chain([Value::Draw])
            .collect();
        // The best reply for the side that answers is the worst move.
        replies.sort_unstable();
        let grades: Vec<Grade> = replies.iter().map(|&reply| of_move_to(reply)).collect();
        assert!(grades.is_sorted_by(|a, b| a < b));
        for reply in replies {
            let position = reply.before_move();
            assert_eq!(value(of_move_to(reply)), Some(position));
            assert_eq!(of_position(position), of_move_to(reply));
        }
        assert_eq!(value(of_position(Value::Loss(0))), Some(Value::Loss(0)));
    }

    #[test]
    fn a_late_move_hides_no_early_win_and_is_hidden_by_nothing_else() {
        for late in [Value::Loss(FIRST_LATE), Value::Win(FIRST_LATE + 1), Value::Loss(1000)] {
            assert_eq!(of_move_to(late), LATE);
            assert!(of_move_to(Value::Loss(FIRST_LATE - 2)) < LATE);
            assert!(LATE < of_move_to(Value::Draw));
            assert!(LATE < of_move_to(Value::Win(FIRST_LATE - 1)));
        }
        assert_eq!(value(LATE), None);
    }
}
