//! Columns counted from the lowest occupied square up, and sets of them as masks.

use crate::rules::SquareSet;

/// The columns of `occupied` that stand on `squares`, as a mask: bit 0 is the column on the lowest
/// occupied square.
#[inline]
pub fn columns_on(squares: SquareSet, occupied: SquareSet) -> u32 {
    squares.into_iter().fold(0, |mask, square| mask | 1 << occupied.ordinal_of(square))
}
