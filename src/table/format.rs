//! The fixed structures of a table file; `tables/FORMAT.md` describes the same bytes in words.

use super::{Part, SectionStats, TableError};
use crate::index::{Material, SliceIndex};
use crate::rules::RuleSet;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every table.
pub const MAGIC: [u8; 8] = *b"\x89LTB\r\n\x1a\n";
/// The format version that this program writes and reads.
pub const VERSION: u16 = 1;
/// The ending of a table's file name.
pub const EXTENSION: &str = "ltb";

/// The name of a table's file, such as `lasca-4-3.ltb`.
///
/// ```
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::table::file_name;
/// assert_eq!(file_name("4-3".parse().unwrap(), RuleSet::Lasca), "lasca-4-3.ltb");
/// ```
pub fn file_name(material: Material, rules: RuleSet) -> String {
    format!("{rules}-{material}.{EXTENSION}")
}

/// The bytes of a checksum: XXH3, 64 bits, no seed, lowest byte first.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The fixed header at the start of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub rules: RuleSet,
    pub material: Material,
    pub sections: usize,
    pub file_len: u64,
    pub directory_checksum: u64,
}

pub const HEADER_LEN: usize = 64;
/// Where the header's own checksum stands; it covers all bytes before it.
const HEADER_CHECKSUM_AT: usize = 56;

impl Header {
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10] = self.rules.id();
        bytes[11] = self.material.white() as u8;
        bytes[12] = self.material.black() as u8;
        bytes[16..20].copy_from_slice(&(self.sections as u32).to_le_bytes());
        bytes[24..32].copy_from_slice(&self.file_len.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.directory_checksum.to_le_bytes());
        let sum = checksum(&bytes[..HEADER_CHECKSUM_AT]);
        bytes[HEADER_CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the header at the start of a whole file's bytes.
    pub fn decode(file: &[u8]) -> Result<Header, TableError> {
        let part = Part::Header;
        if file.len() < 8 || file[..8] != MAGIC {
            return Err(TableError::NotATable);
        }
        let bytes = file
            .get(..HEADER_LEN)
            .ok_or(TableError::Length { expected: HEADER_LEN as u64, found: file.len() as u64 })?;
        let version = u16_at(bytes, 8);
        if version != VERSION {
            return Err(TableError::Version { found: version });
        }
        if u64_at(bytes, HEADER_CHECKSUM_AT) != checksum(&bytes[..HEADER_CHECKSUM_AT]) {
            return Err(TableError::Checksum(part));
        }
        let field = |field, found: u64| TableError::Field { part, field, found };
        let rules =
            RuleSet::from_id(bytes[10]).ok_or_else(|| field("rule set", u64::from(bytes[10])))?;
        let material = Material::new(usize::from(bytes[11]), usize::from(bytes[12]))
            .map_err(TableError::Material)?;
        if material != material.normalized() {
            return Err(field("white counters", u64::from(bytes[11])));
        }
        let header = Header {
            rules,
            material,
            sections: u32_at(bytes, 16) as usize,
            file_len: u64_at(bytes, 24),
            directory_checksum: u64_at(bytes, 32),
        };
        if header.sections > 2 * Material::MAX_COUNTERS {
            return Err(field("number of sections", header.sections as u64));
        }
        if bytes[13..16].iter().chain(&bytes[20..24]).chain(&bytes[40..56]).any(|&byte| byte != 0) {
            return Err(field("reserved bytes", 1));
        }
        if header.file_len != file.len() as u64 {
            return Err(TableError::Length { expected: header.file_len, found: file.len() as u64 });
        }
        Ok(header)
    }
}

/// An entry of the directory: one stored side to move and number of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionEntry {
    pub side: u8,
    pub columns: u8,
    pub width: u8,
    pub block_positions: u32,
    pub positions: u64,
    pub index_at: u64,
    pub blocks: u32,
    pub histogram_entries: u32,
    pub histogram_at: u64,
    pub index_checksum: u64,
    pub histogram_checksum: u64,
    pub win: u64,
    pub draw: u64,
    pub loss: u64,
    pub capture: u64,
}

pub const SECTION_LEN: usize = 96;
/// Bytes of a histogram's entry: plies (8), positions (8).
pub const HISTOGRAM_ENTRY_LEN: usize = 16;
/// Bytes of a block index's entry: place (8), length (8), checksum (8).
pub const INDEX_ENTRY_LEN: usize = 24;

impl SectionEntry {
    pub fn encode(&self) -> [u8; SECTION_LEN] {
        let mut bytes = [0; SECTION_LEN];
        bytes[0] = self.side;
        bytes[1] = self.columns;
        bytes[2] = self.width;
        bytes[4..8].copy_from_slice(&self.block_positions.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.histogram_entries.to_le_bytes());
        for (at, number) in [
            (8, self.positions),
            (16, self.index_at),
            (32, self.histogram_at),
            (40, self.index_checksum),
            (48, self.histogram_checksum),
            (56, self.win),
            (64, self.draw),
            (72, self.loss),
            (80, self.capture),
        ] {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads an entry; `bytes` must be as long as one. Its fields are checked against the header
    /// and the index, so that later arithmetic cannot overflow or leave the file.
    /// Gives the numbering of the section's positions as well.
    pub fn decode(bytes: &[u8], header: &Header) -> Result<(SectionEntry, SliceIndex), TableError> {
        let entry = SectionEntry {
            side: bytes[0],
            columns: bytes[1],
            width: bytes[2],
            block_positions: u32_at(bytes, 4),
            positions: u64_at(bytes, 8),
            index_at: u64_at(bytes, 16),
            blocks: u32_at(bytes, 24),
            histogram_entries: u32_at(bytes, 28),
            histogram_at: u64_at(bytes, 32),
            index_checksum: u64_at(bytes, 40),
            histogram_checksum: u64_at(bytes, 48),
            win: u64_at(bytes, 56),
            draw: u64_at(bytes, 64),
            loss: u64_at(bytes, 72),
            capture: u64_at(bytes, 80),
        };
        let field =
            |field, found: u64| Err(TableError::Field { part: Part::Directory, field, found });
        let sides = header.material.stored_sides();
        let Some(&side) = sides.get(usize::from(entry.side)) else {
            return field("side to move", u64::from(entry.side));
        };
        let (mover, other) = (header.material.counters(side), header.material.counters(!side));
        let Some(index) = SliceIndex::new(mover, other, usize::from(entry.columns)) else {
            return field("columns", u64::from(entry.columns));
        };
        if bytes[3] != 0 || bytes[88..SECTION_LEN].iter().any(|&byte| byte != 0) {
            return field("reserved bytes", 1);
        }
        if !(1..=2).contains(&entry.width) {
            return field("width", u64::from(entry.width));
        }
        if entry.positions != index.positions() {
            return field("positions", entry.positions);
        }
        if !(1..=MAX_BLOCK_POSITIONS).contains(&entry.block_positions) {
            return field("positions a block", u64::from(entry.block_positions));
        }
        if u64::from(entry.blocks) != entry.positions.div_ceil(u64::from(entry.block_positions)) {
            return field("blocks", u64::from(entry.blocks));
        }
        Ok((entry, index))
    }
}

/// The most positions that a block may hold, so that a damaged file cannot make a reader allocate
/// without bound.
pub const MAX_BLOCK_POSITIONS: u32 = 1 << 24;

/// The greatest DTW that a code has room for.
const MAX_DTW: u16 = u16::MAX - 1;

pub fn encode_histogram(stats: &SectionStats) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(stats.histogram.len() * HISTOGRAM_ENTRY_LEN);
    for (&dtw, &count) in &stats.histogram {
        bytes.extend_from_slice(&u64::from(dtw).to_le_bytes());
        bytes.extend_from_slice(&count.to_le_bytes());
    }
    bytes
}

pub fn decode_histogram(bytes: &[u8], part: Part) -> Result<BTreeMap<u16, u64>, TableError> {
    let mut histogram = BTreeMap::new();
    for entry in bytes.chunks_exact(HISTOGRAM_ENTRY_LEN) {
        let (plies, positions) = (u64_at(entry, 0), u64_at(entry, 8));
        let field = |field, found| TableError::Field { part, field, found };
        let rises = |dtw: &u16| histogram.keys().next_back().is_none_or(|before| before < dtw);
        let dtw = u16::try_from(plies).ok().filter(|&dtw| dtw <= MAX_DTW).filter(rises);
        let dtw = dtw.ok_or_else(|| field("plies", plies))?;
        if positions == 0 {
            return Err(field("positions", positions));
        }
        histogram.insert(dtw, positions);
    }
    Ok(histogram)
}

pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
