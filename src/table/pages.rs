//! The pages of a table's file. Nobody sees a byte of them before its page was checked.
//!
//! This is the only file of `table` with `unsafe` code.

use super::format::{HEADER_LEN, PAGE_LEN, checksum};
use super::source::{OpenFile, Seen, Source, unreadable};
use super::{Access, Part, TableError};
use memmap2::{Mmap, MmapOptions, MmapRaw};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The bytes between the header and the directory of a file.
#[derive(Debug)]
pub struct Pages {
    store: Store,
    /// The checksum of each page.
    sums: Vec<u64>,
    /// A bit for each page whose checksum was found right. If the store is private, the page's bytes
    /// are in their place then, and stay as they are.
    checked: Vec<AtomicU64>,
    /// Whether a page was found damaged.
    found_damage: AtomicBool,
    /// Where the last page ends.
    end: usize,
}

/// Where the bytes are.
#[derive(Debug)]
enum Store {
    Bytes(Vec<u8>),
    Mapped { map: Mmap, seen: Seen },
    Private(Private),
}

/// Memory of this process alone, into which pages are read when they are first needed.
#[derive(Debug)]
struct Private {
    /// Space for every page, reserved and not touched. The system provides memory for those parts that
    /// are written to.
    memory: MmapRaw,
    file: OpenFile,
    /// Whoever holds it may put a page in its place and set the page's bit.
    placing: Mutex<()>,
}

impl Pages {
    /// The pages of a file that has these checksums and whose directory begins at `end`.
    pub fn new(source: Source, sums: Vec<u64>, end: u64) -> Result<Pages, TableError> {
        let is_there = end <= source.len();
        let end = usize::try_from(end).ok().filter(|_| is_there);
        let end = end.ok_or(TableError::Place(Part::PageList))?;
        let store = match source {
            Source::Bytes(bytes) => Store::Bytes(bytes),
            Source::File(file, Access::Mapped) => Store::map(file, end).map_err(unreadable)?,
            Source::File(file, _) => Store::reserve(file, end).map_err(unreadable)?,
        };
        // As many bits as the file has pages: it is there in full, so this is no invented number.
        let checked = (0..sums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Pages { store, sums, checked, found_damage: AtomicBool::new(false), end })
    }

    /// Some of the bytes, after the checksums of their pages were found right, now or before.
    #[inline]
    pub fn bytes(&self, at: u64, len: usize) -> Result<&[u8], TableError> {
        let at = at as usize;
        let (first, last) = (at / PAGE_LEN, at.wrapping_add(len.saturating_sub(1)) / PAGE_LEN);
        for page in first..=last {
            if !self.is_checked(page) {
                self.check(page)?;
            }
        }
        let end = at.checked_add(len).filter(|&end| end <= self.end);
        let end = end.ok_or(TableError::Place(Part::Page { page: first }))?;
        Ok(match &self.store {
            Store::Bytes(bytes) => &bytes[at..end],
            Store::Mapped { map, .. } => &map[at..end],
            Store::Private(private) => {
                // SAFETY: the range lies within the memory, which is `self.end` bytes long and lives
                // as long as `self`. As `at + len` does not overflow, the loop above has seen the bit
                // of every page of the range set. A page's bit is set, with `Release`, after its bytes
                // were written, and was read with `Acquire`, so they are initialised and visible here.
                // Nobody writes to them any more: `place` writes only to a page whose bit is not set,
                // and no bit of private memory is ever cleared. So no write overlaps this shared slice.
                // The bytes before the first page, where the header is in the file, are zeros for ever.
                unsafe { std::slice::from_raw_parts(private.memory.as_ptr().add(at), end - at) }
            }
        })
    }

    #[inline]
    fn is_checked(&self, page: usize) -> bool {
        let word = self.checked.get(page / 64).map_or(0, |word| word.load(Ordering::Acquire));
        word >> (page % 64) & 1 != 0
    }

    /// Checks a page that was not checked before, and notes that it is sound.
    #[cold]
    fn check(&self, page: usize) -> Result<(), TableError> {
        let mut buffer = Vec::new();
        let bytes = self.sound_bytes(page, &mut buffer)?;
        match &self.store {
            Store::Private(private) => {
                self.place(private, page, (page * PAGE_LEN).max(HEADER_LEN), bytes);
            }
            Store::Bytes(_) | Store::Mapped { .. } => self.note(page),
        }
        Ok(())
    }

    /// The bytes of a page as they are now, whether it was checked before or not. If the store is
    /// private, they are read from the file into `buffer`.
    ///
    /// # Errors
    /// If they do not match their checksum.
    fn sound_bytes<'a>(
        &'a self,
        page: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], TableError> {
        let (range, sum) = self.page(page)?;
        let bytes = match &self.store {
            Store::Bytes(bytes) => &bytes[range],
            Store::Mapped { map, .. } => &map[range],
            Store::Private(private) => {
                buffer.resize(range.len(), 0);
                private.file.read(range.start as u64, buffer, Part::Page { page })?;
                &buffer[..]
            }
        };
        if checksum(bytes) == sum { Ok(bytes) } else { Err(self.damaged(page)) }
    }

    /// Puts the sound bytes of a page, which begins at `start`, into their place, unless another thread
    /// has done so.
    fn place(&self, private: &Private, page: usize, start: usize, bytes: &[u8]) {
        // A panic while it was held has not broken anything: the bit is set last.
        let _placing = private.placing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_checked(page) {
            return;
        }
        assert!(start + bytes.len() <= self.end, "a page lies within its file");
        // SAFETY: both ranges are valid, as the assertion says of the second; they do not overlap, as
        // `bytes` is not from this memory: slices of it are given out for pages whose bits are set.
        // Nobody reads what is written here, because the bit of this page is not set, and nobody else
        // writes, because only the holder of the lock sets bits and writes.
        unsafe {
            let to = private.memory.as_mut_ptr().add(start);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        self.note(page);
    }

    fn note(&self, page: usize) {
        self.checked[page / 64].fetch_or(1 << (page % 64), Ordering::Release);
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
        match &self.store {
            Store::Mapped { .. } => self.check_all(),
            Store::Bytes(_) | Store::Private(_) => Ok(()),
        }
    }

    /// Checks every page of what the file holds now, one after another.
    pub fn check_all(&self) -> Result<(), TableError> {
        let mut buffer = Vec::new();
        (0..self.sums.len()).try_for_each(|page| {
            let checked = self.sound_bytes(page, &mut buffer).map(drop);
            if checked.is_err() && !matches!(self.store, Store::Private(_)) {
                self.checked[page / 64].fetch_and(!(1 << (page % 64)), Ordering::Release);
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
        let outside = TableError::Place(Part::Page { page });
        let Some(&sum) = self.sums.get(page) else { return Err(outside) };
        let range = (page * PAGE_LEN).max(HEADER_LEN)..((page + 1) * PAGE_LEN).min(self.end);
        if range.start <= range.end { Ok((range, sum)) } else { Err(outside) }
    }

    /// The error for a page whose bytes do not match their checksum.
    fn damaged(&self, page: usize) -> TableError {
        self.found_damage.store(true, Ordering::Relaxed);
        let part = Part::Page { page };
        match self.seen().is_some_and(Seen::has_changed) {
            true => TableError::Changed(part),
            false => TableError::Checksum(part),
        }
    }

    /// The file that the bytes come from, if they come from one, as it was when it was opened.
    pub fn seen(&self) -> Option<&Seen> {
        match &self.store {
            Store::Bytes(_) => None,
            Store::Mapped { seen, .. } => Some(seen),
            Store::Private(private) => Some(&private.file.seen),
        }
    }

    /// How many bytes of memory the pages take that no other program shares, once all of them are read.
    pub fn private_bytes(&self) -> u64 {
        match &self.store {
            Store::Mapped { .. } => 0,
            Store::Bytes(_) | Store::Private(_) => self.end as u64,
        }
    }
}

impl Store {
    fn map(file: OpenFile, len: usize) -> io::Result<Store> {
        // SAFETY: the map is only read, through shared slices of bytes of any value. It is sound as long
        // as nobody changes the file meanwhile, which `Access::Mapped` asks for and every program
        // that maps files relies on. No page is believed before its checksum was found right.
        let map = unsafe { MmapOptions::new().len(len).map(&file.file) }?;
        Ok(Store::Mapped { map, seen: file.seen })
    }

    fn reserve(file: OpenFile, len: usize) -> io::Result<Store> {
        let memory = MmapOptions::new().len(len).no_reserve_swap().map_anon()?;
        // Else the first touch of a page could take two mebibytes.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::NoHugePage);
        Ok(Store::Private(Private { memory: memory.into(), file, placing: Mutex::new(()) }))
    }
}
