//! Counting the bytes that a search holds, so that it never holds more than it may.

/// The bytes that a search may hold, and those that it does.
#[derive(Debug)]
pub(super) struct Memory {
    limit: u64,
    used: u64,
}

/// There is no room for more, or the system has none to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Memory {
    pub(super) const fn new(limit: u64) -> Memory {
        Memory { limit, used: 0 }
    }

    /// How many bytes are held.
    pub(super) const fn used(&self) -> u64 {
        self.used
    }

    /// Whether so many bytes more could be held.
    pub(super) const fn has_room(&self, bytes: u64) -> bool {
        match self.used.checked_add(bytes) {
            Some(used) => used <= self.limit,
            None => false,
        }
    }

    /// A list of so many default values.
    pub(super) fn allocate<T: Default>(&mut self, length: usize) -> Result<Vec<T>, Full> {
        let bytes = size_of::<T>() as u64 * length as u64;
        if !self.has_room(bytes) {
            return Err(Full);
        }
        let mut list = Vec::new();
        list.try_reserve_exact(length).map_err(|_| Full)?;
        list.resize_with(length, T::default);
        self.used += bytes;
        Ok(list)
    }

    /// Gives a list back.
    pub(super) fn free<T>(&mut self, list: Vec<T>) {
        self.used -= size_of::<T>() as u64 * list.capacity() as u64;
    }
}
