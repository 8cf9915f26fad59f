//! All values of whole slices.
//!
//! [`SliceReader`] reads the slices with the number of columns rising, all sides to move of one number
//! together. For each number of columns:
//!
//! 1. It decodes what is stored.
//! 2. If the slices are not full, it works out the capture positions of the halves that have DTWs.
//!    This takes several turns: a capture position follows when all its captures lead to positions
//!    that are known.
//! 3. If one half has no DTWs, it works out the quiet positions there, each from the positions after
//!    its moves, and compares the results with the stored WDLs.
//! 4. It works out the capture positions of that half, as in step 2.

use crate::forward::grade::{self, Grade};
use crate::forward::{Lookahead, Replies, Selection, Workspace};
use crate::index::{OccupiedSets, SliceIndex};
use crate::reserve::{push, reserve_exact};
use crate::rules::{Position, SquareSet};
use crate::table::{CHUNK_ORBITS, Half, OrbitOrder, SliceInfo, Table, TableError, half_of};
use crate::values::{ByteCodes, Distance, Meaning, SliceBuilder, SliceValues};
use crate::{Value, Wdl};
use rayon::prelude::*;
use std::collections::TryReserveError;
use std::io;

/// Batch size: roughly how many positions are worked out before their values are written.
const BATCH_POSITIONS: usize = 1 << 21;
/// Roughly how many positions a thread works out at a time.
const PART_POSITIONS: usize = 1 << 15;
/// Roughly how many positions are decoded before they are written, if that keeps all threads busy.
const DECODED_BYTES: usize = 1 << 23;
/// Upper limit for the positions that are decoded before they are written, if a chunk is not larger.
const MAX_DECODED_BYTES: usize = 1 << 26;

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
    table: &'a Table,
    keep: KeepIn,
    columns: usize,
    slices: Vec<Vec<SliceValues>>,
    /// For each stored side to move, the slice that is being read.
    filling: Vec<SliceBuilder>,
    /// The first contradictions.
    contradictions: Vec<Contradiction>,
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
    /// In mapped files without names, in the system's folder for temporary files (the one that the
    /// variable `TMPDIR` names, if it is set). Only the slices that are being read are in memory. How
    /// fast this is depends on how much of the files the system can cache. On many systems that folder
    /// is itself in memory (a `tmpfs`). Then this saves none: let `TMPDIR` name a folder on a disk.
    Files,
}

/// Upper limit for the list of contradictions.
const LISTED: usize = 1000;

/// The bytes of the orbits of a chunk, one orbit after another, and the distances that are listed apart.
struct DecodedChunk {
    bytes: Vec<u8>,
    late: Vec<(u64, Distance)>,
}

/// What was worked out of some orbits.
struct WorkedOut {
    /// All bytes of the orbits, one orbit after another.
    bytes: Vec<u8>,
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
    /// Works out the selected positions of these orbits that are not known.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn of(
        looking: &Lookahead,
        orbits: &[u32],
        selection: Selection,
    ) -> Result<WorkedOut, TryReserveError> {
        let codes = looking.values().byte_codes();
        // The byte for each grade; the late code where the grade alone does not tell the value.
        let bytes_of_grades: [u8; 256] = std::array::from_fn(|grade| {
            let distance =
                grade::value(grade as Grade).and_then(|value| Distance::new(value.dtw()));
            distance.map_or(codes.late(), |distance| codes.byte(distance))
        });
        let rows = looking.index.rows();
        let mut part = WorkedOut {
            bytes: Vec::new(),
            late: Vec::new(),
            set: 0,
            left: Vec::new(),
            first_too_long: None,
        };
        reserve_exact(&mut part.bytes, orbits.len() * rows)?;
        let mut work = Workspace::default();
        for &orbit in orbits {
            looking.select(orbit as usize, selection, &mut work);
            looking.select_unknown(orbit as usize, &mut work);
            looking.grade_selected(orbit as usize, &mut work);
            let (first, start) = (u64::from(orbit) * rows as u64, part.bytes.len());
            part.bytes.extend_from_slice(looking.values().codes(first, rows));
            let (mut unknown, mut set, mut listed) = (0u64, 0u64, Ok(()));
            looking.each_selected_range(&work, |range| {
                let bytes = &mut part.bytes[start..][range.clone()];
                for (row, (byte, &grade)) in
                    range.clone().zip(bytes.iter_mut().zip(&work.grades[range]))
                {
                    if *byte != ByteCodes::UNKNOWN {
                        continue;
                    }
                    if grade == grade::UNKNOWN {
                        unknown += 1;
                        continue;
                    }
                    set += 1;
                    *byte = bytes_of_grades[usize::from(grade)];
                    if *byte == codes.late() {
                        let number = first + row as u64;
                        let distance =
                            looking.value(number, grade).map(|value| Distance::new(value.dtw()));
                        match distance.flatten() {
                            None => part.first_too_long = part.first_too_long.or(Some(number)),
                            Some(distance) => {
                                *byte = codes.byte(distance);
                                if *byte == codes.late() && listed.is_ok() {
                                    listed = push(&mut part.late, (number, distance));
                                }
                            }
                        }
                    }
                }
            });
            listed?;
            part.set += set;
            if unknown > 0 {
                part.left.push(orbit);
            }
        }
        Ok(part)
    }
}

/// A position whose stored WDL does not follow from the values of its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The stored side to move: its place among [`crate::index::Material::stored_sides`].
    pub side: usize,
    /// The number of columns.
    pub columns: usize,
    /// The position's number in its slice.
    pub number: u64,
    /// The stored result.
    pub stored: Wdl,
    /// The value that follows from the values of the successors.
    pub expected: Value,
}

impl<'a> SliceReader<'a> {
    /// A reader of this table, which must have DTWs.
    pub fn new(table: &'a Table) -> SliceReader<'a> {
        let slices = table.material().stored_sides().iter().map(|_| Vec::new()).collect();
        SliceReader {
            table,
            keep: KeepIn::default(),
            columns: 2,
            slices,
            filling: Vec::new(),
            contradictions: Vec::new(),
            contradicted: 0,
            failed: None,
        }
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
    /// It runs on the threads of the current rayon pool.
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
        let columns = self.columns;
        if !self.table.extent().columns().contains(&columns) {
            return Ok(None);
        }
        let infos: Vec<&SliceInfo> = (0..self.slices.len())
            .map(|side| {
                let info = self.table.slice(side, columns);
                info.ok_or(TableError::MissingSlice { side, columns })
            })
            .collect::<Result<_, _>>()?;
        self.filling = infos
            .iter()
            .map(|info| SliceBuilder::new(info.index().positions()))
            .collect::<io::Result<_>>()
            .map_err(|_| TableError::Memory)?;
        infos[0].index().sets().tabulate();
        let halves = self.table.dtw_halves(infos[0])?;
        for (side, info) in infos.iter().enumerate() {
            self.decode(side, info, halves)?;
        }
        let with_dtws: Vec<Half> = (0..2).filter(|half| halves >> half & 1 != 0).collect();
        if !infos[0].is_full() {
            self.follow_captures(&infos, &with_dtws)?;
        }
        if let [half] = with_dtws[..] {
            let other = 1 - half;
            for (side, info) in infos.iter().enumerate() {
                let orbits = OrbitOrder::of(info.index().sets()).orbits(other);
                self.work_out(side, info.index(), orbits, Selection::Quiet)?;
                self.compare(side, info, other)?;
            }
            self.follow_captures(&infos, &[other])?;
        }
        for (info, (slices, filled)) in
            infos.iter().zip(self.slices.iter_mut().zip(std::mem::take(&mut self.filling)))
        {
            // Captures were followed until all values are known, so nothing is missing unless it is
            // missing from a full slice.
            let values = filled.finish().ok_or_else(|| TableError::Content(info.part()))?;
            slices.push(match self.keep {
                KeepIn::Memory => values,
                KeepIn::Files => values.into_mapped().map_err(|error| TableError::Temporary {
                    folder: std::env::temp_dir(),
                    kind: error.kind(),
                    message: error.to_string(),
                })?,
            });
        }
        self.columns += 1;
        Ok(Some(columns))
    }

    /// The slices read so far: for each stored side to move, those of two columns, of three and so on.
    pub fn slices(&self) -> &[Vec<SliceValues>] {
        &self.slices
    }

    /// Reads the remaining slices, and returns all slices.
    ///
    /// # Errors
    /// As [`SliceReader::read_next`]; [`TableError::Contradiction`] if there is a contradiction.
    pub fn read_all(mut self) -> Result<Vec<Vec<SliceValues>>, TableError> {
        while self.read_next()?.is_some() {}
        self.check()?;
        Ok(self.slices)
    }

    /// How many positions contradict the values of their successors in the slices read so far.
    pub fn contradicted(&self) -> u64 {
        self.contradicted
    }

    /// The positions that contradict the values of their successors in the slices read so far, in
    /// their order. The list holds the first 1000 at most.
    pub fn contradictions(&self) -> &[Contradiction] {
        &self.contradictions
    }

    /// Checks that there is no contradiction so far.
    ///
    /// # Errors
    /// [`TableError::Contradiction`].
    pub fn check(&self) -> Result<(), TableError> {
        match self.contradictions.first() {
            None => Ok(()),
            Some(first) => Err(TableError::Contradiction {
                position: self.shown(first.side, first.columns, first.number),
            }),
        }
    }

    /// A position for an error.
    fn shown(&self, side: usize, columns: usize, number: u64) -> Box<Position> {
        let color = self.table.material().stored_sides()[side];
        let index = self.table.material().slice(color, columns);
        match index.position(number).to_position(color) {
            Some(position) => Box::new(position),
            None => unreachable!("a position has room for the counters of every material"),
        }
    }

    /// Decodes what is stored, and writes it into the slice.
    fn decode(&mut self, side: usize, info: &SliceInfo, halves: u8) -> Result<(), TableError> {
        let (index, table) = (info.index(), self.table);
        let order = OrbitOrder::of(index.sets());
        let rows = index.rows();
        let slice = &mut self.filling[side];
        let codes = slice.values().byte_codes();
        let decode_chunk = |half: Half, chunk: usize| -> Result<DecodedChunk, TableError> {
            let orbits = order.chunk(half, chunk);
            let (mut bytes, mut late) = (Vec::new(), Vec::new());
            reserve_exact(&mut bytes, orbits.len() * rows).map_err(|_| TableError::Memory)?;
            bytes.resize(orbits.len() * rows, ByteCodes::UNKNOWN);
            let mut listed = Ok(());
            table.each_stored_distance(info, half, chunk, |place, row, distance| {
                let byte = codes.byte(distance);
                bytes[place * rows + row] = byte;
                if byte == codes.late() && listed.is_ok() {
                    let number = u64::from(orbits[place]) * rows as u64 + row as u64;
                    listed = push(&mut late, (number, distance));
                }
            })?;
            listed.map_err(|_| TableError::Memory)?;
            Ok(DecodedChunk { bytes, late })
        };
        for half in (0..2).filter(|half| halves >> half & 1 != 0) {
            // As many chunks as fit, but some for each thread if they are not too large.
            let chunk_bytes = (order.chunk(half, 0).len() * rows).max(1);
            let for_threads = 2 * rayon::current_num_threads();
            let at_once = (DECODED_BYTES / chunk_bytes)
                .max(for_threads.min(MAX_DECODED_BYTES / chunk_bytes))
                .max(1);
            for first in (0..order.chunks(half)).step_by(at_once) {
                let chunks = first..(first + at_once).min(order.chunks(half));
                let decoded: Vec<DecodedChunk> = chunks
                    .clone()
                    .into_par_iter()
                    .map(|chunk| decode_chunk(half, chunk))
                    .collect::<Result<_, TableError>>()?;
                for (chunk, decoded) in chunks.zip(decoded) {
                    let orbits = order.chunk(half, chunk).iter();
                    for (&orbit, bytes) in orbits.zip(decoded.bytes.chunks(rows)) {
                        slice.write(u64::from(orbit) * rows as u64, bytes);
                    }
                    slice.list_late(&decoded.late).map_err(|_| TableError::Memory)?;
                }
            }
        }
        slice.settle().map_err(|_| TableError::Memory)
    }

    /// Works out the capture positions of these halves, turn by turn.
    fn follow_captures(&mut self, infos: &[&SliceInfo], halves: &[Half]) -> Result<(), TableError> {
        // For each side, the orbits in which some are left.
        let mut open: Vec<Vec<u32>> = infos
            .iter()
            .map(|info| {
                let order = OrbitOrder::of(info.index().sets());
                halves.iter().flat_map(|&half| order.orbits(half)).copied().collect()
            })
            .collect();
        while open.iter().any(|open| !open.is_empty()) {
            let mut set = 0;
            for (side, info) in infos.iter().enumerate() {
                let orbits = std::mem::take(&mut open[side]);
                let (some, left) =
                    self.work_out(side, info.index(), &orbits, Selection::Captures)?;
                set += some;
                open[side] = left;
            }
            if set == 0
                && let Some(side) = open.iter().position(|open| !open.is_empty())
            {
                let position = self.first_unknown(side, u64::from(open[side][0]));
                return Err(TableError::EndlessCaptures { position });
            }
        }
        Ok(())
    }

    /// The first capture position of an orbit whose value is not known, for an error.
    fn first_unknown(&self, side: usize, orbit: u64) -> Box<Position> {
        let color = self.table.material().stored_sides()[side];
        let index = self.table.material().slice(color, self.columns);
        let first = orbit * index.rows() as u64;
        let values = self.filling[side].values();
        let codes = values.codes(first, index.rows());
        let is_unknown = |&(number, code): &(u64, &u8)| {
            Some(*code) == values.byte_codes().unknown()
                && index.position(number).placement().must_capture()
        };
        let unknown = (first..).zip(codes).find(is_unknown);
        self.shown(side, self.columns, unknown.map_or(first, |(number, _)| number))
    }

    /// Sets the values of positions of these orbits, as far as they follow from known values. Returns
    /// how many values were set, and the orbits in which some are left.
    fn work_out(
        &mut self,
        side: usize,
        index: &SliceIndex,
        orbits: &[u32],
        selection: Selection,
    ) -> Result<(u64, Vec<u32>), TableError> {
        let (mut set, mut left) = (0, Vec::new());
        let rows = index.rows();
        for batch in orbits.chunks((BATCH_POSITIONS / rows).max(1)) {
            let parts = self.work_out_batch(side, index, batch, selection);
            let parts = parts.map_err(|_| TableError::Memory)?;
            let slice = &mut self.filling[side];
            let mut first_too_long = None;
            let mut bytes = parts.iter().flat_map(|part| part.bytes.chunks(rows));
            for (&orbit, bytes) in batch.iter().zip(&mut bytes) {
                slice.write(u64::from(orbit) * rows as u64, bytes);
            }
            for part in parts {
                set += part.set;
                left.extend(part.left);
                slice.list_late(&part.late).map_err(|_| TableError::Memory)?;
                first_too_long = first_too_long.or(part.first_too_long);
            }
            slice.settle().map_err(|_| TableError::Memory)?;
            if let Some(number) = first_too_long {
                let position = self.shown(side, self.columns, number);
                return Err(TableError::Contradiction { position });
            }
        }
        Ok((set, left))
    }

    /// Works out the values that follow for positions of these orbits whose values are not known. The
    /// parts follow one another.
    fn work_out_batch(
        &self,
        side: usize,
        index: &SliceIndex,
        orbits: &[u32],
        selection: Selection,
    ) -> Result<Vec<WorkedOut>, TryReserveError> {
        // Where only White to move is stored, the replies are White's too, colours exchanged.
        let replying = (side + 1) % self.slices.len();
        let finished = self.slices[replying].iter();
        let slices = finished.chain([self.filling[replying].values()]);
        let other = |columns: usize| {
            let index = SliceIndex::new(index.other_counters(), index.mover_counters(), columns);
            index.unwrap_or_else(|| unreachable!("a material has a slice for each of its columns"))
        };
        let replies = Replies::new((2..).map(other).zip(slices));
        let values = self.filling[side].values();
        let looking = Lookahead::new(self.table.rules(), index.clone(), values, replies);
        let part_orbits = PART_POSITIONS / index.rows() + 1;
        let parts = orbits.par_chunks(part_orbits);
        parts.map(|orbits| WorkedOut::of(&looking, orbits, selection)).collect()
    }

    /// Compares the stored WDLs of a half that has no DTWs with the values that follow.
    fn compare(&mut self, side: usize, info: &SliceInfo, half: Half) -> Result<(), TableError> {
        let (index, table) = (info.index(), self.table);
        let (order, columns) = (OrbitOrder::of(index.sets()), index.columns());
        let slice = self.filling[side].values();
        let codes_of =
            |orbit: u32| slice.codes(u64::from(orbit) * index.rows() as u64, index.rows());
        // The result for each code that alone tells it.
        let wdls: [Option<Wdl>; 256] =
            std::array::from_fn(|code| match slice.byte_codes().meaning(code as u8) {
                Meaning::Dtw(dtw) => Some(Value::from_dtw(Some(dtw.into())).wdl()),
                Meaning::Draw => Some(Wdl::Draw),
                Meaning::Late | Meaning::Unknown => None,
            });
        let compare_chunk = |chunk: usize| -> Result<(Vec<Contradiction>, u64), TableError> {
            let orbits = order.chunk(half, chunk);
            let codes: Vec<&[u8]> = orbits.iter().map(|&orbit| codes_of(orbit)).collect();
            let (mut contradictions, mut count) = (Vec::new(), 0);
            table.each_stored_wdl(info, half, chunk, |place, row, stored| {
                if wdls[usize::from(codes[place][row])] == Some(stored) {
                    return;
                }
                let number = u64::from(orbits[place]) * index.rows() as u64 + row as u64;
                let expected = slice.value(number);
                if expected.wdl() == stored {
                    return;
                }
                count += 1;
                if contradictions.len() < LISTED {
                    contradictions.push(Contradiction { side, columns, number, stored, expected });
                }
            })?;
            Ok((contradictions, count))
        };
        let found: Vec<(Vec<Contradiction>, u64)> = (0..order.chunks(half))
            .into_par_iter()
            .map(compare_chunk)
            .collect::<Result<_, TableError>>()?;
        self.contradicted += found.iter().map(|(_, count)| count).sum::<u64>();
        let listed = found.into_iter().flat_map(|(listed, _)| listed);
        let mut listed: Vec<Contradiction> = listed.take(LISTED).collect();
        listed.sort_unstable_by_key(|contradiction| contradiction.number);
        self.contradictions.extend(listed);
        self.contradictions.truncate(LISTED);
        Ok(())
    }
}

/// The positions on a set of squares for which a table stores distances.
pub(crate) fn stored_positions(table: &Table, columns: usize, set: SquareSet) -> Selection {
    let Some(slice) = table.slice(0, columns) else { return Selection::None };
    if slice.is_full() {
        return Selection::All;
    }
    let halves = table.dtw_halves(slice).unwrap_or(0);
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
