//! Tables in files: memory-mapped, or read into memory.

use super::{FileKind, Table, TableError};
use memmap2::Mmap;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Why a file could not be opened as a table.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The WDL file could not be opened or mapped.
    Io(io::Error),
    /// The DTW file is there and could not be opened or mapped.
    InDtw(io::Error),
    /// The files are not a sound table.
    Table(TableError),
}

impl OpenError {
    /// The file that the error is about.
    pub fn kind(&self) -> FileKind {
        match self {
            OpenError::Io(_) => FileKind::Wdl,
            OpenError::InDtw(_) => FileKind::Dtw,
            OpenError::Table(error) => error.kind(),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) | OpenError::InDtw(error) => error.fmt(f),
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
            OpenError::Io(error) | OpenError::InDtw(error) => Some(error),
            OpenError::Table(error) => Some(error),
        }
    }
}

/// How the bytes of a table's file are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Memory-mapped: opening is quick, and only the parts that are read need memory, which programs
    /// share. The file must not be written to or cut short while it is open: only what is read
    /// for the first time is checked against its checksum, and reading a page that is no longer there
    /// ends the process. This program itself never writes to a finished table; it puts a new file in its
    /// place, and what is open stays as it was.
    #[default]
    Mapped,
    /// Read into memory as a whole when it is opened: whatever then happens to the file, the answers
    /// stay right.
    InMemory,
}

/// The bytes of a table's file.
#[derive(Debug)]
pub struct FileBytes(Kept);

#[derive(Debug)]
enum Kept {
    Mapped(Mmap),
    InMemory(Vec<u8>),
}

impl AsRef<[u8]> for FileBytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Kept::Mapped(map) => map,
            Kept::InMemory(bytes) => bytes,
        }
    }
}

impl Table<FileBytes> {
    /// Opens the table whose WDL file is at `path`, memory-mapped, with the checks of
    /// [`Table::open`]. See [`Access::Mapped`] for what may not happen to its files meanwhile.
    ///
    /// # Errors
    /// As [`Table::open_with`].
    pub fn open_file(path: &Path) -> Result<Table<FileBytes>, OpenError> {
        Table::open_with(path, Access::Mapped)
    }

    /// Opens the table whose WDL file is at `path`, with the checks of [`Table::open`]. The DTW file
    /// is looked for beside it; without one, the table knows no distances.
    ///
    /// ```
    /// use lasca_tablebase::table::{Access, Table};
    /// let table = Table::open_with("tables/lasca-2-1.ltbw".as_ref(), Access::InMemory)?;
    /// assert_eq!(table.material().to_string(), "2-1");
    /// assert!(table.has_dtw());
    /// # Ok::<(), lasca_tablebase::table::OpenError>(())
    /// ```
    ///
    /// # Errors
    /// If a file cannot be opened or is not sound; or if what stands there, links followed, is no
    /// regular file. What is wrong with the DTW file comes as [`OpenError::InDtw`] or
    /// [`TableError::InDtw`].
    pub fn open_with(path: &Path, access: Access) -> Result<Table<FileBytes>, OpenError> {
        let wdl = FileBytes::open(path, access)?;
        let dtw = match FileBytes::open(&path.with_extension(FileKind::Dtw.extension()), access) {
            Ok(dtw) => Some(dtw),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(OpenError::InDtw(error)),
        };
        Table::open(wdl, dtw).map_err(OpenError::Table)
    }
}

impl Table<FileBytes> {
    /// As [`Table::open_with`], for the WDL file alone: its DTW file is not looked at.
    ///
    /// # Errors
    /// As [`Table::open_with`].
    pub fn open_wdl(path: &Path, access: Access) -> Result<Table<FileBytes>, OpenError> {
        Table::open(FileBytes::open(path, access)?, None).map_err(OpenError::Table)
    }
}

impl FileBytes {
    fn open(path: &Path, access: Access) -> io::Result<FileBytes> {
        // Opening a pipe would wait for somebody to write to it.
        regular(&fs::metadata(path)?)?;
        let mut file = File::open(path)?;
        let found = file.metadata()?;
        regular(&found)?;
        Ok(FileBytes(match access {
            // SAFETY: the map is only read, through a shared slice of bytes of any value. It is sound
            // as long as nobody changes the file meanwhile, which the documentation asks for and
            // every program that maps files relies on; no part is believed before its checksum is
            // checked.
            Access::Mapped => Kept::Mapped(unsafe { Mmap::map(&file) }?),
            Access::InMemory => {
                let mut bytes = Vec::new();
                let len = usize::try_from(found.len()).unwrap_or(usize::MAX);
                bytes.try_reserve_exact(len).map_err(io::Error::other)?;
                file.read_to_end(&mut bytes)?;
                Kept::InMemory(bytes)
            }
        }))
    }
}

/// Refuses everything but a regular file.
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
