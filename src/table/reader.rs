//! Reading a table from any bytes.

use super::format::{
    HEADER_LEN, HISTOGRAM_ENTRY_LEN, Header, INDEX_ENTRY_LEN, SECTION_LEN, SectionEntry, checksum,
    decode_histogram, u64_at,
};
use super::{OpenError, Part, SectionStats, TableError, codec};
use crate::Value;
use crate::index::{Material, SliceIndex, binomial};
use crate::rules::{RuleSet, Square};
use crate::solve::SolvedSlice;
use rayon::prelude::*;
use std::path::Path;

/// A table over bytes of any kind: a memory map, a `Vec<u8>`, a slice.
///
/// [`Table::open`] reads and checks everything but the blocks of values; these are checked when
/// they are read.
#[derive(Debug)]
pub struct Table<D> {
    data: D,
    header: Header,
    sections: Vec<SectionInfo>,
}

/// What a table says of one of its sections.
#[derive(Clone, Debug)]
pub struct SectionInfo {
    pub(super) entry: SectionEntry,
    pub(super) stats: SectionStats,
    /// The section's place in the directory.
    pub(super) number: usize,
    index: SliceIndex,
}

/// Names a block of values within a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    /// The section's place in the directory.
    pub section: u32,
    /// The block's place in the section.
    pub block: u32,
}

impl SectionInfo {
    /// The stored side to move: its place among [`Material::stored_sides`].
    pub fn side(&self) -> usize {
        usize::from(self.entry.side)
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        usize::from(self.entry.columns)
    }

    /// The numbering of the section's positions.
    pub fn index(&self) -> &SliceIndex {
        &self.index
    }

    /// Counts over the section's positions, unfolded.
    pub fn stats(&self) -> &SectionStats {
        &self.stats
    }

    /// How many blocks of values there are.
    pub fn blocks(&self) -> usize {
        self.entry.blocks as usize
    }

    fn positions_in(&self, block: usize) -> usize {
        let first = block as u64 * u64::from(self.entry.block_positions);
        (self.entry.positions - first).min(u64::from(self.entry.block_positions)) as usize
    }
}

impl<D: AsRef<[u8]>> Table<D> {
    /// Reads a table, checking the header, the directory and the histograms, but no block of
    /// values.
    ///
    /// # Errors
    /// If the bytes are not a sound table of this format version.
    pub fn open(data: D) -> Result<Table<D>, TableError> {
        let file = data.as_ref();
        let header = Header::decode(file)?;
        let directory = part_of(
            file,
            HEADER_LEN as u64,
            header.sections as u64 * SECTION_LEN as u64,
            header.directory_checksum,
            Part::Directory,
        )?;
        let mut sections = Vec::with_capacity(header.sections);
        for (number, bytes) in directory.chunks_exact(SECTION_LEN).enumerate() {
            let (entry, index) = SectionEntry::decode(bytes, &header)?;
            let key = |entry: &SectionEntry| (entry.side, entry.columns);
            if sections.iter().any(|section: &SectionInfo| key(&section.entry) == key(&entry)) {
                return Err(TableError::RepeatedSection {
                    side: usize::from(entry.side),
                    columns: usize::from(entry.columns),
                });
            }
            let part = Part::Histogram { section: number };
            let histogram = part_of(
                file,
                entry.histogram_at,
                u64::from(entry.histogram_entries) * HISTOGRAM_ENTRY_LEN as u64,
                entry.histogram_checksum,
                part,
            )?;
            let stats = SectionStats {
                win: entry.win,
                draw: entry.draw,
                loss: entry.loss,
                capture: entry.capture,
                histogram: decode_histogram(histogram, part)?,
            };
            check_stats(number, &stats, &index)?;
            part_of(
                file,
                entry.index_at,
                u64::from(entry.blocks) * INDEX_ENTRY_LEN as u64,
                entry.index_checksum,
                Part::BlockIndex { section: number },
            )?;
            sections.push(SectionInfo { entry, stats, number, index });
        }
        Ok(Table { data, header, sections })
    }

    /// Checks that every section of the material is there, as in all but work files.
    ///
    /// # Errors
    /// [`TableError::MissingSection`].
    pub fn check_whole(&self) -> Result<(), TableError> {
        for side in 0..self.material().stored_sides().len() {
            for columns in self.material().columns() {
                if self.section(side, columns).is_none() {
                    return Err(TableError::MissingSection { side, columns });
                }
            }
        }
        Ok(())
    }

    /// The material, White's counters first.
    pub fn material(&self) -> Material {
        self.header.material
    }

    /// The rule set that the values are for.
    pub fn rules(&self) -> RuleSet {
        self.header.rules
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.header.file_len
    }

    /// How many positions are stored.
    pub fn positions(&self) -> u64 {
        self.sections.iter().map(|section| section.entry.positions).sum()
    }

    /// All sections in the order of the directory.
    pub fn sections(&self) -> &[SectionInfo] {
        &self.sections
    }

    /// The section of the `side`-th stored side to move and this number of columns.
    pub fn section(&self, side: usize, columns: usize) -> Option<&SectionInfo> {
        self.sections.iter().find(|section| section.side() == side && section.columns() == columns)
    }

    /// The section that holds positions in which the mover has `mover` counters.
    pub fn section_of(&self, mover: usize, columns: usize) -> Option<&SectionInfo> {
        self.sections
            .iter()
            .find(|section| section.index.mover_counters() == mover && section.columns() == columns)
    }

    /// The compressed bytes of a block, checked.
    ///
    /// # Errors
    /// If the block is damaged, or there is no such block.
    pub fn block_bytes(&self, section: &SectionInfo, block: usize) -> Result<&[u8], TableError> {
        let part = Part::Block { section: section.number, block };
        if block >= section.blocks() {
            return Err(TableError::Place(part));
        }
        let file = self.data.as_ref();
        // The index was read when the table was opened; a file that shrank since is caught here.
        let place = section.entry.index_at + (block * INDEX_ENTRY_LEN) as u64;
        let entry = slice_of(file, place, INDEX_ENTRY_LEN as u64)
            .ok_or(TableError::Place(Part::BlockIndex { section: section.number }))?;
        part_of(file, u64_at(entry, 0), u64_at(entry, 8), u64_at(entry, 16), part)
    }

    /// The block that holds the position with this number.
    ///
    /// # Errors
    /// If there is no such number.
    pub fn block_of(&self, section: &SectionInfo, number: u64) -> Result<BlockId, TableError> {
        let (section, entry) = (section.number, &section.entry);
        if number >= entry.positions {
            return Err(TableError::NoPosition { section, positions: entry.positions, number });
        }
        // The directory says in 32 bits how many blocks there are.
        let block = (number / u64::from(entry.block_positions)) as u32;
        Ok(BlockId { section: section as u32, block })
    }

    /// The decompressed codes of a block.
    ///
    /// # Errors
    /// If the block is damaged, or there is no such block.
    pub fn decode_block(&self, id: BlockId) -> Result<Vec<u8>, TableError> {
        let part = Part::Block { section: id.section as usize, block: id.block as usize };
        let section = self.sections.get(id.section as usize).ok_or(TableError::Place(part))?;
        let bytes = self.block_bytes(section, id.block as usize)?;
        codec::decompress(bytes, section.entry.width, section.positions_in(id.block as usize), part)
    }

    /// The value of the position with this number, given the decoded block that holds it.
    ///
    /// # Panics
    /// If the codes are not those of the block that [`Table::block_of`] names.
    pub fn value_in(&self, section: &SectionInfo, codes: &[u8], number: u64) -> Value {
        let at = (number % u64::from(section.entry.block_positions)) as usize;
        Value::of_distance(codec::distance(codes, section.entry.width, at))
    }

    /// The value of the position with this number. For more than a few positions, keep the decoded
    /// blocks.
    ///
    /// # Errors
    /// If the block that holds it is damaged, or there is no such number.
    pub fn value(&self, section: &SectionInfo, number: u64) -> Result<Value, TableError> {
        let codes = self.decode_block(self.block_of(section, number)?)?;
        Ok(self.value_in(section, &codes, number))
    }
}

impl<D: AsRef<[u8]> + Sync> Table<D> {
    /// All values of a section.
    ///
    /// # Errors
    /// If a block is damaged; the first such block in the order of the section.
    pub fn read_section(&self, section: &SectionInfo) -> Result<SolvedSlice, TableError> {
        self.read_section_into(section, None).map_err(|error| match error {
            OpenError::Table(error) => error,
            OpenError::Io(_) => unreachable!("nothing is written where no folder is given"),
        })
    }

    /// All values of a section, kept in a scratch file in a folder if one is given.
    pub(crate) fn read_section_into(
        &self,
        section: &SectionInfo,
        scratch: Option<&Path>,
    ) -> Result<SolvedSlice, OpenError> {
        let decode = |block| {
            let id = BlockId { section: section.number as u32, block };
            let codes = self.decode_block(id).map_err(OpenError::Table)?;
            let positions = section.positions_in(block as usize);
            let width = section.entry.width;
            Ok((0..positions).map(|at| codec::distance(&codes, width, at)).collect())
        };
        let at_once = 4 * rayon::current_num_threads() as u32;
        let parts = (0..section.entry.blocks).step_by(at_once as usize).flat_map(|first| {
            let blocks = first..(first + at_once).min(section.entry.blocks);
            blocks.into_par_iter().map(decode).collect::<Vec<Result<Vec<_>, OpenError>>>()
        });
        SolvedSlice::from_parts(section.entry.positions, scratch, parts)
    }

    /// Checks the bytes of every block against their checksums.
    ///
    /// # Errors
    /// The first damaged block, in the order of the file.
    pub fn check_bytes(&self) -> Result<(), TableError> {
        for section in &self.sections {
            let damaged = (0..section.blocks())
                .into_par_iter()
                .find_map_first(|block| self.block_bytes(section, block).err());
            if let Some(error) = damaged {
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Checks that the statistics of a section can be those of so many positions. Sums of them are then
/// far below what 64 bits hold.
fn check_stats(section: usize, stats: &SectionStats, index: &SliceIndex) -> Result<(), TableError> {
    let sum = |counts: &mut dyn Iterator<Item = u64>| counts.map(u128::from).sum::<u128>();
    let decided = |odd: u16| {
        let of_side = stats.histogram.iter().filter(move |(dtw, _)| *dtw % 2 == odd);
        sum(&mut of_side.map(|(_, &positions)| positions))
    };
    let positions = binomial(Square::COUNT, index.columns()) * index.block_len() as u64;
    let results = sum(&mut [stats.win, stats.draw, stats.loss].into_iter());
    for (sum, expected, found) in [
        ("win + draw + loss", positions, results),
        ("the positions at odd plies", stats.win, decided(1)),
        ("the positions at even plies", stats.loss, decided(0)),
    ] {
        if found != u128::from(expected) {
            return Err(TableError::Statistics { section, sum, expected, found });
        }
    }
    if stats.capture > positions {
        let (part, field) = (Part::Directory, "capture");
        return Err(TableError::Field { part, field, found: stats.capture });
    }
    Ok(())
}

/// `len` bytes of the file from `at` on, if they are there.
fn slice_of(file: &[u8], at: u64, len: u64) -> Option<&[u8]> {
    let end = usize::try_from(at.checked_add(len)?).ok()?;
    file.get(usize::try_from(at).ok()?..end)
}

/// A part of the file, checked against its checksum.
fn part_of(file: &[u8], at: u64, len: u64, sum: u64, part: Part) -> Result<&[u8], TableError> {
    let bytes = slice_of(file, at, len).ok_or(TableError::Place(part))?;
    if checksum(bytes) == sum { Ok(bytes) } else { Err(TableError::Checksum(part)) }
}
