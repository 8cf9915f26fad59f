//! The values of a chunk as a writer needs them: row by row, a byte for each cell.
//!
//! A slice has its values orbit by orbit, and a block has those of a row. So the values of a chunk are
//! transposed once, for each owner mask those of the orbits that have a cell under it. The bytes are those
//! of [`ByteCodes::FINISHED`].

use super::order::CHUNK_ORBITS;
use super::quiet::{self, WORDS};
use super::spread::Gathered;
use super::symbols::{DRAW, LOSS, StoredWdl, WIN, WdlRun, stored_wdl};
use crate::index::SliceIndex;
use crate::reserve::reserve_exact;
use crate::values::{ByteCodes, Distance};
use std::io;
use std::ops::Range;
use wide::u8x16;

/// The byte of a cell whose distance is listed apart.
const LATE_BYTE: u8 = ByteCodes::FINISHED.late();
/// The byte of a drawn cell.
const DRAW_BYTE: u8 = ByteCodes::FINISHED.draw();

/// How many bytes are worked on at once.
const LANES: usize = 16;

/// Which cells a slice has.
pub struct CellSource<'a> {
    index: &'a SliceIndex,
    full: bool,
    masks: Vec<MaskRows>,
}

/// The rows of an orbit that share an owner mask.
struct MaskRows {
    mask: u32,
    rows: Range<usize>,
}

impl<'a> CellSource<'a> {
    /// If the slice is `full`, all positions have cells, and otherwise those that are quiet.
    pub fn new(index: &'a SliceIndex, full: bool) -> CellSource<'a> {
        let of_split = index.splits().iter().flat_map(|split| {
            split.owner_masks().map(|mask| {
                let first = split.mask_start(mask);
                MaskRows { mask, rows: first..first + split.mask_rows }
            })
        });
        CellSource { index, full, masks: of_split.collect() }
    }

    /// How many owner masks there are.
    pub fn masks(&self) -> usize {
        self.masks.len()
    }

    /// The rows of the `i`-th owner mask. Those of the next one follow them.
    pub fn rows(&self, i: usize) -> Range<usize> {
        self.masks[i].rows.clone()
    }

    /// The rows of these owner masks.
    pub fn rows_of(&self, masks: Range<usize>) -> Range<usize> {
        let masks = &self.masks[masks];
        match (masks.first(), masks.last()) {
            (Some(first), Some(last)) => first.rows.start..last.rows.end,
            _ => 0..0,
        }
    }
}

/// The cells of a chunk, row by row.
#[derive(Default)]
pub struct ChunkCells {
    /// All of them, a bit for each.
    all: [u64; WORDS],
    /// For each owner mask that was read, which of them have a cell; empty if all have.
    quiet: Vec<[u64; WORDS]>,
    /// The first owner mask that was read.
    first_mask: usize,
    /// For each owner mask that was read, where its cells begin; and where the last ones end.
    starts: Vec<usize>,
    bytes: Vec<u8>,
    /// The distances that are listed apart: for the place of the orbit and the row, both rising.
    late: Vec<((usize, usize), Distance)>,
}

impl ChunkCells {
    /// Reads the values of a chunk in place of what is here: the one at place `at` of those that were
    /// wanted in `values`, with the rows of these owner masks, at least one. `orbits` holds them orbit by
    /// orbit meanwhile.
    ///
    /// # Errors
    /// As [`Gathered::read`].
    pub fn read(
        &mut self,
        from: &CellSource,
        (values, at): (&Gathered, usize),
        masks: Range<usize>,
        orbits: &mut Vec<u8>,
    ) -> io::Result<()> {
        let (half, chunk) = values.wanted().chunks[at];
        let (sets, rows) = (from.index.sets(), from.rows_of(masks.clone()));
        debug_assert_eq!(rows, values.wanted().rows);
        let count = values.orbits(at).len();
        self.first_mask = masks.start;
        self.all = quiet::first(count);
        // Behind the last orbit there is room, because whole lanes are read.
        resize(orbits, rows.len() * count + LANES)?;
        values.read(at, &mut orbits[..rows.len() * count], &mut self.late)?;
        let of_masks = &from.masks[masks];
        self.quiet.clear();
        if !from.full {
            let quiet = quiet::passing_chunk(sets, half, chunk);
            self.quiet.extend(of_masks.iter().map(|of_mask| *quiet.of_mask(of_mask.mask)));
        }
        self.starts = vec![0];
        let mut end = 0;
        for (i, MaskRows { rows, .. }) in of_masks.iter().enumerate() {
            end += rows.len() * quiet::count(self.words(i));
            self.starts.push(end);
        }
        resize(&mut self.bytes, end)?;
        let mut places = Vec::with_capacity(CHUNK_ORBITS);
        for (i, MaskRows { rows: of_mask, .. }) in of_masks.iter().enumerate() {
            places.clear();
            let has_cell = quiet::places(self.words(i));
            places.extend(has_cell.map(|place| place * rows.len() + of_mask.start - rows.start));
            let into = &mut self.bytes[self.starts[i]..self.starts[i + 1]];
            transpose(orbits, &places, of_mask.len(), into);
        }
        Ok(())
    }

    /// Which orbits have a cell under the `i`-th owner mask that was read.
    fn words(&self, i: usize) -> &[u64; WORDS] {
        self.quiet.get(i).unwrap_or(&self.all)
    }

    /// The cells of a row: of those that [`CellSource::rows`] gives for the owner mask at place `mask`,
    /// the one at place `row`. The mask was read from `from`.
    #[inline]
    pub fn row<'b>(&'b self, from: &'b CellSource, mask: usize, row: usize) -> RowCells<'b> {
        let at = mask - self.first_mask;
        let of_mask = &self.bytes[self.starts[at]..self.starts[at + 1]];
        let cells = of_mask.len() / from.masks[mask].rows.len();
        let bytes = &of_mask[row * cells..(row + 1) * cells];
        RowCells { bytes, chunk: self, from, mask, row }
    }
}

/// The cells of a row in a chunk.
#[derive(Clone, Copy)]
pub struct RowCells<'a> {
    bytes: &'a [u8],
    chunk: &'a ChunkCells,
    from: &'a CellSource<'a>,
    mask: usize,
    row: usize,
}

/// How many cells of a row have each WDL, and what the halved DTWs of those that are not drawn add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub wdls: [u64; 3],
    pub halves: u64,
}

impl RowCells<'_> {
    /// Adds the row's cells to a tally.
    #[inline]
    pub fn tally(&self, tally: &mut Tally) {
        // No count in a lane overflows, because a row has few cells.
        const { assert!(CHUNK_ORBITS / LANES <= 32) };
        let (mut draws, mut wins, mut halves) = ([0u8; LANES], [0u8; LANES], [0u16; LANES]);
        let (whole, rest) = self.bytes.as_chunks::<LANES>();
        let mut last = [DRAW_BYTE; LANES];
        last[..rest.len()].copy_from_slice(rest);
        for bytes in whole.iter().chain([&last]) {
            for (lane, &byte) in bytes.iter().enumerate() {
                let decided = if byte < LATE_BYTE { byte } else { 0 };
                draws[lane] += u8::from(byte == DRAW_BYTE);
                wins[lane] += decided & 1;
                halves[lane] += u16::from(decided / 2);
            }
        }
        let sum = |lanes: [u8; LANES]| lanes.into_iter().map(u64::from).sum::<u64>();
        let draws = sum(draws) - (LANES - rest.len()) as u64;
        tally.wdls[usize::from(DRAW)] += draws;
        tally.wdls[usize::from(WIN)] += sum(wins);
        tally.wdls[usize::from(LOSS)] += self.bytes.len() as u64 - draws - sum(wins);
        tally.halves += halves.into_iter().map(u64::from).sum::<u64>();
        for (_, distance) in self.late() {
            // It was counted as a loss in 0 plies.
            tally.wdls[usize::from(LOSS)] -= 1;
            tally.wdls[usize::from(stored_wdl(distance))] += 1;
            tally.halves += u64::from(distance.dtw().unwrap_or(0) / 2);
        }
    }

    /// Puts the WDL of each cell and the runs of equal ones in place of what `into` holds.
    #[inline]
    pub fn wdls(&self, into: &mut RowWdls) {
        into.len = self.bytes.len();
        for (wdl, &byte) in into.cells.iter_mut().zip(self.bytes) {
            let of_decided = if byte % 2 == 0 { LOSS } else { WIN };
            *wdl = if byte == DRAW_BYTE { DRAW } else { of_decided };
        }
        for (cell, distance) in self.late() {
            into.cells[cell] = stored_wdl(distance);
        }
        into.find_runs();
    }

    /// Puts the DTWs of the cells that are not drawn in place of what `into` holds.
    #[inline]
    pub fn dtws(&self, into: &mut RowDtws) {
        let mut len = 0;
        for &byte in self.bytes {
            // No branch depends on the value: a draw is overwritten by what comes next.
            into.dtws[len % CHUNK_ORBITS] = byte.into();
            len += usize::from(byte != DRAW_BYTE);
        }
        into.len = len;
        for (cell, distance) in self.late() {
            let before = self.bytes[..cell].iter().filter(|byte| **byte != DRAW_BYTE).count();
            into.dtws[before] = distance.dtw().unwrap_or(0);
        }
    }

    /// The cells whose distances are listed apart.
    #[inline]
    fn late(&self) -> impl Iterator<Item = (usize, Distance)> + '_ {
        let bytes = if self.chunk.late.is_empty() { &[] } else { self.bytes };
        let late = bytes.iter().enumerate().filter(|(_, byte)| **byte == LATE_BYTE);
        late.map(|(cell, _)| (cell, self.late_distance(cell)))
    }

    #[cold]
    fn late_distance(&self, cell: usize) -> Distance {
        let words = self.chunk.words(self.mask - self.chunk.first_mask);
        let row = self.from.masks[self.mask].rows.start + self.row;
        let late = &self.chunk.late;
        let found = quiet::places(words).nth(cell).and_then(|place| {
            let found = late.binary_search_by_key(&(place, row), |&(at, _)| at);
            found.ok().map(|i| late[i].1)
        });
        match found {
            Some(distance) => distance,
            None => unreachable!("as many distances are listed as there are bytes that say so"),
        }
    }
}

/// The WDLs of a row's cells.
pub struct RowWdls {
    /// Behind the last cell there may be anything.
    cells: [StoredWdl; CHUNK_ORBITS + LANES],
    len: usize,
    runs: Vec<WdlRun>,
}

impl Default for RowWdls {
    fn default() -> RowWdls {
        RowWdls { cells: [0; CHUNK_ORBITS + LANES], len: 0, runs: Vec::new() }
    }
}

impl RowWdls {
    /// The WDL of each cell.
    #[inline]
    pub fn cells(&self) -> &[StoredWdl] {
        &self.cells[..self.len]
    }

    /// The runs of equal WDLs.
    #[inline]
    pub fn runs(&self) -> &[WdlRun] {
        &self.runs
    }

    #[inline]
    fn find_runs(&mut self) {
        self.runs.clear();
        let mut start = 0;
        let mut add = |start: usize, end: usize| {
            if start < end {
                self.runs.push((self.cells[start], (end - start) as u16));
            }
        };
        for at in (0..self.len).step_by(LANES) {
            let lanes = |at| u8x16::new(std::array::from_fn(|lane| self.cells[at + lane]));
            // A bit for each cell after which another value comes.
            let mut ends = lanes(at).simd_ne(lanes(at + 1)).to_bitmask();
            while ends != 0 {
                let end = at + ends.trailing_zeros() as usize + 1;
                if end < self.len {
                    add(start, end);
                    start = end;
                }
                ends &= ends - 1;
            }
        }
        add(start, self.len);
    }
}

/// The DTWs of a row's cells that are not drawn.
pub struct RowDtws {
    dtws: [u16; CHUNK_ORBITS],
    len: usize,
}

impl Default for RowDtws {
    fn default() -> RowDtws {
        RowDtws { dtws: [0; CHUNK_ORBITS], len: 0 }
    }
}

impl RowDtws {
    /// The DTWs in the order of the cells.
    #[inline]
    pub fn dtws(&self) -> &[u16] {
        &self.dtws[..self.len]
    }
}

/// Makes a list of bytes this long. What it holds then means nothing.
fn resize(bytes: &mut Vec<u8>, len: usize) -> io::Result<()> {
    reserve_exact(bytes, len.saturating_sub(bytes.len()))?;
    bytes.resize(len, 0);
    Ok(())
}

/// Transposes bytes: those at `starts[i] + row` of `from`, for each row below `rows`, come to
/// `row × starts.len() + i`. Behind them, `from` has room for [`LANES`] more.
fn transpose(from: &[u8], starts: &[usize], rows: usize, into: &mut [u8]) {
    let cells = starts.len();
    // For fewer rows or cells, a byte at a time is faster.
    const FEWEST: usize = 3;
    let in_tiles = if cells < LANES { 0 } else { rows };
    let mut row = 0;
    while row + FEWEST <= in_tiles {
        let tile_rows = LANES.min(rows - row);
        for first in (0..cells).step_by(LANES) {
            // The last tile may overlap the one before.
            let first = first.min(cells - LANES);
            let line = |i: usize| {
                let at = starts[first + i] + row;
                u8x16::new(from[at..at + LANES].try_into().unwrap_or_default())
            };
            let tile = transposed(std::array::from_fn(line));
            for (i, line) in tile.iter().enumerate().take(tile_rows) {
                let at = (row + i) * cells + first;
                into[at..at + LANES].copy_from_slice(&line.to_array());
            }
        }
        row += tile_rows;
    }
    for row in row..rows {
        for (into, start) in into[row * cells..(row + 1) * cells].iter_mut().zip(starts) {
            *into = from[start + row];
        }
    }
}

/// The transpose of a square of bytes.
#[inline]
fn transposed(mut lines: [u8x16; LANES]) -> [u8x16; LANES] {
    // Laying the first half of the lines between the second half moves each bit of a byte's place by one;
    // after four times, line and lane have changed places.
    for _ in 0..LANES.ilog2() {
        lines = std::array::from_fn(|i| {
            let (a, b) = (lines[i / 2], lines[i / 2 + LANES / 2]);
            if i % 2 == 0 { u8x16::unpack_low(a, b) } else { u8x16::unpack_high(a, b) }
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::order::OrbitOrder;
    use super::super::spread::{Spread, Wanted};
    use super::*;
    use crate::processes::Alone;
    use crate::rules::Placement;
    use crate::values::SliceValues;
    use crate::values::bytes::Bytes;

    #[test]
    fn bytes_are_transposed() {
        for (rows, cells) in
            [(1, 40), (2, 16), (3, 17), (7, 500), (16, 16), (21, 33), (40, 5), (5, 0)]
        {
            let from: Vec<u8> =
                (0..rows * cells * 3 + LANES).map(|i| (i * 31 % 251) as u8).collect();
            let starts: Vec<usize> = (0..cells).map(|i| i * rows * 3).collect();
            let mut into = vec![0; rows * cells];
            transpose(&from, &starts, rows, &mut into);
            for (at, &byte) in into.iter().enumerate() {
                assert_eq!(byte, from[starts[at % cells] + at / cells], "{rows} {cells} {at}");
            }
        }
    }

    /// The distances of a row's cells, found one by one.
    fn plain_row(
        (from, slice): (&CellSource, &SliceValues),
        orbits: &[u32],
        (mask, row): (usize, usize),
    ) -> Vec<Distance> {
        let MaskRows { mask, rows } = &from.masks[mask];
        let sets = from.index.sets();
        let is_cell = |orbit: &&u32| {
            let set = sets.representative(**orbit as usize);
            from.full || !Placement::with_owners(set, *mask).must_capture()
        };
        let number = |orbit: &u32| *orbit as usize * from.index.rows() + rows.start + row;
        let cells = orbits.iter().filter(is_cell);
        cells.map(|orbit| slice.distance(number(orbit) as u64)).collect()
    }

    #[test]
    fn a_distance_that_is_listed_apart_and_missing_is_an_error() {
        let index = SliceIndex::new(2, 1, 2).unwrap();
        let positions = index.positions();
        let distance = Distance::new(Some(300)).unwrap();
        for listed in [positions, positions - 1, 0] {
            let late = (0..listed).map(|number| (number, distance)).collect();
            let bytes = Bytes::Memory(vec![190; positions as usize]);
            let slice = SliceValues::new(bytes, 190, late);
            let from = CellSource::new(&index, true);
            let spread = Spread::whole(&index, &slice);
            let chunks: Vec<(usize, usize)> = vec![(0, 0), (1, 0)];
            let wanted = [Wanted { chunks: &chunks, rows: from.rows_of(0..from.masks()) }];
            let values = spread.gather(&Alone, Ok(&wanted), &mut || false).unwrap();
            let (mut chunk, mut orbits) = (ChunkCells::default(), Vec::new());
            let read = [0, 1]
                .map(|at| chunk.read(&from, (&values, at), 0..from.masks(), &mut orbits).is_ok());
            assert_eq!(read == [true, true], listed == positions, "{listed}");
        }
    }

    #[test]
    fn cells_are_those_of_each_row() {
        let index = SliceIndex::new(3, 2, 4).unwrap();
        for (seed, full) in [(1u64, false), (5, true)] {
            // Long runs and short ones, and distances that are listed apart.
            let dtw = |i: u64| match i * seed / 7 % 5 {
                0 => None,
                1 => Some((i * i % 300) as u16),
                _ => Some((i / 90 % 3) as u16),
            };
            let distances = (0..index.positions()).map(|i| Distance::new(dtw(i)).unwrap());
            let slice = SliceValues::from_distances(distances);
            let from = CellSource::new(&index, full);
            let spread = Spread::whole(&index, &slice);
            let (mut chunk, mut orbits) = (ChunkCells::default(), Vec::new());
            let (mut wdls, mut dtws) = (RowWdls::default(), RowDtws::default());
            let order = OrbitOrder::of(index.sets());
            for (half, number) in [(0, 0), (0, 1), (1, 1)] {
                // All masks at once, or those behind the first one.
                let masks = half..from.masks();
                let rows = from.rows_of(masks.clone());
                let wanted = [Wanted { chunks: &[(half, number)], rows }];
                let values = spread.gather(&Alone, Ok(&wanted), &mut || false).unwrap();
                chunk.read(&from, (&values, 0), masks.clone(), &mut orbits).unwrap();
                for mask in masks {
                    for row in 0..from.rows(mask).len() {
                        let orbits = order.chunk(half, number);
                        let expected = plain_row((&from, &slice), orbits, (mask, row));
                        let found = chunk.row(&from, mask, row);
                        found.wdls(&mut wdls);
                        let stored: Vec<StoredWdl> =
                            expected.iter().map(|&distance| stored_wdl(distance)).collect();
                        assert_eq!(wdls.cells(), stored);
                        let same = stored.chunk_by(|a, b| a == b);
                        let runs: Vec<WdlRun> =
                            same.map(|run| (run[0], run.len() as u16)).collect();
                        assert_eq!(wdls.runs(), runs);
                        found.dtws(&mut dtws);
                        let decided: Vec<u16> =
                            expected.iter().filter_map(|distance| distance.dtw()).collect();
                        assert_eq!(dtws.dtws(), decided);
                        let mut tally = Tally::default();
                        found.tally(&mut tally);
                        let count = |wdl| stored.iter().filter(|&&w| w == wdl).count() as u64;
                        assert_eq!(tally.wdls, [LOSS, DRAW, WIN].map(count));
                        let halves = decided.iter().map(|&dtw| u64::from(dtw / 2)).sum();
                        assert_eq!(tally.halves, halves);
                    }
                }
            }
        }
    }
}
