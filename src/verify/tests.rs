//! Tests that solve small materials and check them, right and wrong.

use super::values::check_values;
use super::*;
use crate::capture_search::{KeepIn, SliceReader};
use crate::forward::{Lookahead, Selection, Workspace};
use crate::index::{Material, SliceIndex};
use crate::rules::{OfficerPosition, RuleSet};
use crate::table::{BlockCache, BlockId, DecodedBlock, NoCache, Table};
use crate::testing::{Files, Numbers, material, materials_up_to, solve};
use crate::values::SliceValues;
use crate::{Done, Progress, Silent, Value, ValueRange};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

fn check(material: Material, rules: RuleSet, slices: &[Vec<SliceValues>]) -> ValuesReport {
    let (scope, limit) = (|_| Some(Selection::All), usize::MAX);
    let mut report = ValuesReport::default();
    for columns in material.columns() {
        let done = Done::new(&Silent);
        report.append(check_values(material, rules, columns, slices, &scope, limit, &done));
    }
    report
}

/// Some value or other for each position, most of them wrong; a few of them late.
fn scramble(slices: &mut [Vec<SliceValues>]) {
    let mut numbers = Numbers(1);
    for slice in slices.iter_mut().flatten() {
        for number in 0..slice.len() {
            let random = numbers.any() as u16;
            let dtw = if random.is_multiple_of(97) { 180 + random % 1000 } else { random % 150 };
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
        for (number, color) in material.stored_sides().iter().enumerate() {
            let side = Lookahead::new(material, rules, slices, number, columns);
            let mut work = Workspace::default();
            for orbit in (0..side.index.orbits()).step_by(orbit_step) {
                side.select(orbit, Selection::All, &mut work);
                side.grade_selected(orbit, &mut work);
                let first = (orbit * side.index.rows()) as u64;
                for (number, &grade) in (first..).zip(&work.grades) {
                    assert_eq!(
                        side.value(number, grade),
                        side.expected(number),
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
        for material in materials_up_to(4) {
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

/// A wrong value instead of a right one: another result, or the same a little sooner or later, or much
/// later.
fn altered(right: Value, numbers: &mut Numbers) -> Value {
    let plies = 2 * numbers.below(30) as u16;
    loop {
        let wrong = match (numbers.below(6), right) {
            (0, _) => Value::Draw,
            (1, _) => Value::Win(plies + 1),
            (2, _) => Value::Loss(plies),
            (3, Value::Win(dtw)) => Value::Win(dtw + 2),
            (3, Value::Loss(dtw)) => Value::Loss(dtw + 2),
            (4, Value::Win(dtw @ 3..)) => Value::Win(dtw - 2),
            (4, Value::Loss(dtw @ 2..)) => Value::Loss(dtw - 2),
            (5, Value::Win(dtw)) => Value::Win(dtw + 252),
            (5, Value::Loss(dtw)) => Value::Loss(dtw + 252),
            _ => right,
        };
        if wrong != right {
            return wrong;
        }
    }
}

/// Alters this many values, half of them those of capture positions.
fn alter(material: Material, slices: &mut [Vec<SliceValues>], count: usize, numbers: &mut Numbers) {
    for changed in 0..count {
        let side = numbers.below(slices.len());
        let columns = 2 + numbers.below(slices[side].len());
        let index = material.slice(material.stored_sides()[side], columns);
        let slice = &mut slices[side][columns - 2];
        let is_wanted =
            |number: u64| index.position(number).placement().must_capture() == (changed % 2 == 0);
        let number = loop {
            let number = numbers.any() % slice.len();
            if is_wanted(number) {
                break number;
            }
        };
        slice.corrupt(number, altered(slice.value(number), numbers));
    }
}

/// The rule sets with materials that are small enough to look at every position several times.
fn small_materials() -> impl Iterator<Item = (RuleSet, Material)> {
    let of_rules = |rules| ["2-1", "2-2", "3-1"].map(move |text| (rules, material(text)));
    RuleSet::ALL.into_iter().flat_map(of_rules).chain([(RuleSet::Lasca, material("3-2"))])
}

/// Keeps every block.
#[derive(Default)]
struct AllBlocks(Mutex<HashMap<BlockId, Arc<DecodedBlock>>>);

impl BlockCache for AllBlocks {
    fn get(&self, id: BlockId) -> Option<Arc<DecodedBlock>> {
        self.0.lock().unwrap().get(&id).cloned()
    }

    fn put(&self, id: BlockId, block: &Arc<DecodedBlock>) {
        self.0.lock().unwrap().insert(id, Arc::clone(block));
    }
}

/// Reads values position by position.
struct PlainReader<'a> {
    table: &'a Table,
    blocks: AllBlocks,
    known: HashMap<OfficerPosition, Value>,
}

impl PlainReader<'_> {
    /// The value of a position, stored or not.
    fn value(&mut self, position: &OfficerPosition) -> Value {
        if position.placement().mover.is_empty() {
            return Value::Loss(0);
        }
        // A position on a symmetric set has several numbers, whose values differ if one of them is wrong.
        // So what follows is looked for from the position that the number stands for.
        let (mover, other) = position.mover_and_other();
        let index = SliceIndex::new(mover, other, position.placement().occupied().len()).unwrap();
        let position = index.position(index.number(position).unwrap());
        let side = self.table.side_of(&position).unwrap();
        let cell = self.table.cell(&position, side).unwrap();
        let stored = cell.and_then(|cell| self.table.stored_value(cell, &self.blocks).unwrap());
        if let Some(value) = stored.or(self.known.get(&position).copied()) {
            return value;
        }
        let value = self.expected(&position);
        self.known.insert(position, value);
        value
    }

    /// The value that follows from the values after the moves.
    fn expected(&mut self, position: &OfficerPosition) -> Value {
        let mut after = Vec::new();
        if position.placement().must_capture() {
            position.captures(self.table.rules(), |position| after.push(*position));
        } else {
            after.extend(position.placement().steps().map(|step| position.after_step(step)));
        }
        let values = after.iter().map(|after| self.value(after).before_move());
        values.max().unwrap_or(Value::Loss(0))
    }

    /// All stored values that do not follow.
    fn differences(&mut self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for slice in self.table.slices() {
            let side = self.table.material().stored_sides()[slice.side()];
            for number in 0..slice.index().positions() {
                let position = slice.index().position(number);
                let cell = self.table.cell(&position, slice.side()).unwrap();
                let Some(cell) = cell else { continue };
                let expected = self.expected(&position);
                let (stored, is_right) = match self.table.stored_value(cell, &self.blocks).unwrap()
                {
                    Some(value) => (ValueRange::from(value), value == expected),
                    None => {
                        let wdl = self.table.stored_wdl(cell).unwrap();
                        (wdl.into(), wdl == expected.wdl())
                    }
                };
                if !is_right {
                    let position = position.to_position(side).unwrap();
                    differences.push(Difference { position, stored, expected });
                }
            }
        }
        differences
    }
}

#[test]
fn altered_tables_are_read_and_checked_as_by_looking_at_each_position() {
    let mut numbers = Numbers(2);
    for (rules, material) in small_materials() {
        // Of the largest material, two tables are enough.
        let tables = [(false, 40), (true, 10), (false, 2), (true, 1), (true, 200)];
        for (full, count) in tables.into_iter().take(if material.total() > 4 { 2 } else { 5 }) {
            let mut slices = solve(material, rules);
            alter(material, &mut slices, count, &mut numbers);
            let table = Files::written((material, rules), &slices, |_| !full).table();

            let sorted = |mut differences: Vec<Difference>| {
                differences.sort_by_key(|difference| difference.to_string());
                differences
            };
            let (blocks, known) = (AllBlocks::default(), HashMap::new());
            let plain = PlainReader { table: &table, blocks, known }.differences();
            let ContentsReport::Checked { values, .. } =
                check_contents(&table, KeepIn::Files, usize::MAX, &Silent)
            else {
                panic!("{rules} {material} cannot be checked")
            };
            // Of a value that is stored as a WDL alone, an altered distance is not stored.
            assert!(plain.len() >= (count / 8).max(full.into()), "{rules} {material}");
            assert_eq!(values.differences, plain.len() as u64, "{rules} {material}");
            assert!(sorted(values.first) == sorted(plain), "{rules} {material}");
        }
    }
}

#[test]
fn the_contradictions_that_are_listed_are_the_first_ones() {
    let (material, rules) = (material("3-2"), RuleSet::Lasca);
    let mut slices = solve(material, rules);
    alter(material, &mut slices, 60_000, &mut Numbers(3));
    let table = Files::written((material, rules), &slices, |_| true).table();
    let mut reader = SliceReader::new(&table);
    while reader.read_next().unwrap().is_some() {}
    let (blocks, known) = (AllBlocks::default(), HashMap::new());
    let mut first = PlainReader { table: &table, blocks, known }.differences();
    // Those of positions of which only the result is stored.
    first.retain(|difference| {
        let officers = OfficerPosition::try_from(&difference.position).unwrap();
        let side = table.side_of(&officers).unwrap();
        let cell = table.cell(&officers, side).unwrap().unwrap();
        table.stored_value(cell, &NoCache).unwrap().is_none()
    });
    assert_eq!(reader.contradicted(), first.len() as u64);
    assert!(first.len() > 2000, "{}", first.len());
    assert!(reader.contradictions() == &first[..1000]);
    // They are listed before all other differences.
    let checked = check_contents(&table, KeepIn::Memory, 700, &Silent);
    let ContentsReport::Checked { values, .. } = checked else { panic!("{checked:?}") };
    assert!(values.first == first[..700]);
}

#[test]
fn the_report_is_the_same_on_any_number_of_threads_and_limited_in_order() {
    let (material, rules) = (material("3-2"), RuleSet::Lasca);
    let mut slices = solve(material, rules);
    scramble(&mut slices);
    let all = check(material, rules, &slices);
    assert_eq!(all.first.len() as u64, all.differences);
    // All values are stored, so that each is checked against the stored ones.
    let table = Files::written((material, rules), &slices, |_| false).table();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (keep, limit) in [
            (KeepIn::Memory, 0),
            (KeepIn::Files, 1),
            (KeepIn::Memory, 700),
            (KeepIn::Files, 50_000),
        ] {
            let checked = pool.install(|| check_contents(&table, keep, limit, &Silent));
            let ContentsReport::Checked { values, statistics } = checked else {
                panic!("{checked:?}")
            };
            assert_eq!((values.differences, statistics.differences), (all.differences, 0));
            assert!(values.first == all.first[..limit], "{threads} threads, {limit}");
        }
    }
}

#[test]
fn progress_counts_half_of_each_position_when_it_is_read_and_half_when_it_is_checked() {
    /// For each slice, its positions and what was told as done.
    #[derive(Default)]
    struct Told(Mutex<Vec<(u64, Vec<u64>)>>);
    impl Progress for Told {
        fn slice_started(&self, _: Material, _: usize, positions: u64) {
            self.0.lock().unwrap().push((positions, Vec::new()));
        }
        fn positions_checked(&self, done: u64) {
            self.0.lock().unwrap().last_mut().unwrap().1.push(done);
        }
    }
    let (material, rules) = (material("3-2"), RuleSet::Lasca);
    let full = Files::written((material, rules), &solve(material, rules), |_| false);
    for files in [Files::shipped("3-2"), full] {
        let told = Told::default();
        check_contents(&files.table(), KeepIn::Memory, 1, &told);
        let told = told.0.into_inner().unwrap();
        assert_eq!(told.iter().map(|(positions, _)| positions).sum::<u64>(), 301_260);
        for (positions, done) in told {
            assert!(done.is_sorted() && done.contains(&(positions / 2)), "{positions}: {done:?}");
            assert_eq!(done.last(), Some(&positions));
        }
    }
}
