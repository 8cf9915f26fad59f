//! What a table stores of a slice, decoded chunk by chunk on several threads.

use super::shared::SharedWdls;
use crate::table::{ChunkId, Half, OrbitOrder, SliceInfo, Table, TableError};
use crate::threads::Threads;
use crate::values::{ByteCodes, Distance};

/// The results of a slice that are stored.
pub fn decode_wdls(
    table: &Table,
    info: &SliceInfo,
    threads: Threads,
) -> Result<SharedWdls, TableError> {
    let (orbits, rows) = (info.index().orbits(), info.index().rows());
    let wdls = SharedWdls::unknown(orbits, rows).map_err(|_| TableError::Memory)?;
    of_each_chunk(info, &[0, 1], threads, |half, chunk, orbits, codes| {
        let write = |place: usize, row, codes: &[u8]| {
            wdls.write(orbits[place] as usize, row, codes);
        };
        let mut tile = Tile::new(codes, orbits.len(), rows, SharedWdls::UNKNOWN, write);
        table.each_stored_wdl(info, half, chunk, |places, row, wdl| {
            let codes = tile.row(row);
            for &place in places {
                codes[usize::from(place) * TILE_ROWS] = wdl as u8;
            }
        })?;
        tile.write();
        Ok(())
    })?;
    Ok(wdls)
}

/// Decodes the values of a slice that are stored with their distances. `write` writes the codes of an orbit
/// from a row on. The result lists the distances that do not fit a byte, by number of the position, rising.
pub fn decode_values(
    table: &Table,
    info: &SliceInfo,
    threads: Threads,
    write: impl Fn(usize, usize, &[u8]) + Sync,
) -> Result<Vec<(u64, Distance)>, TableError> {
    let (halves, rows) = (info.dtw_halves()?, info.index().rows());
    let late = of_each_chunk(info, halves, threads, |half, chunk, orbits, codes| {
        let write = |place: usize, row, codes: &[u8]| write(orbits[place] as usize, row, codes);
        let mut tile = Tile::new(codes, orbits.len(), rows, ByteCodes::UNKNOWN, write);
        let mut late = Vec::new();
        table.each_stored_distance(info, half, chunk, |place, row, distance| {
            let code = ByteCodes::PLAIN.byte(distance);
            tile.row(row)[place * TILE_ROWS] = code;
            if code == ByteCodes::PLAIN.late() {
                let number = u64::from(orbits[place]) * rows as u64 + row as u64;
                late.push((number, distance));
            }
        })?;
        tile.write();
        Ok(late)
    })?;
    let mut all = late.concat();
    all.sort_unstable_by_key(|&(number, _)| number);
    Ok(all)
}

/// What `of_chunk` makes of each chunk of these halves of a slice. It gets the chunk's half, number and
/// orbits, and what a thread keeps from chunk to chunk.
pub fn of_each_chunk<T: Send>(
    info: &SliceInfo,
    halves: &[Half],
    threads: Threads,
    of_chunk: impl Fn(Half, usize, &[u32], &mut Vec<u8>) -> Result<T, TableError> + Sync,
) -> Result<Vec<T>, TableError> {
    let order = OrbitOrder::with_memory(info.index().sets())?;
    let chunks: Vec<ChunkId> = order.chunks_of(halves).collect();
    threads.map(chunks.len(), Vec::new, |number, codes| {
        let (half, chunk) = chunks[number];
        of_chunk(half, chunk, order.chunk(half, chunk), codes)
    })
}

/// How many rows of a chunk are decoded before their codes are written: as many as fit the processor's
/// nearest cache.
const TILE_ROWS: usize = 64;

/// The codes of some rows of a chunk. They come row by row, and are written orbit by orbit.
struct Tile<'a, Write> {
    /// The codes of the first orbit's rows, of the second one's and so on.
    codes: &'a mut Vec<u8>,
    first_row: usize,
    /// How many rows each orbit has.
    rows: usize,
    unknown: u8,
    /// Writes the codes of an orbit from a row on.
    write: Write,
}

impl<'a, Write: FnMut(usize, usize, &[u8])> Tile<'a, Write> {
    fn new(
        codes: &'a mut Vec<u8>,
        orbits: usize,
        rows: usize,
        unknown: u8,
        write: Write,
    ) -> Tile<'a, Write> {
        codes.clear();
        codes.resize(orbits * TILE_ROWS, unknown);
        Tile { codes, first_row: 0, rows, unknown, write }
    }

    /// The place of the code of the first orbit in a row. Those of the others follow, each [`TILE_ROWS`]
    /// after the one before. Rows must rise.
    #[inline]
    fn row(&mut self, row: usize) -> &mut [u8] {
        if row >= self.first_row + TILE_ROWS {
            self.write();
            self.first_row = row / TILE_ROWS * TILE_ROWS;
        }
        &mut self.codes[row - self.first_row..]
    }

    /// Writes what has come.
    #[inline(never)]
    fn write(&mut self) {
        let rows = TILE_ROWS.min(self.rows - self.first_row);
        for (place, codes) in self.codes.chunks(TILE_ROWS).enumerate() {
            (self.write)(place, self.first_row, &codes[..rows]);
        }
        self.codes.fill(self.unknown);
    }
}
