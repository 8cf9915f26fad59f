//! The naive solver against values that another program made, and against the tables of every material
//! with up to five counters, in every way to ask, position by position.
//!
//! `data/totals.csv` and `data/positions.csv` come from a brute-force solver that shares no code
//! with this crate. The positions' values are those of the default rule set.

use crate::common::naive::Solution;
use crate::common::tables::{
    Slices, assert_holds, generated, material, materials_up_to, whole, write_table,
};
use crate::common::vectors::{self, number, rows};
use lasca_tablebase::capture_search::{KeepIn, SliceReader};
use lasca_tablebase::generate::Generator;
use lasca_tablebase::index::{Extent, Material, SliceIndex};
use lasca_tablebase::probe::{Load, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, RuleSet};
use lasca_tablebase::table::Table;
use lasca_tablebase::verify::check_contents;
use lasca_tablebase::{Silent, Value};
use std::num::NonZero;
use std::path::Path;

fn solve(material: Material, rules: RuleSet) -> Solution {
    Solution::of_material(material.white(), material.black(), material.total(), rules)
}

#[test]
fn up_to_four_counters_are_solved_right_under_every_rule_set() {
    for rules in RuleSet::ALL {
        for material in materials_up_to(4) {
            check(&solve(material, rules), material, rules);
        }
    }
}

/// Solving five counters naively takes long. So most of these tables are left to the verifier here. That of 3-2 is compared
/// with the naive solver as far as it has at most three columns in `bounded`, and all of them in the slow test below.
#[test]
fn five_counters_are_solved_right() {
    check(&solve(material("4-1"), RuleSet::Lasca), material("4-1"), RuleSet::Lasca);
    for rules in RuleSet::ALL {
        let folder = generated(&["4-1", "3-2"], rules);
        let tables = Tablebase::open(folder.path(), rules).unwrap();
        for material in ["4-1", "3-2"].map(material) {
            let table = tables.table(material).unwrap();
            table.check_bytes().unwrap();
            let report = check_contents(table, KeepIn::Memory, 10, &Silent);
            assert!(report.is_right(), "{material} under {rules}: {report:?}");
        }
    }
}

#[test]
#[ignore = "slow: solves five counters naively under every rule set"]
fn all_of_five_counters_are_solved_right_under_every_rule_set() {
    for rules in RuleSet::ALL {
        for material in Material::with_total(5) {
            check(&solve(material, rules), material, rules);
        }
    }
}

#[test]
fn every_vector_is_of_a_material_that_is_solved_here() {
    let (totals, positions) = (totals_rows(), vectors::positions());
    assert_eq!((totals.len(), positions.len()), (20, 1000));
    let of_positions = positions.iter().map(|(position, _)| Material::of(position).unwrap());
    for material in totals.iter().map(|row| row.material).chain(of_positions) {
        assert!(material.total() <= 5, "{material}");
    }
}

fn check(solution: &Solution, material: Material, rules: RuleSet) {
    check_vectors(solution, material, rules);
    let folder = tempfile::tempdir().unwrap();
    let slices = check_generated(folder.path(), solution, whole(material), rules);
    // The same values, those of capture positions among them. Few counters are enough for the way they
    // are stored.
    if material.total() < 4 {
        let folder = tempfile::tempdir().unwrap();
        write_table(folder.path(), (material, rules), &slices, |_| false);
        let tables = Tablebase::open(folder.path(), rules).unwrap();
        let table = tables.table(material).unwrap();
        assert!(table.slices().iter().all(|slice| slice.is_full()));
        check_files(&tables, table, &slices);
    }
}

/// Generates a table and compares it with the naive solver: what a reader of whole slices finds and what
/// the loaded table answers, with and without distances, at every position. [Checks the files](check_files)
/// too. Returns the values.
pub fn check_generated(
    folder: &Path,
    solution: &Solution,
    extent: Extent,
    rules: RuleSet,
) -> Slices {
    let material = extent.material();
    let generator = Generator::new(folder, rules);
    let generator = extent.max_columns().into_iter().fold(generator, Generator::max_columns);
    let made = generator.generate(material, &Silent).unwrap();
    assert!(!made.was_there);
    assert_eq!(made.extent, extent);

    let [tables, loaded] = [(); 2].map(|()| Tablebase::open(folder, rules).unwrap());
    let report = loaded.load(&Load::default());
    assert!(report.errors.is_empty() && report.wdl == [material] && report.dtw.is_empty());
    for solved in solution.iter() {
        let (position, wdl) = (&solved.position, solved.value.wdl());
        // What is not stored is worked out first, and then remembered.
        assert_eq!(
            [loaded.wdl(position), loaded.wdl(position)],
            [Ok(wdl), Ok(wdl)],
            "{position} {rules}"
        );
    }
    let load = Load { dtw: true, threads: Some(NonZero::new(3).unwrap()), ..Load::default() };
    let report = loaded.load(&load);
    assert!(report.errors.is_empty() && report.dtw == [material], "{report:?}");
    let table = tables.table(material).unwrap();
    assert_eq!(table.extent(), extent);
    let slices = SliceReader::new(table).read_all().unwrap();
    let sides = material.stored_sides();
    let indexes: Vec<Vec<SliceIndex>> = sides
        .iter()
        .map(|&side| extent.columns().map(|columns| material.slice(side, columns)).collect())
        .collect();
    for solved in solution.iter() {
        let (position, value) = (&solved.position, solved.value);
        let officers = OfficerPosition::try_from(position).unwrap();
        let side = sides.iter().position(|&side| side == position.side_to_move()).unwrap_or(0);
        let columns = position.occupied().len() - 2;
        let number = indexes[side][columns].number(&officers).unwrap();
        assert_eq!(slices[side][columns].value(number), value, "{position} {rules}");
        let answers = [loaded.value(position), loaded.value(position)];
        assert_eq!(answers, [Ok(value), Ok(value)], "{position} {rules}");
        // With the colours exchanged, it is of the other material that the table covers.
        let exchanged = position.swap_colors();
        assert_eq!(loaded.wdl(&exchanged), Ok(value.wdl()), "{exchanged} {rules}");
    }
    // Positions count once for each image, and for both sides to move.
    let counted: u64 = table.slices().iter().map(|slice| slice.stats().positions()).sum();
    assert_eq!(2 / sides.len() as u64 * counted, solution.len() as u64, "{extent} {rules}");
    check_files(&tables, table, &slices);
    slices
}

/// Checks that the files of a table hold these values and answer with them, at every position up to
/// symmetry, and that the verifier finds no difference.
fn check_files(tables: &Tablebase, table: &Table, expected: &Slices) {
    let what = format!("{} under {}", table.extent(), table.rules());
    table.check_bytes().unwrap();
    let report = check_contents(table, KeepIn::Memory, 10, &Silent);
    assert!(report.is_right(), "{what}: {report:?}");
    assert_holds(table, expected, |position| {
        (tables.officers_wdl(position).unwrap(), tables.officers_value(position).unwrap())
    });
}

/// The rows of the material with the colours exchanged are looked up with the colours exchanged.
fn check_vectors(solution: &Solution, material: Material, rules: RuleSet) {
    for row in totals_rows() {
        if (row.material.normalized(), row.rules) == (material, rules) {
            let side = if row.material == material { row.side } else { !row.side };
            assert_eq!(totals_of(solution, side), row.totals, "{row:?}");
        }
    }
    if rules == RuleSet::default() {
        for (position, value) in vectors::positions() {
            let of = Material::of(&position).unwrap();
            if of.normalized() == material {
                let here = if of == material { position } else { position.swap_colors() };
                assert_eq!(solution.get(&here), Some(value), "{position}");
            }
        }
    }
}

/// A row of `data/totals.csv`.
#[derive(Debug)]
pub struct TotalsRow {
    pub rules: RuleSet,
    pub material: Material,
    pub side: Color,
    pub totals: Totals,
}

/// Counts of the positions with one side to move, and the plies of the longest win and loss.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub win: u64,
    pub draw: u64,
    pub loss: u64,
    max_win_plies: u16,
    max_loss_plies: u16,
    capture_positions: u64,
}

fn totals_of(solution: &Solution, side: Color) -> Totals {
    let mut totals = Totals::default();
    for solved in solution.iter().filter(|solved| solved.position.side_to_move() == side) {
        match solved.value {
            Value::Win(plies) => {
                totals.win += 1;
                totals.max_win_plies = totals.max_win_plies.max(plies);
            }
            Value::Draw => totals.draw += 1,
            Value::Loss(plies) => {
                totals.loss += 1;
                totals.max_loss_plies = totals.max_loss_plies.max(plies);
            }
        }
        totals.capture_positions += u64::from(solved.must_capture);
    }
    totals
}

pub fn totals_rows() -> Vec<TotalsRow> {
    rows(
        include_str!("../data/totals.csv"),
        "rules,material,side_to_move,win,draw,loss,max_win_plies,max_loss_plies,capture_positions",
        |[rules, material, side, win, draw, loss, max_win, max_loss, captures]| TotalsRow {
            rules: rules.parse().expect("a rule set"),
            material: material.parse().expect("a material such as 2-1"),
            side: Color::ALL.into_iter().find(|color| color.name() == side).expect("a side"),
            totals: Totals {
                win: number(win),
                draw: number(draw),
                loss: number(loss),
                max_win_plies: number(max_win),
                max_loss_plies: number(max_loss),
                capture_positions: number(captures),
            },
        },
    )
}
