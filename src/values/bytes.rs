//! One byte for each position of a slice, in memory or in a file.
//!
//! Files that change are not mapped, but read and written a part at a time. So the memory in use is only
//! what the program holds, and a full disk is an error that can be reported; a write to a mapped page
//! would end the process.

use crate::file_at::{FileExt, naming};
use memmap2::{Mmap, MmapMut};
use rayon::prelude::*;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::AtomicU8;

/// A thread goes through this many bytes at a time where all are looked at in turn.
pub const PIECE: usize = 1 << 20;

/// One byte for each position of a slice.
#[derive(Debug)]
pub enum Bytes {
    /// All in memory.
    Memory(Vec<u8>),
    /// All in memory of the system, in which a thread gets the pages that it is the first to use.
    Pages(MmapMut),
    /// In a file.
    File(FileBytes),
    /// In a file that is mapped, to be read only.
    Mapped(Mmap),
}

/// A file, or a part of one, that holds one byte for each position.
#[derive(Debug)]
pub struct FileBytes {
    pub file: File,
    /// Where the first byte stands.
    pub start: u64,
    pub len: u64,
    /// What errors name.
    pub of: FileOf,
}

/// Which file it is.
#[derive(Debug)]
pub enum FileOf {
    /// One without a name, in this folder.
    Scratch(PathBuf),
    /// The file of saved work at this path.
    Work(PathBuf),
}

impl FileBytes {
    /// A scratch file of `len` bytes in `folder`: it has no name, and is removed when it is closed.
    pub fn scratch(folder: &Path, len: u64) -> io::Result<FileBytes> {
        let make = || {
            let file = tempfile::tempfile_in(folder)?;
            reserve(&file, len)?;
            file.set_len(len)?;
            Ok(file)
        };
        let file = make().map_err(naming("making a scratch file in", folder))?;
        Ok(FileBytes { file, start: 0, len, of: FileOf::Scratch(folder.to_owned()) })
    }

    /// Reads as many bytes as `buffer` holds, from `at` on.
    pub fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, self.start + at).map_err(|error| match &self.of {
            FileOf::Scratch(folder) => naming("reading a scratch file in", folder)(error),
            FileOf::Work(path) => naming("reading", path)(error),
        })
    }

    /// Writes `bytes` from `at` on.
    pub fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.start + at).map_err(|error| match &self.of {
            FileOf::Scratch(folder) => naming("writing a scratch file in", folder)(error),
            FileOf::Work(path) => naming("writing", path)(error),
        })
    }
}

/// Reserves room on the disk, so that what is missing is missed at once, and not after hours. Some file systems cannot
/// do that.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn reserve(file: &File, len: u64) -> io::Result<()> {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match fs4::FileExt::allocate(file, len) {
        Err(error) if matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn reserve(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

impl Bytes {
    /// So many zeros in memory. Browsers give no memory in pages.
    pub fn in_memory(len: u64) -> io::Result<Bytes> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        if cfg!(all(target_family = "wasm", target_os = "unknown")) {
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(len)?;
            bytes.resize(len, 0);
            return Ok(Bytes::Memory(bytes));
        }
        let pages = MmapMut::map_anon(len)?;
        // Values are looked up in no order, and large pages are found sooner. Without them, all goes on.
        #[cfg(target_os = "linux")]
        let _ = pages.advise(memmap2::Advice::HugePage);
        Ok(Bytes::Pages(pages))
    }

    /// So many bytes of this value in memory.
    pub fn filled(len: u64, byte: u8) -> io::Result<Bytes> {
        let mut bytes = Bytes::in_memory(len)?;
        let all = bytes.in_place_mut().unwrap_or_default();
        all.par_chunks_mut(PIECE).for_each(|piece| piece.fill(byte));
        Ok(bytes)
    }

    /// All bytes, for several threads to write, if they are in memory that may be changed.
    pub fn shared(&mut self) -> Option<&[AtomicU8]> {
        let bytes = self.in_place_mut()?;
        // SAFETY: an `AtomicU8` has the size, the alignment and the values of a `u8`. The bytes are borrowed
        // from this object for changes as long as the result is in use, so nobody has another way to them.
        Some(unsafe { &*(ptr::from_mut(bytes) as *const [AtomicU8]) })
    }

    /// The same bytes in a mapped file without a name, in the system's folder for temporary files.
    pub fn into_mapped(self) -> io::Result<Bytes> {
        let (Bytes::Memory(_) | Bytes::Pages(_)) = self else { return Ok(self) };
        let file = tempfile::tempfile()?;
        file.write_all_at(self.in_place().unwrap_or_default(), 0)?;
        // SAFETY: the map is only read, through shared slices of bytes of any value. The file has no name,
        // and is closed when this function ends, so nobody changes it.
        Ok(Bytes::Mapped(unsafe { Mmap::map(&file) }?))
    }

    /// On Unix, asks the system to read these bytes ahead if they are mapped. This changes nothing but the time.
    pub fn read_soon(&self, range: Range<u64>) {
        #[cfg(unix)]
        if let Bytes::Mapped(map) = self {
            let (start, len) = (range.start as usize, (range.end - range.start) as usize);
            let _ = map.advise_range(memmap2::Advice::WillNeed, start, len);
        }
        #[cfg(not(unix))]
        let _ = range;
    }

    /// All bytes where they are, or the file that they must be read from.
    #[inline]
    pub fn in_place(&self) -> Result<&[u8], &FileBytes> {
        match self {
            Bytes::Memory(bytes) => Ok(bytes),
            Bytes::Pages(bytes) => Ok(bytes),
            Bytes::Mapped(map) => Ok(map),
            Bytes::File(file) => Err(file),
        }
    }

    /// All bytes where they are, if that is memory that may be changed.
    pub fn in_place_mut(&mut self) -> Option<&mut [u8]> {
        match self {
            Bytes::Memory(bytes) => Some(bytes),
            Bytes::Pages(bytes) => Some(bytes),
            Bytes::Mapped(_) | Bytes::File(_) => None,
        }
    }

    pub fn len(&self) -> u64 {
        self.in_place().map_or_else(|file| file.len, |bytes| bytes.len() as u64)
    }

    /// Reads some of the bytes. If they are in a file that is not mapped, `buffer` holds them.
    pub fn read<'a>(&'a self, range: Range<u64>, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        match self.in_place() {
            Ok(bytes) => Ok(&bytes[range.start as usize..range.end as usize]),
            Err(file) => {
                buffer.resize((range.end - range.start) as usize, 0);
                file.read(range.start, buffer)?;
                Ok(buffer)
            }
        }
    }

    /// Copies bytes from `at` on, as many as `into` holds.
    pub fn copy(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        match self.in_place() {
            Ok(bytes) => into.copy_from_slice(&bytes[at as usize..at as usize + into.len()]),
            Err(file) => file.read(at, into)?,
        }
        Ok(())
    }

    /// The bytes in parts of length `len`, each of which one thread may change.
    pub fn parts(&mut self, len: usize) -> Vec<BytesPart<'_>> {
        match self {
            Bytes::File(file) => {
                let file = &*file;
                (0..file.len)
                    .step_by(len)
                    .map(|at| BytesPart::File(file, at..(at + len as u64).min(file.len)))
                    .collect()
            }
            in_memory => match in_memory.in_place_mut() {
                Some(bytes) => bytes.chunks_mut(len).map(BytesPart::Memory).collect(),
                None => unreachable!("values are mapped when they are finished"),
            },
        }
    }
}

/// A part of the bytes, for one thread to change.
#[derive(Debug)]
pub enum BytesPart<'a> {
    Memory(&'a mut [u8]),
    /// In a file, at these places.
    File(&'a FileBytes, Range<u64>),
}

impl BytesPart<'_> {
    /// Lets `change` change the bytes. If they are in a file, `buffer` holds them meanwhile.
    pub fn change<E: From<io::Error>>(
        self,
        buffer: &mut Vec<u8>,
        change: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            BytesPart::Memory(bytes) => change(bytes),
            BytesPart::File(file, range) => {
                buffer.resize((range.end - range.start) as usize, 0);
                file.read(range.start, buffer)?;
                change(buffer)?;
                Ok(file.write(range.start, buffer)?)
            }
        }
    }
}
