//! The results of calls.

use lasca_tablebase::Reason;

/// The result of a call. Every function that can fail returns one of these, and
/// lasca_tb_last_error() then describes the error.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_status {
    /// The call succeeded, and all results are written.
    LASCA_TB_OK = 0,
    /// A pointer is NULL but must not be.
    LASCA_TB_NULL_POINTER = 1,
    /// A text is not UTF-8.
    LASCA_TB_BAD_UTF8 = 2,
    /// An argument is not one of the allowed values, such as a rule set or a colour. Or the squares are
    /// not those of a move.
    LASCA_TB_BAD_ARGUMENT = 3,
    /// The buffer is too small. The size that is needed is written.
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    /// The text is not a position, or the struct is not: the board has no counters or more than 22, or a
    /// mask has a bit that stands for no counter.
    LASCA_TB_NOT_A_POSITION = 5,
    /// The text is not a legal move of the position.
    LASCA_TB_NOT_A_MOVE = 6,
    /// The game is over, so there is no move.
    LASCA_TB_GAME_OVER = 7,
    /// No open table covers the position. It has a soldier or a column that officers cannot build, or
    /// none of the folders has the table for its counters, or that table is bounded and the position
    /// has more columns. lasca_tb_covers() tells the bound.
    LASCA_TB_NOT_COVERED = 8,
    /// There is a table for these counters, but only for other rules. lasca_tb_probe_wdl() and
    /// lasca_tb_probe_dtw() fail with LASCA_TB_NOT_COVERED then.
    LASCA_TB_OTHER_RULES = 9,
    /// The DTW file of the table is missing. Win, draw or loss is known, but no distance.
    LASCA_TB_NO_DISTANCES = 10,
    /// A file of a table is damaged, or holds another table than its name says.
    LASCA_TB_DAMAGED = 11,
    /// A folder, or a file of a table, cannot be read.
    LASCA_TB_UNREADABLE = 12,
    /// The tables contradict themselves.
    LASCA_TB_INCONSISTENT = 13,
    /// A search needs more memory than it may use, or there is too little memory for a table. Every
    /// function that can fail with LASCA_TB_UNREADABLE because of a table can fail with this too.
    LASCA_TB_NO_MEMORY = 14,
    /// Making the table would take more time or memory than it may.
    LASCA_TB_TOO_LARGE = 15,
    /// There is a bug in the library. A handle can still be used.
    LASCA_TB_INTERNAL_ERROR = 16,
    /// A position has more than LASCA_TB_MOST_MOVES moves. Only LASCA_TB_RULES_REJUMP allows so many. Every
    /// function that lists or reads moves can fail with this.
    LASCA_TB_TOO_MANY_MOVES = 17,
}

use lasca_tb_status::*;

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
            Reason::TooLarge => LASCA_TB_TOO_LARGE,
            Reason::TooManyMoves => LASCA_TB_TOO_MANY_MOVES,
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
