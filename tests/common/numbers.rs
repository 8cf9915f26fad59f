//! Numbers that look like chance and are the same in every run.

use lasca_tablebase::rules::{Color, Column, Counter, Position, Square};
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

    /// A position of so many counters on at most so many squares. `letters` says how often each kind of counter
    /// comes. A square may be drawn twice, so that there are fewer columns, and the counters that are left when each
    /// place has one come anywhere. Any side is to move, and one of them may command nothing.
    pub fn position(&mut self, counters: usize, squares: usize, letters: &[u8]) -> Position {
        let places: Vec<usize> = (0..squares).map(|_| self.below(Square::COUNT)).collect();
        let mut board = vec![Vec::new(); Square::COUNT];
        for i in 0..counters {
            let letter = *self.choose(letters) as char;
            let place = places[if i < squares { i } else { self.below(squares) }];
            board[place].push(Counter::from_letter(letter).unwrap());
        }
        let columns = board.into_iter().map(|column| Column::from_counters(column).unwrap());
        let columns: Vec<Column> = columns.collect();
        Position::new(columns.try_into().unwrap(), *self.choose(&Color::ALL)).unwrap()
    }
}
