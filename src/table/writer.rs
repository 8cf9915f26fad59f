//! Making a table file: nothing appears under its name before every byte of it is on disk.

use super::format::{
    Header, INDEX_ENTRY_LEN, SECTION_LEN, SectionEntry, checksum, encode_histogram,
};
use super::{OpenError, SectionStats, Table, codec, format};
use crate::index::{Material, SliceIndex};
use crate::rules::RuleSet;
use crate::solve::SolvedSlice;
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Positions in a block of values.
const BLOCK_POSITIONS: u32 = 1 << 15;
/// Blocks that each thread compresses before they are written.
const BLOCKS_A_THREAD: usize = 8;

/// Writes a table to a temporary file, and puts it there when it is whole.
/// If it is dropped before, or anything fails, the temporary file is removed.
pub struct TableWriter {
    target: PathBuf,
    temporary: Temporary,
    out: BufWriter<File>,
    at: u64,
    material: Material,
    rules: RuleSet,
    reserved: usize,
    sections: Vec<SectionEntry>,
}

/// A file that is removed unless it is kept.
struct Temporary {
    path: PathBuf,
    kept: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing more can be done about a file that cannot be removed.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl TableWriter {
    /// Begins a table that will stand at `target`, with room for `sections` sections. Until then it
    /// is made at `temporary`, on the same file system, where nothing else may write.
    ///
    /// # Errors
    /// If the temporary file cannot be made.
    pub fn create(
        target: &Path,
        temporary: &Path,
        material: Material,
        rules: RuleSet,
        sections: usize,
    ) -> io::Result<TableWriter> {
        let file = File::create(temporary)?;
        let temporary = Temporary { path: temporary.to_owned(), kept: false };
        let mut out = BufWriter::with_capacity(1 << 17, file);
        let at = (format::HEADER_LEN + sections * SECTION_LEN) as u64;
        out.seek(SeekFrom::Start(at))?;
        Ok(TableWriter {
            target: target.to_owned(),
            temporary,
            out,
            at,
            material,
            rules,
            reserved: sections,
            sections: Vec::new(),
        })
    }

    /// Adds the values of one slice: the `side`-th stored side to move.
    ///
    /// # Errors
    /// If writing fails.
    ///
    /// # Panics
    /// If more sections are added than room was made for, or the slice is not of this material.
    pub fn add(&mut self, side: usize, index: &SliceIndex, slice: &SolvedSlice) -> io::Result<()> {
        assert_eq!(slice.len(), index.positions());
        let stats = SectionStats::count(index, slice)?;
        let width = codec::width_for(stats.max_dtw());
        let blocks = slice.len().div_ceil(u64::from(BLOCK_POSITIONS)) as usize;
        let compress = |block| {
            let first = block as u64 * u64::from(BLOCK_POSITIONS);
            let end = (first + u64::from(BLOCK_POSITIONS)).min(slice.len());
            codec::compress(width, slice.read(first, end - first)?.into_iter())
        };
        self.add_section(side, index, width, BLOCK_POSITIONS, &stats, blocks, |batch| {
            batch.into_par_iter().map(compress).collect()
        })
    }

    /// Adds all sections of another table of the same material as they are.
    ///
    /// # Errors
    /// If reading or writing fails, or the other table is damaged.
    ///
    /// # Panics
    /// As [`TableWriter::add`].
    pub fn copy(&mut self, path: &Path) -> io::Result<()> {
        let open = || {
            Table::open_file(path).map_err(|error| match error {
                OpenError::Io(error) => error,
                OpenError::Table(error) => io::Error::new(io::ErrorKind::InvalidData, error),
            })
        };
        for section in open()?.sections() {
            let entry = &section.entry;
            let (side, blocks) = (usize::from(entry.side), entry.blocks as usize);
            let (width, block_positions) = (entry.width, entry.block_positions);
            let index = section.index();
            self.add_section(
                side,
                index,
                width,
                block_positions,
                &section.stats,
                blocks,
                |batch| {
                    // The file is mapped anew each time, so that pages that are done with do not count
                    // among the memory in use.
                    let table = open()?;
                    let Some(section) = table.section(side, index.columns()) else {
                        return Err(io::ErrorKind::InvalidData.into());
                    };
                    batch
                        .map(|block| match table.block_bytes(section, block) {
                            Ok(bytes) => Ok(bytes.to_vec()),
                            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
                        })
                        .collect()
                },
            )?;
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn add_section(
        &mut self,
        side: usize,
        index: &SliceIndex,
        width: u8,
        block_positions: u32,
        stats: &SectionStats,
        blocks: usize,
        batch_bytes: impl Fn(Range<usize>) -> io::Result<Vec<Vec<u8>>>,
    ) -> io::Result<()> {
        assert!(self.sections.len() < self.reserved, "room was made for every section");
        let histogram = encode_histogram(stats);
        let histogram_at = self.write(&histogram)?;
        let mut block_index = Vec::with_capacity(blocks * INDEX_ENTRY_LEN);
        let at_once = BLOCKS_A_THREAD * rayon::current_num_threads();
        for first in (0..blocks).step_by(at_once) {
            for bytes in batch_bytes(first..(first + at_once).min(blocks))? {
                let at = self.write(&bytes)?;
                block_index.extend_from_slice(&at.to_le_bytes());
                block_index.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                block_index.extend_from_slice(&checksum(&bytes).to_le_bytes());
            }
        }
        let index_at = self.write(&block_index)?;
        self.sections.push(SectionEntry {
            side: side as u8,
            columns: index.columns() as u8,
            width,
            block_positions,
            positions: index.positions(),
            index_at,
            blocks: blocks as u32,
            histogram_entries: stats.histogram.len() as u32,
            histogram_at,
            index_checksum: checksum(&block_index),
            histogram_checksum: checksum(&histogram),
            win: stats.win,
            draw: stats.draw,
            loss: stats.loss,
            capture: stats.capture,
        });
        Ok(())
    }

    /// Writes bytes at the end and says where they stand.
    fn write(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let at = self.at;
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(at)
    }

    /// Writes the header and puts the whole table in its place, durably.
    ///
    /// # Errors
    /// If writing or renaming fails; then nothing has changed under the table's name.
    ///
    /// # Panics
    /// If fewer sections were added than room was made for.
    pub fn finish(mut self) -> io::Result<()> {
        assert_eq!(self.sections.len(), self.reserved, "every section was added");
        let directory: Vec<u8> = self.sections.iter().flat_map(|entry| entry.encode()).collect();
        let header = Header {
            rules: self.rules,
            material: self.material,
            sections: self.sections.len(),
            file_len: self.at,
            directory_checksum: checksum(&directory),
        };
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header.encode())?;
        self.out.write_all(&directory)?;
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        fs::rename(&self.temporary.path, &self.target)?;
        self.temporary.kept = true;
        sync_folder(&self.target)
    }
}

/// Makes a renamed file's new name durable.
pub(crate) fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
