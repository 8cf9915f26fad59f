//! Listing tables.

use crate::failure::{Failure, guard};
use crate::functions::{place, shared, write_bytes};
use crate::lasca_tb_status::{self, *};
use crate::options::give;
use crate::{LASCA_TB_NO_DTW, lasca_tb, lasca_tb_file, lasca_tb_table};
use lasca_tablebase::probe::TableFile;
use lasca_tablebase::table::FileKind;
use std::ffi::c_char;
use std::fs;

/// Counts the tables in the folders of a handle, those for other rules included. Of a table that is
/// in several folders, the one that lasca_tb_open() chooses is counted.
///
/// \param tables The open tables.
/// \param count Receives the number of tables.
/// \return LASCA_TB_OK, or LASCA_TB_NULL_POINTER.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_table_count(
    tables: *const lasca_tb,
    count: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let tables = &unsafe { shared(tables, "tables") }?.tables;
        let count = place(count, "count")?;
        // SAFETY: `count` is a place for a number.
        unsafe { count.write(tables.tables().len()) };
        Ok(())
    })
}

/// Tells what a table holds. The tables are sorted by their rules, then by their number of
/// counters. This reads the headers of the files as they are now.
///
/// If one of the files cannot be used, the call fails, but writes white, black, rules and bytes all
/// the same; the other fields are then 0, and max_dtw is LASCA_TB_NO_DTW. Win, draw or loss is known
/// all the same if only the DTW file cannot be used: lasca_tb_covers() tells.
///
/// \param tables The open tables.
/// \param index The number of the table, from 0 to one less than lasca_tb_table_count() tells.
/// \param table Receives what the table holds.
/// \param table_size The size of the struct, as sizeof tells it.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if there is no table of this index, or
/// table_size is not the size of a lasca_tb_table; and with LASCA_TB_WRONG_TABLE,
/// LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if the files cannot be used.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_table_at(
    tables: *const lasca_tb,
    index: usize,
    table: *mut lasca_tb_table,
    table_size: usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let file = file_at(unsafe { shared(tables, "tables") }?, index)?;
        let (entry, opened) = entry(file);
        // SAFETY: NULL or the program's struct of this size.
        unsafe { give(entry, table, (table_size, "table")) }?;
        opened
    })
}

/// Writes the path of a file of a table, as the system writes it (UTF-8 on Windows), with a NUL at
/// the end. The DTW file need not be there; has_dtw of lasca_tb_table tells.
///
/// \param tables The open tables.
/// \param index The number of the table, from 0 to one less than lasca_tb_table_count() tells.
/// \param file Which of its files: a lasca_tb_file.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if there is no table of this index, or
/// file is not a lasca_tb_file; and with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_position_to_text()
/// does.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_table_path(
    tables: *const lasca_tb,
    index: usize,
    file: i32,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let of_table = file_at(unsafe { shared(tables, "tables") }?, index)?;
        let kind = match file {
            file if file == lasca_tb_file::LASCA_TB_WDL_FILE as i32 => FileKind::Wdl,
            file if file == lasca_tb_file::LASCA_TB_DTW_FILE as i32 => FileKind::Dtw,
            other => {
                let message = format!("expected a lasca_tb_file (0 or 1), found {other}");
                return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
            }
        };
        let path = of_table.path_of(kind);
        #[cfg(unix)]
        let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
        #[cfg(not(unix))]
        let text = path.to_string_lossy();
        #[cfg(not(unix))]
        let bytes = text.as_bytes();
        // SAFETY: the buffer has `size` bytes, `needed` is NULL or a place for a number.
        unsafe { write_bytes(bytes, buffer, size, needed) }
    })
}

fn file_at(tables: &lasca_tb, index: usize) -> Result<&TableFile, Failure> {
    let listed = tables.tables.tables();
    listed.get(index).ok_or_else(|| {
        let count = listed.len();
        let message = format!("expected the index of one of {count} tables, found {index}");
        Failure::new(LASCA_TB_BAD_ARGUMENT, message)
    })
}

/// What is known of a table, and whether its files can be used.
fn entry(file: &TableFile) -> (lasca_tb_table, Result<(), Failure>) {
    let bytes_of = |kind| fs::metadata(file.path_of(kind)).map_or(0, |found| found.len());
    let mut entry = lasca_tb_table {
        size: size_of::<lasca_tb_table>() as u32,
        rules: file.rules().id().into(),
        positions: 0,
        bytes: FileKind::ALL.map(bytes_of).iter().sum(),
        max_dtw: LASCA_TB_NO_DTW,
        // A side has 21 counters at most.
        white: file.material().white() as u8,
        black: file.material().black() as u8,
        max_columns: 0,
        has_dtw: 0,
    };
    // It is closed again at the end of this call, unless the program uses it too.
    let closed = file.closed();
    let opened = closed.table().map(|table| {
        entry.positions = table.positions();
        entry.max_columns = table.extent().max_columns().unwrap_or(0) as u8;
        entry.has_dtw = table.has_dtw().into();
        let longest = table.slices().iter().filter_map(|slice| slice.stats().max_dtw()).max();
        entry.max_dtw = crate::board::plies_or_none(longest);
    });
    (entry, opened.map_err(Failure::from))
}
