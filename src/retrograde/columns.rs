//! Columns by their squares and places, and what that makes of owner masks and stackings.

use crate::index::{OccupiedSets, Spare};
use crate::rules::{OfficerPosition, Placement, Square, SquareSet, Symmetry};
use wide::u32x4;

/// For each column of an orbit, a bit: its square, or its new place.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnBits([u32; OccupiedSets::MAX_COLUMNS]);

impl ColumnBits {
    /// The squares of the columns, lowest first.
    #[inline]
    pub fn squares(occupied: SquareSet) -> ColumnBits {
        let mut squares = [0; OccupiedSets::MAX_COLUMNS];
        let mut rest = occupied.bits();
        for square in &mut squares {
            *square = rest & rest.wrapping_neg();
            rest ^= *square;
        }
        ColumnBits(squares)
    }

    /// The bits of the columns that `mask` names.
    #[inline]
    pub fn of(&self, mask: u32) -> u32 {
        const { assert!(OccupiedSets::MAX_COLUMNS == 12) };
        // No branch depends on the mask: a wrong guess costs more than the whole of it.
        const COLUMNS: [u32x4; 3] = [
            u32x4::new([1, 1 << 1, 1 << 2, 1 << 3]),
            u32x4::new([1 << 4, 1 << 5, 1 << 6, 1 << 7]),
            u32x4::new([1 << 8, 1 << 9, 1 << 10, 1 << 11]),
        ];
        let mask = u32x4::splat(mask);
        let named = |(bits, columns): ([u32; 4], u32x4)| {
            u32x4::new(bits) & (mask & columns).simd_eq(columns)
        };
        let parts = self.0.as_chunks::<4>().0.iter().copied().zip(COLUMNS);
        let all = parts.map(named).fold(u32x4::default(), |all, bits| all | bits);
        all.to_array().into_iter().fold(0, |all, bits| all | bits)
    }
}

/// The places of the columns when one of them has moved and a symmetry maps the squares onto a
/// representative.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewPlaces {
    places: [u8; OccupiedSets::MAX_COLUMNS],
    bits: ColumnBits,
}

impl NewPlaces {
    /// The places of the columns of `occupied` once the one on `from` stands on `to`. Those of
    /// columns that are not on the representative mean nothing.
    #[inline]
    pub fn new(
        occupied: SquareSet,
        from: Square,
        to: Square,
        symmetry: Symmetry,
        representative: SquareSet,
    ) -> NewPlaces {
        let mut new = NewPlaces::default();
        for ((place, bit), square) in new.places.iter_mut().zip(&mut new.bits.0).zip(occupied) {
            let image = symmetry.apply(if square == from { to } else { square });
            *place = representative.ordinal_of(image) as u8;
            *bit = 1 << *place;
        }
        new
    }

    /// The new place of a column.
    #[inline]
    pub fn of(&self, column: usize) -> usize {
        usize::from(self.places[column])
    }

    /// An owner mask in the new places.
    #[inline]
    pub fn mask(&self, mask: u32) -> u32 {
        self.bits.of(mask)
    }
}

/// The placement in which the mover commands the columns that `mask` names.
#[inline]
pub fn placement_of(squares: &ColumnBits, mask: u32, occupied: SquareSet) -> Placement {
    let mover = squares.of(mask);
    Placement {
        mover: SquareSet::from_bits(mover),
        other: SquareSet::from_bits(occupied.bits() ^ mover),
    }
}

/// The position with this placement and these spare counters.
pub fn unfold(placement: Placement, mask: u32, mover: &Spare, other: &Spare) -> OfficerPosition {
    let (mut movers, mut others) = ([0; Square::COUNT], [0; Square::COUNT]);
    for (column, square) in placement.occupied().into_iter().enumerate() {
        let owned = (mask >> column & 1) as u8;
        movers[square.index()] = mover[column] + owned;
        others[square.index()] = other[column] + 1 - owned;
    }
    OfficerPosition::from_sound_parts(placement, movers, others)
}
