//! What a run saves for a later one: values as bytes with a checksum, in files.

use crate::durable::NewFile;
use crate::file_at::{naming, open_regular};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The most bytes that a note has.
pub const MAX_NOTE: u32 = 1 << 10;

/// A value as bytes for [`from_checked_bytes`]: their checksum (8 bytes), then the value (bincode).
pub fn to_checked_bytes(value: impl bincode::Encode) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 8];
    bincode::encode_into_std_write(value, &mut bytes, bincode::config::standard())
        .map_err(io::Error::other)?;
    let sum = xxh3_64(&bytes[8..]);
    bytes[..8].copy_from_slice(&sum.to_le_bytes());
    Ok(bytes)
}

/// The value of which [`to_checked_bytes`] made these bytes; `None` if they have changed since.
///
/// The checksum is compared first. bincode reserves memory for the length that a list claims, and so a
/// damaged length would cost as much memory as it says.
pub fn from_checked_bytes<T: bincode::Decode<()>>(bytes: &[u8]) -> Option<T> {
    let (sum, rest) = bytes.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*sum) != xxh3_64(rest) {
        return None;
    }
    bincode::decode_from_slice(rest, bincode::config::standard()).ok().map(|(value, _)| value)
}

/// Puts the [checked bytes](to_checked_bytes) of a value in place of the file at `path`, durably. Only one
/// program at a time may do so.
///
/// # Errors
/// If it cannot be written. The error names it.
pub fn write_checked(path: &Path, value: impl bincode::Encode) -> io::Result<()> {
    let write = || {
        let bytes = to_checked_bytes(value)?;
        let mut file = NewFile::create_as(path, &path.with_extension("tmp"))?;
        file.write_all(&bytes)?;
        file.put_in_place()
    };
    write().map_err(naming("writing", path))
}

/// The bytes of the note at `path`; `None` if there is no such file. Of one that is longer than any note, so
/// many bytes are read that they are not [those of a value](from_checked_bytes).
///
/// # Errors
/// If it is there and cannot be read. The error names it.
pub fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = open_regular(File::options().read(true), path)
        .and_then(|file| file.take(u64::from(MAX_NOTE) + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(naming("reading", path)(error)),
    }
}

/// Whether an error of reading says that a file does not hold what was written, so that reading it again
/// is of no use.
pub fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

/// The name under which the file at `path`, which cannot be used, is kept so that it is not overwritten:
/// `.aside` and the first free number follow its own.
pub fn aside_name(path: &Path) -> io::Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 1;
    loop {
        let aside = format!("{name}.aside-{number}");
        let aside_path = path.with_file_name(&aside);
        if !aside_path.try_exists().map_err(naming("looking at", &aside_path))? {
            return Ok(aside);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_of_a_note_than_a_note_can_have() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("columns-2");
        write_checked(&path, 7u64).unwrap();
        for len in [u64::from(MAX_NOTE) + 1, 1 << 24] {
            File::options().write(true).open(&path).unwrap().set_len(len).unwrap();
            let bytes = read_if_there(&path).unwrap().unwrap();
            assert!(bytes.len() <= MAX_NOTE as usize + 1, "{}", bytes.len());
            assert_eq!(from_checked_bytes::<u64>(&bytes), None);
        }
    }
}
