//! Opening and loading tables.

use crate::failure::{Failure, guard, one_of};
use crate::lasca_tb_status::{self, *};
use crate::pointers::{bytes, list, offer, or_default, place, put, shared};
use crate::{LASCA_TB_SQUARES, assert_layout, lasca_tb_position};
use lasca_tablebase::Reason;
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{Load, Options, ProbeError, Tablebase};
use lasca_tablebase::rules::{OfficerPosition, RuleSet};
use lasca_tablebase::table::Access;
#[cfg(unix)]
use std::ffi::OsStr;
use std::ffi::c_char;
use std::num::NonZero;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;

/// The open tables of one or more folders, for one rule set. Programs see only pointers to it.
pub struct lasca_tb {
    pub(crate) tables: Tablebase,
}

impl lasca_tb {
    /// The position as one of officers, if there is a table for its counters; `None` if a closer look must tell
    /// whether the game is over.
    ///
    /// # Errors
    /// If it is seen at a glance that the game goes on and no table covers the position. Most positions that
    /// a search of a whole game probes are such.
    pub(crate) fn officers(
        &self,
        position: &lasca_tb_position,
    ) -> Result<Option<OfficerPosition>, Failure> {
        let Some(counters) = position.counters() else { return Ok(None) };
        if position.has_only_officers()
            && self.tables.has_table_of(counters)
            && let Some(officers) = position.officers()
        {
            return Ok(Some(officers));
        }
        match position.goes_on() {
            true => Err(Failure::not_covered()),
            false => Ok(None),
        }
    }
}

/// A rule set. The rule sets differ in how a capture goes on.
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

/// The rule set of this number.
pub(crate) fn read_rules(number: i32) -> Result<RuleSet, Failure> {
    one_of(&[RuleSet::Lasca, RuleSet::Bignor, RuleSet::Rejump], number, "lasca_tb_rules")
}

/// How files of tables are read.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_access {
    /// The default: files of up to 256 MiB are private, and larger ones are mapped.
    LASCA_TB_AUTOMATIC = 0,
    /// Files are mapped into memory. Programs share the memory, and the system can take it back. The
    /// files must not be overwritten or cut short while they are open: a signal may end the process, and
    /// changed bytes may be believed. Replacing a file by another of the same name does no harm.
    LASCA_TB_MAPPED = 1,
    /// A file is read into the program's own memory when something in it is first needed, and stays
    /// there. If it is overwritten or cut short before, what is no longer as it was is LASCA_TB_DAMAGED.
    /// A new handle reads the new file.
    LASCA_TB_PRIVATE = 2,
}

/// How tables are opened. 24 bytes: cache_bytes is at 0, rules at 8, access at 12, included at 16, reserved at 20.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct lasca_tb_options {
    /// The size limit of the cache of decoded blocks in bytes, for all threads together; 0 for 64 MiB.
    pub cache_bytes: u64,
    /// The rule set: a lasca_tb_rules.
    pub rules: i32,
    /// How files are read: a lasca_tb_access.
    pub access: i32,
    /// Whether the tables that are a part of the library are opened too: 0 if not. They are for
    /// LASCA_TB_RULES_LASCA alone, and missing if the library was built without its feature `included`. If a folder
    /// holds such a table too, the one of the library is used.
    pub included: u32,
    /// Not used.
    pub reserved: u32,
}

assert_layout!(lasca_tb_options: 24, aligned to 8;
    cache_bytes at 0, rules at 8, access at 12, included at 16, reserved at 20);

impl lasca_tb_options {
    fn read(&self) -> Result<Options, Failure> {
        let rules = read_rules(self.rules)?;
        let known = [Access::Automatic, Access::Mapped, Access::Private];
        let access = one_of(&known, self.access, "lasca_tb_access")?;
        let options = Tablebase::options(rules).access(access);
        Ok(if self.cache_bytes == 0 { options } else { options.cache(self.cache_bytes) })
    }
}

/// Which values are loaded. 16 bytes: max_bytes is at 0, threads at 8, white at 12, black at 13, with_dtw at
/// 14, reserved at 15.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct lasca_tb_load_options {
    /// How many bytes of memory all loaded values of the handle may take, those that were loaded before
    /// included; 0 for no limit.
    pub max_bytes: u64,
    /// How many threads work at once; 0 for one per processor.
    pub threads: u32,
    /// The number of White's counters in the one table that is loaded, prisoners included; 0 in both
    /// white and black for all tables.
    pub white: u8,
    /// The number of Black's counters.
    pub black: u8,
    /// Whether distances are loaded as well: 0 for win, draw or loss alone.
    pub with_dtw: u8,
    /// Not used.
    pub reserved: u8,
}

assert_layout!(lasca_tb_load_options: 16, aligned to 8;
    max_bytes at 0, threads at 8, white at 12, black at 13, with_dtw at 14, reserved at 15);

/// What is in the memory of a handle. 32 bytes: bytes is at 0, wdl at 8, dtw at 16, left_out at 24.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
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

assert_layout!(lasca_tb_loaded: 32, aligned to 8; bytes at 0, wdl at 8, dtw at 16, left_out at 24);

/// Opens the tables in folders. If several folders hold the same table, one with
/// distances is used rather than one without. Of several such tables, the one that covers the most
/// columns is used, or the first of these. The files of a table are opened when it is first needed. To use
/// tables that have come or changed since, open a new handle.
///
/// \param folders The paths, as the system writes them (UTF-8 on Windows). They are copied. NULL is
/// allowed if there are none.
/// \param folder_count How many paths there are.
/// \param options NULL means the default options.
/// \param opened Receives the handle. It belongs to the caller, who must pass it to lasca_tb_free()
/// in the end.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if an option is not one of the allowed
/// values, and with LASCA_TB_UNREADABLE if a folder cannot be read.
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
        let options = or_default(options);
        let mut tables = options.read()?.empty();
        for &folder in list(folders, folder_count, "folders")? {
            let path = bytes(folder, "folder")?;
            #[cfg(unix)]
            let path = OsStr::from_bytes(path);
            #[cfg(not(unix))]
            let path = crate::pointers::utf8(path)?;
            tables.add_directory(path).map_err(Failure::of(LASCA_TB_UNREADABLE))?;
        }
        #[cfg(feature = "included")]
        if options.included != 0 {
            tables.add_included();
        }
        put(opened, "opened", Box::into_raw(Box::new(lasca_tb { tables })))
    })
}

/// Closes tables and frees their memory. No other thread may use them any more. If tables is NULL,
/// nothing happens.
///
/// \param tables The tables, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_free(tables: *mut lasca_tb) {
    // SAFETY: the handle is NULL or came from `lasca_tb_open`, and is not used any more.
    guard(|| unsafe {
        drop((!tables.is_null()).then(|| Box::from_raw(tables)));
        Ok(())
    });
}

/// Tells what is known of positions with this many white and black counters, prisoners included.
/// Returns LASCA_TB_OK if the WDL file of their table is there and can be opened, so that win, draw
/// or loss is known. An engine can call this once for each material, and then probe only what is
/// there.
///
/// \param tables The open tables.
/// \param white The number of White's counters.
/// \param black The number of Black's counters.
/// \param max_columns Receives the greatest number of columns, both sides together, of the positions
/// that are covered: LASCA_TB_SQUARES if all are. No move makes the number of columns greater. It
/// may be NULL.
/// \param has_dtw Receives 1 if the DTW file is there too, so that distances and best moves are known,
/// and otherwise 0. It may be NULL, and then the DTW file does not matter.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if a side has
/// no counters; with LASCA_TB_NOT_COVERED if no folder has the table, or both sides together have more
/// than 22 counters; with LASCA_TB_OTHER_RULES if a folder has it, but only for other rules; and with
/// LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if a file that matters is damaged, holds another table than
/// its name says, or cannot be read.
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
                Err(error) if error.reason() == Reason::NoDistances => false,
                found => found.map(|_| true)?,
            };
            offer(has_dtw, has.into());
        }
        offer(max_columns, extent.max_columns().unwrap_or(LASCA_TB_SQUARES) as u8);
        Ok(())
    })
}

/// Decodes tables into memory. Every answer stays the same, but it comes several times as fast. A
/// value that the tables do not store, such as that of a capture, takes longer when it is first asked
/// for: it is then worked out, and kept in memory too. This is worth its time and memory for a program
/// that asks for many thousands of positions, such as an engine.
///
/// Win, draw or loss takes two bits for each position, up to the symmetries of the board: 87 MB for
/// all tables of up to eight counters. Distances take a byte more for each position: 348 MB for the
/// same tables. Loading these takes about half a second of processor time, and two with distances.
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
/// \param options NULL means the default options: win, draw or loss of all tables, without a limit.
/// \param loaded Receives what is loaded, also if a table cannot be loaded; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_covers() does, with LASCA_TB_NO_DISTANCES if distances are
/// wanted and a DTW file is missing, with LASCA_TB_NO_MEMORY, and with
/// LASCA_TB_INCONSISTENT, if any table cannot be loaded, or only its win, draw or loss. What
/// is not loaded is answered from the files as before, and all other tables are loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_load(
    tables: *const lasca_tb,
    options: *const lasca_tb_load_options,
    loaded: *mut lasca_tb_loaded,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let tables = &shared(tables, "tables")?.tables;
        let options = or_default(options);
        let threads = NonZero::new(options.threads as usize);
        let mut load = Load { dtw: options.with_dtw != 0, threads, ..Load::default() };
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

/// The material of this many white and black counters.
fn material(white: u8, black: u8) -> Result<Material, Failure> {
    Ok(Material::new(white.into(), black.into()).map_err(ProbeError::Material)?)
}
