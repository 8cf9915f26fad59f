//! Opening a file, reading and writing at a place in it, whatever other threads do with the file (the methods
//! `read_exact_at` and `write_all_at` of [`File`]), and errors that name their file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// An error of the system, with what was being done and the file or folder that it was done with.
#[derive(Debug, thiserror::Error)]
#[error("{doing} {path}: {error}")]
struct FileError {
    doing: &'static str,
    path: PathBuf,
    #[source]
    error: io::Error,
}

/// Makes errors name what was being done with which file. They keep their kind, and the file that they name already.
pub(crate) fn naming(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |error| match error.get_ref() {
        Some(inner) if inner.is::<FileError>() => error,
        _ => io::Error::new(error.kind(), FileError { doing, path: path.to_owned(), error }),
    }
}

/// Opens a regular file, or makes it if the options say so. All files in folders of users are opened so.
///
/// # Errors
/// If the system refuses it, or something else has this name: opening a pipe would wait for ever.
pub(crate) fn open_regular(options: &OpenOptions, path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(found) => regular(&found)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let file = options.open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Refuses everything but a regular file.
fn regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() { "a folder" } else { "a pipe, socket or device" };
    let message = format!("expected a regular file, found {what}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

#[cfg(unix)]
pub(crate) use std::os::unix::fs::FileExt;
#[cfg(windows)]
pub(crate) use windows::FileExt;

/// Browsers have no files, and nothing is read or written there.
#[cfg(not(any(unix, windows)))]
pub(crate) trait FileExt {
    fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(not(any(unix, windows)))]
impl FileExt for File {}

#[cfg(windows)]
mod windows {
    use std::fs::File;
    use std::io::{self, Read, Write};
    use std::os::windows::fs::FileExt as _;

    /// What Unix has of itself.
    pub(crate) trait FileExt {
        fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;
        fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;
    }

    impl FileExt for File {
        fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
            From { file: self, at }.read_exact(bytes)
        }

        fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
            From { file: self, at }.write_all(bytes)
        }
    }

    /// A file from a place on.
    struct From<'a> {
        file: &'a File,
        at: u64,
    }

    impl Read for From<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let read = self.file.seek_read(bytes, self.at)?;
            self.at += read as u64;
            Ok(read)
        }
    }

    impl Write for From<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = self.file.seek_write(bytes, self.at)?;
            self.at += written as u64;
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
