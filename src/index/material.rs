//! Materials: how many counters each side has.

use super::{OccupiedSets, SliceIndex};
use crate::rules::{ByColor, Color, Position};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// How many white and black counters there are in all, prisoners included: `4-3` is four white,
/// three black. Each side has at least one, and there are at most [`Material::MAX_COUNTERS`].
///
/// ```
/// use lasca_tablebase::index::Material;
/// let material: Material = "4-3".parse().unwrap();
/// assert_eq!((material.white(), material.black(), material.total()), (4, 3, 7));
/// assert_eq!(material.columns(), 2..=7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Material {
    white: u8,
    black: u8,
}

/// Why a text or a pair of numbers is not a [`Material`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// The text is not two numbers with a hyphen between them.
    #[error(
        "expected a material such as 4-3 (white counters, a hyphen, black counters), found {0:?}"
    )]
    Form(String),
    /// A side has no counters. The game is over then, and no table is needed.
    #[error(
        "expected at least one counter on each side, found {}-{}: a side without counters has lost, and \
         there is no table for it",
        counters.white, counters.black
    )]
    SideWithoutCounters {
        /// White's and Black's counters.
        counters: ByColor<usize>,
    },
    /// There are more than [`Material::MAX_COUNTERS`] counters.
    #[error(
        "expected at most {} counters in all, found {}-{}",
        Material::MAX_COUNTERS, counters.white, counters.black
    )]
    TooManyCounters {
        /// White's and Black's counters.
        counters: ByColor<usize>,
    },
}

impl Material {
    /// The most counters, both sides together, that the index and the tables cover: all counters of the
    /// game. With more than [`Extent::MAX_COLUMNS`](super::Extent::MAX_COLUMNS) counters, tables are
    /// [bounded](super::Extent).
    pub const MAX_COUNTERS: usize = Position::MAX_COUNTERS;

    /// The material of these counters.
    ///
    /// # Errors
    /// If a side has none, or there are more than [`Material::MAX_COUNTERS`] in all.
    pub fn new(white: usize, black: usize) -> Result<Material, MaterialError> {
        let counters = ByColor { white, black };
        if white == 0 || black == 0 {
            Err(MaterialError::SideWithoutCounters { counters })
        } else if white.saturating_add(black) > Self::MAX_COUNTERS {
            Err(MaterialError::TooManyCounters { counters })
        } else {
            Ok(Material { white: white as u8, black: black as u8 })
        }
    }

    /// The material of a position, prisoners included.
    ///
    /// # Errors
    /// As [`Material::new`].
    pub fn of(position: &Position) -> Result<Material, MaterialError> {
        let counters = position.counters();
        Material::new(counters.white, counters.black)
    }

    /// All materials of `total` counters for which there are tables, most white counters first. White has
    /// at least as many counters as Black; the others follow by exchanging the colours.
    ///
    /// ```
    /// use lasca_tablebase::index::Material;
    /// let five: Vec<String> = Material::with_total(5).map(|m| m.to_string()).collect();
    /// assert_eq!(five, ["4-1", "3-2"]);
    /// ```
    pub fn with_total(total: usize) -> impl Iterator<Item = Material> {
        (1..=total / 2).filter_map(move |black| Material::new(total - black, black).ok())
    }

    /// White's counters.
    pub const fn white(self) -> usize {
        self.white as usize
    }

    /// Black's counters.
    pub const fn black(self) -> usize {
        self.black as usize
    }

    /// The counters of `color`.
    pub const fn counters(self, color: Color) -> usize {
        match color {
            Color::White => self.white(),
            Color::Black => self.black(),
        }
    }

    /// The counters of both sides together.
    pub const fn total(self) -> usize {
        self.white() + self.black()
    }

    /// Whether both sides have the same number of counters. Then exchanging the colours gives the same
    /// material, and values for one side to move are enough.
    pub const fn is_balanced(self) -> bool {
        self.white == self.black
    }

    /// The material with the colours exchanged.
    #[must_use]
    pub const fn swap_colors(self) -> Material {
        Material { white: self.black, black: self.white }
    }

    /// The material of the table that covers this one: the material itself if White has at least as many
    /// counters as Black, otherwise the material with the colours exchanged.
    #[must_use]
    pub const fn normalized(self) -> Material {
        if self.white >= self.black { self } else { self.swap_colors() }
    }

    /// The sides to move for which a table of this material stores values: both, or only White if the
    /// material [is balanced](Material::is_balanced).
    pub fn stored_sides(self) -> &'static [Color] {
        if self.is_balanced() { &Color::ALL[..1] } else { &Color::ALL }
    }

    /// The place among [`Material::stored_sides`] of the side to move in a position where it has this many
    /// counters, and the other side that many.
    #[inline]
    pub(crate) fn stored_side((mover, other): (usize, usize)) -> usize {
        usize::from(mover < other)
    }

    /// The numbers of columns that a slice can have: from 2 columns, one for each side, up to one column
    /// for each counter. If there are more than twelve counters, the numbering of positions ends earlier:
    /// at twelve columns, or where the rows of an orbit do not fit 32 bits or the stackings of a side do
    /// not fit 16 bits.
    ///
    /// ```
    /// use lasca_tablebase::index::Material;
    /// let columns = |text: &str| text.parse::<Material>().map(Material::columns);
    /// assert_eq!(columns("5-4"), Ok(2..=9));
    /// assert_eq!(columns("11-11"), Ok(2..=8));
    /// ```
    pub fn columns(self) -> RangeInclusive<usize> {
        let fits =
            |&columns: &usize| SliceIndex::new(self.white(), self.black(), columns).is_some();
        let most = self.total().min(OccupiedSets::MAX_COLUMNS);
        2..=(2..=most).rev().find(fits).unwrap_or(2)
    }

    /// The numbering of the positions with `side` to move and `columns` columns.
    ///
    /// # Panics
    /// If `columns` is not among [`Material::columns`].
    ///
    /// ```
    /// use lasca_tablebase::index::Material;
    /// use lasca_tablebase::rules::Color;
    /// let material: Material = "2-1".parse().unwrap();
    /// assert_eq!(material.slice(Color::White, 3).positions(), 966);
    /// ```
    pub fn slice(self, side: Color, columns: usize) -> SliceIndex {
        match SliceIndex::new(self.counters(side), self.counters(!side), columns) {
            Some(index) => index,
            None => panic!("expected 2 to {} columns, found {columns}", self.columns().end()),
        }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.white, self.black)
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Material, MaterialError> {
        let number = |part: &str| -> Option<usize> {
            (!part.is_empty() && part.len() <= 4 && part.bytes().all(|c| c.is_ascii_digit()))
                .then(|| part.parse().ok())
                .flatten()
        };
        let parts = text.split_once('-').and_then(|(w, b)| Some((number(w)?, number(b)?)));
        let (white, black) = parts.ok_or_else(|| MaterialError::Form(text.to_owned()))?;
        Material::new(white, black)
    }
}
