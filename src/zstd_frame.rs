//! Frames of zstd.

#[cfg(feature = "generate")]
use std::io;

/// The largest window that a frame may ask for, in bytes: the format wants every decoder to support it.
const MAX_WINDOW: u64 = 8 << 20;

/// Compresses bytes into one frame, at this level. Where the system gives no memory, the functions of the
/// crate zstd panic; this returns an error.
#[cfg(feature = "generate")]
pub(crate) fn compress(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    use zstd::zstd_safe::{CCtx, CParameter, ErrorCode, compress_bound, get_error_name};
    let failed = |code: ErrorCode| io::Error::other(get_error_name(code));
    let mut context = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
    context.set_parameter(CParameter::CompressionLevel(level)).map_err(failed)?;
    let mut frame = Vec::with_capacity(compress_bound(bytes.len()));
    context.compress2(&mut frame, bytes).map_err(failed)?;
    Ok(frame)
}

/// The bytes of a frame, of which there are at most `capacity`; `None` if it is not sound. The decoder is
/// written in Rust, so that a prober needs no C compiler.
pub(crate) fn decompress(frame: &[u8], capacity: usize) -> Option<Vec<u8>> {
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    decoder.set_max_window_size(MAX_WINDOW);
    let mut bytes = vec![0; capacity];
    let len = decoder.decode_all(frame, &mut bytes).ok()?;
    bytes.truncate(len);
    Some(bytes)
}

#[cfg(all(test, feature = "generate"))]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_was_changed_or_cut_short_is_read_as_some_bytes_or_refused() {
        // Lengths of codes are small numbers, often the same.
        let bytes: Vec<u8> = (0..2000u32).map(|i| (i * i / 7 % 13 % (1 + i / 200)) as u8).collect();
        let frame = compress(&bytes, 19).unwrap();
        assert_eq!(decompress(&frame, bytes.len()).as_ref(), Some(&bytes));
        assert_eq!(decompress(&frame, bytes.len() - 1), None);
        for len in 1..frame.len() {
            assert_eq!(decompress(&frame[..len], bytes.len()), None);
        }
        for bit in 0..8 * frame.len() {
            let mut changed = frame.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(decompress(&changed, bytes.len()).is_none_or(|read| read.len() <= bytes.len()));
        }
    }
}
