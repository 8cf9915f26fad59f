//! The values of a slice on disk, for a run that goes on where an earlier one stopped.
//!
//! The journal notes the length of each work file and the version of the program that wrote it. A file
//! holds for each stored side to move:
//!
//! 1. the number of positions (8 bytes), the late code of their bytes (1), how many of them have that
//!    code (8), and the checksum of all this (8);
//! 2. the byte of each position, in frames of [`FRAME`] bytes; each frame is followed by its checksum
//!    (8);
//! 3. the positions with the late code, in frames of the same length: each has its number (8) and its
//!    [`Distance`] (2).
//!
//! Nothing is compressed: the files are needed only until the table is finished, and a disk takes bytes
//! faster than they could be compressed.

use crate::durable::NewFile;
use crate::values::bytes::{Bytes, ScratchFile};
use crate::values::{ByteCodes, Distance, SliceValues};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// How many bytes have a checksum together: a whole number of late positions.
const FRAME: usize = LATE_LEN << 14;
/// The bytes of a late position.
const LATE_LEN: usize = 10;
/// The bytes before the frames of a side, without their checksum.
const HEAD_LEN: usize = 17;

/// Writes the slices of all stored sides to move to `path`, durably, and returns the file's length.
pub fn write(path: &Path, slices: &[&SliceValues]) -> io::Result<u64> {
    let mut out = NewFile::create_as(path, &path.with_extension("tmp"))?;
    let mut buffer = Vec::new();
    for slice in slices {
        let mut head = [0; HEAD_LEN];
        head[..8].copy_from_slice(&slice.len().to_le_bytes());
        head[8] = slice.byte_codes().late();
        head[9..].copy_from_slice(&(slice.late().len() as u64).to_le_bytes());
        write_frame(&mut out, &head)?;
        for first in (0..slice.len()).step_by(FRAME) {
            let end = (first + FRAME as u64).min(slice.len());
            write_frame(&mut out, slice.bytes(first..end, &mut buffer)?)?;
        }
        for late in slice.late().chunks(FRAME / LATE_LEN) {
            buffer.clear();
            for (number, distance) in late {
                buffer.extend_from_slice(&number.to_le_bytes());
                buffer.extend_from_slice(&distance.code().to_le_bytes());
            }
            write_frame(&mut out, &buffer)?;
        }
    }
    out.put_in_place()
}

fn write_frame(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes)?;
    out.write_all(&xxh3_64(bytes).to_le_bytes())
}

/// Reads the slices at `path`, which must have these numbers of positions. They are kept in scratch
/// files in the folder `scratch` if that is given, and otherwise in memory.
pub fn read(path: &Path, lens: &[u64], scratch: Option<&Path>) -> io::Result<Vec<SliceValues>> {
    let mut from = BufReader::with_capacity(FRAME, File::open(path)?);
    let slices = lens.iter().map(|&len| read_slice(&mut from, len, scratch)).collect();
    if from.read(&mut [0])? != 0 {
        return Err(damaged());
    }
    slices
}

fn read_slice(from: &mut impl Read, len: u64, scratch: Option<&Path>) -> io::Result<SliceValues> {
    let mut head = [0; HEAD_LEN];
    read_frame(from, &mut head)?;
    let number = |at: usize| head[at..].first_chunk().map(|&bytes| u64::from_le_bytes(bytes));
    let (late_code, late_len) = (head[8], number(9).unwrap_or_default());
    if number(0) != Some(len) || late_len > len || !ByteCodes::can_be_late(late_code) {
        return Err(damaged());
    }
    let mut bytes = match scratch {
        None => Bytes::in_memory(len)?,
        Some(folder) => Bytes::Scratch(ScratchFile::new(folder, len)?),
    };
    let mut buffer = Vec::new();
    for part in bytes.parts(FRAME) {
        part.change(&mut buffer, |bytes| read_frame(from, bytes))?;
    }
    let mut late = Vec::new();
    let mut left = late_len as usize;
    while left > 0 {
        let some = left.min(FRAME / LATE_LEN);
        buffer.resize(some * LATE_LEN, 0);
        read_frame(from, &mut buffer)?;
        late.extend(buffer.as_chunks::<LATE_LEN>().0.iter().map(|bytes| {
            let [number @ .., low, high] = *bytes;
            let code = u16::from_le_bytes([low, high]);
            (u64::from_le_bytes(number), Distance::from_code(code))
        }));
        left -= some;
    }
    Ok(SliceValues::new(bytes, late_code, late))
}

/// Reads as many bytes as there is room for, and compares their checksum.
fn read_frame(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<()> {
    let mut sum = [0; 8];
    from.read_exact(bytes)?;
    from.read_exact(&mut sum)?;
    if xxh3_64(bytes) == u64::from_le_bytes(sum) { Ok(()) } else { Err(damaged()) }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "this is not the work file that was written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn slices_are_read_as_they_were_written_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let distances = |seed: u64| {
            (0..400_000u64)
                .map(move |i| match i * seed % 17 {
                    0 => None,
                    rest => Some((rest * (i % 23)) as u16),
                })
                .map(|dtw| Distance::new(dtw).unwrap())
        };
        let slices = [1, 5].map(|seed| SliceValues::from_distances(distances(seed)));
        // Some of them take more than one frame, and so do those that are listed apart.
        assert!(slices[0].late().len() > FRAME / LATE_LEN);
        let written = write(&path, &slices.each_ref()).unwrap();
        assert_eq!(written, fs::metadata(&path).unwrap().len());
        let lens = [400_000, 400_000];
        for scratch in [None, Some(folder.path())] {
            let back = read(&path, &lens, scratch).unwrap();
            for (slice, seed) in back.iter().zip([1, 5]) {
                let mut read = vec![Distance::DRAW; 400_000];
                slice.read(0, &mut read).unwrap();
                assert!(read.into_iter().eq(distances(seed)));
            }
        }
        assert!(read(&path, &lens[..1], None).is_err());
        assert!(read(&path, &[400_000, 400_001], None).is_err());
        let good = fs::read(&path).unwrap();
        for at in [0, 8, 9, 20, good.len() / 3, good.len() / 2, good.len() - 9, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&path, &bad).unwrap();
            assert!(read(&path, &lens, None).is_err(), "{at}");
            fs::write(&path, &good[..at]).unwrap();
            assert!(read(&path, &lens, None).is_err(), "{at}");
        }
    }
}
