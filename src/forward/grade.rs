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

/// How many moves of a position win and how many draw, as far as one or several: a bit for each answer.
/// Without any of these bits, all moves lose, or there is none.
pub type Counts = u8;

/// A move wins.
pub const WINS: Counts = 1;
/// A move draws.
pub const DRAWS: Counts = 1 << 1;
/// A move leads to a position of a late DTW, so the moves must be counted one by one; or to one whose value
/// is not known.
pub const COUNTS_LATE: Counts = 1 << 2;
/// Where the bits begin that say the same of two or more moves.
const SEVERAL: u32 = 4;

/// The counts of one move to a position of this value.
pub const fn counts_of_move_to(reply: Value) -> Counts {
    match reply {
        Value::Loss(_) => WINS,
        Value::Draw => DRAWS,
        Value::Win(_) => 0,
    }
}

/// The counts of two sets of moves together, of which the second holds one move.
pub const fn add_counts(counts: Counts, more: Counts) -> Counts {
    counts | more | (counts & more) << SEVERAL
}

/// Whether exactly one move is as good as the best; `None` if that must be looked up.
pub const fn has_only_move(counts: Counts) -> Option<bool> {
    match counts {
        _ if counts & COUNTS_LATE != 0 => None,
        _ if counts & WINS != 0 => Some(counts & WINS << SEVERAL == 0),
        _ if counts & DRAWS != 0 => Some(counts & DRAWS << SEVERAL == 0),
        _ => Some(false),
    }
}

/// How the grades of the moves of a position become one byte.
pub trait Joined {
    /// The byte of a position without moves.
    const NONE: u8;
    /// The byte of a move to a position that is lost at once.
    const WIN: u8;
    /// The bytes of moves to the positions with each code.
    fn of(tables: &MoveTables) -> &GradeTable;
    /// The byte of some moves and one more move.
    fn join(moves: u8, one_more: u8) -> u8;
}

/// The [`Grade`] of the best move.
pub struct Best;

impl Joined for Best {
    const NONE: u8 = NO_MOVE;
    const WIN: u8 = of_move_to(Value::Loss(0));
    #[inline]
    fn of(tables: &MoveTables) -> &GradeTable {
        &tables.grades
    }
    #[inline]
    fn join(moves: u8, one_more: u8) -> u8 {
        moves.min(one_more)
    }
}

/// The [`Counts`] of all moves.
pub struct Counted;

impl Joined for Counted {
    const NONE: u8 = 0;
    const WIN: u8 = WINS;
    #[inline]
    fn of(tables: &MoveTables) -> &GradeTable {
        &tables.counts
    }
    #[inline]
    fn join(moves: u8, one_more: u8) -> u8 {
        add_counts(moves, one_more)
    }
}

/// What a move to a position with each code of a slice is worth to the side that makes it.
pub struct MoveTables {
    grades: GradeTable,
    counts: GradeTable,
}

impl MoveTables {
    /// The tables for moves to the positions of a slice.
    pub fn of(slice: &SliceValues) -> MoveTables {
        let grades = table(slice, of_move_to, [LATE, UNKNOWN]);
        MoveTables { grades, counts: table(slice, counts_of_move_to, [COUNTS_LATE; 2]) }
    }
}

/// What `of` says of the values behind the codes of a slice, and what holds for late and for unknown ones.
pub fn table(
    slice: &SliceValues,
    of: impl Fn(Value) -> u8,
    [late, unknown]: [u8; 2],
) -> GradeTable {
    std::array::from_fn(|code| match slice.byte_codes().meaning(code as u8) {
        Meaning::Dtw(dtw) => of(Value::from_dtw(Some(u16::from(dtw)))),
        Meaning::Late => late,
        Meaning::Draw => of(Value::Draw),
        Meaning::Unknown => unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_right_move_is_told_from_several() {
        let (win, draw, loss) = (Value::Loss(4), Value::Draw, Value::Win(3));
        for (replies, expected) in [
            (&[][..], false),
            (&[loss], false),
            (&[loss, win, draw, draw], true),
            (&[win, draw, win, loss, win], false),
            (&[loss, draw], true),
            (&[draw, draw, loss], false),
            (&[draw, draw, draw, win], true),
        ] {
            let add = |counts, &reply| add_counts(counts, counts_of_move_to(reply));
            let counts = replies.iter().fold(Counted::NONE, add);
            assert_eq!(has_only_move(counts), Some(expected), "{replies:?}");
            assert_eq!(has_only_move(add_counts(counts, COUNTS_LATE)), None);
        }
    }
}
