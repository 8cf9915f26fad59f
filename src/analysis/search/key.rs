//! A position in few words: its exact key, and where the columns are as the side to move sees it.
//!
//! For both, the side to move moves up the board: if it is Black, the board is turned by half a turn and
//! the colours are exchanged. Two positions that are mirror images of each other, left and right exchanged,
//! have one [`Key`]. So have all eight images of a position of officers.

use lasca_tablebase::internals::{Mobility, Movers, Ways, ways};
use lasca_tablebase::rules::{Color, Column, Position, Square, SquareSet, Symmetry};
use std::cmp::Ordering;

/// All 25 squares.
pub(super) const ALL: u32 = SquareSet::FULL.bits();

/// The colour bits of as many counters as fit a word: see [`Column::bits`].
pub(super) const COLORS: u64 = 0x5555_5555_5555_5555;

/// Where the columns are and who commands them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Squares {
    /// Commanded by the side to move.
    pub(super) own: u32,
    /// Commanded by the other side.
    pub(super) other: u32,
    /// Of both, those under an officer.
    pub(super) officers: u32,
}

impl Squares {
    /// Those of a position.
    pub(super) fn of(position: &Position) -> Squares {
        let side = position.side_to_move();
        let [own, other] = [side, !side].map(|color| position.commanded_by(color).bits());
        let officers = position.under_officers().bits();
        match side {
            Color::White => Squares { own, other, officers },
            Color::Black => {
                // Two at once.
                let [own, other] = turn(own, other);
                Squares { own, other, officers: turn(officers, 0)[0] }
            }
        }
    }

    fn map(self, image: impl Fn(u32) -> u32) -> Squares {
        let Squares { own, other, officers } = self;
        Squares { own: image(own), other: image(other), officers: image(officers) }
    }

    pub(super) const fn occupied(self) -> u32 {
        self.own | self.other
    }

    /// What the side to move can do. If the other side commands nothing, that is nothing.
    #[inline]
    pub(super) fn mobility(self) -> Mobility {
        if self.other == 0 { Mobility::None } else { self.ways().mobility }
    }

    /// The same in detail, and also if the other side commands nothing.
    #[inline(always)]
    pub(super) fn ways(self) -> Ways {
        let [own, other] = self.movers();
        ways(own, other)
    }

    /// What the other side can do if it is to move.
    #[inline(always)]
    pub(super) fn ways_of_other(self) -> Ways {
        let [own, other] = self.movers();
        ways(other, own)
    }

    /// The columns of the side to move, and those of the other.
    #[inline(always)]
    fn movers(self) -> [Movers; 2] {
        let [own, other, officers] =
            [self.own, self.other, self.officers].map(SquareSet::from_bits);
        [Movers::new(Color::White, own, officers), Movers::new(Color::Black, other, officers)]
    }
}

/// The sets turned by half a turn: square `i` becomes square `24 - i`.
const fn turn(a: u32, b: u32) -> [u32; 2] {
    let turned = ((a as u64) | (b as u64) << 32).reverse_bits();
    let below = u32::BITS - Square::COUNT as u32;
    [(turned >> 32) as u32 >> below, turned as u32 >> below]
}

/// The set with left and right exchanged.
pub(super) fn mirror(set: u32) -> u32 {
    Symmetry::FLIP_FILES.apply_set(SquareSet::from_bits(set)).bits()
}

/// The mirror image of each square.
pub(super) const MIRRORED: &[u8; Square::COUNT] = Symmetry::FLIP_FILES.preimages();

/// An exact name of a position: two positions have the same key if one is the other, its mirror
/// image, one of its eight images if there are officers only, or one of these with the colours
/// exchanged and the board turned by half a turn.
///
/// The first word has two bits for each of up to 22 counters, column after column in the order of
/// the squares, each from the top down, and above them 20 of the 22 bits that say which counters
/// are the last of their column. The second word has a bit for each occupied square, and the other
/// two bits.
///
/// ```text
/// counters: 20 last-of-column bits | 44 bits of counters
/// places:    5 bits, zero | 2 last-of-column bits | 25 occupied squares
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(super) places: u32,
    pub(super) counters: u64,
}

const COUNTER_BITS: u32 = 2 * Position::MAX_COUNTERS as u32;
const LOW_LASTS: u32 = u64::BITS - COUNTER_BITS;

impl Key {
    const fn new(occupied: u32, counters: u64, lasts: u32) -> Key {
        Key {
            places: occupied | lasts >> LOW_LASTS << Square::COUNT,
            counters: counters | (lasts as u64) << COUNTER_BITS,
        }
    }

    /// A number that is evenly spread over 64 bits.
    pub(super) fn hash(self) -> u64 {
        let mixed = (self.counters ^ u64::from(self.places) << 37)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ u64::from(self.places).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 29
    }

    /// Whether no soldier is on the board.
    pub(super) const fn has_officers_only(self) -> bool {
        let lasts = self.lasts();
        let counters = (1 << (2 * (u32::BITS - lasts.leading_zeros()))) - 1;
        (self.counters | COLORS) & counters == counters
    }

    /// A bit for each counter, set for the last one of each column.
    pub(super) const fn lasts(self) -> u32 {
        (self.counters >> COUNTER_BITS) as u32 | self.places >> Square::COUNT << LOW_LASTS
    }

    /// The key of a position, and of all that are the same but for symmetry.
    pub(crate) fn of(position: &Position) -> Key {
        Child::from(position).key
    }

    /// One of the positions with this key: the one with White to move whose squares come first.
    pub(super) fn position(self) -> Position {
        let mut lasts = self.lasts();
        let heights = SquareSet::from_bits(self.places).into_iter().map(|square| {
            // A key has a last counter for each occupied square.
            let height = lasts.trailing_zeros() + 1;
            lasts >>= height;
            (square, height)
        });
        Position::of_bits(heights, self.counters & ((1 << COUNTER_BITS) - 1), Color::White)
    }
}

/// A position that a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) key: Key,
    /// The squares of the position that has this key: see [`Key::position`].
    pub(super) squares: Squares,
}

impl From<&Position> for Child {
    #[inline]
    fn from(position: &Position) -> Child {
        let (squares, columns) = (Squares::of(position), position.board());
        let child = match position.side_to_move() {
            Color::White => Child::folded::<false>(squares, |square| columns[square]),
            Color::Black => {
                Child::folded::<true>(squares, |square| columns[Square::COUNT - 1 - square])
            }
        };
        if child.key.has_officers_only() { child.least_of_officers() } else { child }
    }
}

impl Child {
    /// Of a position of officers, the image with the least key.
    fn least_of_officers(self) -> Child {
        let position = self.key.position();
        let image = |symmetry: Symmetry| {
            let (from, columns) = (symmetry.preimages(), position.board());
            let of_set = |set| symmetry.apply_set(SquareSet::from_bits(set)).bits();
            let column = |square: usize| columns[usize::from(from[square])];
            Child::folded::<false>(self.squares.map(of_set), column)
        };
        // One of every two that are mirror images of each other: `folded` looks at both.
        Symmetry::all().step_by(2).skip(1).map(image).fold(self, Child::lesser)
    }

    /// Of a board and its mirror image, the one with the lesser key.
    #[inline]
    fn folded<const EXCHANGE: bool>(
        squares: Squares,
        column: impl Fn(usize) -> Column + Copy,
    ) -> Child {
        let occupied = squares.occupied();
        let mirrored = mirror(occupied);
        let itself = || Child { key: pack::<EXCHANGE>(occupied, column), squares };
        let image = || {
            let column = |square: usize| column(usize::from(MIRRORED[square]));
            Child { key: pack::<EXCHANGE>(mirrored, column), squares: squares.map(mirror) }
        };
        match occupied.cmp(&mirrored) {
            Ordering::Less => itself(),
            Ordering::Greater => image(),
            Ordering::Equal => itself().lesser(image()),
        }
    }

    fn lesser(self, other: Child) -> Child {
        if other.key < self.key { other } else { self }
    }
}

#[inline]
fn pack<const EXCHANGE: bool>(occupied: u32, column: impl Fn(usize) -> Column) -> Key {
    let (mut counters, mut lasts, mut bits) = (0, 0, 0);
    let mut rest = occupied;
    while rest != 0 {
        let column = column(rest.trailing_zeros() as usize);
        rest &= rest - 1;
        counters |= column.bits() << bits;
        bits += column.bit_count();
        lasts |= 1 << (bits / 2 - 1);
    }
    if EXCHANGE {
        counters ^= COLORS & ((1 << bits) - 1);
    }
    Key::new(occupied, counters, lasts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_common::numbers::Numbers;

    fn positions() -> impl Iterator<Item = Position> {
        let mut random = Numbers(1);
        (0..3000).map(move |_| {
            let counters = 1 + random.below(Position::MAX_COUNTERS);
            let squares = 1 + random.below(14);
            let position = random.position(counters, squares, b"wbWB");
            if random.below(4) > 0 { position } else { of_officers(&position) }
        })
    }

    /// With an officer in place of each soldier.
    fn of_officers(position: &Position) -> Position {
        let (board, side) = (position.to_string(), position.side_to_move());
        let columns = board.split(' ').filter(|column| column.len() > 1);
        let columns: Vec<String> = columns
            .map(|column| format!("{}{}", &column[..2], column[2..].to_uppercase()))
            .collect();
        format!("{} {}", columns.join(" "), side.letter()).parse().unwrap()
    }

    #[test]
    fn a_key_tells_the_position_and_is_that_of_all_images_and_of_nothing_else() {
        // One column of all counters, too.
        let highest = "g7wbwbwbwbwbwWBWBWBWBWBW b".parse().unwrap();
        for position in positions().chain([highest]) {
            let key = Key::of(&position);
            assert_eq!(key.has_officers_only(), !position.has_soldier(), "{position}");
            let mirrored = position.transformed(Symmetry::FLIP_FILES);
            assert_eq!(Key::of(&mirrored), key, "{position}");
            assert_eq!(Key::of(&position.swap_colors()), key, "{position}");
            let named = key.position();
            assert_eq!(Key::of(&named), key, "{position}");
            let canonical = position.canonical();
            assert_eq!(Key::of(&canonical), key, "{position}");
            let mut images = vec![position, mirrored];
            if !position.has_soldier() {
                images.extend(Symmetry::all().map(|symmetry| position.transformed(symmetry)));
            }
            for image in images.clone() {
                assert_eq!(Key::of(&image), key, "{position}");
                assert_eq!(image.canonical(), canonical, "{position}");
                images.push(image.swap_colors());
            }
            assert!(images.contains(&named), "{position} is not {named}");
        }
    }
}
