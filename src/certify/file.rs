//! Saving certificates as files.

use crate::durable::{NewFile, check_target};
use crate::zstd_frame;
use std::io::{self, Write};
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
    let mut out = NewFile::create(path)?;
    match encoding {
        Encoding::Plain => write(&mut out)?,
        Encoding::Zstd => {
            let mut context = zstd_frame::compressor(LEVEL)?;
            let mut encoder = zstd::Encoder::with_context(&mut out, &mut context);
            encoder.include_checksum(true)?;
            write(&mut encoder)?;
            encoder.finish()?;
        }
    }
    out.put_in_place()
}
