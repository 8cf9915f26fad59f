//! One slice of a table that is being made: choosing its codes, and coding its chunks.

use super::SliceStats;
use super::cells::{CellSource, ChunkCells, RowCells, RowDtws, RowWdls, Tally};
use super::classes::{Classes, Counter, Counts};
use super::model::{BlockWriter, Blocks, Codes, Model};
use super::order::{Half, OrbitOrder};
use super::spread::{ChunkId, Gathered, Spread, Wanted};
use super::symbols::{self, DtwSymbols, WdlSymbols};
use crate::Progress;
use crate::index::SliceIndex;
use crate::processes::{Processes, agree, gather};
use crate::reserve::{push, reserve, reserve_exact};
use rayon::prelude::*;
use std::collections::TryReserveError;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// About how many positions of each half are sampled to choose the codes.
const SAMPLE: u64 = 1 << 21;

/// How many chunks of a sample each thread reads before it is asked whether to stop.
const CHUNKS_A_PAUSE: usize = 8;

/// About how many bytes of memory the sample takes of a slice with this many positions, of which the
/// largest chunk has `chunk`.
pub fn sample_memory(positions: u64, chunk: u64) -> u64 {
    // Up to twice as many of both halves, and some more of each half alone; and at least a chunk of each
    // half. At most about three quarters are quiet. For each owner mask, a chunk has a bit for each orbit
    // beside them.
    positions.min((9 * SAMPLE / 2).max(2 * chunk)) * 7 / 8
}

/// Whether a chunk of each half is more than the sample would have to be.
pub fn is_chunk_enough(chunk: u64) -> bool {
    2 * chunk > 9 * SAMPLE / 2
}

/// One stored side to move of the slices being added.
pub struct Side<'a> {
    index: &'a SliceIndex,
    spread: Spread<'a>,
    full: bool,
    cells: CellSource<'a>,
    order: &'static OrbitOrder,
    progress: &'a dyn Progress,
}

/// The processes that add slices together, seen by one of them, and what it works with.
pub struct Crew<'a> {
    pub processes: &'a dyn Processes,
    /// For each process, how many chunks it codes before they are written.
    batches: Vec<usize>,
    /// About how many bytes of a sample each process holds at most.
    sample_bytes: u64,
    workers: Vec<Worker>,
}

impl<'a> Crew<'a> {
    /// A crew in which this process codes `batch` chunks before they are written, with so many `workers`. At
    /// most about `sample_bytes` of a sample are held by each process.
    ///
    /// # Errors
    /// As [`Processes::sum`].
    pub fn new(
        processes: &'a dyn Processes,
        (batch, workers): (usize, usize),
        sample_bytes: u64,
    ) -> io::Result<Crew<'a>> {
        let count = processes.count();
        // Every process fills in its own places.
        let mut numbers = vec![0; 2 * count];
        numbers[processes.number()] = batch as u64;
        numbers[count + processes.number()] = sample_bytes;
        let numbers = processes.sum(&numbers)?;
        let (batches, bytes) = numbers.split_at(count);
        Ok(Crew {
            processes,
            batches: batches.iter().map(|&batch| batch as usize).collect(),
            sample_bytes: bytes.iter().copied().min().unwrap_or(0),
            workers: (0..workers).map(|_| Worker::default()).collect(),
        })
    }

    /// Divides chunks into rounds: in each of them, for each process, the chunks that it codes.
    pub fn rounds<'c>(&self, chunks: &'c [ChunkId]) -> Vec<Vec<&'c [ChunkId]>> {
        let of_round = |mut rest: &'c [ChunkId]| {
            let of_process = |batch: &usize| {
                let (some, others) = rest.split_at((*batch).min(rest.len()));
                rest = others;
                some
            };
            self.batches.iter().map(of_process).collect()
        };
        chunks.chunks(self.batches.iter().sum()).map(of_round).collect()
    }

    /// How many chunks of a sample are read before it is asked whether to stop.
    fn chunks_a_pause(&self) -> usize {
        match &*self.batches {
            // What other processes send of the chunks takes memory.
            [_, _, ..] => self.batches.iter().sum(),
            _ => CHUNKS_A_PAUSE * self.workers.len(),
        }
    }
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
    /// The round in which all processes have read theirs.
    round: usize,
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
    /// The values of a slice. If it is `full`, capture positions are stored too.
    pub fn new(spread: Spread<'a>, full: bool, progress: &'a dyn Progress) -> Side<'a> {
        let index = spread.index();
        let cells = CellSource::new(index, full);
        Side { index, spread, full, cells, order: OrbitOrder::of(index.sets()), progress }
    }

    pub fn index(&self) -> &'a SliceIndex {
        self.index
    }

    /// Whether capture positions are stored too.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Counts the positions of the slice. Only process 0 gets the result.
    ///
    /// # Errors
    /// If the values cannot be read, or the work shall stop.
    pub fn stats(&self, processes: &dyn Processes) -> io::Result<SliceStats> {
        agree(processes, self.pause())?;
        SliceStats::count_spread(&self.spread, processes)
    }

    /// Fails if the work shall stop, as this process sees it.
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

    /// Reads the sample from which the codes of the slice are chosen. For each process, `masks` says which
    /// owner masks it reads.
    fn read_sample(
        &self,
        (round, masks): (usize, &[Range<usize>]),
        crew: &mut Crew,
    ) -> io::Result<Sample> {
        let halves: [&[Half]; 3] = [&[0, 1], &[0], &[1]];
        let mut ids: Vec<ChunkId> = halves.iter().flat_map(|half| self.sampled(half).0).collect();
        ids.sort_unstable();
        ids.dedup();
        let own = masks[crew.processes.number()].clone();
        let mut chunks = Vec::new();
        for some in ids.chunks(crew.chunks_a_pause()) {
            let of_process = |masks: &Range<usize>| Wanted {
                chunks: some,
                rows: self.cells.rows_of(masks.clone()),
            };
            let wanted: Vec<Wanted> = masks.iter().map(of_process).collect();
            let wanted = self.pause().map(|()| &*wanted);
            let values = self.spread.gather(crew.processes, wanted, &mut || false)?;
            let places = if own.is_empty() { 0..0 } else { 0..some.len() };
            let read = for_each_chunk(&mut crew.workers, places, |worker, at| {
                let mut chunk = ChunkCells::default();
                chunk.read(&self.cells, (&values, at), own.clone(), &mut worker.orbits)?;
                Ok((some[at], chunk))
            });
            chunks.extend(agree(crew.processes, read)?);
        }
        Ok(Sample { round, masks: own, chunks })
    }

    fn sample_memory(&self) -> u64 {
        let orbits = [0, 1].map(|half| self.order.chunk(half, 0).len()).into_iter().max();
        let chunk = orbits.unwrap_or(0) * self.index.rows();
        sample_memory(self.index.positions(), chunk as u64)
    }

    /// Divides the owner masks so that a sample of each part takes at most this many bytes, if it is
    /// of more than one owner mask. There are as many parts for each of so many processes, and about as much
    /// in each; if there are few owner masks, the last parts are empty.
    fn parts(&self, sample_bytes: u64, processes: usize) -> Vec<Range<usize>> {
        let all = self.sample_memory();
        let masks = self.cells.masks();
        let takes = |mask: usize| {
            let rows = self.cells.rows(mask).len() as u64;
            all * rows / self.index.rows() as u64
        };
        let parts_of = |bytes: u64| {
            let mut parts = Vec::new();
            let (mut start, mut taken) = (0, 0);
            for mask in 0..masks {
                if mask > start && taken + takes(mask) > bytes {
                    parts.push(start..mask);
                    (start, taken) = (mask, 0);
                }
                taken += takes(mask);
            }
            parts.push(start..masks);
            parts
        };
        let (mut least, mut enough) = (0, sample_bytes.min(all));
        let count = parts_of(enough).len().next_multiple_of(processes);
        while least < enough {
            let middle = least + (enough - least) / 2;
            match parts_of(middle).len() <= count {
                true => enough = middle,
                false => least = middle + 1,
            }
        }
        let mut parts = parts_of(enough);
        parts.resize(count, masks..masks);
        parts
    }

    /// How the rows are coded in one of the files. Only process 0 gets the result. The sample that a process
    /// holds takes at most about as many bytes as the crew says; if that is enough to hold its share, it
    /// stays in `sample` for the next call.
    ///
    /// # Errors
    /// If the values cannot be read, or the work shall stop.
    pub fn model(
        &self,
        way: Way,
        sample: &mut Option<Sample>,
        crew: &mut Crew,
    ) -> io::Result<Option<Model>> {
        let processes = crew.processes;
        let mut rows = Vec::new();
        let parts = self.parts(crew.sample_bytes, processes.count());
        for (round, masks) in parts.chunks(processes.count()).enumerate() {
            let sample = match sample.take().filter(|sample| sample.round == round) {
                Some(kept) => sample.insert(kept),
                None => sample.insert(self.read_sample((round, masks), crew)?),
            };
            let counted = match way {
                Way::Wdl => self.count_wdls(sample),
                Way::Dtw(halves) => self.count_dtws(sample, halves),
            };
            for of_process in gather(processes, counted)? {
                let of_process = of_process?;
                reserve(&mut rows, of_process.len())?;
                rows.extend(of_process);
            }
        }
        if processes.number() != 0 {
            return Ok(None);
        }
        let (mut usual, mut counts) = (Vec::new(), Vec::new());
        reserve_exact(&mut usual, rows.len())?;
        reserve_exact(&mut counts, rows.len())?;
        for (of_row, counted) in rows {
            usual.push(of_row);
            counts.push(counted);
        }
        let classes = match way {
            Way::Wdl => Classes::new::<WdlSymbols>(&counts, self.sampled(&[0, 1]).1),
            Way::Dtw(halves) => Classes::new::<DtwSymbols>(&counts, self.sampled(halves).1),
        };
        Ok(Some(Model { classes, usual }))
    }

    /// For each row of a sample, its usual WDL and how often each symbol occurs.
    fn count_wdls(&self, sample: &Sample) -> io::Result<Vec<(u8, Counts)>> {
        // The value that the cells of the row hold most often.
        let usual = |tally: &Tally| (0..3).rev().max_by_key(|&i| tally.wdls[i]).unwrap_or(0) as u8;
        self.count(sample, &[0, 1], usual, |cells, usual, row, counter| {
            cells.wdls(&mut row.wdls);
            symbols::wdl_symbols(row.wdls.runs(), usual, |symbol| counter.count(symbol));
        })
    }

    /// For each row of a sample, its usual DTW and how often each symbol occurs in these halves.
    fn count_dtws(&self, sample: &Sample, halves: &[Half]) -> io::Result<Vec<(u8, Counts)>> {
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
    ) -> io::Result<Vec<(u8, Counts)>> {
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
            Ok::<_, TryReserveError>((usual, counter.take()?))
        };
        let of_mask = |memory: &mut (Row, Counter), mask| {
            let (rows, mut counted) = (self.cells.rows(mask).len(), Vec::new());
            reserve_exact(&mut counted, rows)?;
            (0..rows).try_for_each(|row| push(&mut counted, of_row(mask, row, memory)?))?;
            Ok(counted)
        };
        let of_masks = sample.masks.clone().into_par_iter().map_init(Default::default, of_mask);
        let of_masks = of_masks.collect::<Result<Vec<Vec<_>>, TryReserveError>>()?;
        let mut counted = Vec::new();
        reserve_exact(&mut counted, of_masks.iter().map(Vec::len).sum())?;
        counted.extend(of_masks.into_iter().flatten());
        Ok(counted)
    }

    /// Lets every process read the values of the chunks that it codes, and calls `work` meanwhile.
    ///
    /// # Errors
    /// If the values cannot be read.
    pub fn read_chunks<'b>(
        &'b self,
        of_processes: &[&'b [ChunkId]],
        processes: &dyn Processes,
        work: &mut dyn FnMut() -> bool,
    ) -> io::Result<Gathered<'b>> {
        let wanted = |&chunks: &&'b [ChunkId]| Wanted { chunks, rows: 0..self.index.rows() };
        let wanted: Vec<Wanted> = of_processes.iter().map(wanted).collect();
        self.spread.gather(processes, Ok(&wanted), work)
    }

    /// Codes the chunks that were read: their blocks in the WDL file, and those in the DTW file if that
    /// has `halves`, a bit for each half.
    ///
    /// # Errors
    /// If the values cannot be read, or are not read back as they were coded, or the work shall stop.
    pub fn code(
        &self,
        values: &Gathered,
        (wdl, dtw): (&Codes, &Codes),
        halves: u8,
        crew: &mut Crew,
    ) -> io::Result<Vec<ChunkBlocks>> {
        self.pause()?;
        let chunks = values.wanted().chunks;
        for_each_chunk(&mut crew.workers, 0..chunks.len(), |worker, at| {
            let Worker { orbits, chunk: cells, row: values_of_row } = worker;
            let masks = 0..self.cells.masks();
            cells.read(&self.cells, (values, at), masks, orbits)?;
            let with_dtw = halves >> chunks[at].0 & 1 != 0;
            let (mut wdls, mut dtws) = (BlockWriter::default(), BlockWriter::default());
            for mask in 0..self.cells.masks() {
                for (place, row) in self.cells.rows(mask).enumerate() {
                    let found = cells.row(&self.cells, mask, place);
                    found.wdls(&mut values_of_row.wdls);
                    wdl.write_wdls(row, &values_of_row.wdls, &mut wdls)?;
                    if with_dtw {
                        found.dtws(&mut values_of_row.dtws);
                        dtw.write_dtws(row, &values_of_row.dtws, &mut dtws)?;
                    }
                }
            }
            Ok((wdls.finish(), with_dtw.then(|| dtws.finish())))
        })
    }
}

/// The blocks of a chunk in the WDL file, and those in the DTW file if it has the half.
pub type ChunkBlocks = (Blocks, Option<Blocks>);

/// Lets the workers share the work on chunks, of which they get the places. The results are in the order
/// of the places.
fn for_each_chunk<T: Send>(
    workers: &mut [Worker],
    places: Range<usize>,
    work: impl Fn(&mut Worker, usize) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let next = AtomicUsize::new(places.start);
    let of_worker = |worker: &mut Worker| {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= places.end {
                return Ok(done);
            }
            done.push((at, work(worker, at)?));
        }
    };
    let parts = workers.par_iter_mut().with_max_len(1).map(of_worker);
    let mut done: Vec<(usize, T)> =
        parts.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(at, _)| at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::processes::tests::on_processes;
    use crate::values::{Distance, SliceValues};

    #[test]
    fn owner_masks_are_divided_among_all_processes_about_evenly() {
        let index = SliceIndex::new(4, 3, 4).unwrap();
        let draws = (0..index.positions()).map(|_| Distance::DRAW);
        let values = SliceValues::from_distances(draws);
        let side = Side::new(Spread::whole(&index, &values), false, &Silent);
        let (masks, all) = (side.cells.masks(), side.sample_memory());
        let largest = (0..masks).map(|mask| side.cells.rows(mask).len() as u64).max().unwrap();
        let of_mask = (all * largest).div_ceil(index.rows() as u64);
        for processes in [1, 2, 3, 7, 100] {
            for bytes in [0, all / 20, all / 3, all, u64::MAX] {
                let parts = side.parts(bytes, processes);
                assert!(parts.len().is_multiple_of(processes));
                assert_eq!(
                    parts.iter().cloned().flatten().collect::<Vec<_>>(),
                    Vec::from_iter(0..masks)
                );
                for part in &parts {
                    let rows = side.cells.rows_of(part.clone()).len() as u64;
                    let even = bytes.min(all / parts.len() as u64 + of_mask);
                    assert!(
                        part.len() <= 1 || all * rows / index.rows() as u64 <= even + masks as u64
                    );
                }
            }
        }
    }

    #[test]
    fn every_chunk_is_coded_once_in_the_order_of_rounds_and_processes() {
        let chunks: Vec<ChunkId> = (0..37).map(|chunk| (0, chunk)).collect();
        for count in [1, 3] {
            let divided = on_processes(count, |processes| {
                let crew = Crew::new(
                    processes,
                    (2 + processes.number(), 1),
                    100 - processes.number() as u64,
                )
                .unwrap();
                assert_eq!(crew.sample_bytes, 101 - count as u64);
                assert!(crew.rounds(&[]).is_empty());
                let rounds = crew.rounds(&chunks);
                for of_processes in &rounds {
                    let fits =
                        |(process, chunks): (usize, &&[ChunkId])| chunks.len() <= 2 + process;
                    assert!(
                        of_processes.len() == count && of_processes.iter().enumerate().all(fits)
                    );
                }
                rounds.concat().concat()
            });
            assert!(divided.iter().all(|divided| *divided == chunks));
        }
    }
}
