//! Where the bytes of a table's file come from.

use super::{Access, FileKind, TableError};
use crate::file_at::open_regular;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes that may be a table's file.
#[derive(Debug)]
pub enum Source {
    /// Bytes in memory.
    Bytes(Cow<'static, [u8]>),
    /// A file, and how its pages are to be read.
    File(OpenFile, Access),
}

impl Source {
    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        match self {
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::File(file, _) => file.len,
        }
    }

    /// Some of the bytes, which belong to `part`, such as `the header`.
    pub fn read(&self, at: u64, len: u64, part: &str) -> Result<Cow<'_, [u8]>, TableError> {
        if at.checked_add(len).is_none_or(|end| end > self.len()) {
            return Err(TableError::outside(part));
        }
        match self {
            // What lies within them fits a `usize`.
            Source::Bytes(bytes) => Ok(Cow::Borrowed(&bytes[at as usize..(at + len) as usize])),
            Source::File(file, _) => {
                let mut bytes = Vec::new();
                let len = usize::try_from(len).map_err(|_| TableError::Memory)?;
                file.read(at, len, &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}

/// An open file.
#[derive(Debug)]
pub struct OpenFile {
    path: PathBuf,
    pub file: File,
    /// The length that the file had when it was opened.
    pub len: u64,
}

impl OpenFile {
    /// Opens a regular file for reading.
    pub fn open(path: &Path) -> io::Result<OpenFile> {
        let file = open_regular(File::options().read(true), path)?;
        let len = file.metadata()?.len();
        Ok(OpenFile { path: path.to_owned(), file, len })
    }

    /// Makes `bytes` this part of the file, which lies within the length that it had. One thread at a time reads.
    pub fn read(&self, at: u64, len: usize, bytes: &mut Vec<u8>) -> Result<(), TableError> {
        bytes.clear();
        bytes.try_reserve_exact(len).map_err(|_| TableError::Memory)?;
        let found = match read(&self.file, at, len, bytes) {
            // After a file server was away, no file that was open before can be read. A new one can.
            Err(error) => match OpenFile::open(&self.path) {
                Ok(again) => read(&again.file, at, len, bytes),
                Err(_) => Err(error),
            },
            found => found,
        };
        let found = found.map_err(unreadable)?;
        match found == len {
            true => Ok(()),
            false => {
                let (file, found) = (FileKind::Wdl, at + found as u64);
                Err(TableError::Length { file, expected: self.len, found })
            }
        }
    }
}

/// Makes `bytes` this part of a file, as far as it is there. Returns how many they are.
fn read(mut file: &File, at: u64, len: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
    bytes.clear();
    file.seek(SeekFrom::Start(at))?;
    file.take(len as u64).read_to_end(bytes)
}

/// The error for a file that the system cannot read.
pub fn unreadable(error: io::Error) -> TableError {
    let (kind, message) = (error.kind(), error.to_string());
    TableError::Unreadable { file: FileKind::Wdl, kind, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_failed_read_is_an_error_of_the_system_and_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [0; 100]).unwrap();
        let mut open = OpenFile::open(&path).unwrap();
        let mut bytes = vec![1; 50];
        assert_eq!(open.read(50, 50, &mut bytes), Ok(()));
        assert_eq!(bytes, [0; 50]);
        open.file = File::options().write(true).open(&path).unwrap();
        // It can be read after it is opened once more.
        bytes.fill(1);
        assert_eq!(open.read(0, 50, &mut bytes), Ok(()));
        assert_eq!(bytes, [0; 50]);
        open.file.set_len(60).unwrap();
        let cut = Err(TableError::Length { file: FileKind::Wdl, expected: 100, found: 60 });
        assert_eq!(open.read(20, 50, &mut bytes), cut);
        fs::rename(&path, folder.path().join("elsewhere")).unwrap();
        let error = open.read(0, 50, &mut bytes).unwrap_err();
        assert!(matches!(error, TableError::Unreadable { .. }), "{error}");
    }
}
