//! Choosing how the rows of a slice are coded, from a sample of its chunks.

use super::FileKind;
use super::cells::{ChunkRows, RowCells, all_rows};
use super::classes::{self, RowCounts, SymbolCounts};
use super::crew::Crew;
use super::model::Model;
use super::order::{ChunkId, Half, OrbitOrder, largest_chunk};
use super::slice_writer::SliceWriter;
use super::spread::Wanted;
use super::symbols;
use crate::index::{MaskRows, SliceIndex};
use crate::processes::{agree, gather, tell_all};
use rayon::prelude::*;
use std::io;

/// About how many positions of each half are sampled to choose the codes.
const SAMPLE: u64 = 1 << 21;

/// About how many bytes of memory the sample of a slice takes.
pub fn sample_memory(index: &SliceIndex) -> u64 {
    // Up to `2 * SAMPLE` positions of each half where both are sampled together, and `SAMPLE / 4` more of each
    // half alone: 9/2 of `SAMPLE`, but never less than a chunk of each half. At most about 3/4 of them are
    // quiet, with a byte each, and a bit for each says whether it is.
    index.positions().min((9 * SAMPLE / 2).max(2 * largest_chunk(index))) * 7 / 8
}

/// Whether a chunk of each half of a slice is more than the sample would have to be.
pub fn is_chunk_enough(index: &SliceIndex) -> bool {
    2 * largest_chunk(index) > 9 * SAMPLE / 2
}

/// What a model is for: the cells of these halves in one of the files.
#[derive(Clone, Copy)]
pub struct Scope {
    pub kind: FileKind,
    pub halves: &'static [Half],
}

/// The cells of the sampled chunks, those of some owner masks.
struct Sample<'s> {
    masks: &'s [MaskRows],
    chunks: Vec<(ChunkId, ChunkRows)>,
}

impl SliceWriter<'_> {
    /// For each scope, how the rows are coded in it. The sample that a process holds takes at most about as
    /// many bytes as the crew says. If that is not enough to hold its share, it is read again for each
    /// scope.
    ///
    /// # Errors
    /// If the values cannot be read, or the work shall stop.
    pub fn models(&self, scopes: &[Scope], crew: &Crew) -> io::Result<Vec<Model>> {
        let mut kept = None;
        let mut models = Vec::with_capacity(scopes.len());
        for scope in scopes {
            agree(crew.processes, self.pause())?;
            let model = self.model(scope, &mut kept, crew);
            models.push(tell_all(crew.processes, model)?);
        }
        Ok(models)
    }

    /// How the rows are coded in a scope, which process 0 gets. A sample that is whole is kept in `sample`.
    fn model<'s>(
        &'s self,
        scope: &Scope,
        sample: &mut Option<Sample<'s>>,
        crew: &Crew,
    ) -> io::Result<Option<Model>> {
        let processes = crew.processes;
        let mut rows = Vec::new();
        let masks = self.divided(crew.sample_bytes, processes.count());
        for round in masks.chunks(processes.count()) {
            let read = match sample.take() {
                Some(kept) => kept,
                None => self.read_sample(round, crew)?,
            };
            let added =
                gather(processes, Ok(self.count(&read, scope)))?.try_for_each(|of_process| {
                    rows.extend(of_process?);
                    Ok(())
                });
            // Process 0 alone may have failed, and the others must not go on to the next round then.
            agree(processes, added)?;
            *sample = (masks.len() == processes.count()).then_some(read);
        }
        let is_part = self.sampled(scope.halves).1;
        Ok((processes.number() == 0).then(|| classes::choose(scope.kind, &rows, is_part)))
    }

    /// The chunks to sample in these halves, and whether any chunk is left out.
    fn sampled(&self, halves: &[Half]) -> (Vec<ChunkId>, bool) {
        let order = OrbitOrder::of(self.index().sets());
        let orbits: usize = halves.iter().map(|&half| order.orbits(half).len()).sum();
        let positions = orbits as u64 * self.index().rows() as u64;
        let step = (positions / (SAMPLE * halves.len() as u64)).max(1) as usize;
        (self.chunks(halves).into_iter().step_by(step).collect(), step > 1)
    }

    /// Divides the owner masks into runs, as many for each of this many processes, with about as many rows in
    /// each. A sample of a run takes at most this many bytes, or as few as possible.
    fn divided(&self, sample_bytes: u64, processes: usize) -> Vec<&[MaskRows]> {
        let (all, rows) = (sample_memory(self.index()), self.index().rows());
        let largest = self.masks.iter().map(|of_mask| of_mask.rows.len()).max().unwrap_or(0);
        // A run has at most one owner mask more than its share of the rows.
        let share = sample_bytes.saturating_sub(all * largest as u64 / rows as u64 + 1).max(1);
        let runs = if sample_bytes >= all { 1 } else { all.div_ceil(share) as usize };
        let runs = runs.min(self.masks.len()).next_multiple_of(processes);
        let bound = |run: usize| {
            self.masks.partition_point(|of_mask| of_mask.rows.start * runs < run * rows)
        };
        (0..runs).map(|run| &self.masks[bound(run)..bound(run + 1)]).collect()
    }

    /// Reads the sample. For each process, `masks` says which owner masks it reads.
    fn read_sample<'s>(&self, masks: &[&'s [MaskRows]], crew: &Crew) -> io::Result<Sample<'s>> {
        let halves: [&[Half]; 3] = [&[0, 1], &[0], &[1]];
        let mut ids: Vec<ChunkId> = halves.iter().flat_map(|half| self.sampled(half).0).collect();
        ids.sort_unstable();
        ids.dedup();
        let own = masks[crew.processes.number()];
        let mut chunks = Vec::new();
        for some in ids.chunks(crew.chunks_a_round()) {
            let of_process = |masks: &&[MaskRows]| Wanted { chunks: some, rows: all_rows(masks) };
            let wanted: Vec<Wanted> = masks.iter().map(of_process).collect();
            let wanted = self.pause().map(|()| &*wanted);
            let values = self.spread.gather(crew.processes, wanted, &mut || false)?;
            let count = if own.is_empty() { 0 } else { some.len() };
            let read = crew.threads.map(count, Vec::new, |at, orbits: &mut Vec<u8>| {
                let mut rows = ChunkRows::default();
                rows.read(&values, at, own, self.full, orbits)?;
                Ok((some[at], rows))
            });
            chunks.extend(agree(crew.processes, read)?);
        }
        Ok(Sample { masks: own, chunks })
    }

    /// What a sample says of each row in a scope.
    fn count(&self, sample: &Sample, scope: &Scope) -> Vec<RowCounts> {
        let (ids, _) = self.sampled(scope.halves);
        let is_sampled = |(id, _): &&(ChunkId, ChunkRows)| ids.binary_search(id).is_ok();
        let chunks: Vec<&ChunkRows> =
            sample.chunks.iter().filter(is_sampled).map(|(_, chunk)| chunk).collect();
        let of_mask = |counter: &mut SymbolCounts, mask: usize| {
            let rows = sample.masks[mask].rows.clone();
            let count_row = |row: usize| {
                let of_row = chunks.iter().map(|chunk| chunk.row(sample.masks, mask, row));
                let usual = match scope.kind {
                    FileKind::Wdl => count_wdls(of_row, counter),
                    FileKind::Dtw => count_dtws(of_row, counter),
                };
                RowCounts { usual, symbols: counter.take() }
            };
            rows.map(count_row).collect()
        };
        let of_masks =
            (0..sample.masks.len()).into_par_iter().map_init(SymbolCounts::default, of_mask);
        let of_masks: Vec<Vec<RowCounts>> = of_masks.collect();
        // So the list has just as much room as it needs.
        let mut counted = Vec::with_capacity(of_masks.iter().map(Vec::len).sum());
        counted.extend(of_masks.into_iter().flatten());
        counted
    }
}

/// Counts the symbols of a row's WDLs, and returns the usual one: that of the most cells.
fn count_wdls<'c>(row: impl Iterator<Item = RowCells<'c>>, counter: &mut SymbolCounts) -> u8 {
    let (mut wdls, mut ends) = (Vec::new(), Vec::new());
    for of_chunk in row {
        of_chunk.wdls(&mut wdls);
        ends.push(wdls.len());
    }
    let cells = |wdl: &u8| {
        // So few are counted in a byte.
        let some = wdls.chunks(255).map(|some| some.iter().map(|found| u8::from(found == wdl)));
        some.map(|some| usize::from(some.sum::<u8>())).sum::<usize>()
    };
    let usual = (0..3).rev().max_by_key(cells).unwrap_or(0);
    let mut start = 0;
    for end in ends {
        symbols::wdl_symbols(&wdls[start..end], usual, |symbol| counter.count(symbol));
        start = end;
    }
    usual
}

/// Counts the symbols of a row's DTWs, and returns the usual one: the mean halved DTW.
fn count_dtws<'c>(
    row: impl Iterator<Item = RowCells<'c>> + Clone,
    counter: &mut SymbolCounts,
) -> u8 {
    let sums = row.clone().map(|of_chunk| of_chunk.halved_sum());
    let (sum, decided) = sums.fold((0, 0), |all, more| (all.0 + more.0, all.1 + more.1));
    let usual = ((sum + decided / 2) / decided.max(1)).min(255) as u8;
    for of_chunk in row {
        symbols::dtw_symbols(of_chunk.dtws(), usual, |symbol| counter.count(symbol));
    }
    usual
}

#[cfg(test)]
mod tests {
    use super::super::spread::Spread;
    use super::*;
    use crate::Silent;
    use crate::values::{Distance, SliceValues};

    #[test]
    fn owner_masks_are_divided_among_all_processes_about_evenly() {
        let index = SliceIndex::new(4, 3, 4).unwrap();
        let draws = (0..index.positions()).map(|_| Distance::DRAW);
        let values = SliceValues::from_distances(draws);
        let side = SliceWriter::new(Spread::whole(index, &values), false, &Silent);
        let (rows, all) = (side.index().rows() as u64, sample_memory(side.index()));
        let largest = side.masks.iter().map(|of_mask| of_mask.rows.len() as u64).max().unwrap();
        let of_mask = (all * largest).div_ceil(rows);
        for processes in [1, 2, 3, 7, 100] {
            for bytes in [0, all / 20, all / 3, all, u64::MAX] {
                let runs = side.divided(bytes, processes);
                assert!(runs.len().is_multiple_of(processes));
                let divided = runs.iter().flat_map(|run| run.iter().map(|of| of.rows.clone()));
                assert!(divided.eq(side.masks.iter().map(|of_mask| of_mask.rows.clone())));
                for run in &runs {
                    let takes = all * all_rows(run).len() as u64 / rows;
                    assert!(takes <= all / runs.len() as u64 + of_mask);
                    assert!(takes <= bytes.max(2 * of_mask), "{takes} {bytes}");
                }
            }
        }
    }
}
