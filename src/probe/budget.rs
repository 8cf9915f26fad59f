//! The memory that tables may take for themselves, shared by all tables of a tablebase.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes are left.
#[derive(Clone, Debug)]
pub struct Budget(Arc<AtomicU64>);

/// Some bytes of a budget. They are given back when this is dropped.
#[derive(Debug)]
pub struct Share {
    of: Budget,
    bytes: u64,
}

impl Budget {
    /// A budget of this many bytes.
    pub fn new(bytes: u64) -> Budget {
        Budget(Arc::new(AtomicU64::new(bytes)))
    }

    /// Takes this many bytes; `None` if fewer are left.
    pub fn take(&self, bytes: u64) -> Option<Share> {
        let less = |left: u64| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).ok()?;
        Some(Share { of: self.clone(), bytes })
    }
}

impl Share {
    /// Gives back all but this many bytes.
    pub fn shrink(&mut self, bytes: u64) {
        let more = self.bytes.saturating_sub(bytes);
        self.bytes -= more;
        self.of.0.fetch_add(more, Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back() {
        let budget = Budget::new(10);
        let mut six = budget.take(6).unwrap();
        assert!(budget.take(5).is_none());
        six.shrink(5);
        let five = budget.take(5).unwrap();
        assert!(budget.take(1).is_none());
        drop((six, five));
        assert!(budget.take(10).is_some());
    }
}
