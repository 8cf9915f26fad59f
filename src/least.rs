//! Keeping the least few of many items.

use std::collections::BTreeSet;

/// The least of the items that were offered. There is a limit to their number.
#[derive(Clone, Debug)]
pub struct LeastItems<T> {
    limit: usize,
    items: BTreeSet<T>,
}

impl<T: Ord> LeastItems<T> {
    /// Keeps at most `limit` items.
    pub fn new(limit: usize) -> LeastItems<T> {
        LeastItems { limit, items: BTreeSet::new() }
    }

    /// Whether an item would be kept if it were offered now.
    #[inline]
    pub fn would_keep(&self, item: &T) -> bool {
        self.items.len() < self.limit || self.items.last().is_some_and(|last| item < last)
    }

    /// The greatest item that is kept; `None` as long as every item is kept.
    pub fn bound(&self) -> Option<&T> {
        self.items.last().filter(|_| self.items.len() >= self.limit)
    }

    /// Keeps an item if it is among the least so far.
    pub fn offer(&mut self, item: T) {
        if self.would_keep(&item) {
            self.items.insert(item);
            if self.items.len() > self.limit {
                self.items.pop_last();
            }
        }
    }

    /// The items that are kept, the least first.
    pub fn into_items(self) -> impl Iterator<Item = T> {
        self.items.into_iter()
    }
}
