//! The pages of a table's file. Nobody sees a byte of them before its page was checked.

use super::format::{HEADER_LEN, PAGE_LEN, checksum};
use super::source::Source;
use super::{Part, TableError};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(feature = "files")]
use {
    super::Access,
    super::open_file::{Seen, unreadable},
    super::private_pages::PrivatePages,
    crate::reserve::resize,
    memmap2::{Mmap, MmapOptions},
};

/// The bytes between the header and the directory of a file.
#[derive(Debug)]
pub struct Pages {
    store: Store,
    /// The checksum of each page.
    sums: Vec<u64>,
    /// A bit for each page whose checksum was found right. If the pages are private, the page's bytes
    /// are in their place then, and stay as they are.
    checked: Vec<AtomicUsize>,
    /// Whether a page was found damaged.
    found_damage: AtomicBool,
    /// Where the last page ends.
    end: usize,
}

/// How many bits a word of [`Pages::checked`] has.
const BITS: usize = usize::BITS as usize;

/// Where the bytes are.
#[derive(Debug)]
enum Store {
    Bytes(Cow<'static, [u8]>),
    /// In a file: the system reads them, from its cache of files.
    #[cfg(feature = "files")]
    Mapped(Mmap, Seen),
    #[cfg(feature = "files")]
    Private(PrivatePages),
}

impl Pages {
    /// The pages of a file that has these checksums and whose directory begins at `end`.
    pub fn new(source: Source, sums: Vec<u64>, end: u64) -> Result<Pages, TableError> {
        let is_there = end <= source.len();
        let end = usize::try_from(end).ok().filter(|_| is_there);
        let end = end.ok_or(TableError::Outside(Part::PageList))?;
        let store = match source {
            Source::Bytes(bytes) => Store::Bytes(bytes),
            #[cfg(feature = "files")]
            Source::File(file, Access::Mapped) => {
                // SAFETY: the map is only read, through shared slices of bytes of any value. It is sound as
                // long as nobody changes the file meanwhile, which `Access::Mapped` asks for and every
                // program that maps files relies on. No page is believed before its checksum was found right.
                let map = unsafe { MmapOptions::new().len(end).map(&file.file) };
                Store::Mapped(map.map_err(unreadable)?, file.seen)
            }
            #[cfg(feature = "files")]
            Source::File(file, _) => {
                Store::Private(PrivatePages::new(file, end).map_err(unreadable)?)
            }
        };
        // As many bits as the file has pages: it is there in full, so this is no invented number.
        let checked = (0..sums.len().div_ceil(BITS)).map(|_| AtomicUsize::new(0)).collect();
        Ok(Pages { store, sums, checked, found_damage: AtomicBool::new(false), end })
    }

    /// Some of the bytes, after the checksums of their pages were found right, now or before.
    #[inline]
    pub fn bytes(&self, at: u64, len: usize) -> Result<&[u8], TableError> {
        // No place lies beyond `end`, which fits.
        let at = at as usize;
        let (first, last) = (at / PAGE_LEN, at.wrapping_add(len.saturating_sub(1)) / PAGE_LEN);
        for page in first..=last {
            if !self.is_checked(page) {
                self.check(page)?;
            }
        }
        let end = at.checked_add(len).filter(|&end| end <= self.end);
        let end = end.ok_or(TableError::Outside(Part::Page { page: first }))?;
        Ok(match &self.store {
            Store::Bytes(bytes) => &bytes[at..end],
            #[cfg(feature = "files")]
            Store::Mapped(map, _) => &map[at..end],
            #[cfg(feature = "files")]
            Store::Private(pages) => {
                // SAFETY: the range lies within the pages, which end at `self.end`. As `at + len` does not
                // overflow, the loop above has seen the bit of every page of the range set, with
                // `Acquire`. `check` sets the bit of a private page, with `Release`, after its bytes were
                // placed, and no bit of a private page is ever cleared.
                unsafe { pages.placed(at..end) }
            }
        })
    }

    #[inline]
    fn is_checked(&self, page: usize) -> bool {
        let word = self.checked.get(page / BITS).map_or(0, |word| word.load(Ordering::Acquire));
        word >> (page % BITS) & 1 != 0
    }

    /// Checks a page that was not checked before, and notes that it is sound.
    #[cold]
    #[cfg_attr(
        not(feature = "files"),
        allow(unused_variables, reason = "bytes are in their place")
    )]
    fn check(&self, page: usize) -> Result<(), TableError> {
        let mut buffer = Vec::new();
        let bytes = self.sound_bytes(page, &mut buffer)?;
        #[cfg(feature = "files")]
        if let Store::Private(pages) = &self.store {
            let placing = pages.placing();
            if !self.is_checked(page) {
                // SAFETY: the bytes are those of this page, from where the header ends. Nobody reads
                // where they are placed, as the bit of the page is not set, and nobody else places
                // any, as only the holder of `placing` does so.
                unsafe { pages.place((page * PAGE_LEN).max(HEADER_LEN), bytes, &placing) };
                self.note(page);
            }
            return Ok(());
        }
        self.note(page);
        Ok(())
    }

    /// The bytes of a page as they are now, whether it was checked before or not. If the pages are
    /// private, they are read from the file into `buffer`. It is an error if they do not match their checksum.
    #[cfg_attr(
        not(feature = "files"),
        allow(unused_variables, clippy::ptr_arg, reason = "no file is read")
    )]
    fn sound_bytes<'a>(
        &'a self,
        page: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], TableError> {
        let (range, sum) = self.page(page)?;
        let bytes = match &self.store {
            Store::Bytes(bytes) => &bytes[range],
            #[cfg(feature = "files")]
            Store::Mapped(map, _) => &map[range],
            #[cfg(feature = "files")]
            Store::Private(pages) => {
                resize(buffer, range.len()).map_err(|_| TableError::Memory)?;
                pages.file.read(range.start as u64, buffer, Part::Page { page })?;
                buffer
            }
        };
        if checksum(bytes) == sum { Ok(bytes) } else { Err(self.damaged(page)) }
    }

    fn note(&self, page: usize) {
        self.checked[page / BITS].fetch_or(1 << (page % BITS), Ordering::Release);
    }

    /// Checks every page that was not checked before.
    pub fn check_unread(&self) -> Result<(), TableError> {
        (0..self.sums.len())
            .filter(|&page| !self.is_checked(page))
            .try_for_each(|page| self.check(page))
    }

    /// Checks every page again if the file is mapped: whoever overwrites it changes what was checked
    /// before.
    pub fn check_mapped(&self) -> Result<(), TableError> {
        if self.is_mapped() { self.check_all() } else { Ok(()) }
    }

    /// Checks every page of what the file holds now, one after another.
    pub fn check_all(&self) -> Result<(), TableError> {
        let mut buffer = Vec::new();
        (0..self.sums.len()).try_for_each(|page| {
            let checked = self.sound_bytes(page, &mut buffer).map(drop);
            if checked.is_err() && self.is_mapped() {
                self.checked[page / BITS].fetch_and(!(1 << (page % BITS)), Ordering::Release);
            }
            checked
        })
    }

    /// Whether a page was found damaged since the file was opened.
    pub fn found_damage(&self) -> bool {
        self.found_damage.load(Ordering::Relaxed)
    }

    /// Where the bytes of a page are that its checksum covers, and the checksum.
    fn page(&self, page: usize) -> Result<(Range<usize>, u64), TableError> {
        let outside = TableError::Outside(Part::Page { page });
        let Some(&sum) = self.sums.get(page) else { return Err(outside) };
        let range = (page * PAGE_LEN).max(HEADER_LEN)..((page + 1) * PAGE_LEN).min(self.end);
        if range.start <= range.end { Ok((range, sum)) } else { Err(outside) }
    }

    /// The error for a page whose bytes do not match their checksum.
    fn damaged(&self, page: usize) -> TableError {
        self.found_damage.store(true, Ordering::Relaxed);
        let part = Part::Page { page };
        #[cfg(feature = "files")]
        if self.seen().is_some_and(Seen::has_changed) {
            return TableError::Changed(part);
        }
        TableError::Checksum(part)
    }

    /// Whether the bytes are those of a mapped file.
    fn is_mapped(&self) -> bool {
        match &self.store {
            Store::Bytes(_) => false,
            #[cfg(feature = "files")]
            Store::Private(_) => false,
            #[cfg(feature = "files")]
            Store::Mapped(..) => true,
        }
    }

    /// The file that the bytes come from, if they come from one, as it was when it was opened.
    #[cfg(feature = "files")]
    pub fn seen(&self) -> Option<&Seen> {
        match &self.store {
            Store::Bytes(_) => None,
            Store::Mapped(_, seen) => Some(seen),
            Store::Private(pages) => Some(&pages.file.seen),
        }
    }

    /// How many bytes of memory the pages take that no other program shares, once all of them are read.
    pub fn private_bytes(&self) -> u64 {
        match &self.store {
            // They are a part of the program.
            Store::Bytes(Cow::Borrowed(_)) => 0,
            _ if self.is_mapped() => 0,
            _ => self.end as u64,
        }
    }
}
