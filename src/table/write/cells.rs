//! The cells of a chunk as the writer needs them: row by row.
//!
//! A slice has its values orbit by orbit, and a block has those of a row. So the values of a chunk are
//! transposed once, for each owner mask those of the orbits that have a cell under it. The bytes are those
//! of [`ByteCodes::PLAIN`].

use super::order::CHUNK_ORBITS;
use super::quiet;
use super::spread::{Gathered, Late};
use super::symbols::{DRAW, LOSS, StoredWdl, WIN};
use crate::index::MaskRows;
use crate::values::ByteCodes;
use std::io;
use std::ops::Range;

/// The byte of a cell whose distance is listed apart.
const LATE_BYTE: u8 = ByteCodes::PLAIN.late();
/// The byte of a drawn cell.
const DRAW_BYTE: u8 = ByteCodes::PLAIN.draw();

/// How many bytes are transposed at once.
const LANES: usize = 16;
/// So many bytes that follow one another. The compiler keeps them in one register where the processor has such.
type Line = [u8; LANES];

/// The rows of several owner masks, which follow one another.
pub fn all_rows(masks: &[MaskRows]) -> Range<usize> {
    match (masks.first(), masks.last()) {
        (Some(first), Some(last)) => first.rows.start..last.rows.end,
        _ => 0..0,
    }
}

/// The cells of a chunk, row by row.
#[derive(Default)]
pub struct ChunkRows {
    /// For each owner mask that was read, where its cells begin, and how many a row has.
    masks: Vec<(usize, usize)>,
    bytes: Vec<u8>,
    /// The distances of the cells that say so, by row and cell.
    late: Vec<Late>,
}

impl ChunkRows {
    /// Reads the rows of these owner masks, at least one, in place of what is here. If the slice is
    /// `full`, all positions have cells, and otherwise those that are quiet. `orbits` holds the values
    /// orbit by orbit meanwhile.
    pub fn read(
        &mut self,
        values: &Gathered,
        at: usize,
        masks: &[MaskRows],
        full: bool,
        orbits: &mut Vec<u8>,
    ) -> io::Result<()> {
        let (rows, count) = (all_rows(masks), values.orbits(at).len());
        // Behind the last orbit there is room, because whole lanes are read.
        orbits.resize(rows.len() * count + LANES, 0);
        values.read(at, &mut orbits[..rows.len() * count], &mut self.late)?;
        let (half, chunk) = values.id(at);
        let quiet = (!full).then(|| quiet::passing_chunk(values.sets(), half, chunk));
        let all = quiet::first(count);
        let cells_under = |mask: u32| quiet.as_ref().map_or(&all, |quiet| quiet.of_mask(mask));
        let mut len = 0;
        self.masks.clear();
        for MaskRows { mask, rows } in masks {
            let cells = quiet::count(cells_under(*mask));
            self.masks.push((len, cells));
            len += cells * rows.len();
        }
        self.bytes.resize(len, 0);
        let mut rest = &mut *self.bytes;
        let mut places = Vec::with_capacity(CHUNK_ORBITS);
        for (MaskRows { mask, rows: of_mask }, &(_, cells)) in masks.iter().zip(&self.masks) {
            places.clear();
            let first = of_mask.start - rows.start;
            quiet::places(cells_under(*mask))
                .for_each(|place| places.push(place * rows.len() + first));
            let (into, others) = rest.split_at_mut(cells * of_mask.len());
            transpose(orbits, &places, of_mask.len(), into);
            rest = others;
        }
        self.late.retain(|late| {
            let of_row = &masks[masks.partition_point(|of_mask| of_mask.rows.end <= late.row)];
            quiet::bit_and_rank(cells_under(of_row.mask), late.place).0
        });
        self.late.sort_unstable_by_key(|late| (late.row, late.place));
        Ok(())
    }

    /// The cells of a row, which is one of those of the owner mask at place `mask` of `masks`, which were
    /// read.
    #[inline]
    pub fn row(&self, masks: &[MaskRows], mask: usize, row: usize) -> RowCells<'_> {
        let (start, cells) = self.masks[mask];
        let first = start + (row - masks[mask].rows.start) * cells;
        let from = self.late.partition_point(|late| late.row < row);
        RowCells { row, bytes: &self.bytes[first..first + cells], late: &self.late[from..] }
    }
}

/// The cells of a row in a chunk.
#[derive(Clone, Copy)]
pub struct RowCells<'a> {
    row: usize,
    bytes: &'a [u8],
    /// The distances that are listed apart, those of the row first.
    late: &'a [Late],
}

impl RowCells<'_> {
    /// Appends the WDL of each cell.
    #[inline]
    pub fn wdls(&self, into: &mut Vec<StoredWdl>) {
        let first = into.len();
        into.extend(self.bytes.iter().map(|&byte| {
            let of_decided = if byte % 2 == 0 { LOSS } else { WIN };
            if byte == DRAW_BYTE { DRAW } else { of_decided }
        }));
        for (cell, late) in self.late() {
            into[first + cell] = late.distance.wdl_code();
        }
    }

    /// The DTWs of the cells that are not drawn.
    #[inline]
    pub fn dtws(&self) -> impl Iterator<Item = u16> + Clone {
        let mut late = self.late.iter();
        self.bytes.iter().filter_map(move |&byte| match byte {
            DRAW_BYTE => None,
            LATE_BYTE => late.next().map(|late| late.distance.dtw().unwrap_or(0)),
            byte => Some(byte.into()),
        })
    }

    /// The sum of the halved DTWs of the cells that are not drawn, and how many these are.
    pub fn halved_sum(&self) -> (u64, u64) {
        // A block has so few cells that the sums of its bytes fit.
        let sum = |of: fn(u8) -> u16| self.bytes.iter().map(|&byte| of(byte)).sum::<u16>();
        let draws = sum(|byte| (byte == DRAW_BYTE).into());
        let halved = sum(|byte| if byte == DRAW_BYTE { 0 } else { (byte / 2).into() });
        let halved = self.late().fold(u64::from(halved), |sum, (_, late)| {
            sum - u64::from(LATE_BYTE / 2) + u64::from(late.distance.dtw().unwrap_or(0) / 2)
        });
        (halved, self.bytes.len() as u64 - u64::from(draws))
    }

    /// The cells whose distances are listed apart.
    #[inline]
    fn late(&self) -> impl Iterator<Item = (usize, &Late)> {
        let late = self.late.iter().take_while(|late| late.row == self.row);
        let bytes = if self.late.is_empty() { &[] } else { self.bytes };
        let cells = bytes.iter().enumerate().filter(|(_, byte)| **byte == LATE_BYTE);
        cells.map(|(cell, _)| cell).zip(late)
    }
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
            let starts = &starts[first..first + LANES];
            let line = |i: usize| {
                let line = from[starts[i] + row..].first_chunk();
                *line.unwrap_or(&[0; LANES])
            };
            let tile = transposed(std::array::from_fn(line));
            for (i, line) in tile.iter().enumerate().take(tile_rows) {
                let at = (row + i) * cells + first;
                into[at..at + LANES].copy_from_slice(line);
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
fn transposed(lines: [Line; LANES]) -> [Line; LANES] {
    // This moves each bit of a byte's place by one; after four times, line and lane have changed places.
    // A loop would keep the lines in memory.
    interleaved(interleaved(interleaved(interleaved(lines))))
}

/// Lays the first half of the lines between the second half, byte by byte.
#[inline]
fn interleaved(lines: [Line; LANES]) -> [Line; LANES] {
    let mut result = [[0; LANES]; LANES];
    for i in 0..LANES / 2 {
        // The compiler makes two instructions of this loop.
        let mut both = [0; 2 * LANES];
        for lane in 0..LANES {
            both[2 * lane] = lines[i][lane];
            both[2 * lane + 1] = lines[i + LANES / 2][lane];
        }
        let (lines, _) = both.as_chunks();
        result[2 * i..2 * i + 2].copy_from_slice(lines);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::spread::{Spread, Wanted};
    use super::*;
    use crate::index::SliceIndex;
    use crate::processes::Alone;
    use crate::values::bytes::Bytes;
    use crate::values::{Distance, SliceValues};

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

    #[test]
    fn a_distance_that_is_listed_apart_and_missing_is_an_error() {
        let index = SliceIndex::new(2, 1, 2).unwrap();
        let positions = index.positions();
        let distance = Distance::new(Some(300)).unwrap();
        for listed in [positions, positions - 1, 0] {
            let late = (0..listed).map(|number| (number, distance)).collect();
            let bytes = Bytes::Memory(vec![190; positions as usize]);
            let slice = SliceValues::new(bytes, 190, late);
            let masks: Vec<MaskRows> = index.mask_rows().collect();
            let spread = Spread::whole(index.clone(), &slice);
            let wanted = [Wanted { chunks: &[(0, 0), (1, 0)], rows: all_rows(&masks) }];
            let values = spread.gather(&Alone, Ok(&wanted), &mut || false).unwrap();
            let (mut chunk, mut orbits) = (ChunkRows::default(), Vec::new());
            let mut read = |at| chunk.read(&values, at, &masks, true, &mut orbits).is_ok();
            assert_eq!(read(0) && read(1), listed == positions, "{listed}");
        }
    }
}
