//! The first few of many.

use std::collections::BTreeSet;

/// Keeps the least of the items that it is shown, up to a limit.
#[derive(Clone, Debug)]
pub(super) struct Top<T> {
    limit: usize,
    items: BTreeSet<T>,
}

impl<T: Ord> Top<T> {
    pub fn new(limit: usize) -> Top<T> {
        Top { limit, items: BTreeSet::new() }
    }

    /// Whether an item would be kept.
    #[inline]
    pub fn would_keep(&self, item: &T) -> bool {
        self.items.len() < self.limit || self.items.last().is_some_and(|last| item < last)
    }

    pub fn show(&mut self, item: T) {
        if self.would_keep(&item) {
            self.items.insert(item);
            if self.items.len() > self.limit {
                self.items.pop_last();
            }
        }
    }

    /// What is kept, the least first.
    pub fn into_items(self) -> impl Iterator<Item = T> {
        self.items.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_are_kept_in_order() {
        for (limit, expected) in [(0, &[][..]), (2, &[1, 2]), (9, &[1, 2, 3, 5])] {
            let mut top = Top::new(limit);
            [5, 1, 3, 2].into_iter().for_each(|item| top.show(item));
            assert!(limit == 9 || !top.would_keep(&4));
            assert_eq!(top.into_items().collect::<Vec<_>>(), expected);
        }
    }
}
