//! Looking positions up in tables.

use crate::failure::guard;
use crate::lasca_tb_status;
use crate::pointers::{offer, put, put_list, shared};
use crate::{
    lasca_tb, lasca_tb_line_end, lasca_tb_move, lasca_tb_position, lasca_tb_value, lasca_tb_wdl,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_wdl(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    wdl: *mut lasca_tb_wdl,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let found = match position.officers() {
            Some(officers) => tables.officers_wdl(&officers)?,
            // The game is over, or there is a reason to refuse the position.
            None => tables.wdl(&position.position()?)?,
        };
        put(wdl, "wdl", found.into())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_probe_dtw(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    value: *mut lasca_tb_value,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let found = match position.officers() {
            Some(officers) => tables.officers_value(&officers)?,
            None => tables.value(&position.position()?)?,
        };
        put(value, "value", lasca_tb_value::known(found.into(), position.side()?))
    })
}

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

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_line(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
    end: *mut lasca_tb_line_end,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let line = tables.best_line(&position.position()?)?;
        put_list(line.moves.into_iter().map(Into::into), moves, capacity, count)?;
        offer(end, line.end.into());
        Ok(())
    })
}
