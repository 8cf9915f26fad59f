//! Pages of a file that are copied into memory of this process.
//!
//! Only this file of `table` and `pages`, which calls it, have `unsafe` code.

use super::open_file::OpenFile;
use memmap2::{MmapOptions, MmapRaw};
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory of this process alone, in which pages of a file are placed when they are first needed.
#[derive(Debug)]
pub struct PrivatePages {
    /// Space for every page, reserved and not touched. The system provides memory for those parts that
    /// are written to. Windows counts all of it at once against the memory that it has promised.
    memory: MmapRaw,
    pub file: OpenFile,
    /// Whoever holds it may place pages.
    placing: Mutex<()>,
}

impl PrivatePages {
    /// The first `len` bytes of a file.
    pub fn new(file: OpenFile, len: usize) -> io::Result<PrivatePages> {
        let memory = MmapOptions::new().len(len).no_reserve_swap().map_anon()?;
        // Else the first touch of a page could take two mebibytes.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::NoHugePage);
        Ok(PrivatePages { memory: memory.into(), file, placing: Mutex::new(()) })
    }

    /// Bytes of pages that were placed.
    ///
    /// # Safety
    /// The range lies within the pages. All of its bytes but those of the file's header were
    /// [placed](PrivatePages::place), by this thread or so that this thread sees what was written, and are
    /// never placed again.
    #[inline]
    pub unsafe fn placed(&self, range: Range<usize>) -> &[u8] {
        // SAFETY: the range lies within the memory, which lives as long as `self`. Its bytes were written, and
        // nobody writes to them any more. Those of the header are zeros for ever.
        unsafe {
            let start = self.memory.as_ptr().add(range.start);
            std::slice::from_raw_parts(start, range.len())
        }
    }

    /// Waits until no other thread places pages.
    pub fn placing(&self) -> MutexGuard<'_, ()> {
        // A panic while it was held has not broken anything: pages are noted as placed last.
        self.placing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts bytes from `start` on into their place.
    ///
    /// # Safety
    /// Nobody has a slice of these bytes, or asks for one before this call returns. `placing` is of these
    /// pages.
    pub unsafe fn place(&self, start: usize, bytes: &[u8], _placing: &MutexGuard<()>) {
        assert!(start + bytes.len() <= self.memory.len(), "a page lies within its file");
        // SAFETY: both ranges are valid, as the assertion says of the second. They do not overlap, because
        // nobody has a slice of the second one. Nobody reads it, and nobody else writes to it.
        unsafe {
            let to = self.memory.as_mut_ptr().add(start);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
    }
}
