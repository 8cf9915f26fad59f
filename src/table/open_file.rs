//! An open file, and whether it has changed since it was opened.

use super::{Part, TableError};
use crate::file_at::{FileExt, open_regular};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// An open file.
#[derive(Debug)]
pub struct OpenFile {
    pub file: File,
    /// The length that the file had when it was opened.
    pub len: u64,
    pub seen: Seen,
}

impl OpenFile {
    /// Opens a regular file for reading.
    pub fn open(path: &Path) -> io::Result<OpenFile> {
        let file = open_regular(File::options().read(true), path)?;
        let found = file.metadata()?;
        let stamp = Some(Stamp::of(&found));
        let seen = Seen { path: path.to_owned(), stamp, time: SystemTime::now() };
        Ok(OpenFile { file, len: found.len(), seen })
    }

    /// Fills `bytes` from the file. They belong to `part`, whose checksum tells whether they are right.
    pub fn read(&self, at: u64, bytes: &mut [u8], part: Part) -> Result<(), TableError> {
        let is_at_end = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
        let read = match self.file.read_exact_at(bytes, at) {
            // After a file server was away, no file that was open before can be read. A new one can.
            Err(error) if !is_at_end(&error) => match OpenFile::open(&self.seen.path) {
                Ok(again) if again.len == self.len => again.file.read_exact_at(bytes, at),
                Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
                Err(_) => Err(error),
            },
            read => read,
        };
        read.map_err(|error| match is_at_end(&error) {
            true if self.seen.has_changed() => TableError::Changed(part),
            true => TableError::Outside(part),
            false => unreadable(error),
        })
    }
}

/// The error for a file that the system cannot read.
pub fn unreadable(error: io::Error) -> TableError {
    TableError::Unreadable { kind: error.kind(), message: error.to_string() }
}

/// What was seen at a path at a time: which file, and what it was like then, or none.
#[derive(Debug)]
pub struct Seen {
    path: PathBuf,
    /// `None` if there was no file, or the system did not tell.
    stamp: Option<Stamp>,
    time: SystemTime,
}

impl Seen {
    /// What stands at a path now.
    pub fn at(path: PathBuf) -> Seen {
        let time = SystemTime::now();
        Seen { stamp: Stamp::at(&path), path, time }
    }

    /// Whether another file stands at the path now, or none, or the file was written to.
    pub fn has_changed(&self) -> bool {
        Stamp::at(&self.path) != self.stamp
    }

    /// Whether the file was written to so shortly before it was seen that a later change may not show in
    /// its times.
    pub fn is_fresh(&self) -> bool {
        // Or after it, as another clock tells.
        let age = |modified| match self.time.duration_since(modified) {
            Ok(age) => age,
            Err(ahead) => ahead.duration(),
        };
        let modified = self.stamp.and_then(|stamp| stamp.modified);
        // Some file systems keep times to two seconds.
        modified.is_some_and(|modified| age(modified) <= Duration::from_secs(2))
    }

    /// Whether the same was seen later, and a change would have shown.
    pub fn is_same(&self, later: &Seen) -> bool {
        (&self.path, self.stamp) == (&later.path, later.stamp) && !self.is_fresh()
    }
}

/// What tells a file from another one, or from itself after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// Device, inode, and when the inode was changed.
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Stamp {
    /// The stamp of the file at a path; `None` if there is none, or if the system does not tell.
    fn at(path: &Path) -> Option<Stamp> {
        fs::metadata(path).ok().map(|found| Stamp::of(&found))
    }

    fn of(found: &Metadata) -> Stamp {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Stamp {
            len: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            inode: (found.dev(), found.ino(), found.ctime(), found.ctime_nsec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_read_is_an_error_of_the_system_and_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [0; 100]).unwrap();
        let mut open = OpenFile::open(&path).unwrap();
        let mut bytes = [1; 50];
        assert_eq!(open.read(50, &mut bytes, Part::Header), Ok(()));
        assert_eq!(bytes, [0; 50]);
        assert_eq!(open.read(51, &mut bytes, Part::Header), Err(TableError::Outside(Part::Header)));
        open.file = File::options().write(true).open(&path).unwrap();
        // It can be read after it is opened once more.
        bytes.fill(1);
        assert_eq!(open.read(0, &mut bytes, Part::Header), Ok(()));
        assert_eq!(bytes, [0; 50]);
        assert!(!open.seen.has_changed());
        open.file.set_len(60).unwrap();
        assert!(open.seen.has_changed());
        assert_eq!(open.read(0, &mut bytes, Part::Header), Err(TableError::Changed(Part::Header)));
        fs::remove_file(&path).unwrap();
        let error = open.read(0, &mut bytes, Part::Header).unwrap_err();
        assert!(matches!(error, TableError::Unreadable { .. }), "{error}");
    }

    #[test]
    fn a_file_written_about_when_it_was_opened_is_fresh() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let at = |age: i64| {
            let (now, away) = (SystemTime::now(), Duration::from_secs(age.unsigned_abs()));
            file.as_file().set_modified(if age < 0 { now + away } else { now - away }).unwrap();
            Seen { time: now, ..Seen::at(file.path().to_owned()) }.is_fresh()
        };
        assert!([-1, 0, 1].map(at).iter().all(|&fresh| fresh));
        assert!([-3600, 3, 3600].map(at).iter().all(|&fresh| !fresh));
    }
}
