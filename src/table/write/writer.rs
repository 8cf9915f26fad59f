//! Making a table: nothing appears under its names before every byte of it is on disk.

use super::crew::{CHUNKS_A_THREAD, Crew};
use super::file_writer::{FileWriter, Out, packed_codes};
use super::format::{SliceEntry, file_name};
use super::model::Model;
use super::order::{CHUNK_ORBITS, Half, chunks_of, largest_chunk};
use super::sample::{Scope, is_chunk_enough, sample_memory};
use super::slice_writer::{ChunkBlocks, SliceCodes, SliceWriter};
use super::spread::{Spread, Wanted};
use super::{FileKind, SliceStats, quiet};
use crate::Progress;
use crate::index::{Extent, OccupiedSets, SliceIndex};
use crate::processes::{Alone, Processes, agree, gather};
use crate::rules::RuleSet;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// About how many bytes it takes to note how often each symbol occurs in a row, in two lists of rows while
/// the parts of one are put together.
const COUNTS_BYTES: u64 = 224;
/// The same if there are so many rows that a chunk of each half is sample enough. The sides have many
/// counters to spare then, and distances vary: a row has about 5 different symbols for 8 cells.
const COUNTS_BYTES_OF_A_CHUNK: u64 = 64 + 4 * CHUNK_ORBITS as u64 * 5 / 8;
/// About how many bytes the lengths of a row's blocks take, in both files, for two chunks.
const LENGTHS_BYTES: u64 = 32;

/// A table that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewTable<'a> {
    /// The folder in which its files will stand, under the names that [`file_name`] gives.
    pub folder: &'a Path,
    /// The folder in which they are made, on the same file system. Nothing else may write there.
    pub temporary: &'a Path,
    /// The material, and the columns that are covered.
    pub extent: Extent,
    /// The rules.
    pub rules: RuleSet,
}

/// Writes a table to temporary files, and puts them in their places when they are whole.
/// If it is dropped before, or anything fails, the temporary files are removed.
pub struct TableWriter<'r> {
    processes: &'r dyn Processes,
    /// Those of WDLs and of DTWs, which process 0 has.
    files: Option<[FileWriter; 2]>,
    extent: Extent,
    rules: RuleSet,
    chunks_at_once: usize,
    sample_bytes: u64,
}

impl<'r> TableWriter<'r> {
    /// Begins a table. A process that works without others is [`Alone`](crate::processes::Alone). Otherwise
    /// each process has a writer, and all processes call the same methods in the same order. Process 0
    /// alone writes the files; the folders of the others are not looked at. All processes help to choose
    /// the codes and to code blocks.
    ///
    /// # Errors
    /// If a temporary file cannot be made. All processes get an error then.
    pub fn create(processes: &'r dyn Processes, table: NewTable) -> io::Result<TableWriter<'r>> {
        let NewTable { folder, temporary, extent, rules } = table;
        let create = |kind| {
            let name = file_name(extent.material(), rules, kind);
            FileWriter::create(&folder.join(&name), &temporary.join(format!("{name}.tmp")), kind)
        };
        let files = match processes.number() {
            0 => create(FileKind::Wdl).and_then(|wdl| Ok(Some([wdl, create(FileKind::Dtw)?]))),
            _ => Ok(None),
        };
        Ok(TableWriter::to(processes, agree(processes, files)?, extent, rules))
    }

    /// Begins a table in memory, which one process writes alone: [`TableWriter::finish_in_memory`] ends it.
    pub(crate) fn in_memory(extent: Extent, rules: RuleSet) -> TableWriter<'static> {
        TableWriter::to(&Alone, Some(FileKind::ALL.map(FileWriter::in_memory)), extent, rules)
    }

    fn to(
        processes: &'r dyn Processes,
        files: Option<[FileWriter; 2]>,
        extent: Extent,
        rules: RuleSet,
    ) -> TableWriter<'r> {
        let (chunks_at_once, sample_bytes) = (rayon::current_num_threads(), u64::MAX);
        TableWriter { processes, files, extent, rules, chunks_at_once, sample_bytes }
    }

    /// Holds the values of at most this many chunks at once, and of at least one. By default every
    /// thread of the rayon pool works on a chunk. Fewer chunks take less memory and more time; the
    /// bytes of the table do not depend on it.
    #[must_use]
    pub fn chunks_at_once(self, chunks: usize) -> TableWriter<'r> {
        TableWriter { chunks_at_once: chunks.max(1), ..self }
    }

    /// Holds at most about this many bytes of the sample from which codes are chosen, and at least those
    /// of one owner mask. By default it is held whole. Less takes more time; the bytes of the table do
    /// not depend on it.
    #[must_use]
    pub(crate) fn sample_bytes(self, bytes: u64) -> TableWriter<'r> {
        TableWriter { sample_bytes: bytes, ..self }
    }

    /// About how many bytes of memory each of this many `processes` takes for [`TableWriter::add`]. The
    /// slices have this numbering, and this many `positions` in all, both sides to move together.
    pub(crate) fn add_memory(
        index: &SliceIndex,
        positions: u64,
        processes: u64,
        chunks_at_once: usize,
        sample_bytes: u64,
    ) -> u64 {
        let (chunk, rows) = (largest_chunk(index), index.rows() as u64);
        let chunks: usize = chunks_of(index.columns()).iter().sum();
        let at_once = chunks.min(chunks_at_once) as u64;
        // While codes are chosen: the sample, beside it first the values of chunks orbit by orbit, and then
        // how often each symbol occurs in each row.
        let counts = if is_chunk_enough(index) { COUNTS_BYTES_OF_A_CHUNK } else { COUNTS_BYTES };
        let choosing =
            sample_memory(index).min(sample_bytes) + (at_once * chunk).max(counts * rows);
        // Later: values orbit by orbit, and row by row, where only the quiet ones are kept; which those are;
        // the blocks of twice as many chunks, if there are so many, and their lengths. From three columns
        // on, seven eighths of the largest chunk are enough for the quiet values. Where the sides have many
        // counters to spare, distances take nearly a byte in the half that has them.
        let by_row = chunk * 7 / 8;
        let quiet = (CHUNK_ORBITS as u64 / 8 + 8) << index.columns();
        let of_blocks = if is_chunk_enough(index) { chunk / 2 } else { chunk / 4 };
        let blocks = (chunks as u64).min(2 * at_once) * of_blocks;
        let coding = at_once * (chunk + by_row + quiet + LENGTHS_BYTES * rows) + blocks;
        // A process codes twice as many chunks before they are written. Of these, and of the next ones, it
        // receives the values, and it sends about as many. All their blocks come to process 0.
        let of_chunk = CHUNKS_A_THREAD as u64 * (3 * chunk + processes * chunk / 4);
        let exchange = if processes > 1 { at_once * of_chunk } else { 0 };
        // All the time: the lengths of all blocks, in both files, and once more while it is noted how far
        // they are written.
        choosing.max(coding) + exchange + positions / CHUNK_ORBITS as u64 * 6
    }

    /// About how many bytes of memory the sample takes from which the codes of a slice are chosen.
    pub(crate) fn sample_memory(index: &SliceIndex) -> u64 {
        sample_memory(index)
    }

    /// About how many bytes of memory stay in use when slices with this many columns have been added.
    pub(crate) fn kept_memory(columns: usize) -> u64 {
        // The order of the orbits: two numbers of four bytes for each.
        8 * OccupiedSets::orbits_of(columns) + quiet::kept_memory(columns)
    }

    /// Adds the values of all positions of one number of columns: a slice for each
    /// [stored side](crate::index::Material::stored_sides) to move. `captures_end` says that every sequence
    /// of captures among these positions ends. If it is false, capture positions are stored too: the slices
    /// are full. All processes stop if `progress` [asks](Progress::should_stop) for it on one of them: then
    /// the error is of the kind [`Interrupted`](io::ErrorKind::Interrupted).
    ///
    /// # Errors
    /// If any process fails or shall stop. All processes get an error then: a process that has not failed
    /// itself gets an error that names the process.
    pub fn add(
        &mut self,
        slices: Vec<Spread>,
        captures_end: bool,
        progress: &dyn Progress,
    ) -> io::Result<()> {
        let slices = slices.into_iter();
        let slices: Vec<SliceWriter> =
            slices.map(|spread| SliceWriter::new(spread, !captures_end, progress)).collect();
        let crew = Crew::new(self.processes, self.chunks_at_once, self.sample_bytes)?;
        let (halves, models) = models(&slices, captures_end, &crew)?;
        for (number, (slice, [wdl, dtw])) in slices.iter().zip(&models).enumerate() {
            agree(self.processes, slice.pause())?;
            let stats = SliceStats::count_spread(&slice.spread, self.processes);
            let stats = agree(self.processes, stats)?;
            let entry = |halves: &[Half], stats| SliceEntry {
                side: number as u8,
                columns: slice.index().columns() as u8,
                full: slice.full,
                rows: slice.index().rows() as u32,
                halves: halves.iter().map(|half| 1 << half).sum(),
                stats,
                ..SliceEntry::default()
            };
            let without_histogram = SliceStats { histogram: BTreeMap::new(), ..stats };
            let begun = [(entry(&[0, 1], without_histogram), wdl), (entry(halves, stats), dtw)];
            let files = self.files.iter_mut().flatten();
            files.zip(begun).for_each(|(file, (entry, model))| file.begin(entry, model));
            // Packing the codes takes one thread long, so the others code blocks meanwhile.
            let packs = self.files.is_some();
            let codes = (wdl.codes(FileKind::Wdl)?, dtw.codes(FileKind::Dtw)?);
            let codes = SliceCodes { wdl: codes.0, dtw: codes.1, halves };
            let (written, packed) = rayon::join(
                || self.write_blocks(slice, &codes, &crew),
                || match packs {
                    true => [wdl, dtw].into_par_iter().map(packed_codes).collect(),
                    false => Ok(Vec::new()),
                },
            );
            written?;
            let packed: Vec<Vec<u8>> = agree(self.processes, packed)?;
            self.on_files(|kind, file| file.end(&packed[kind]))?;
        }
        Ok(())
    }

    /// Lets process 0 work on both files at once: that of WDLs, which has the number 0, and that of DTWs. If that
    /// fails, all processes get an error.
    fn on_files(
        &mut self,
        work: impl Fn(usize, &mut FileWriter) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let files = self.files.iter_mut().flatten().collect::<Vec<&mut FileWriter>>();
        let worked =
            files.into_par_iter().enumerate().try_for_each(|(kind, file)| work(kind, file));
        agree(self.processes, worked)
    }

    /// Writes all blocks: those of the first half, then those of the second,
    /// chunk by chunk, row by row.
    fn write_blocks(
        &mut self,
        slice: &SliceWriter,
        codes: &SliceCodes,
        crew: &Crew,
    ) -> io::Result<()> {
        let all = slice.chunks(&[0, 1]);
        let nothing: Vec<&[_]> = vec![&[]; self.processes.count()];
        let mut values = None;
        for round in crew.rounds(&all).chain([nothing]) {
            // The processes code the chunks of the round before while they send each other the values of
            // this one. All blocks come to process 0 in the order of the chunks.
            let mut coded = Ok(Vec::new());
            let mut code = || {
                if let Some(values) = values.take() {
                    coded = slice.code(&values, codes, crew);
                }
                false
            };
            let rows = || 0..slice.index().rows();
            let wanted = round.iter().map(|&chunks| Wanted { chunks, rows: rows() });
            let wanted: Vec<Wanted> = wanted.collect();
            let read = slice.spread.gather(self.processes, Ok(&wanted), &mut code);
            let coded = gather(self.processes, coded)?;
            values = Some(read?);
            let coded = coded.into_iter().collect::<io::Result<Vec<Vec<ChunkBlocks>>>>();
            let coded = agree(self.processes, coded)?;
            self.on_files(|kind, file| {
                coded.iter().flatten().try_for_each(|blocks| file.add_chunk(&blocks[kind]))
            })?;
        }
        Ok(())
    }

    /// Writes the headers and puts both files in their places, durably. The WDL file comes last,
    /// because the other file is useless without it.
    ///
    /// # Errors
    /// If writing, renaming or syncing fails. Until the WDL file is renamed, nothing has changed under its name. Where a
    /// table is replaced, one that is opened between the two renames is refused: its files do not belong together.
    pub fn finish(mut self) -> io::Result<()> {
        let finished = self.write_headers().and_then(|()| {
            let mut files = self.files.into_iter().flatten().rev();
            files.try_for_each(|file| match file.out {
                Out::File(file) => file.put_in_place(),
                Out::Memory(_) => Ok(()),
            })
        });
        agree(self.processes, finished)
    }

    /// Writes the headers of a table in memory, and gives the bytes of both its files: that of WDLs, and that of
    /// DTWs.
    pub(crate) fn finish_in_memory(mut self) -> io::Result<[Vec<u8>; 2]> {
        self.write_headers()?;
        let bytes = |file: FileWriter| match file.out {
            Out::Memory(bytes) => bytes,
            Out::File(_) => Vec::new(),
        };
        Ok(self.files.map(|files| files.map(bytes)).unwrap_or_default())
    }

    /// Writes the headers of the files that this process has.
    fn write_headers(&mut self) -> io::Result<()> {
        let Some([wdl, dtw]) = &mut self.files else { return Ok(()) };
        let identity = wdl.write_header(self.extent, self.rules, 0)?;
        dtw.write_header(self.extent, self.rules, identity).map(drop)
    }
}

/// The halves whose DTWs are stored, the same for all slices, and for each slice, how the rows are coded
/// in the WDL file and in the DTW file.
fn models(
    slices: &[SliceWriter],
    captures_end: bool,
    crew: &Crew,
) -> io::Result<(&'static [Half], Vec<[Model; 2]>)> {
    // Where one half is enough, both are tried, and the one that takes less is kept.
    let tried: &[&'static [Half]] = if captures_end { &[&[0], &[1]] } else { &[&[0, 1]] };
    let mut scopes = vec![Scope { kind: FileKind::Wdl, halves: &[0, 1] }];
    scopes.extend(tried.iter().map(|&halves| Scope { kind: FileKind::Dtw, halves }));
    let models = slices.iter().map(|slice| slice.models(&scopes, crew));
    let mut models: Vec<Vec<Model>> = models.collect::<io::Result<_>>()?;
    let bits = |scope: &usize| models.iter().map(|models| models[*scope].bits).sum::<u64>();
    let best = (1..scopes.len()).min_by_key(bits).unwrap_or(1);
    let chosen = |of: &mut Vec<Model>| [of[0].clone(), of.swap_remove(best)];
    Ok((scopes[best].halves, models.iter_mut().map(chosen).collect()))
}
