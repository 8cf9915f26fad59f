//! The pages of a file: mapped, or copied into memory of this process.
//!
//! Only this file of `table` and `pages`, which calls it, have `unsafe` code.

use super::open_file::{OpenFile, Seen};
use super::{Access, Part, TableError};
use crate::reserve::resize;
use memmap2::{Mmap, MmapOptions, MmapRaw};
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The pages of a file.
#[derive(Debug)]
pub enum FilePages {
    /// The system reads them, from its cache of files.
    Mapped { map: Mmap, seen: Seen },
    /// Pages are copied into memory when they are first needed.
    Private(Private),
}

/// Memory of this process alone, in which pages are placed.
#[derive(Debug)]
pub struct Private {
    /// Space for every page, reserved and not touched. The system provides memory for those parts that
    /// are written to. Windows counts all of it at once against the memory that it has promised.
    memory: MmapRaw,
    file: OpenFile,
    placing: Mutex<()>,
}

/// Whoever holds it may place pages.
pub struct Placing<'a>(#[allow(dead_code, reason = "it is held")] Option<MutexGuard<'a, ()>>);

impl FilePages {
    /// The first `len` bytes of a file.
    pub fn new(file: OpenFile, access: Access, len: usize) -> io::Result<FilePages> {
        if access == Access::Mapped {
            // SAFETY: the map is only read, through shared slices of bytes of any value. It is sound as long
            // as nobody changes the file meanwhile, which `Access::Mapped` asks for and every program
            // that maps files relies on. No page is believed before its checksum was found right.
            let map = unsafe { MmapOptions::new().len(len).map(&file.file) }?;
            return Ok(FilePages::Mapped { map, seen: file.seen });
        }
        let memory = MmapOptions::new().len(len).no_reserve_swap().map_anon()?;
        // Else the first touch of a page could take two mebibytes.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::NoHugePage);
        Ok(FilePages::Private(Private { memory: memory.into(), file, placing: Mutex::new(()) }))
    }

    /// Bytes as the file holds them now. If the pages are private, they are read into `buffer`.
    pub fn now<'a>(
        &'a self,
        range: Range<usize>,
        buffer: &'a mut Vec<u8>,
        part: Part,
    ) -> Result<&'a [u8], TableError> {
        match self {
            FilePages::Mapped { map, .. } => Ok(&map[range]),
            FilePages::Private(private) => {
                resize(buffer, range.len()).map_err(|_| TableError::Memory)?;
                private.file.read(range.start as u64, buffer, part)?;
                Ok(buffer)
            }
        }
    }

    /// Bytes of pages that were placed.
    ///
    /// # Safety
    /// The range lies within the pages. If they are private, all bytes of the range but those of the
    /// file's header were [placed](FilePages::place), by this thread or so that this thread sees what was
    /// written, and are never placed again.
    #[inline]
    pub unsafe fn placed(&self, range: Range<usize>) -> &[u8] {
        match self {
            FilePages::Mapped { map, .. } => &map[range],
            FilePages::Private(private) => {
                // SAFETY: the range lies within the memory, which lives as long as `self`. Its bytes were
                // written, and nobody writes to them any more. Those of the header are zeros for ever.
                unsafe {
                    let start = private.memory.as_ptr().add(range.start);
                    std::slice::from_raw_parts(start, range.len())
                }
            }
        }
    }

    /// Waits until no other thread places pages.
    pub fn placing(&self) -> Placing<'_> {
        Placing(match self {
            FilePages::Mapped { .. } => None,
            // A panic while it was held has not broken anything: pages are noted as placed last.
            FilePages::Private(private) => {
                Some(private.placing.lock().unwrap_or_else(PoisonError::into_inner))
            }
        })
    }

    /// Puts bytes from `start` on into their place, if the pages are private. Others are there already.
    ///
    /// # Safety
    /// Nobody has a slice of these bytes, or asks for one before this call returns. `placing` is of these
    /// pages.
    pub unsafe fn place(&self, start: usize, bytes: &[u8], _placing: &Placing<'_>) {
        let FilePages::Private(private) = self else { return };
        assert!(start + bytes.len() <= private.memory.len(), "a page lies within its file");
        // SAFETY: both ranges are valid, as the assertion says of the second. They do not overlap, because
        // nobody has a slice of the second one. Nobody reads it, and nobody else writes to it.
        unsafe {
            let to = private.memory.as_mut_ptr().add(start);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
    }

    /// Whether the system reads the pages.
    pub fn is_mapped(&self) -> bool {
        matches!(self, FilePages::Mapped { .. })
    }

    /// The file, as it was when it was opened.
    pub fn seen(&self) -> &Seen {
        match self {
            FilePages::Mapped { seen, .. } => seen,
            FilePages::Private(private) => &private.file.seen,
        }
    }
}
