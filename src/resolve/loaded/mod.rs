//! All values of a table in memory, decoded, so that to answer is to look up.
//!
//! | module | what is there |
//! | --- | --- |
//! | `codes` | values as small numbers: win, draw or loss in two bits, distances in eight |
//! | `cells` | the codes of a slice, packed |
//! | `filling` | filling them: what is stored, then what follows |
//! | `follow`, `paths` | what all moves of an orbit lead to, for all owner masks and stackings at once |
//! | `threads` | work on several threads |

mod cells;
mod codes;
mod filling;
mod follow;
mod paths;
mod threads;

use crate::index::{Extent, SliceIndex};
use crate::rules::OfficerPosition;
use crate::{Value, Wdl};
use cells::Cells;
use codes::{Code, DtwCode, WdlCode};
pub(crate) use threads::Threads;

/// Win, draw or loss of every position of a table, in two bits for each.
pub(crate) type LoadedWdl = Loaded<WdlCode>;
/// The values of every position of a table with their distances, in a byte for each.
pub(crate) type LoadedDtw = Loaded<DtwCode>;

/// The values of every position of a table.
#[derive(Debug)]
pub(crate) struct Loaded<C> {
    white: usize,
    /// For each stored side to move, the slices from two columns on.
    slices: Vec<Vec<LoadedSlice<C>>>,
}

/// The values of a slice.
#[derive(Debug)]
struct LoadedSlice<C> {
    index: SliceIndex,
    cells: Cells<C>,
}

impl<C: Code> Loaded<C> {
    /// How many bytes of memory the values of a table take.
    pub fn bytes_of(extent: Extent) -> u64 {
        let material = extent.material();
        let slices = material
            .stored_sides()
            .iter()
            .flat_map(|&side| extent.columns().map(move |columns| material.slice(side, columns)));
        slices.map(|index| Cells::<C>::bytes_of(&index)).sum()
    }

    /// The code of a position of the material; `None` if it is not one.
    #[inline]
    fn code(&self, position: &OfficerPosition) -> Option<u8> {
        let side = usize::from(position.mover_and_other().0 != self.white);
        let columns = position.placement().occupied().len();
        let slice = self.slices.get(side)?.get(columns.checked_sub(2)?)?;
        let (orbit, row, _) = slice.index.locate(position)?;
        Some(slice.cells.get(orbit, row))
    }
}

impl LoadedWdl {
    /// Win, draw or loss of a position, as [`Table::wdl`](crate::table::Table::wdl) gives it; `None`
    /// if the position is not of this table.
    #[inline]
    pub fn wdl(&self, position: &OfficerPosition) -> Option<Wdl> {
        self.code(position).and_then(WdlCode::wdl)
    }
}

impl LoadedDtw {
    /// The value of a position, as [`Table::value`](crate::table::Table::value) gives it; `None` if
    /// the position is not of this table, or if its distance does not fit a byte.
    #[inline]
    pub fn value(&self, position: &OfficerPosition) -> Option<Value> {
        self.code(position).and_then(DtwCode::value)
    }
}
