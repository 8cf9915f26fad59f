//! One slice of a table that is being made: choosing its codes, and coding its chunks.

use super::SliceStats;
use super::cells::{CellSource, ChunkCells, RowCells, RowDtws, RowWdls, Tally};
use super::classes::{Classes, Counter, Counts};
use super::model::{BlockWriter, Blocks, Codes, Model};
use super::order::{Half, OrbitOrder};
use super::symbols::{self, DtwSymbols, WdlSymbols};
use crate::Progress;
use crate::index::SliceIndex;
use crate::values::SliceValues;
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// About how many positions of each half are sampled to choose the codes.
const SAMPLE: u64 = 1 << 21;

/// How many chunks of a sample each thread reads before it is asked whether to stop.
const CHUNKS_A_PAUSE: usize = 8;

/// About how many bytes of memory the sample takes of a slice with this many positions.
pub fn sample_memory(positions: u64) -> u64 {
    // Up to twice as many of both halves, and some more of each half alone. At most about three quarters
    // are quiet. For each owner mask, a chunk has a bit for each orbit beside them.
    positions.min(9 * SAMPLE / 2) * 7 / 8
}

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

/// The cells of the chunks from which the codes of a slice are chosen, those of some owner masks.
pub struct Sample {
    masks: Range<usize>,
    chunks: Vec<(ChunkId, ChunkCells)>,
}

/// How one of the two files codes what it holds of the cells of these halves.
#[derive(Clone, Copy)]
pub enum Way {
    Wdl,
    Dtw(&'static [Half]),
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
    pub fn pause(&self) -> io::Result<()> {
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

    /// Reads the sample from which the codes of the slice are chosen, for some owner masks.
    fn read_sample(&self, masks: Range<usize>, workers: &mut [Worker]) -> io::Result<Sample> {
        let halves: [&[Half]; 3] = [&[0, 1], &[0], &[1]];
        let mut ids: Vec<ChunkId> = halves.iter().flat_map(|half| self.sampled(half).0).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut chunks = Vec::with_capacity(ids.len());
        for some in ids.chunks(CHUNKS_A_PAUSE * workers.len()) {
            self.pause()?;
            let read = for_each_chunk(workers, some, |worker, id| {
                let mut chunk = ChunkCells::default();
                chunk.read(&self.cells, id, masks.clone(), &mut worker.orbits)?;
                Ok((id, chunk))
            });
            chunks.extend(read?);
        }
        Ok(Sample { masks, chunks })
    }

    /// Divides the owner masks so that a sample of each part takes at most this many bytes, if it is
    /// of more than one owner mask.
    fn parts(&self, sample_bytes: u64) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut start, mut taken) = (0, 0);
        let all = sample_memory(self.index.positions());
        for mask in 0..self.cells.masks() {
            let rows = self.cells.rows(mask).len() as u64;
            let takes = all * rows / self.index.rows() as u64;
            if mask > start && taken + takes > sample_bytes {
                parts.push(start..mask);
                (start, taken) = (mask, 0);
            }
            taken += takes;
        }
        parts.push(start..self.cells.masks());
        parts
    }

    /// How the rows are coded in one of the files. The sample takes at most about this many bytes; if
    /// that is enough to hold it, it stays in `sample` for the next call.
    ///
    /// # Errors
    /// If the values cannot be read, or the work shall stop.
    pub fn model(
        &self,
        way: Way,
        (sample, sample_bytes): (&mut Option<Sample>, u64),
        workers: &mut [Worker],
    ) -> io::Result<Model> {
        let mut rows = Vec::with_capacity(self.index.rows());
        for part in self.parts(sample_bytes) {
            let sample = match sample.take().filter(|sample| sample.masks == part) {
                Some(kept) => sample.insert(kept),
                None => sample.insert(self.read_sample(part, workers)?),
            };
            rows.extend(match way {
                Way::Wdl => self.count_wdls(sample),
                Way::Dtw(halves) => self.count_dtws(sample, halves),
            });
        }
        let (usual, counts): (Vec<u8>, Vec<Counts>) = rows.into_iter().unzip();
        let classes = match way {
            Way::Wdl => Classes::new::<WdlSymbols>(&counts, self.sampled(&[0, 1]).1),
            Way::Dtw(halves) => Classes::new::<DtwSymbols>(&counts, self.sampled(halves).1),
        };
        Ok(Model { classes, usual })
    }

    /// For each row of a sample, its usual WDL and how often each symbol occurs.
    fn count_wdls(&self, sample: &Sample) -> Vec<(u8, Counts)> {
        // The value that the cells of the row hold most often.
        let usual = |tally: &Tally| (0..3).rev().max_by_key(|&i| tally.wdls[i]).unwrap_or(0) as u8;
        self.count(sample, &[0, 1], usual, |cells, usual, row, counter| {
            cells.wdls(&mut row.wdls);
            symbols::wdl_symbols(row.wdls.runs(), usual, |symbol| counter.count(symbol));
        })
    }

    /// For each row of a sample, its usual DTW and how often each symbol occurs in these halves.
    fn count_dtws(&self, sample: &Sample, halves: &[Half]) -> Vec<(u8, Counts)> {
        // The mean halved DTW.
        let usual = |tally: &Tally| {
            let [losses, _, wins] = tally.wdls;
            let decided = losses + wins;
            ((tally.halves + decided / 2) / decided.max(1)).min(255) as u8
        };
        self.count(sample, halves, usual, |cells, usual, row, counter| {
            cells.dtws(&mut row.dtws);
            symbols::dtw_symbols(row.dtws.dtws(), usual, |symbol| counter.count(symbol));
        })
    }

    /// For each row of a sample, its usual value, chosen from a tally of its cells, and how often each
    /// symbol occurs.
    fn count(
        &self,
        sample: &Sample,
        halves: &[Half],
        usual: impl Fn(&Tally) -> u8 + Sync,
        count: impl Fn(RowCells, u8, &mut Row, &mut Counter) + Sync,
    ) -> Vec<(u8, Counts)> {
        let (ids, _) = self.sampled(halves);
        let is_sampled = |(id, _): &&(ChunkId, ChunkCells)| ids.binary_search(id).is_ok();
        let chunks: Vec<&ChunkCells> =
            sample.chunks.iter().filter(is_sampled).map(|(_, chunk)| chunk).collect();
        let of_row = |mask, row, (values, counter): &mut (Row, Counter)| {
            let cells = || chunks.iter().map(|chunk| chunk.row(&self.cells, mask, row));
            let mut tally = Tally::default();
            cells().for_each(|cells| cells.tally(&mut tally));
            let usual = usual(&tally);
            cells().for_each(|cells| count(cells, usual, values, counter));
            (usual, counter.take())
        };
        let of_masks: Vec<Vec<(u8, Counts)>> = sample
            .masks
            .clone()
            .into_par_iter()
            .map_init(Default::default, |memory, mask| {
                let rows = 0..self.cells.rows(mask).len();
                rows.map(|row| of_row(mask, row, memory)).collect()
            })
            .collect();
        of_masks.into_iter().flatten().collect()
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
            let masks = 0..self.cells.masks();
            cells.read(&self.cells, (half, chunk), masks, orbits)?;
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
