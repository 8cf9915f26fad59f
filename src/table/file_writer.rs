//! Writing one of the two files of a table, and noting how far it is written.

use super::FileKind;
use super::format::{
    GROUP_BLOCKS, HEADER_LEN, HISTOGRAM_ENTRY_LEN, Header, LONG, LONG_LEN, PAGE_LEN, SliceEntry,
    checksum, u64_at,
};
use super::model::{Blocks, Model};
use crate::durable::{Interval, NewFile, from_checked_bytes, write_checked};
use crate::index::Extent;
use crate::reserve::reserve;
use crate::rules::RuleSet;
use crate::zstd_frame;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The zstd level of the code lengths.
const LEVEL: i32 = 19;

/// Writes one of the files.
pub struct FileWriter {
    kind: FileKind,
    out: NewFile,
    state: FileState,
}

/// What is known of a file that is being written, beside the bytes that it holds.
#[derive(Default, bincode::Encode, bincode::Decode)]
pub struct FileState {
    /// How long it is so far, with room for the header.
    at: u64,
    /// The bytes of the page being filled, and the checksums of those before.
    page: Vec<u8>,
    pages: Vec<u64>,
    entries: Vec<SliceEntry>,
    histograms: Vec<u8>,
    /// What is collected for the slice being written:
    groups: Vec<u8>,
    blocks: u64,
    long: Vec<u8>,
    codes: Vec<u8>,
    rows: Vec<u8>,
}

impl FileWriter {
    pub fn create((target, temporary, kind): Place) -> io::Result<FileWriter> {
        let mut out = NewFile::create_as(target, temporary)?;
        // Room for the header, which comes last.
        out.write_all(&[0; HEADER_LEN])?;
        let state = FileState { at: HEADER_LEN as u64, ..FileState::default() };
        Ok(FileWriter { kind, out, state })
    }

    /// Goes on with what an earlier run left in `temporary`; `None` if that is not what it wrote.
    fn reopen((target, temporary, kind): Place, state: FileState) -> Option<FileWriter> {
        state.is_of(&mut File::open(temporary).ok()?)?;
        let out = NewFile::reopen(target, temporary, state.at).ok()?;
        Some(FileWriter { kind, out, state })
    }

    /// Brings all bytes to disk, and leaves them there whatever happens.
    fn keep(&mut self) -> io::Result<()> {
        self.out.sync()?;
        self.out.keep();
        Ok(())
    }

    /// Begins a slice whose rows are coded like this.
    pub fn begin(&mut self, entry: SliceEntry, model: &Model, histogram: &[u8]) -> io::Result<()> {
        self.state.rows.clear();
        for (&class, &usual) in model.classes.of_row.iter().zip(&model.usual) {
            match self.kind {
                FileKind::Wdl => self.state.rows.push(class | usual << 4),
                FileKind::Dtw => self.state.rows.extend([class, usual]),
            }
        }
        let lengths: Vec<u8> = model.classes.lengths.iter().flatten().flatten().copied().collect();
        self.state.codes = zstd_frame::compress(&lengths, LEVEL)?;
        self.state.groups.clear();
        self.state.long.clear();
        self.state.blocks = 0;
        self.state.histograms.extend_from_slice(histogram);
        self.state.entries.push(SliceEntry {
            classes: model.classes.lengths.len() as u8,
            codes_len: self.state.codes.len() as u32,
            histogram_entries: (histogram.len() / HISTOGRAM_ENTRY_LEN) as u32,
            data_at: self.state.at,
            ..entry
        });
        Ok(())
    }

    pub fn add_chunk(&mut self, blocks: &Blocks) -> io::Result<()> {
        let Some(entry) = self.state.entries.last() else { unreachable!("a slice was begun") };
        let mut start = self.state.at - entry.data_at;
        for lengths in blocks.lengths.chunks(GROUP_BLOCKS) {
            reserve(&mut self.state.groups, 8 + lengths.len())?;
            reserve(&mut self.state.long, LONG_LEN * lengths.len())?;
            self.state.groups.extend_from_slice(&start.to_le_bytes());
            for (block, &length) in (self.state.blocks..).zip(lengths) {
                self.state.groups.push(length.min(LONG.into()) as u8);
                if length >= LONG.into() {
                    self.state.long.extend_from_slice(&block.to_le_bytes());
                    self.state.long.extend_from_slice(&length.to_le_bytes());
                }
                start += u64::from(length);
            }
            self.state.blocks += lengths.len() as u64;
        }
        self.write(&blocks.bytes)
    }

    /// Ends the slice: what is known of its blocks follows them.
    pub fn end(&mut self) -> io::Result<()> {
        let data_end = self.state.at;
        let groups = std::mem::take(&mut self.state.groups);
        self.write(&groups)?;
        let rows_at = self.state.at;
        let (rows, codes) =
            (std::mem::take(&mut self.state.rows), std::mem::take(&mut self.state.codes));
        let long = std::mem::take(&mut self.state.long);
        self.write(&rows)?;
        self.write(&codes)?;
        self.write(&long)?;
        let Some(entry) = self.state.entries.last_mut() else { unreachable!("a slice was begun") };
        entry.data_len = data_end - entry.data_at;
        entry.groups_at = data_end;
        entry.rows_at = rows_at;
        entry.long_blocks = (long.len() / LONG_LEN) as u32;
        Ok(())
    }

    /// Writes bytes at the end, and takes the checksums of the pages that they fill.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        while !bytes.is_empty() {
            let left = PAGE_LEN - (self.state.at % PAGE_LEN as u64) as usize;
            let (some, rest) = bytes.split_at(left.min(bytes.len()));
            self.state.page.extend_from_slice(some);
            self.state.at += some.len() as u64;
            if some.len() == left {
                self.end_page();
            }
            bytes = rest;
        }
        Ok(())
    }

    fn end_page(&mut self) {
        self.state.pages.push(checksum(&self.state.page));
        self.state.page.clear();
    }

    /// Writes everything that is left, and the header; returns the header's checksum.
    pub fn write_header(
        &mut self,
        extent: Extent,
        rules: RuleSet,
        belongs_to: u64,
    ) -> io::Result<u64> {
        if !self.state.at.is_multiple_of(PAGE_LEN as u64) {
            self.end_page();
        }
        let mut directory: Vec<u8> =
            self.state.entries.iter().flat_map(SliceEntry::encode).collect();
        directory.extend_from_slice(&self.state.histograms);
        let pages: Vec<u8> = self.state.pages.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        self.out.write_all(&directory)?;
        self.out.write_all(&pages)?;
        let header = Header {
            kind: self.kind,
            rules,
            extent,
            slices: self.state.entries.len(),
            file_len: self.state.at + (directory.len() + pages.len()) as u64,
            directory_at: self.state.at,
            directory_len: directory.len() as u64,
            directory_checksum: checksum(&directory),
            pages_checksum: checksum(&pages),
            belongs_to,
            checksum: 0,
        };
        let bytes = header.encode();
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&bytes)?;
        self.out.sync()?;
        Ok(u64_at(&bytes, HEADER_LEN - 8))
    }

    /// Puts the file in its place, durably.
    pub fn put_in_place(self) -> io::Result<u64> {
        self.out.put_in_place()
    }
}

impl FileState {
    /// Checks that a file holds what was written, as far as this state goes.
    fn is_of(&self, file: &mut File) -> Option<()> {
        let mut at = HEADER_LEN as u64;
        file.seek(SeekFrom::Start(at)).ok()?;
        let mut file = BufReader::with_capacity(PAGE_LEN, file);
        let mut page = Vec::with_capacity(PAGE_LEN);
        let mut pages = self.pages.iter();
        while at < self.at {
            let left = PAGE_LEN as u64 - at % PAGE_LEN as u64;
            let some = left.min(self.at - at);
            page.resize(some as usize, 0);
            file.read_exact(&mut page).ok()?;
            at += some;
            let is_sound = if some == left {
                pages.next() == Some(&checksum(&page))
            } else {
                page == self.page
            };
            is_sound.then_some(())?;
        }
        pages.next().is_none().then_some(())
    }
}

/// How far a table is written.
#[derive(Debug, Default, bincode::Encode, bincode::Decode)]
pub struct Written {
    /// How many slices are finished, each side to move counted.
    pub slices: u64,
    /// How many chunks of the next one are; `None` if it is not begun.
    pub chunks: Option<u64>,
    /// How the rows of its number of columns are coded, as far as that is chosen.
    pub models: Vec<Model>,
}

/// Where it is noted how far a table is written, so that a later run can go on.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The file.
    pub path: PathBuf,
    /// The version of the program's unfinished work, and the table: the white and black counters, the
    /// column bound or 0, and the number of the rule set.
    pub identity: Identity,
    /// How often it is noted.
    pub interval: Interval,
}

/// What the notes of one table are about.
type Identity = (u32, u8, u8, u8, u8);

/// The place of a file, the place where it is made, and its kind.
pub type Place<'a> = (&'a Path, &'a Path, FileKind);

impl Parts {
    /// Notes how far the files are written.
    pub fn save(&self, written: &Written, files: [&mut FileWriter; 2]) -> io::Result<()> {
        let [wdl, dtw] = files;
        wdl.keep()?;
        dtw.keep()?;
        write_checked(&self.path, (self.identity, written, &wdl.state, &dtw.state))
    }

    /// How far an earlier run has written these files. `None` if there was no such run, or what it
    /// left is not sound.
    pub fn load(&self, places: [Place; 2]) -> Option<(Written, [FileWriter; 2])> {
        type State = (Identity, Written, FileState, FileState);
        let state: State = from_checked_bytes(&fs::read(&self.path).ok()?)?;
        let (identity, written, wdl, dtw) = state;
        if identity != self.identity {
            return None;
        }
        let files = [FileWriter::reopen(places[0], wdl)?, FileWriter::reopen(places[1], dtw)?];
        Some((written, files))
    }
}
