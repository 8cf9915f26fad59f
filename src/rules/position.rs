//! A position: 25 columns and the side to move.

use super::{ByColor, Color, Column, Counter, CounterKind, Placement, Square, SquareSet, Symmetry};
use std::fmt;

/// A position of the whole game: what stands on each square, and who is to move.
///
/// It holds at least one counter and at most [`Position::MAX_COUNTERS`]; nothing else is asked of
/// it, so columns may mix colours and kinds in any order. It is read from and printed in the
/// notation of [`crate::notation`].
///
/// ```
/// use lasca_tablebase::rules::{Color, Position};
/// let position: Position = "a1WWW b2BBB w".parse().unwrap();
/// assert_eq!(position.side_to_move(), Color::White);
/// assert_eq!(position.occupied().len(), 2);
/// assert_eq!(position.to_string(), "a1WWW b2BBB w");
/// ```
///
/// Positions have an order so that they can be sorted; it means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    columns: [Column; Square::COUNT],
    // What the columns say, at hand for generating moves.
    commanded: ByColor<SquareSet>,
    /// The squares, of both sides, that an officer commands.
    officers: SquareSet,
    side_to_move: Color,
}

const _: () = assert!(size_of::<Position>() <= 232);

/// Why columns do not make a [`Position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// There is no counter on the board.
    #[error("expected at least one column on the board")]
    Empty,
    /// There are more than [`Position::MAX_COUNTERS`] counters on the board.
    #[error("expected at most {} counters on the board, found {found}", Position::MAX_COUNTERS)]
    TooManyCounters {
        /// How many there are.
        found: usize,
    },
}

impl Position {
    /// The most counters that a position may hold, which is the number of counters in a game. One column
    /// can hold them all.
    pub const MAX_COUNTERS: usize = 22;

    /// The position with these columns, indexed by [`Square::index`].
    ///
    /// # Errors
    /// If the board is empty or holds more than [`Position::MAX_COUNTERS`] counters.
    pub fn new(
        columns: [Column; Square::COUNT],
        side_to_move: Color,
    ) -> Result<Position, PositionError> {
        match columns.iter().map(|column| column.height()).sum() {
            0 => Err(PositionError::Empty),
            found if found > Self::MAX_COUNTERS => Err(PositionError::TooManyCounters { found }),
            _ => {
                let mut position = Position::without_counters(side_to_move);
                for (square, column) in Square::all().zip(columns) {
                    position.put(square, column);
                }
                Ok(position)
            }
        }
    }

    /// The position whose columns have these heights, in the order of their squares, and these
    /// [`bits`](Column::bits), column after column; or the empty board. It must be one that [`Position::new`] makes.
    #[doc(hidden)]
    #[inline]
    pub fn of_bits(
        heights: impl Iterator<Item = (Square, u32)>,
        mut bits: u64,
        side_to_move: Color,
    ) -> Position {
        let mut columns = [Column::EMPTY; Square::COUNT];
        // By the two bits of the top counter.
        let mut tops = [0_u32; 4];
        for (square, height) in heights {
            columns[square.index()] = Column::from_bits(bits & ((1 << (2 * height)) - 1), height);
            tops[(bits & 0b11) as usize] |= 1 << square.index();
            bits >>= 2 * height;
        }
        let with = |one: usize, other: usize| SquareSet::from_bits(tops[one] | tops[other]);
        let commanded = ByColor { white: with(0, 2), black: with(1, 3) };
        let position = Position { columns, commanded, officers: with(2, 3), side_to_move };
        debug_assert!(match Position::new(columns, side_to_move) {
            Ok(same) => same == position,
            Err(error) => error == PositionError::Empty,
        });
        position
    }

    /// The empty board, on which columns are to be put: a position has at least one.
    pub(super) const fn without_counters(side_to_move: Color) -> Position {
        Position {
            columns: [Column::EMPTY; Square::COUNT],
            commanded: ByColor { white: SquareSet::EMPTY, black: SquareSet::EMPTY },
            officers: SquareSet::EMPTY,
            side_to_move,
        }
    }

    /// Puts a column, or the empty one, on a square that is empty.
    #[inline]
    pub(super) fn put(&mut self, square: Square, column: Column) {
        debug_assert!(self.column(square).is_empty());
        self.columns[square.index()] = column;
        let [white, black, officer] = column.commander_bits();
        let set = |squares: SquareSet, bit: u32| {
            SquareSet::from_bits(squares.bits() | bit << square.index())
        };
        self.commanded.white = set(self.commanded.white, white);
        self.commanded.black = set(self.commanded.black, black);
        self.officers = set(self.officers, officer);
    }

    /// Takes the column off a square.
    #[inline]
    pub(super) fn lift(&mut self, square: Square) -> Column {
        self.commanded.white = self.commanded.white.without(square);
        self.commanded.black = self.commanded.black.without(square);
        self.officers = self.officers.without(square);
        std::mem::take(&mut self.columns[square.index()])
    }

    /// The position that a game starts from: eleven soldiers each, White to move.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// assert_eq!(Position::start().moves(RuleSet::Lasca).unwrap().len(), 6);
    /// ```
    pub fn start() -> Position {
        let mut start = Position::without_counters(Color::White);
        for square in Square::all() {
            let color = match square.rank() {
                0..=2 => Color::White,
                4..=6 => Color::Black,
                _ => continue,
            };
            let mut column = Column::EMPTY;
            column.push_bottom(Counter { color, kind: CounterKind::Soldier });
            start.put(square, column);
        }
        start
    }

    /// What stands on `square`.
    #[inline]
    pub fn column(&self, square: Square) -> Column {
        self.columns[square.index()]
    }

    /// What stands on each square, by its index.
    #[doc(hidden)]
    #[inline]
    pub fn board(&self) -> &[Column; Square::COUNT] {
        &self.columns
    }

    /// The squares that hold a column, with what stands there, in the order of their index.
    #[inline]
    pub fn columns(&self) -> impl Iterator<Item = (Square, Column)> + '_ {
        self.occupied().into_iter().map(|square| (square, self.column(square)))
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The same board with `side` to move.
    #[must_use]
    pub fn with_side_to_move(self, side: Color) -> Position {
        Position { side_to_move: side, ..self }
    }

    /// The squares that hold a column.
    #[inline]
    pub fn occupied(&self) -> SquareSet {
        self.commanded.white | self.commanded.black
    }

    /// The squares whose columns `color` commands.
    #[inline]
    pub fn commanded_by(&self, color: Color) -> SquareSet {
        self.commanded[color]
    }

    /// The squares whose columns an officer commands, of either side.
    ///
    /// ```
    /// use lasca_tablebase::rules::Position;
    /// let position: Position = "a1Wb c3w e7B w".parse().unwrap();
    /// assert_eq!(position.under_officers().into_iter().map(|on| on.to_string()).collect::<Vec<_>>(), ["a1", "e7"]);
    /// ```
    #[inline]
    pub fn under_officers(&self) -> SquareSet {
        self.officers
    }

    /// The squares that each side commands, seen by the side to move.
    #[doc(hidden)]
    pub fn placement(&self) -> Placement {
        let side = self.side_to_move;
        Placement { mover: self.commanded_by(side), other: self.commanded_by(!side) }
    }

    /// How many counters each side has on the board, prisoners included.
    #[inline]
    pub fn counters(&self) -> ByColor<usize> {
        // All columns beside each other fit into a word, whose bits are counted once.
        let (mut colors, mut bits) = (0, 0);
        for (_, column) in self.columns() {
            colors |= column.colors() << bits;
            bits += column.bit_count();
        }
        let black = colors.count_ones() as usize;
        ByColor { white: bits as usize / 2 - black, black }
    }

    /// Whether any counter on the board is a soldier, at any depth of a column.
    pub fn has_soldier(&self) -> bool {
        self.columns.iter().any(|column| column.has_soldier())
    }

    /// Whether both sides command a column. If not, the game is over: a side that commands none
    /// has lost.
    pub fn both_command(&self) -> bool {
        !self.commanded.white.is_empty() && !self.commanded.black.is_empty()
    }

    /// The position with the board turned or reflected. If there are soldiers, the result has the same
    /// moves only for the reflection that exchanges left and right.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, Symmetry};
    /// let position: Position = "a1W c3B w".parse().unwrap();
    /// let turned = position.transformed(Symmetry::from_index(3).unwrap());
    /// assert_eq!(turned.to_string(), "e5B g7W w");
    /// ```
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Position {
        let mut image = Position::without_counters(self.side_to_move);
        for (square, column) in self.columns() {
            image.put(symmetry.apply(square), column);
        }
        image
    }

    /// The symmetries under which the game stays the same: all of the board, or if there are soldiers, which move up
    /// or down, only those that exchange left and right.
    #[doc(hidden)]
    pub fn symmetries(&self) -> impl Iterator<Item = Symmetry> + use<> {
        let has_soldier = self.has_soldier();
        Symmetry::all().filter(move |symmetry| {
            !has_soldier || [Symmetry::IDENTITY, Symmetry::FLIP_FILES].contains(symmetry)
        })
    }

    /// The position with the colours exchanged: each counter, the side to move, and, so that
    /// soldiers still move forward, the ranks (rank 1 becomes rank 7). Its value for the side to move
    /// is the same.
    ///
    /// ```
    /// use lasca_tablebase::rules::Position;
    /// let position: Position = "a1Ww c3B w".parse().unwrap();
    /// assert_eq!(position.swap_colors().to_string(), "c5W a7Bb b");
    /// ```
    #[must_use]
    pub fn swap_colors(&self) -> Position {
        let mut swapped = Position::without_counters(!self.side_to_move);
        for (square, column) in self.columns() {
            swapped.put(Symmetry::FLIP_RANKS.apply(square), column.swap_colors());
        }
        swapped
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position(\"{self}\")")
    }
}
