//! Counting the bytes that a search holds, so that it never holds more than it may.

use lasca_tablebase::internals::{AtomicU64, Threads};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes that a search may hold, and those that it does.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// How many bytes may be held.
    pub(super) limit: u64,
    used: Arc<AtomicU64>,
}

/// There is no room for more, or the system has none to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// A thread writes this many items of a list at a time.
const PART: usize = 1 << 16;

impl Memory {
    pub(super) fn new(limit: u64) -> Memory {
        Memory { limit, used: Arc::default() }
    }

    /// How many bytes are held.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Fails if this many bytes more could not be held.
    pub(super) fn check_room(&self, bytes: u64) -> Result<(), Full> {
        match self.used().checked_add(bytes) {
            Some(used) if used <= self.limit => Ok(()),
            _ => Err(Full),
        }
    }

    /// A list of this many default values, which the threads write. It counts as held until it is dropped.
    pub(super) fn allocate<T: Default + Send>(
        &self,
        length: usize,
        threads: Threads,
    ) -> Result<Held<T>, Full> {
        let bytes = size_of::<T>() as u64 * length as u64;
        self.check_room(bytes)?;
        let mut list = Vec::new();
        list.try_reserve_exact(length).map_err(|_| Full)?;
        let room = Mutex::new(list.spare_capacity_mut()[..length].chunks_mut(PART));
        let next = || room.lock().unwrap_or_else(PoisonError::into_inner).next();
        // The system gives memory when it is first written, which takes longer than to write it.
        threads.each_does(length / PART, &|| {
            while let Some(part) = next() {
                for item in part {
                    item.write(T::default());
                }
            }
        });
        // SAFETY: there is room for this many items, and the threads have written all parts of it.
        unsafe { list.set_len(length) };
        self.used.fetch_add(bytes, Relaxed);
        Ok(Held { list, bytes, used: self.used.clone() })
    }
}

/// A list whose bytes are counted.
#[derive(Debug)]
pub(super) struct Held<T> {
    list: Vec<T>,
    bytes: u64,
    used: Arc<AtomicU64>,
}

impl<T> Held<T> {
    /// Keeps the first items only. The bytes of the others stay held.
    pub(super) fn truncate(&mut self, length: usize) {
        self.list.truncate(length);
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Relaxed);
    }
}

impl<T> Deref for Held<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.list
    }
}

impl<T> DerefMut for Held<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_no_longer_counts() {
        let memory = Memory::new(100);
        assert_eq!(memory.allocate::<u64>(13, Threads::ONE).map(|list| list.len()), Err(Full));
        let list: Held<u64> = memory.allocate(12, Threads::ONE).unwrap();
        assert_eq!(memory.used(), 96);
        assert_eq!(memory.check_room(5), Err(Full));
        drop(list);
        assert_eq!(memory.used(), 0);
    }
}
