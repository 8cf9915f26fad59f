//! The functions of the header.

use crate::failure::{self, Failure, guard};
use crate::lasca_tb_status::{self, *};
use crate::options::take;
use crate::types::line_end_symbol;
use crate::{
    LASCA_TB_ABI_VERSION, lasca_tb, lasca_tb_line_end, lasca_tb_move, lasca_tb_options,
    lasca_tb_position, lasca_tb_value, lasca_tb_wdl,
};
use lasca_tablebase::index::{Material, MaterialError};
use lasca_tablebase::notation::{MoveNumber, numbered};
use lasca_tablebase::probe::{Line, LineEnd, RatedMove, Tablebase};
use lasca_tablebase::rules::{OfficerPosition, Position};
use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Arc;

/// Returns the version of the library's interface. A program should compare it with the
/// LASCA_TB_ABI_VERSION that it was compiled with.
///
/// \return The LASCA_TB_ABI_VERSION of the library.
///
/// \ingroup general
#[unsafe(no_mangle)]
pub extern "C" fn lasca_tb_abi_version() -> u32 {
    LASCA_TB_ABI_VERSION
}

/// Returns the version of the library as text, such as "1.2.3". The text lives as long as the
/// library.
///
/// \return The version.
///
/// \ingroup general
#[unsafe(no_mangle)]
pub extern "C" fn lasca_tb_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns a short description of a lasca_tb_status, or "an unknown status" for any other number.
/// The text lives as long as the library.
///
/// \param status A lasca_tb_status, or any other number.
/// \return The description.
///
/// \ingroup general
#[unsafe(no_mangle)]
pub extern "C" fn lasca_tb_status_message(status: i32) -> *const c_char {
    failure::status_message(status).as_ptr()
}

/// Returns the error of the last call that failed in this thread: what was expected, what was
/// found, and where. The text is empty if no call has failed. Calls that succeed do not change it.
/// It is UTF-8, and the pointer is never NULL.
///
/// The text belongs to the library. It lives until another call fails in this thread, or until the
/// thread ends.
///
/// \return The error.
///
/// \ingroup general
#[unsafe(no_mangle)]
pub extern "C" fn lasca_tb_last_error() -> *const c_char {
    failure::last_error()
}

/// Opens the tables in one or more folders. If several folders hold the same table, one with
/// distances is used rather than one without. Of several such tables, the one that covers the most
/// columns is used, or the first of these. The files of a table are opened when it is first needed.
///
/// \param folders The paths, as the system writes them (UTF-8 on Windows). They are copied.
/// \param folder_count How many paths there are, at least one.
/// \param options NULL means the default options.
/// \param opened Receives the handle. It belongs to the caller, who must pass it to lasca_tb_free()
/// in the end.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if there is no folder or an option is not
/// one of the allowed values, and with LASCA_TB_UNREADABLE if a folder cannot be read.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_open(
    folders: *const *const c_char,
    folder_count: usize,
    options: *const lasca_tb_options,
    opened: *mut *mut lasca_tb,
) -> lasca_tb_status {
    guard(|| {
        let opened = place(opened, "opened")?;
        // SAFETY: NULL, or the caller's options, as the header asks.
        let (rules, options) = unsafe { take(options) }?.read()?;
        if folder_count == 0 {
            let message = "expected at least one folder, found none";
            return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
        }
        let folders = place(folders.cast_mut(), "folders")?;
        let folders = (0..folder_count)
            .map(|i| {
                // SAFETY: there are `folder_count` pointers, each NULL or to a text.
                unsafe { path(folders.add(i).read()) }
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut tables = Tablebase::with_options(rules, options);
        for folder in folders {
            tables.add_directory(folder)?;
        }
        let handle = Box::into_raw(Box::new(lasca_tb { tables: Arc::new(tables) }));
        // SAFETY: `opened` is a place for a pointer.
        unsafe { opened.write(handle) };
        Ok(())
    })
}

/// Closes tables and frees their memory. No other thread may use them any more. If tables is NULL,
/// nothing happens.
///
/// \param tables The tables, or NULL.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_free(tables: *mut lasca_tb) {
    guard(|| {
        if !tables.is_null() {
            // SAFETY: the handle came from `lasca_tb_open`, and is not used any more.
            drop(unsafe { Box::from_raw(tables) });
        }
        Ok(())
    });
}

/// Checks whether win, draw or loss is known for positions with this many white and black counters,
/// prisoners included. Returns LASCA_TB_OK if the WDL file of their table is there and can be
/// opened. The DTW file does not matter; lasca_tb_covers_dtw() checks whether distances are known
/// as well. An engine can call this once for each material, and then probe only what is there. The
/// table may be bounded: lasca_tb_max_columns() tells how many columns a position may have.
///
/// \param tables The open tables.
/// \param white The number of White's counters.
/// \param black The number of Black's counters.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if a side has
/// no counters; with LASCA_TB_TOO_MANY_COUNTERS if both sides together have more than 22; with
/// LASCA_TB_MISSING_TABLE if no folder has the table; with LASCA_TB_OTHER_RULES if a folder has it,
/// but only for other rules; and with LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or
/// LASCA_TB_UNREADABLE if the WDL file holds another table than its name says, is damaged, or
/// cannot be read.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_covers(
    tables: *const lasca_tb,
    white: u8,
    black: u8,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let tables = unsafe { shared(tables, "tables") }?;
        Ok(tables.tables.extent(material(white, black)?).map(|_| ())?)
    })
}

/// Writes the column bound of the table for this many white and black counters: the greatest number
/// of columns, both sides together, of the positions that it covers. Writes 0 if it covers all
/// positions with these counters. No move makes the number of columns greater.
///
/// \param tables The open tables.
/// \param white The number of White's counters.
/// \param black The number of Black's counters.
/// \param max_columns Receives the column bound, or 0.
/// \return LASCA_TB_OK. Fails as lasca_tb_covers() does, and with LASCA_TB_NULL_POINTER.
/// max_columns is written only if the call succeeds.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_max_columns(
    tables: *const lasca_tb,
    white: u8,
    black: u8,
    max_columns: *mut u8,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let tables = &unsafe { shared(tables, "tables") }?.tables;
        let place = place(max_columns, "max_columns")?;
        let extent = tables.extent(material(white, black)?)?;
        // SAFETY: not NULL, and the caller gives room for a number.
        unsafe { place.write(extent.max_columns().unwrap_or(0) as u8) };
        Ok(())
    })
}

/// Checks whether distances and best moves are known for positions with this many white and black
/// counters, prisoners included. Returns LASCA_TB_OK if both files of their table are there and can
/// be opened.
///
/// \param tables The open tables.
/// \param white The number of White's counters.
/// \param black The number of Black's counters.
/// \return LASCA_TB_OK. Fails as lasca_tb_covers() does, for either file; and with
/// LASCA_TB_MISSING_DTW if the DTW file is missing.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_covers_dtw(
    tables: *const lasca_tb,
    white: u8,
    black: u8,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let tables = &unsafe { shared(tables, "tables") }?.tables;
        Ok(tables.extent_with_distances(material(white, black)?).map(|_| ())?)
    })
}

/// Looks up win, draw or loss of a position, for the side to move. This needs only the WDL file of
/// the table. A position in which a side commands no column is over, and the other side has won. It
/// needs no table, and may have up to 22 counters.
///
/// \param tables The open tables.
/// \param position The position.
/// \param wdl Receives win, draw or loss.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if
/// side_to_move or a commander is not a lasca_tb_color; with LASCA_TB_BAD_POSITION if the columns
/// are not a position; and with LASCA_TB_TOO_MANY_COUNTERS, LASCA_TB_MISSING_TABLE,
/// LASCA_TB_OTHER_RULES, LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE as
/// lasca_tb_covers() does; and with LASCA_TB_BEYOND_COLUMNS if the table is bounded and the
/// position has more columns. wdl is written only if the call succeeds.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_wdl(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    wdl: *mut lasca_tb_wdl,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a position.
        let (tables, position) =
            unsafe { (shared(tables, "tables")?, shared(position, "position")?) };
        let wdl = place(wdl, "wdl")?;
        let (officers, _) = position.officers()?;
        let found = tables.tables.officers_wdl(&officers)?;
        // SAFETY: `wdl` is a place for the result.
        unsafe { wdl.write(found.into()) };
        Ok(())
    })
}

/// Looks up the value of a position with its distance, for the side to move. This needs both files
/// of the table, WDL and DTW, unless a side commands no column.
///
/// \param tables The open tables.
/// \param position The position.
/// \param value Receives the value.
/// \return LASCA_TB_OK. Fails as lasca_tb_probe_wdl() does; with LASCA_TB_MISSING_DTW if the DTW
/// file is missing; and with LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if it is damaged or
/// cannot be read. value is written only if the call succeeds.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_dtw(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    value: *mut lasca_tb_value,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a position.
        let (tables, position) =
            unsafe { (shared(tables, "tables")?, shared(position, "position")?) };
        let value = place(value, "value")?;
        let (officers, _) = position.officers()?;
        let found = tables.tables.officers_value(&officers)?;
        // SAFETY: `value` is a place for the result.
        unsafe { value.write(found.into()) };
        Ok(())
    })
}

/// Lists all legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
/// quick losses. Moves of equal value are in the order of their squares. The list is empty if the
/// game is over. Otherwise this needs both files of the table, WDL and DTW.
///
/// If there are more than capacity, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and writes only
/// count. The number of moves has no useful limit: call with a buffer for 64 moves, for example,
/// and again with a larger one if that was too small.
///
/// \param tables The open tables.
/// \param position The position.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Otherwise fails as lasca_tb_probe_dtw() does.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_moves(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a position.
        let (tables, position) =
            unsafe { (shared(tables, "tables")?, shared(position, "position")?) };
        let found = rated_moves(&tables.tables, &position.position()?)?;
        // SAFETY: the buffer has room for `capacity` moves, `count` for a number.
        unsafe { fill(&found, moves, capacity, count) }
    })
}

/// Finds the best move: it wins soonest, or draws, or loses latest. It is the first move that
/// lasca_tb_moves() lists. This needs both files of the table, WDL and DTW.
///
/// \param tables The open tables.
/// \param position The position.
/// \param best Receives the best move.
/// \return LASCA_TB_OK. Fails with LASCA_TB_GAME_OVER if there is no move, and otherwise as
/// lasca_tb_probe_dtw() does. best is written only if the call succeeds.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_move(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    best: *mut lasca_tb_move,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a position.
        let (tables, position) =
            unsafe { (shared(tables, "tables")?, shared(position, "position")?) };
        let best = place(best, "best")?;
        let found = first_move(&tables.tables, &position.position()?)?;
        // SAFETY: `best` is a place for a move.
        unsafe { best.write(found) };
        Ok(())
    })
}

/// Lists the moves of best play: to the end of the game if a side wins, and to the first repetition
/// if the position is drawn. The distance of each move counts from the position before that move.
/// The list is empty if the game is over. This needs both files of the table, WDL and DTW, unless a
/// side commands no column.
///
/// If a side wins, the number of moves is the dtw of the position.
///
/// \param tables The open tables.
/// \param position The position.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \param end Receives how the line ends; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_moves() does, and with LASCA_TB_INCONSISTENT_TABLES if
/// the winning side makes no progress.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_line(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
    end: *mut lasca_tb_line_end,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a position.
        let (tables, position) =
            unsafe { (shared(tables, "tables")?, shared(position, "position")?) };
        let line = tables.tables.best_line(&position.position()?)?;
        // SAFETY: the buffer has room for `capacity` moves, `count` for a number; `end` is NULL or a place
        // for a result.
        unsafe { write_best_line(&line, (moves, capacity, count), end) }
    })
}

/// Does the same as lasca_tb_probe_wdl(), for a position as text, such as "a1WWW b2BBB w".
///
/// If the game is over because a side commands no column, the columns may be of any kind. They may
/// have soldiers, and they may be columns that officers cannot build.
///
/// \param tables The open tables.
/// \param text The position as text that ends with NUL.
/// \param wdl Receives win, draw or loss.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_UTF8 or
/// LASCA_TB_BAD_TEXT if the text is not a position; with LASCA_TB_SOLDIER or
/// LASCA_TB_UNREACHABLE_COLUMN if no table covers it; and with LASCA_TB_TOO_MANY_COUNTERS,
/// LASCA_TB_MISSING_TABLE, LASCA_TB_BEYOND_COLUMNS, LASCA_TB_OTHER_RULES, LASCA_TB_WRONG_TABLE,
/// LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE as lasca_tb_probe_wdl() does.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_wdl_text(
    tables: *const lasca_tb,
    text: *const c_char,
    wdl: *mut lasca_tb_wdl,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a text.
        let (tables, position) = unsafe { (shared(tables, "tables")?, read_position(text)?) };
        let wdl = place(wdl, "wdl")?;
        let found = tables.tables.wdl(&position)?;
        // SAFETY: `wdl` is a place for the result.
        unsafe { wdl.write(found.into()) };
        Ok(())
    })
}

/// Does the same as lasca_tb_probe_dtw(), for a position as text.
///
/// \param tables The open tables.
/// \param text The position as text that ends with NUL.
/// \param value Receives the value.
/// \return LASCA_TB_OK. Fails as lasca_tb_probe_wdl_text() does, and with LASCA_TB_MISSING_DTW if
/// the DTW file of the table is missing.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_dtw_text(
    tables: *const lasca_tb,
    text: *const c_char,
    value: *mut lasca_tb_value,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a text.
        let (tables, position) = unsafe { (shared(tables, "tables")?, read_position(text)?) };
        let value = place(value, "value")?;
        let found = tables.tables.value(&position)?;
        // SAFETY: `value` is a place for the result.
        unsafe { value.write(found.into()) };
        Ok(())
    })
}

/// Does the same as lasca_tb_moves(), for a position as text. If the game is over because a side
/// commands no column, the list is empty, and the columns may be of any kind.
///
/// \param tables The open tables.
/// \param text The position as text that ends with NUL.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, and
/// otherwise as lasca_tb_probe_dtw_text() does.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_moves_text(
    tables: *const lasca_tb,
    text: *const c_char,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a text.
        let (tables, position) = unsafe { (shared(tables, "tables")?, read_position(text)?) };
        let found = rated_moves(&tables.tables, &position)?;
        // SAFETY: the buffer has room for `capacity` moves, `count` for a number.
        unsafe { fill(&found, moves, capacity, count) }
    })
}

/// Does the same as lasca_tb_best_move(), for a position as text.
///
/// \param tables The open tables.
/// \param text The position as text that ends with NUL.
/// \param best Receives the best move.
/// \return LASCA_TB_OK. Fails with LASCA_TB_GAME_OVER if there is no move, and otherwise as
/// lasca_tb_probe_dtw_text() does.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_move_text(
    tables: *const lasca_tb,
    text: *const c_char,
    best: *mut lasca_tb_move,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a text.
        let (tables, position) = unsafe { (shared(tables, "tables")?, read_position(text)?) };
        let best = place(best, "best")?;
        let found = first_move(&tables.tables, &position)?;
        // SAFETY: `best` is a place for a move.
        unsafe { best.write(found) };
        Ok(())
    })
}

/// Does the same as lasca_tb_best_line(), for a position as text. lasca_tb_line_to_text() then
/// writes the line as text. If the game is over because a side commands no column, the line is
/// empty, and the columns may be of any kind.
///
/// \param tables The open tables.
/// \param text The position as text that ends with NUL.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \param end Receives how the line ends; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, and
/// otherwise as lasca_tb_probe_dtw_text() does.
///
/// \ingroup probing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_line_text(
    tables: *const lasca_tb,
    text: *const c_char,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
    end: *mut lasca_tb_line_end,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a text.
        let (tables, position) = unsafe { (shared(tables, "tables")?, read_position(text)?) };
        let line = tables.tables.best_line(&position)?;
        // SAFETY: the buffer has room for `capacity` moves, `count` for a number; `end` is NULL or a place
        // for a result.
        unsafe { write_best_line(&line, (moves, capacity, count), end) }
    })
}

/// Reads a position of officers from text. The text has the columns and then the side to move, as
/// in "a1WWW b2BBB w", or the squares row by row from row 7 down. This needs no tables.
///
/// \param text The position as text that ends with NUL.
/// \param position Receives the position.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, LASCA_TB_BAD_UTF8, LASCA_TB_BAD_TEXT,
/// LASCA_TB_SOLDIER or LASCA_TB_UNREACHABLE_COLUMN. position is written only if the call succeeds.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_position_from_text(
    text: *const c_char,
    position: *mut lasca_tb_position,
) -> lasca_tb_status {
    guard(|| {
        let place = place(position, "position")?;
        // SAFETY: NULL or a text.
        let read = unsafe { read_position(text) }?;
        let packed = lasca_tb_position::try_from(&read)?;
        // SAFETY: `place` is a place for a position.
        unsafe { place.write(packed) };
        Ok(())
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
/// side_to_move or a commander is not a lasca_tb_color; or with LASCA_TB_BAD_POSITION if the
/// columns are not a position.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_position_to_text(
    position: *const lasca_tb_position,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or a position.
        let text = unsafe { shared(position, "position") }?.position()?.to_string();
        // SAFETY: the buffer has `size` bytes, `needed` is NULL or a place for a number.
        unsafe { write_text(&text, buffer, size, needed) }
    })
}

/// Writes a move as text that ends with NUL, such as "c3-d4" or "a1-b2BB-c3WWWB".
/// LASCA_TB_MOVE_TEXT_SIZE bytes are always enough. The function reads the fields squares,
/// square_count and after, but not value.
///
/// \param played The move.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the squares are not those of a move,
/// and otherwise as lasca_tb_position_to_text() does for the position after the move.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_move_to_text(
    played: *const lasca_tb_move,
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

/// Writes the moves of a line as text that ends with NUL, with the numbers of the moves and how the
/// line ends: "1. b2-c3 d4-e5 2. c3-d4 1-0". The first move is number 1, and Black's if it is "1...
/// d4-e5". At the end stands "1-0" if White wins, "0-1" if Black wins, "1/2" for a repetition, and
/// nothing for LASCA_TB_LINE_OPEN. There is no limit of the size: call with size 0 to learn it.
///
/// \param moves The moves; it may be NULL if count is 0.
/// \param count How many moves there are.
/// \param end How the line ends: a lasca_tb_line_end.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_position_to_text() does;
/// with LASCA_TB_BAD_ARGUMENT if end is not a lasca_tb_line_end; and as lasca_tb_move_to_text()
/// does for each move.
///
/// \ingroup positions
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_line_to_text(
    moves: *const lasca_tb_move,
    count: usize,
    end: i32,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or `count` moves.
        let moves = unsafe { list(moves, count, "moves") }?;
        let after = |played: &lasca_tb_move| played.after.position();
        let text = line_text(moves, lasca_tb_move::text, after, end)?;
        // SAFETY: the buffer has `size` bytes, `needed` is NULL or a place for a number.
        unsafe { write_text(&text, buffer, size, needed) }
    })
}

/// The moves of a line with their numbers, and how it ends. `text` writes a move, and `after` is the
/// position after it.
pub(crate) fn line_text<T>(
    moves: &[T],
    text: fn(&T) -> Result<String, Failure>,
    after: fn(&T) -> Result<Position, Failure>,
    end: i32,
) -> Result<String, Failure> {
    let end = line_end_symbol(end)?;
    let Some(first) = moves.first() else { return Ok(end.to_owned()) };
    let number = MoveNumber::first(!after(first)?.side_to_move());
    let texts = moves.iter().map(text).collect::<Result<Vec<String>, Failure>>()?;
    Ok(format!("{} {end}", numbered(number, texts)).trim_end().to_owned())
}

/// The value that a pointer from C points to.
///
/// # Safety
/// The pointer is NULL, or what it points to is there and is not written to for as long as `'a`.
pub(crate) unsafe fn shared<'a, T>(
    pointer: *const T,
    name: &'static str,
) -> Result<&'a T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::null(name))
}

/// The values that a pointer from C points to; it may be NULL if there are none.
///
/// # Safety
/// The pointer is NULL, or there are so many values, which are not written to for as long as `'a`.
pub(crate) unsafe fn list<'a, T>(
    pointer: *const T,
    count: usize,
    name: &'static str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    let first = place(pointer.cast_mut(), name)?;
    // SAFETY: as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(first.as_ptr(), count) })
}

/// A place for a result, or a buffer, if it is not NULL.
pub(crate) fn place<T>(pointer: *mut T, name: &'static str) -> Result<NonNull<T>, Failure> {
    NonNull::new(pointer).ok_or_else(|| Failure::null(name))
}

/// The material of this many white and black counters.
pub(crate) fn material(white: u8, black: u8) -> Result<Material, Failure> {
    Material::new(white.into(), black.into()).map_err(|error| {
        let status = match error {
            MaterialError::TooManyCounters { .. } => LASCA_TB_TOO_MANY_COUNTERS,
            _ => LASCA_TB_BAD_ARGUMENT,
        };
        Failure::new(status, error)
    })
}

/// The path that a text from C names.
///
/// # Safety
/// The pointer is NULL or to a text that ends with NUL.
unsafe fn path(text: *const c_char) -> Result<PathBuf, Failure> {
    let text = place(text.cast_mut(), "folder")?;
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) };
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(text.to_bytes()).into())
    }
    #[cfg(not(unix))]
    {
        text.to_str().map(PathBuf::from).map_err(not_utf8)
    }
}

fn not_utf8(error: std::str::Utf8Error) -> Failure {
    Failure::new(LASCA_TB_BAD_UTF8, format!("expected UTF-8 text, found other bytes: {error}"))
}

/// Reads a position from a text from C.
///
/// # Safety
/// The pointer is NULL or to a text that ends with NUL.
pub(crate) unsafe fn read_position(text: *const c_char) -> Result<Position, Failure> {
    let text = place(text.cast_mut(), "text")?;
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) };
    Ok(text.to_str().map_err(not_utf8)?.parse::<Position>()?)
}

/// All legal moves with their values.
fn rated_moves(tables: &Tablebase, position: &Position) -> Result<Vec<RatedMove>, Failure> {
    // If the side to move is blocked, there is no move after which the check could fail.
    if position.both_command() {
        OfficerPosition::try_from(position)?;
    }
    Ok(tables.moves(position)?)
}

fn first_move(tables: &Tablebase, position: &Position) -> Result<lasca_tb_move, Failure> {
    let moves = rated_moves(tables, position)?;
    let best = moves.first().ok_or_else(|| {
        Failure::new(
            LASCA_TB_GAME_OVER,
            "expected a position with a legal move, but the game is over",
        )
    })?;
    Ok(lasca_tb_move::of(best)?)
}

/// Writes moves to a buffer of the caller.
///
/// # Safety
/// `moves` is NULL or has room for `capacity` moves; `count` is NULL or a place for a number.
unsafe fn fill(
    found: &[RatedMove],
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    place(count, "count")?;
    let found = found.iter().map(lasca_tb_move::of).collect::<Result<Vec<_>, _>>()?;
    // SAFETY: as the caller promises.
    unsafe { write_moves(found, moves, capacity, count) }
}

/// Writes moves of any kind to a buffer of the caller.
///
/// # Safety
/// `moves` is NULL or has room for `capacity` moves; `count` is NULL or a place for a number.
pub(crate) unsafe fn write_moves<T>(
    found: Vec<T>,
    moves: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    let count = place(count, "count")?;
    if capacity > 0 {
        place(moves, "moves")?;
    }
    // SAFETY: a place for a number.
    unsafe { count.write(found.len()) };
    if found.len() > capacity {
        return Err(too_small("moves", found.len(), capacity));
    }
    for (i, item) in found.into_iter().enumerate() {
        // SAFETY: `i` is below `capacity`, so the buffer is not NULL and has room.
        unsafe { moves.add(i).write(item) };
    }
    Ok(())
}

/// Writes a line of best play.
///
/// # Safety
/// As [`write_line`].
unsafe fn write_best_line(
    line: &Line,
    (moves, capacity, count): (*mut lasca_tb_move, usize, *mut usize),
    end: *mut lasca_tb_line_end,
) -> Result<(), Failure> {
    place(count, "count")?;
    let found = line.moves.iter().map(lasca_tb_move::of).collect::<Result<Vec<_>, _>>()?;
    // SAFETY: as the caller promises.
    unsafe { write_line(found, (moves, capacity, count), (Some(line.end), end)) }
}

/// Writes a line of moves of any kind, and how it ends.
///
/// # Safety
/// `moves` is NULL or has room for `capacity` moves; `count` is NULL or a place for a number; `end` is NULL
/// or a place for a result.
pub(crate) unsafe fn write_line<T>(
    found: Vec<T>,
    (moves, capacity, count): (*mut T, usize, *mut usize),
    (found_end, end): (Option<LineEnd>, *mut lasca_tb_line_end),
) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    unsafe { write_moves(found, moves, capacity, count) }?;
    if let Some(end) = NonNull::new(end) {
        // SAFETY: a place for a result.
        unsafe { end.write(found_end.into()) };
    }
    Ok(())
}

/// Writes a text and a NUL to a buffer of the caller.
///
/// # Safety
/// As [`write_bytes`].
pub(crate) unsafe fn write_text(
    text: &str,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    unsafe { write_bytes(text.as_bytes(), buffer, size, needed) }
}

/// Writes the bytes of a text and a NUL to a buffer of the caller.
///
/// # Safety
/// `buffer` is NULL or has `size` bytes; `needed` is NULL or a place for a number.
pub(crate) unsafe fn write_bytes(
    text: &[u8],
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Result<(), Failure> {
    if size > 0 {
        place(buffer, "buffer")?;
    }
    let bytes = text.len() + 1;
    if let Some(needed) = NonNull::new(needed) {
        // SAFETY: a place for a number.
        unsafe { needed.write(bytes) };
    }
    if bytes > size {
        return Err(too_small("bytes", bytes, size));
    }
    // SAFETY: the buffer has room for the text and the NUL after it, and is not part of `text`,
    // which was made in this call.
    unsafe {
        buffer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

fn too_small(what: &str, needed: usize, found: usize) -> Failure {
    let message = format!("expected room for {needed} {what}, found room for {found}");
    Failure::new(LASCA_TB_BUFFER_TOO_SMALL, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LASCA_TB_MOVE_TEXT_SIZE, LASCA_TB_POSITION_TEXT_SIZE};
    use lasca_tablebase::rules::Square;

    #[test]
    fn the_sizes_of_texts_are_enough() {
        // 22 counters on as many squares, and the side to move.
        const { assert!(22 * (2 + 1 + 1) + 1 < LASCA_TB_POSITION_TEXT_SIZE) };
        // 43 squares with hyphens between them, and 22 counters.
        const { assert!(43 * 2 + 42 + 22 < LASCA_TB_MOVE_TEXT_SIZE) };
        let mut position = lasca_tb_position::default();
        for square in Square::all().take(22) {
            position.columns[square.index()].own = 1;
        }
        let mut buffer = [0; LASCA_TB_POSITION_TEXT_SIZE];
        let mut needed = 0;
        // SAFETY: a position, a buffer with its size, and a place for a number.
        let status = unsafe {
            lasca_tb_position_to_text(&position, buffer.as_mut_ptr(), buffer.len(), &mut needed)
        };
        assert_eq!((status, needed), (LASCA_TB_OK, 22 * 4 + 2));
    }
}
