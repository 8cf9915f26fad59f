//! Columns: what stands on one square.

use super::Color;

/// A counter's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// The letter of the counter: `w` or `b` for a soldier, `W` or `B` for an officer.
    pub const fn letter(self) -> char {
        match (self.color, self.kind) {
            (Color::White, CounterKind::Soldier) => 'w',
            (Color::Black, CounterKind::Soldier) => 'b',
            (Color::White, CounterKind::Officer) => 'W',
            (Color::Black, CounterKind::Officer) => 'B',
        }
    }

    /// The counter that `letter` stands for, if any.
    pub const fn from_letter(letter: char) -> Option<Counter> {
        let (color, kind) = match letter {
            'w' => (Color::White, CounterKind::Soldier),
            'b' => (Color::Black, CounterKind::Soldier),
            'W' => (Color::White, CounterKind::Officer),
            'B' => (Color::Black, CounterKind::Officer),
            _ => return None,
        };
        Some(Counter { color, kind })
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
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Column {
    // Bit `i` of the masks is the counter `i` places below the top.
    height: u8,
    black: u64,
    officers: u64,
}

impl Column {
    /// The empty square.
    pub const EMPTY: Column = Column { height: 0, black: 0, officers: 0 };
    /// The most counters that one column can hold.
    pub const MAX_HEIGHT: usize = 64;

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
    pub fn officers(owner: Color, own: usize, prisoners: usize) -> Option<Column> {
        if own == 0 || own > Self::MAX_HEIGHT || prisoners > Self::MAX_HEIGHT - own {
            return None;
        }
        let officer = |color| Counter { color, kind: CounterKind::Officer };
        Column::from_counters(
            std::iter::repeat_n(officer(owner), own)
                .chain(std::iter::repeat_n(officer(!owner), prisoners)),
        )
    }

    /// Whether nothing stands on the square.
    pub const fn is_empty(self) -> bool {
        self.height == 0
    }

    /// How many counters the column holds.
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// The top counter, which owns and moves the column.
    pub const fn commander(self) -> Option<Counter> {
        self.counter(0)
    }

    /// The colour of the commander.
    pub const fn owner(self) -> Option<Color> {
        match self.commander() {
            Some(counter) => Some(counter.color),
            None => None,
        }
    }

    /// The bottom counter. If the column has captured anything, this is what it captured last.
    pub const fn bottom(self) -> Option<Counter> {
        match self.height {
            0 => None,
            height => self.counter(height as usize - 1),
        }
    }

    /// The counter `depth` places below the top.
    pub const fn counter(self, depth: usize) -> Option<Counter> {
        if depth >= self.height as usize {
            return None;
        }
        let color = if self.black >> depth & 1 != 0 { Color::Black } else { Color::White };
        let kind = if self.officers >> depth & 1 != 0 {
            CounterKind::Officer
        } else {
            CounterKind::Soldier
        };
        Some(Counter { color, kind })
    }

    /// The counters from the top down.
    pub fn counters(self) -> impl Iterator<Item = Counter> {
        (0..self.height()).map_while(move |depth| self.counter(depth))
    }

    /// How many counters of this colour the column holds, at any depth.
    pub fn count(self, color: Color) -> usize {
        let black = self.black.count_ones() as usize;
        match color {
            Color::White => self.height() - black,
            Color::Black => black,
        }
    }

    /// Whether a soldier is in the column, at any depth.
    pub const fn has_soldier(self) -> bool {
        self.officers.count_ones() < self.height as u32
    }

    /// How many counters of the owner and how many prisoners there are, if all of the owner's counters
    /// lie on top of all prisoners. Otherwise `None`: play with officers only reaches no such column.
    ///
    /// ```
    /// use lasca_tablebase::rules::Column;
    /// assert_eq!("WWB".parse::<Column>().unwrap().own_and_prisoners(), Some((2, 1)));
    /// assert_eq!("WBW".parse::<Column>().unwrap().own_and_prisoners(), None);
    /// ```
    pub fn own_and_prisoners(self) -> Option<(usize, usize)> {
        let owner = self.owner()?;
        let own = self.counters().take_while(|counter| counter.color == owner).count();
        (self.count(owner) == own).then_some((own, self.height() - own))
    }

    /// The column with its colours exchanged.
    #[must_use]
    pub const fn swap_colors(self) -> Column {
        let all = if self.height == 64 { u64::MAX } else { (1 << self.height) - 1 };
        Column { black: !self.black & all, ..self }
    }

    /// Puts a counter beneath the column.
    ///
    /// # Panics
    /// If the column already holds [`Column::MAX_HEIGHT`] counters. A [`super::Position`] never
    /// has that many on the whole board.
    pub(crate) fn push_bottom(&mut self, counter: Counter) {
        assert!(self.height() < Self::MAX_HEIGHT);
        self.black |= u64::from(counter.color == Color::Black) << self.height;
        self.officers |= u64::from(counter.kind == CounterKind::Officer) << self.height;
        self.height += 1;
    }

    /// Removes the top counter and returns it.
    pub(crate) fn pop_top(&mut self) -> Option<Counter> {
        let top = self.commander()?;
        *self = Column {
            height: self.height - 1,
            black: self.black >> 1,
            officers: self.officers >> 1,
        };
        Some(top)
    }

    /// Puts a counter on top: the inverse of [`Column::pop_top`].
    pub(crate) fn push_top(&mut self, counter: Counter) {
        assert!(self.height() < Self::MAX_HEIGHT);
        *self = Column {
            height: self.height + 1,
            black: self.black << 1 | u64::from(counter.color == Color::Black),
            officers: self.officers << 1 | u64::from(counter.kind == CounterKind::Officer),
        };
    }

    /// Removes the bottom counter and returns it: the inverse of [`Column::push_bottom`].
    pub(crate) fn pop_bottom(&mut self) -> Option<Counter> {
        let bottom = self.bottom()?;
        self.height -= 1;
        let kept = (1u64 << self.height) - 1;
        self.black &= kept;
        self.officers &= kept;
        Some(bottom)
    }

    /// Gives the commander this kind.
    pub(crate) fn set_commander_kind(&mut self, kind: CounterKind) {
        debug_assert!(!self.is_empty());
        match kind {
            CounterKind::Soldier => self.officers &= !1,
            CounterKind::Officer => self.officers |= 1,
        }
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
        let mut column = Column::EMPTY;
        for letter in text.chars() {
            let counter = Counter::from_letter(letter).ok_or(ParseColumnError::Letter(letter))?;
            if column.height() == Column::MAX_HEIGHT {
                return Err(ParseColumnError::TooHigh);
            }
            column.push_bottom(counter);
        }
        Ok(column)
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
