//! Making a table: nothing appears under its names before every byte of it is on disk.

use super::bits::BitWriter;
use super::classes::{self, Classes, Counter, Counts};
use super::file_writer::{FileWriter, Parts, Written};
use super::format::{SliceEntry, encode_histogram, file_name};
use super::huffman::{Decoder, Lengths};
use super::order::{CHUNK_ORBITS, Half, OrbitOrder, chunks_of};
use super::quiet::{self, QuietChunk};
use super::symbols::{self, BlockEncoder, DtwReader, DtwSymbols, StoredWdl, WdlSymbols};
use super::{FileKind, SliceStats};
use crate::durable::{Interval, Pace};
use crate::index::{Material, SliceIndex};
use crate::rules::RuleSet;
use crate::values::{Distance, SliceValues};
use crate::{Progress, Silent};
use rayon::prelude::*;
use std::io;
use std::path::Path;
use std::time::Instant;

/// About how many positions of each half are sampled to choose the codes.
const SAMPLE: u64 = 1 << 21;
/// Chunks that each thread codes before they are written, where memory does not matter.
const CHUNKS_A_THREAD: usize = 2;
/// About how many bytes it takes to note how often each symbol occurs in a row.
const COUNTS_BYTES: u64 = 160;

/// Writes a table to temporary files, and puts them in their places when they are whole.
/// If it is dropped before, or anything fails, the temporary files are removed.
pub struct TableWriter {
    wdl: FileWriter,
    dtw: FileWriter,
    material: Material,
    rules: RuleSet,
    chunks_at_once: usize,
    parts: Option<Parts>,
    pace: Pace,
    has_resumed: bool,
    /// How far the files are written.
    written: Written,
    /// How many slices were added to this writer, those included that the files held already.
    added: u64,
}

impl TableWriter {
    /// Begins a table whose files will stand in `folder` under the names that [`file_name`] gives.
    /// Until then they are made in `temporary`, a folder on the same file system, where nothing else
    /// may write.
    ///
    /// # Errors
    /// If a temporary file cannot be made.
    pub fn create(
        folder: &Path,
        temporary: &Path,
        material: Material,
        rules: RuleSet,
    ) -> io::Result<TableWriter> {
        TableWriter::begin((folder, temporary), material, rules, None)
    }

    /// The same, but goes on with the files where an earlier run noted in `parts` how far they are
    /// written, and notes it there too. What was noted stays if the writer is dropped.
    pub(crate) fn create_or_resume(
        folder: &Path,
        temporary: &Path,
        (material, rules): (Material, RuleSet),
        parts: Parts,
    ) -> io::Result<TableWriter> {
        TableWriter::begin((folder, temporary), material, rules, Some(parts))
    }

    fn begin(
        (folder, temporary): (&Path, &Path),
        material: Material,
        rules: RuleSet,
        parts: Option<Parts>,
    ) -> io::Result<TableWriter> {
        let names = [FileKind::Wdl, FileKind::Dtw].map(|kind| file_name(material, rules, kind));
        let [wdl, dtw] = names.each_ref().map(|name| folder.join(name));
        let [wdl_made, dtw_made] = names.map(|name| temporary.join(format!("{name}.tmp")));
        let wdl = (&*wdl, &*wdl_made, FileKind::Wdl);
        let dtw = (&*dtw, &*dtw_made, FileKind::Dtw);
        let loaded = parts.as_ref().and_then(|parts| parts.load([wdl, dtw]));
        let has_resumed = loaded.is_some();
        let (written, [wdl, dtw]) = match loaded {
            Some(loaded) => loaded,
            None => (Written::default(), [FileWriter::create(wdl)?, FileWriter::create(dtw)?]),
        };
        let interval = parts.as_ref().map_or(Interval::Never, |parts| parts.interval);
        Ok(TableWriter {
            wdl,
            dtw,
            material,
            rules,
            chunks_at_once: rayon::current_num_threads(),
            parts,
            pace: Pace::new(interval),
            has_resumed,
            written,
            added: 0,
        })
    }

    /// Whether this goes on with what an earlier run noted.
    pub(crate) fn has_resumed(&self) -> bool {
        self.has_resumed
    }

    /// Whether the files hold the next slices whole, those of one number of columns for each stored side
    /// to move. If they do, [`TableWriter::add`] must not be called for them.
    pub(crate) fn pass_over(&mut self, slices: usize) -> bool {
        let is_written = self.written.slices >= self.added + slices as u64;
        if is_written {
            self.added += slices as u64;
        }
        is_written
    }

    /// Notes how far the files are written, if it is time for that.
    fn note_now_and_then(&mut self) -> io::Result<()> {
        if self.pace.is_due() { self.note() } else { Ok(()) }
    }

    /// Notes how far the files are written, unless that is never done.
    fn note(&mut self) -> io::Result<()> {
        if let Some(parts) = self.parts.as_ref().filter(|_| self.pace.is_ever_due()) {
            let begun = Instant::now();
            parts.save(&self.written, [&mut self.wdl, &mut self.dtw])?;
            self.pace.saved(begun);
        }
        Ok(())
    }

    /// Holds the values of at most this many chunks at once, and of at least one. By default every
    /// thread of the rayon pool works on a chunk. Fewer chunks take less memory and more time; the
    /// bytes of the table do not depend on it.
    #[must_use]
    pub fn chunks_at_once(self, chunks: usize) -> TableWriter {
        TableWriter { chunks_at_once: chunks.max(1), ..self }
    }

    /// How many chunks the orbits with so many columns are divided into.
    pub(crate) fn chunks(columns: usize) -> u64 {
        chunks_of(columns).iter().sum::<usize>() as u64
    }

    /// About how many bytes of memory [`TableWriter::add`] takes for each chunk that it works on at
    /// once, in a slice with so many `columns`, and `rows` in each orbit.
    pub(crate) fn chunk_memory(columns: usize, rows: u64) -> u64 {
        // Distances; the blocks that they are coded to, for two chunks; which positions are quiet.
        let positions = CHUNK_ORBITS as u64 * rows;
        let quiet = (CHUNK_ORBITS as u64 / 8 + 8) << columns;
        positions * size_of::<Distance>() as u64 + positions / 2 + COUNTS_BYTES * rows + quiet
    }

    /// About how many bytes of memory [`TableWriter::add`] takes beside that, for slices with this
    /// many `rows` in each orbit and `positions` in all, both sides to move together.
    pub(crate) fn slice_memory(rows: u64, positions: u64) -> u64 {
        // How often each symbol occurs in each row; the lengths of all blocks, in both files, and once
        // more while it is noted how far they are written.
        3 * COUNTS_BYTES * rows + positions / CHUNK_ORBITS as u64 * 6
    }

    /// Adds the values of all positions of one number of columns: a slice for each
    /// [stored side](Material::stored_sides) to move, with its numbering. `captures_end` says that
    /// every sequence of captures among these positions ends. If it is false, capture positions are
    /// stored too: the slices are full.
    ///
    /// # Errors
    /// If writing fails.
    ///
    /// # Panics
    /// If the slices are not as long as their numberings say.
    pub fn add(
        &mut self,
        slices: &[(SliceIndex, &SliceValues)],
        captures_end: bool,
    ) -> io::Result<()> {
        self.add_until_stopped(slices, captures_end, &Silent)
    }

    /// The same, but stops if `progress` [asks](Progress::should_stop) for it: then the error is of the
    /// kind [`Interrupted`](io::ErrorKind::Interrupted), and it is noted how far the files are written.
    pub(crate) fn add_until_stopped(
        &mut self,
        slices: &[(SliceIndex, &SliceValues)],
        captures_end: bool,
        progress: &dyn Progress,
    ) -> io::Result<()> {
        let (mut sides, chunks_at_once) = (Vec::new(), self.chunks_at_once);
        for (index, slice) in slices {
            assert_eq!(slice.len(), index.positions());
            let (full, order) = (!captures_end, OrbitOrder::of(index.sets()));
            sides.push(Side { index, slice, full, order, chunks_at_once, progress });
        }
        let added = self.add_sides(&sides, captures_end);
        if matches!(&added, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
            self.note()?;
        }
        added
    }

    fn add_sides(&mut self, sides: &[Side], captures_end: bool) -> io::Result<()> {
        let first = self.added;
        self.added += sides.len() as u64;
        let (wdl, halves, dtw) = self.models(sides, captures_end)?;
        for (number, (side, (wdl, dtw))) in sides.iter().zip(wdl.iter().zip(&dtw)).enumerate() {
            if first + (number as u64) < self.written.slices {
                continue;
            }
            if self.written.chunks.is_none() {
                side.pause()?;
                let stats = SliceStats::count(side.index, side.slice)?;
                let entry = SliceEntry {
                    side: number as u8,
                    columns: side.index.columns() as u8,
                    full: side.full,
                    rows: side.index.rows() as u32,
                    win: stats.win,
                    draw: stats.draw,
                    loss: stats.loss,
                    capture: stats.capture,
                    ..SliceEntry::default()
                };
                self.wdl.begin(SliceEntry { halves: 3, ..entry.clone() }, wdl, &[])?;
                self.dtw.begin(SliceEntry { halves, ..entry }, dtw, &encode_histogram(&stats))?;
                self.written.chunks = Some(0);
            }
            side.write_blocks(wdl, dtw, halves, self)?;
            self.wdl.end()?;
            self.dtw.end()?;
            self.written.slices += 1;
            self.written.chunks = None;
            if number + 1 == sides.len() {
                self.written.models.clear();
            }
            // To read the next slice back, and the proof that its captures end, may take long.
            if self.pace.is_due_at_end_of_part() {
                self.note()?;
            }
        }
        Ok(())
    }

    /// How the rows of these slices are coded in the WDL file, which halves keep their DTWs, the same
    /// for both sides to move, and how the rows are coded in the DTW file. Goes on with what an
    /// earlier run has chosen.
    fn models(
        &mut self,
        sides: &[Side],
        captures_end: bool,
    ) -> io::Result<(Vec<Model>, u8, Vec<Model>)> {
        let ways: &[&[Half]] = if captures_end { &[&[0], &[1]] } else { &[&[0, 1]] };
        let dtw = ways.iter().flat_map(|&halves| sides.iter().map(move |s| (s, Some(halves))));
        let all = sides.iter().map(|side| (side, None)).chain(dtw);
        for (side, dtw_halves) in all.skip(self.written.models.len()) {
            let model = match dtw_halves {
                None => side.wdl_model()?,
                Some(halves) => side.dtw_model(halves)?,
            };
            self.written.models.push(model);
            self.note_now_and_then()?;
        }
        let (wdl, dtw) = self.written.models.split_at(sides.len());
        let (first, second) = dtw.split_at(sides.len());
        let bits = |models: &[Model]| models.iter().map(|model| model.classes.bits).sum::<u64>();
        let (halves, dtw) = match captures_end {
            false => (3, first),
            // The half that takes less is kept.
            true if bits(second) < bits(first) => (2, second),
            true => (1, first),
        };
        Ok((wdl.to_vec(), halves, dtw.to_vec()))
    }

    /// Writes the headers and puts both files in their places, durably. The WDL file comes last,
    /// because the other file is useless without it.
    ///
    /// # Errors
    /// If writing or renaming fails. Then nothing has changed under the name of the WDL file. Where a table
    /// is replaced, one that is opened between the two renames is refused: its files do not belong
    /// together.
    pub fn finish(mut self) -> io::Result<()> {
        let identity = self.wdl.write_header(self.material, self.rules, 0)?;
        self.dtw.write_header(self.material, self.rules, identity)?;
        self.dtw.put_in_place()?;
        self.wdl.put_in_place()?;
        Ok(())
    }
}

/// How the rows of a slice are coded in one of the files.
#[derive(Clone, Debug, bincode::Encode, bincode::Decode)]
pub struct Model {
    pub classes: Classes,
    /// For each row, its usual value, from which decoding starts.
    pub usual: Vec<u8>,
}

impl Model {
    /// The codes of each class. They do not fit so many `rows` if an earlier run has not chosen them
    /// for this slice.
    fn codes<S: symbols::Symbols>(&self, rows: usize) -> io::Result<Vec<ClassCodes>> {
        let Classes { of_row, lengths, .. } = &self.classes;
        let fits = (of_row.len(), self.usual.len()) == (rows, rows)
            && of_row.iter().all(|&class| usize::from(class) < lengths.len())
            && lengths.iter().all(|lengths| lengths.len() == S::CONTEXTS.len());
        if !fits {
            return Err(miscoded());
        }
        let of_class = |lengths: &Vec<Lengths>| {
            let decoders = lengths.iter().map(|lengths| Decoder::new(lengths));
            Some(ClassCodes {
                encoder: BlockEncoder::new::<S>(lengths),
                decoders: decoders.collect::<Option<_>>()?,
            })
        };
        self.classes.lengths.iter().map(of_class).collect::<Option<_>>().ok_or_else(miscoded)
    }
}

/// The codes of a class. Blocks are read back after they are written, so that a mistake in coding does
/// not stay hidden until the table is read.
struct ClassCodes {
    encoder: BlockEncoder,
    decoders: Vec<Decoder>,
}

impl ClassCodes {
    fn wdl_block(&self, cells: &[StoredWdl], usual: u8) -> Vec<u8> {
        let mut bits = BitWriter::default();
        symbols::wdl_symbols(cells, usual, |symbol| self.encoder.put(symbol, &mut bits));
        bits.finish()
    }

    fn dtw_block(&self, cells: &[(StoredWdl, u16)], usual: u8) -> Vec<u8> {
        let mut bits = BitWriter::default();
        symbols::dtw_symbols(cells, usual, |symbol| self.encoder.put(symbol, &mut bits));
        bits.finish()
    }

    fn holds_wdls(&self, block: &[u8], cells: &[StoredWdl], usual: u8) -> bool {
        let (mut rest, mut right) = (cells, true);
        let read = symbols::wdl_runs(block, usual, &self.decoders, |wdl, length| {
            let (run, after) = rest.split_at(length.min(rest.len()));
            right &= run.iter().all(|&cell| cell == wdl);
            rest = after;
            !rest.is_empty()
        });
        read.is_some() && right && rest.is_empty()
    }

    fn holds_dtws(&self, block: &[u8], cells: &[(StoredWdl, u16)], usual: u8) -> bool {
        let mut reader = DtwReader::new(block, usual, &self.decoders);
        cells.iter().all(|&(wdl, dtw)| reader.take(wdl) == Some(dtw)) && !reader.is_overrun()
    }
}

/// What was coded is not what is read back.
fn miscoded() -> io::Error {
    io::Error::other("values were coded in a way that does not give them back; this is a bug")
}

/// One stored side to move of the slices being added.
struct Side<'a> {
    index: &'a SliceIndex,
    slice: &'a SliceValues,
    full: bool,
    order: &'static OrbitOrder,
    chunks_at_once: usize,
    progress: &'a dyn Progress,
}

/// The values of all positions of a chunk of sets.
struct Chunk {
    /// Set by set, in the order of the chunk.
    distances: Vec<Distance>,
    rows: usize,
    sets: usize,
    quiet: Option<QuietChunk>,
}

/// The blocks of a chunk, one after another.
#[derive(Default)]
pub struct Blocks {
    pub bytes: Vec<u8>,
    /// The length of each.
    pub lengths: Vec<u32>,
}

impl Blocks {
    fn push(&mut self, block: &[u8]) {
        self.bytes.extend_from_slice(block);
        self.lengths.push(block.len() as u32);
    }
}

impl Chunk {
    /// Calls `visit` with each row and the distances of its cells.
    fn rows(&self, index: &SliceIndex, mut visit: impl FnMut(usize, &[Distance])) {
        let mut cells = Vec::with_capacity(self.sets);
        for split in index.splits() {
            for mask in split.owner_masks() {
                let places: Vec<usize> = match &self.quiet {
                    Some(quiet) => quiet::places(quiet.of_mask(mask)).collect(),
                    None => (0..self.sets).collect(),
                };
                let first = split.mask_start(mask);
                for row in first..first + split.mask_rows {
                    cells.clear();
                    cells.extend(
                        places.iter().map(|&place| self.distances[place * self.rows + row]),
                    );
                    visit(row, &cells);
                }
            }
        }
    }
}

fn decided(cells: &[Distance], into: &mut Vec<(StoredWdl, u16)>) {
    into.clear();
    into.extend(cells.iter().filter_map(|&distance| symbols::halved(distance)));
}

impl Side<'_> {
    /// Fails if the work shall stop.
    fn pause(&self) -> io::Result<()> {
        let is_wanted = self.progress.should_stop();
        if is_wanted { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    fn chunk(&self, half: Half, chunk: usize) -> io::Result<Chunk> {
        let (rows, orbits) = (self.index.rows(), self.order.chunk(half, chunk));
        let mut distances = vec![Distance::DRAW; rows * orbits.len()];
        for (distances, &orbit) in distances.chunks_exact_mut(rows).zip(orbits) {
            self.slice.read(u64::from(orbit) * rows as u64, distances)?;
        }
        let quiet = (!self.full).then(|| QuietChunk::new(self.index.sets(), half, chunk));
        Ok(Chunk { distances, rows, sets: orbits.len(), quiet })
    }

    /// The chunks to sample in these halves, and whether any chunk is left out.
    fn sample(&self, halves: &[Half]) -> (Vec<(Half, usize)>, bool) {
        let chunks = |&half: &Half| (0..self.order.chunks(half)).map(move |chunk| (half, chunk));
        let all: Vec<(Half, usize)> = halves.iter().flat_map(chunks).collect();
        let positions: u64 = halves
            .iter()
            .map(|&half| self.order.orbits(half).len() as u64 * self.index.rows() as u64)
            .sum();
        let step = (positions / (SAMPLE * halves.len() as u64)).max(1) as usize;
        (all.into_iter().step_by(step).collect(), step > 1)
    }

    /// Counts symbols over a sample, row by row.
    fn counts(
        &self,
        sample: &[(Half, usize)],
        count: impl Fn(usize, &[Distance], &mut Counter) + Sync,
    ) -> io::Result<Vec<Counts>> {
        let mut counts = vec![Counts::new(); self.index.rows()];
        for some in sample.chunks(self.chunks_at_once) {
            self.pause()?;
            let parts: Vec<Vec<Counts>> = some
                .par_iter()
                .map(|&(half, chunk)| {
                    let (mut counter, mut counts) = (Counter::default(), Vec::new());
                    self.chunk(half, chunk)?.rows(self.index, |row, cells| {
                        count(row, cells, &mut counter);
                        counts.push(counter.take());
                    });
                    Ok(counts)
                })
                .collect::<io::Result<_>>()?;
            counts.par_iter_mut().enumerate().for_each(|(row, counts)| {
                for part in &parts {
                    classes::add(counts, &part[row]);
                }
            });
        }
        Ok(counts)
    }

    fn wdl_model(&self) -> io::Result<Model> {
        let (sample, is_part) = self.sample(&[0, 1]);
        let usual = self.usual_wdls(&sample)?;
        let counts = self.counts(&sample, |row, cells, counter| {
            let wdls: Vec<StoredWdl> =
                cells.iter().map(|&distance| symbols::stored_wdl(distance)).collect();
            symbols::wdl_symbols(&wdls, usual[row], |symbol| counter.count(symbol));
        })?;
        Ok(Model { classes: Classes::new::<WdlSymbols>(&counts, is_part), usual })
    }

    /// The value that the cells of each row hold most often.
    fn usual_wdls(&self, sample: &[(Half, usize)]) -> io::Result<Vec<StoredWdl>> {
        let tallies = self.tallies(sample, [0u64; 3], |tally, cells| {
            for &distance in cells {
                tally[usize::from(symbols::stored_wdl(distance))] += 1;
            }
        })?;
        let usual =
            |tally: &[u64; 3]| (0..3).rev().max_by_key(|&i| tally[i]).unwrap_or(0) as StoredWdl;
        Ok(tallies.iter().map(usual).collect())
    }

    fn dtw_model(&self, halves: &[Half]) -> io::Result<Model> {
        let (sample, is_part) = self.sample(halves);
        let tallies = self.tallies(&sample, [0u64; 2], |tally, cells| {
            for dtw in cells.iter().filter_map(|distance| distance.dtw()) {
                tally[0] += u64::from(dtw / 2);
                tally[1] += 1;
            }
        })?;
        let mean = |&[sum, count]: &[u64; 2]| ((sum + count / 2) / count.max(1)).min(255) as u8;
        let usual: Vec<u8> = tallies.iter().map(mean).collect();
        let counts = self.counts(&sample, |row, cells, counter| {
            let mut of_row = Vec::new();
            decided(cells, &mut of_row);
            symbols::dtw_symbols(&of_row, usual[row], |symbol| counter.count(symbol));
        })?;
        Ok(Model { classes: Classes::new::<DtwSymbols>(&counts, is_part), usual })
    }

    /// Adds up a tally for each row over a sample.
    fn tallies<const N: usize>(
        &self,
        sample: &[(Half, usize)],
        none: [u64; N],
        add: impl Fn(&mut [u64; N], &[Distance]) + Sync,
    ) -> io::Result<Vec<[u64; N]>> {
        let mut all = vec![none; self.index.rows()];
        for some in sample.chunks(self.chunks_at_once) {
            self.pause()?;
            let parts: Vec<Vec<[u64; N]>> = some
                .par_iter()
                .map(|&(half, chunk)| {
                    let mut tallies = vec![none; self.index.rows()];
                    self.chunk(half, chunk)?
                        .rows(self.index, |row, cells| add(&mut tallies[row], cells));
                    Ok(tallies)
                })
                .collect::<io::Result<_>>()?;
            for part in &parts {
                for (all, part) in all.iter_mut().flatten().zip(part.iter().flatten()) {
                    *all += part;
                }
            }
        }
        Ok(all)
    }

    /// Writes all blocks that are not written yet: those of the first half, then those of the second,
    /// chunk by chunk, row by row.
    fn write_blocks(
        &self,
        wdl: &Model,
        dtw: &Model,
        halves: u8,
        writer: &mut TableWriter,
    ) -> io::Result<()> {
        let wdl_codes = wdl.codes::<WdlSymbols>(self.index.rows())?;
        let dtw_codes = dtw.codes::<DtwSymbols>(self.index.rows())?;
        let chunks = |half: Half| (0..self.order.chunks(half)).map(move |chunk| (half, chunk));
        let all: Vec<(Half, usize)> = (0..2).flat_map(chunks).collect();
        // A thread holds the values of one chunk at a time, and the blocks of all that it has coded.
        let threads = rayon::current_num_threads();
        let batch = match self.chunks_at_once {
            fewer if fewer < threads => fewer,
            _ => CHUNKS_A_THREAD * threads,
        };
        let mut done = writer.written.chunks.unwrap_or(0);
        for some in all[all.len().min(done as usize)..].chunks(batch) {
            self.pause()?;
            let coded: Vec<(Blocks, Option<Blocks>)> = some
                .par_iter()
                .map(|&(half, chunk)| {
                    let (mut wdls, mut dtws) = (Blocks::default(), Blocks::default());
                    let with_dtw = halves >> half & 1 != 0;
                    let (mut three, mut of_decided) = (Vec::new(), Vec::new());
                    let mut right = true;
                    self.chunk(half, chunk)?.rows(self.index, |row, cells| {
                        three.clear();
                        three.extend(cells.iter().map(|&distance| symbols::stored_wdl(distance)));
                        let codes = &wdl_codes[usize::from(wdl.classes.of_row[row])];
                        let block = codes.wdl_block(&three, wdl.usual[row]);
                        right &= codes.holds_wdls(&block, &three, wdl.usual[row]);
                        wdls.push(&block);
                        if with_dtw {
                            decided(cells, &mut of_decided);
                            let codes = &dtw_codes[usize::from(dtw.classes.of_row[row])];
                            let block = codes.dtw_block(&of_decided, dtw.usual[row]);
                            right &= codes.holds_dtws(&block, &of_decided, dtw.usual[row]);
                            dtws.push(&block);
                        }
                    });
                    if right { Ok((wdls, with_dtw.then_some(dtws))) } else { Err(miscoded()) }
                })
                .collect::<io::Result<_>>()?;
            for (wdls, dtws) in coded {
                writer.wdl.add_chunk(&wdls)?;
                if let Some(dtws) = dtws {
                    writer.dtw.add_chunk(&dtws)?;
                }
            }
            done += some.len() as u64;
            writer.written.chunks = Some(done);
            writer.note_now_and_then()?;
        }
        Ok(())
    }
}
