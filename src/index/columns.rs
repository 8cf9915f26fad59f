//! Columns of an orbit before a move and after it.
//!
//! Columns are counted from the lowest square of the occupied set, and sets of columns are masks. A
//! move changes the occupied set, and the symmetry that folds the new set puts the columns in a new
//! order: an [`Arrangement`] says where each goes.

use super::{MaskMap, OccupiedSets};
use crate::rules::{Placement, Square, SquareSet, Symmetry};

/// All subsets of a mask, the empty one first.
#[inline]
pub fn subsets(mask: u32) -> impl Iterator<Item = u32> {
    let mut next = Some(0u32);
    std::iter::from_fn(move || {
        let subset = next?;
        let following = subset.wrapping_sub(mask) & mask;
        next = (following != 0).then_some(following);
        Some(subset)
    })
}

/// The squares that the columns of an orbit stand on.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSquares {
    occupied: SquareSet,
    /// For each column, the set of its square; behind the last one, empty sets.
    each: [u32; OccupiedSets::MAX_COLUMNS],
}

impl ColumnSquares {
    /// The columns on these squares.
    #[inline]
    pub fn of(occupied: SquareSet) -> ColumnSquares {
        // They are written in their place: to copy them at once would take longer than to write them.
        let mut squares = ColumnSquares { occupied, each: [0; OccupiedSets::MAX_COLUMNS] };
        let mut rest = occupied.bits();
        for square in squares.each.iter_mut().take(occupied.len()) {
            *square = rest & rest.wrapping_neg();
            rest ^= *square;
        }
        squares
    }

    /// The squares of the columns in `mask`.
    ///
    /// No branch depends on the mask: a wrong guess costs more than the whole of it. Where this function
    /// was inlined, the compiler made branches.
    #[inline(never)]
    pub fn of_mask(&self, mask: u32) -> SquareSet {
        let named =
            |(column, square): (usize, &u32)| if mask & 1 << column != 0 { *square } else { 0 };
        let squares = self.each.iter().enumerate().map(named);
        SquareSet::from_bits(squares.fold(0, |all, square| all | square))
    }

    /// The placement in which the mover commands the columns in `mask` and the other side the others.
    #[inline]
    pub fn placement(&self, mask: u32) -> Placement {
        let mover = self.of_mask(mask);
        Placement { mover, other: SquareSet::from_bits(self.occupied.bits() ^ mover.bits()) }
    }
}

/// The columns of an orbit: which stands on each square.
#[derive(Clone, Copy, Debug)]
pub struct OrbitColumns {
    squares: ColumnSquares,
    columns: [u8; Square::COUNT],
}

impl OrbitColumns {
    /// The columns on these squares.
    #[inline]
    pub fn of(occupied: SquareSet) -> OrbitColumns {
        let mut columns = [0; Square::COUNT];
        for (column, square) in occupied.into_iter().enumerate() {
            columns[square.index()] = column as u8;
        }
        OrbitColumns { squares: ColumnSquares::of(occupied), columns }
    }

    #[inline]
    pub fn occupied(&self) -> SquareSet {
        self.squares.occupied
    }

    /// The column on an occupied square.
    #[inline]
    pub fn on(&self, square: Square) -> usize {
        usize::from(self.columns[square.index()])
    }

    /// The columns on some of the occupied squares, as a mask.
    #[inline]
    pub fn on_all(&self, squares: SquareSet) -> u32 {
        squares.into_iter().fold(0, |mask, square| mask | 1 << self.on(square))
    }

    /// The orbit and the arrangement after the column `moved` has gone `to` another square (or
    /// round to its own) and the columns `gone` have vanished. `sets` are those of as many columns
    /// as are left.
    #[inline]
    pub fn after(
        &self,
        moved: usize,
        to: Square,
        gone: u32,
        sets: &OccupiedSets,
    ) -> (usize, Arrangement) {
        let (orbit, symmetries) = sets.fold(self.squares_after(moved, to, gone));
        let Some(symmetry) = symmetries.iter().next() else {
            unreachable!("some symmetry folds each set")
        };
        (orbit, self.arrangement(moved, to, symmetry, sets.representative(orbit)))
    }

    /// The squares that are occupied after such a move.
    #[inline]
    pub fn squares_after(&self, moved: usize, to: Square, gone: u32) -> SquareSet {
        let gone = self.squares.of_mask(gone | 1 << moved);
        let left = self.occupied().bits() ^ gone.bits();
        SquareSet::from_bits(left).with(to)
    }

    /// Where the columns stand after the column `moved` has gone `to` a square and `symmetry` has mapped
    /// the squares onto `representative`. A column that has no square there is gone.
    #[inline]
    pub fn arrangement(
        &self,
        moved: usize,
        to: Square,
        symmetry: Symmetry,
        representative: SquareSet,
    ) -> Arrangement {
        let preimages = symmetry.preimages();
        let (mut columns, mut images) = (self.columns, 0);
        columns[to.index()] = moved as u8;
        for (place, square) in representative.into_iter().enumerate() {
            let before = usize::from(preimages[square.index()]);
            images |= (place as u64) << (4 * columns[before]);
        }
        Arrangement { columns: self.occupied().len() as u8, images }
    }
}

/// Where each column of an orbit stands after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrangement {
    columns: u8,
    /// Four bits for each column: its new place. What it says of a column that is gone means nothing.
    images: u64,
}

impl Arrangement {
    #[inline]
    pub fn image(&self, column: usize) -> usize {
        (self.images >> (4 * column) & 15) as usize
    }

    /// Where the columns in `mask`, none of them gone, stand.
    #[inline]
    pub fn image_of_mask(&self, mut mask: u32) -> u32 {
        let mut image = 0;
        while mask != 0 {
            image |= 1 << self.image(mask.trailing_zeros() as usize);
            mask &= mask - 1;
        }
        image
    }

    /// The arrangement as a map of masks. What it says of columns that are gone means nothing.
    #[inline]
    pub fn mask_map(&self) -> MaskMap {
        MaskMap::new((0..usize::from(self.columns)).map(|column| (column, self.image(column))))
    }
}
