//! Writing a file that appears under its name when it is whole.

use crate::replace::{Replacement, folder_of};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How well zstd compresses, of 1 to 22: a certificate is written once and may be read often.
const LEVEL: i32 = 15;

/// How the text of a certificate stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Compressed, as one zstd frame with a checksum.
    #[default]
    Zstd,
    /// As it is.
    Plain,
}

/// Makes the file `path` of what `write` writes, and returns its length.
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

/// Fails at once where [`Certificate::save`](super::Certificate::save) would fail when the proof is
/// done: the folder is not there, or something that is not a file has the name.
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
