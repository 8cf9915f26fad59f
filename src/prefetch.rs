//! Hints to the processor about what will be read soon.

/// Tells the processor that the beginning of this item will be read soon.
#[inline]
pub fn prefetch<Item>(item: &Item) {
    prefetch_at(std::slice::from_ref(item), 0);
}

/// Tells the processor that the beginning of the item at place `at` will be read soon. If there is no such item, this
/// does nothing.
#[inline]
pub fn prefetch_at<Item>(items: &[Item], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has this instruction. It changes nothing that a program can
        // see, whether there is memory at the address or not.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(items.as_ptr().wrapping_add(at).cast()) };
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: every processor of this kind has this instruction. It changes nothing that a program can see,
    // whether there is memory at the address or not.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{at}]",
            at = in(reg) items.as_ptr().wrapping_add(at),
            options(nostack, readonly, preserves_flags),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = (items, at);
}

/// Tells the processor that these bytes will be read soon.
#[inline]
pub fn prefetch_all(bytes: &[u8]) {
    const LINE: usize = 64;
    bytes.chunks(LINE).for_each(|line| prefetch(&line[0]));
    // The bytes need not begin with a line of the cache.
    if let Some(last) = bytes.last() {
        prefetch(last);
    }
}
