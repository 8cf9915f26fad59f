//! The results of calls.

use std::ffi::CStr;

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_status {
    LASCA_TB_OK = 0,
    LASCA_TB_NULL_POINTER = 1,
    LASCA_TB_BAD_UTF8 = 2,
    LASCA_TB_BAD_ARGUMENT = 3,
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    LASCA_TB_BAD_TEXT = 5,
    LASCA_TB_BAD_POSITION = 6,
    LASCA_TB_SOLDIER = 7,
    LASCA_TB_UNREACHABLE_COLUMN = 8,
    LASCA_TB_TOO_MANY_COUNTERS = 9,
    LASCA_TB_MISSING_TABLE = 10,
    LASCA_TB_OTHER_RULES = 11,
    LASCA_TB_WRONG_TABLE = 12,
    LASCA_TB_DAMAGED_TABLE = 13,
    LASCA_TB_UNREADABLE = 14,
    LASCA_TB_INCONSISTENT_TABLES = 15,
    LASCA_TB_GAME_OVER = 16,
    LASCA_TB_INTERNAL_ERROR = 17,
    LASCA_TB_MISSING_DTW = 18,
    LASCA_TB_NO_MEMORY = 19,
    LASCA_TB_BEYOND_COLUMNS = 20,
}

use lasca_tb_status::*;

/// Each status with a short description for people.
const MESSAGES: [(lasca_tb_status, &CStr); 21] = [
    (LASCA_TB_OK, c"no error"),
    (LASCA_TB_NULL_POINTER, c"a pointer is NULL"),
    (LASCA_TB_BAD_UTF8, c"a text is not UTF-8"),
    (LASCA_TB_BAD_ARGUMENT, c"an argument is not one of the allowed values"),
    (LASCA_TB_BUFFER_TOO_SMALL, c"the buffer is too small"),
    (LASCA_TB_BAD_TEXT, c"the text is not a position or not a legal move"),
    (LASCA_TB_BAD_POSITION, c"the columns are not a position"),
    (LASCA_TB_SOLDIER, c"a soldier is on the board"),
    (LASCA_TB_UNREACHABLE_COLUMN, c"officers cannot build a column like this"),
    (LASCA_TB_TOO_MANY_COUNTERS, c"there are more counters than any table covers"),
    (LASCA_TB_MISSING_TABLE, c"the table is missing"),
    (LASCA_TB_OTHER_RULES, c"the table is for other rules"),
    (LASCA_TB_WRONG_TABLE, c"a file holds another table than its name says"),
    (LASCA_TB_DAMAGED_TABLE, c"the table is damaged"),
    (LASCA_TB_UNREADABLE, c"a folder or a file cannot be read"),
    (LASCA_TB_INCONSISTENT_TABLES, c"the tables contradict themselves"),
    (LASCA_TB_GAME_OVER, c"the game is over"),
    (LASCA_TB_INTERNAL_ERROR, c"there is a bug in the library"),
    (LASCA_TB_MISSING_DTW, c"the DTW file of the table is missing"),
    (LASCA_TB_NO_MEMORY, c"there is too little memory for the search or for a table"),
    (LASCA_TB_BEYOND_COLUMNS, c"the position has more columns than the table covers"),
];

/// The description of the status with this number.
pub(crate) fn message(status: i32) -> &'static CStr {
    let known = MESSAGES.iter().find(|(known, _)| *known as i32 == status);
    known.map_or(c"an unknown status", |(_, message)| message)
}
