//! Where the bytes of a table's file come from.

use super::{Part, TableError};
use std::borrow::Cow;
#[cfg(feature = "files")]
use {
    super::{Access, open_file::OpenFile},
    crate::reserve::resize,
};

/// Bytes that may be a table's file.
#[derive(Debug)]
pub enum Source {
    /// Bytes in memory.
    Bytes(Cow<'static, [u8]>),
    /// A file, and how its pages are to be read.
    #[cfg(feature = "files")]
    File(OpenFile, Access),
}

impl Source {
    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        match self {
            Source::Bytes(bytes) => bytes.len() as u64,
            #[cfg(feature = "files")]
            Source::File(file, _) => file.len,
        }
    }

    /// Some of the bytes, which belong to `part`.
    pub fn read(&self, at: u64, len: u64, part: Part) -> Result<Cow<'_, [u8]>, TableError> {
        if at.checked_add(len).is_none_or(|end| end > self.len()) {
            return Err(TableError::Outside(part));
        }
        match self {
            // What lies within them fits a `usize`.
            Source::Bytes(bytes) => Ok(Cow::Borrowed(&bytes[at as usize..(at + len) as usize])),
            #[cfg(feature = "files")]
            Source::File(file, _) => {
                let mut bytes = Vec::new();
                let len = usize::try_from(len).map_err(|_| TableError::Memory)?;
                resize(&mut bytes, len).map_err(|_| TableError::Memory)?;
                file.read(at, &mut bytes, part)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}
