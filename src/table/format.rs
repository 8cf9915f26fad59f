//! The fixed structures of table files; `docs/FORMAT.md` describes the same bytes in words.

use super::order::{Half, chunks_of};
use super::{FileKind, SliceStats, TableError};
use crate::index::{Extent, Material, SliceIndex};
use crate::rules::RuleSet;
use crate::values::Distance;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every table.
pub const MAGIC: [u8; 8] = *b"\x89LTB\r\n\x1a\n";
/// The format version that this program writes and reads.
pub const VERSION: u16 = 2;

/// The name of the file that holds a part of a table, such as `lasca-4-3.ltbw`.
///
/// ```
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::table::{FileKind, file_name};
/// assert_eq!(file_name("4-3".parse().unwrap(), RuleSet::Lasca, FileKind::Wdl), "lasca-4-3.ltbw");
/// assert_eq!(file_name("4-3".parse().unwrap(), RuleSet::Lasca, FileKind::Dtw), "lasca-4-3.ltbd");
/// ```
pub fn file_name(material: Material, rules: RuleSet, kind: FileKind) -> String {
    format!("{rules}-{material}.{}", kind.extension())
}

/// A checksum: XXH3, 64 bits, no seed.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The fixed header at the start of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: FileKind,
    pub rules: RuleSet,
    /// The positions that the table covers.
    pub extent: Extent,
    pub slices: usize,
    pub file_len: u64,
    pub directory_at: u64,
    pub directory_len: u64,
    pub directory_checksum: u64,
    pub pages_checksum: u64,
    /// Of a DTW file: the header checksum of the WDL file that it belongs to.
    pub belongs_to: u64,
    /// Of this header.
    pub checksum: u64,
}

pub const HEADER_LEN: usize = 88;
/// Where the header's own checksum stands; it covers all bytes before it.
const HEADER_CHECKSUM_AT: usize = 80;
/// The bytes that a checksum of the page list covers.
pub const PAGE_LEN: usize = 1 << 16;

impl Header {
    /// The header's bytes; `checksum` is not looked at.
    pub fn encode(&self) -> Vec<u8> {
        let (material, bound) = (self.extent.material(), self.extent.max_columns().unwrap_or(0));
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([self.kind as u8, self.rules.id()]);
        bytes.extend([material.white() as u8, material.black() as u8, bound as u8, 0]);
        bytes.extend((self.slices as u64).to_le_bytes());
        let lens = [self.file_len, self.directory_at, self.directory_len];
        let sums = [self.directory_checksum, self.pages_checksum, self.belongs_to];
        bytes.extend([lens, sums].as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        bytes.resize(HEADER_CHECKSUM_AT, 0);
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the header at the start of a file of `len` bytes. `file` holds the first of them, as many
    /// as a header has if there are so many.
    pub fn decode(file: &[u8], len: u64) -> Result<Header, TableError> {
        if file.len() < 8 || file[..8] != MAGIC {
            return Err(TableError::damaged("this is not a table: its first bytes differ"));
        }
        let length = |expected| TableError::Length { file: FileKind::Wdl, expected, found: len };
        let too_short = || length(HEADER_LEN as u64);
        let version = u16_at(file.get(..10).ok_or_else(too_short)?, 8);
        if version != VERSION {
            return Err(TableError::Version { file: FileKind::Wdl, found: version });
        }
        let bytes = file.get(..HEADER_LEN).ok_or_else(too_short)?;
        let found = u64_at(bytes, HEADER_CHECKSUM_AT);
        if found != checksum(&bytes[..HEADER_CHECKSUM_AT]) {
            return Err(TableError::wrong_checksum("the header"));
        }
        let field = |field, found: u64| TableError::wrong_field("the header", field, found);
        let kind =
            FileKind::from_id(bytes[10]).ok_or_else(|| field("kind", u64::from(bytes[10])))?;
        let rules =
            RuleSet::from_id(bytes[11]).ok_or_else(|| field("rule set", u64::from(bytes[11])))?;
        let material =
            Material::new(usize::from(bytes[12]), usize::from(bytes[13])).map_err(|error| {
                TableError::damaged(format!("the header names no material: {error}"))
            })?;
        if material != material.normalized() {
            return Err(field("white counters", u64::from(bytes[12])));
        }
        let bound = Some(usize::from(bytes[14])).filter(|&bound| bound != 0);
        let extent = Extent::new(material, bound).ok();
        let extent = extent.filter(|extent| extent.max_columns() == bound);
        let [file_len, directory_at, directory_len] = u64s_at(bytes, 24);
        let [directory_checksum, pages_checksum, belongs_to] = u64s_at(bytes, 48);
        let header = Header {
            kind,
            rules,
            extent: extent.ok_or_else(|| field("column bound", u64::from(bytes[14])))?,
            slices: u32_at(bytes, 16) as usize,
            file_len,
            directory_at,
            directory_len,
            directory_checksum,
            pages_checksum,
            belongs_to,
            checksum: found,
        };
        if header.slices > 2 * Extent::MAX_COLUMNS {
            return Err(field("number of slices", header.slices as u64));
        }
        if bytes[15..16].iter().chain(&bytes[20..24]).chain(&bytes[72..80]).any(|&byte| byte != 0) {
            return Err(field("reserved bytes", 1));
        }
        if header.file_len != len {
            return Err(length(header.file_len));
        }
        if header.directory_at < HEADER_LEN as u64 || header.directory_at > header.file_len {
            return Err(field("directory offset", header.directory_at));
        }
        let directory_end = header.directory_at.checked_add(header.directory_len);
        if directory_end.is_none_or(|end| end > header.file_len) {
            return Err(TableError::outside("the directory"));
        }
        if header.directory_len > (header.slices * MOST_OF_SLICE) as u64 {
            return Err(field("directory length", header.directory_len));
        }
        Ok(header)
    }

    /// How many pages the checksums of the page list cover: all bytes between the header and the
    /// directory.
    pub fn pages(&self) -> u64 {
        self.directory_at.div_ceil(PAGE_LEN as u64)
    }
}

/// An entry of the directory: what a file says of one stored side to move and number of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceEntry {
    pub side: u8,
    pub columns: u8,
    /// Whether capture positions have cells too.
    pub full: bool,
    /// The halves that have blocks, a bit for each.
    pub halves: u8,
    pub classes: u8,
    pub rows: u32,
    pub codes_len: u32,
    pub rows_at: u64,
    pub long_blocks: u32,
    pub groups_at: u64,
    pub data_at: u64,
    pub data_len: u64,
    /// In a WDL file, without the histogram.
    pub stats: SliceStats,
}

pub const SLICE_ENTRY_LEN: usize = 96;
/// Bytes of a histogram's entry: plies (8), positions (8).
const HISTOGRAM_ENTRY_LEN: usize = 16;
/// The most bytes of a slice in the directory: its entry, and a histogram of all distances.
const MOST_OF_SLICE: usize =
    SLICE_ENTRY_LEN + (Distance::MAX_DTW as usize + 1) * HISTOGRAM_ENTRY_LEN;
/// The blocks of a group: those of as many rows in one chunk.
pub const GROUP_BLOCKS: usize = 32;
/// Bytes of a group's entry but the last of a chunk: where its first block stands among the slice's
/// (8), and the lengths of its blocks (1 each).
pub const GROUP_LEN: usize = 8 + GROUP_BLOCKS;
/// The length that stands for a longer one, which is in the list of long blocks.
pub const LONG: u8 = u8::MAX;
/// Bytes of an entry of the list of long blocks: the block's number (8), its length (4).
pub const LONG_LEN: usize = 12;
/// The most classes of rows.
pub const MAX_CLASSES: usize = 8;

impl SliceEntry {
    /// The bytes of the entry, without those of the histogram.
    pub fn encode(&self) -> Vec<u8> {
        let SliceStats { win, draw, loss, capture, histogram } = &self.stats;
        let mut bytes = vec![self.side, self.columns, u8::from(self.full), self.halves];
        let small = [
            self.classes.into(),
            self.rows,
            self.codes_len,
            self.long_blocks,
            histogram.len() as u32,
        ];
        bytes.extend(small.iter().flat_map(|number| number.to_le_bytes()));
        let places = [self.rows_at, self.groups_at, self.data_at, self.data_len];
        let counts = [*win, *draw, *loss, *capture];
        bytes
            .extend([places, counts].as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        bytes.resize(SLICE_ENTRY_LEN, 0);
        bytes
    }

    /// Reads an entry; `bytes` must be as long as one. `histograms` begins with the entry's histogram,
    /// which is taken away. The fields are checked against the header and the index, so that later
    /// arithmetic cannot overflow or leave the file. Gives the numbering of the slice's positions as well.
    pub fn decode(
        bytes: &[u8],
        histograms: &mut &[u8],
        header: &Header,
    ) -> Result<(SliceEntry, SliceIndex), TableError> {
        let [rows_at, groups_at, data_at, data_len] = u64s_at(bytes, 24);
        let [win, draw, loss, capture] = u64s_at(bytes, 56);
        let mut entry = SliceEntry {
            side: bytes[0],
            columns: bytes[1],
            full: bytes[2] != 0,
            halves: bytes[3],
            classes: bytes[4],
            rows: u32_at(bytes, 8),
            codes_len: u32_at(bytes, 12),
            long_blocks: u32_at(bytes, 16),
            rows_at,
            groups_at,
            data_at,
            data_len,
            stats: SliceStats { win, draw, loss, capture, ..SliceStats::default() },
        };
        let field = |field, found: u64| Err(TableError::wrong_field("the directory", field, found));
        let material = header.extent.material();
        let sides = material.stored_sides();
        let Some(&side) = sides.get(usize::from(entry.side)) else {
            return field("side to move", u64::from(entry.side));
        };
        let columns = usize::from(entry.columns);
        if !header.extent.columns().contains(&columns) {
            return field("columns", u64::from(entry.columns));
        }
        let index = material.slice(side, columns);
        let is_reserved_empty = bytes[5..8].iter().chain(&bytes[88..]).all(|&byte| byte == 0);
        let halves_fit = match header.kind {
            FileKind::Wdl => entry.halves == 3,
            FileKind::Dtw => (1..=3).contains(&entry.halves) && (!entry.full || entry.halves == 3),
        };
        for (name, found, fits) in [
            ("reserved bytes", 1, is_reserved_empty),
            ("full", bytes[2].into(), bytes[2] <= 1),
            ("halves", entry.halves.into(), halves_fit),
            (
                "classes",
                entry.classes.into(),
                (1..=MAX_CLASSES).contains(&usize::from(entry.classes)),
            ),
            ("rows", entry.rows, entry.rows as usize == index.rows()),
        ] {
            if !fits {
                return field(name, found.into());
            }
        }
        for (name, at, len) in [
            ("rows offset", entry.rows_at, entry.head_len(header.kind)),
            ("groups offset", entry.groups_at, entry.groups_len(&index)),
            ("data offset", entry.data_at, entry.data_len),
        ] {
            let end = at.checked_add(len).filter(|&end| end <= header.directory_at);
            if at < HEADER_LEN as u64 || end.is_none() {
                return field(name, at);
            }
        }
        let histogram = (u32_at(bytes, 20) as usize)
            .checked_mul(HISTOGRAM_ENTRY_LEN)
            .and_then(|len| histograms.split_off(..len));
        let histogram = histogram.ok_or_else(|| TableError::outside("the directory"))?;
        entry.stats.histogram = decode_histogram(histogram)?;
        Ok((entry, index))
    }

    /// The bytes of the slice's head: rows, codes, list of long blocks.
    pub fn head_len(&self, kind: FileKind) -> u64 {
        let rows = u64::from(self.rows) * kind.row_len() as u64;
        rows + u64::from(self.codes_len) + u64::from(self.long_blocks) * LONG_LEN as u64
    }

    /// Whether the blocks of a half are there.
    #[inline]
    pub fn has(&self, half: Half) -> bool {
        self.halves >> half & 1 != 0
    }

    /// The bytes of the groups' entries of all chunks that have blocks.
    fn groups_len(&self, index: &SliceIndex) -> u64 {
        let chunks = (0..2).zip(chunks_of(index.columns())).filter(|&(half, _)| self.has(half));
        chunks.map(|(_, chunks)| chunks as u64 * groups_len(self.rows.into())).sum()
    }
}

/// The bytes of the groups' entries of one chunk; the last group has a length for each of its blocks
/// only.
pub fn groups_len(rows: u64) -> u64 {
    8 * rows.div_ceil(GROUP_BLOCKS as u64) + rows
}

pub fn encode_histogram(stats: &SliceStats) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(stats.histogram.len() * HISTOGRAM_ENTRY_LEN);
    for (&dtw, &count) in &stats.histogram {
        bytes.extend_from_slice(&u64::from(dtw).to_le_bytes());
        bytes.extend_from_slice(&count.to_le_bytes());
    }
    bytes
}

fn decode_histogram(bytes: &[u8]) -> Result<BTreeMap<u16, u64>, TableError> {
    let mut histogram = BTreeMap::new();
    for entry in bytes.as_chunks::<HISTOGRAM_ENTRY_LEN>().0 {
        let (plies, positions) = (u64_at(entry, 0), u64_at(entry, 8));
        let field = |field, found| TableError::wrong_field("the directory", field, found);
        let rises = |dtw: &u16| histogram.keys().next_back().is_none_or(|before| before < dtw);
        let dtw = u16::try_from(plies).ok().filter(|&dtw| dtw <= Distance::MAX_DTW).filter(rises);
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

/// Numbers that follow one another.
fn u64s_at<const N: usize>(bytes: &[u8], at: usize) -> [u64; N] {
    std::array::from_fn(|i| u64_at(bytes, at + 8 * i))
}

#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    match bytes[at..].first_chunk() {
        Some(&bytes) => u64::from_le_bytes(bytes),
        None => unreachable!("the caller reads whole numbers only"),
    }
}
