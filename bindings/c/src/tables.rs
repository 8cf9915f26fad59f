//! Opening, listing and loading tables.

use crate::failure::{Failure, guard, one_of};
use crate::lasca_tb_status::{self, *};
use crate::pointers::{bytes, list, offer, place, put, put_text, shared};
use crate::sized::{give, take};
use crate::{LASCA_TB_NO_DTW, LASCA_TB_SQUARES, assert_layout, plies_or_none};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::probe::{Load, Options, ProbeError, TableEntry, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{Access, FileKind};
#[cfg(unix)]
use std::ffi::OsStr;
use std::ffi::c_char;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;

pub struct lasca_tb {
    /// A search keeps the tables when the handle is freed.
    pub(crate) tables: Tablebase,
}

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_rules {
    LASCA_TB_RULES_LASCA = 0,
    LASCA_TB_RULES_BIGNOR = 1,
    LASCA_TB_RULES_REJUMP = 2,
}

/// The rule set of this number.
pub(crate) fn read_rules(number: i32) -> Result<RuleSet, Failure> {
    one_of(&RuleSet::ALL, number, "lasca_tb_rules")
}

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_access {
    LASCA_TB_AUTOMATIC = 0,
    LASCA_TB_MAPPED = 1,
    LASCA_TB_PRIVATE = 2,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_options {
    pub size: u32,
    pub rules: i32,
    pub cache_bytes: u64,
    pub access: i32,
    pub reserved: u32,
}

assert_layout!(grows from 24, lasca_tb_options: 24, aligned to 8;
    size at 0, rules at 4, cache_bytes at 8, access at 16, reserved at 20);

impl lasca_tb_options {
    fn read(&self) -> Result<Options, Failure> {
        let rules = read_rules(self.rules)?;
        let known = [Access::Automatic, Access::Mapped, Access::Private];
        let access = one_of(&known, self.access, "lasca_tb_access")?;
        if self.reserved != 0 {
            let message = format!("expected 0 as reserved, found {}", self.reserved);
            return Err(Failure::bad_argument(message));
        }
        let options = Tablebase::options(rules).access(access);
        Ok(if self.cache_bytes == 0 { options } else { options.cache(self.cache_bytes) })
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_load_options {
    pub size: u32,
    pub with_dtw: u32,
    pub max_bytes: u64,
    pub white: u8,
    pub black: u8,
    pub reserved: [u8; 6],
}

assert_layout!(grows from 24, lasca_tb_load_options: 24, aligned to 8;
    size at 0, with_dtw at 4, max_bytes at 8, white at 16, black at 17, reserved at 18);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_loaded {
    pub bytes: u64,
    pub wdl: u64,
    pub dtw: u64,
    pub left_out: u64,
}

assert_layout!(lasca_tb_loaded: 32, aligned to 8; bytes at 0, wdl at 8, dtw at 16, left_out at 24);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_table {
    pub size: u32,
    pub rules: i32,
    pub positions: u64,
    pub bytes: u64,
    pub max_dtw: i32,
    pub white: u8,
    pub black: u8,
    pub max_columns: u8,
    pub has_dtw: u8,
}

assert_layout!(grows from 32, lasca_tb_table: 32, aligned to 8;
    size at 0, rules at 4, positions at 8, bytes at 16, max_dtw at 24,
    white at 28, black at 29, max_columns at 30, has_dtw at 31);

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_file {
    LASCA_TB_WDL_FILE = 0,
    LASCA_TB_DTW_FILE = 1,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_open(
    folders: *const *const c_char,
    folder_count: usize,
    options: *const lasca_tb_options,
    opened: *mut *mut lasca_tb,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        place(opened, "opened")?;
        let options = take(options)?.read()?;
        let mut tables = options.empty();
        for &folder in list(folders, folder_count, "folders")? {
            let path = bytes(folder, "folder")?;
            #[cfg(unix)]
            let path = OsStr::from_bytes(path);
            #[cfg(not(unix))]
            let path = crate::pointers::utf8(path)?;
            tables.add_directory(path).map_err(Failure::of(LASCA_TB_UNREADABLE))?;
        }
        put(opened, "opened", Box::into_raw(Box::new(lasca_tb { tables })))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_add_included(tables: *mut lasca_tb) -> lasca_tb_status {
    // SAFETY: as the header asks; no other thread uses the handle.
    guard(|| unsafe {
        let tables = place(tables, "tables")?.as_mut();
        #[cfg(feature = "included")]
        tables.tables.add_included();
        #[cfg(not(feature = "included"))]
        let _ = tables;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_free(tables: *mut lasca_tb) {
    // SAFETY: the handle is NULL or came from `lasca_tb_open`, and is not used any more.
    guard(|| unsafe {
        drop((!tables.is_null()).then(|| Box::from_raw(tables)));
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_covers(
    tables: *const lasca_tb,
    white: u8,
    black: u8,
    max_columns: *mut u8,
    has_dtw: *mut u8,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let tables = &shared(tables, "tables")?.tables;
        let material = material(white, black)?;
        let extent = tables.extent(material)?;
        if !has_dtw.is_null() {
            let has = match tables.extent_with_distances(material) {
                Err(ProbeError::MissingDtw { .. }) => false,
                found => found.map(|_| true)?,
            };
            offer(has_dtw, has.into());
        }
        offer(max_columns, columns_of(extent));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_load(
    tables: *const lasca_tb,
    options: *const lasca_tb_load_options,
    loaded: *mut lasca_tb_loaded,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let tables = &shared(tables, "tables")?.tables;
        let options = take(options)?;
        if options.reserved != [0; 6] {
            return Err(Failure::bad_argument("expected 0 as reserved, found another value"));
        }
        let mut load = Load { dtw: options.with_dtw != 0, ..Load::default() };
        if options.max_bytes != 0 {
            load.limit = options.max_bytes;
        }
        if (options.white, options.black) != (0, 0) {
            load.materials = Some(vec![material(options.white, options.black)?]);
        }
        let report = tables.load(&load);
        offer(
            loaded,
            lasca_tb_loaded {
                bytes: report.bytes,
                wdl: report.wdl.len() as u64,
                dtw: report.dtw.len() as u64,
                left_out: report.left_out.len() as u64,
            },
        );
        report.errors.into_iter().next().map_or(Ok(()), |error| Err(error.into()))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_table_count(
    tables: *const lasca_tb,
    count: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe { put(count, "count", shared(tables, "tables")?.tables.tables().len()) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_table_at(
    tables: *const lasca_tb,
    index: usize,
    table: *mut lasca_tb_table,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (entry, opened) = entry(file_at(shared(tables, "tables")?, index)?);
        give(entry, table, "table")?;
        opened
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_table_path(
    tables: *const lasca_tb,
    index: usize,
    file: i32,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let of_table = file_at(shared(tables, "tables")?, index)?;
        let kind = one_of(&FileKind::ALL, file, "lasca_tb_file")?;
        // On Windows these bytes are UTF-8 too.
        let path = of_table.path_of(kind).unwrap_or_default().into_os_string().into_encoded_bytes();
        put_text(path, buffer, size, needed)
    })
}

/// The material of this many white and black counters.
fn material(white: u8, black: u8) -> Result<Material, Failure> {
    Ok(Material::new(white.into(), black.into()).map_err(ProbeError::Material)?)
}

/// The greatest number of columns in the positions of a table.
fn columns_of(extent: Extent) -> u8 {
    extent.max_columns().unwrap_or(LASCA_TB_SQUARES) as u8
}

fn file_at(tables: &lasca_tb, index: usize) -> Result<&TableEntry, Failure> {
    let listed = tables.tables.tables();
    listed.get(index).ok_or_else(|| {
        let count = listed.len();
        let message = format!("expected the index of one of {count} tables, found {index}");
        Failure::bad_argument(message)
    })
}

/// What is known of a table, and whether its files can be used.
fn entry(file: &TableEntry) -> (lasca_tb_table, Result<(), Failure>) {
    let mut entry = lasca_tb_table {
        size: 0,
        rules: file.rules().id().into(),
        positions: 0,
        bytes: file.bytes().unwrap_or(0),
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
        entry.max_columns = columns_of(table.extent());
        entry.has_dtw = table.has_dtw().into();
        let longest = table.slices().iter().filter_map(|slice| slice.stats().max_dtw()).max();
        entry.max_dtw = plies_or_none(longest);
    });
    (entry, opened.map_err(Failure::from))
}
