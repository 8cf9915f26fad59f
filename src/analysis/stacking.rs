//! How counters are stacked, wherever the columns stand.

use crate::index::{SliceIndex, Spare};
use crate::rules::{ByColor, Color, Column, Position};
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::fmt;

/// A column as its owner sees it: counters of its own on top of prisoners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stack {
    /// The owner's counters, at least one.
    pub own: usize,
    /// The other side's counters beneath.
    pub prisoners: usize,
}

/// The highest stack first; of those as high, the one with most counters of its owner.
impl Ord for Stack {
    fn cmp(&self, other: &Stack) -> Ordering {
        let key = |stack: &Stack| Reverse((stack.own + stack.prisoners, stack.own));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Stack {
    fn partial_cmp(&self, other: &Stack) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The columns that each side commands, whatever squares they stand on: `WWB W v BB`.
///
/// Stackings are ordered by their number of columns, then by how many of them are White's, then by
/// White's highest column, the highest first, and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stacking {
    /// Each side's columns in the order of [`Stack`].
    pub stacks: ByColor<Vec<Stack>>,
}

impl Stacking {
    /// The stacking of a position; `None` if a column is not of the form that officers reach.
    ///
    /// ```
    /// use lasca_tablebase::analysis::Stacking;
    /// let position = "a1WWB c3BB g7W w".parse().unwrap();
    /// assert_eq!(Stacking::of(&position).unwrap().to_string(), "WWB W v BB");
    /// ```
    pub fn of(position: &Position) -> Option<Stacking> {
        let mut stacking = Stacking::default();
        for (_, column) in position.columns() {
            let (own, prisoners) = column.own_and_prisoners()?;
            stacking.stacks[column.owner()?].push(Stack { own, prisoners });
        }
        Color::ALL.iter().for_each(|&color| stacking.stacks[color].sort());
        Some(stacking)
    }

    /// How many columns each side commands.
    pub fn pieces(&self) -> Pieces {
        Pieces(ByColor::from_fn(|color| self.stacks[color].len()))
    }

    /// The stacking with the colours exchanged.
    #[must_use]
    pub fn swap_colors(self) -> Stacking {
        Stacking { stacks: self.stacks.swapped() }
    }
}

impl Ord for Stacking {
    fn cmp(&self, other: &Stacking) -> Ordering {
        (self.pieces(), &self.stacks).cmp(&(other.pieces(), &other.stacks))
    }
}

impl PartialOrd for Stacking {
    fn partial_cmp(&self, other: &Stacking) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Stacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::ALL {
            if color == Color::Black {
                f.write_str(" v")?;
            }
            for (i, stack) in self.stacks[color].iter().enumerate() {
                let blank = if i > 0 || color == Color::Black { " " } else { "" };
                let column = Column::officers(color, stack.own, stack.prisoners);
                write!(f, "{blank}{}", column.unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

/// How many columns each side commands: `2v3` is two of White's against three of Black's.
///
/// Ordered by their sum, then by White's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pieces(pub ByColor<usize>);

impl Pieces {
    /// The columns of both sides.
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

/// The stackings of a slice: where in an orbit a position stands decides its stacking, and all orbits
/// are alike.
#[derive(Debug)]
pub(super) struct Stackings {
    /// For each offset in an orbit, the place of its stacking in `list`.
    pub of_offset: Vec<u32>,
    /// Each stacking that occurs, `mover` being to move.
    pub list: Vec<Stacking>,
}

impl Stackings {
    pub fn new(index: &SliceIndex, mover: Color) -> Stackings {
        let columns = index.columns();
        let (mut of_offset, mut list) = (Vec::with_capacity(index.rows()), Vec::new());
        let mut known: HashMap<Stacking, u32> = HashMap::new();
        for split in index.splits() {
            let mover_spares: Vec<Spare> = split.mover_stackings.iter().collect();
            let other_spares: Vec<Spare> = split.other_stackings.iter().collect();
            for mask in split.owner_masks() {
                for mover_spare in &mover_spares {
                    for other_spare in &other_spares {
                        let mut stacking = Stacking::default();
                        for column in 0..columns {
                            let spare =
                                [mover_spare, other_spare].map(|spare| usize::from(spare[column]));
                            let (owner, [own, prisoners]) = if mask >> column & 1 != 0 {
                                (mover, spare)
                            } else {
                                (!mover, [spare[1], spare[0]])
                            };
                            stacking.stacks[owner].push(Stack { own: own + 1, prisoners });
                        }
                        Color::ALL.iter().for_each(|&color| stacking.stacks[color].sort());
                        let place = *known.entry(stacking).or_insert_with_key(|stacking| {
                            list.push(stacking.clone());
                            list.len() as u32 - 1
                        });
                        of_offset.push(place);
                    }
                }
            }
        }
        Stackings { of_offset, list }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_the_stacking_of_their_position() {
        let index = SliceIndex::new(4, 3, 4).unwrap();
        let stackings = Stackings::new(&index, Color::Black);
        assert_eq!(stackings.of_offset.len(), index.rows());
        for offset in (0..index.rows()).step_by(11) {
            let number = (5 * index.rows() + offset) as u64;
            let position = index.position(number).to_position(Color::Black).unwrap();
            let expected = Stacking::of(&position).unwrap();
            assert_eq!(stackings.list[stackings.of_offset[offset] as usize], expected);
        }
    }

    #[test]
    fn stackings_are_written_as_columns() {
        let stacking = Stacking {
            stacks: ByColor {
                white: vec![Stack { own: 2, prisoners: 1 }, Stack { own: 1, prisoners: 0 }],
                black: vec![Stack { own: 2, prisoners: 0 }],
            },
        };
        assert_eq!(stacking.to_string(), "WWB W v BB");
        assert_eq!(stacking.pieces().to_string(), "2v1");
        assert_eq!(stacking.swap_colors().to_string(), "WW v BBW B");
    }
}
