//! How the values of a section become bytes: one code a position, under zstd.
//!
//! A value is a code: 0 for a draw, else the DTW plus 1 (even DTWs are losses, odd ones wins). A
//! section's codes all take one byte, or all take two, lowest first.

use super::{Part, TableError};

/// The zstd level of the blocks.
const LEVEL: i32 = 9;

/// How many bytes a code takes when the greatest DTW is `max_dtw`.
pub fn width_for(max_dtw: Option<u16>) -> u8 {
    if max_dtw.is_none_or(|dtw| dtw < 255) { 1 } else { 2 }
}

/// Compresses values, given as distances, `None` for a draw.
pub fn compress(
    width: u8,
    distances: impl Iterator<Item = Option<u16>>,
) -> std::io::Result<Vec<u8>> {
    let mut codes = Vec::new();
    for distance in distances {
        let code = distance.map_or(0, |dtw| dtw + 1);
        codes.extend_from_slice(&code.to_le_bytes()[..usize::from(width)]);
    }
    zstd::bulk::compress(&codes, LEVEL)
}

/// Decompresses the codes of one block, which must be `positions` of `width` bytes.
pub fn decompress(
    bytes: &[u8],
    width: u8,
    positions: usize,
    part: Part,
) -> Result<Vec<u8>, TableError> {
    let expected = positions * usize::from(width);
    let codes = zstd::bulk::decompress(bytes, expected).map_err(|_| TableError::Content(part))?;
    if codes.len() == expected { Ok(codes) } else { Err(TableError::Content(part)) }
}

/// The distance that stands at `at` among decompressed codes, `None` for a draw.
///
/// # Panics
/// If there is no such position.
pub fn distance(codes: &[u8], width: u8, at: usize) -> Option<u16> {
    let code = if width == 1 {
        u16::from(codes[at])
    } else {
        u16::from_le_bytes([codes[2 * at], codes[2 * at + 1]])
    };
    code.checked_sub(1)
}
