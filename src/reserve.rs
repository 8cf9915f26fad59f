//! Memory that work is going to take, which the system may refuse.

use std::collections::TryReserveError;
use std::hint::black_box;

/// Makes sure that there is memory for this many bytes. Work that takes much in small pieces asks this once, before it
/// begins, because it handles the refusal of large pieces alone.
pub fn make_sure_of(bytes: u64) -> Result<(), TryReserveError> {
    let mut room: Vec<u8> = Vec::new();
    // What no address can count is refused too.
    room.try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX))?;
    // The compiler must not leave out what nothing is written to.
    black_box(&room);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_nobody_has_is_refused() {
        assert!(make_sure_of(1 << 20).is_ok());
        assert!(make_sure_of(1 << 62).is_err() && make_sure_of(u64::MAX).is_err());
    }
}
