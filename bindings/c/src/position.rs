//! Positions, moves and values: the types of the header, their conversions, and their texts.

use crate::failure::{Failure, guard, one_of};
use crate::lasca_tb_status::{self, *};
use crate::pointers::{put, put_list, put_text, shared, text};
use crate::tables::read_rules;
use crate::{
    LASCA_TB_MOVE_SQUARES, LASCA_TB_NO_DTW, LASCA_TB_NO_ESTIMATE, LASCA_TB_SQUARES, assert_layout,
};
use lasca_tablebase::notation::{move_text, parse_move};
use lasca_tablebase::probe::RatedMove;
use lasca_tablebase::rules::{
    ByColor, Color, Direction, Move, OfficerPosition, Placement, Position, PositionError, Square,
    SquareSet,
};
use lasca_tablebase::{Value, ValueRange, Wdl};
use lasca_tb_wdl::*;
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// One of the two sides.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_color {
    /// The side that starts, and moves up the board.
    LASCA_TB_WHITE = 0,
    /// The side that moves down the board.
    LASCA_TB_BLACK = 1,
}

/// A position of soldiers and officers, up to 22 counters. Square i (0 to 24) has the number i + 1 in
/// Lasker's numbering:
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
/// The counters are numbered square by square, on each square from the top down. Bit n of the masks is
/// counter n; the bits from the number of counters on are 0. The counter at the top of a column commands
/// it. "a1WwB g1b w" has the counters W, w, B and b: the heights of squares 0 and 3 are 3 and 1, black is
/// 8 + 4, and officers is 4 + 1. This goes through the columns of a position:
///
///     uint32_t black = position.black, officers = position.officers;
///     for (i = 0; i < LASCA_TB_SQUARES; i++) {
///         uint8_t height = position.heights[i];
///         // Here, bit n of black and of officers is the counter n places below the top.
///         black >>= height;
///         officers >>= height;
///     }
///
/// There is no padding, so memcmp() compares positions. 36 bytes: heights is at 0, side_to_move at 25,
/// reserved at 26, black at 28, officers at 32.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct lasca_tb_position {
    /// How many counters stand on each square; 0 if it is empty.
    pub heights: [u8; LASCA_TB_SQUARES],
    /// The side to move: a lasca_tb_color.
    pub side_to_move: u8,
    /// Must be 0.
    pub reserved: [u8; 2],
    /// Which counters are black.
    pub black: u32,
    /// Which counters are officers.
    pub officers: u32,
}

assert_layout!(lasca_tb_position: 36, aligned to 4;
    heights at 0, side_to_move at 25, reserved at 26, black at 28, officers at 32);

/// The squares before each square, as bits: those to which any column of White may go, and of Black.
const BEFORE: [[u32; Square::COUNT]; 2] = {
    const fn bit(square: Option<Square>) -> u32 {
        match square {
            Some(square) => 1 << square.index(),
            None => 0,
        }
    }
    let mut before = [[0; Square::COUNT]; 2];
    let mut i = 0;
    while let Some(square) = Square::from_index(i) {
        before[0][i] =
            bit(square.step(Direction::NorthWest)) | bit(square.step(Direction::NorthEast));
        before[1][i] =
            bit(square.step(Direction::SouthWest)) | bit(square.step(Direction::SouthEast));
        i += 1;
    }
    before
};

/// The bits of a mask with an empty place after each: the colours or the kinds of [`Column::bits`].
const fn spread(mask: u32) -> u64 {
    let bits = mask as u64;
    let bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    let bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// The mask whose bits are spread over every other place of these.
const fn gathered(bits: u64) -> u32 {
    let bits = bits & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) as u32
}

impl lasca_tb_position {
    fn count(&self) -> u32 {
        self.heights.iter().map(|&height| u32::from(height)).sum()
    }

    /// How many counters each side has, if [`lasca_tb_position::position`] takes this for a position.
    #[inline]
    pub(crate) fn counters(&self) -> Option<ByColor<usize>> {
        let count = self.count();
        let is_sound = (1..=Position::MAX_COUNTERS as u32).contains(&count)
            && (self.black | self.officers) >> count == 0
            && usize::from(self.side_to_move) < Color::ALL.len()
            && self.reserved == [0; 2];
        let black = self.black.count_ones();
        is_sound.then(|| ByColor { white: (count - black) as usize, black: black as usize })
    }

    /// Whether a position has no soldier.
    #[inline]
    pub(crate) fn has_only_officers(&self) -> bool {
        self.officers.trailing_ones() == self.count()
    }

    /// Whether it is clear that the game of a position goes on: the other side commands a column, and there is
    /// an empty square before one of the side to move. This can be false of a game that goes on, too.
    pub(crate) fn goes_on(&self) -> bool {
        let (mut commanded, mut occupied, mut passed) = ([0_u32; 2], 0_u32, 0);
        for (i, &height) in self.heights.iter().enumerate() {
            let column = u32::from(height > 0) << i;
            occupied |= column;
            commanded[1] |= column * (self.black >> passed & 1);
            passed += u32::from(height);
        }
        commanded[0] = occupied & !commanded[1];
        let side = usize::from(self.side_to_move);
        let mut own = SquareSet::from_bits(commanded[side]).into_iter();
        commanded[1 - side] != 0 && own.any(|square| BEFORE[side][square.index()] & !occupied != 0)
    }

    /// A position that has only officers, as one that no game with officers only rules out; otherwise
    /// `None`, and [`lasca_tb_position::position`] tells more. An engine asks for this millions of
    /// times, so it takes no detour by single counters.
    pub(crate) fn officers(&self) -> Option<OfficerPosition> {
        let mut placement = Placement { mover: SquareSet::EMPTY, other: SquareSet::EMPTY };
        let (mut mover, mut other) = ([0; Square::COUNT], [0; Square::COUNT]);
        let mut black = self.black;
        for (square, &height) in Square::all().zip(&self.heights) {
            if height == 0 {
                continue;
            }
            let is_black = black & 1;
            // The owner's counters: all on top, so that they are the lowest bits.
            let own_bits = (if is_black == 1 { black } else { !black }) & ((1 << height) - 1);
            black >>= height;
            if own_bits & (own_bits + 1) != 0 {
                return None;
            }
            let own = own_bits.count_ones() as u8;
            let i = square.index();
            if is_black == u32::from(self.side_to_move) {
                placement.mover.insert(square);
                (mover[i], other[i]) = (own, height - own);
            } else {
                placement.other.insert(square);
                (mover[i], other[i]) = (height - own, own);
            }
        }
        OfficerPosition::new(placement, mover, other)
    }

    pub(crate) fn side(&self) -> Result<Color, Failure> {
        one_of(&Color::ALL, self.side_to_move, "lasca_tb_color as side_to_move")
    }

    /// The position as the library has it.
    pub(crate) fn position(&self) -> Result<Position, Failure> {
        let side = self.side()?;
        if self.reserved != [0; 2] {
            return Err(Failure::bad_argument("expected 0 as reserved, found another value"));
        }
        let counters = self.count();
        if counters > Position::MAX_COUNTERS as u32 {
            let problem = PositionError::TooManyCounters { found: counters as usize };
            return Err(Failure::new(LASCA_TB_NOT_A_POSITION, problem));
        }
        let (black, officers) = (self.black, self.officers);
        if (black | officers) >> counters != 0 {
            let message = format!(
                "expected no bits from bit {counters} on, the number of counters, found black \
                 {black:#x} and officers {officers:#x}"
            );
            return Err(Failure::new(LASCA_TB_NOT_A_POSITION, message));
        }
        if counters == 0 {
            return Err(Failure::new(LASCA_TB_NOT_A_POSITION, PositionError::Empty));
        }
        let heights = Square::all().zip(self.heights.map(u32::from));
        let occupied = heights.filter(|&(_, height)| height > 0);
        Ok(Position::of_bits(occupied, spread(black) | spread(officers) << 1, side))
    }
}

impl From<&Position> for lasca_tb_position {
    fn from(position: &Position) -> lasca_tb_position {
        let (mut heights, mut bits, mut place) = ([0; LASCA_TB_SQUARES], 0, 0);
        for (height, column) in heights.iter_mut().zip(position.board()) {
            // A position holds 22 counters at most.
            *height = column.height() as u8;
            bits |= column.bits() << place;
            place += column.bit_count();
        }
        lasca_tb_position {
            heights,
            side_to_move: position.side_to_move() as u8,
            reserved: [0; 2],
            black: gathered(bits),
            officers: gathered(bits >> 1),
        }
    }
}

/// Win, draw or loss for a side. Negated, a win, draw or loss is the result for the other side.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_wdl {
    /// It is not known who wins. Tables never say this.
    LASCA_TB_OPEN = -2,
    /// The side loses.
    LASCA_TB_LOSS = -1,
    /// Neither side can force a win.
    LASCA_TB_DRAW = 0,
    /// The side wins.
    LASCA_TB_WIN = 1,
}

impl From<Wdl> for lasca_tb_wdl {
    fn from(wdl: Wdl) -> lasca_tb_wdl {
        match wdl {
            Wdl::Loss => LASCA_TB_LOSS,
            Wdl::Draw => LASCA_TB_DRAW,
            Wdl::Win => LASCA_TB_WIN,
        }
    }
}

/// What is known of a position, for the side to move, or of a move, for the side that makes it.
/// Distances are the plies until the loser cannot move, if the winner takes the shortest way and the
/// loser the longest; that of a move counts from before the move. 16 bytes: wdl is at 0, dtw at 4,
/// at_most at 8, white_excluded at 12, black_excluded at 13, estimate at 14.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_value {
    /// Win, draw, loss or open.
    pub wdl: lasca_tb_wdl,
    /// The exact distance of a win or loss, if it is known; otherwise LASCA_TB_NO_DTW.
    pub dtw: i32,
    /// The distance is proved to be no greater than this; LASCA_TB_NO_DTW if nothing is known of it. If
    /// dtw is known, this is the same.
    pub at_most: i32,
    /// 1 if it is known that White cannot win, otherwise 0.
    pub white_excluded: u8,
    /// 1 if it is known that Black cannot win, otherwise 0.
    pub black_excluded: u8,
    /// What an open move looks worth to the side that makes it, from -100 to 100, where 0 is even, after a
    /// search. It proves nothing. Otherwise LASCA_TB_NO_ESTIMATE.
    pub estimate: i16,
}

assert_layout!(lasca_tb_value: 16, aligned to 4;
    wdl at 0, dtw at 4, at_most at 8, white_excluded at 12, black_excluded at 13, estimate at 14);

impl lasca_tb_value {
    /// Nothing is known.
    const OPEN: lasca_tb_value = lasca_tb_value {
        wdl: LASCA_TB_OPEN,
        dtw: LASCA_TB_NO_DTW,
        at_most: LASCA_TB_NO_DTW,
        white_excluded: 0,
        black_excluded: 0,
        estimate: LASCA_TB_NO_ESTIMATE,
    };

    /// What is known of a value of this side.
    pub(crate) fn known(value: ValueRange, side: Color) -> lasca_tb_value {
        let excluded = value.excluded(side);
        lasca_tb_value {
            wdl: value.wdl().map_or(LASCA_TB_OPEN, Into::into),
            dtw: plies_or_none(value.exact().and_then(Value::dtw)),
            at_most: plies_or_none(value.at_most()),
            white_excluded: excluded.white.into(),
            black_excluded: excluded.black.into(),
            estimate: LASCA_TB_NO_ESTIMATE,
        }
    }
}

fn plies_or_none(plies: Option<u16>) -> i32 {
    plies.map_or(LASCA_TB_NO_DTW, i32::from)
}

/// The squares of a move. A quiet move has the squares from and to. A capture has the square from, and then
/// for each jump the square that is jumped and the square of landing. 44 bytes: at is at 0, count at 43.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_squares {
    /// The squares, in order. The rest is 0.
    pub at: [u8; LASCA_TB_MOVE_SQUARES],
    /// How many there are: 2 for a quiet move, and an odd number from 3 on for a capture.
    pub count: u8,
}

assert_layout!(lasca_tb_squares: 44, aligned to 1; at at 0, count at 43);

impl From<&Move> for lasca_tb_squares {
    fn from(played: &Move) -> lasca_tb_squares {
        let (mut at, squares) = ([0; LASCA_TB_MOVE_SQUARES], played.squares());
        let count = squares.len() as u8;
        for (place, square) in at.iter_mut().zip(squares) {
            *place = square.index() as u8;
        }
        lasca_tb_squares { at, count }
    }
}

impl lasca_tb_squares {
    /// Those that count; none if there are more than a move has.
    fn named(&self) -> &[u8] {
        self.at.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// The move along these squares, which may be any of the program.
    fn read(&self) -> Result<Move, Failure> {
        let read = || {
            let mut squares = [Square::from_index(0)?; LASCA_TB_MOVE_SQUARES];
            let squares = squares.get_mut(..self.named().len())?;
            for (square, &at) in squares.iter_mut().zip(self.named()) {
                *square = Square::from_index(at.into())?;
            }
            Move::from_squares(squares)
        };
        read().ok_or_else(|| {
            Failure::bad_argument("expected the squares of a move, found other squares")
        })
    }
}

/// A legal move. To make it, take the position after it. 96 bytes: squares is at 0, after at 44, value at 80.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_move {
    /// The squares of the move.
    pub squares: lasca_tb_squares,
    /// The position after the move.
    pub after: lasca_tb_position,
    /// What is known of the move, for the side that makes it.
    pub value: lasca_tb_value,
}

assert_layout!(lasca_tb_move: 96, aligned to 4; squares at 0, after at 44, value at 80);

impl lasca_tb_move {
    /// The move, of whose value nothing is known.
    pub(crate) fn open(played: &Move, after: &Position) -> lasca_tb_move {
        let value = lasca_tb_value::OPEN;
        lasca_tb_move { squares: played.into(), after: after.into(), value }
    }

    /// The move with what it looks worth, which counts only if its value is open.
    pub(crate) fn estimated(mut self, estimate: Option<i8>) -> lasca_tb_move {
        if let Some(estimate) = estimate.filter(|_| self.value.wdl == LASCA_TB_OPEN) {
            self.value.estimate = estimate.into();
        }
        self
    }

    /// A move of the program as text. Its value may be none.
    fn text(played: &MaybeUninit<lasca_tb_move>) -> Result<String, Failure> {
        let played = played.as_ptr();
        // SAFETY: it points to the program's move, and these fields hold integers alone.
        let (squares, after) = unsafe { (&(*played).squares, &(*played).after) };
        Ok(move_text(&squares.read()?, &after.position()?))
    }
}

impl<V: Into<ValueRange>> From<RatedMove<V>> for lasca_tb_move {
    fn from(rated: RatedMove<V>) -> lasca_tb_move {
        let value = lasca_tb_value::known(rated.value.into(), !rated.after.side_to_move());
        lasca_tb_move { value, ..lasca_tb_move::open(&rated.played, &rated.after) }
    }
}

/// Reads a position from text. The text has the columns and then the side to move, as in
/// "a1WWW c3wB b2BBB w", or the squares row by row from row 7 down. W and B are officers, w and b are
/// soldiers. "start" is the position from which a game starts.
///
/// \param text The position as text that ends with NUL.
/// \param position Receives the position.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, LASCA_TB_BAD_UTF8 or LASCA_TB_NOT_A_POSITION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_position_from_text(
    text: *const c_char,
    position: *mut lasca_tb_position,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let read: Position = self::text(text)?.parse()?;
        put(position, "position", (&read).into())
    })
}

/// Writes a position as text that ends with NUL. LASCA_TB_POSITION_TEXT_SIZE bytes are always
/// enough.
///
/// If the text needs more than size bytes, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and
/// writes only needed.
///
/// \param position The position.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Otherwise fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if
/// side_to_move is not a lasca_tb_color, or reserved is not 0; or with LASCA_TB_NOT_A_POSITION if the
/// counters are not those of a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_position_to_text(
    position: *const lasca_tb_position,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let text = shared(position, "position")?.position()?.to_string();
        put_text(text, buffer, size, needed)
    })
}

/// Lists all legal moves in the order of their squares. Nothing is known of their values: each is
/// LASCA_TB_OPEN. The list is empty if the game is over: the side to move has lost, unless only the
/// other side commands no column.
///
/// If there are more than capacity, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and writes only
/// count. Call with a buffer for 64 moves, for example, and again with a larger one if that was too small. If
/// there are more than LASCA_TB_MOST_MOVES, the call fails with LASCA_TB_TOO_MANY_MOVES.
///
/// \param rules The rule set: a lasca_tb_rules.
/// \param position The position.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Otherwise fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if
/// rules is not a lasca_tb_rules; with LASCA_TB_TOO_MANY_MOVES; and as lasca_tb_position_to_text() does if the
/// position is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_legal_moves(
    rules: i32,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let position = shared(position, "position")?.position()?;
        let found = position.moves(read_rules(rules)?)?;
        let found = found
            .iter()
            .map(|played| lasca_tb_move::open(played, &position.play_unchecked(played)));
        put_list(found, moves, capacity, count)
    })
}

/// Makes a move. No other moves are looked at.
///
/// \param rules The rule set: a lasca_tb_rules.
/// \param position The position before the move.
/// \param squares The squares of the move.
/// \param after Receives the position after the move.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NOT_A_MOVE if the move is not legal; with LASCA_TB_BAD_ARGUMENT
/// if the squares are those of no move, or rules is not a lasca_tb_rules; and as
/// lasca_tb_position_to_text() does if the position is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_play(
    rules: i32,
    position: *const lasca_tb_position,
    squares: *const lasca_tb_squares,
    after: *mut lasca_tb_position,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (position, squares) =
            (shared(position, "position")?.position()?, shared(squares, "squares")?);
        let played = position.play(&squares.read()?, read_rules(rules)?);
        put(after, "after", (&played.map_err(Failure::of(LASCA_TB_NOT_A_MOVE))?).into())
    })
}

/// Reads a legal move of a position from text, such as "c3-d4", "a1-b2-c3" or "a1-b2Bb-c3wWB". Columns
/// may be left out, and of a capture all squares but the first and the last, if one move alone fits.
/// Squares may be numbers from 1 to 25.
///
/// \param rules The rule set: a lasca_tb_rules.
/// \param position The position before the move.
/// \param text The move as text that ends with NUL.
/// \param played Receives the move. Nothing is known of its value.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NOT_A_MOVE if the text fits no legal move or several, which
/// lasca_tb_last_error() lists; with LASCA_TB_GAME_OVER if there is no legal move; with
/// LASCA_TB_BAD_UTF8; and as lasca_tb_legal_moves() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_move_from_text(
    rules: i32,
    position: *const lasca_tb_position,
    text: *const c_char,
    played: *mut lasca_tb_move,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let position = shared(position, "position")?.position()?;
        let (read, after) = parse_move(self::text(text)?, &position, read_rules(rules)?)?;
        put(played, "played", lasca_tb_move::open(&read, &after))
    })
}

/// Writes a move as text that ends with NUL, such as "c3-d4" or "a1-b2Bb-c3wWB". The text of a capture
/// has the columns that it leaves. LASCA_TB_MOVE_TEXT_SIZE bytes are enough for every move of a list, and
/// for every other legal move. The move need not be legal, and another can need more.
///
/// \param played The move. Its value does not matter.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the squares are not those of a move,
/// and otherwise as lasca_tb_position_to_text() does for the position after the move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_move_to_text(
    played: *const lasca_tb_move,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let played = shared(played.cast::<MaybeUninit<lasca_tb_move>>(), "played")?;
        put_text(lasca_tb_move::text(played)?, buffer, size, needed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::rules::{CounterKind, RuleSet};

    fn packed(text: &str) -> lasca_tb_position {
        (&text.parse::<Position>().unwrap()).into()
    }

    #[test]
    fn packed_positions_are_those_of_the_text() {
        for text in [
            "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w",
            "a1wBWb c3w b",
            "g7BBBBBBBBBBBwwwwwwwwwww b",
            "a1WWW b2BBB w",
            "a1WBB g7BW b",
            "d4BBBWW w",
            "a1WBW c3B w",
            "c1BBWWWWWWWWWWWWWWWWWW e1BB b",
        ] {
            let position: Position = text.parse().unwrap();
            let packed = packed(text);
            assert_eq!(packed.position().unwrap_or_else(|_| panic!("{text}")), position);
            let officers = packed.has_only_officers().then(|| packed.officers()).flatten();
            assert_eq!(officers, OfficerPosition::try_from(&position).ok(), "{text}");
        }
    }

    /// Packs a position counter by counter.
    fn packed_singly(position: &Position) -> lasca_tb_position {
        let side_to_move = u8::from(position.side_to_move() == Color::Black);
        let mut packed = lasca_tb_position { side_to_move, ..lasca_tb_position::default() };
        let mut number = 0;
        for (square, column) in position.columns() {
            for counter in column.counters() {
                packed.heights[square.index()] += 1;
                packed.black |= u32::from(counter.color == Color::Black) << number;
                packed.officers |= u32::from(counter.kind == CounterKind::Officer) << number;
                number += 1;
            }
        }
        packed
    }

    #[test]
    fn positions_of_games_are_packed_and_unpacked() {
        let mut choice = 1_u64;
        for text in [
            "start",
            "a1WbB b2BwwW c3W e5bB g7Wwb w",
            "c1BBWWWWWWWWWWWWWWWWWW e1BB b",
            "g7BBBBBBBBBBBwwwwwwwwwww b",
        ] {
            for _ in 0..4 {
                let mut position: Position = text.parse().unwrap();
                for _ in 0..60 {
                    let packed = lasca_tb_position::from(&position);
                    assert_eq!(packed, packed_singly(&position), "{position}");
                    assert_eq!(packed.position().ok(), Some(position));
                    for side in Color::ALL {
                        let position = position.with_side_to_move(side);
                        let goes_on = lasca_tb_position::from(&position).goes_on();
                        assert!(!goes_on || !position.is_over(), "{position}");
                    }
                    let moves = position.moves(RuleSet::Lasca).unwrap();
                    choice = choice.wrapping_mul(6364136223846793005).wrapping_add(1);
                    let Some(played) = moves.get((choice >> 33) as usize % moves.len().max(1))
                    else {
                        break;
                    };
                    position = position.play_unchecked(played);
                }
            }
        }
    }

    #[test]
    fn positions_that_are_none_are_refused() {
        let status = |change: &dyn Fn(&mut lasca_tb_position)| {
            let mut position = packed("a1WWW b2BB g1B w");
            change(&mut position);
            // The quick way takes no position that the other refuses.
            let found = position.position().map_err(|failure| failure.status);
            assert_eq!(position.counters().is_some(), found.is_ok(), "{position:?}");
            found.err()
        };
        assert_eq!(status(&|_| ()), None);
        for side in [2, u8::MAX] {
            assert_eq!(status(&|p| p.side_to_move = side), Some(LASCA_TB_BAD_ARGUMENT));
        }
        assert_eq!(status(&|p| p.reserved[1] = 1), Some(LASCA_TB_BAD_ARGUMENT));
        for height in [2, 20, 31, 32, u8::MAX] {
            assert_eq!(status(&|p| p.heights[0] = height), Some(LASCA_TB_NOT_A_POSITION));
        }
        assert_eq!(status(&|p| p.heights = [u8::MAX; 25]), Some(LASCA_TB_NOT_A_POSITION));
        for bits in [1 << 6, 1 << 31, u32::MAX] {
            assert_eq!(status(&|p| p.black = bits), Some(LASCA_TB_NOT_A_POSITION));
            assert_eq!(status(&|p| p.officers = bits), Some(LASCA_TB_NOT_A_POSITION));
        }
        assert_eq!(status(&|p| *p = Default::default()), Some(LASCA_TB_NOT_A_POSITION));
    }
}
