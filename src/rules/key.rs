//! Keys of positions, for hash tables.

use super::{Color, Column, Position, Square};

/// A number without a pattern for each square.
const SALTS: [u64; Square::COUNT] = {
    let (mut salts, mut number, mut i) = ([0; Square::COUNT], 0_u64, 0);
    while i < Square::COUNT {
        number = number.wrapping_add(ODD);
        salts[i] = mixed(mixed(number));
        i += 1;
    }
    salts
};

/// 2⁶⁴ divided by the golden ratio.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies, and lays the upper half of the product over the lower one.
const fn mixed(word: u64) -> u64 {
    let product = word as u128 * ODD as u128;
    product as u64 ^ (product >> 64) as u64
}

impl Position {
    /// A number for hash tables, evenly spread over 64 bits. Two different positions, or one with different sides to
    /// move, have the same key only by chance: one pair in 2⁶⁴. It is the same on all machines, and may be another in a
    /// later version. [`Position::canonical`] comes first where images of a position are to have one key.
    ///
    /// ```
    /// use lasca_tablebase::rules::Position;
    /// let key = |text: &str| text.parse().map(|position: Position| position.key());
    /// assert_eq!(key("a1WB c3B w"), key("c3B a1WB w"));
    /// assert_ne!(key("a1WB c3B w"), key("a1WB c3B b"));
    /// ```
    pub fn key(&self) -> u64 {
        // The columns are mixed beside each other, and not one after another.
        let add = |sum: u64, (square, column): (Square, Column)| {
            sum.wrapping_add(mixed(column.word() ^ SALTS[square.index()]))
        };
        mixed(self.columns().fold(self.side_to_move() as u64, add))
    }

    /// The position that stands for this one and its images, which are worth the same to the side to move: the same
    /// position for all of them. If all counters are officers, these are the eight images of the board, turned and
    /// reflected; otherwise left and right are exchanged alone. In each of them, the colours can be exchanged too, as by
    /// [`Position::swap_colors`].
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, Symmetry};
    /// let position: Position = "b2B d2Wb a7W w".parse().unwrap();
    /// let canonical = position.canonical();
    /// assert_eq!(position.transformed(Symmetry::FLIP_FILES).canonical(), canonical);
    /// assert_eq!(position.swap_colors().canonical(), canonical);
    /// assert_eq!(canonical.canonical(), canonical);
    /// ```
    #[must_use]
    pub fn canonical(&self) -> Position {
        let of_white = match self.side_to_move() {
            Color::White => *self,
            Color::Black => self.swap_colors(),
        };
        let images = of_white.symmetries().map(|symmetry| of_white.transformed(symmetry));
        images.min_by_key(|image| image.board().map(Column::word)).unwrap_or(of_white)
    }
}
