//! All values of whole slices, with their distances.

use super::Threads;
use super::reading::{Contradiction, Reading};
use crate::forward::Selection;
use crate::index::OccupiedSets;
use crate::rules::SquareSet;
use crate::table::{CHUNK_ORBITS, SliceInfo, Table, TableError, half_of};
use crate::values::SliceValues;

/// Reads the slices of a table, one number of columns after another.
///
/// ```
/// use lasca_tablebase::resolve::SliceReader;
/// use lasca_tablebase::table::Table;
/// let table = Table::open_file("tables/lasca-2-1.ltbw".as_ref()).unwrap();
/// let mut reader = SliceReader::new(&table);
/// while let Some(columns) = reader.read_next()? {
///     let slice = &reader.slices()[0][columns - 2];
///     assert_eq!(slice.len(), table.slice(0, columns).unwrap().index().positions());
/// }
/// # Ok::<(), lasca_tablebase::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct SliceReader<'a> {
    reading: Reading<'a, SliceValues>,
    keep: KeepIn,
    /// The error after which nothing more can be read.
    failed: Option<TableError>,
}

/// Where a [`SliceReader`] keeps the slices that it has read. The values do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepIn {
    /// In memory: a byte for each position of the table.
    #[default]
    Memory,
    /// In mapped files without names, in the system's folder for temporary files (the one that the
    /// variable `TMPDIR` names, if it is set). Only the slices that are being read are in memory. How
    /// fast this is depends on how much of the files the system can cache. On many systems that folder
    /// is itself in memory (a `tmpfs`). Then this saves none: let `TMPDIR` name a folder on a disk.
    Files,
}

impl<'a> SliceReader<'a> {
    /// A reader of this table, which must have DTWs.
    pub fn new(table: &'a Table) -> SliceReader<'a> {
        let reading = Reading::new(table, Threads::of_pool());
        SliceReader { reading, keep: KeepIn::default(), failed: None }
    }

    /// The bytes of the largest chunk of a table once it is decoded. That many are in memory at some
    /// time, beside the slices; smaller chunks are decoded several at once, up to 64 MiB.
    ///
    /// ```
    /// use lasca_tablebase::resolve::SliceReader;
    /// use lasca_tablebase::table::Table;
    /// let table = Table::open_file("tables/lasca-2-1.ltbw".as_ref()).unwrap();
    /// assert!(SliceReader::largest_chunk(&table) <= table.positions());
    /// ```
    pub fn largest_chunk(table: &Table) -> u64 {
        let chunk = |info: &SliceInfo| {
            let orbits = OccupiedSets::orbits_of(info.columns()).min(CHUNK_ORBITS as u64);
            orbits * info.index().rows() as u64
        };
        table.slices().iter().map(chunk).max().unwrap_or(0)
    }

    /// Keeps the slices there once they are read, and not in memory.
    #[must_use]
    pub fn keep_in(self, keep: KeepIn) -> SliceReader<'a> {
        SliceReader { keep, ..self }
    }

    /// Reads the slices of the next number of columns, which is returned; `None` if there are no more.
    /// It runs on as many threads as the current rayon pool has.
    ///
    /// A position for which only a WDL is stored gets the value that follows. If the value has another
    /// result, the position is one of the [`SliceReader::contradictions`].
    ///
    /// # Errors
    /// If something is damaged or missing, or there is not enough memory or room for the values. All
    /// later calls then return the same error.
    pub fn read_next(&mut self) -> Result<Option<usize>, TableError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.read_columns().inspect_err(|error| self.failed = Some(error.clone()))
    }

    fn read_columns(&mut self) -> Result<Option<usize>, TableError> {
        let columns = self.reading.read_next()?;
        if columns.is_some() && self.keep == KeepIn::Files {
            self.reading.replace_last(SliceValues::into_mapped).map_err(|error| {
                TableError::Temporary {
                    folder: std::env::temp_dir(),
                    kind: error.kind(),
                    message: error.to_string(),
                }
            })?;
        }
        Ok(columns)
    }

    /// The slices read so far: for each stored side to move, those of two columns, of three and so on.
    pub fn slices(&self) -> &[Vec<SliceValues>] {
        self.reading.slices()
    }

    /// Reads the remaining slices, and returns all slices.
    ///
    /// # Errors
    /// As [`SliceReader::read_next`]; [`TableError::Contradiction`] if there is a contradiction.
    pub fn read_all(mut self) -> Result<Vec<Vec<SliceValues>>, TableError> {
        while self.read_next()?.is_some() {}
        self.reading.finish()
    }

    /// How many positions contradict the values of their successors in the slices read so far.
    pub fn contradicted(&self) -> u64 {
        self.reading.contradicted()
    }

    /// The positions that contradict the values of their successors in the slices read so far, in
    /// their order. The list holds the first 1000 at most.
    pub fn contradictions(&self) -> &[Contradiction] {
        self.reading.contradictions()
    }

    /// Checks that there is no contradiction so far.
    ///
    /// # Errors
    /// [`TableError::Contradiction`].
    pub fn check(&self) -> Result<(), TableError> {
        self.reading.check()
    }
}

/// The positions on a set of squares for which a table stores distances.
pub(crate) fn stored_positions(table: &Table, columns: usize, set: SquareSet) -> Selection {
    let Some(slice) = table.slice(0, columns) else { return Selection::None };
    if slice.is_full() {
        return Selection::All;
    }
    let halves = slice.dtw_halves().unwrap_or(0);
    if halves >> half_of(set) & 1 != 0 { Selection::Quiet } else { Selection::None }
}

impl Table {
    /// All values of the table: for each stored side to move, its slices from two columns on.
    ///
    /// # Errors
    /// As [`SliceReader::read_all`].
    pub fn read(&self) -> Result<Vec<Vec<SliceValues>>, TableError> {
        SliceReader::new(self).read_all()
    }
}
