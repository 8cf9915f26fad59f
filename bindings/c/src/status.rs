//! The results of calls.

use lasca_tablebase::Reason;
use std::ffi::CStr;

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_status {
    LASCA_TB_OK = 0,
    LASCA_TB_NULL_POINTER = 1,
    LASCA_TB_BAD_UTF8 = 2,
    LASCA_TB_BAD_ARGUMENT = 3,
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    LASCA_TB_NOT_A_POSITION = 5,
    LASCA_TB_NOT_A_MOVE = 6,
    LASCA_TB_GAME_OVER = 7,
    LASCA_TB_NOT_COVERED = 8,
    LASCA_TB_OTHER_RULES = 9,
    LASCA_TB_NO_DISTANCES = 10,
    LASCA_TB_DAMAGED = 11,
    LASCA_TB_UNREADABLE = 12,
    LASCA_TB_INCONSISTENT = 13,
    LASCA_TB_NO_MEMORY = 14,
    LASCA_TB_INTERNAL_ERROR = 15,
}

use lasca_tb_status::*;

/// Each status with a short description for people.
const MESSAGES: [(lasca_tb_status, &CStr); 16] = [
    (LASCA_TB_OK, c"no error"),
    (LASCA_TB_NULL_POINTER, c"a pointer is NULL"),
    (LASCA_TB_BAD_UTF8, c"a text is not UTF-8"),
    (LASCA_TB_BAD_ARGUMENT, c"an argument is not one of the allowed values"),
    (LASCA_TB_BUFFER_TOO_SMALL, c"the buffer is too small"),
    (LASCA_TB_NOT_A_POSITION, c"the text or the columns are not a position"),
    (LASCA_TB_NOT_A_MOVE, c"the text is not a legal move"),
    (LASCA_TB_GAME_OVER, c"the game is over"),
    (LASCA_TB_NOT_COVERED, c"no open table covers the position"),
    (LASCA_TB_OTHER_RULES, c"the table is for other rules"),
    (LASCA_TB_NO_DISTANCES, c"the DTW file of the table is missing"),
    (LASCA_TB_DAMAGED, c"a file is damaged, or holds another table than its name says"),
    (LASCA_TB_UNREADABLE, c"a folder or a file cannot be read"),
    (LASCA_TB_INCONSISTENT, c"the tables contradict themselves"),
    (LASCA_TB_NO_MEMORY, c"there is too little memory for the search or for a table"),
    (LASCA_TB_INTERNAL_ERROR, c"there is a bug in the library"),
];

/// The description of the status with this number.
pub(crate) fn message(status: i32) -> &'static CStr {
    let known = MESSAGES.iter().find(|(known, _)| *known as i32 == status);
    known.map_or(c"an unknown status", |(_, message)| message)
}

impl From<Reason> for lasca_tb_status {
    /// The status of the same name.
    fn from(reason: Reason) -> lasca_tb_status {
        match reason {
            Reason::BadArgument => LASCA_TB_BAD_ARGUMENT,
            Reason::NotAPosition => LASCA_TB_NOT_A_POSITION,
            Reason::NotAMove => LASCA_TB_NOT_A_MOVE,
            Reason::GameOver => LASCA_TB_GAME_OVER,
            Reason::NotCovered => LASCA_TB_NOT_COVERED,
            Reason::OtherRules => LASCA_TB_OTHER_RULES,
            Reason::NoDistances => LASCA_TB_NO_DISTANCES,
            Reason::Damaged => LASCA_TB_DAMAGED,
            Reason::Unreadable => LASCA_TB_UNREADABLE,
            Reason::Inconsistent => LASCA_TB_INCONSISTENT,
            Reason::NoMemory => LASCA_TB_NO_MEMORY,
            // No call of the library has the other reasons.
            _ => LASCA_TB_INTERNAL_ERROR,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_the_name_of_its_reason() {
        for reason in Reason::ALL {
            let status = lasca_tb_status::from(reason);
            let name = format!("LASCA_TB_{}", reason.name().to_uppercase());
            let has_none = status == LASCA_TB_INTERNAL_ERROR && reason != Reason::InternalError;
            assert!(has_none || format!("{status:?}") == name, "{name}: {status:?}");
        }
    }
}
