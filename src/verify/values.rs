//! Every value of a material against those of its successors.

use crate::Done;
use crate::capture_search::Difference;
use crate::forward::{Lookahead, Selection, Workspace};
use crate::index::Material;
use crate::rules::{Color, RuleSet, SquareSet};
use crate::threads::Threads;
use crate::values::SliceValues;
use std::convert::Infallible;

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

/// Which placements are checked on a set of squares; `None` for none.
type Scope<'a> = &'a (dyn Fn(SquareSet) -> Option<Selection> + Sync);

/// Checks the values of positions of `material` with this many `columns`, under `rules`, against those of their
/// successors. `scope` says which positions are checked. The report lists the first `limit` differences.
///
/// `slices[i][j]` holds the values of the slice of `j + 2` columns with the `i`-th
/// [stored side](Material::stored_sides) to move, at least up to `columns`. This is the second half of the
/// work on each position.
///
/// Runs on the threads of the current rayon pool; the report does not depend on how many there are.
pub(super) fn check_values(
    material: Material,
    rules: RuleSet,
    columns: usize,
    slices: &[Vec<SliceValues>],
    scope: Scope,
    limit: usize,
    done: &Done,
) -> ValuesReport {
    let mut report = ValuesReport::default();
    for (side, &color) in material.stored_sides().iter().enumerate() {
        let looking = Lookahead::new(material, rules, slices, side, columns);
        let limit = limit - report.first.len();
        report.append(check_side(color, &looking, scope, limit, done));
    }
    report
}

impl ValuesReport {
    pub(super) fn append(&mut self, next: ValuesReport) {
        self.positions += next.positions;
        self.differences += next.differences;
        self.first.extend(next.first);
    }
}

/// Checks one side to move of a slice.
fn check_side(
    color: Color,
    side: &Lookahead,
    scope: Scope,
    limit: usize,
    done: &Done,
) -> ValuesReport {
    // Tests of small materials have several batches too.
    const BATCH_POSITIONS: usize = if cfg!(test) { 1 << 12 } else { 1 << 17 };
    let (orbits, rows) = (side.index.orbits(), side.index.rows());
    let batch_orbits = (BATCH_POSITIONS / rows).max(1);
    let check_batch = |batch: usize, work: &mut Workspace| {
        let first = batch * batch_orbits;
        let range = first..(first + batch_orbits).min(orbits);
        let positions = (range.len() * rows) as u64;
        let mut report = ValuesReport { positions, ..ValuesReport::default() };
        for orbit in range {
            let set = side.index.sets().representative(orbit);
            let Some(selection) = scope(set) else { continue };
            side.differences(orbit, selection, work, |number, stored, expected| {
                report.differences += 1;
                if report.first.len() < limit {
                    let position = side.index.position(number).in_colors(color);
                    let stored = stored.into();
                    report.first.push(Difference { position, stored, expected });
                }
            });
        }
        done.add(positions);
        Ok::<_, Infallible>(report)
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
