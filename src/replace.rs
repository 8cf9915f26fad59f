//! Replacing a file so that its name always stands for a whole file, after a power cut too.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// A new file beside the one that it will replace. It is removed again if [`Replacement::finish`] is
/// not called.
pub struct Replacement<'a> {
    file: File,
    temporary: PathBuf,
    target: &'a Path,
}

impl<'a> Replacement<'a> {
    /// Creates an empty file in the folder of `target`, with the permissions that any new file gets.
    pub fn create(target: &'a Path) -> io::Result<Replacement<'a>> {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = CREATED.fetch_add(1, Ordering::Relaxed);
            let name = format!(".lasca-{}-{number}.tmp", process::id());
            let temporary = folder_of(target).join(name);
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok(Replacement { file, temporary, target }),
                // It was left by a process that had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The new file, to be written to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the new file the name of the target, and makes that durable.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.temporary, self.target)?;
        sync_folder(self.target)
    }
}

impl Drop for Replacement<'_> {
    fn drop(&mut self) {
        // After `finish` nothing has this name.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Makes the new name of a file that was created or renamed durable.
pub fn sync_folder(file: &Path) -> io::Result<()> {
    // Windows has no way to open a folder as a file.
    if cfg!(unix) { File::open(folder_of(file))?.sync_all() } else { Ok(()) }
}

/// The folder that a file is in.
pub fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_is_replaced_when_it_is_finished_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        fs::write(&target, "old").unwrap();
        let count = || fs::read_dir(folder.path()).unwrap().count();

        let abandoned = Replacement::create(&target).unwrap();
        abandoned.file().write_all(b"half").unwrap();
        assert_eq!((fs::read(&target).unwrap(), count()), (b"old".to_vec(), 2));
        drop(abandoned);
        assert_eq!((fs::read(&target).unwrap(), count()), (b"old".to_vec(), 1));

        let replacement = Replacement::create(&target).unwrap();
        replacement.file().write_all(b"new").unwrap();
        replacement.finish().unwrap();
        assert_eq!((fs::read(&target).unwrap(), count()), (b"new".to_vec(), 1));
    }
}
