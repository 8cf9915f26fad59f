//! The allocator: how much it keeps.

pub use settings::return_small_pieces;

/// Below this limit, the memory that the allocator keeps for each thread matters.
const SMALL: u64 = 32 << 20;

/// The size in bytes of the smallest and the largest pieces of memory that go back to the system when they are
/// freed.
const PIECES: (u64, u64) = (64 << 10, 4 << 20);
/// A piece for each thread may be kept, so it is this part of the limit.
const PART: u64 = 1 << 14;

/// Makes the allocator return freed memory to the system, in small pieces if the limit is small or `None`, and
/// keep less for each thread. To return memory and to get it again takes time, and the longer the more
/// threads do that. Call this before the work is shared with other threads.
pub fn tune(limit: Option<u64>) {
    settings::return_freed_memory((limit.unwrap_or(0) / PART).clamp(PIECES.0, PIECES.1));
    if limit.is_some_and(|limit| limit < SMALL) {
        settings::use_one_arena();
    }
}

/// Without these settings `generate 4-3 --memory 8M` does not keep to its limit, which a test in
/// `tests/program/memory.rs` checks.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod settings {
    fn set(parameter: libc::c_int, value: libc::c_int) {
        // SAFETY: `mallopt` takes two integers and no pointers; a parameter or value that it refuses
        // changes nothing. It may not run beside other threads that allocate: when the only
        // callers do so, no other thread runs, or only the main one, which waits for this one.
        unsafe { libc::mallopt(parameter, value) };
    }

    /// Freed pieces larger than this go back to the system.
    pub fn return_freed_memory(piece: u64) {
        set(libc::M_MMAP_THRESHOLD, piece as libc::c_int);
        set(libc::M_TRIM_THRESHOLD, piece as libc::c_int);
    }

    pub fn use_one_arena() {
        set(libc::M_ARENA_MAX, 1);
    }

    /// Returns memory to the system that was freed in small pieces. The allocator keeps such pieces where
    /// others between them are still in use.
    pub fn return_small_pieces() {
        // SAFETY: `malloc_trim` takes a number and no pointers, and may run beside other threads.
        unsafe { libc::malloc_trim(0) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod settings {
    pub fn return_freed_memory(_: u64) {}
    pub fn use_one_arena() {}
    pub fn return_small_pieces() {}
}
