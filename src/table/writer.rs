//! Making a table: nothing appears under its names before every byte of it is on disk.

use super::file_writer::{FileWriter, Parts, Written};
use super::format::{SliceEntry, encode_histogram, file_name};
use super::model::{Codes, Model};
use super::order::{CHUNK_ORBITS, chunks_of};
use super::side::{self, Side, Way, Worker};
use super::symbols::{DtwSymbols, WdlSymbols};
use super::{FileKind, quiet};
use crate::durable::{Interval, Pace};
use crate::index::{Extent, OccupiedSets, SliceIndex};
use crate::rules::RuleSet;
use crate::values::SliceValues;
use crate::{Progress, Silent};
use std::io;
use std::path::Path;
use std::time::Instant;

/// Chunks that each thread codes before they are written, where memory does not matter.
const CHUNKS_A_THREAD: usize = 2;
/// About how many bytes it takes to note how often each symbol occurs in a row.
const COUNTS_BYTES: u64 = 160;

/// Writes a table to temporary files, and puts them in their places when they are whole.
/// If it is dropped before, or anything fails, the temporary files are removed.
pub struct TableWriter {
    wdl: FileWriter,
    dtw: FileWriter,
    extent: Extent,
    rules: RuleSet,
    chunks_at_once: usize,
    sample_bytes: u64,
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
        extent: Extent,
        rules: RuleSet,
    ) -> io::Result<TableWriter> {
        TableWriter::begin((folder, temporary), extent, rules, None)
    }

    /// The same, but goes on with the files where an earlier run noted in `parts` how far they are
    /// written, and notes it there too. What was noted stays if the writer is dropped.
    pub(crate) fn create_or_resume(
        folder: &Path,
        temporary: &Path,
        (extent, rules): (Extent, RuleSet),
        parts: Parts,
    ) -> io::Result<TableWriter> {
        TableWriter::begin((folder, temporary), extent, rules, Some(parts))
    }

    fn begin(
        (folder, temporary): (&Path, &Path),
        extent: Extent,
        rules: RuleSet,
        parts: Option<Parts>,
    ) -> io::Result<TableWriter> {
        let name = |kind| file_name(extent.material(), rules, kind);
        let names = [FileKind::Wdl, FileKind::Dtw].map(name);
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
            extent,
            rules,
            chunks_at_once: rayon::current_num_threads(),
            sample_bytes: u64::MAX,
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

    /// Holds at most about this many bytes of the sample from which codes are chosen, and at least those
    /// of one owner mask. By default it is held whole. Less takes more time; the bytes of the table do
    /// not depend on it.
    #[must_use]
    pub(crate) fn sample_bytes(self, bytes: u64) -> TableWriter {
        TableWriter { sample_bytes: bytes, ..self }
    }

    /// How many chunks the orbits with so many columns are divided into.
    pub(crate) fn chunks(columns: usize) -> u64 {
        chunks_of(columns).iter().sum::<usize>() as u64
    }

    /// About how many bytes of memory [`TableWriter::add`] takes for each chunk that it works on at
    /// once, in a slice with so many `columns`, and `rows` in each orbit.
    pub(crate) fn chunk_memory(columns: usize, rows: u64) -> u64 {
        // Values orbit by orbit, and row by row; the blocks that they are coded to, for two chunks; which
        // positions are quiet.
        let positions = CHUNK_ORBITS as u64 * rows;
        let quiet = (CHUNK_ORBITS as u64 / 8 + 8) << columns;
        2 * positions + positions / 2 + COUNTS_BYTES * rows + quiet
    }

    /// About how many bytes of memory [`TableWriter::add`] takes beside that, for slices with this
    /// many `rows` in each orbit and `positions` in all, both sides to move together; without the
    /// [sample](TableWriter::sample_memory).
    pub(crate) fn slice_memory(rows: u64, positions: u64) -> u64 {
        // How often each symbol occurs in each row; the lengths of all blocks, in both files, and once
        // more while it is noted how far they are written.
        3 * COUNTS_BYTES * rows + positions / CHUNK_ORBITS as u64 * 6
    }

    /// About how many bytes of memory the sample takes from which codes are chosen, for a slice of so
    /// many positions.
    pub(crate) fn sample_memory(positions: u64) -> u64 {
        side::sample_memory(positions)
    }

    /// About how many bytes of memory stay in use when slices with so many columns have been added.
    pub(crate) fn kept_memory(columns: usize) -> u64 {
        // The order of the orbits: two numbers of four bytes for each.
        8 * OccupiedSets::orbits_of(columns) + quiet::kept_memory(columns)
    }

    /// Adds the values of all positions of one number of columns: a slice for each
    /// [stored side](crate::index::Material::stored_sides) to move, with its numbering. `captures_end` says that
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
        let sides: Vec<Side> = slices
            .iter()
            .map(|(index, slice)| Side::new((index, slice), !captures_end, progress))
            .collect();
        let added = self.add_sides(&sides, captures_end);
        if matches!(&added, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
            self.note()?;
        }
        added
    }

    fn add_sides(&mut self, sides: &[Side], captures_end: bool) -> io::Result<()> {
        let first = self.added;
        self.added += sides.len() as u64;
        let at_once = self.chunks_at_once.min(rayon::current_num_threads());
        let mut workers: Vec<Worker> = (0..at_once).map(|_| Worker::default()).collect();
        let (halves, models) = self.models(sides, captures_end, &mut workers)?;
        for (number, (side, [wdl, dtw])) in sides.iter().zip(&models).enumerate() {
            if first + (number as u64) < self.written.slices {
                continue;
            }
            if self.written.chunks.is_none() {
                let stats = side.stats()?;
                let entry = SliceEntry {
                    side: number as u8,
                    columns: side.index().columns() as u8,
                    full: side.is_full(),
                    rows: side.index().rows() as u32,
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
            let rows = side.index().rows();
            let codes = (wdl.codes::<WdlSymbols>(rows)?, dtw.codes::<DtwSymbols>(rows)?);
            self.write_blocks(side, (&codes.0, &codes.1), halves, &mut workers)?;
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

    /// Which halves keep their DTWs, the same for both sides to move, and for each side, how the rows
    /// are coded in the WDL file and in the DTW file. Goes on with what an earlier run has chosen.
    fn models(
        &mut self,
        sides: &[Side],
        captures_end: bool,
        workers: &mut [Worker],
    ) -> io::Result<(u8, Vec<[Model; 2]>)> {
        // Where one half is enough, both are tried.
        let ways: &[Way] = match captures_end {
            true => &[Way::Wdl, Way::Dtw(&[0]), Way::Dtw(&[1])],
            false => &[Way::Wdl, Way::Dtw(&[0, 1])],
        };
        for (number, side) in sides.iter().enumerate() {
            let mut sample = None;
            let chosen = self.written.models.len().saturating_sub(number * ways.len());
            for &way in ways.iter().skip(chosen) {
                side.pause()?;
                let model = side.model(way, (&mut sample, self.sample_bytes), workers)?;
                self.written.models.push(model);
                self.note_now_and_then()?;
            }
        }
        let of_sides = || self.written.models.chunks_exact(ways.len());
        let bits = |way: usize| of_sides().map(|models| models[way].classes.bits).sum::<u64>();
        let (halves, way) = match captures_end {
            false => (3, 1),
            // The half that takes less is kept.
            true if bits(2) < bits(1) => (2, 2),
            true => (1, 1),
        };
        Ok((halves, of_sides().map(|of| [of[0].clone(), of[way].clone()]).collect()))
    }

    /// Writes all blocks that are not written yet: those of the first half, then those of the second,
    /// chunk by chunk, row by row.
    fn write_blocks(
        &mut self,
        side: &Side,
        codes: (&Codes, &Codes),
        halves: u8,
        workers: &mut [Worker],
    ) -> io::Result<()> {
        let all = side.chunks(&[0, 1]);
        // A thread holds the values of one chunk at a time, and the blocks of all that it has coded.
        let batch = match self.chunks_at_once {
            fewer if fewer < rayon::current_num_threads() => fewer,
            _ => CHUNKS_A_THREAD * workers.len(),
        };
        let mut done = self.written.chunks.unwrap_or(0);
        for some in all[all.len().min(done as usize)..].chunks(batch) {
            for (wdls, dtws) in side.code(workers, some, codes, halves)? {
                self.wdl.add_chunk(&wdls)?;
                if let Some(dtws) = dtws {
                    self.dtw.add_chunk(&dtws)?;
                }
            }
            done += some.len() as u64;
            self.written.chunks = Some(done);
            self.note_now_and_then()?;
        }
        Ok(())
    }

    /// Writes the headers and puts both files in their places, durably. The WDL file comes last,
    /// because the other file is useless without it.
    ///
    /// # Errors
    /// If writing or renaming fails. Then nothing has changed under the name of the WDL file. Where a table
    /// is replaced, one that is opened between the two renames is refused: its files do not belong
    /// together.
    pub fn finish(mut self) -> io::Result<()> {
        let identity = self.wdl.write_header(self.extent, self.rules, 0)?;
        self.dtw.write_header(self.extent, self.rules, identity)?;
        self.dtw.put_in_place()?;
        self.wdl.put_in_place()?;
        Ok(())
    }
}
