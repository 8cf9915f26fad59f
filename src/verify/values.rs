//! Every value of a material against those of its successors.

use crate::forward::{Lookahead, Selection, Workspace};
use crate::index::Material;
use crate::resolve::Threads;
use crate::rules::{Color, Position, RuleSet, SquareSet};
use crate::values::SliceValues;
use crate::{Progress, Rating, Value};
use std::convert::Infallible;
use std::fmt;
use std::sync::Mutex;

/// A position whose stored value does not fit those of its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Difference {
    /// The position, with the side to move.
    pub position: Position,
    /// What is stored, for the side to move: its value, or its result alone, because the distance follows
    /// from other values.
    pub stored: Rating,
    /// The value that follows from the values of the successors.
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
#[non_exhaustive]
pub struct ValuesReport {
    /// How many positions were checked.
    pub positions: u64,
    /// How many of them do not fit.
    pub differences: u64,
    /// The first differences, up to the limit asked for: by number of columns, then White to move
    /// before Black, then by number.
    pub first: Vec<Difference>,
}

/// Which placements are checked on a set of squares, by the number of columns.
type Scope<'a> = &'a (dyn Fn(usize, SquareSet) -> Selection + Sync);

/// Checks values of `material` under `rules` against those of their successors. `scope` says which
/// positions are checked. The report lists the first `limit` differences.
///
/// `slices[i][j]` holds the values of the slice of `j + 2` columns with the `i`-th
/// [stored side](Material::stored_sides) to move, up to some number of columns.
///
/// Runs on the threads of the current rayon pool; the report does not depend on how many there are.
pub(super) fn check_values(
    material: Material,
    rules: RuleSet,
    slices: &[Vec<SliceValues>],
    scope: Scope,
    limit: usize,
    progress: &dyn Progress,
) -> ValuesReport {
    let mut report = ValuesReport::default();
    for columns in (2..).take(slices.first().map_or(0, Vec::len)) {
        let sides = Lookahead::of_each_side(material, rules, slices, columns);
        progress.slice_started(
            material,
            columns,
            sides.iter().map(|(_, side)| side.index.positions()).sum(),
        );
        let done = Mutex::new(0);
        for (color, side) in &sides {
            let limit = limit - report.first.len();
            report.append(check_side(*color, side, scope, limit, &|positions| {
                if let Ok(mut done) = done.lock() {
                    *done += positions;
                    progress.positions_checked(*done);
                }
            }));
        }
        progress.slice_finished();
    }
    report
}

impl ValuesReport {
    fn append(&mut self, next: ValuesReport) {
        self.positions += next.positions;
        self.differences += next.differences;
        self.first.extend(next.first);
    }
}

/// Checks one side to move of a slice, and calls `done` with the size of each batch when it is checked.
fn check_side(
    color: Color,
    side: &Lookahead,
    scope: Scope,
    limit: usize,
    done: &(dyn Fn(u64) + Sync),
) -> ValuesReport {
    const BATCH_POSITIONS: usize = 1 << 17;
    let (orbits, rows) = (side.index.orbits(), side.index.rows());
    let batch_orbits = (BATCH_POSITIONS / rows).max(1);
    let check_batch = |batch: usize, work: &mut Workspace| {
        let first = batch * batch_orbits;
        let range = first..(first + batch_orbits).min(orbits);
        let positions = (range.len() * rows) as u64;
        let mut report = ValuesReport { positions, ..ValuesReport::default() };
        for orbit in range {
            let set = side.index.sets().representative(orbit);
            let selection = scope(side.index.columns(), set);
            if selection == Selection::None {
                continue;
            }
            side.differences(orbit, selection, work, |number, stored, expected| {
                report.differences += 1;
                if report.first.len() < limit {
                    let Some(position) = side.index.position(number).to_position(color) else {
                        unreachable!("a position has room for the counters of every material")
                    };
                    let stored = stored.into();
                    report.first.push(Difference { position, stored, expected });
                }
            });
        }
        done(positions);
        Ok::<ValuesReport, Infallible>(report)
    };
    let batches = orbits.div_ceil(batch_orbits);
    let Ok(reports) = Threads::of_pool().map(batches, Workspace::default, check_batch);

    let mut all = ValuesReport::default();
    for report in reports {
        all.append(report);
    }
    all.first.truncate(limit);
    all
}
