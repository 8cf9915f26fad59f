//! Sets of columns as masks.

use crate::rules::SquareSet;

/// The columns that stand on `squares`, as a mask in which bit 0 is the column on the lowest square of
/// `occupied`. All of `squares` must be occupied.
#[inline]
pub fn columns_on(squares: SquareSet, occupied: SquareSet) -> u32 {
    squares.into_iter().fold(0, |mask, square| mask | 1 << occupied.ordinal_of(square))
}
