//! Files with results for a user, such as a certificate or a booklet.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Fails at once where a file could not be written after long work: its folder does not exist, or a folder or a file
/// that may not be written has its name.
///
/// # Errors
/// If no file can be written under this name.
pub fn check_target(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() || found.is_dir() => {
            File::options().write(true).open(path).map(drop)
        }
        // Opening a pipe would wait for somebody to read from it.
        Ok(_) => Ok(()),
        // A link to what is not there is not followed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            match fs::metadata(folder.unwrap_or(Path::new(".")))?.is_dir() {
                true => Ok(()),
                false => Err(io::ErrorKind::NotADirectory.into()),
            }
        }
        Err(error) => Err(error),
    }
}

/// Writes the file `path`, or the file behind a link, the pipe or the device of that name. Returns how many bytes were
/// written.
///
/// # Errors
/// If it cannot be written. A part of it may have been written then.
pub fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let mut file = Counted { to: BufWriter::new(File::create(path)?), bytes: 0 };
    write(&mut file)?;
    file.flush()?;
    Ok(file.bytes)
}

/// Counts what is written: a pipe has no length.
struct Counted<W> {
    to: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_saved_goes_behind_links_and_into_devices() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink(at("file"), at("link")).unwrap();
        for name in ["link", "file"] {
            check_target(&at(name)).unwrap();
            assert_eq!(save(&at(name), |file| file.write_all(name.as_bytes())).unwrap(), 4);
            assert_eq!(fs::read_to_string(at("file")).unwrap(), name);
        }
        assert_eq!(save(Path::new("/dev/null"), |file| file.write_all(b"abc")).unwrap(), 3);
        check_target(folder.path()).unwrap_err();
        check_target(&at("file/below")).unwrap_err();
        check_target(&at("nowhere/file")).unwrap_err();
        check_target(&at("new")).unwrap();
    }
}
