//! The types of the header, and their conversions from and to the types of the library.

use crate::board::{packed_squares, read_squares};
use crate::failure::Failure;
use crate::lasca_tb_status::*;
use crate::{LASCA_TB_MOVE_SQUARES, LASCA_TB_NO_DTW, LASCA_TB_SQUARES};
use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::{LineEnd, Options, RatedMove, Tablebase};
use lasca_tablebase::rules::{
    Color, NotOfficers, OfficerPosition, Placement, Position, PositionError, RuleSet, Square,
    SquareSet,
};
use lasca_tablebase::table::Access;
use lasca_tablebase::{Value, Wdl};
use std::mem::offset_of;
use std::sync::Arc;

/// The open tables of one or more folders, for one rule set. Programs see only pointers to it.
///
/// \ingroup tables
pub struct lasca_tb {
    /// A search keeps the tables when the handle is freed.
    pub(crate) tables: Arc<Tablebase>,
}

/// A rule set. The rule sets differ in how a capture goes on.
///
/// \ingroup tables
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_rules {
    /// A capture goes on as long as possible, but jumps no square twice (Lasker, 1911).
    LASCA_TB_RULES_LASCA = 0,
    /// A capture is a single jump (Bignor Ludus).
    LASCA_TB_RULES_BIGNOR = 1,
    /// A capture goes on as long as possible, and may jump a square again (Ludii).
    LASCA_TB_RULES_REJUMP = 2,
}

/// How files of tables are read.
///
/// \ingroup tables
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_access {
    /// Files are mapped into memory. Programs share the memory, and the system can take it back. The
    /// files must not be overwritten or cut short while they are open: a signal may end the process, and
    /// changed bytes may be believed. Replacing a file by another of the same name does no harm.
    LASCA_TB_MAPPED = 0,
    /// Each page of 64 KiB is read into the program's own memory when it is first needed, and stays
    /// there. If a file is overwritten or cut short while it is open, a page that was read before stays
    /// right, and any other is LASCA_TB_DAMAGED_TABLE unless it is as it was. A new handle reads the new
    /// file.
    LASCA_TB_PRIVATE = 1,
    /// The default: files of up to 256 MiB are private, and larger ones are mapped.
    LASCA_TB_AUTOMATIC = 2,
}

/// How tables are opened; filled by lasca_tb_options_init(). 24 bytes: size is at 0, rules at 4,
/// cache_bytes at 8, access at 16, reserved at 20.
///
/// \ingroup tables
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_options {
    /// The size of this struct in bytes.
    pub size: u32,
    /// The rule set: a lasca_tb_rules.
    pub rules: i32,
    /// The size limit of the cache of decoded blocks in bytes, for all threads together.
    pub cache_bytes: u64,
    /// How files are read: a lasca_tb_access.
    pub access: i32,
    /// Must be 0.
    pub reserved: u32,
}

impl Default for lasca_tb_options {
    fn default() -> lasca_tb_options {
        lasca_tb_options {
            size: size_of::<lasca_tb_options>() as u32,
            rules: lasca_tb_rules::LASCA_TB_RULES_LASCA as i32,
            cache_bytes: Options::default().cache,
            access: lasca_tb_access::LASCA_TB_AUTOMATIC as i32,
            reserved: 0,
        }
    }
}

impl lasca_tb_options {
    pub(crate) fn read(&self) -> Result<(RuleSet, Options), Failure> {
        use lasca_tb_access::*;
        let rules = read_rules(self.rules)?;
        let access = match self.access {
            access if access == LASCA_TB_MAPPED as i32 => Access::Mapped,
            access if access == LASCA_TB_PRIVATE as i32 => Access::Private,
            access if access == LASCA_TB_AUTOMATIC as i32 => Access::Automatic,
            other => {
                let message = format!("expected a lasca_tb_access (0 to 2), found {other}");
                return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
            }
        };
        if self.reserved != 0 {
            let message = format!("expected 0 as reserved, found {}", self.reserved);
            return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
        }
        Ok((rules, Options::default().with_cache(self.cache_bytes).with_access(access)))
    }
}

/// The rule set of this number.
pub(crate) fn read_rules(number: i32) -> Result<RuleSet, Failure> {
    u8::try_from(number).ok().and_then(RuleSet::from_id).ok_or_else(|| {
        let message = format!("expected a lasca_tb_rules (0 to 2), found {number}");
        Failure::new(LASCA_TB_BAD_ARGUMENT, message)
    })
}

/// Which values are loaded; filled by lasca_tb_load_options_init(). 16 bytes: size is at 0, with_dtw at
/// 4, max_bytes at 8.
///
/// \ingroup tables
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_load_options {
    /// The size of this struct in bytes.
    pub size: u32,
    /// 0 to load win, draw or loss alone, and any other number to load distances as well.
    pub with_dtw: i32,
    /// How many bytes all loaded values of the handle may take, those from earlier calls included;
    /// UINT64_MAX for no limit.
    pub max_bytes: u64,
}

impl Default for lasca_tb_load_options {
    fn default() -> lasca_tb_load_options {
        let size = size_of::<lasca_tb_load_options>() as u32;
        lasca_tb_load_options { size, with_dtw: 0, max_bytes: u64::MAX }
    }
}

/// What is loaded of the tables of a handle. 32 bytes: bytes is at 0, wdl at 8, dtw at 16, left_out at
/// 24.
///
/// \ingroup tables
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_loaded {
    /// How many bytes of memory all loaded values of the handle take.
    pub bytes: u64,
    /// The number of the requested tables with win, draw or loss in memory.
    pub wdl: u64,
    /// The number of the requested tables with distances in memory.
    pub dtw: u64,
    /// The number of the requested tables that do not fit, or not with their distances.
    pub left_out: u64,
}

/// A table, as lasca_tb_table_at() tells of it. 32 bytes: size is at 0, rules at 4, positions at 8,
/// bytes at 16, max_dtw at 24, white at 28, black at 29, max_columns at 30, has_dtw at 31.
///
/// \ingroup tables
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_table {
    /// The size of this struct in bytes.
    pub size: u32,
    /// The rule set: a lasca_tb_rules.
    pub rules: i32,
    /// How many positions it has; 0 if lasca_tb_table_at() fails. Positions that differ only by a
    /// symmetry of the board count once.
    pub positions: u64,
    /// The length of its files in bytes.
    pub bytes: u64,
    /// The plies of its longest win or loss; LASCA_TB_NO_DTW if the DTW file is missing.
    pub max_dtw: i32,
    /// The number of White's counters. The table also serves the material with the colours exchanged.
    pub white: u8,
    /// The number of Black's counters.
    pub black: u8,
    /// Its column bound, as lasca_tb_max_columns() tells it; 0 if it covers all positions.
    pub max_columns: u8,
    /// 1 if the DTW file is there, otherwise 0; also 0 if lasca_tb_table_at() fails. The WDL file is
    /// always there.
    pub has_dtw: u8,
}

/// One of the two files of a table.
///
/// \ingroup tables
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_file {
    /// Win, draw or loss (.ltbw).
    LASCA_TB_WDL_FILE = 0,
    /// Distances (.ltbd).
    LASCA_TB_DTW_FILE = 1,
}

/// How a line ends.
///
/// \ingroup positions
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_line_end {
    /// The game could go on.
    LASCA_TB_LINE_OPEN = 0,
    /// The game is over, and White has won.
    LASCA_TB_WHITE_WINS = 1,
    /// The game is over, and Black has won.
    LASCA_TB_BLACK_WINS = 2,
    /// The last move repeats an earlier position of the line. The game is a draw.
    LASCA_TB_REPETITION = 3,
}

impl From<Option<LineEnd>> for lasca_tb_line_end {
    fn from(end: Option<LineEnd>) -> lasca_tb_line_end {
        match end {
            None => lasca_tb_line_end::LASCA_TB_LINE_OPEN,
            Some(LineEnd::GameOver { winner: Color::White }) => {
                lasca_tb_line_end::LASCA_TB_WHITE_WINS
            }
            Some(LineEnd::GameOver { winner: Color::Black }) => {
                lasca_tb_line_end::LASCA_TB_BLACK_WINS
            }
            Some(LineEnd::Repetition) => lasca_tb_line_end::LASCA_TB_REPETITION,
        }
    }
}

/// What stands after a line that ends so.
pub(crate) fn line_end_symbol(end: i32) -> Result<&'static str, Failure> {
    use lasca_tb_line_end::*;
    match end {
        end if end == LASCA_TB_LINE_OPEN as i32 => Ok(""),
        end if end == LASCA_TB_WHITE_WINS as i32 => Ok("1-0"),
        end if end == LASCA_TB_BLACK_WINS as i32 => Ok("0-1"),
        end if end == LASCA_TB_REPETITION as i32 => Ok("1/2"),
        other => {
            let message = format!("expected a lasca_tb_line_end (0 to 3), found {other}");
            Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message))
        }
    }
}

/// One of the two sides.
///
/// \ingroup positions
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_color {
    /// The side that starts, and moves up the board.
    LASCA_TB_WHITE = 0,
    /// The side that moves down the board.
    LASCA_TB_BLACK = 1,
}

pub(crate) const fn color_number(color: Color) -> u8 {
    match color {
        Color::White => lasca_tb_color::LASCA_TB_WHITE as u8,
        Color::Black => lasca_tb_color::LASCA_TB_BLACK as u8,
    }
}

pub(crate) const fn color_of(number: u8) -> Option<Color> {
    match number {
        0 => Some(Color::White),
        1 => Some(Color::Black),
        _ => None,
    }
}

/// The column on one square: officers of the commander's colour over officers of the other colour. On
/// an empty square both counts are 0, and the commander does not matter. 3 bytes: own is at 0,
/// prisoners at 1, commander at 2.
///
/// \ingroup positions
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct lasca_tb_column {
    /// How many counters have the commander's colour, the commander included.
    pub own: u8,
    /// How many counters of the other colour are beneath them.
    pub prisoners: u8,
    /// The commander's colour: a lasca_tb_color.
    pub commander: u8,
}

/// A position of officers. Square i (0 to 24) has the number i + 1 in Lasker's numbering:
///
///     7   21    22    23    24        a7    c7    e7    g7
///     6      18    19    20              b6    d6    f6
///     5   14    15    16    17        a5    c5    e5    g5
///     4      11    12    13              b4    d4    f4
///     3    7     8     9    10        a3    c3    e3    g3
///     2       4     5     6              b2    d2    f2
///     1    0     1     2     3        a1    c1    e1    g1
///
/// On file x (a = 0) and rank y (rank 1 = 0), i = (7 * y + x) / 2.
///
/// 76 bytes: columns is at 0, side_to_move at 75.
///
/// \ingroup positions
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct lasca_tb_position {
    /// The column on each square.
    pub columns: [lasca_tb_column; LASCA_TB_SQUARES],
    /// The side to move: a lasca_tb_color.
    pub side_to_move: u8,
}

impl lasca_tb_position {
    /// The side to move.
    fn side(&self) -> Result<Color, Failure> {
        color_of(self.side_to_move).ok_or_else(|| {
            let found = self.side_to_move;
            let message = format!("expected a lasca_tb_color as side_to_move, found {found}");
            Failure::new(LASCA_TB_BAD_ARGUMENT, message)
        })
    }

    /// The position as counts, and the side to move.
    pub(crate) fn officers(&self) -> Result<(OfficerPosition, Color), Failure> {
        let side = self.side()?;
        let mut placement = Placement { mover: SquareSet::EMPTY, other: SquareSet::EMPTY };
        let mut mover = [0; Square::COUNT];
        let mut other = [0; Square::COUNT];
        let mut counters = 0;
        for (square, column) in Square::all().zip(&self.columns) {
            let lasca_tb_column { own, prisoners, commander } = *column;
            if own == 0 && prisoners == 0 {
                continue;
            }
            if own == 0 {
                let message =
                    format!("expected a commander over the prisoners on {square}, found none");
                return Err(Failure::new(LASCA_TB_BAD_POSITION, message));
            }
            let Some(commander) = color_of(commander) else {
                let message = format!(
                    "expected a lasca_tb_color as the commander on {square}, found {commander}"
                );
                return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
            };
            let i = square.index();
            if commander == side {
                placement.mover.insert(square);
                (mover[i], other[i]) = (own, prisoners);
            } else {
                placement.other.insert(square);
                (mover[i], other[i]) = (prisoners, own);
            }
            counters += usize::from(own) + usize::from(prisoners);
        }
        if counters == 0 {
            return Err(PositionError::Empty.into());
        }
        if counters > Position::MAX_COUNTERS {
            return Err(PositionError::TooManyCounters { found: counters }.into());
        }
        let officers = OfficerPosition::new(placement, mover, other);
        officers.map(|officers| (officers, side)).ok_or_else(inconsistent_counts)
    }

    /// The position as columns.
    pub(crate) fn position(&self) -> Result<Position, Failure> {
        let (officers, side) = self.officers()?;
        officers.to_position(side).ok_or_else(inconsistent_counts)
    }
}

/// This cannot happen to columns that `officers` has checked.
fn inconsistent_counts() -> Failure {
    Failure::new(LASCA_TB_BAD_POSITION, "the columns are not a position")
}

impl TryFrom<&Position> for lasca_tb_position {
    type Error = NotOfficers;

    fn try_from(position: &Position) -> Result<lasca_tb_position, NotOfficers> {
        let side_to_move = color_number(position.side_to_move());
        let mut packed = lasca_tb_position { side_to_move, ..lasca_tb_position::default() };
        for (square, column) in position.columns() {
            if column.has_soldier() {
                return Err(NotOfficers::Soldier(square));
            }
            let (Some(commander), Some((own, prisoners))) =
                (column.owner(), column.own_and_prisoners())
            else {
                return Err(NotOfficers::Unreachable(square, column));
            };
            // A position holds 22 counters at most.
            packed.columns[square.index()] = lasca_tb_column {
                own: own as u8,
                prisoners: prisoners as u8,
                commander: color_number(commander),
            };
        }
        Ok(packed)
    }
}

/// Win, draw or loss for the side to move. Negated, it is the result for the other side.
///
/// \ingroup probing
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_wdl {
    /// The side to move loses.
    LASCA_TB_LOSS = -1,
    /// Neither side can force a win.
    LASCA_TB_DRAW = 0,
    /// The side to move wins.
    LASCA_TB_WIN = 1,
}

impl From<Wdl> for lasca_tb_wdl {
    fn from(wdl: Wdl) -> lasca_tb_wdl {
        match wdl {
            Wdl::Loss => lasca_tb_wdl::LASCA_TB_LOSS,
            Wdl::Draw => lasca_tb_wdl::LASCA_TB_DRAW,
            Wdl::Win => lasca_tb_wdl::LASCA_TB_WIN,
        }
    }
}

/// A value with its distance, for the side to move. 8 bytes: wdl is at 0, dtw at 4.
///
/// \ingroup probing
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_value {
    /// Win, draw or loss: a lasca_tb_wdl.
    pub wdl: i32,
    /// The number of plies until the loser cannot move, if the winner takes the shortest way and the
    /// loser the longest; LASCA_TB_NO_DTW for a draw.
    pub dtw: i32,
}

impl From<Value> for lasca_tb_value {
    fn from(value: Value) -> lasca_tb_value {
        let dtw = value.dtw().map_or(LASCA_TB_NO_DTW, i32::from);
        lasca_tb_value { wdl: lasca_tb_wdl::from(value.wdl()) as i32, dtw }
    }
}

/// A legal move with its value. 128 bytes: squares is at 0, square_count at 43, after at 44, value at
/// 120.
///
/// \ingroup probing
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_move {
    /// The squares of the move. A quiet move has the squares from and to. A capture has the square
    /// from, and then for each jump the square that is jumped and the square of landing.
    pub squares: [u8; LASCA_TB_MOVE_SQUARES],
    /// How many squares there are: 2 for a quiet move, and an odd number from 3 on for a capture. The
    /// rest of squares is 0.
    pub square_count: u8,
    /// The position after the move.
    pub after: lasca_tb_position,
    /// The value for the side that makes the move. The distance counts from the position before it.
    pub value: lasca_tb_value,
}

impl lasca_tb_move {
    pub(crate) fn of(rated: &RatedMove) -> Result<lasca_tb_move, NotOfficers> {
        let (squares, square_count) = packed_squares(&rated.played);
        Ok(lasca_tb_move {
            squares,
            square_count,
            after: lasca_tb_position::try_from(&rated.after)?,
            value: rated.value.into(),
        })
    }

    /// The move as text.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        let played = read_squares(&self.squares, self.square_count)?;
        Ok(move_text(&played, &self.after.position()?))
    }
}

// The sizes and offsets that the header states for languages that cannot read it.
const _: () = {
    assert!(size_of::<lasca_tb_loaded>() == 32 && align_of::<lasca_tb_loaded>() <= 8);
    assert!(offset_of!(lasca_tb_loaded, bytes) == 0);
    assert!(offset_of!(lasca_tb_loaded, wdl) == 8);
    assert!(offset_of!(lasca_tb_loaded, dtw) == 16);
    assert!(offset_of!(lasca_tb_loaded, left_out) == 24);

    assert!(size_of::<lasca_tb_column>() == 3 && align_of::<lasca_tb_column>() == 1);
    assert!(offset_of!(lasca_tb_column, own) == 0);
    assert!(offset_of!(lasca_tb_column, prisoners) == 1);
    assert!(offset_of!(lasca_tb_column, commander) == 2);

    assert!(size_of::<lasca_tb_position>() == 76 && align_of::<lasca_tb_position>() == 1);
    assert!(offset_of!(lasca_tb_position, columns) == 0);
    assert!(offset_of!(lasca_tb_position, side_to_move) == 75);

    assert!(size_of::<lasca_tb_value>() == 8 && align_of::<lasca_tb_value>() == 4);
    assert!(offset_of!(lasca_tb_value, wdl) == 0);
    assert!(offset_of!(lasca_tb_value, dtw) == 4);

    assert!(size_of::<lasca_tb_move>() == 128 && align_of::<lasca_tb_move>() == 4);
    assert!(offset_of!(lasca_tb_move, squares) == 0);
    assert!(offset_of!(lasca_tb_move, square_count) == 43);
    assert!(offset_of!(lasca_tb_move, after) == 44);
    assert!(offset_of!(lasca_tb_move, value) == 120);
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LASCA_TB_MAX_COUNTERS;

    #[test]
    fn packed_positions_are_those_of_the_text() {
        for text in ["a1WWW b2BBB w", "a1WBB g7BW b", "d4BBBWW w"] {
            let position: Position = text.parse().unwrap();
            let packed = lasca_tb_position::try_from(&position).unwrap();
            assert_eq!(packed.position().unwrap_or_else(|_| panic!("{text}")), position);
            let (officers, side) = packed.officers().unwrap_or_else(|_| panic!("{text}"));
            assert_eq!(OfficerPosition::try_from(&position), Ok(officers));
            assert_eq!(side, position.side_to_move());
        }
    }

    #[test]
    fn the_numbers_of_enums_are_those_of_the_library() {
        use lasca_tb_rules::*;
        let listed = [LASCA_TB_RULES_LASCA, LASCA_TB_RULES_BIGNOR, LASCA_TB_RULES_REJUMP];
        assert_eq!(listed.map(|rules| rules as i32), RuleSet::ALL.map(|r| i32::from(r.id())));
        for color in Color::ALL {
            assert_eq!(color_of(color_number(color)), Some(color));
        }
        assert_eq!(LASCA_TB_SQUARES, Square::COUNT);
        assert_eq!(LASCA_TB_MAX_COUNTERS, Position::MAX_COUNTERS);
        assert_eq!(LASCA_TB_MOVE_SQUARES, 1 + 2 * (LASCA_TB_MAX_COUNTERS - 1));
    }
}
