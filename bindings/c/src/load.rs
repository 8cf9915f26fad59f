//! Loading the values of tables into memory.

use crate::failure::{Failure, guard};
use crate::functions::{material, shared};
use crate::lasca_tb_status;
use crate::options::take;
use crate::{lasca_tb, lasca_tb_load_options, lasca_tb_loaded};
use lasca_tablebase::probe::Load;
use std::ptr::NonNull;

/// Decodes all tables for the rules of the handle, and keeps the values of all their positions in
/// memory. Every answer stays the same, but it comes several times as fast. This is worth its time
/// and memory for a program that asks for many thousands of positions, such as an engine.
///
/// Win, draw or loss takes two bits for each position, up to the symmetries of the board: 87 MB for
/// all tables of up to eight counters. Distances take a byte more for each position: 348 MB for the
/// same tables. Loading these takes some ten seconds of processor time, and forty with distances.
/// It uses all processors.
///
/// If there is a limit, the tables with the fewest positions come first, and of each table win,
/// draw or loss before distances. What does not fit is left out, and answered from the files as
/// before.
///
/// While a table is loaded, each byte of its file is checked against the file's checksums. Other
/// threads can use the handle meanwhile. The memory is freed with the handle. Tables that are
/// loaded already are not loaded again.
///
/// \param tables The open tables.
/// \param options NULL means the default options.
/// \param loaded Receives what is loaded, also if a table cannot be loaded; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_covers() does, with LASCA_TB_MISSING_DTW if distances are
/// wanted and a DTW file is missing, with LASCA_TB_NO_MEMORY, and with
/// LASCA_TB_INCONSISTENT_TABLES, if any table cannot be loaded, or only its win, draw or loss. What
/// is not loaded is answered from the files as before, and all other tables are loaded.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_load(
    tables: *const lasca_tb,
    options: *const lasca_tb_load_options,
    loaded: *mut lasca_tb_loaded,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or options; NULL or a place for the result.
        unsafe { load(tables, Load::default(), options, loaded) }
    })
}

/// Does the same as lasca_tb_load(), for the table of this many white and black counters alone,
/// prisoners included.
///
/// \param tables The open tables.
/// \param white The number of White's counters.
/// \param black The number of Black's counters.
/// \param options NULL means the default options.
/// \param loaded Receives what is loaded, also if a table cannot be loaded; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_load() does.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_load_material(
    tables: *const lasca_tb,
    white: u8,
    black: u8,
    options: *const lasca_tb_load_options,
    loaded: *mut lasca_tb_loaded,
) -> lasca_tb_status {
    guard(|| {
        let load_one = Load::default().with_materials(&[material(white, black)?]);
        // SAFETY: NULL or an open handle; NULL or options; NULL or a place for the result.
        unsafe { load(tables, load_one, options, loaded) }
    })
}

/// Loads tables.
///
/// # Safety
/// `tables` must be NULL or an open handle, `options` NULL or the program's options, and `loaded` NULL or
/// a place for the result.
unsafe fn load(
    tables: *const lasca_tb,
    load: Load,
    options: *const lasca_tb_load_options,
    loaded: *mut lasca_tb_loaded,
) -> Result<(), Failure> {
    // SAFETY: NULL or an open handle, as the caller says.
    let tables = &unsafe { shared(tables, "tables") }?.tables;
    // SAFETY: NULL or options, as the caller says.
    let options = unsafe { take(options) }?;
    let load = load.with_dtw(options.with_dtw != 0).with_limit(options.max_bytes);
    let report = tables.load(&load);
    if let Some(loaded) = NonNull::new(loaded) {
        let result = lasca_tb_loaded {
            bytes: report.bytes,
            wdl: report.wdl.len() as u64,
            dtw: report.dtw.len() as u64,
            left_out: report.left_out.len() as u64,
        };
        // SAFETY: not NULL, so it is a place for the result.
        unsafe { loaded.write(result) };
    }
    report.errors.into_iter().next().map_or(Ok(()), |error| Err(error.into()))
}
