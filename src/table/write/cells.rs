//! The cells of a chunk as the writer needs them: row by row.
//!
//! A slice has its values orbit by orbit, and a block has those of a row. So the values of a chunk are
//! transposed once, for each owner mask those of the orbits that have a cell under it. The bytes are those
//! of [`ByteCodes::PLAIN`].

use super::order::CHUNK_ORBITS;
use super::quiet;
use super::spread::{ChunkValues, Late};
use super::symbols::{DRAW, LOSS, StoredWdl, WIN};
use crate::index::MaskRows;
use crate::reserve::resize;
use crate::values::ByteCodes;
use std::io;
use std::ops::Range;
use wide::u8x16;

/// The byte of a cell whose distance is listed apart.
const LATE_BYTE: u8 = ByteCodes::PLAIN.late();
/// The byte of a drawn cell.
const DRAW_BYTE: u8 = ByteCodes::PLAIN.draw();

/// How many bytes are transposed at once.
const LANES: usize = 16;

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
        values: ChunkValues,
        masks: &[MaskRows],
        full: bool,
        orbits: &mut Vec<u8>,
    ) -> io::Result<()> {
        let (rows, count) = (all_rows(masks), values.orbits().len());
        // Behind the last orbit there is room, because whole lanes are read.
        resize(orbits, rows.len() * count + LANES)?;
        values.read(&mut orbits[..rows.len() * count], &mut self.late)?;
        let (half, chunk) = values.id();
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
        resize(&mut self.bytes, len)?;
        let mut rest = &mut *self.bytes;
        let mut places = Vec::with_capacity(CHUNK_ORBITS);
        for (MaskRows { mask, rows: of_mask }, &(_, cells)) in masks.iter().zip(&self.masks) {
            places.clear();
            let has_cell = quiet::places(cells_under(*mask));
            places.extend(has_cell.map(|place| place * rows.len() + of_mask.start - rows.start));
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
    /// Puts the WDL of each cell in place of what `into` holds.
    #[inline]
    pub fn wdls(&self, into: &mut Vec<StoredWdl>) {
        into.clear();
        into.extend(self.bytes.iter().map(|&byte| {
            let of_decided = if byte % 2 == 0 { LOSS } else { WIN };
            if byte == DRAW_BYTE { DRAW } else { of_decided }
        }));
        for (cell, late) in self.late() {
            into[cell] = late.distance.wdl_code();
        }
    }

    /// Puts the DTWs of the cells that are not drawn in place of what `into` holds.
    #[inline]
    pub fn dtws(&self, into: &mut Vec<u16>) {
        into.resize(self.bytes.len(), 0);
        let mut len = 0;
        for &byte in self.bytes {
            // No branch depends on the value: a draw is overwritten by what comes next.
            into[len] = byte.into();
            len += usize::from(byte != DRAW_BYTE);
        }
        into.truncate(len);
        for (cell, late) in self.late() {
            let before = self.bytes[..cell].iter().filter(|byte| **byte != DRAW_BYTE).count();
            into[before] = late.distance.dtw().unwrap_or(0);
        }
    }

    /// The sum of the halved DTWs of the cells that are not drawn, and how many these are.
    pub fn halved_sum(&self) -> (u64, u64) {
        let decided = self.bytes.iter().filter(|byte| **byte != DRAW_BYTE).count();
        let halved = |&byte: &u8| if byte == DRAW_BYTE { 0 } else { u32::from(byte / 2) };
        let sum = u64::from(self.bytes.iter().map(halved).sum::<u32>());
        let sum = self.late().fold(sum, |sum, (_, late)| {
            sum - u64::from(LATE_BYTE / 2) + u64::from(late.distance.dtw().unwrap_or(0) / 2)
        });
        (sum, decided as u64)
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
            let mut read = |at| chunk.read(values.chunk(at), &masks, true, &mut orbits).is_ok();
            assert_eq!(read(0) && read(1), listed == positions, "{listed}");
        }
    }
}
