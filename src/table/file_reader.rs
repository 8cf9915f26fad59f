//! One file of a table: its bytes, checked before they are believed, and the blocks of its slices.

use super::block::BlockId;
use super::format::{
    GROUP_BLOCKS, GROUP_LEN, HEADER_LEN, Header, LONG, LONG_LEN, SLICE_ENTRY_LEN, SliceEntry,
    checksum, groups_len, u32_at, u64_at,
};
use super::huffman::Decoder;
use super::order::chunks_of;
use super::pages::Pages;
use super::source::Source;
use super::{FileKind, TableError};
use crate::index::{SliceIndex, binomial};
use crate::rules::Square;
use crate::zstd_frame;
use std::borrow::Cow;
use std::sync::OnceLock;

/// One of the two files of a table.
#[derive(Debug)]
pub struct FileReader {
    pub header: Header,
    pub pages: Pages,
}

/// The part of a file that is about one slice.
#[derive(Clone, Debug)]
pub struct FileSlice {
    pub entry: SliceEntry,
    pub index: SliceIndex,
    /// The place in the directory.
    pub number: usize,
    /// For each half, how many chunks with blocks stand before its own.
    chunks_before: [usize; 2],
    /// The head, once it was read without an error.
    head: OnceLock<Head>,
}

/// The head of a slice.
#[derive(Clone, Debug)]
pub struct Head {
    /// For each class, the decoder of each context.
    codes: Vec<Decoder>,
    contexts: usize,
    /// The blocks longer than [`LONG`] or as long, by number.
    long: Vec<(u64, u32)>,
}

/// A block, with everything that is needed to read it.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub bytes: &'a [u8],
    /// The row's usual value.
    pub usual: u8,
    /// The decoder of each context.
    pub codes: &'a [Decoder],
}

impl Head {
    #[inline]
    fn class(&self, class: usize) -> Option<&[Decoder]> {
        self.codes.get(class * self.contexts..(class + 1) * self.contexts)
    }
}

impl FileSlice {
    /// For errors: the head of the slice, by its place in the directory, from 0.
    pub fn head_name(&self) -> String {
        format!("the head of slice {}", self.number)
    }
}

impl FileReader {
    /// Reads and checks the header alone.
    pub fn header_of(source: &Source, kind: FileKind) -> Result<Header, TableError> {
        let head_len = source.len().min(HEADER_LEN as u64);
        let header = Header::decode(&source.read(0, head_len, "the header")?, source.len())?;
        if header.kind != kind {
            let found = header.kind;
            return Err(TableError::damaged(format!(
                "expected a {kind} file, found a {found} file"
            )));
        }
        Ok(header)
    }

    /// Reads and checks the header, the directory, which lists the slices, and the page list.
    pub fn open(
        source: Source,
        kind: FileKind,
    ) -> Result<(FileReader, Vec<FileSlice>), TableError> {
        let header = FileReader::header_of(&source, kind)?;
        let directory = part_of(
            &source,
            header.directory_at,
            header.directory_len,
            header.directory_checksum,
            "the directory",
        )?;
        let list_at = header.directory_at + header.directory_len;
        let list_len = 8 * header.pages();
        if list_at.checked_add(list_len) != Some(header.file_len) {
            return Err(TableError::outside("the page list"));
        }
        let list = part_of(&source, list_at, list_len, header.pages_checksum, "the page list")?;
        let slices = read_directory(&directory, &header)?;
        let sums = list.as_chunks().0.iter().map(|&sum| u64::from_le_bytes(sum)).collect();
        drop((directory, list));
        let pages = Pages::new(source, sums, header.directory_at)?;
        Ok((FileReader { header, pages }, slices))
    }

    /// The head of a slice, read when it is first needed. After an error, the next call tries again.
    #[inline]
    fn head<'a>(&'a self, slice: &'a FileSlice) -> Result<&'a Head, TableError> {
        match slice.head.get() {
            Some(head) => Ok(head),
            None => self.read_head(slice).map(|head| slice.head.get_or_init(|| head)),
        }
    }

    #[cold]
    fn read_head(&self, slice: &FileSlice) -> Result<Head, TableError> {
        let kind = self.header.kind;
        let wrong = || TableError::wrong_content(slice.head_name());
        let entry = &slice.entry;
        let len = usize::try_from(entry.head_len(kind)).map_err(|_| wrong())?;
        let bytes = self.pages.bytes(entry.rows_at, len)?;
        let (rows, rest) = bytes.split_at(entry.rows as usize * kind.row_len());
        let (codes, long) = rest.split_at(entry.codes_len as usize);
        let classes = usize::from(entry.classes);
        if !rows_are_sound(rows, kind, classes) {
            return Err(wrong());
        }
        let contexts = kind.contexts();
        let codes = zstd_frame::decompress(codes, classes * contexts.iter().sum::<usize>());
        let codes = codes.and_then(|lengths| read_codes(&lengths, classes, contexts));
        let codes = codes.ok_or_else(wrong)?;
        let long =
            long.as_chunks::<LONG_LEN>().0.iter().map(|entry| (u64_at(entry, 0), u32_at(entry, 8)));
        let long: Vec<(u64, u32)> = long.collect();
        if !long.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(wrong());
        }
        Ok(Head { codes, contexts: contexts.len(), long })
    }

    /// The class and the usual value of a row.
    #[inline]
    pub fn row(&self, slice: &FileSlice, row: usize) -> Result<(usize, u8), TableError> {
        let width = self.header.kind.row_len();
        let bytes = self.pages.bytes(slice.entry.rows_at + (row * width) as u64, width)?;
        Ok(match self.header.kind {
            FileKind::Wdl => (usize::from(bytes[0] & 15), bytes[0] >> 4),
            FileKind::Dtw => (usize::from(bytes[0]), bytes[1]),
        })
    }

    #[inline]
    pub fn block<'a>(&'a self, slice: &'a FileSlice, id: BlockId) -> Result<Block<'a>, TableError> {
        let head = self.head(slice)?;
        let (class, usual) = self.row(slice, id.row)?;
        let content = || TableError::wrong_content(id.name(slice.number));
        let codes = head.class(class).ok_or_else(content)?;
        if !slice.entry.has(id.half) {
            return Err(content());
        }
        let chunk = slice.chunks_before[id.half] + id.chunk;
        let bytes = self.block_bytes(slice, head, chunk, id)?;
        Ok(Block { bytes, usual, codes })
    }

    #[inline]
    fn block_bytes(
        &self,
        slice: &FileSlice,
        head: &Head,
        chunk: usize,
        id: BlockId,
    ) -> Result<&[u8], TableError> {
        let entry = &slice.entry;
        let rows = entry.rows as usize;
        let (group, place) = (id.row / GROUP_BLOCKS, id.row % GROUP_BLOCKS);
        let group_at = chunk as u64 * groups_len(rows as u64) + (group * GROUP_LEN) as u64;
        let blocks = GROUP_BLOCKS.min(rows - group * GROUP_BLOCKS);
        let bytes = self.pages.bytes(entry.groups_at + group_at, 8 + blocks)?;
        let (base, lengths) = (u64_at(bytes, 0), &bytes[8..]);
        let before = match lengths.first_chunk() {
            Some(lengths) => sum_of_first(lengths, place),
            None => lengths[..place].iter().map(|&length| u64::from(length)).sum(),
        };
        let (mut start, mut len) = (base.wrapping_add(before), u64::from(lengths[place]));
        if lengths.contains(&LONG) {
            let first = chunk as u64 * rows as u64 + (group * GROUP_BLOCKS) as u64;
            for (block, &length) in (first..).zip(&lengths[..=place]).filter(|b| *b.1 == LONG) {
                let found = head.long.binary_search_by_key(&block, |&(block, _)| block);
                let more =
                    found.map_or(0, |found| head.long[found].1.saturating_sub(length.into()));
                let of = if block == first + place as u64 { &mut len } else { &mut start };
                *of = of.wrapping_add(u64::from(more));
            }
        }
        if start.checked_add(len).is_none_or(|end| end > entry.data_len) {
            return Err(TableError::outside(id.name(slice.number)));
        }
        if len == 0 {
            return Ok(&[]);
        }
        self.pages.bytes(entry.data_at + start, len as usize)
    }
}

/// The sum of the first `count` lengths, without a branch that depends on the count.
#[inline]
fn sum_of_first(lengths: &[u8; GROUP_BLOCKS], count: usize) -> u64 {
    let counted = |(place, &length)| if place < count as u8 { u16::from(length) } else { 0 };
    (0..).zip(lengths).map(counted).sum::<u16>().into()
}

/// Reads the entries of the directory with their histograms, and checks them.
fn read_directory(directory: &[u8], header: &Header) -> Result<Vec<FileSlice>, TableError> {
    let entries_len = header.slices * SLICE_ENTRY_LEN;
    let outside = || TableError::outside("the directory");
    let entries = directory.get(..entries_len).ok_or_else(outside)?;
    let mut histograms = &directory[entries_len..];
    let mut slices: Vec<FileSlice> = Vec::with_capacity(header.slices);
    for (number, bytes) in entries.as_chunks::<SLICE_ENTRY_LEN>().0.iter().enumerate() {
        let (entry, index) = SliceEntry::decode(bytes, &mut histograms, header)?;
        let key = |entry: &SliceEntry| (entry.side, entry.columns);
        if slices.iter().any(|slice| key(&slice.entry) == key(&entry)) {
            let (side, columns) = key(&entry);
            let slice = format!("the slice of {columns} columns for stored side {side}");
            return Err(TableError::damaged(format!("{slice} is listed twice")));
        }
        check_stats(header.kind, number, &entry, &index)?;
        let chunks_before = [0, if entry.has(0) { chunks_of(index.columns())[0] } else { 0 }];
        let head = OnceLock::new();
        slices.push(FileSlice { entry, index, number, chunks_before, head });
    }
    if histograms.is_empty() { Ok(slices) } else { Err(outside()) }
}

/// Whether each row has one of the classes and a usual value that a row can have.
fn rows_are_sound(rows: &[u8], kind: FileKind, classes: usize) -> bool {
    rows.chunks_exact(kind.row_len()).all(|row| match kind {
        FileKind::Wdl => usize::from(row[0] & 15) < classes && row[0] >> 4 < 3,
        FileKind::Dtw => usize::from(row[0]) < classes,
    })
}

/// For each class, the decoder of each context. `contexts` says how many symbols each has. `None`
/// if these are not the lengths of such codes.
fn read_codes(lengths: &[u8], classes: usize, contexts: &[usize]) -> Option<Vec<Decoder>> {
    let symbols: usize = contexts.iter().sum();
    if lengths.len() != classes * symbols {
        return None;
    }
    let mut decoders = Vec::with_capacity(classes * contexts.len());
    let mut rest = lengths;
    for &symbols in contexts.iter().cycle().take(classes * contexts.len()) {
        let (lengths, after) = rest.split_at(symbols);
        decoders.push(Decoder::new(lengths)?);
        rest = after;
    }
    Some(decoders)
}

/// Checks that the statistics of a slice can be those of this many positions. Sums of them are then
/// far below what 64 bits hold.
fn check_stats(
    kind: FileKind,
    slice: usize,
    SliceEntry { stats, .. }: &SliceEntry,
    index: &SliceIndex,
) -> Result<(), TableError> {
    let mut decided = [0; 2];
    for (dtw, &positions) in &stats.histogram {
        decided[usize::from(dtw % 2)] += u128::from(positions);
    }
    let positions = binomial(Square::COUNT, index.columns()) * index.rows() as u64;
    let results = [stats.win, stats.draw, stats.loss].map(u128::from).iter().sum();
    let sums = [
        ("win + draw + loss", positions, results),
        ("the positions at odd plies", stats.win, decided[1]),
        ("the positions at even plies", stats.loss, decided[0]),
    ];
    let checked = match kind {
        FileKind::Wdl => 1,
        FileKind::Dtw => 3,
    };
    for (sum, expected, found) in sums.into_iter().take(checked) {
        if found != u128::from(expected) {
            let problem = format!("in slice {slice}, {sum} should be {expected}, but is {found}");
            return Err(TableError::damaged(problem));
        }
    }
    if stats.capture > positions {
        return Err(TableError::wrong_field("the directory", "capture", stats.capture));
    }
    Ok(())
}

/// A part of the file, checked against its checksum.
fn part_of<'a>(
    source: &'a Source,
    at: u64,
    len: u64,
    sum: u64,
    part: &str,
) -> Result<Cow<'a, [u8]>, TableError> {
    let bytes = source.read(at, len, part)?;
    if checksum(&bytes) == sum { Ok(bytes) } else { Err(TableError::wrong_checksum(part)) }
}
