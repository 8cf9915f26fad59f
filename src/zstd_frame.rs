//! Frames of zstd.

#[cfg(feature = "generate")]
use std::io;

/// Compresses bytes into one frame, at this level. Where the system gives no memory, the functions of the
/// crate zstd panic; this returns an error.
#[cfg(all(feature = "generate", not(all(target_family = "wasm", target_os = "unknown"))))]
pub(crate) fn compress(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    use zstd::zstd_safe::{CCtx, CParameter, ErrorCode, compress_bound, get_error_name};
    let failed = |code: ErrorCode| io::Error::other(get_error_name(code));
    let mut context = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
    context.set_parameter(CParameter::CompressionLevel(level)).map_err(failed)?;
    let mut frame = Vec::with_capacity(compress_bound(bytes.len()));
    context.compress2(&mut frame, bytes).map_err(failed)?;
    Ok(frame)
}

/// The same by a packer that is written in Rust. It has one level, and its frames are longer.
#[cfg(all(feature = "generate", target_family = "wasm", target_os = "unknown"))]
pub(crate) fn compress(bytes: &[u8], _: i32) -> io::Result<Vec<u8>> {
    Ok(compress_in_browser(bytes))
}

/// Compresses bytes into one frame without a library in C.
#[cfg(all(feature = "generate", any(test, all(target_family = "wasm", target_os = "unknown"))))]
fn compress_in_browser(bytes: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    // The header of a frame: the mark of all frames (4 bytes), the form of the header, and the window.
    const HEADER: usize = 6;
    // A form without a window, but with four bytes for the length of the content; and that a checksum ends the frame.
    const WITH_LENGTH: u8 = 2 << 6 | 1 << 5;
    const HAS_CHECKSUM: u8 = 1 << 2;
    let packed = compress_to_vec(bytes, CompressionLevel::Fastest);
    // The packer says that the window is 128 KiB long, whatever it packs. With the length of the content in its place,
    // the window is as long as that.
    let (header, blocks) = packed.split_at(HEADER);
    let form = WITH_LENGTH | header[HEADER - 2] & HAS_CHECKSUM;
    let length = (bytes.len() as u32).to_le_bytes();
    [&header[..HEADER - 2], &[form], &length, blocks].concat()
}

/// The bytes of a frame, of which there are at most `capacity`; `None` if it is not sound. The decoder is written in
/// Rust, so that a prober needs no C compiler.
pub(crate) fn decompress(frame: &[u8], capacity: usize) -> Option<Vec<u8>> {
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    // The window of a frame that `compress` makes is as long as its content. A longer one would take memory
    // that nobody has planned for.
    decoder.set_max_window_size(capacity as u64);
    let mut bytes = vec![0; capacity];
    let len = decoder.decode_all(frame, &mut bytes).ok()?;
    bytes.truncate(len);
    Some(bytes)
}

#[cfg(all(test, feature = "generate"))]
mod tests {
    use super::*;

    #[test]
    fn a_frame_with_a_longer_window_than_its_content_can_need_is_refused() {
        // The mark of all frames, a frame without a length of its content, its window, and one last block of plain
        // bytes.
        let frame = |window: u8| [0x28, 0xb5, 0x2f, 0xfd, 0, window, 4 << 3 | 1, 0, 0, 1, 2, 3, 4];
        let (kib, mib_8) = (0, 13 << 3);
        assert_eq!(decompress(&frame(kib), 1 << 10), Some(vec![1, 2, 3, 4]));
        assert_eq!(decompress(&frame(mib_8), 1 << 10), None);
        assert_eq!(decompress(&frame(mib_8), 8 << 20), Some(vec![1, 2, 3, 4]));
    }

    #[test]
    fn a_frame_that_is_made_in_a_browser_is_read_like_others() {
        for len in [0u64, 1, 300, 5000, 200_000] {
            let bytes: Vec<u8> = (0..len).map(|i| (i * i / 7 % 13 % (1 + i / 200)) as u8).collect();
            let frame = compress_in_browser(&bytes);
            assert_eq!(decompress(&frame, bytes.len()).as_ref(), Some(&bytes));
            assert_eq!(zstd::bulk::decompress(&frame, bytes.len()).unwrap(), bytes);
        }
    }

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
