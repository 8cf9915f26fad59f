//! The allocator: how much it keeps, and what happens when the system gives no more memory.

use crate::memory;

/// Below this limit, the memory that the allocator keeps for each thread matters.
const SMALL: u64 = 32 << 20;

/// Makes the allocator keep its memory together where the address space is limited. Call this before
/// any thread is started.
pub fn fit_into_address_space() {
    // For each thread, the allocator would set 64 MiB of addresses aside. Where it cannot, it tries
    // again at each allocation.
    if memory::is_address_space_limited() {
        settings::use_one_arena();
    }
}

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

/// Returns memory to the system that was freed in small pieces. The allocator keeps such pieces where others
/// between them are still in use.
pub fn return_small_pieces() {
    settings::return_small_pieces();
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

/// Ends the program with a message and exit status 2 when there is no memory, where Rust would abort
/// it. Whoever handles the refusal itself is told instead: see
/// [`is_reserving`](lasca_tablebase::internals::is_reserving).
#[cfg(unix)]
mod exit {
    use crate::failure::Status;
    use lasca_tablebase::internals::is_reserving;
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::io::{self, IsTerminal, Write};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    struct ExitWithoutMemory;

    #[global_allocator]
    static ALLOCATOR: ExitWithoutMemory = ExitWithoutMemory;

    // SAFETY: everything is passed on to the system's allocator, with the promises of the caller, and
    // its answers are passed back. What happens in between allocates nothing and does not unwind.
    unsafe impl GlobalAlloc for ExitWithoutMemory {
        #[inline]
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: the caller promises what the system's allocator asks for.
            checked(unsafe { System.alloc(layout) }, layout.size())
        }

        #[inline]
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            // SAFETY: as above.
            checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
        }

        #[inline]
        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            // SAFETY: as above.
            checked(unsafe { System.realloc(pointer, layout, size) }, size)
        }

        #[inline]
        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            // SAFETY: as above.
            unsafe { System.dealloc(pointer, layout) }
        }
    }

    #[inline]
    fn checked(pointer: *mut u8, size: usize) -> *mut u8 {
        if pointer.is_null() {
            refused(size);
        }
        pointer
    }

    /// Ends the program, unless the caller handles the refusal.
    #[cold]
    #[inline(never)]
    fn refused(size: usize) {
        static ENDING: AtomicBool = AtomicBool::new(false);
        if is_reserving() {
            return;
        }
        if ENDING.swap(true, Ordering::Relaxed) {
            // Another thread has begun to end the program.
            loop {
                thread::sleep(Duration::from_secs(1));
            }
        }
        // One write, so that the message stays whole among those of other programs.
        let mut message = [0; 128];
        let mut rest = &mut message[..];
        let behind_a_bar = if io::stderr().is_terminal() { "\n" } else { "" };
        let _ = writeln!(
            rest,
            "{behind_a_bar}lasca-tb: there is not enough memory: the system refused {size} bytes"
        );
        let left = rest.len();
        let len = message.len() - left;
        // SAFETY: `message` holds `len` bytes. If it cannot be written, there is nobody to
        // tell.
        unsafe { libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), len) };
        // SAFETY: the call takes a number and does not return. Files are left as they are if the
        // program is killed, which every writer of files allows for.
        unsafe { libc::_exit(Status::Wrong.code().into()) }
    }
}
