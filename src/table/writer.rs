//! Making a table: nothing appears under its names before every byte of it is on disk.

use super::file_writer::FileWriter;
use super::format::{SliceEntry, encode_histogram, file_name};
use super::model::{Codes, Model};
use super::order::{CHUNK_ORBITS, chunks_of, half_lens};
use super::side::{self, Crew, Side, Way};
use super::spread::Spread;
use super::symbols::{DtwSymbols, WdlSymbols};
use super::{FileKind, quiet};
use crate::index::{Extent, OccupiedSets, SliceIndex};
use crate::processes::{Alone, Processes, agree, gather, share};
use crate::rules::RuleSet;
use crate::values::{SliceShare, SliceValues};
use crate::{Progress, Silent};
use std::io;
use std::path::Path;

/// Chunks that each thread codes before they are written, where memory does not matter.
const CHUNKS_A_THREAD: usize = 2;
/// About how many bytes it takes to note how often each symbol occurs in a row, in two lists of rows while
/// the parts of one are put together.
const COUNTS_BYTES: u64 = 224;
/// The same where there are so many rows that a chunk of each half is sample enough. The sides have many
/// counters to spare then, and distances vary: of the cells of a row, five in eight have a symbol that no
/// other has.
const COUNTS_BYTES_OF_A_CHUNK: u64 = 64 + 4 * CHUNK_ORBITS as u64 * 5 / 8;
/// About how many bytes the lengths of a row's blocks take, in both files, for two chunks.
const LENGTHS_BYTES: u64 = 32;

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

impl TableWriter<'static> {
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
    ) -> io::Result<TableWriter<'static>> {
        TableWriter::begin(&Alone, (folder, temporary), (extent, rules))
    }
}

impl<'r> TableWriter<'r> {
    /// Begins a table that several processes write together, as [`TableWriter::create`] does. Each process
    /// has a writer, and all processes call the same methods in the same order. Process 0 alone writes the
    /// files; the folders of the others are not looked at. All processes help to choose the codes and to
    /// code blocks.
    ///
    /// # Errors
    /// If a temporary file cannot be made. All processes get an error then.
    pub(crate) fn begin(
        processes: &'r dyn Processes,
        folders: (&Path, &Path),
        (extent, rules): (Extent, RuleSet),
    ) -> io::Result<TableWriter<'r>> {
        let files = match processes.number() {
            0 => begin_files(folders, (extent, rules)).map(Some),
            _ => Ok(None),
        };
        Ok(TableWriter {
            processes,
            files: agree(processes, files)?,
            extent,
            rules,
            chunks_at_once: rayon::current_num_threads(),
            sample_bytes: u64::MAX,
        })
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

    /// How many chunks the orbits with so many columns are divided into.
    pub(crate) fn chunks(columns: usize) -> u64 {
        chunks_of(columns).iter().sum::<usize>() as u64
    }

    /// About how many bytes of memory [`TableWriter::add`] takes for slices with so many `columns`,
    /// `rows` in each orbit and `positions` in all, both sides to move together, if it works on
    /// `at_once` chunks at once and holds `sample` bytes of the [sample](TableWriter::sample_memory).
    pub(crate) fn add_memory(
        (columns, rows, positions): (usize, u64, u64),
        at_once: u64,
        sample: u64,
    ) -> u64 {
        let chunk = TableWriter::chunk_positions(columns, rows);
        // While codes are chosen: the values of chunks orbit by orbit, the sample, and how often each
        // symbol occurs in each row.
        let counts = match side::is_chunk_enough(chunk) {
            true => COUNTS_BYTES_OF_A_CHUNK,
            false => COUNTS_BYTES,
        };
        let choosing = at_once * chunk + sample + counts * rows;
        // Later: values orbit by orbit, and row by row; the blocks that they are coded to, for two chunks,
        // and their lengths; which positions are quiet.
        let quiet = (CHUNK_ORBITS as u64 / 8 + 8) << columns;
        let coding = at_once * (2 * chunk + chunk / 2 + LENGTHS_BYTES * rows + quiet);
        // All the time: the lengths of all blocks, in both files, and once more while it is noted how far
        // they are written.
        choosing.max(coding) + positions / CHUNK_ORBITS as u64 * 6
    }

    /// How many positions the largest chunk has.
    fn chunk_positions(columns: usize, rows: u64) -> u64 {
        let [even, odd] = half_lens(columns);
        even.max(odd).min(CHUNK_ORBITS as u64) * rows
    }

    /// About how many bytes of memory a process takes beside that for each chunk that it works on at once,
    /// where so many `processes` hold the values: what it sends and receives.
    pub(crate) fn exchange_memory(columns: usize, rows: u64, processes: usize) -> u64 {
        // A process codes twice as many chunks before they are written. Of these, and of the next ones, it
        // receives the values, and it sends about as many. All their blocks come to process 0.
        let positions = TableWriter::chunk_positions(columns, rows);
        CHUNKS_A_THREAD as u64 * (3 * positions + processes as u64 * positions / 4)
    }

    /// About how many bytes of memory the sample takes from which codes are chosen, for a slice of so
    /// many `columns` and `positions`, with `rows` in each orbit.
    pub(crate) fn sample_memory(columns: usize, rows: u64, positions: u64) -> u64 {
        side::sample_memory(positions, TableWriter::chunk_positions(columns, rows))
    }

    /// About how many bytes of memory stay in use when slices with so many columns have been added.
    pub(crate) fn kept_memory(columns: usize) -> u64 {
        // The order of the orbits: two numbers of four bytes for each.
        8 * OccupiedSets::orbits_of(columns) + quiet::kept_memory(columns)
    }

    /// Adds the values of all positions of one number of columns: a slice for each [stored
    /// side](crate::index::Material::stored_sides) to move, with its numbering. `captures_end` says that
    /// every sequence of captures among these positions ends. If it is false, capture positions are stored
    /// too: the slices are full.
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
        let spreads = slices.iter().map(|(index, slice)| Spread::whole(index, slice));
        self.add_spreads(spreads, captures_end, &Silent)
    }

    /// The same for values of which each process holds a share. All processes stop if `progress`
    /// [asks](Progress::should_stop) for it on one of them: then the error is of the kind
    /// [`Interrupted`](io::ErrorKind::Interrupted).
    ///
    /// # Errors
    /// If any process fails or shall stop. All processes get an error then: a process that has not failed
    /// itself gets [`OtherProcessFailed`](crate::processes::OtherProcessFailed).
    ///
    /// # Panics
    /// If the shares are not as long as their bounds and numberings say.
    pub(crate) fn add_shares(
        &mut self,
        slices: &[(SliceIndex, &SliceShare)],
        captures_end: bool,
        progress: &dyn Progress,
    ) -> io::Result<()> {
        let spreads = slices.iter().map(|(index, share)| Spread::of_share(index, share));
        self.add_spreads(spreads, captures_end, progress)
    }

    fn add_spreads<'a>(
        &mut self,
        spreads: impl Iterator<Item = Spread<'a>>,
        captures_end: bool,
        progress: &dyn Progress,
    ) -> io::Result<()> {
        let sides: Vec<Side> =
            spreads.map(|spread| Side::new(spread, !captures_end, progress)).collect();
        let workers = self.chunks_at_once.min(rayon::current_num_threads());
        // A thread holds the values of one chunk at a time, and the blocks of all that it has coded.
        let batch = match self.chunks_at_once {
            fewer if fewer < rayon::current_num_threads() => fewer,
            _ => CHUNKS_A_THREAD * workers,
        };
        let mut crew = Crew::new(self.processes, (batch, workers), self.sample_bytes)?;
        let (halves, models) = self.models(&sides, captures_end, &mut crew)?;
        for (number, (side, [wdl, dtw])) in sides.iter().zip(&models).enumerate() {
            let stats = agree(self.processes, side.stats(self.processes))?;
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
            self.on_files(|[of_wdls, of_dtws]| {
                of_wdls.begin(SliceEntry { halves: 3, ..entry.clone() }, wdl, &[])?;
                of_dtws.begin(SliceEntry { halves, ..entry }, dtw, &encode_histogram(&stats))
            })?;
            let rows = side.index().rows();
            let codes = (wdl.codes::<WdlSymbols>(rows)?, dtw.codes::<DtwSymbols>(rows)?);
            self.write_blocks(side, (&codes.0, &codes.1), halves, &mut crew)?;
            self.on_files(|files| files.iter_mut().try_for_each(FileWriter::end))?;
        }
        Ok(())
    }

    /// Lets process 0 work on the files.
    ///
    /// # Errors
    /// If that fails. All processes get an error then.
    fn on_files(
        &mut self,
        work: impl FnOnce(&mut [FileWriter; 2]) -> io::Result<()>,
    ) -> io::Result<()> {
        agree(self.processes, self.files.as_mut().map_or(Ok(()), work))
    }

    /// Which halves keep their DTWs, the same for both sides to move, and for each side, how the rows
    /// are coded in the WDL file and in the DTW file.
    fn models(
        &self,
        sides: &[Side],
        captures_end: bool,
        crew: &mut Crew,
    ) -> io::Result<(u8, Vec<[Model; 2]>)> {
        // Where one half is enough, both are tried.
        let ways: &[Way] = match captures_end {
            true => &[Way::Wdl, Way::Dtw(&[0]), Way::Dtw(&[1])],
            false => &[Way::Wdl, Way::Dtw(&[0, 1])],
        };
        let mut models = Vec::new();
        for side in sides {
            let mut sample = None;
            let mut of_side = Vec::with_capacity(ways.len());
            for &way in ways {
                agree(self.processes, side.pause())?;
                let model = side.model(way, &mut sample, crew);
                of_side.push(share(self.processes, model)?);
            }
            models.push(of_side);
        }
        let bits = |way: usize| models.iter().map(|models| models[way].classes.bits).sum::<u64>();
        let (halves, way) = match captures_end {
            false => (3, 1),
            // The half that takes less is kept.
            true if bits(2) < bits(1) => (2, 2),
            true => (1, 1),
        };
        Ok((halves, models.iter().map(|of| [of[0].clone(), of[way].clone()]).collect()))
    }

    /// Writes all blocks: those of the first half, then those of the second,
    /// chunk by chunk, row by row.
    fn write_blocks(
        &mut self,
        side: &Side,
        codes: (&Codes, &Codes),
        halves: u8,
        crew: &mut Crew,
    ) -> io::Result<()> {
        let all = side.chunks(&[0, 1]);
        let rounds = crew.rounds(&all);
        let mut values = match rounds.first() {
            Some(first) => Some(side.read_chunks(first, self.processes, &mut || false)?),
            None => None,
        };
        for number in 0..rounds.len() {
            // The processes code these chunks while they send each other the values of the next ones. All
            // blocks come to process 0 in the order of the chunks.
            let mut coded = Ok(Vec::new());
            let mut code = || {
                if let Some(values) = values.take() {
                    coded = side.code(&values, codes, halves, crew);
                }
                false
            };
            let next = rounds.get(number + 1);
            let read = match next {
                Some(next) => Some(side.read_chunks(next, self.processes, &mut code)),
                None => {
                    code();
                    None
                }
            };
            let coded = gather(self.processes, coded)?;
            values = read.transpose()?;
            self.on_files(|[of_wdls, of_dtws]| {
                for of_process in coded {
                    for (wdls, dtws) in of_process? {
                        of_wdls.add_chunk(&wdls)?;
                        if let Some(dtws) = dtws {
                            of_dtws.add_chunk(&dtws)?;
                        }
                    }
                }
                Ok(())
            })?;
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
    pub fn finish(self) -> io::Result<()> {
        let finished = self.files.map_or(Ok(()), |[mut wdl, mut dtw]| {
            let identity = wdl.write_header(self.extent, self.rules, 0)?;
            dtw.write_header(self.extent, self.rules, identity)?;
            dtw.put_in_place()?;
            wdl.put_in_place().map(drop)
        });
        agree(self.processes, finished)
    }
}

/// Begins the files of a table.
fn begin_files(
    (folder, temporary): (&Path, &Path),
    (extent, rules): (Extent, RuleSet),
) -> io::Result<[FileWriter; 2]> {
    let create = |kind| {
        let name = file_name(extent.material(), rules, kind);
        FileWriter::create(&folder.join(&name), &temporary.join(format!("{name}.tmp")), kind)
    };
    let [wdl, dtw] = FileKind::ALL;
    Ok([create(wdl)?, create(dtw)?])
}
