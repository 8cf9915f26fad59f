//! The values of a slice on disk, for the slices above it, and for a run that goes on where an earlier one
//! stopped.
//!
//! The journal notes the length of each work file and the version of the program that wrote it. A file
//! holds for each stored side to move:
//!
//! 1. the number of positions (8 bytes), the late code of their bytes (1), and how many of them have that
//!    code (8);
//! 2. the byte of each position;
//! 3. the positions with the late code: each has its number (8) and its [`Distance`] (2);
//! 4. the checksums (8 each) of the first part, of each [`FRAME`] bytes of the second, and of each
//!    [`FRAME`] bytes of the third.
//!
//! Nothing is compressed: the files are needed only until the table is finished, a disk takes bytes
//! faster than they could be compressed, and single values can be read where they stand.

use crate::durable::NewFile;
use crate::reserve::reserve_exact;
use crate::values::bytes::{Bytes, FileBytes};
use crate::values::{ByteCodes, Distance, SliceValues};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// How many bytes have a checksum together: a whole number of late positions.
const FRAME: usize = LATE_LEN << 14;
/// The bytes of a late position.
const LATE_LEN: usize = 10;
/// The bytes of the first part of a side.
const HEAD_LEN: usize = 17;

/// Writes the slices of all stored sides to move to `path`, durably, and returns the file's length.
pub fn write(path: &Path, slices: &[&SliceValues]) -> io::Result<u64> {
    let mut out = NewFile::create_as(path, &path.with_extension("tmp"))?;
    let mut buffer = Vec::new();
    for slice in slices {
        let mut sums = Vec::new();
        let mut put = |frame: &[u8]| {
            sums.extend(xxh3_64(frame).to_le_bytes());
            out.write_all(frame)
        };
        let mut head = [0; HEAD_LEN];
        head[..8].copy_from_slice(&slice.len().to_le_bytes());
        head[8] = slice.byte_codes().late();
        head[9..].copy_from_slice(&(slice.late().len() as u64).to_le_bytes());
        put(&head)?;
        for first in (0..slice.len()).step_by(FRAME) {
            let end = (first + FRAME as u64).min(slice.len());
            put(slice.bytes(first..end, &mut buffer)?)?;
        }
        for late in slice.late().chunks(FRAME / LATE_LEN) {
            buffer.clear();
            for (number, distance) in late {
                buffer.extend_from_slice(&number.to_le_bytes());
                buffer.extend_from_slice(&distance.code().to_le_bytes());
            }
            put(&buffer)?;
        }
        out.write_all(&sums)?;
    }
    out.put_in_place()
}

/// Reads the slices at `path`, which must have these numbers of positions, and checks every byte. The
/// values are copied to memory, or left where they are in the file.
pub fn read(path: &Path, lens: &[u64], in_memory: bool) -> io::Result<Vec<SliceValues>> {
    let mut from = WorkFile {
        bytes: BufReader::with_capacity(FRAME, File::open(path)?),
        at: 0,
        sums: Vec::new(),
    };
    let slices = lens.iter().map(|&len| read_slice(&mut from, path, len, in_memory)).collect();
    if from.bytes.read(&mut [0])? != 0 {
        return Err(damaged());
    }
    slices
}

/// A work file that is read from its beginning to its end.
struct WorkFile {
    bytes: BufReader<File>,
    /// How many bytes have been read.
    at: u64,
    /// The checksums of the frames that were read and not compared yet.
    sums: Vec<u64>,
}

impl WorkFile {
    /// Reads as many bytes as there is room for.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.bytes.read_exact(bytes)
    }

    /// Reads a frame, and keeps its checksum.
    fn read_frame(&mut self, frame: &mut [u8]) -> io::Result<()> {
        self.read(frame)?;
        self.sums.push(xxh3_64(frame));
        Ok(())
    }

    /// Reads the checksums of all frames since the last call, and compares them.
    fn compare_sums(&mut self) -> io::Result<()> {
        for sum in std::mem::take(&mut self.sums) {
            let mut expected = [0; 8];
            self.read(&mut expected)?;
            if sum != u64::from_le_bytes(expected) {
                return Err(damaged());
            }
        }
        Ok(())
    }
}

fn read_slice(
    from: &mut WorkFile,
    path: &Path,
    len: u64,
    in_memory: bool,
) -> io::Result<SliceValues> {
    let mut head = [0; HEAD_LEN];
    from.read_frame(&mut head)?;
    let number = |at: usize| head[at..].first_chunk().map(|&bytes| u64::from_le_bytes(bytes));
    let (late_code, late_len) = (head[8], number(9).unwrap_or_default());
    if number(0) != Some(len) || late_len > len || !ByteCodes::can_be_late(late_code) {
        return Err(damaged());
    }
    let (start, mut buffer, mut late_bytes) = (from.at, vec![0; FRAME], 0);
    let mut read_frame = |bytes: &mut [u8]| {
        from.read_frame(bytes)?;
        late_bytes += bytes.iter().filter(|byte| **byte == late_code).count() as u64;
        Ok::<(), io::Error>(())
    };
    let bytes = if in_memory {
        let mut bytes = Bytes::in_memory(len)?;
        for part in bytes.parts(FRAME) {
            part.change(&mut buffer, &mut read_frame)?;
        }
        bytes
    } else {
        for first in (0..len).step_by(FRAME) {
            read_frame(&mut buffer[..(len - first).min(FRAME as u64) as usize])?;
        }
        Bytes::File(FileBytes::part_of(File::open(path)?, start, len))
    };
    if late_bytes != late_len {
        return Err(damaged());
    }
    let mut late = Vec::new();
    let mut left = late_len as usize;
    reserve_exact(&mut late, left)?;
    while left > 0 {
        let some = left.min(FRAME / LATE_LEN);
        buffer.resize(some * LATE_LEN, 0);
        from.read_frame(&mut buffer)?;
        late.extend(buffer.as_chunks::<LATE_LEN>().0.iter().map(|bytes| {
            let [number @ .., low, high] = *bytes;
            let code = u16::from_le_bytes([low, high]);
            (u64::from_le_bytes(number), Distance::from_code(code))
        }));
        left -= some;
    }
    from.compare_sums()?;
    Ok(SliceValues::new(bytes, late_code, late))
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
        for in_memory in [true, false] {
            let back = read(&path, &lens, in_memory).unwrap();
            for (slice, seed) in back.iter().zip([1, 5]) {
                let mut read = vec![Distance::DRAW; 400_000];
                slice.read(0, &mut read).unwrap();
                assert!(read.into_iter().eq(distances(seed)));
            }
        }
        assert!(read(&path, &lens[..1], true).is_err());
        assert!(read(&path, &[400_000, 400_001], true).is_err());
        let good = fs::read(&path).unwrap();
        let fails = || [true, false].iter().all(|&m| read(&path, &lens, m).is_err());
        for at in [0, 8, 9, 20, good.len() / 3, good.len() / 2, good.len() - 9, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&path, &bad).unwrap();
            assert!(fails(), "{at}");
            fs::write(&path, &good[..at]).unwrap();
            assert!(fails(), "{at}");
        }
    }
}
