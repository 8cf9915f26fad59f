//! Writing a certificate to a file that gets its name only when it is complete.

use std::fs::{self, File};
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
    let folder = folder_of(path);
    // The file gets the system's usual permissions. Those of tempfile would let nobody else read it.
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    let file = tempfile::Builder::new().prefix(".certificate-").make_in(folder, create)?;
    let mut out = BufWriter::with_capacity(1 << 16, file.as_file());
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
    file.as_file().sync_all()?;
    let length = file.as_file().metadata()?.len();
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
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

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
