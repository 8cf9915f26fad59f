//! Tables in files, memory-mapped.

use super::{Table, TableError};
use memmap2::Mmap;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

/// Why a file could not be opened as a table.
#[derive(Debug)]
pub enum OpenError {
    /// The file could not be opened or mapped.
    Io(io::Error),
    /// The file is not a sound table.
    Table(TableError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) => error.fmt(f),
            OpenError::Table(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Io(error)
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io(error) => Some(error),
            OpenError::Table(error) => Some(error),
        }
    }
}

impl Table<Mmap> {
    /// Opens the table in a file, memory-mapped, with the checks of [`Table::open`].
    ///
    /// The file must not be written to or cut short while it is open: what is read of it then is
    /// checked against its checksum, but reading a page that is no longer there ends the process.
    /// This program itself never writes to a finished table; it puts a new file in its place.
    ///
    /// # Errors
    /// If the file cannot be opened or is not a sound table; or if what stands there, links followed,
    /// is no regular file.
    pub fn open_file(path: &Path) -> Result<Table<Mmap>, OpenError> {
        // Opening a pipe would wait for somebody to write to it.
        regular(&fs::metadata(path)?)?;
        let file = File::open(path)?;
        regular(&file.metadata()?)?;
        // SAFETY: the map is only read, through a shared slice of bytes of any value. It is sound as
        // long as nobody changes the file meanwhile, which the documentation asks for and every
        // program that maps files relies on; no part is believed before its checksum is checked.
        let map = unsafe { Mmap::map(&file) }.map_err(OpenError::Io)?;
        Table::open(map).map_err(OpenError::Table)
    }
}

/// Refuses what is no regular file.
fn regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() { "a folder" } else { "a pipe, socket or device" };
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("expected a regular file, found {what}"),
    ))
}
