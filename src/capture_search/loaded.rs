//! Tables in memory. What is stored is decoded when a table is loaded. What is not stored is worked out when
//! it is first asked for, and is remembered, so that an answer is mostly looked up.

use super::decoded::{decode_values, decode_wdls};
use super::position::{self, KnownValues};
use super::shared::{SharedValues, SharedWdls};
use crate::index::{Extent, Material, SliceIndex};
use crate::reserve::make_sure_of;
use crate::rules::{OfficerPosition, RuleSet};
use crate::table::{FileKind, SliceInfo, Table, TableError, chunks_of};
use crate::threads::Threads;
use crate::values::ByteCodes;
use crate::{Value, Wdl};
use std::sync::OnceLock;

/// The values of a table in memory: win, draw or loss, and distances if they were loaded too.
#[derive(Debug)]
pub(crate) struct LoadedTable {
    extent: Extent,
    rules: RuleSet,
    /// The WDL file that was loaded.
    identity: u64,
    /// The slices of the first stored side to move, from two columns on, then those of the second.
    slices: Vec<(SliceIndex, SharedWdls)>,
    /// The same slices with distances, once they are loaded.
    distances: OnceLock<Vec<SharedValues>>,
    /// How many slices each side to move has.
    of_side: usize,
}

impl LoadedTable {
    /// How many bytes of memory win, draw or loss of a table takes, or its distances: what their codes take,
    /// and those that do not fit a byte. How many of these there are at most, the table's statistics say.
    pub fn bytes_of(table: &Table, kind: FileKind) -> u64 {
        let first_late = u16::from(ByteCodes::PLAIN.late());
        let of_slice = |info: &SliceInfo| {
            let (orbits, rows) = (info.index().orbits(), info.index().rows());
            let late = info.stats().histogram.range(first_late..);
            match kind {
                FileKind::Wdl => SharedWdls::bytes_of(orbits, rows),
                FileKind::Dtw => {
                    SharedValues::bytes_of(orbits, rows, late.map(|(_, positions)| positions).sum())
                }
            }
        };
        table.slices().iter().map(of_slice).sum()
    }

    /// Loads win, draw or loss. Every page of the WDL file is checked, and those of a mapped file again at
    /// the end.
    ///
    /// # Errors
    /// If something is damaged or missing, or there is not enough memory.
    pub fn load(table: &Table, threads: Threads) -> Result<LoadedTable, TableError> {
        let slices = load_slices(table, FileKind::Wdl, threads, |info| {
            info.index().sets().tabulate();
            Ok((info.index().clone(), decode_wdls(table, info, threads)?))
        })?;
        Ok(LoadedTable {
            extent: table.extent(),
            rules: table.rules(),
            identity: table.identity(),
            of_side: slices.len() / table.material().stored_sides().len(),
            slices,
            distances: OnceLock::new(),
        })
    }

    /// Loads the distances of the same table, unless that was done before. Every page of both files is
    /// checked, and those of mapped files again at the end.
    ///
    /// # Errors
    /// As [`LoadedTable::load`]; [`TableError::NoDtw`] if the table has no DTW file;
    /// [`TableError::Mismatched`] if it is another table: its files were replaced since it was loaded.
    pub fn load_distances(&self, table: &Table, threads: Threads) -> Result<(), TableError> {
        if table.identity() != self.identity {
            return Err(TableError::Mismatched);
        }
        if !table.has_dtw() {
            return Err(TableError::NoDtw);
        }
        let distances = load_slices(table, FileKind::Dtw, threads, |info| {
            let (orbits, rows) = (info.index().orbits(), info.index().rows());
            let values = SharedValues::unknown(orbits, rows);
            let mut values = values.map_err(|_| TableError::Memory)?;
            let write = |orbit, row, codes: &[u8]| values.write(orbit, row, codes);
            let late = decode_values(table, info, threads, write)?;
            values.list_late(late);
            Ok(values)
        })?;
        self.distances.get_or_init(|| distances);
        Ok(())
    }

    /// Whether distances are loaded.
    #[inline]
    pub fn has_distances(&self) -> bool {
        self.distances.get().is_some()
    }

    /// Win, draw or loss of a position, as [`Table::wdl`] gives it, with the same errors.
    #[inline]
    pub fn wdl_of(&self, position: &OfficerPosition, side: usize) -> Result<Wdl, TableError> {
        // Most answers are known, and need no search.
        match self.wdl(self.address(position, side)?)? {
            Some(wdl) => Ok(wdl),
            None => position::wdl(self, position, side),
        }
    }

    /// The value of a position, as [`Table::value`] gives it, with the same errors.
    #[inline]
    pub fn value_of(&self, position: &OfficerPosition, side: usize) -> Result<Value, TableError> {
        match self.value(self.address(position, side)?)? {
            Some(value) => Ok(value),
            None => position::value(self, position, side),
        }
    }

    /// Tells the processor that a result will be read soon.
    #[inline]
    pub fn fetch_wdl(&self, Address { slice, orbit, row }: Address) {
        self.slices[slice].1.fetch(orbit, row);
    }

    /// The same of a value.
    #[inline]
    pub fn fetch_value(&self, Address { slice, orbit, row }: Address) {
        if let Some(distances) = self.distances.get() {
            distances[slice].fetch(orbit, row);
        }
    }
}

/// How many bytes loading takes beside the files and the values: about so many for the codes, and so many for a chunk
/// that a thread decodes.
const CODES: u64 = 1 << 20;
const CHUNK: u64 = 256 << 10;

/// Loads from a file something of each slice, and checks what is not read for that. With distances, the WDL file is
/// checked too.
fn load_slices<T>(
    table: &Table,
    kind: FileKind,
    threads: Threads,
    load: impl Fn(&SliceInfo) -> Result<T, TableError>,
) -> Result<Vec<T>, TableError> {
    let distances = kind == FileKind::Dtw;
    table.check_unread(distances)?;
    let chunks = |info: &SliceInfo| chunks_of(info.index().columns()).iter().sum();
    let at_once = threads.at_most(table.slices().iter().map(chunks).max().unwrap_or(0)).count();
    let bytes = LoadedTable::bytes_of(table, kind) + CODES + CHUNK * at_once as u64;
    make_sure_of(bytes).map_err(|_| TableError::Memory)?;
    let slices = table.slices_in_order().map(|info| load(info?)).collect::<Result<_, _>>()?;
    table.check_mapped(distances)?;
    Ok(slices)
}

/// The address of a position's values in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    /// The number of the slice.
    slice: usize,
    orbit: usize,
    row: usize,
}

impl KnownValues for LoadedTable {
    type Address = Address;

    fn material(&self) -> Material {
        self.extent.material()
    }

    fn rules(&self) -> RuleSet {
        self.rules
    }

    #[inline]
    fn address(&self, position: &OfficerPosition, side: usize) -> Result<Address, TableError> {
        let columns = position.placement().occupied().len();
        let address = || {
            let slice = columns.checked_sub(2).filter(|&columns| columns < self.of_side)?;
            let slice = side * self.of_side + slice;
            let (index, wdls) = self.slices.get(slice)?;
            let (orbit, symmetry) = index.orbit_of(position)?;
            // It comes while the row is worked out, which mostly lies in the same line of the processor's cache.
            wdls.fetch(orbit, 0);
            let (row, _) = index.row_and_mask(position, symmetry);
            Some(Address { slice, orbit, row })
        };
        address().ok_or_else(|| TableError::not_covered(self.extent, side, columns))
    }

    #[inline]
    fn wdl(&self, Address { slice, orbit, row }: Address) -> Result<Option<Wdl>, TableError> {
        Ok(self.slices[slice].1.wdl(orbit, row))
    }

    #[inline]
    fn value(&self, Address { slice, orbit, row }: Address) -> Result<Option<Value>, TableError> {
        let distances = self.distances.get().ok_or(TableError::NoDtw)?;
        Ok(distances[slice].value(orbit, row))
    }

    fn remember_wdl(&self, Address { slice, orbit, row }: Address, wdl: Wdl) {
        self.slices[slice].1.remember(orbit, row, wdl);
    }

    fn remember_value(&self, Address { slice, orbit, row }: Address, value: Value) {
        if let Some(distances) = self.distances.get() {
            distances[slice].remember(orbit, row, value);
        }
    }
}
