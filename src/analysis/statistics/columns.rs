//! The shapes of columns: how many counters of each side are in them, wherever they stand.

use lasca_tablebase::index::SliceIndex;
use lasca_tablebase::rules::{ByColor, Color, Column, Position};
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::fmt;

/// The shape of a column: the number of its owner's counters, and of the prisoners beneath them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ColumnShape {
    /// The owner's counters, at least one.
    pub own: usize,
    /// The other side's counters beneath.
    pub prisoners: usize,
}

/// Higher columns come first, and among those of one height, those with more of the owner's counters.
impl Ord for ColumnShape {
    fn cmp(&self, other: &ColumnShape) -> Ordering {
        let key = |shape: &ColumnShape| Reverse((shape.own + shape.prisoners, shape.own));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for ColumnShape {
    fn partial_cmp(&self, other: &ColumnShape) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The shapes of the columns that each side commands, whatever squares they stand on: `WWB W v BB`.
/// The command line calls this a stacking.
///
/// Shapes of fewer columns come first, then those of fewer white columns. Then White's columns decide
/// in the order of [`ColumnShape`], and after them Black's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ColumnShapes {
    /// Each side's columns in the order of [`ColumnShape`].
    pub columns: ByColor<Vec<ColumnShape>>,
}

impl ColumnShapes {
    /// The shapes of a position's columns; `None` if a column is not its owner's counters on top of the
    /// other side's.
    ///
    /// ```
    /// use lasca_analysis::statistics::ColumnShapes;
    /// let position = "a1WWB c3BB g7W w".parse().unwrap();
    /// assert_eq!(ColumnShapes::of(&position).unwrap().to_string(), "WWB W v BB");
    /// ```
    pub fn of(position: &Position) -> Option<ColumnShapes> {
        let mut shapes = ColumnShapes::default();
        for (_, column) in position.columns() {
            let (own, prisoners) = column.own_and_prisoners()?;
            shapes.columns[column.owner()?].push(ColumnShape { own, prisoners });
        }
        Color::ALL.iter().for_each(|&color| shapes.columns[color].sort());
        Some(shapes)
    }

    /// How many columns each side commands.
    pub fn pieces(&self) -> Pieces {
        Pieces(ByColor::from_fn(|color| self.columns[color].len()))
    }

    /// The same shapes with the colours exchanged.
    #[must_use]
    pub fn swap_colors(self) -> ColumnShapes {
        ColumnShapes { columns: self.columns.swapped() }
    }
}

impl Ord for ColumnShapes {
    fn cmp(&self, other: &ColumnShapes) -> Ordering {
        (self.pieces(), &self.columns).cmp(&(other.pieces(), &other.columns))
    }
}

impl PartialOrd for ColumnShapes {
    fn partial_cmp(&self, other: &ColumnShapes) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ColumnShapes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::ALL {
            if color == Color::Black {
                f.write_str(" v")?;
            }
            for (i, shape) in self.columns[color].iter().enumerate() {
                let blank = if i > 0 || color == Color::Black { " " } else { "" };
                let column = Column::officers(color, shape.own, shape.prisoners);
                write!(f, "{blank}{}", column.unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

/// How many columns each side commands: `2v3` is two of White's against three of Black's.
///
/// Fewer columns in all come first, then fewer white ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pieces(pub ByColor<usize>);

impl Pieces {
    /// How many columns both sides command together.
    pub fn total(self) -> usize {
        self.0.white + self.0.black
    }
}

impl Ord for Pieces {
    fn cmp(&self, other: &Pieces) -> Ordering {
        (self.total(), self.0.white).cmp(&(other.total(), other.0.white))
    }
}

impl PartialOrd for Pieces {
    fn partial_cmp(&self, other: &Pieces) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.0.white, self.0.black)
    }
}

/// The column shapes of each row of a slice. They are the same in all orbits.
#[derive(Debug)]
pub(super) struct ColumnShapesByRow {
    /// For each row, the place of its shapes in `list`.
    pub of_row: Vec<u32>,
    /// All shapes that occur, each once.
    pub list: Vec<ColumnShapes>,
}

impl ColumnShapesByRow {
    /// The shapes of the slice `index` with `mover` to move.
    pub fn new(index: &SliceIndex, mover: Color) -> ColumnShapesByRow {
        let (mut of_row, mut list) = (Vec::with_capacity(index.rows()), Vec::new());
        let mut known: HashMap<ColumnShapes, u32> = HashMap::new();
        // In the first orbit, the number of a position is its row.
        for row in 0..index.rows() as u64 {
            let Some(shapes) = ColumnShapes::of(&index.position(row).in_colors(mover)) else {
                unreachable!("tables hold positions of officers")
            };
            of_row.push(*known.entry(shapes).or_insert_with_key(|shapes| {
                list.push(shapes.clone());
                list.len() as u32 - 1
            }));
        }
        ColumnShapesByRow { of_row, list }
    }
}
