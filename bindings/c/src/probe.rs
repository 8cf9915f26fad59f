//! Looking positions up in tables.

use crate::failure::{Failure, guard};
use crate::lasca_tb_status;
use crate::pointers::{put, put_list, shared};
use crate::{lasca_tb, lasca_tb_move, lasca_tb_position, lasca_tb_value, lasca_tb_wdl};

/// Looks up win, draw or loss of a position, for the side to move. This needs only the WDL file of
/// the table, and allocates memory only when it reads a new block of the table. A position in which a
/// side commands no column is over, and the other side has won. It needs no table, and may have any
/// columns.
///
/// \param tables The open tables.
/// \param position The position.
/// \param wdl Receives win, draw or loss.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT or
/// LASCA_TB_NOT_A_POSITION if the position is none; with LASCA_TB_NOT_COVERED if no open table covers
/// it, where lasca_tb_covers() tells what the tables cover; and with LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE as
/// lasca_tb_covers() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_wdl(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    wdl: *mut lasca_tb_wdl,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (handle, position) = (shared(tables, "tables")?, shared(position, "position")?);
        let tables = &handle.tables;
        let found = match handle.officers(position)? {
            Some(officers) => tables.try_officers_wdl(&officers)?,
            // The game is over, or there is a reason to refuse the position.
            None => tables.try_wdl(&position.position()?)?,
        };
        put(wdl, "wdl", found.ok_or_else(Failure::not_covered)?.into())
    })
}

/// Looks up the value of a position with its distance, for the side to move. This needs both files
/// of the table, WDL and DTW, unless a side commands no column.
///
/// \param tables The open tables.
/// \param position The position.
/// \param value Receives the value.
/// \return LASCA_TB_OK. Fails as lasca_tb_probe_wdl() does; with LASCA_TB_NO_DISTANCES if the DTW
/// file is missing; and with LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if it is damaged or
/// cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_dtw(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    value: *mut lasca_tb_value,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (handle, position) = (shared(tables, "tables")?, shared(position, "position")?);
        let found = match handle.officers(position)? {
            Some(officers) => handle.tables.officers_value(&officers)?,
            None => {
                let found = handle.tables.try_value(&position.position()?)?;
                found.ok_or_else(Failure::not_covered)?
            }
        };
        put(value, "value", lasca_tb_value::known(found.into(), position.side()?))
    })
}

/// Lists all legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
/// quick losses. Moves of equal value are in the order of their squares. The list is empty if the
/// game is over. Otherwise this needs both files of the table, WDL and DTW.
///
/// \param tables The open tables.
/// \param position The position.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL and LASCA_TB_TOO_MANY_MOVES as
/// lasca_tb_legal_moves() does; with LASCA_TB_OTHER_RULES as lasca_tb_covers() does; and otherwise as
/// lasca_tb_probe_dtw() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_moves(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let found = tables.moves(&position.position()?)?;
        put_list(found.into_iter().map(Into::into), moves, capacity, count)
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
/// \return LASCA_TB_OK. Fails as lasca_tb_moves() does, and with LASCA_TB_INCONSISTENT if
/// the winning side makes no progress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_line(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let line = tables.best_line(&position.position()?)?;
        put_list(line.moves.into_iter().map(Into::into), moves, capacity, count)
    })
}
