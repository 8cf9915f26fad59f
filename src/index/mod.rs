//! Position ↔ number: pure arithmetic, no table of positions.
//!
//! A **material** `a-b` splits into **slices**, one for each number of columns `k`; a slice splits
//! into **orbits**, one for each set of `k` occupied squares up to the eight symmetries of the
//! board; an orbit holds every way to give those columns owners and stacks. Everything is seen by
//! the side to move: of its `n` counters and the other side's `m`, so the two sides of material
//! `4-3` are the slices of `(4, 3)` and of `(3, 4)`, and of `4-4` there is just one.
//!
//! ```text
//! number   = orbit × orbit length + offset
//! orbit    = ordinal of the occupied set's representative among all representatives
//! offset   = split(c) + (ordinal of owner mask × S(n − c) + mover's stacking) × S(m − k + c)
//!            + other side's stacking
//! S(spare) = C(spare + k − 1, k − 1)
//! ```
//!
//! where the mover commands `c` of the `k` columns, and a split holds all positions with the same
//! `c`. Each of the mover's columns holds at least one of its counters, and the `n − c` that are
//! to spare lie on any of the `k` columns, on top of its own or as prisoners: a weak composition
//! of the spare counters into `k` parts ([`Stackings`]). The orbit length is the sum over `c` of
//! `C(k, c) × S(n − c) × S(m − k + c)`.
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

mod binomial;
mod columns;
mod material;
mod occupied;
mod permutation;
mod slice;
mod stacking;

pub use binomial::binomial;
pub(crate) use columns::columns_on;
pub use material::{Material, MaterialError};
pub use occupied::OccupiedSets;
pub use permutation::{Permutation, PermutationMap, PermutationMaps};
pub use slice::{SliceIndex, Split};
pub(crate) use stacking::LaidOrdinals;
pub use stacking::{Spare, Stackings};
