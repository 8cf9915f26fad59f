//! Extents: which positions of a material a table covers.

use super::{Material, OccupiedSets};
use crate::rules::Color;
use std::fmt;
use std::ops::RangeInclusive;

/// The positions that a table covers: all positions of a material, or those of at most this many columns.
///
/// No move makes the number of columns greater. So the positions of at most `K` columns are closed
/// under moves, and can be solved without any others. A table of them is **bounded**, and `K` is its
/// **column bound**. Any other table is **whole**. A material of more than
/// [`Extent::MAX_COLUMNS`] counters has bounded tables only.
///
/// ```
/// use lasca_tablebase::index::Extent;
/// let whole = Extent::whole("4-3".parse()?)?;
/// assert_eq!((whole.columns(), whole.max_columns()), (2..=7, None));
/// let bounded = Extent::bounded("11-11".parse()?, 3)?;
/// assert_eq!((bounded.columns(), bounded.max_columns()), (2..=3, Some(3)));
/// assert_eq!(bounded.positions(), 7_025_260);
/// assert!(Extent::whole("11-11".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    material: Material,
    /// The greatest number of columns of a position. In a whole table, that is the number of counters.
    most: u8,
}

/// Why there is no table of a material with this column bound, or none without a bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtentError {
    /// The material has too many counters for a whole table.
    #[error(
        "{material} has more than {} counters, so its table needs a column bound, such as 3",
        Extent::MAX_COLUMNS
    )]
    NeedsBound {
        /// The material.
        material: Material,
    },
    /// The column bound is below 2. Each side commands at least one column.
    #[error("expected a column bound of at least 2, found {found}: each side commands a column")]
    TooFewColumns {
        /// The column bound.
        found: usize,
    },
    /// The column bound is too large for the numbering of positions.
    #[error(
        "expected a column bound of at most {most} for {material}, found {found}: the positions would \
         be too many to number"
    )]
    TooManyColumns {
        /// The material.
        material: Material,
        /// The largest column bound of the material.
        most: usize,
        /// The column bound.
        found: usize,
    },
}

impl Extent {
    /// The most columns of a position in any table.
    pub const MAX_COLUMNS: usize = OccupiedSets::MAX_COLUMNS;

    /// All positions of a material.
    ///
    /// # Errors
    /// [`ExtentError::NeedsBound`] if it has more than [`Extent::MAX_COLUMNS`] counters.
    pub fn whole(material: Material) -> Result<Extent, ExtentError> {
        if material.total() > Self::MAX_COLUMNS {
            return Err(ExtentError::NeedsBound { material });
        }
        Ok(Extent { material, most: material.total() as u8 })
    }

    /// The positions of a material with at most this many columns. If no position has more columns, these
    /// are all positions of the material.
    ///
    /// # Errors
    /// If there is no table with this column bound.
    pub fn bounded(material: Material, max_columns: usize) -> Result<Extent, ExtentError> {
        if max_columns < 2 {
            return Err(ExtentError::TooFewColumns { found: max_columns });
        }
        if max_columns >= material.total() && material.total() <= Self::MAX_COLUMNS {
            return Extent::whole(material);
        }
        let most = *material.columns().end();
        if max_columns > most {
            return Err(ExtentError::TooManyColumns { material, most, found: max_columns });
        }
        Ok(Extent { material, most: max_columns as u8 })
    }

    /// [`Extent::bounded`] if there is a column bound, [`Extent::whole`] if there is none.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn new(material: Material, max_columns: Option<usize>) -> Result<Extent, ExtentError> {
        match max_columns {
            Some(max_columns) => Extent::bounded(material, max_columns),
            None => Extent::whole(material),
        }
    }

    /// The material.
    pub const fn material(self) -> Material {
        self.material
    }

    /// The column bound; `None` if all positions of the material are covered.
    pub fn max_columns(self) -> Option<usize> {
        let most = usize::from(self.most);
        (most < self.material.total()).then_some(most)
    }

    /// The numbers of columns that the positions have.
    pub fn columns(self) -> RangeInclusive<usize> {
        2..=usize::from(self.most)
    }

    /// Whether all positions of `other` are among these.
    ///
    /// ```
    /// use lasca_tablebase::index::Extent;
    /// let (whole, bounded) = (Extent::whole("3-3".parse()?)?, Extent::bounded("3-3".parse()?, 4)?);
    /// assert!(whole.includes(bounded) && !bounded.includes(whole));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn includes(self, other: Extent) -> bool {
        self.material == other.material && self.most >= other.most
    }

    /// How many positions a table stores: up to the symmetries of the board, and for the
    /// [stored sides](Material::stored_sides) to move.
    ///
    /// ```
    /// use lasca_tablebase::index::Extent;
    /// assert_eq!(Extent::whole("4-4".parse()?)?.positions(), 84_594_660);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn positions(self) -> u64 {
        let of_side = |&side: &Color| -> u64 {
            self.columns().map(|columns| self.material.slice(side, columns).positions()).sum()
        };
        self.material.stored_sides().iter().map(of_side).sum()
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max_columns() {
            None => self.material.fmt(f),
            Some(most) => write!(f, "{} with at most {most} columns", self.material),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::SliceIndex;

    #[test]
    fn a_bound_that_no_position_exceeds_is_none() {
        let material: Material = "2-2".parse().unwrap();
        for bound in 4..30 {
            assert_eq!(Extent::bounded(material, bound), Extent::whole(material));
        }
        assert_eq!(Extent::bounded(material, 3).unwrap().max_columns(), Some(3));
        assert_eq!(Extent::bounded(material, 1), Err(ExtentError::TooFewColumns { found: 1 }));
    }

    #[test]
    fn each_material_has_a_largest_bound_that_its_positions_can_be_numbered_with() {
        for total in 2..=Material::MAX_COUNTERS {
            for material in Material::with_total(total) {
                let most = *material.columns().end();
                let fits = |columns| {
                    Color::ALL.iter().all(|&side| {
                        let (mover, other) = (material.counters(side), material.counters(!side));
                        SliceIndex::new(mover, other, columns)
                            .is_some_and(|index| u32::try_from(index.rows()).is_ok())
                    })
                };
                assert!((2..=most).all(fits), "{material}");
                assert!(!fits(most + 1), "{material}");
                assert_eq!(Extent::whole(material).is_ok(), total <= 12, "{material}");
                assert!(Extent::bounded(material, most).is_ok(), "{material}");
                assert_eq!(Extent::bounded(material, most + 1).is_ok(), total <= 12, "{material}");
                assert!(total > 12 || most == total, "{material}");
            }
        }
        let most = |text: &str| *text.parse::<Material>().unwrap().columns().end();
        assert_eq!([most("11-11"), most("21-1"), most("7-7"), most("12-1")], [8, 7, 12, 12]);
    }
}
