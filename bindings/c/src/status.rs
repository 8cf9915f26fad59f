//! The results of calls.

use std::ffi::CStr;

/// The result of a call. Every function that can fail returns one of these, and
/// lasca_tb_last_error() then describes the error.
///
/// \ingroup general
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_status {
    /// The call succeeded, and all results are written.
    LASCA_TB_OK = 0,
    /// A pointer is NULL but must not be.
    LASCA_TB_NULL_POINTER = 1,
    /// A text is not UTF-8.
    LASCA_TB_BAD_UTF8 = 2,
    /// An argument is not one of the allowed values, such as a rule set, a colour or the size of a
    /// struct. Or there is no folder, or the squares are not those of a move.
    LASCA_TB_BAD_ARGUMENT = 3,
    /// The buffer is too small. The size that is needed is written.
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    /// The text is not a position, or not a legal move of the position.
    LASCA_TB_BAD_TEXT = 5,
    /// The columns are not a position: a column has bits above its height, or the board has no
    /// counters or more than 22.
    LASCA_TB_BAD_POSITION = 6,
    /// There is a soldier on the board. The tables cover only officers.
    LASCA_TB_SOLDIER = 7,
    /// A column cannot arise when only officers play, so no table covers it. Columns of officers
    /// always are some counters of the owner over some counters of the other side.
    LASCA_TB_UNREACHABLE_COLUMN = 8,
    /// There are more counters on the board than any table covers.
    LASCA_TB_TOO_MANY_COUNTERS = 9,
    /// The table for these counters is in none of the folders: its WDL file is missing.
    LASCA_TB_MISSING_TABLE = 10,
    /// There is a table for these counters, but only for other rules.
    LASCA_TB_OTHER_RULES = 11,
    /// A file holds another table than its name says.
    LASCA_TB_WRONG_TABLE = 12,
    /// A file of a table is damaged.
    LASCA_TB_DAMAGED_TABLE = 13,
    /// A folder, or a file of a table, cannot be read.
    LASCA_TB_UNREADABLE = 14,
    /// The tables contradict themselves.
    LASCA_TB_INCONSISTENT_TABLES = 15,
    /// The game is over, so there is no move.
    LASCA_TB_GAME_OVER = 16,
    /// There is a bug in the library. The call did nothing, and the handle can still be used.
    LASCA_TB_INTERNAL_ERROR = 17,
    /// The DTW file of the table is missing. Win, draw or loss is known, but no distance.
    LASCA_TB_MISSING_DTW = 18,
    /// A search needs more memory than it may use, or there is too little memory for a table. Every
    /// function that can fail with LASCA_TB_UNREADABLE because of a table can fail with this too.
    LASCA_TB_NO_MEMORY = 19,
    /// The table for these counters is bounded, and the position has more columns than it covers.
    /// lasca_tb_covers() tells the bound.
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
