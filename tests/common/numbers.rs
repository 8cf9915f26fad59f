//! Numbers that look like chance and are the same in every run.

use std::ops::Range;

/// The same numbers in every run (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.any() % end as u64) as usize
    }

    /// A range of 1 to `longest` numbers below `end`.
    pub fn range(&mut self, end: usize, longest: usize) -> Range<usize> {
        let start = self.below(end);
        let len = 1 + self.below(longest);
        start..(start + len).min(end)
    }

    /// One of several.
    pub fn choose<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
