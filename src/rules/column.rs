//! Columns: what stands on one square.

use super::{Color, Position};

/// A counter's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum CounterKind {
    /// Not promoted: it moves and captures forward only.
    Soldier,
    /// Promoted: it moves and captures in all four directions, and stays an officer for good.
    Officer,
}

/// One disc: a colour and a kind.
///
/// ```
/// use lasca_tablebase::rules::{Color, Counter, CounterKind};
/// let officer = Counter { color: Color::White, kind: CounterKind::Officer };
/// assert_eq!(officer.letter(), 'W');
/// assert_eq!(Counter::from_letter('b').unwrap().kind, CounterKind::Soldier);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Whose counter it is.
    pub color: Color,
    /// Soldier or officer.
    pub kind: CounterKind,
}

impl Counter {
    /// The letters, by the two bits of their counters.
    const LETTERS: [char; 4] = ['w', 'b', 'W', 'B'];

    /// The letter of the counter: `w` or `b` for a soldier, `W` or `B` for an officer.
    pub const fn letter(self) -> char {
        Self::LETTERS[self.bits() as usize]
    }

    /// The counter that `letter` stands for, if any.
    pub const fn from_letter(letter: char) -> Option<Counter> {
        let mut bits = 0;
        while bits < Self::LETTERS.len() {
            if Self::LETTERS[bits] == letter {
                return Some(Counter::from_bits(bits as u64));
            }
            bits += 1;
        }
        None
    }

    const BLACK: u64 = 0b01;
    const OFFICER: u64 = 0b10;

    /// The counter as two bits, as a [`Column`] holds it.
    const fn bits(self) -> u64 {
        self.color as u64 | (self.kind as u64) << 1
    }

    /// The counter in the two lowest bits.
    #[inline]
    const fn from_bits(bits: u64) -> Counter {
        let color = if bits & Self::BLACK == 0 { Color::White } else { Color::Black };
        let officer = bits & Self::OFFICER != 0;
        let kind = if officer { CounterKind::Officer } else { CounterKind::Soldier };
        Counter { color, kind }
    }
}

/// What stands on one square: counters listed from the top down, or nothing at all.
///
/// The top counter is the commander: its colour owns the column and its kind moves it.
/// A column holds at most [`Column::MAX_HEIGHT`] counters.
///
/// ```
/// use lasca_tablebase::rules::{Color, Column};
/// let column: Column = "WBB".parse().unwrap();
/// assert_eq!(column.owner(), Some(Color::White));
/// assert_eq!((column.height(), column.count(Color::Black)), (3, 2));
/// assert_eq!(column.to_string(), "WBB");
/// ```
// Two bits for each counter, those of the top one lowest, and a one above them all:
//
//   bit 0 of a counter: 0 white, 1 black
//   bit 1 of a counter: 0 a soldier, 1 an officer
//
//   0b1          no counter
//   0b1_01_10    a white officer on a black soldier
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Column(u64);

/// The colour bits of all counters, and the kind bits.
const COLORS: u64 = 0x5555_5555_5555_5555;
const KINDS: u64 = COLORS << 1;

impl Column {
    /// The empty square.
    pub const EMPTY: Column = Column(1);
    /// The most counters that one column can hold: all of a position.
    pub const MAX_HEIGHT: usize = Position::MAX_COUNTERS;

    /// The column of these counters, top first; `None` if there are more than
    /// [`Column::MAX_HEIGHT`].
    pub fn from_counters(counters: impl IntoIterator<Item = Counter>) -> Option<Column> {
        let mut column = Column::EMPTY;
        for counter in counters {
            if column.height() == Self::MAX_HEIGHT {
                return None;
            }
            column.push_bottom(counter);
        }
        Some(column)
    }

    /// A column of officers: `own` counters of `owner` on top of `prisoners` counters of the other side.
    /// All columns in tables have this form. `None` if `own` is 0, or if there are more than
    /// [`Column::MAX_HEIGHT`] counters in all.
    pub const fn officers(owner: Color, own: usize, prisoners: usize) -> Option<Column> {
        if own == 0 || own > Self::MAX_HEIGHT || prisoners > Self::MAX_HEIGHT - own {
            return None;
        }
        let height = (own + prisoners) as u32;
        let black = match owner {
            Color::White => below(height) & !below(own as u32),
            Color::Black => below(own as u32),
        };
        Some(Column::from_bits(KINDS & below(height) | COLORS & black, height))
    }

    /// Whether nothing stands on the square.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == Self::EMPTY.0
    }

    /// How many counters the column holds.
    #[inline]
    pub const fn height(self) -> usize {
        (self.bit_count() / 2) as usize
    }

    /// The top counter, which owns and moves the column.
    #[inline]
    pub const fn commander(self) -> Option<Counter> {
        self.counter(0)
    }

    /// The colour of the commander.
    #[inline]
    pub const fn owner(self) -> Option<Color> {
        match self.commander() {
            Some(counter) => Some(counter.color),
            None => None,
        }
    }

    /// The counter `depth` places below the top.
    #[inline]
    pub const fn counter(self, depth: usize) -> Option<Counter> {
        if depth < self.height() { Some(Counter::from_bits(self.0 >> (2 * depth))) } else { None }
    }

    /// The counters from the top down.
    pub fn counters(self) -> impl Iterator<Item = Counter> {
        (0..self.height()).map_while(move |depth| self.counter(depth))
    }

    /// How many counters of this colour the column holds, at any depth.
    #[inline]
    pub const fn count(self, color: Color) -> usize {
        let black = self.colors().count_ones() as usize;
        match color {
            Color::White => self.height() - black,
            Color::Black => black,
        }
    }

    /// Whether a soldier is in the column, at any depth.
    pub const fn has_soldier(self) -> bool {
        !self.0 & KINDS & self.all_bits() != 0
    }

    /// How many counters of the owner and how many prisoners there are, if all of the owner's counters
    /// lie on top of all prisoners. Otherwise `None`: play with officers only reaches no such column.
    ///
    /// ```
    /// use lasca_tablebase::rules::Column;
    /// assert_eq!("WWB".parse::<Column>().unwrap().own_and_prisoners(), Some((2, 1)));
    /// assert_eq!("WBW".parse::<Column>().unwrap().own_and_prisoners(), None);
    /// ```
    pub const fn own_and_prisoners(self) -> Option<(usize, usize)> {
        let all = COLORS & self.all_bits();
        // The bits that are set for counters of the other colour than the top one's.
        let prisoners = (self.0 ^ (self.0 & Counter::BLACK).wrapping_neg()) & all;
        let own = (prisoners | 1 << self.bit_count()).trailing_zeros();
        // The prisoners are the lowest, so theirs are the highest bits.
        if own == 0 || prisoners != all >> own << own {
            return None;
        }
        Some((own as usize / 2, (self.bit_count() - own) as usize / 2))
    }

    /// The column with its colours exchanged.
    #[must_use]
    pub const fn swap_colors(self) -> Column {
        Column(self.0 ^ COLORS & self.all_bits())
    }

    /// A number that no other column has.
    #[inline]
    pub(super) const fn word(self) -> u64 {
        self.0
    }

    /// The bits of the counters, without the one above them.
    #[doc(hidden)]
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0 ^ 1 << self.bit_count()
    }

    /// Those of [`Column::bits`] that are set for black counters.
    #[inline]
    pub(super) const fn colors(self) -> u64 {
        self.bits() & COLORS
    }

    /// How many [`Column::bits`] there are: two for each counter.
    #[doc(hidden)]
    #[inline]
    pub const fn bit_count(self) -> u32 {
        // There is always a bit; the compiler does not know it.
        (self.0 | 1).ilog2()
    }

    /// As many bits, all of them set.
    #[inline]
    const fn all_bits(self) -> u64 {
        (1 << self.bit_count()) - 1
    }

    /// The column of this many counters with these [`Column::bits`].
    #[doc(hidden)]
    #[inline]
    pub const fn from_bits(bits: u64, height: u32) -> Column {
        Column(bits | 1 << (2 * height))
    }

    /// Whether an officer commands the column.
    #[inline]
    pub(super) const fn is_under_officer(self) -> bool {
        self.commander_bits()[2] != 0
    }

    /// Whether White commands it, whether Black does, and whether an officer does: 1 or 0 each.
    #[inline]
    pub(super) const fn commander_bits(self) -> [u32; 3] {
        let (bits, any) = (self.0 as u32, !self.is_empty() as u32);
        [any & !bits & 1, any & bits & 1, bits >> 1 & 1]
    }

    /// The column with an officer in command; it must not be empty.
    #[must_use]
    pub(super) const fn promoted(self) -> Column {
        Column(self.0 | Counter::OFFICER)
    }

    /// Puts a counter beneath the column. A position never has too many for one column.
    pub(crate) const fn push_bottom(&mut self, counter: Counter) {
        let place = self.bit_count();
        debug_assert!(self.height() < Self::MAX_HEIGHT);
        // The one above the counters moves up: it is taken away here, and added there.
        self.0 += (counter.bits() << place) + (0b11 << place);
    }

    /// The two columns after this column jumps another, which is not empty: this one with the other's top
    /// counter beneath it, and the rest of the other.
    pub(crate) const fn jumping(self, over: Column) -> (Column, Column) {
        let mut captor = self;
        captor.push_bottom(Counter::from_bits(over.0));
        (captor, Column(over.0 >> 2))
    }
}

/// The bits of the counters above the first `counters` of a column.
const fn below(counters: u32) -> u64 {
    (1 << (2 * counters)) - 1
}

impl Default for Column {
    fn default() -> Column {
        Column::EMPTY
    }
}

impl std::fmt::Display for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.counters().try_for_each(|counter| write!(f, "{}", counter.letter()))
    }
}

impl std::fmt::Debug for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl std::str::FromStr for Column {
    type Err = ParseColumnError;

    /// Reads counters from the top down; the empty text is the empty square.
    fn from_str(text: &str) -> Result<Column, ParseColumnError> {
        let counter = |c| Counter::from_letter(c).ok_or(ParseColumnError::Letter(c));
        // One counter too many is enough to see that there are too many.
        let letters = text.chars().take(Column::MAX_HEIGHT + 1);
        let counters = letters.map(counter).collect::<Result<Vec<_>, _>>()?;
        Column::from_counters(counters).ok_or(ParseColumnError::TooHigh)
    }
}

/// Why a text is not a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseColumnError {
    /// The text has a character other than `w`, `b`, `W` and `B`.
    #[error("expected counters (w, b, W or B), found {0:?}")]
    Letter(char),
    /// The text has more than [`Column::MAX_HEIGHT`] counters.
    #[error("a column holds at most {} counters", Column::MAX_HEIGHT)]
    TooHigh,
}
