//! The values of a slice on disk, for a run that goes on where an earlier one stopped.
//!
//! The journal notes the length of each work file and the version of the solver that wrote it. A file
//! holds, for each stored side to move, the number of positions (8 bytes) and then the positions in
//! frames: the length of a zstd frame (4 bytes), its checksum (8 bytes), and the frame. Before it is
//! compressed, a position is the two bytes of its [`Distance`].

use crate::durable::NewFile;
use crate::values::{Distance, SliceValues};
use crate::zstd_frame;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// How many positions a frame holds.
const FRAME: u64 = 1 << 14;
/// The zstd level. It is low because the files are needed only until the table is finished.
const LEVEL: i32 = 1;

/// Writes the slices of all stored sides to move to `path`, durably, and returns the file's length.
pub fn write(path: &Path, slices: &[SliceValues]) -> io::Result<u64> {
    let mut out = NewFile::create_as(path, &path.with_extension("tmp"))?;
    for slice in slices {
        out.write_all(&slice.len().to_le_bytes())?;
        let frame = |first: u64| {
            let mut distances = vec![Distance::DRAW; FRAME.min(slice.len() - first) as usize];
            slice.read(first, &mut distances)?;
            let codes = distances.iter().map(|distance| distance.code());
            let bytes: Vec<u8> = codes.flat_map(u16::to_le_bytes).collect();
            zstd_frame::compress(&bytes, LEVEL)
        };
        let starts: Vec<u64> = (0..slice.len()).step_by(FRAME as usize).collect();
        for some in starts.chunks(4 * rayon::current_num_threads()) {
            let frames: Vec<Vec<u8>> =
                some.par_iter().map(|&first| frame(first)).collect::<io::Result<_>>()?;
            for frame in frames {
                out.write_all(&(frame.len() as u32).to_le_bytes())?;
                out.write_all(&xxh3_64(&frame).to_le_bytes())?;
                out.write_all(&frame)?;
            }
        }
    }
    out.put_in_place()
}

/// Reads the slices at `path`, which must have these numbers of positions. They are kept in scratch
/// files in the folder `scratch` if that is given, and otherwise in memory.
pub fn read(path: &Path, lens: &[u64], scratch: Option<&Path>) -> io::Result<Vec<SliceValues>> {
    let mut from = BufReader::new(File::open(path)?);
    let slices = lens.iter().map(|&len| read_slice(&mut from, len, scratch)).collect();
    if from.read(&mut [0])? != 0 {
        return Err(damaged());
    }
    slices
}

fn read_slice(from: &mut impl Read, len: u64, scratch: Option<&Path>) -> io::Result<SliceValues> {
    if u64::from_le_bytes(read_array(from)?) != len {
        return Err(damaged());
    }
    let mut starts = (0..len).step_by(FRAME as usize).peekable();
    // Frames are read one after another, and some of them decompressed at once.
    let batches = std::iter::from_fn(|| {
        starts.peek()?;
        let some = starts.by_ref().take(4 * rayon::current_num_threads());
        let frames = some.map(|first| read_frame(from, FRAME.min(len - first) as usize)).collect();
        Some(match frames {
            Ok(frames) => decompressed(frames),
            Err(error) => Err(error),
        })
    });
    SliceValues::from_parts(len, scratch, batches)
}

/// The next frame as it is on disk, and how many positions it holds.
fn read_frame(from: &mut impl Read, positions: usize) -> io::Result<(Vec<u8>, usize)> {
    let frame_len = u32::from_le_bytes(read_array(from)?) as usize;
    let sum = u64::from_le_bytes(read_array(from)?);
    // A frame is never much longer than what it holds.
    if frame_len > 4 * positions + 1024 {
        return Err(damaged());
    }
    let mut frame = vec![0; frame_len];
    from.read_exact(&mut frame)?;
    if xxh3_64(&frame) == sum { Ok((frame, positions)) } else { Err(damaged()) }
}

/// The positions of frames that follow one another.
fn decompressed(frames: Vec<(Vec<u8>, usize)>) -> io::Result<Vec<Distance>> {
    let parts: Vec<Vec<Distance>> = frames
        .into_par_iter()
        .map(|(frame, positions)| {
            let bytes = zstd_frame::decompress(&frame, 2 * positions)?;
            if bytes.len() != 2 * positions {
                return Err(damaged());
            }
            let codes = bytes.as_chunks::<2>().0.iter().map(|&code| u16::from_le_bytes(code));
            Ok(codes.map(Distance::from_code).collect())
        })
        .collect::<io::Result<_>>()?;
    Ok(parts.concat())
}

fn read_array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
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
            (0..150_000u64)
                .map(move |i| match i * seed % 17 {
                    0 => None,
                    rest => Some((rest * (i % 23)) as u16),
                })
                .map(|dtw| Distance::new(dtw).unwrap())
        };
        let slices = [1, 5].map(|seed| SliceValues::from_distances(distances(seed)));
        assert_eq!(write(&path, &slices).unwrap(), fs::metadata(&path).unwrap().len());
        let lens = [150_000, 150_000];
        for scratch in [None, Some(folder.path())] {
            let back = read(&path, &lens, scratch).unwrap();
            for (slice, seed) in back.iter().zip([1, 5]) {
                let mut read = vec![Distance::DRAW; 150_000];
                slice.read(0, &mut read).unwrap();
                assert!(read.into_iter().eq(distances(seed)));
            }
        }
        assert!(read(&path, &lens[..1], None).is_err());
        assert!(read(&path, &[150_000, 150_001], None).is_err());
        let good = fs::read(&path).unwrap();
        for at in [0, 9, 20, good.len() / 2, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&path, &bad).unwrap();
            assert!(read(&path, &lens, None).is_err(), "{at}");
            fs::write(&path, &good[..at]).unwrap();
            assert!(read(&path, &lens, None).is_err(), "{at}");
        }
    }
}
