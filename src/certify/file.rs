//! Writing a certificate to a file that gets its name only when it is complete.

use crate::replace::{Replacement, folder_of};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The level of zstd, from 1 to 22. It is high because a certificate is written once and may be read often.
const LEVEL: i32 = 15;

/// How the text of a certificate is stored in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Compressed: one zstd frame with a checksum.
    #[default]
    Zstd,
    /// As plain text.
    Plain,
}

/// Makes the file `path` from what `write` writes, and returns its length.
pub(super) fn save(
    path: &Path,
    encoding: Encoding,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    check_target(path)?;
    let new = Replacement::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, new.file());
    match encoding {
        Encoding::Plain => write(&mut out)?,
        Encoding::Zstd => {
            let mut encoder = zstd::Encoder::new(&mut out, LEVEL)?;
            encoder.include_checksum(true)?;
            write(&mut encoder)?;
            encoder.finish()?;
        }
    }
    out.flush()?;
    drop(out);
    let length = new.file().metadata()?.len();
    new.finish()?;
    Ok(length)
}

/// Checks, before a long proof begins, that [`Certificate::save`](super::Certificate::save) can write the
/// file: the folder must be there, and nothing but a file may have the name.
///
/// # Errors
/// If a certificate cannot be saved under this name.
pub fn check_target(path: &Path) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected the name of a file"));
    }
    match fs::metadata(path) {
        // A device or a folder must not be replaced by a file.
        Ok(there) if !there.is_file() => {
            let why = "expected a file or nothing under this name, found something else";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        _ => {}
    }
    fs::read_dir(folder_of(path)).map(drop)
}
