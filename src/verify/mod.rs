//! Verifying: every value of a material against those of its successors, looking forward.
//!
//! One pass over all positions: each one's value is derived again from the stored values of the
//! positions that its moves lead to, and compared with the stored one. This shares no code with the
//! [solver](crate::solve), which looks backward, beyond the rules, the index and [`Value`].
//!
//! # Why this is enough
//!
//! What is checked is only that every value fits those around it, but values that fit everywhere
//! are right. By induction on `n`: a position is stored as decided in `n` plies exactly if it truly
//! is, for the same side.
//!
//! 1. `n = 0`: a position is stored as lost in 0 plies if and only if it has no move, which is what
//!    a loss in 0 plies is; and no position with a move is expected to have a DTW of 0.
//! 2. `n > 0`, a win: stored as won in `n` plies is, since the value fits, the same as having a move
//!    to a position stored as lost in `n − 1`, but none to one stored as lost sooner. By induction,
//!    that is the same with "stored as" left out: a true win in `n`.
//! 3. `n > 0`, a loss: stored as lost in `n` is the same as having moves only to positions stored as
//!    won, the last of them in `n − 1`. Again all of these are stored rightly by induction, and a
//!    position truly lost in `n` has no other moves than these.
//!
//! A position stored as drawn is then truly undecided by any number of plies, and the other way
//! round. So circles of positions that only confirm each other do not occur: a distance would have
//! to be less than itself.
//!
//! If values do differ, the first to blame is a difference with the least distance, stored or
//! expected; others may only follow from it.

mod columns;
mod grade;
mod replies;
mod side;

use crate::Value;
use crate::index::{Material, SliceIndex};
use crate::rules::{Color, Position, RuleSet};
use crate::solve::{Progress, SolvedSlice};
use rayon::prelude::*;
use replies::Replies;
use side::Side;
use std::fmt;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A position whose stored value does not fit those of its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The position, with the side to move.
    pub position: Position,
    /// The value that is stored, for the side to move.
    pub stored: Value,
    /// The value that follows from the values stored for the successors.
    pub expected: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { position, stored, expected } = self;
        write!(f, "{position}: expected {expected}, found {stored}")
    }
}

/// What a check of all values found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValuesReport {
    /// How many positions were checked.
    pub positions: u64,
    /// How many of them do not fit.
    pub differences: u64,
    /// The first differences, up to the limit asked for: by number of columns, then White to move
    /// before Black, then by number.
    pub first: Vec<Difference>,
}

/// Why values cannot be checked at all: they are not the values of the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesError {
    /// Another number of sides to move is stored than [`Material::stored_sides`] says.
    Sides {
        /// How many sides were expected.
        expected: usize,
        /// How many were found.
        found: usize,
    },
    /// A side to move has another number of slices than the material has.
    Slices {
        /// The side to move.
        side: Color,
        /// How many slices were expected.
        expected: usize,
        /// How many were found.
        found: usize,
    },
    /// A slice has another number of positions than the index says.
    Positions {
        /// The side to move.
        side: Color,
        /// The number of columns of the slice.
        columns: usize,
        /// How many positions were expected.
        expected: u64,
        /// How many were found.
        found: u64,
    },
    /// The way in which a slice is kept contradicts itself.
    Disorder {
        /// The side to move.
        side: Color,
        /// The number of columns of the slice.
        columns: usize,
    },
}

impl fmt::Display for ValuesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValuesError::Sides { expected, found } => {
                write!(f, "expected values for {expected} sides to move, found {found}")
            }
            ValuesError::Slices { side, expected, found } => {
                write!(f, "expected {expected} slices with {side} to move, found {found}")
            }
            ValuesError::Positions { side, columns, expected, found } => write!(
                f,
                "expected {expected} positions of {columns} columns with {side} to move, \
                 found {found}"
            ),
            ValuesError::Disorder { side, columns } => write!(
                f,
                "expected values in runs of whole blocks, found runs that contradict each other \
                 in the slice of {columns} columns with {side} to move"
            ),
        }
    }
}

impl std::error::Error for ValuesError {}

/// Checks every value of `material` under `rules` against those of its successors.
///
/// `slices[i][j]` holds the values of the slice of `j + 2` columns with the `i`-th
/// [stored side](Material::stored_sides) to move, as [`Solver::solve`](crate::solve::Solver::solve)
/// returns them. The report lists the first `limit` differences.
///
/// Runs on the threads of the current rayon pool; the report does not depend on how many there are.
///
/// # Errors
/// If the slices are not as many, or not as long, as those of the material.
///
/// ```
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::solve::{Silent, Solver};
/// use lasca_tablebase::verify::check_values;
/// let material = "2-1".parse().unwrap();
/// let slices = Solver::new(material, RuleSet::Lasca).solve(&Silent).unwrap();
/// let report = check_values(material, RuleSet::Lasca, &slices, 10, &Silent).unwrap();
/// assert_eq!((report.positions, report.differences), (2_382, 0));
///
/// // Under other rules they are other values.
/// let report = check_values(material, RuleSet::Rejump, &slices, 10, &Silent).unwrap();
/// assert!(report.differences > 0);
/// ```
pub fn check_values(
    material: Material,
    rules: RuleSet,
    slices: &[Vec<SolvedSlice>],
    limit: usize,
    progress: &dyn Progress,
) -> Result<ValuesReport, ValuesError> {
    check_shape(material, slices)?;
    let mut report = ValuesReport::default();
    for columns in material.columns() {
        let sides = sides_of(material, rules, slices, columns);
        progress.slice_started(
            material,
            columns,
            sides.iter().map(|(_, side)| side.index.positions()).sum(),
        );
        let done = Mutex::new(0);
        for (color, side) in &sides {
            let limit = limit - report.first.len();
            report.append(check_side(*color, side, limit, &|positions| {
                if let Ok(mut done) = done.lock() {
                    *done += positions;
                    progress.positions_checked(*done);
                }
            }));
        }
        progress.slice_finished();
    }
    Ok(report)
}

impl ValuesReport {
    fn append(&mut self, next: ValuesReport) {
        self.positions += next.positions;
        self.differences += next.differences;
        self.first.extend(next.first);
    }
}

fn index_of(material: Material, side: Color, columns: usize) -> SliceIndex {
    match SliceIndex::new(material.counters(side), material.counters(!side), columns) {
        Some(index) => index,
        None => unreachable!("a material has a slice for each of its numbers of columns"),
    }
}

fn check_shape(material: Material, slices: &[Vec<SolvedSlice>]) -> Result<(), ValuesError> {
    let (expected, found) = (material.stored_sides().len(), slices.len());
    if found != expected {
        return Err(ValuesError::Sides { expected, found });
    }
    for (&side, slices) in material.stored_sides().iter().zip(slices) {
        let (expected, found) = (material.columns().count(), slices.len());
        if found != expected {
            return Err(ValuesError::Slices { side, expected, found });
        }
        for (columns, slice) in material.columns().zip(slices) {
            let index = index_of(material, side, columns);
            let (expected, found) = (index.positions(), slice.len());
            if found != expected {
                return Err(ValuesError::Positions { side, columns, expected, found });
            }
            if !slice.is_in_order(index.block_len() as u64) {
                return Err(ValuesError::Disorder { side, columns });
            }
        }
    }
    Ok(())
}

/// The sides to move of a slice, each with the slices that its moves can lead to.
fn sides_of(
    material: Material,
    rules: RuleSet,
    slices: &[Vec<SolvedSlice>],
    columns: usize,
) -> Vec<(Color, Side<'_>)> {
    let side = |(i, &color): (usize, &Color)| {
        // Where only White to move is stored, the replies are White's too, colours exchanged.
        let replying = &slices[(i + 1) % slices.len()];
        let replies = (2..=columns)
            .zip(replying)
            .map(|(columns, values)| (index_of(material, color, columns).for_other_side(), values));
        let values = &slices[i][columns - 2];
        let index = index_of(material, color, columns);
        (color, Side::new(rules, index, values, Replies::new(replies)))
    };
    material.stored_sides().iter().enumerate().map(side).collect()
}

/// Checks one side to move of a slice; `done` is told of each lot of positions checked.
fn check_side(
    color: Color,
    side: &Side,
    limit: usize,
    done: &(dyn Fn(u64) + Sync),
) -> ValuesReport {
    const POSITIONS_A_CHUNK: usize = 1 << 17;
    let (blocks, block_len) = (side.index.blocks(), side.index.block_len());
    let blocks_a_chunk = (POSITIONS_A_CHUNK / block_len).max(1);
    let chunks = blocks.div_ceil(blocks_a_chunk);

    // Each thread takes the next chunk until none is left, so that what it works out about
    // arrangements of columns serves it to the end.
    let next = AtomicUsize::new(0);
    let work_through = |_: usize| {
        let mut work = side.workspace();
        let mut reports = Vec::new();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return reports;
            }
            let first = chunk * blocks_a_chunk;
            let range = first..(first + blocks_a_chunk).min(blocks);
            let report = check_blocks(color, side, range, limit, &mut work);
            done(report.positions);
            reports.push((chunk, report));
        }
    };
    let mut reports: Vec<(usize, ValuesReport)> =
        (0..rayon::current_num_threads()).into_par_iter().flat_map_iter(work_through).collect();
    reports.sort_unstable_by_key(|&(chunk, _)| chunk);

    let mut all = ValuesReport::default();
    for (_, report) in reports {
        all.append(report);
    }
    all.first.truncate(limit);
    all
}

fn check_blocks<'a>(
    color: Color,
    side: &Side<'a>,
    blocks: Range<usize>,
    limit: usize,
    work: &mut side::Workspace<'a>,
) -> ValuesReport {
    let positions = blocks.len() as u64 * side.index.block_len() as u64;
    let mut report = ValuesReport { positions, ..ValuesReport::default() };
    for block in blocks {
        side.differences(block, work, |number, stored, expected| {
            report.differences += 1;
            if report.first.len() < limit {
                let Some(position) = side.index.position(number).to_position(color) else {
                    unreachable!("a position has room for the counters of every material")
                };
                report.first.push(Difference { position, stored, expected });
            }
        });
    }
    report
}
