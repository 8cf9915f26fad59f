//! Tables that were made for questions.

use super::TableEntry;
use std::iter::successors;
use std::sync::{Mutex, OnceLock};

/// Tables that were made for questions, all under the rules of the tablebase. They stay, and nobody waits to look one
/// up.
#[derive(Default)]
pub(crate) struct Made {
    first: Link,
    /// Held while a table is made.
    pub making: Mutex<()>,
}

/// The next table of a list, once there is one.
type Link = OnceLock<Box<Node>>;

struct Node {
    entry: TableEntry,
    next: Link,
}

impl Made {
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        successors(self.first.get(), |node| node.next.get()).map(|node| &**node)
    }

    /// All of them, in the order in which they were made.
    pub fn tables(&self) -> impl Iterator<Item = &TableEntry> {
        self.nodes().map(|node| &node.entry)
    }

    /// The table of the sides with the most and the fewest counters, and its number. Of several, the last one covers
    /// the most.
    #[inline]
    pub fn find(&self, counters: (usize, usize)) -> Option<(usize, &TableEntry)> {
        self.first.get()?;
        let is_of = |(_, entry): &(usize, &TableEntry)| {
            let material = entry.material();
            (material.white(), material.black()) == counters
        };
        self.tables().enumerate().filter(is_of).last()
    }

    /// Adds a table.
    pub fn add(&self, entry: TableEntry) {
        let mut node = Box::new(Node { entry, next: Link::new() });
        let mut end = &self.first;
        while let Err(again) = end.set(node) {
            node = again;
            match end.get() {
                Some(last) => end = &last.next,
                None => unreachable!("it was set before"),
            }
        }
    }
}
