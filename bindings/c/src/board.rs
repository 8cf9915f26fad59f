//! Positions with soldiers, and moves in them: the types of the header, their conversions, and their
//! texts.

use crate::failure::{Failure, guard};
use crate::functions::{line_text, list, place, read_position, shared, write_text};
use crate::lasca_tb_status::{self, *};
use crate::types::{color_number, color_of};
use crate::{
    LASCA_TB_MOVE_SQUARES, LASCA_TB_NO_DTW, LASCA_TB_OPEN, LASCA_TB_SQUARES, lasca_tb_wdl,
};
use lasca_tablebase::notation::move_text;
use lasca_tablebase::rules::{
    Color, Column, Counter, CounterKind, Move, Position, PositionError, Square,
};
use lasca_tablebase::search::MoveRating;
use lasca_tablebase::{Value, Wdl};
use std::ffi::c_char;
use std::mem::offset_of;

/// The column on one square, of soldiers and officers in any order. Bit i of the masks is the counter
/// i places below the top; the bits from height on are 0. The counter at the top commands. On an empty
/// square all fields are 0. 12 bytes: height is at 0, black at 4, officers at 8.
///
/// \ingroup positions
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct lasca_tb_board_column {
    /// How many counters there are.
    pub height: u32,
    /// Which of them are black.
    pub black: u32,
    /// Which of them are officers.
    pub officers: u32,
}

/// A position of soldiers and officers, up to 22 counters. The squares are numbered as in
/// lasca_tb_position. 304 bytes: columns is at 0, side_to_move at 300.
///
/// \ingroup positions
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct lasca_tb_board {
    /// The column on each square.
    pub columns: [lasca_tb_board_column; LASCA_TB_SQUARES],
    /// The side to move: a lasca_tb_color.
    pub side_to_move: u32,
}

impl lasca_tb_board {
    /// The position as the library has it.
    pub(crate) fn position(&self) -> Result<Position, Failure> {
        let side = u8::try_from(self.side_to_move).ok().and_then(color_of).ok_or_else(|| {
            let found = self.side_to_move;
            let message = format!("expected a lasca_tb_color as side_to_move, found {found}");
            Failure::new(LASCA_TB_BAD_ARGUMENT, message)
        })?;
        let mut columns = [Column::EMPTY; Square::COUNT];
        for (square, column) in Square::all().zip(&self.columns) {
            columns[square.index()] = column.read(square)?;
        }
        Ok(Position::new(columns, side)?)
    }
}

impl lasca_tb_board_column {
    fn read(&self, square: Square) -> Result<Column, Failure> {
        let lasca_tb_board_column { height, black, officers } = *self;
        let found = height as usize;
        if found > Position::MAX_COUNTERS {
            return Err(PositionError::TooManyCounters { found }.into());
        }
        if (black | officers) >> height != 0 {
            let message = format!(
                "expected no bits from bit {height} on, the height of the column on {square}, found \
                 black {black:#x} and officers {officers:#x}"
            );
            return Err(Failure::new(LASCA_TB_BAD_POSITION, message));
        }
        let counter = |depth: u32| Counter {
            color: if black >> depth & 1 == 1 { Color::Black } else { Color::White },
            kind: match officers >> depth & 1 {
                1 => CounterKind::Officer,
                _ => CounterKind::Soldier,
            },
        };
        // It is not too high.
        Ok(Column::from_counters((0..height).map(counter)).unwrap_or(Column::EMPTY))
    }
}

impl From<&Position> for lasca_tb_board {
    fn from(position: &Position) -> lasca_tb_board {
        let side_to_move = u32::from(color_number(position.side_to_move()));
        let mut board = lasca_tb_board { side_to_move, ..lasca_tb_board::default() };
        for (square, column) in position.columns() {
            let place = &mut board.columns[square.index()];
            for (depth, counter) in column.counters().enumerate() {
                place.black |= u32::from(counter.color == Color::Black) << depth;
                place.officers |= u32::from(counter.kind == CounterKind::Officer) << depth;
            }
            // A position holds 22 counters at most.
            place.height = column.height() as u32;
        }
        board
    }
}

/// A legal move in a position that may have soldiers. 348 bytes: squares is at 0, square_count at 43,
/// after at 44.
///
/// \ingroup positions
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_board_move {
    /// The squares of the move, as in lasca_tb_move.
    pub squares: [u8; LASCA_TB_MOVE_SQUARES],
    /// How many squares there are. The rest of squares is 0.
    pub square_count: u8,
    /// The position after the move.
    pub after: lasca_tb_board,
}

impl lasca_tb_board_move {
    pub(crate) fn new(played: &Move, after: &Position) -> lasca_tb_board_move {
        let (squares, square_count) = packed_squares(played);
        lasca_tb_board_move { squares, square_count, after: after.into() }
    }

    /// The move as text.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        let played = read_squares(&self.squares, self.square_count)?;
        Ok(move_text(&played, &self.after.position()?))
    }
}

/// The squares of a move as numbers, and how many they are.
pub(crate) fn packed_squares(played: &Move) -> ([u8; LASCA_TB_MOVE_SQUARES], u8) {
    let mut squares = [0; LASCA_TB_MOVE_SQUARES];
    let named = played.squares();
    for (place, square) in squares.iter_mut().zip(named) {
        *place = square.index() as u8;
    }
    (squares, named.len() as u8)
}

/// The move of these squares.
pub(crate) fn read_squares(
    squares: &[u8; LASCA_TB_MOVE_SQUARES],
    count: u8,
) -> Result<Move, Failure> {
    let not_a_move = || {
        let message = "expected the squares of a move, found other squares";
        Failure::new(LASCA_TB_BAD_ARGUMENT, message)
    };
    let named = squares.get(..usize::from(count)).ok_or_else(not_a_move)?;
    let squares: Option<Vec<Square>> =
        named.iter().map(|&square| Square::from_index(usize::from(square))).collect();
    squares.and_then(|squares| Move::from_squares(&squares)).ok_or_else(not_a_move)
}

/// A legal move, and what a search has proved of it. 360 bytes: played is at 0, wdl at 348, at_most at
/// 352, white_excluded at 356, black_excluded at 357.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_searched_move {
    /// The move.
    pub played: lasca_tb_board_move,
    /// What it is worth to the side that makes it: a lasca_tb_wdl, or LASCA_TB_OPEN.
    pub wdl: i32,
    /// The plies that the proof of a win or loss needs at most, counted from before the move; otherwise
    /// LASCA_TB_NO_DTW.
    pub at_most: i32,
    /// 1 if it is proved that White cannot win after the move, otherwise 0.
    pub white_excluded: u8,
    /// 1 if it is proved that Black cannot win after the move, otherwise 0.
    pub black_excluded: u8,
}

impl From<&MoveRating> for lasca_tb_searched_move {
    fn from(rating: &MoveRating) -> lasca_tb_searched_move {
        lasca_tb_searched_move {
            played: lasca_tb_board_move::new(&rating.played, &rating.after),
            wdl: wdl_or_open(rating.wdl),
            at_most: plies_or_none(rating.at_most.and_then(Value::dtw)),
            white_excluded: rating.excluded.white.into(),
            black_excluded: rating.excluded.black.into(),
        }
    }
}

pub(crate) fn wdl_or_open(wdl: Option<Wdl>) -> i32 {
    wdl.map_or(LASCA_TB_OPEN, |wdl| lasca_tb_wdl::from(wdl) as i32)
}

pub(crate) fn plies_or_none(plies: Option<u16>) -> i32 {
    plies.map_or(LASCA_TB_NO_DTW, i32::from)
}

/// Reads a position with soldiers and officers from text, as lasca_tb_position_from_text() does.
///
/// \param text The position as text that ends with NUL.
/// \param board Receives the position.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, LASCA_TB_BAD_UTF8 or LASCA_TB_BAD_TEXT.
/// board is written only if the call succeeds.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_board_from_text(
    text: *const c_char,
    board: *mut lasca_tb_board,
) -> lasca_tb_status {
    guard(|| {
        let place = place(board, "board")?;
        // SAFETY: NULL or a text.
        let read = unsafe { read_position(text) }?;
        // SAFETY: `place` is a place for a board.
        unsafe { place.write((&read).into()) };
        Ok(())
    })
}

/// Writes a position with soldiers and officers as text that ends with NUL.
/// LASCA_TB_POSITION_TEXT_SIZE bytes are always enough.
///
/// \param board The position.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_position_to_text() does.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_board_to_text(
    board: *const lasca_tb_board,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or a board.
        let text = unsafe { shared(board, "board") }?.position()?.to_string();
        // SAFETY: the buffer has `size` bytes, `needed` is NULL or a place for a number.
        unsafe { write_text(&text, buffer, size, needed) }
    })
}

/// Writes a move as text that ends with NUL, such as "c3-d4" or "a1-b2Bb-c3wWB".
/// LASCA_TB_MOVE_TEXT_SIZE bytes are always enough.
///
/// \param played The move.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_move_to_text() does.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_board_move_to_text(
    played: *const lasca_tb_board_move,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or a move.
        let text = unsafe { shared(played, "played") }?.text()?;
        // SAFETY: the buffer has `size` bytes, `needed` is NULL or a place for a number.
        unsafe { write_text(&text, buffer, size, needed) }
    })
}

/// Writes the moves of a line as text that ends with NUL, as lasca_tb_line_to_text() does.
///
/// \param moves The moves; it may be NULL if count is 0.
/// \param count How many moves there are.
/// \param end How the line ends: a lasca_tb_line_end.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_line_to_text() does.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_board_line_to_text(
    moves: *const lasca_tb_board_move,
    count: usize,
    end: i32,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or `count` moves.
        let moves = unsafe { list(moves, count, "moves") }?;
        let after = |played: &lasca_tb_board_move| played.after.position();
        let text = line_text(moves, lasca_tb_board_move::text, after, end)?;
        // SAFETY: the buffer has `size` bytes, `needed` is NULL or a place for a number.
        unsafe { write_text(&text, buffer, size, needed) }
    })
}

// The sizes and offsets that the header states for languages that cannot read it.
const _: () = {
    assert!(size_of::<lasca_tb_board_column>() == 12 && align_of::<lasca_tb_board_column>() == 4);
    assert!(offset_of!(lasca_tb_board_column, height) == 0);
    assert!(offset_of!(lasca_tb_board_column, black) == 4);
    assert!(offset_of!(lasca_tb_board_column, officers) == 8);

    assert!(size_of::<lasca_tb_board>() == 304 && align_of::<lasca_tb_board>() == 4);
    assert!(offset_of!(lasca_tb_board, columns) == 0);
    assert!(offset_of!(lasca_tb_board, side_to_move) == 300);

    assert!(size_of::<lasca_tb_board_move>() == 348 && align_of::<lasca_tb_board_move>() == 4);
    assert!(offset_of!(lasca_tb_board_move, squares) == 0);
    assert!(offset_of!(lasca_tb_board_move, square_count) == 43);
    assert!(offset_of!(lasca_tb_board_move, after) == 44);

    assert!(size_of::<lasca_tb_searched_move>() == 360);
    assert!(align_of::<lasca_tb_searched_move>() == 4);
    assert!(offset_of!(lasca_tb_searched_move, played) == 0);
    assert!(offset_of!(lasca_tb_searched_move, wdl) == 348);
    assert!(offset_of!(lasca_tb_searched_move, at_most) == 352);
    assert!(offset_of!(lasca_tb_searched_move, white_excluded) == 356);
    assert!(offset_of!(lasca_tb_searched_move, black_excluded) == 357);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_those_of_the_text() {
        for text in [
            "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w",
            "a1wBWb c3w b",
            "g7BBBBBBBBBBBwwwwwwwwwww b",
        ] {
            let position: Position = text.parse().unwrap();
            let board = lasca_tb_board::from(&position);
            assert_eq!(board.position().unwrap_or_else(|_| panic!("{text}")), position);
        }
    }

    #[test]
    fn boards_that_are_none_are_refused() {
        let status = |change: &dyn Fn(&mut lasca_tb_board)| {
            let mut board = lasca_tb_board::from(&Position::start());
            change(&mut board);
            board.position().map_err(|failure| failure.status)
        };
        assert_eq!(status(&|_| ()), Ok(Position::start()));
        assert_eq!(status(&|board| board.side_to_move = 2), Err(LASCA_TB_BAD_ARGUMENT));
        assert_eq!(status(&|board| board.side_to_move = 257), Err(LASCA_TB_BAD_ARGUMENT));
        for height in [3, 23, 31, 32, u32::MAX] {
            assert_eq!(
                status(&|board| board.columns[0].height = height),
                Err(LASCA_TB_BAD_POSITION)
            );
        }
        for bits in [2, 1 << 31, u32::MAX] {
            assert_eq!(status(&|board| board.columns[0].black = bits), Err(LASCA_TB_BAD_POSITION));
            assert_eq!(
                status(&|board| board.columns[12].officers = bits),
                Err(LASCA_TB_BAD_POSITION)
            );
        }
        let empty = lasca_tb_board::default();
        assert_eq!(empty.position().map_err(|f| f.status), Err(LASCA_TB_BAD_POSITION));
    }
}
