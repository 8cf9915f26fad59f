//! Verifying: every value of a material against those of its successors, looking forward.
//!
//! One pass over all positions: each one's value is derived again from the stored values of the
//! positions that its moves lead to, and compared with the stored one. This shares no code with the
//! [solver](crate::retrograde), which looks backward, beyond the rules, the index and [`Value`].
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

use crate::Progress;
use crate::Value;
use crate::forward::{Placements, Replies, Side, Workspace};
use crate::index::Material;
use crate::rules::{Color, Position, RuleSet, SquareSet};
use crate::table::{SliceReader, Table};
use crate::values::SliceValues;
use rayon::prelude::*;
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
        }
    }
}

impl std::error::Error for ValuesError {}

/// Checks every value of `material` under `rules` against those of its successors.
///
/// `slices[i][j]` holds the values of the slice of `j + 2` columns with the `i`-th
/// [stored side](Material::stored_sides) to move, as [`Solver::solve`](crate::retrograde::Solver::solve)
/// returns them. The report lists the first `limit` differences.
///
/// Runs on the threads of the current rayon pool; the report does not depend on how many there are.
///
/// # Errors
/// If the slices are not as many, or not as long, as those of the material.
///
/// ```
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::Silent;
/// use lasca_tablebase::retrograde::Solver;
/// use lasca_tablebase::verify::check_values;
/// let material = "2-1".parse().unwrap();
/// let slices = Solver::new(material, RuleSet::Lasca).solve(&Silent).unwrap();
/// let report = check_values(material, RuleSet::Lasca, &slices, 10, &Silent).unwrap();
/// assert_eq!((report.positions, report.differences), (2_332, 0));
///
/// // Under other rules they are other values.
/// let report = check_values(material, RuleSet::Rejump, &slices, 10, &Silent).unwrap();
/// assert!(report.differences > 0);
/// ```
pub fn check_values(
    material: Material,
    rules: RuleSet,
    slices: &[Vec<SliceValues>],
    limit: usize,
    progress: &dyn Progress,
) -> Result<ValuesReport, ValuesError> {
    check_values_of(material, rules, slices, &|_, _| Placements::All, limit, progress)
}

/// As [`check_values`], for the values of a table, as a [`SliceReader`] gives them. Values that are
/// not stored were worked out from the others by the rules, just as they would be checked here; so
/// those that are stored are checked, the WDLs of positions without a DTW by the reader itself: see
/// [`SliceReader::contradictions`].
///
/// ```
/// use lasca_tablebase::Silent;
/// use lasca_tablebase::table::{SliceReader, Table};
/// use lasca_tablebase::verify::check_table;
/// let table = Table::open_file("tables/lasca-3-1.ltbw".as_ref()).unwrap();
/// let mut reader = SliceReader::new(&table);
/// while reader.read_next()?.is_some() {}
/// let report = check_table(&table, &reader, 10, &Silent).unwrap();
/// assert_eq!((report.positions, report.differences), (19_820, 0));
/// assert!(reader.contradictions().is_empty());
/// # Ok::<(), lasca_tablebase::table::TableError>(())
/// ```
///
/// # Errors
/// If the reader has not read all slices.
pub fn check_table<D: AsRef<[u8]> + Sync>(
    table: &Table<D>,
    reader: &SliceReader<D>,
    limit: usize,
    progress: &dyn Progress,
) -> Result<ValuesReport, ValuesError> {
    let stored = |columns: usize, set: SquareSet| table.stored_placements(columns, set);
    check_values_of(table.material(), table.rules(), reader.slices(), &stored, limit, progress)
}

/// Which placements are checked on a set of squares, by the number of columns.
type Scope<'a> = &'a (dyn Fn(usize, SquareSet) -> Placements + Sync);

fn check_values_of(
    material: Material,
    rules: RuleSet,
    slices: &[Vec<SliceValues>],
    scope: Scope,
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
            report.append(check_side(*color, side, scope, limit, &|positions| {
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

fn check_shape(material: Material, slices: &[Vec<SliceValues>]) -> Result<(), ValuesError> {
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
            let index = material.slice(side, columns);
            let (expected, found) = (index.positions(), slice.len());
            if found != expected {
                return Err(ValuesError::Positions { side, columns, expected, found });
            }
        }
    }
    Ok(())
}

/// The sides to move of a slice, each with the slices that its moves can lead to.
fn sides_of(
    material: Material,
    rules: RuleSet,
    slices: &[Vec<SliceValues>],
    columns: usize,
) -> Vec<(Color, Side<'_>)> {
    let side = |(i, &color): (usize, &Color)| {
        // Where only White to move is stored, the replies are White's too, colours exchanged.
        let replying = &slices[(i + 1) % slices.len()];
        let replies = (2..=columns)
            .zip(replying)
            .map(|(columns, values)| (material.slice(color, columns).for_other_side(), values));
        let values = &slices[i][columns - 2];
        let index = material.slice(color, columns);
        (color, Side::new(rules, index, values, Replies::new(replies)))
    };
    material.stored_sides().iter().enumerate().map(side).collect()
}

/// Checks one side to move of a slice; `done` is told of each lot of positions checked.
fn check_side(
    color: Color,
    side: &Side,
    scope: Scope,
    limit: usize,
    done: &(dyn Fn(u64) + Sync),
) -> ValuesReport {
    const POSITIONS_A_CHUNK: usize = 1 << 17;
    let (orbits, rows) = (side.index.orbits(), side.index.rows());
    let orbits_a_chunk = (POSITIONS_A_CHUNK / rows).max(1);
    let chunks = orbits.div_ceil(orbits_a_chunk);

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
            let first = chunk * orbits_a_chunk;
            let range = first..(first + orbits_a_chunk).min(orbits);
            let report = check_orbits(color, side, scope, range, limit, &mut work);
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

fn check_orbits<'a>(
    color: Color,
    side: &Side<'a>,
    scope: Scope,
    orbits: Range<usize>,
    limit: usize,
    work: &mut Workspace<'a>,
) -> ValuesReport {
    let positions = orbits.len() as u64 * side.index.rows() as u64;
    let mut report = ValuesReport { positions, ..ValuesReport::default() };
    for orbit in orbits {
        let set = side.index.sets().representative(orbit);
        let wanted = scope(side.index.columns(), set);
        if wanted == Placements::None {
            continue;
        }
        side.differences(orbit, wanted, work, |number, stored, expected| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::retrograde::Solver;

    fn up_to(total: usize) -> impl Iterator<Item = Material> {
        (2..=total).flat_map(Material::with_total)
    }

    fn material(text: &str) -> Material {
        text.parse().unwrap()
    }

    fn solve(material: Material, rules: RuleSet) -> Vec<Vec<SliceValues>> {
        Solver::new(material, rules).solve(&Silent).unwrap()
    }

    fn check(material: Material, rules: RuleSet, slices: &[Vec<SliceValues>]) -> ValuesReport {
        check_values(material, rules, slices, usize::MAX, &Silent).unwrap()
    }

    fn assert_right(material: Material, rules: RuleSet, slices: &[Vec<SliceValues>]) {
        let report = check(material, rules, slices);
        assert_eq!(report.positions, material.positions_to_store());
        assert_eq!(report.differences, 0, "{rules} {material}: {:?}", report.first.first());
    }

    /// Some value or other for each position, most of them wrong; a few of them late.
    fn scramble(slices: &mut [Vec<SliceValues>]) {
        let mut state = 1u64;
        for slice in slices.iter_mut().flatten() {
            for number in 0..slice.len() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let random = (state >> 40) as u16;
                let dtw =
                    if random.is_multiple_of(97) { 180 + random % 1000 } else { random % 150 };
                slice.corrupt(
                    number,
                    match (random >> 13, dtw % 2) {
                        (0, _) => Value::Draw,
                        (_, 0) => Value::Loss(dtw),
                        (_, _) => Value::Win(dtw),
                    },
                );
            }
        }
    }

    fn compare_both_ways(
        material: Material,
        rules: RuleSet,
        slices: &[Vec<SliceValues>],
        orbit_step: usize,
    ) {
        for columns in material.columns() {
            for (color, side) in sides_of(material, rules, slices, columns) {
                let mut work = side.workspace();
                for orbit in (0..side.index.orbits()).step_by(orbit_step) {
                    side.grade_orbit(orbit, Placements::All, &mut work);
                    let first = (orbit * side.index.rows()) as u64;
                    for (number, &grade) in (first..).zip(&work.grades) {
                        assert_eq!(
                            side.value(number, grade),
                            Some(side.expected(number)),
                            "{rules} {material}, {color} to move: {:?}",
                            side.index.position(number)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn orbits_give_the_same_expectations_as_positions_whatever_the_values() {
        for rules in RuleSet::ALL {
            for material in up_to(4) {
                let mut slices = solve(material, rules);
                compare_both_ways(material, rules, &slices, 1);
                scramble(&mut slices);
                compare_both_ways(material, rules, &slices, 1);
            }
            let mut slices = solve(material("3-2"), rules);
            scramble(&mut slices);
            compare_both_ways(material("3-2"), rules, &slices, 5);
        }
        for text in ["5-1", "3-3"] {
            let mut slices = solve(material(text), RuleSet::Lasca);
            scramble(&mut slices);
            compare_both_ways(material(text), RuleSet::Lasca, &slices, 61);
        }
    }

    #[test]
    fn solved_values_have_no_differences() {
        for rules in RuleSet::ALL {
            for material in up_to(if rules == RuleSet::Lasca { 5 } else { 4 }) {
                assert_right(material, rules, &solve(material, rules));
            }
        }
    }

    #[test]
    fn values_that_are_listed_as_late_have_no_differences() {
        for first_late in [1, 2, 8, 21] {
            for text in ["2-2", "3-1"] {
                let solver = Solver::new(material(text), RuleSet::Lasca);
                let slices = solver.first_late_ply(first_late).solve(&Silent).unwrap();
                assert_right(material(text), RuleSet::Lasca, &slices);
            }
        }
    }

    #[test]
    fn values_of_other_rules_have_differences() {
        let slices = solve(material("2-1"), RuleSet::Lasca);
        for rules in [RuleSet::Bignor, RuleSet::Rejump] {
            let own = solve(material("2-1"), rules);
            let differences = check(material("2-1"), rules, &slices).differences;
            assert_eq!(differences > 0, own != slices, "{rules}");
        }
    }

    #[test]
    fn every_single_wrong_value_is_reported() {
        let others = [Value::Draw, Value::Loss(0), Value::Win(1), Value::Loss(6), Value::Win(301)];
        for rules in RuleSet::ALL {
            for (text, step) in [("1-1", 1), ("2-1", 3), ("2-2", 151)] {
                let material = material(text);
                let mut slices = solve(material, rules);
                let mut count = 0;
                for (i, &color) in material.stored_sides().iter().enumerate() {
                    for (j, columns) in material.columns().enumerate() {
                        let index = material.slice(color, columns);
                        for number in (0..slices[i][j].len()).step_by(step) {
                            let right = slices[i][j].value(number);
                            let wrong = others[count % others.len()];
                            count += 1;
                            if wrong == right {
                                continue;
                            }
                            slices[i][j].corrupt(number, wrong);
                            let report = check(material, rules, &slices);
                            let position = index.position(number).to_position(color).unwrap();
                            let difference =
                                Difference { position, stored: wrong, expected: right };
                            assert!(report.first.contains(&difference), "{rules} {position:?}");
                            assert_eq!(report.first.len() as u64, report.differences);
                            slices[i][j].corrupt(number, right);
                        }
                    }
                }
                assert_right(material, rules, &slices);
            }
        }
    }

    #[test]
    fn the_report_is_the_same_on_any_number_of_threads_and_limited_in_order() {
        let material = material("3-2");
        let mut slices = solve(material, RuleSet::Lasca);
        scramble(&mut slices);
        let all = check(material, RuleSet::Lasca, &slices);
        assert_eq!(all.first.len() as u64, all.differences);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for limit in [0, 1, 700, 50_000] {
                let report = pool
                    .install(|| check_values(material, RuleSet::Lasca, &slices, limit, &Silent))
                    .unwrap();
                assert_eq!(report.differences, all.differences);
                assert_eq!(report.first, all.first[..limit]);
            }
        }
    }

    #[test]
    fn values_of_another_shape_are_refused() {
        let check = |text: &str, slices: &[Vec<SliceValues>]| {
            check_values(material(text), RuleSet::Lasca, slices, 1, &Silent)
        };
        let good = solve(material("2-1"), RuleSet::Lasca);
        let error = Err(ValuesError::Sides { expected: 2, found: 1 });
        assert_eq!(check("2-1", &good[..1]), error);
        let error = Err(ValuesError::Sides { expected: 2, found: 0 });
        assert_eq!(check("2-1", &[]), error);

        let mut short = good.clone();
        short[1].pop();
        let error = ValuesError::Slices { side: Color::Black, expected: 2, found: 1 };
        assert_eq!(check("2-1", &short), Err(error));

        let mut swapped = good.clone();
        swapped[0].swap(0, 1);
        let error =
            ValuesError::Positions { side: Color::White, columns: 2, expected: 200, found: 966 };
        assert_eq!(check("2-1", &swapped), Err(error));
        let message = "expected 200 positions of 2 columns with White to move, found 966";
        assert_eq!(error.to_string(), message);

        let mut empty = good;
        empty[0][1] = SliceValues::from_distances(std::iter::empty());
        assert!(matches!(check("2-1", &empty), Err(ValuesError::Positions { columns: 3, .. })));
    }

    #[test]
    fn progress_counts_every_position_once() {
        #[derive(Default)]
        struct Counts(Mutex<(u64, u64, u64)>);
        impl Progress for Counts {
            fn slice_started(&self, _: Material, _: usize, positions: u64) {
                self.0.lock().unwrap().0 += positions;
                self.0.lock().unwrap().1 = 0;
            }
            fn positions_checked(&self, done: u64) {
                let mut counts = self.0.lock().unwrap();
                assert!(done > counts.1);
                counts.1 = done;
            }
            fn slice_finished(&self) {
                let mut counts = self.0.lock().unwrap();
                counts.2 += counts.1;
            }
        }
        let counts = Counts::default();
        let slices = solve(material("3-2"), RuleSet::Lasca);
        check_values(material("3-2"), RuleSet::Lasca, &slices, 1, &counts).unwrap();
        let counts = counts.0.into_inner().unwrap();
        assert_eq!((counts.0, counts.2), (301_260, 301_260));
    }
}
