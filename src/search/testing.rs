//! Random positions for the tests of this module.

use crate::rules::{Color, Column, Counter, Position, Square};

/// A small generator of random numbers: the same seed gives the same numbers.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % bound
    }

    /// A position of `counters` counters on at most `squares` squares, soldiers and officers mixed.
    pub(super) fn position(&mut self, counters: usize, squares: usize) -> Position {
        let places: Vec<usize> = (0..squares).map(|_| self.below(Square::COUNT)).collect();
        let mut boards = vec![Vec::new(); Square::COUNT];
        for _ in 0..counters {
            let letter = ['w', 'b', 'W', 'B'][self.below(4)];
            let place = places[self.below(squares)];
            boards[place].push(Counter::from_letter(letter).expect("one of the four letters"));
        }
        let columns = boards.iter().map(|counters| {
            Column::from_counters(counters.iter().copied()).expect("at most 22 counters")
        });
        let mut board = [Column::EMPTY; Square::COUNT];
        board.iter_mut().zip(columns).for_each(|(place, column)| *place = column);
        let side = Color::ALL[self.below(2)];
        Position::new(board, side).expect("1 to 22 counters")
    }
}
