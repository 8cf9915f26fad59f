//! One slice of a table that is being made: which cells it has, and coding its chunks.

use super::bits::{BitWriter, Blocks};
use super::cells::ChunkRows;
use super::crew::Crew;
use super::model::RowCodes;
use super::order::{ChunkId, Half, OrbitOrder};
use super::spread::{Gathered, Spread};
use crate::Progress;
use crate::index::{MaskRows, SliceIndex};
use std::io;

/// One stored side to move of the slices being added.
pub struct SliceWriter<'a> {
    pub spread: Spread<'a>,
    pub masks: Vec<MaskRows>,
    /// Whether capture positions are stored too.
    pub full: bool,
    progress: &'a dyn Progress,
}

/// How the rows of a slice are coded in both files.
pub struct SliceCodes<'a> {
    pub wdl: RowCodes<'a>,
    pub dtw: RowCodes<'a>,
    /// The halves whose DTWs are stored.
    pub halves: &'static [Half],
}

/// The blocks of a chunk in the WDL file and in the DTW file; none in the latter if it has not the half.
pub type ChunkBlocks = [Blocks; 2];

/// One block in so many is read back when it is coded, among them the first one of each half in each file. The
/// next chunk has other rows of which this is done.
const CHECKED: usize = 64;

/// What a thread uses again from chunk to chunk.
#[derive(Default)]
struct Buffers {
    /// The values of a chunk, orbit by orbit.
    orbits: Vec<u8>,
    rows: ChunkRows,
    /// The WDLs of a row.
    wdls: Vec<u8>,
}

impl<'a> SliceWriter<'a> {
    pub fn new(spread: Spread<'a>, full: bool, progress: &'a dyn Progress) -> SliceWriter<'a> {
        let masks = spread.index.mask_rows().collect();
        SliceWriter { spread, masks, full, progress }
    }

    pub fn index(&self) -> &SliceIndex {
        &self.spread.index
    }

    /// Fails if the work shall stop, as this process sees it.
    pub fn pause(&self) -> io::Result<()> {
        let is_wanted = self.progress.should_stop();
        if is_wanted { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    pub fn chunks(&self, halves: &[Half]) -> Vec<ChunkId> {
        OrbitOrder::of(self.index().sets()).chunks_of(halves).collect()
    }

    /// Codes the chunks that were read: row by row, in the order of the rows.
    ///
    /// # Errors
    /// If the values cannot be read, or a block that is read back holds other ones, or the work shall stop.
    pub fn code(
        &self,
        values: &Gathered,
        codes: &SliceCodes,
        crew: &Crew,
    ) -> io::Result<Vec<ChunkBlocks>> {
        self.pause()?;
        crew.threads.map(values.chunks(), Buffers::default, |at, buffers| {
            let Buffers { orbits, rows: cells, wdls } = buffers;
            cells.read(values, at, &self.masks, self.full, orbits)?;
            let (half, chunk) = values.id(at);
            let with_dtw = codes.halves.contains(&half);
            let (mut wdl_blocks, mut dtw_blocks) = (BitWriter::default(), BitWriter::default());
            for (mask, of_mask) in self.masks.iter().enumerate() {
                for row in of_mask.rows.clone() {
                    let found = cells.row(&self.masks, mask, row);
                    let checked = (row + chunk).is_multiple_of(CHECKED);
                    wdls.clear();
                    found.wdls(wdls);
                    codes.wdl.write_wdls(row, wdls, checked, &mut wdl_blocks)?;
                    if with_dtw {
                        codes.dtw.write_dtws(row, found.dtws(), checked, &mut dtw_blocks)?;
                    }
                }
            }
            Ok([wdl_blocks.finish(), dtw_blocks.finish()])
        })
    }
}
