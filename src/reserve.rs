//! Room for long lists, which the system may refuse.

use std::collections::TryReserveError;
use std::hint::black_box;

/// Makes room for `more` items in a list. Use this or one of the others for every list whose length
/// depends on how many positions or rows a slice has.
pub fn reserve_exact<T>(list: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    reserving(|| list.try_reserve_exact(more))
}

/// The same for a list that grows again and again: there may be room for more items than were asked for.
#[inline]
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    match list.capacity() - list.len() {
        room if more <= room => Ok(()),
        _ => reserving(|| list.try_reserve(more)),
    }
}

/// Makes a list of bytes this long, filled up with zeros.
pub fn resize(bytes: &mut Vec<u8>, len: usize) -> Result<(), TryReserveError> {
    reserve_exact(bytes, len.saturating_sub(bytes.len()))?;
    bytes.resize(len, 0);
    Ok(())
}

/// A list of this many equal items.
pub fn filled<T: Clone>(len: usize, item: T) -> Result<Vec<T>, TryReserveError> {
    let mut list = Vec::new();
    reserve_exact(&mut list, len)?;
    list.resize(len, item);
    Ok(list)
}

/// Bytes that are written one after another.
#[cfg(feature = "generate")]
struct Growing(Vec<u8>);

#[cfg(feature = "generate")]
impl bincode::enc::write::Writer for Growing {
    fn write(&mut self, bytes: &[u8]) -> Result<(), bincode::error::EncodeError> {
        let reserved = reserve(&mut self.0, bytes.len());
        reserved.map_err(|_| bincode::error::EncodeError::Other("there is not enough memory"))?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// Appends a value to bytes, in the standard form of bincode.
///
/// # Errors
/// If there is not enough memory.
#[cfg(feature = "generate")]
pub fn encode_onto(bytes: Vec<u8>, value: impl bincode::Encode) -> std::io::Result<Vec<u8>> {
    let mut growing = Growing(bytes);
    bincode::encode_into_writer(value, &mut growing, bincode::config::standard()).map_err(
        |error| match error {
            bincode::error::EncodeError::Other(_) => std::io::ErrorKind::OutOfMemory.into(),
            error => std::io::Error::other(error),
        },
    )?;
    Ok(growing.0)
}

/// Makes sure that there is memory for this many bytes, before work that takes about as much and does not handle
/// a refusal.
pub fn make_sure_of(bytes: usize) -> Result<(), TryReserveError> {
    let mut room: Vec<u8> = Vec::new();
    reserve_exact(&mut room, bytes)?;
    // The compiler must not leave out what nothing is written to.
    black_box(&room);
    Ok(())
}

/// Appends an item to such a list.
#[inline]
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), TryReserveError> {
    reserve(list, 1)?;
    list.push(item);
    Ok(())
}

/// Lets `ask` ask for memory whose refusal the caller handles. Tests can tell it from other requests.
#[cold]
pub fn reserving(ask: impl FnOnce() -> Result<(), TryReserveError>) -> Result<(), TryReserveError> {
    #[cfg(test)]
    refusing::RESERVING.set(true);
    let reserved = ask();
    #[cfg(test)]
    refusing::RESERVING.set(false);
    reserved
}

/// An allocator for tests that refuses memory.
#[cfg(test)]
pub mod refusing {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread is asking for memory whose refusal it handles.
        pub(super) static RESERVING: Cell<bool> = const { Cell::new(false) };
        static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
        static REFUSES: Cell<bool> = const { Cell::new(false) };
        static ABORTS: Cell<usize> = const { Cell::new(0) };
    }

    /// Does some work on this thread while pieces of `limit` bytes or more are refused. A refusal that
    /// nobody handles would abort the process: then the piece is given, and the second result is its
    /// length, that of the longest one; otherwise 0.
    pub fn refusing<T>(limit: usize, work: impl FnOnce() -> T) -> (T, usize) {
        REFUSES.set(true);
        watching(limit, work)
    }

    /// The same, but nothing is refused, so that the work goes on to its end.
    pub fn watching<T>(limit: usize, work: impl FnOnce() -> T) -> (T, usize) {
        ABORTS.set(0);
        LIMIT.set(limit);
        let done = work();
        LIMIT.set(usize::MAX);
        REFUSES.set(false);
        (done, ABORTS.get())
    }

    struct Refusing;

    #[global_allocator]
    static ALLOCATOR: Refusing = Refusing;

    fn is_refused(size: usize) -> bool {
        if size < LIMIT.get() {
            return false;
        }
        if !RESERVING.get() {
            ABORTS.set(size.max(ABORTS.get()));
        }
        RESERVING.get() && REFUSES.get()
    }

    // SAFETY: what is not refused is passed on to the system's allocator, with the promises of the caller.
    // A null pointer says that memory is refused. What happens in between allocates nothing and does not
    // unwind.
    unsafe impl GlobalAlloc for Refusing {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if is_refused(layout.size()) {
                return std::ptr::null_mut();
            }
            // SAFETY: the caller promises what the system's allocator asks for.
            unsafe { System.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            if is_refused(layout.size()) {
                return std::ptr::null_mut();
            }
            // SAFETY: as above.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            // To get less memory is never refused.
            if size > layout.size() && is_refused(size) {
                return std::ptr::null_mut();
            }
            // SAFETY: as above.
            unsafe { System.realloc(pointer, layout, size) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            // SAFETY: as above.
            unsafe { System.dealloc(pointer, layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::refusing::{RESERVING, refusing};
    use super::*;

    #[test]
    fn room_that_nobody_has_is_an_error() {
        let mut list: Vec<u64> = Vec::new();
        assert!(reserve_exact(&mut list, usize::MAX >> 8).is_err());
        assert!(!RESERVING.get());
        reserve_exact(&mut list, 100).unwrap();
        assert!(list.capacity() >= 100 && !RESERVING.get());
        let (pushed, aborts) =
            refusing(1 << 12, || (0..).try_for_each(|item| push(&mut list, item)));
        assert!(pushed.is_err() && aborts == 0 && !RESERVING.get());
        assert!(list.len() <= 512 && list.iter().copied().eq(0..list.len() as u64));
    }
}
