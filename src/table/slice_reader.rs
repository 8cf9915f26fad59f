//! Reading all values of a table: those that are stored, and those that follow from them.
//!
//! The slices are read with the number of columns rising. In each, what is stored is decoded; then the
//! positions in which the side to move must take follow, as far as their takes lead to what is known,
//! turn by turn; then, where a half holds no DTWs, its quiet positions by one ply, and its captures.

use super::order::{Half, SetOrder};
use super::quiet;
use super::reader::{Table, of_wdl3};
use super::{BlockId, SliceInfo, TableError};
use crate::forward::{Placements, Replies, Side};
use crate::index::SliceIndex;
use crate::values::{Distance, SliceBuilder, SliceValues};
use crate::{Value, Wdl};
use rayon::prelude::*;
use std::io;

/// Positions that are worked out before their values are put in their places, about.
const LOT: usize = 1 << 21;

/// Reads the slices of a table, one number of columns after another.
///
/// ```
/// use lasca_tablebase::table::{SliceReader, Table};
/// let table = Table::open_file("tables/lasca-2-1.ltbw".as_ref()).unwrap();
/// let mut reader = SliceReader::new(&table);
/// while let Some(columns) = reader.read_next()? {
///     let slice = &reader.slices()[0][columns - 2];
///     assert_eq!(slice.len(), table.slice(0, columns).unwrap().index().positions());
/// }
/// # Ok::<(), lasca_tablebase::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct SliceReader<'a, D> {
    table: &'a Table<D>,
    columns: usize,
    slices: Vec<Vec<SliceValues>>,
    /// For each stored side to move, the slice that is being read.
    filling: Vec<SliceBuilder>,
    contradictions: Vec<Contradiction>,
    /// How many there are, listed or not.
    contradicted: u64,
    /// What went wrong: nothing can be read after it.
    failed: Option<TableError>,
}

/// How many contradictions are listed at the most.
const LISTED: usize = 1000;

/// The distances that follow for positions, by their rows in an orbit; `None` for one that is too
/// long for any table.
type Found = Vec<(u32, Option<Distance>)>;

/// A position whose stored WDL is not the one that follows from the values around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The stored side to move: its place among [`crate::index::Material::stored_sides`].
    pub side: usize,
    /// The number of columns.
    pub columns: usize,
    /// The position's number in its info.
    pub number: u64,
    /// What is stored.
    pub stored: Wdl,
    /// What follows from the values of the positions that its moves lead to.
    pub expected: Value,
}

impl<'a, D: AsRef<[u8]> + Sync> SliceReader<'a, D> {
    /// Will read this table, which must have DTWs.
    pub fn new(table: &'a Table<D>) -> SliceReader<'a, D> {
        let slices = table.material().stored_sides().iter().map(|_| Vec::new()).collect();
        SliceReader {
            table,
            columns: 2,
            slices,
            filling: Vec::new(),
            contradictions: Vec::new(),
            contradicted: 0,
            failed: None,
        }
    }

    /// Reads the slices of the next number of columns, which is returned; `None` if there are no more.
    /// It runs on the threads of the current rayon pool.
    ///
    /// Positions that hold a WDL alone get the value that follows; where it is not of that result, see
    /// [`SliceReader::contradictions`].
    ///
    /// # Errors
    /// If something is damaged or missing, or there is no memory for the values; then every call after
    /// it fails alike.
    pub fn read_next(&mut self) -> Result<Option<usize>, TableError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.read_columns().inspect_err(|error| self.failed = Some(error.clone()))
    }

    fn read_columns(&mut self) -> Result<Option<usize>, TableError> {
        let columns = self.columns;
        if !self.table.material().columns().contains(&columns) {
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
        let kept: Vec<Half> = (0..2).filter(|half| halves >> half & 1 != 0).collect();
        if !infos[0].is_full() {
            self.follow_captures(&infos, &kept)?;
        }
        if let [kept] = kept[..] {
            let other = 1 - kept;
            for (side, info) in infos.iter().enumerate() {
                let orbits = SetOrder::of(info.index().sets()).orbits(other);
                self.work_out(side, info.index(), orbits, Placements::Quiet)?;
                self.compare(side, info, other)?;
            }
            self.follow_captures(&infos, &[other])?;
        }
        let filled = std::mem::take(&mut self.filling).into_iter().map(SliceBuilder::finish);
        let finished: Option<Vec<SliceValues>> = filled.collect();
        let finished = finished.ok_or(TableError::EndlessCaptures { columns })?;
        for (slices, slice) in self.slices.iter_mut().zip(finished) {
            slices.push(slice);
        }
        self.columns += 1;
        Ok(Some(columns))
    }

    /// The slices read so far: for each stored side to move, those of two columns, of three and so on.
    pub fn slices(&self) -> &[Vec<SliceValues>] {
        &self.slices
    }

    /// Reads the rest, and gives all slices.
    ///
    /// # Errors
    /// As [`SliceReader::read_next`]; [`TableError::Contradiction`] if there is any.
    pub fn read_all(mut self) -> Result<Vec<Vec<SliceValues>>, TableError> {
        while self.read_next()?.is_some() {}
        self.check()?;
        Ok(self.slices)
    }

    /// How many positions contradict the values around them in the slices read so far.
    pub fn contradicted(&self) -> u64 {
        self.contradicted
    }

    /// Some of the positions that contradict the values around them in the slices read so far, in
    /// their order: all if there are fewer than 1000.
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
            Some(first) => Err(TableError::Contradiction { columns: first.columns }),
        }
    }

    /// Puts what is stored into the slice.
    fn decode(&mut self, side: usize, info: &SliceInfo, halves: u8) -> Result<(), TableError> {
        let (index, table) = (info.index(), self.table);
        let order = SetOrder::of(index.sets());
        let number = table.slice_number(info);
        let rows = index.rows();
        let slice = &mut self.filling[side];
        for half in (0..2).filter(|half| halves >> half & 1 != 0) {
            // The code of each position, where one is stored.
            let decode_chunk = |chunk: usize| -> Result<Vec<Option<u16>>, TableError> {
                let sets = order.chunk(half, chunk).len();
                let mut codes = vec![None; sets * rows];
                for split in index.splits() {
                    for mask in split.owner_masks() {
                        let cells = info.cells(half, chunk, mask);
                        let first = split.mask_start(mask);
                        for row in first..first + split.mask_rows {
                            let id = BlockId::new(number, row, half, chunk);
                            let mut places = quiet::places(&cells);
                            table.decode_into(id, quiet::count(&cells), |code| {
                                if let Some(place) = places.next() {
                                    codes[place * rows + row] = Some(code);
                                }
                            })?;
                        }
                    }
                }
                Ok(codes)
            };
            let at_once = 2 * rayon::current_num_threads();
            for first in (0..order.chunks(half)).step_by(at_once) {
                let chunks = first..(first + at_once).min(order.chunks(half));
                let decoded: Vec<Vec<Option<u16>>> = chunks
                    .clone()
                    .into_par_iter()
                    .map(decode_chunk)
                    .collect::<Result<_, TableError>>()?;
                for (chunk, codes) in chunks.zip(decoded) {
                    for (&orbit, codes) in order.chunk(half, chunk).iter().zip(codes.chunks(rows)) {
                        let first = u64::from(orbit) * rows as u64;
                        for (number, code) in (first..).zip(codes) {
                            if let Some(code) = code {
                                slice.set(number, Distance::from_code(*code));
                            }
                        }
                    }
                }
            }
        }
        slice.settle();
        Ok(())
    }

    /// Works out the positions of these halves in which the side to move must take.
    fn follow_captures(&mut self, infos: &[&SliceInfo], halves: &[Half]) -> Result<(), TableError> {
        let mut open: Vec<Vec<u32>> = infos
            .iter()
            .map(|info| {
                let order = SetOrder::of(info.index().sets());
                halves.iter().flat_map(|&half| order.orbits(half)).copied().collect()
            })
            .collect();
        while open.iter().any(|open| !open.is_empty()) {
            let mut set = 0;
            for (side, info) in infos.iter().enumerate() {
                let orbits = std::mem::take(&mut open[side]);
                let (some, left) =
                    self.work_out(side, info.index(), &orbits, Placements::Captures)?;
                set += some;
                open[side] = left;
            }
            if set == 0 && open.iter().any(|open| !open.is_empty()) {
                return Err(TableError::EndlessCaptures { columns: self.columns });
            }
        }
        Ok(())
    }

    /// Sets the values of positions of these orbits as far as they follow from what is known. Returns
    /// how many orbits lost an unknown value, and the orbits in which some are left.
    fn work_out(
        &mut self,
        side: usize,
        index: &SliceIndex,
        orbits: &[u32],
        wanted: Placements,
    ) -> Result<(u64, Vec<u32>), TableError> {
        let (mut set, mut left) = (0, Vec::new());
        let rows = index.rows();
        for lot in orbits.chunks((LOT / rows).max(1)) {
            let values = self.best_values(side, index, lot, wanted);
            let slice = &mut self.filling[side];
            for (&orbit, (values, unknown)) in lot.iter().zip(values) {
                set += values.len() as u64;
                let first = u64::from(orbit) * rows as u64;
                for (offset, distance) in values {
                    let contradiction = TableError::Contradiction { columns: self.columns };
                    slice.set(first + u64::from(offset), distance.ok_or(contradiction)?);
                }
                if unknown {
                    left.push(orbit);
                }
            }
            slice.settle();
        }
        Ok((set, left))
    }

    /// For each orbit, the distances that follow for positions whose value is not known, by their
    /// offsets, and whether some do not follow yet.
    fn best_values(
        &self,
        side: usize,
        index: &SliceIndex,
        orbits: &[u32],
        wanted: Placements,
    ) -> Vec<(Found, bool)> {
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
        let looking = Side::new(self.table.rules(), index.clone(), values, replies);
        let unknown_code = values.byte_codes().unknown();
        let rows = index.rows();
        let orbits_a_task = (1 << 15) / rows + 1;
        orbits
            .par_chunks(orbits_a_task)
            .flat_map_iter(|orbits| {
                let mut work = looking.workspace();
                let looking = &looking;
                let mut results = Vec::with_capacity(orbits.len());
                for &orbit in orbits {
                    let orbit = orbit as usize;
                    looking.grade_orbit(orbit, wanted, &mut work);
                    let first = (orbit * rows) as u64;
                    let codes = values.codes(first, rows);
                    let (mut found, mut left) = (Vec::new(), false);
                    for (start, len) in looking.masks(orbit, wanted) {
                        let codes = &codes[start..start + len];
                        let grades = &work.grades[start..start + len];
                        for (offset, (&code, &grade)) in (start..).zip(codes.iter().zip(grades)) {
                            if Some(code) != unknown_code {
                                continue;
                            }
                            match looking.value(first + offset as u64, grade) {
                                Some(value) => {
                                    found.push((offset as u32, Distance::new(value.dtw())))
                                }
                                None => left = true,
                            }
                        }
                    }
                    results.push((found, left));
                }
                results
            })
            .collect()
    }

    /// Compares the stored WDLs of a half whose DTWs followed with what followed.
    fn compare(&mut self, side: usize, info: &SliceInfo, half: Half) -> Result<(), TableError> {
        let (index, table) = (info.index(), self.table);
        let order = SetOrder::of(index.sets());
        let number = table.slice_number(info);
        let Some(slice) = self.slices[side].last() else { unreachable!("it was begun") };
        let compare_chunk = |chunk: usize| -> Result<(Vec<Contradiction>, u64), TableError> {
            let orbits = order.chunk(half, chunk);
            let (mut contradictions, mut count) = (Vec::new(), 0);
            for split in index.splits() {
                for mask in split.owner_masks() {
                    let cells = info.cells(half, chunk, mask);
                    let first = split.mask_start(mask);
                    for row in first..first + split.mask_rows {
                        let mut places = quiet::places(&cells);
                        let id = BlockId::new(number, row, half, chunk);
                        let mut left = quiet::count(&cells);
                        table.visit_wdls(id, |wdl, length| {
                            let stored = of_wdl3(wdl);
                            for place in places.by_ref().take(length) {
                                let orbit = u64::from(orbits[place]);
                                let number = orbit * index.rows() as u64 + row as u64;
                                let expected = slice.value(number);
                                if expected.wdl() == stored {
                                    continue;
                                }
                                count += 1;
                                if contradictions.len() < LISTED {
                                    let columns = index.columns();
                                    contradictions.push(Contradiction {
                                        side,
                                        columns,
                                        number,
                                        stored,
                                        expected,
                                    });
                                }
                            }
                            left = left.saturating_sub(length);
                            left > 0
                        })?;
                    }
                }
            }
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

impl<D: AsRef<[u8]> + Sync> Table<D> {
    /// All values of the table, as [`crate::retrograde::Solver::solve`] gives them: for each stored side to
    /// move, its slices from two columns on.
    ///
    /// # Errors
    /// As [`SliceReader::read_all`].
    pub fn read(&self) -> Result<Vec<Vec<SliceValues>>, TableError> {
        SliceReader::new(self).read_all()
    }
}
