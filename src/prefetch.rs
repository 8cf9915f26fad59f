//! Hints to the processor about what will be read soon.

/// Tells the processor that this byte will be read soon.
#[inline]
pub(crate) fn prefetch<Byte>(byte: &Byte) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has this instruction. It changes nothing that a program can
        // see, and the address is that of something that may be read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}

/// Tells the processor that these bytes will be read soon.
#[inline]
pub(crate) fn prefetch_all<Byte>(bytes: &[Byte]) {
    const LINE: usize = 64;
    const { assert!(size_of::<Byte>() == 1) };
    bytes.chunks(LINE).for_each(|line| prefetch(&line[0]));
    // The bytes need not begin with a line of the cache.
    if let Some(last) = bytes.last() {
        prefetch(last);
    }
}
