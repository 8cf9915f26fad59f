//! A position in few words: the board as the side to move sees it, and its exact key.
//!
//! The side to move always moves up the board. After a move the board is turned by half a turn and
//! the colours are exchanged, so that one set of rules serves both sides. Two positions that are
//! mirror images of each other, left and right exchanged, have one [`Key`]. So have all eight images
//! of a position of officers.

use crate::rules::{Color, Column, Counter, Position, Square, SquareSet, Symmetry};
use std::cmp::Ordering;

/// All 25 squares.
pub(super) const ALL: u32 = (1 << Square::COUNT) - 1;

/// What stands on one square: two bits for each counter, the top one lowest, and a one above them.
///
/// ```text
/// bit 0 of a counter: 0 the side to move's, 1 the other side's
/// bit 1 of a counter: 0 a soldier, 1 an officer
///
/// 0b1          no counter
/// 0b1_01_10    an officer of the side to move over a soldier of the other side
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stack(u64);

/// The colour bits of as many counters as a stack can hold.
pub(super) const COLORS: u64 = 0x5555_5555_5555_5555;

impl Stack {
    pub(super) const EMPTY: Stack = Stack(1);

    pub(super) const fn height(self) -> u32 {
        (u64::BITS - 1 - self.0.leading_zeros()) / 2
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 1
    }

    /// Whether the side to move commands it; it must not be empty.
    pub(super) const fn is_own(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether an officer commands it; it must not be empty.
    pub(super) const fn is_officer(self) -> bool {
        self.0 & 2 != 0
    }

    /// Takes the top counter off a stack that is not empty.
    pub(super) const fn pop_top(&mut self) -> u64 {
        let top = self.0 & 3;
        self.0 >>= 2;
        top
    }

    /// The stack with a counter beneath it.
    #[must_use]
    pub(super) const fn with_bottom(self, counter: u64) -> Stack {
        let place = 2 * self.height();
        Stack(self.0 + (counter << place) + (3 << place))
    }

    /// The stack with an officer in command; it must not be empty.
    #[must_use]
    pub(super) const fn promoted(self) -> Stack {
        Stack(self.0 | 2)
    }

    const fn counters(self) -> u64 {
        self.0 ^ 1 << (2 * self.height())
    }

    const fn from_counters(counters: u64, height: u32) -> Stack {
        Stack(counters | 1 << (2 * height))
    }

    /// The same counters from the other side's point of view.
    const fn exchanged(self) -> Stack {
        Stack(self.0 ^ COLORS & ((1 << (2 * self.height())) - 1))
    }
}

/// Where the columns are and who commands them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Squares {
    /// Commanded by the side to move.
    pub(super) own: u32,
    /// Commanded by the other side.
    pub(super) other: u32,
    /// Of both, those under an officer.
    pub(super) officers: u32,
}

impl Squares {
    pub(super) const fn occupied(self) -> u32 {
        self.own | self.other
    }

    pub(super) const fn empty(self) -> u32 {
        ALL & !self.occupied()
    }

    /// As the other side sees it, which turns the board by half a turn.
    #[must_use]
    pub(super) const fn turned(self) -> Squares {
        Squares { own: turn(self.other), other: turn(self.own), officers: turn(self.officers) }
    }

    /// With left and right exchanged.
    #[must_use]
    pub(super) fn mirrored(self) -> Squares {
        let [own, other, officers] = [mirror(self.own), mirror(self.other), mirror(self.officers)];
        Squares { own, other, officers }
    }
}

/// The set turned by half a turn: square `i` becomes square `24 - i`.
pub(super) const fn turn(set: u32) -> u32 {
    set.reverse_bits() >> (u32::BITS - Square::COUNT as u32)
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
pub(super) struct Key {
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
    pub(super) fn of(position: &Position) -> Key {
        Board::of(position).key()
    }

    /// The least of this key and those of the other images, if there are officers only.
    #[inline]
    fn least(self) -> Key {
        if self.has_officers_only() { self.least_of_officers() } else { self }
    }

    fn least_of_officers(self) -> Key {
        let stacks = Board::unpack(self).stacks;
        let occupied = SquareSet::from_bits(self.places & ALL);
        let image = |symmetry: Symmetry| {
            let from = symmetry.preimages();
            folded::<false>(
                symmetry.apply_set(occupied).bits(),
                |square| stacks[from[square] as usize],
                |square| stacks[from[MIRRORED[square] as usize] as usize],
            )
        };
        // One of every two that are mirror images of each other: `folded` looks at both.
        Symmetry::all().step_by(2).skip(1).map(image).fold(self, Key::min)
    }

    /// One of the positions with this key: the one with White to move whose squares come first.
    pub(super) fn position(self) -> Position {
        let board = Board::unpack(self);
        let mut columns = [Column::EMPTY; Square::COUNT];
        for (column, stack) in columns.iter_mut().zip(board.stacks) {
            *column = column_of(stack);
        }
        Position::new(columns, Color::White).unwrap_or_else(|_| Position::start())
    }
}

/// The letters of the four counters, by their two bits, when White is to move.
const LETTERS: [char; 4] = ['w', 'b', 'W', 'B'];

fn column_of(stack: Stack) -> Column {
    let counters = stack.counters();
    let counters = (0..stack.height())
        .filter_map(|depth| Counter::from_letter(LETTERS[(counters >> (2 * depth) & 3) as usize]));
    Column::from_counters(counters).unwrap_or_default()
}

fn stack_of(column: Column) -> Stack {
    column.counters().fold(Stack::EMPTY, |stack, counter| {
        let bits = LETTERS.iter().position(|&letter| letter == counter.letter());
        stack.with_bottom(bits.unwrap_or_default() as u64)
    })
}

/// A position unpacked: what moves are made on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) squares: Squares,
    pub(super) stacks: [Stack; Square::COUNT],
}

impl Board {
    /// The position as the side to move sees it.
    pub(super) fn of(position: &Position) -> Board {
        let mut board =
            Board { squares: Squares::default(), stacks: [Stack::EMPTY; Square::COUNT] };
        for (square, column) in position.columns() {
            let stack = stack_of(column);
            match position.side_to_move() {
                Color::White => board.set(square.index(), stack),
                Color::Black => board.set(Square::COUNT - 1 - square.index(), stack.exchanged()),
            }
        }
        board
    }

    /// Puts a stack on a square, or takes it away, and keeps the sets of squares right.
    #[inline]
    pub(super) fn set(&mut self, square: usize, stack: Stack) {
        let bit = 1 << square;
        self.stacks[square] = stack;
        self.squares.own &= !bit;
        self.squares.other &= !bit;
        self.squares.officers &= !bit;
        if stack.is_empty() {
            return;
        }
        if stack.is_own() {
            self.squares.own |= bit;
        } else {
            self.squares.other |= bit;
        }
        if stack.is_officer() {
            self.squares.officers |= bit;
        }
    }

    pub(super) fn key(&self) -> Key {
        let occupied = self.squares.occupied();
        folded::<false>(
            occupied,
            |square| self.stacks[square],
            |square| self.stacks[MIRRORED[square] as usize],
        )
        .least()
    }

    /// The key of the position when the side to move has moved and it is the other side's turn.
    /// The board is still as the side that moved sees it.
    #[inline]
    pub(super) fn key_after(&self) -> Key {
        const LAST: usize = Square::COUNT - 1;
        folded::<true>(
            turn(self.squares.occupied()),
            |square| self.stacks[LAST - square],
            |square| self.stacks[LAST - MIRRORED[square] as usize],
        )
        .least()
    }

    /// The board of a key.
    pub(super) fn unpack(key: Key) -> Board {
        let mut squares = Squares::default();
        let mut stacks = [Stack::EMPTY; Square::COUNT];
        let mut counters = key.counters & ((1 << COUNTER_BITS) - 1);
        let mut lasts = key.lasts();
        let mut rest = key.places & ALL;
        while rest != 0 {
            let square = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            // A key that was packed has a last counter for each occupied square.
            let height = lasts.trailing_zeros() + 1;
            let stack = Stack::from_counters(counters & ((1 << (2 * height)) - 1), height);
            stacks[square] = stack;
            squares.own |= bit * u32::from(stack.is_own());
            squares.other |= bit * u32::from(!stack.is_own());
            squares.officers |= bit * u32::from(stack.is_officer());
            counters >>= 2 * height;
            lasts >>= height;
        }
        Board { squares, stacks }
    }
}

/// The lesser of the keys of a board and of its mirror image.
#[inline]
fn folded<const EXCHANGE: bool>(
    occupied: u32,
    stack: impl Fn(usize) -> Stack,
    mirrored_stack: impl Fn(usize) -> Stack,
) -> Key {
    let mirrored = mirror(occupied);
    match occupied.cmp(&mirrored) {
        Ordering::Less => pack::<EXCHANGE>(occupied, stack),
        Ordering::Greater => pack::<EXCHANGE>(mirrored, mirrored_stack),
        Ordering::Equal => {
            pack::<EXCHANGE>(occupied, stack).min(pack::<EXCHANGE>(mirrored, mirrored_stack))
        }
    }
}

#[inline]
fn pack<const EXCHANGE: bool>(occupied: u32, stack: impl Fn(usize) -> Stack) -> Key {
    let (mut counters, mut lasts, mut height) = (0, 0, 0);
    let mut rest = occupied;
    while rest != 0 {
        let stack = stack(rest.trailing_zeros() as usize);
        rest &= rest - 1;
        counters |= stack.counters() << (2 * height);
        height += stack.height();
        lasts |= 1 << (height - 1);
    }
    if EXCHANGE {
        counters ^= COLORS & ((1 << (2 * height)) - 1);
    }
    Key::new(occupied, counters, lasts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Numbers;

    fn positions() -> impl Iterator<Item = Position> {
        let mut random = Numbers(1);
        (0..3000).map(move |_| {
            let counters = 1 + random.below(Position::MAX_COUNTERS);
            let squares = 1 + random.below(14);
            let position = random.position(counters, squares);
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
    fn a_key_tells_the_board_and_is_that_of_all_images_and_of_nothing_else() {
        // One column of all counters, too.
        let highest = "g7wbwbwbwbwbwWBWBWBWBWBW b".parse().unwrap();
        for position in positions().chain([highest]) {
            let key = Key::of(&position);
            assert_eq!(Board::unpack(key).key(), key, "{position}");
            assert_eq!(key.has_officers_only(), !position.has_soldier(), "{position}");
            let mirrored = position.transformed(Symmetry::FLIP_FILES);
            assert_eq!(Key::of(&mirrored), key, "{position}");
            assert_eq!(Key::of(&position.swap_colors()), key, "{position}");
            let named = key.position();
            assert_eq!(Key::of(&named), key, "{position}");
            let mut images = vec![position, mirrored];
            if !position.has_soldier() {
                images.extend(Symmetry::all().map(|symmetry| position.transformed(symmetry)));
            }
            for image in images.clone() {
                assert_eq!(Key::of(&image), key, "{position}");
                images.push(image.swap_colors());
            }
            assert!(images.contains(&named), "{position} is not {named}");
        }
    }
}
