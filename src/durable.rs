//! Replacing files durably: a file stands under its name with all its bytes on disk, or not at all.
//!
//! Tables and what a run saves for a later one go through [`NewFile`]. The bytes go to a temporary file, which is synced
//! and then renamed; on Unix the folder is synced too, so that the new name survives a power failure, if the folder itself
//! does: those above it are not synced. If anything fails before the file is renamed, the temporary file is removed, and
//! whatever stood under the name stays. Some file systems, often those of a network or of another system, cannot sync what
//! is in them: this is no failure, because nobody can do more there. A process that is killed leaves its temporary file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// How many bytes are collected before they are written.
const BUFFER: usize = 1 << 16;

/// A file that is being written and does not stand under its name yet.
///
/// If it is dropped before [`NewFile::put_in_place`], its temporary file is removed.
pub struct NewFile {
    out: BufWriter<File>,
    temporary: TempPath,
    target: PathBuf,
    /// Whether all bytes are on disk.
    is_synced: bool,
}

impl NewFile {
    /// Begins the file `target` as the file `temporary`, which is on the same file system. What an
    /// earlier run left under that name is overwritten, so only one program at a time may use it.
    pub fn create_as(target: &Path, temporary: &Path) -> io::Result<NewFile> {
        // To open a pipe would be to wait for somebody who reads from it.
        #[cfg(unix)]
        if fs::metadata(temporary).is_ok_and(|found| found.file_type().is_fifo()) {
            fs::remove_file(temporary)?;
        }
        Ok(NewFile {
            out: BufWriter::with_capacity(BUFFER, File::create(temporary)?),
            temporary: TempPath::try_from_path(temporary)?,
            target: target.to_owned(),
            is_synced: false,
        })
    }

    /// Writes all bytes to disk, but leaves the file under its temporary name. Where several files
    /// belong together, all of them are synced before the first one is put in its place.
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.out.flush()?;
            self.out.get_ref().sync_all().or_else(if_impossible)?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Puts the file in its place, durably.
    ///
    /// # Errors
    /// If writing or renaming fails; then what stood under the name is unchanged. If only syncing the folder fails, the
    /// new file stands there, but may not survive a power failure.
    pub fn put_in_place(mut self) -> io::Result<()> {
        self.sync()?;
        // After that, dropping this finds no file under the temporary name to remove.
        fs::rename(&self.temporary, &self.target).map_err(cannot_replace)?;
        sync_folder(&self.target)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_synced = false;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

/// Windows says only that access is denied where another program has mapped the file that is to be replaced.
fn cannot_replace(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ io::ErrorKind::PermissionDenied if cfg!(windows) => {
            io::Error::new(kind, format!("{error}; another program may have the file open"))
        }
        _ => error,
    }
}

/// Makes the name of a file durable. Windows cannot open folders, and does so by itself.
fn sync_folder(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()) {
        // The folder may be written to, and not be opened.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        // The system syncs only what is open for writing, which no folder is; or its file system answers so for every
        // folder. A device that has just begun to fail cannot be told from that.
        Err(error) if matches!(error.raw_os_error(), Some(EBADF | EIO)) => Ok(()),
        synced => synced.or_else(if_impossible),
    }
}

/// The error of a device that fails, on every Unix.
const EIO: i32 = 5;
/// The error of a file that is not open for what is asked, on every Unix.
const EBADF: i32 = 9;

/// That a file system cannot sync is no failure.
fn if_impossible(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput => Ok(()),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::files;

    #[test]
    fn a_file_stands_under_its_name_when_it_is_put_in_place_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let (path, temporary) = (folder.path().join("table"), folder.path().join("table.tmp"));
        fs::write(&path, "old").unwrap();
        // Left behind by a run that was killed.
        fs::write(&temporary, "something longer than what is written now").unwrap();
        let mut file = NewFile::create_as(&path, &temporary).unwrap();
        file.write_all(b"new").unwrap();
        file.sync().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.put_in_place().unwrap();
        assert!(files(folder.path()).into_iter().eq([("table".to_owned(), b"new".to_vec())]));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_the_temporary_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (path, temporary) = (folder.path().join("table"), folder.path().join("table.tmp"));
        assert!(std::process::Command::new("mkfifo").arg(&temporary).status().unwrap().success());
        let mut file = NewFile::create_as(&path, &temporary).unwrap();
        file.write_all(b"new").unwrap();
        file.put_in_place().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_file_that_is_given_up_or_cannot_be_put_in_place_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, temporary) = (folder.path().join("table"), folder.path().join("table.tmp"));
        fs::create_dir(&path).unwrap();
        drop(NewFile::create_as(&path, &temporary).unwrap());
        assert!(!temporary.exists());
        NewFile::create_as(&path, &temporary).unwrap().put_in_place().unwrap_err();
        assert!(!temporary.exists() && path.is_dir());
    }
}
