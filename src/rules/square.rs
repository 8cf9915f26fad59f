//! The 25 squares of the board and sets of them.
//!
//! ```text
//!  7   21    22    23    24        a7    c7    e7    g7
//!  6      18    19    20              b6    d6    f6
//!  5   14    15    16    17        a5    c5    e5    g5
//!  4      11    12    13              b4    d4    f4
//!  3    7     8     9    10        a3    c3    e3    g3
//!  2       4     5     6              b2    d2    f2
//!  1    0     1     2     3        a1    c1    e1    g1
//!      a  b  c  d  e  f  g
//! ```
//!
//! The left picture shows [`Square::index`]; Lasker's number of a square is one more. A square in
//! file `x` (a = 0) and rank `y` (rank 1 = 0) has index `(7y + x) / 2`. So a step up and to the right
//! adds 4 to the index, and a step up and to the left adds 3, everywhere on the board.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not, Sub};
use std::str::FromStr;

/// One of the 25 squares that are played on.
///
/// ```
/// use lasca_tablebase::rules::Square;
/// let d4 = Square::from_name("d4").unwrap();
/// assert_eq!((d4.file(), d4.rank(), d4.number()), (3, 3, 13));
/// assert_eq!(d4.to_string(), "d4");
/// assert_eq!(Square::from_name("d5"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// How many squares the board has.
    pub const COUNT: usize = 25;
    /// The first one by index: the corner on White's left.
    pub(super) const FIRST: Square = Square(0);

    /// All squares in the order of their index.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..Self::COUNT as u8).map(Square)
    }

    /// The square with this index (0 = a1 … 24 = g7).
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < Self::COUNT { Some(Square(index as u8)) } else { None }
    }

    /// The square in file `file` (0 = a … 6 = g) and rank `rank` (0 = rank 1 … 6 = rank 7); `None` off
    /// the board and on the 24 squares that are not played on.
    pub const fn from_file_rank(file: i32, rank: i32) -> Option<Square> {
        if file >= 0 && file < 7 && rank >= 0 && rank < 7 && (file + rank) % 2 == 0 {
            Some(Square(((7 * rank + file) / 2) as u8))
        } else {
            None
        }
    }

    /// The square called `name`, such as `a1` or `d4`, in lower case.
    pub fn from_name(name: &str) -> Option<Square> {
        match name.as_bytes() {
            &[file @ b'a'..=b'g', rank @ b'1'..=b'7'] => {
                Square::from_file_rank((file - b'a') as i32, (rank - b'1') as i32)
            }
            _ => None,
        }
    }

    /// The index of the square, 0 to 24.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Lasker's number of the square, 1 (a1) to 25 (g7).
    pub const fn number(self) -> usize {
        self.0 as usize + 1
    }

    /// The file of the square, 0 (a) to 6 (g).
    pub const fn file(self) -> i32 {
        (2 * self.0 as i32) % 7
    }

    /// The rank of the square, 0 (rank 1) to 6 (rank 7).
    pub const fn rank(self) -> i32 {
        (2 * self.0 as i32) / 7
    }

    /// The square whose index is greater by `by`. It must be on the board.
    #[inline]
    pub(super) const fn offset(self, by: isize) -> Square {
        let index = self.0 as isize + by;
        debug_assert!(index >= 0 && index < Self::COUNT as isize);
        Square(index as u8)
    }

    /// The neighbouring square in a direction, if it is on the board.
    pub const fn step(self, direction: Direction) -> Option<Square> {
        Square::from_file_rank(self.file() + direction.dx(), self.rank() + direction.dy())
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file() as u8) as char, self.rank() + 1)
    }
}

impl FromStr for Square {
    type Err = ParseSquaresError;

    /// Reads a name, as [`Square::from_name`] does.
    fn from_str(text: &str) -> Result<Square, ParseSquaresError> {
        Square::from_name(text).ok_or(ParseSquaresError::Square)
    }
}

/// Why a text is no [`Square`], or not the squares of a [`Move`](super::Move).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseSquaresError {
    /// The text is not the name of a square.
    #[error("expected one of the 25 squares (a1, c1 … g7)")]
    Square,
    /// The text is not the squares of a move.
    #[error("expected a move such as c3-d4 or a1-b2-c3")]
    Move,
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One of the four diagonal directions.
///
/// ```
/// use lasca_tablebase::rules::{Direction, Square};
/// let a1 = Square::from_name("a1").unwrap();
/// assert_eq!(a1.step(Direction::NorthEast), Square::from_name("b2"));
/// assert_eq!(a1.step(Direction::NorthWest), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Up and to the right; adds 4 to a square's index.
    NorthEast,
    /// Up and to the left; adds 3.
    NorthWest,
    /// Down and to the right; subtracts 3.
    SouthEast,
    /// Down and to the left; subtracts 4.
    SouthWest,
}

impl Direction {
    /// The four directions.
    pub const ALL: [Direction; 4] =
        [Direction::NorthEast, Direction::NorthWest, Direction::SouthEast, Direction::SouthWest];

    /// The change of file: 1 towards file g, −1 towards file a.
    pub const fn dx(self) -> i32 {
        match self {
            Direction::NorthEast | Direction::SouthEast => 1,
            Direction::NorthWest | Direction::SouthWest => -1,
        }
    }

    /// The change of rank: 1 towards rank 7, −1 towards rank 1.
    pub const fn dy(self) -> i32 {
        match self {
            Direction::NorthEast | Direction::NorthWest => 1,
            Direction::SouthEast | Direction::SouthWest => -1,
        }
    }
}

/// A set of squares with one bit for each square: bit `i` is the square with index `i`.
///
/// ```
/// use lasca_tablebase::rules::{Square, SquareSet};
/// let mut set = SquareSet::EMPTY;
/// set.insert(Square::from_name("c3").unwrap());
/// assert_eq!((set.len(), set.bits()), (1, 1 << 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SquareSet(u32);

impl SquareSet {
    /// No square.
    pub const EMPTY: SquareSet = SquareSet(0);
    /// All 25 squares.
    pub const FULL: SquareSet = SquareSet((1 << Square::COUNT) - 1);
    /// The squares that are not on the edge of the board. Only there can a column be jumped.
    ///
    /// ```text
    ///  7    .     .     .     .
    ///  6       x     x     x
    ///  5    .     x     x     .
    ///  4       x     x     x
    ///  3    .     x     x     .
    ///  2       x     x     x
    ///  1    .     .     .     .
    /// ```
    pub const INTERIOR: SquareSet = {
        let (mut bits, mut i) = (0, 0);
        while i < Square::COUNT {
            let square = Square(i as u8);
            if square.file() > 0 && square.file() < 6 && square.rank() > 0 && square.rank() < 6 {
                bits |= 1 << i;
            }
            i += 1;
        }
        SquareSet(bits)
    };

    /// The set with these bits; bits above 24 are dropped.
    pub const fn from_bits(bits: u32) -> SquareSet {
        SquareSet(bits & Self::FULL.0)
    }

    /// The set as bits, bit `i` for the square with index `i`.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// How many squares are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no square is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `square` is in the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.0 & 1 != 0
    }

    /// Adds `square`.
    pub const fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.0;
    }

    /// How many squares of the set come before `square`. If the set contains it, this is its ordinal in
    /// the set.
    #[inline]
    pub(crate) const fn ordinal_of(self, square: Square) -> usize {
        (self.0 & ((1 << square.0) - 1)).count_ones() as usize
    }

    /// For each of two sets, the squares from which a jump over an interior square of `over` ends on one of
    /// it. Diagonally opposite neighbours of an interior square have indices 3 or 4 below and above its own.
    #[inline]
    pub(crate) const fn jump_starts(over: SquareSet, landings: [SquareSet; 2]) -> [SquareSet; 2] {
        // Both at once, in one word each. What a shift moves from one half to the other is not on the board.
        let over = (over.0 & Self::INTERIOR.0) as u64 * (1 << 32 | 1);
        let landings = landings[0].0 as u64 | (landings[1].0 as u64) << 32;
        let starts = (over & landings >> 4) >> 4
            | (over & landings << 4) << 4
            | (over & landings >> 3) >> 3
            | (over & landings << 3) << 3;
        [SquareSet::from_bits(starts as u32), SquareSet::from_bits((starts >> 32) as u32)]
    }

    /// The set with `square` added.
    #[must_use]
    pub const fn with(self, square: Square) -> SquareSet {
        SquareSet(self.0 | 1 << square.0)
    }

    /// The set with `square` removed.
    #[must_use]
    pub const fn without(self, square: Square) -> SquareSet {
        SquareSet(self.0 & !(1 << square.0))
    }
}

/// The squares that are in both sets.
impl BitAnd for SquareSet {
    type Output = SquareSet;

    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & other.0)
    }
}

/// The squares that are in one set or the other, or both.
impl BitOr for SquareSet {
    type Output = SquareSet;

    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 | other.0)
    }
}

/// The squares that are in the first set and not in the second.
impl Sub for SquareSet {
    type Output = SquareSet;

    fn sub(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & !other.0)
    }
}

/// The squares that are not in the set.
impl Not for SquareSet {
    type Output = SquareSet;

    fn not(self) -> SquareSet {
        SquareSet::from_bits(!self.0)
    }
}

impl fmt::Debug for SquareSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Squares;
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        squares.into_iter().fold(SquareSet::EMPTY, SquareSet::with)
    }
}

/// The squares of a [`SquareSet`] in the order of their index.
#[derive(Clone, Debug)]
pub struct Squares(u32);

impl Iterator for Squares {
    type Item = Square;
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(square)
    }
}
