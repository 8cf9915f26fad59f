//! The pages of a table's file. Nobody sees a byte of them before its page was checked.

use super::format::{HEADER_LEN, PAGE_LEN, checksum};
use super::source::{OpenFile, Source, unreadable};
use super::{Access, TableError};
use memmap2::{Mmap, MmapOptions};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The bytes between the header and the directory of a file.
#[derive(Debug)]
pub struct Pages {
    store: Store,
    /// The checksum of each page.
    sums: Vec<u64>,
    /// A bit for each page whose checksum was found right.
    checked: Vec<AtomicUsize>,
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
    Mapped(Mmap),
    /// In a file, all of which is read when the first of them is needed.
    Read(Mutex<OpenFile>, OnceLock<Vec<u8>>),
}

impl Pages {
    /// The pages of a file that has these checksums and whose directory begins at `end`.
    pub fn new(source: Source, sums: Vec<u64>, end: u64) -> Result<Pages, TableError> {
        let is_there = end <= source.len();
        let end = usize::try_from(end).ok().filter(|_| is_there);
        let end = end.ok_or_else(|| TableError::outside("the page list"))?;
        let store = match source {
            Source::Bytes(bytes) => Store::Bytes(bytes),
            Source::File(file, Access::Mapped) => {
                // SAFETY: the map is only read, through shared slices of bytes of any value. It is sound as
                // long as nobody changes the file meanwhile, which `Access::Mapped` asks for and every
                // program that maps files relies on. No page is believed before its checksum was found right.
                let map = unsafe { MmapOptions::new().len(end).map(&file.file) };
                Store::Mapped(map.map_err(unreadable)?)
            }
            Source::File(file, _) => Store::Read(Mutex::new(file), OnceLock::new()),
        };
        // As many bits as the file has pages: it is there in full, so this is no invented number.
        let checked = (0..sums.len().div_ceil(BITS)).map(|_| AtomicUsize::new(0)).collect();
        Ok(Pages { store, sums, checked, end })
    }

    /// The bytes of the whole file, if they are in memory.
    pub fn in_memory(&self) -> Option<&[u8]> {
        match &self.store {
            Store::Bytes(bytes) => Some(bytes),
            Store::Mapped(_) | Store::Read(..) => None,
        }
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
        let end = end.ok_or_else(|| TableError::outside(name(first)))?;
        Ok(&self.all()?[at..end])
    }

    /// All bytes up to the directory. A file that is not mapped is read into memory now, unless it was before.
    #[inline]
    pub fn all(&self) -> Result<&[u8], TableError> {
        match &self.store {
            Store::Bytes(bytes) => Ok(bytes),
            Store::Mapped(map) => Ok(map),
            Store::Read(file, bytes) => match bytes.get() {
                Some(bytes) => Ok(bytes),
                None => read_whole(file, bytes, self.end),
            },
        }
    }

    #[inline]
    fn is_checked(&self, page: usize) -> bool {
        // Nothing else depends on the bits: the bytes are there, whoever has checked them.
        let word = self.checked.get(page / BITS).map_or(0, |word| word.load(Ordering::Relaxed));
        word >> (page % BITS) & 1 != 0
    }

    /// Checks a page as it is now, and notes whether it is sound.
    #[cold]
    fn check(&self, page: usize) -> Result<(), TableError> {
        let (range, sum) = self.page(page)?;
        let (word, bit) = (&self.checked[page / BITS], 1 << (page % BITS));
        if checksum(&self.all()?[range]) == sum {
            word.fetch_or(bit, Ordering::Relaxed);
            return Ok(());
        }
        word.fetch_and(!bit, Ordering::Relaxed);
        Err(TableError::wrong_checksum(name(page)))
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
        if matches!(self.store, Store::Mapped(_)) {
            return self.check_all();
        }
        Ok(())
    }

    /// Checks every page of what the file holds now, one after another. None of a file that is not mapped is
    /// kept in memory.
    pub fn check_all(&self) -> Result<(), TableError> {
        let mut pages = 0..self.sums.len();
        if let Store::Read(file, _) = &self.store {
            let file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let mut bytes = Vec::new();
            return pages.try_for_each(|page| {
                let (range, sum) = self.page(page)?;
                file.read(range.start as u64, range.len(), &mut bytes)?;
                let is_sound = checksum(&bytes) == sum;
                if is_sound { Ok(()) } else { Err(TableError::wrong_checksum(name(page))) }
            });
        }
        pages.try_for_each(|page| self.check(page))
    }

    /// Where the bytes of a page are that its checksum covers, and the checksum.
    fn page(&self, page: usize) -> Result<(Range<usize>, u64), TableError> {
        let outside = || TableError::outside(name(page));
        let &sum = self.sums.get(page).ok_or_else(outside)?;
        let range = (page * PAGE_LEN).max(HEADER_LEN)..((page + 1) * PAGE_LEN).min(self.end);
        if range.start <= range.end { Ok((range, sum)) } else { Err(outside()) }
    }

    /// How many bytes of memory the pages take that no other program shares, once they are read.
    pub fn private_bytes(&self) -> u64 {
        match &self.store {
            // They are a part of the program.
            Store::Bytes(Cow::Borrowed(_)) => 0,
            Store::Mapped(_) => 0,
            _ => self.end as u64,
        }
    }
}

/// For errors: a page, by its place in the file, from 0.
fn name(page: usize) -> String {
    format!("page {page}")
}

/// Reads the first `len` bytes of a file, unless another thread has done so meanwhile.
#[cold]
fn read_whole<'a>(
    file: &Mutex<OpenFile>,
    whole: &'a OnceLock<Vec<u8>>,
    len: usize,
) -> Result<&'a [u8], TableError> {
    // A panic while it was held has not broken anything: the file is only read.
    let file = file.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = whole.get() {
        return Ok(bytes);
    }
    let mut bytes = Vec::new();
    file.read(0, len, &mut bytes)?;
    Ok(whole.get_or_init(|| bytes))
}
