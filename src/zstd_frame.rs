//! Frames of zstd. Where the system gives no memory for a context, the functions of the crate zstd
//! panic; these return an error.

use std::io;
use zstd::zstd_safe::{CCtx, CParameter, DCtx, ErrorCode, get_error_name};

/// Compresses bytes into one frame, at this level.
pub(crate) fn compress(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    let mut context = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
    context.set_parameter(CParameter::CompressionLevel(level)).map_err(failed)?;
    let mut frame = Vec::with_capacity(zstd::zstd_safe::compress_bound(bytes.len()));
    context.compress2(&mut frame, bytes).map_err(failed)?;
    Ok(frame)
}

/// The bytes of a frame, of which there are at most `capacity`.
pub(crate) fn decompress(frame: &[u8], capacity: usize) -> io::Result<Vec<u8>> {
    let mut context = DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
    let mut bytes = Vec::with_capacity(capacity);
    context.decompress(&mut bytes, frame).map_err(failed)?;
    Ok(bytes)
}

fn failed(code: ErrorCode) -> io::Error {
    io::Error::other(get_error_name(code))
}
