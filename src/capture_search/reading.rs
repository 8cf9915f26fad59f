//! All values of whole slices.
//!
//! [`SliceReader`] reads the slices with the number of columns rising, all sides to move of one number
//! together. For each number of columns:
//!
//! 1. It decodes the DTWs that are stored: those of one half or of both.
//! 2. If the slices are not full, it works out the capture positions of these halves.
//!    This takes several turns: a capture position follows when all its captures lead to positions
//!    that are known.
//! 3. If one half is left, it works out the quiet positions there, each from the positions after
//!    its moves, and compares the results with the stored WDLs.
//! 4. It works out the capture positions of that half, as in step 2.

use super::decoded::{decode_values, of_each_chunk};
use super::position::contradiction;
use crate::forward::grade::{self, Grade};
use crate::forward::{Lookahead, Selection, Workspace};
use crate::index::SliceIndex;
use crate::least::LeastItems;
use crate::rules::Position;
use crate::table::{Half, OrbitOrder, SliceInfo, Table, TableError};
use crate::threads::Threads;
use crate::values::bytes::Bytes;
use crate::values::{ByteCodes, Distance, Meaning, SliceValues};
use crate::{Done, Silent, Value, ValueRange, Wdl};
use rayon::prelude::*;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

/// Batch size: roughly how many positions each thread works out before their values are written.
const BATCH_POSITIONS: usize = 1 << 20;
/// Roughly how many positions a thread works out at a time.
const PART_POSITIONS: usize = 1 << 15;

/// What the bytes of a slice that is being read mean.
const CODES: ByteCodes = ByteCodes::PLAIN;

/// Reads the slices of a table, one number of columns after another.
///
/// ```
/// use lasca_tablebase::capture_search::SliceReader;
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
    table: &'a Table,
    threads: Threads,
    /// What is done with a slice when the next one is read.
    keep: fn(SliceValues) -> io::Result<SliceValues>,
    /// For each stored side to move, the slices from two columns on. Those that are being read, or were read
    /// last, come last.
    slices: Vec<Vec<SliceValues>>,
    /// The first contradictions.
    contradictions: Vec<Difference>,
    /// How many contradictions there are, listed or not.
    contradicted: u64,
    /// The error after which nothing more can be read.
    failed: Option<TableError>,
}

/// Where a [`SliceReader`] keeps the slices that it has read. The values do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepIn {
    /// In memory: a byte for each position of the table.
    #[default]
    Memory,
    /// In mapped files without names, in the folder of [`temp_dir`](std::env::temp_dir), which the variable
    /// `TMPDIR` names (on Windows, `TMP`). Only the slices of one number of columns are in memory: those
    /// that are being read, or were read last. How fast this is depends on how much of the files the system
    /// can cache. On many systems that folder is itself in memory (a `tmpfs`). Then this saves none: let
    /// the variable name a folder on a disk.
    Files,
}

/// Upper limit for the list of contradictions.
const LISTED: usize = 1000;

/// What was worked out of some orbits.
#[derive(Default)]
struct WorkedOut {
    /// The codes of all rows, one orbit after another.
    codes: Vec<u8>,
    /// The new distances that are listed apart.
    late: Vec<(u64, Distance)>,
    /// How many values became known.
    set: u64,
    /// The orbits in which some values do not follow yet.
    left: Vec<u32>,
    /// The first position whose distance is too long for any table.
    first_too_long: Option<u64>,
}

impl WorkedOut {
    /// Works out the selected positions of these orbits that are not known: all of them, unless this is done
    /// `again`.
    fn of(
        looking: &Lookahead,
        orbits: &[u32],
        selection: Selection,
        again: bool,
        work: &mut Workspace,
    ) -> WorkedOut {
        // The code for each grade; where the grade alone does not tell the value, the late code.
        let codes_of_grades: [u8; 256] = std::array::from_fn(|grade| match grade as Grade {
            grade::UNKNOWN => ByteCodes::UNKNOWN,
            grade => {
                let value = grade::value(grade).map(|value| Distance::new(value.dtw()));
                value.flatten().map_or(CODES.late(), |distance| CODES.byte(distance))
            }
        });
        let rows = looking.index.rows();
        let codes = Vec::with_capacity(orbits.len() * rows);
        let mut part = WorkedOut { codes, ..WorkedOut::default() };
        for &orbit in orbits {
            let start = part.codes.len();
            part.codes.extend_from_slice(looking.values().orbit(orbit as usize, rows));
            let codes = &mut part.codes[start..];
            looking.select(orbit as usize, selection, work);
            if again {
                looking.select_unknown(codes, work);
            }
            looking.grade_selected(orbit as usize, work);
            let (mut were_unknown, mut unknown) = (0, 0);
            looking.each_selected(work, |_, range| {
                let first = range.start;
                let of_mask = codes[range.clone()].iter_mut().zip(&work.grades[range]);
                for (row, (code, &grade)) in of_mask.enumerate() {
                    if *code != ByteCodes::UNKNOWN {
                        continue;
                    }
                    were_unknown += 1;
                    *code = codes_of_grades[usize::from(grade)];
                    unknown += u64::from(*code == ByteCodes::UNKNOWN);
                    if *code == CODES.late() {
                        let number = u64::from(orbit) * rows as u64 + (first + row) as u64;
                        let distance = Distance::new(looking.value(number, grade).dtw());
                        match distance {
                            None => part.first_too_long = part.first_too_long.or(Some(number)),
                            Some(distance) => {
                                *code = CODES.byte(distance);
                                if *code == CODES.late() {
                                    part.late.push((number, distance));
                                }
                            }
                        }
                    }
                }
            });
            part.set += were_unknown - unknown;
            if unknown > 0 {
                part.left.push(orbit);
            }
        }
        part
    }
}

/// A position whose stored value does not fit those of its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Difference {
    /// The position, with the side to move.
    pub position: Position,
    /// What is stored, for the side to move: its value, or its result alone, because the distance follows
    /// from other values.
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub stored: ValueRange,
    /// The value that follows from the values of the successors.
    pub expected: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { position, stored, expected } = self;
        write!(f, "{position}: expected {expected}, found {stored}")
    }
}

impl<'a> SliceReader<'a> {
    /// A reader of this table, which must have DTWs. It works on as many threads as the current rayon pool
    /// has.
    pub fn new(table: &'a Table) -> SliceReader<'a> {
        let slices = table.material().stored_sides().iter().map(|_| Vec::new()).collect();
        SliceReader {
            table,
            threads: Threads::of_pool(),
            keep: Ok,
            slices,
            contradictions: Vec::new(),
            contradicted: 0,
            failed: None,
        }
    }

    /// Sets where slices are kept. They are moved there when the next ones are read; until then they are in
    /// memory.
    #[must_use]
    pub fn keep_in(self, keep: KeepIn) -> SliceReader<'a> {
        let keep = match keep {
            KeepIn::Memory => Ok,
            KeepIn::Files => SliceValues::into_mapped,
        };
        SliceReader { keep, ..self }
    }

    /// Reads the slices of the next number of columns, which is returned; `None` if there are no more.
    /// With [`KeepIn::Files`], these slices are in memory until the next ones are read.
    ///
    /// A position for which only a WDL is stored gets the value that follows. If the value has another
    /// result, the position is one of the [`SliceReader::contradictions`].
    ///
    /// # Errors
    /// If something is damaged or missing, or there is not enough memory or room for the values. All
    /// later calls then return the same error, and the last of the [slices](SliceReader::slices) may be
    /// missing.
    pub fn read_next(&mut self) -> Result<Option<usize>, TableError> {
        self.read_next_telling(&Done::new(&Silent))
    }

    /// Reads like [`SliceReader::read_next`], and reports that as half of the work on each position.
    #[doc(hidden)]
    pub fn read_next_telling(&mut self, done: &Done) -> Result<Option<usize>, TableError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.read_columns(done).inspect_err(|error| self.failed = Some(error.clone()))
    }

    fn read_columns(&mut self, done: &Done) -> Result<Option<usize>, TableError> {
        let columns = self.slices[0].len() + 2;
        if !self.table.extent().columns().contains(&columns) {
            return Ok(None);
        }
        let infos = (0..self.slices.len()).map(|side| self.table.find_slice(side, columns));
        let infos: Vec<&SliceInfo> = infos.collect::<Result<_, _>>()?;
        let stored = infos[0].dtw_halves()?;
        self.keep_last()?;
        infos[0].index().sets().tabulate();
        for (slices, info) in self.slices.iter_mut().zip(&infos) {
            slices.push(decode(self.table, info, self.threads)?);
        }
        match infos[0].is_full() {
            true => done.add(self.table.positions_of(columns)),
            false => self.follow(&infos, stored, Selection::Captures, done)?,
        }
        if let &[half] = stored {
            let missing = 1 - half;
            self.follow(&infos, &[missing], Selection::Quiet, done)?;
            for (side, info) in infos.iter().enumerate() {
                self.compare(side, info, missing)?;
            }
            self.follow(&infos, &[missing], Selection::Captures, done)?;
        }
        for (slices, info) in self.slices.iter().zip(&infos) {
            // Captures were followed until all values are known, so nothing is missing unless it is
            // missing from a full slice.
            if !slices.last().is_some_and(SliceValues::is_filled) {
                return Err(TableError::wrong_content(info.head_name()));
            }
        }
        Ok(Some(columns))
    }

    /// Keeps the slices that were read last where they shall be.
    fn keep_last(&mut self) -> Result<(), TableError> {
        for slices in &mut self.slices {
            if let Some(last) = slices.pop() {
                slices.push((self.keep)(last).map_err(|error| TableError::Temporary {
                    folder: std::env::temp_dir(),
                    kind: error.kind(),
                    message: error.to_string(),
                })?);
            }
        }
        Ok(())
    }

    /// The table.
    #[doc(hidden)]
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// The slices read so far: for each stored side to move, those of two columns, of three and so on.
    pub fn slices(&self) -> &[Vec<SliceValues>] {
        &self.slices
    }

    /// Reads the remaining slices, and returns all slices.
    ///
    /// # Errors
    /// As [`SliceReader::read_next`]; [`TableError::Damaged`] if there is a contradiction.
    pub fn read_all(mut self) -> Result<Vec<Vec<SliceValues>>, TableError> {
        while self.read_next()?.is_some() {
            self.check()?;
        }
        self.check()?;
        Ok(self.slices)
    }

    /// How many positions contradict the values of their successors in the slices read so far.
    pub fn contradicted(&self) -> u64 {
        self.contradicted
    }

    /// The contradictions in the slices read so far, in their order: each is a [`Difference`] in a stored
    /// result. The list holds the first 1000 at most.
    pub fn contradictions(&self) -> &[Difference] {
        &self.contradictions
    }

    /// Checks that there is no contradiction so far.
    ///
    /// # Errors
    /// [`TableError::Damaged`] if there is one.
    pub fn check(&self) -> Result<(), TableError> {
        match self.contradictions.first() {
            None => Ok(()),
            Some(first) => Err(contradiction(&first.position)),
        }
    }

    /// A position for an error.
    fn shown(&self, side: usize, columns: usize, number: u64) -> Position {
        let color = self.table.material().stored_sides()[side];
        let index = self.table.material().slice(color, columns);
        index.position(number).in_colors(color)
    }

    /// The slice of a side that is being read.
    fn filling(&self, side: usize) -> &SliceValues {
        let slices = &self.slices[side];
        &slices[slices.len() - 1]
    }

    /// Works out the selected positions of these halves, turn by turn until all are known. Halves whose captures have
    /// had their first turn count as read.
    fn follow(
        &mut self,
        infos: &[&SliceInfo],
        halves: &[Half],
        selection: Selection,
        done: &Done,
    ) -> Result<(), TableError> {
        // For each side, the orbits in which some are left.
        let all = |info: &&SliceInfo| {
            let order = OrbitOrder::with_memory(info.index().sets())?;
            let of_halves: Vec<&[u32]> = halves.iter().map(|&half| order.orbits(half)).collect();
            let mut all = of_halves.concat();
            // Each part of them has a place of its own, and no thread waits for others to write there.
            all.sort_unstable();
            Ok(all)
        };
        let mut open = infos.iter().map(all).collect::<Result<Vec<Vec<u32>>, TableError>>()?;
        let batch_positions = BATCH_POSITIONS * self.threads.count();
        let mut again = false;
        loop {
            let mut set = 0;
            for (side, info) in infos.iter().enumerate() {
                let (index, rows) = (info.index(), info.index().rows());
                let orbits = std::mem::take(&mut open[side]);
                for batch in orbits.chunks((batch_positions / rows).max(1)) {
                    set +=
                        self.work_out((side, index), batch, selection, again, &mut open[side])?;
                    if !again && selection == Selection::Captures {
                        done.add((batch.len() * rows) as u64);
                    }
                }
            }
            let Some(side) = open.iter().position(|open| !open.is_empty()) else { return Ok(()) };
            if set == 0 {
                let position = self.first_unknown(side, infos[side].index(), open[side][0]);
                return Err(endless_captures(&position));
            }
            again = true;
        }
    }

    /// The first position of an orbit whose value is not known, for an error.
    fn first_unknown(&self, side: usize, index: &SliceIndex, orbit: u32) -> Position {
        let codes = self.filling(side).orbit(orbit as usize, index.rows());
        let row = codes.iter().position(|&code| code == ByteCodes::UNKNOWN).unwrap_or(0);
        self.shown(side, index.columns(), u64::from(orbit) * index.rows() as u64 + row as u64)
    }

    /// Sets the values of the selected positions of a batch of orbits that are not known, as far as they follow
    /// from known values. `again` says whether this is done again. Returns how many values were set, and adds
    /// the orbits to `left` in which some are left.
    fn work_out(
        &mut self,
        (side, index): (usize, &SliceIndex),
        batch: &[u32],
        selection: Selection,
        again: bool,
        left: &mut Vec<u32>,
    ) -> Result<u64, TableError> {
        let (material, rules) = (self.table.material(), self.table.rules());
        let looking = Lookahead::new(material, rules, &self.slices, side, index.columns());
        // They follow one another.
        let parts: Vec<&[u32]> = batch.chunks(PART_POSITIONS / index.rows() + 1).collect();
        let Ok(worked_out) = self.threads.map(parts.len(), Workspace::default, |number, work| {
            Ok::<_, Infallible>(WorkedOut::of(&looking, parts[number], selection, again, work))
        });
        let mut set = 0;
        for part in &worked_out {
            if let Some(number) = part.first_too_long {
                return Err(contradiction(&self.shown(side, index.columns(), number)));
            }
            set += part.set;
            left.extend(&part.left);
        }
        if let Some(slice) = self.slices[side].last_mut() {
            let (rows, bytes) = (index.rows(), slice.shared());
            // Each orbit is in one part.
            parts.into_par_iter().zip(&worked_out).for_each(|(orbits, part)| {
                for (&orbit, codes) in orbits.iter().zip(part.codes.chunks(rows)) {
                    store(&bytes[orbit as usize * rows..], codes);
                }
            });
            for part in worked_out {
                slice.list_late(part.late);
            }
        }
        Ok(set)
    }

    /// Compares the stored WDLs of a half that has no DTWs with the values that follow.
    fn compare(&mut self, side: usize, info: &SliceInfo, half: Half) -> Result<(), TableError> {
        let (index, table) = (info.index(), self.table);
        let rows = index.rows();
        let color = table.material().stored_sides()[side];
        let slice = self.filling(side);
        // The result for each code that alone tells it.
        let wdls: [Option<Wdl>; 256] =
            std::array::from_fn(|code| match CODES.meaning(code as u8) {
                Meaning::Dtw(dtw) => Some(Value::from_dtw(Some(dtw.into())).wdl()),
                Meaning::Draw => Some(Wdl::Draw),
                Meaning::Late | Meaning::Unknown => None,
            });
        let room = LISTED - self.contradictions.len();
        let found = Mutex::new((0, LeastItems::new(room)));
        of_each_chunk(info, &[half], self.threads, |half, chunk, orbits, _| {
            let bytes: Vec<&[u8]> =
                orbits.iter().map(|&orbit| slice.orbit(orbit as usize, rows)).collect();
            table.each_stored_wdl(info, half, chunk, |places, row, stored| {
                for place in places.iter().map(|&place| usize::from(place)) {
                    if wdls[usize::from(bytes[place][row])] == Some(stored) {
                        continue;
                    }
                    let number = u64::from(orbits[place]) * rows as u64 + row as u64;
                    let expected = slice.value(number);
                    if expected.wdl() == stored {
                        continue;
                    }
                    // Sound tables have none, so no thread waits long.
                    let (count, listed) =
                        &mut *found.lock().unwrap_or_else(PoisonError::into_inner);
                    *count += 1;
                    listed.offer((number, stored, expected));
                }
            })
        })?;
        let (count, listed) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.contradicted += count;
        // A position takes much more memory than its number, so only those that are kept are built.
        self.contradictions.extend(listed.into_items().map(|(number, wdl, expected)| {
            let position = index.position(number).in_colors(color);
            Difference { position, stored: wdl.into(), expected }
        }));
        Ok(())
    }
}

/// Captures lead from a position back to itself, although the table says that all sequences of captures end.
#[cold]
fn endless_captures(position: &Position) -> TableError {
    TableError::damaged(format!(
        "captures lead back to {position}, although the table says that all sequences of captures end"
    ))
}

/// The values of a slice that are stored with their distances. The others are unknown.
fn decode(table: &Table, info: &SliceInfo, threads: Threads) -> Result<SliceValues, TableError> {
    let (positions, rows) = (info.index().positions(), info.index().rows());
    let mut bytes = Bytes::filled(positions, ByteCodes::UNKNOWN).map_err(|_| TableError::Memory)?;
    let shared = bytes.shared().unwrap_or_default();
    // Each position is stored once, and no thread reads what another one writes.
    let write = |orbit, row, codes: &[u8]| store(&shared[orbit * rows + row..], codes);
    let late = decode_values(table, info, threads, write)?;
    Ok(SliceValues::filling(bytes, late))
}

/// Writes codes into bytes from the first one on.
fn store(bytes: &[AtomicU8], codes: &[u8]) {
    bytes[..codes.len()].iter().zip(codes).for_each(|(byte, &code)| byte.store(code, Relaxed));
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
