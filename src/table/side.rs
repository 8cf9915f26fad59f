//! One slice of a table that is being made: choosing its codes, and coding its chunks.

use super::SliceStats;
use super::cells::{CellSource, ChunkCells, RowCells, RowDtws, RowWdls, Tally};
use super::classes::{Classes, Counter, Counts};
use super::model::{BlockWriter, Blocks, Codes, Model};
use super::order::{Half, OrbitOrder};
use super::symbols::{self, DtwSymbols, Symbols, WdlSymbols};
use crate::Progress;
use crate::index::SliceIndex;
use crate::values::SliceValues;
use rayon::prelude::*;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// About how many positions of each half are sampled to choose the codes.
const SAMPLE: u64 = 1 << 21;

/// A chunk of a half.
type ChunkId = (Half, usize);

/// One stored side to move of the slices being added.
pub struct Side<'a> {
    index: &'a SliceIndex,
    slice: &'a SliceValues,
    full: bool,
    cells: CellSource<'a>,
    order: &'static OrbitOrder,
    progress: &'a dyn Progress,
}

/// What a thread uses again from chunk to chunk.
#[derive(Default)]
pub struct Worker {
    /// The values of a chunk, orbit by orbit.
    orbits: Vec<u8>,
    chunk: ChunkCells,
    row: Row,
}

/// The values of a row in a chunk.
#[derive(Default)]
struct Row {
    wdls: RowWdls,
    dtws: RowDtws,
}

/// The cells of the chunks from which the codes of a slice are chosen.
pub struct Sample {
    chunks: Vec<(ChunkId, ChunkCells)>,
}

impl<'a> Side<'a> {
    /// A slice with its numbering. If it is `full`, capture positions are stored too.
    ///
    /// # Panics
    /// If the slice is not as long as its numbering says.
    pub fn new(
        (index, slice): (&'a SliceIndex, &'a SliceValues),
        full: bool,
        progress: &'a dyn Progress,
    ) -> Side<'a> {
        assert_eq!(slice.len(), index.positions());
        let cells = CellSource::new(index, slice, full);
        Side { index, slice, full, cells, order: OrbitOrder::of(index.sets()), progress }
    }

    pub fn index(&self) -> &'a SliceIndex {
        self.index
    }

    /// Whether capture positions are stored too.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Counts the positions of the slice.
    ///
    /// # Errors
    /// If the values cannot be read, or the work shall stop.
    pub fn stats(&self) -> io::Result<SliceStats> {
        self.pause()?;
        SliceStats::count(self.index, self.slice)
    }

    /// Fails if the work shall stop.
    fn pause(&self) -> io::Result<()> {
        let is_wanted = self.progress.should_stop();
        if is_wanted { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    /// The chunks of these halves.
    pub fn chunks(&self, halves: &[Half]) -> Vec<ChunkId> {
        let chunks = |&half: &Half| (0..self.order.chunks(half)).map(move |chunk| (half, chunk));
        halves.iter().flat_map(chunks).collect()
    }

    /// The chunks to sample in these halves, and whether any chunk is left out.
    fn sampled(&self, halves: &[Half]) -> (Vec<ChunkId>, bool) {
        let orbits: usize = halves.iter().map(|&half| self.order.orbits(half).len()).sum();
        let positions = orbits as u64 * self.index.rows() as u64;
        let step = (positions / (SAMPLE * halves.len() as u64)).max(1) as usize;
        (self.chunks(halves).into_iter().step_by(step).collect(), step > 1)
    }

    /// Reads the sample from which all codes of the slice are chosen.
    ///
    /// # Errors
    /// If the values cannot be read, or the work shall stop.
    pub fn sample(&self, workers: &mut [Worker]) -> io::Result<Sample> {
        let halves: [&[Half]; 3] = [&[0, 1], &[0], &[1]];
        let mut ids: Vec<ChunkId> = halves.iter().flat_map(|half| self.sampled(half).0).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut chunks = Vec::with_capacity(ids.len());
        for some in ids.chunks(workers.len()) {
            self.pause()?;
            let read = for_each_chunk(workers, some, |worker, id| {
                let mut chunk = ChunkCells::default();
                chunk.read(&self.cells, id, &mut worker.orbits)?;
                Ok((id, chunk))
            });
            chunks.extend(read?);
        }
        Ok(Sample { chunks })
    }

    /// How the rows are coded in the WDL file.
    pub fn wdl_model(&self, sample: &Sample) -> Model {
        // The value that the cells of the row hold most often.
        let usual = |tally: &Tally| (0..3).rev().max_by_key(|&i| tally.wdls[i]).unwrap_or(0) as u8;
        self.model::<WdlSymbols>(sample, &[0, 1], usual, |cells, usual, row, counter| {
            cells.wdls(&mut row.wdls);
            symbols::wdl_symbols(row.wdls.runs(), usual, |symbol| counter.count(symbol));
        })
    }

    /// How the rows are coded in the DTW file, if it has the DTWs of these halves.
    pub fn dtw_model(&self, sample: &Sample, halves: &[Half]) -> Model {
        // The mean halved DTW.
        let usual = |tally: &Tally| {
            let decided =
                tally.wdls[usize::from(symbols::LOSS)] + tally.wdls[usize::from(symbols::WIN)];
            ((tally.halves + decided / 2) / decided.max(1)).min(255) as u8
        };
        self.model::<DtwSymbols>(sample, halves, usual, |cells, usual, row, counter| {
            cells.dtws(&mut row.dtws);
            symbols::dtw_symbols(row.dtws.dtws(), usual, |symbol| counter.count(symbol));
        })
    }

    /// Chooses a model: each row's usual value from a tally of its cells, and its class by how often each
    /// symbol occurs.
    fn model<S: Symbols>(
        &self,
        sample: &Sample,
        halves: &[Half],
        usual: impl Fn(&Tally) -> u8 + Sync,
        count: impl Fn(RowCells, u8, &mut Row, &mut Counter) + Sync,
    ) -> Model {
        let (ids, is_part) = self.sampled(halves);
        let is_sampled = |(id, chunk)| ids.binary_search(id).is_ok().then_some(chunk);
        let chunks: Vec<&ChunkCells> =
            sample.chunks.iter().map(|(id, chunk)| (id, chunk)).filter_map(is_sampled).collect();
        let of_row = |mask, row, (values, counter): &mut (Row, Counter)| {
            let cells = || chunks.iter().map(|chunk| chunk.row(&self.cells, mask, row));
            let mut tally = Tally::default();
            cells().for_each(|cells| cells.tally(&mut tally));
            let usual = usual(&tally);
            cells().for_each(|cells| count(cells, usual, values, counter));
            (usual, counter.take())
        };
        let of_masks: Vec<Vec<(u8, Counts)>> = (0..self.cells.masks())
            .into_par_iter()
            .map_init(Default::default, |memory, mask| {
                let rows = 0..self.cells.rows(mask).len();
                rows.map(|row| of_row(mask, row, memory)).collect()
            })
            .collect();
        let (usual, counts): (Vec<u8>, Vec<Counts>) = of_masks.into_iter().flatten().unzip();
        Model { classes: Classes::new::<S>(&counts, is_part), usual }
    }

    /// Codes chunks: their blocks in the WDL file, and those in the DTW file if that has `halves`, a bit
    /// for each half.
    ///
    /// # Errors
    /// If the values cannot be read, or are not read back as they were coded, or the work shall stop.
    pub fn code(
        &self,
        workers: &mut [Worker],
        chunks: &[ChunkId],
        (wdl, dtw): (&Codes, &Codes),
        halves: u8,
    ) -> io::Result<Vec<(Blocks, Option<Blocks>)>> {
        self.pause()?;
        for_each_chunk(workers, chunks, |worker, (half, chunk)| {
            let Worker { orbits, chunk: cells, row: values } = worker;
            cells.read(&self.cells, (half, chunk), orbits)?;
            let with_dtw = halves >> half & 1 != 0;
            let (mut wdls, mut dtws) = (BlockWriter::default(), BlockWriter::default());
            for mask in 0..self.cells.masks() {
                for (place, row) in self.cells.rows(mask).enumerate() {
                    let found = cells.row(&self.cells, mask, place);
                    found.wdls(&mut values.wdls);
                    wdl.write_wdls(row, &values.wdls, &mut wdls)?;
                    if with_dtw {
                        found.dtws(&mut values.dtws);
                        dtw.write_dtws(row, &values.dtws, &mut dtws)?;
                    }
                }
            }
            Ok((wdls.finish(), with_dtw.then(|| dtws.finish())))
        })
    }
}

/// Lets the workers share the work on chunks. The results are in the order of the chunks.
fn for_each_chunk<T: Send>(
    workers: &mut [Worker],
    chunks: &[ChunkId],
    work: impl Fn(&mut Worker, ChunkId) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let of_worker = |worker: &mut Worker| {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&id) = chunks.get(at) else { return Ok(done) };
            done.push((at, work(worker, id)?));
        }
    };
    let parts = workers.par_iter_mut().with_max_len(1).map(of_worker);
    let mut done: Vec<(usize, T)> =
        parts.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(at, _)| at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
