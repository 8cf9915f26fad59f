//! Room for long lists, which the system may refuse.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    static RESERVING: Cell<bool> = const { Cell::new(false) };
}

/// Makes room for `more` items in a list. Use it for every list whose length depends on how many
/// positions a slice has.
///
/// # Errors
/// If the system refuses the memory.
pub(crate) fn reserve_exact<T>(list: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    RESERVING.set(true);
    let reserved = list.try_reserve_exact(more);
    RESERVING.set(false);
    reserved
}

/// Whether this thread is asking for memory whose refusal it handles. An allocator that ends the
/// program where memory is refused must not do so then. This function does not allocate.
pub fn is_reserving() -> bool {
    RESERVING.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_that_nobody_has_is_an_error() {
        let mut list: Vec<u64> = Vec::new();
        assert!(reserve_exact(&mut list, usize::MAX >> 8).is_err());
        assert!(!is_reserving());
        reserve_exact(&mut list, 100).unwrap();
        assert!(list.capacity() >= 100 && !is_reserving());
    }
}
