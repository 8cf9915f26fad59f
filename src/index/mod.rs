//! Numbers for positions of officers: pure arithmetic, without any table of positions.
//!
//! A **material** `4-3` has a **slice** for each side to move and each number of columns. A slice
//! has an **orbit** for each set of occupied squares, where sets that a symmetry of the board maps
//! onto each other count as one. An orbit has a **row** for each way to give those columns owners
//! and counters, and all orbits of a slice have the same rows. A position is thus an orbit and a
//! row, and its **number** within the slice is
//!
//! ```text
//! number = orbit × rows + row
//! ```
//!
//! Everything is seen by the side to move, the *mover*: a slice of `k` columns is known by the
//! mover's `n` counters and the other side's `m`. The two sides to move of `4-3` are the slices of
//! `(4, 3)` and of `(3, 4)`; `4-4` has just one.
//!
//! The rows in which the mover commands the same number `c` of columns make a **split**. Each
//! column holds at least one counter of its owner. So the mover has `n − c` *spare* counters, which
//! lie on any of the `k` columns, on top of its own or as prisoners; and the other side has
//! `m − (k − c)`. A **stacking** says how many spare counters of one side lie on each column.
//! There are `S(spare)` of them for each side, and:
//!
//! ```text
//! row      = first row of the split
//!            + (ordinal of the owner mask × S(n − c) + ordinal of the mover's stacking)
//!              × S(m − k + c)
//!            + ordinal of the other side's stacking
//! S(spare) = C(spare + k − 1, k − 1)
//! rows     = sum over c of C(k, c) × S(n − c) × S(m − k + c)
//! ```
//!
//! An **owner mask** has a bit for each column, set where the mover commands it. An **ordinal** is
//! the place of a set, mask or stacking in its enumeration, from 0.
//!
//! ```
//! use lasca_tablebase::index::{Material, SliceIndex};
//! use lasca_tablebase::rules::{OfficerPosition, Position};
//! let position: Position = "a1WWW b2BBB w".parse().unwrap();
//! let slice = SliceIndex::new(3, 3, 2).unwrap();
//! let officers = OfficerPosition::try_from(&position).unwrap();
//! let number = slice.number(&officers).unwrap();
//! assert!(number < slice.positions());
//! ```

mod arrangement_maps;
mod binomial;
mod columns;
mod extent;
mod lists;
mod mask_map;
mod material;
mod occupied;
pub(crate) mod owner_masks;
pub(crate) mod slice;
mod stacking;

pub(crate) use binomial::binomial;
pub(crate) use columns::{Arrangement, ColumnSquares, OrbitColumns, subsets};
pub use extent::{Extent, ExtentError};
pub(crate) use lists::{SliceLists, SplitLists};
pub(crate) use mask_map::MaskMap;
pub use material::{Material, MaterialError};
pub(crate) use occupied::OccupiedSets;
pub use slice::SliceIndex;
pub(crate) use slice::{MaskRows, Split};
pub(crate) use stacking::{ColumnCounts, Laid, LaidOrdinals, ListedStacking, Spare, Stackings};
#[cfg(feature = "generate")]
pub(crate) use {
    arrangement_maps::{ArrangementMaps, Masks},
    slice::position_of,
};
