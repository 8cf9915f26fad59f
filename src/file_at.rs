//! Reading and writing at a place in a file, whatever other threads do with the file: the methods
//! `read_exact_at` and `write_all_at` of [`File`](std::fs::File).

#[cfg(unix)]
pub(crate) use std::os::unix::fs::FileExt;
#[cfg(windows)]
pub(crate) use windows::FileExt;

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
