//! Bounded tables: all positions of a material with at most so many columns.

use crate::common::naive::Solution;
use crate::common::numbers::Numbers;
use crate::common::tables::{Files, generate_bounded, material, materials_up_to, seal, solve};
use crate::naive_solver::check_generated;
use lasca_analysis::search::{Budget, Solver, Stop};
use lasca_tablebase::Silent;
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::generate::{GenerateError, Generator};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, Position, RuleSet};
use lasca_tablebase::table::{FileKind, Table, TableError, file_name};
use lasca_tablebase::verify::check_contents;
use rayon::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

fn extent(text: &str, max_columns: usize) -> Extent {
    Extent::bounded(material(text), max_columns).unwrap()
}

#[track_caller]
fn open(folder: &Path, text: &str, rules: RuleSet) -> Table {
    let table = Table::open_file(&folder.join(file_name(material(text), rules, FileKind::Wdl)));
    let table = table.unwrap();
    table.check_whole().unwrap();
    table
}

#[test]
fn a_bounded_table_holds_the_values_of_the_whole_one() {
    for rules in RuleSet::ALL {
        let most = if rules == RuleSet::Lasca { 5 } else { 4 };
        for material in materials_up_to(most).filter(|material| material.total() > 2) {
            let mut slices = solve(material, rules);
            for max_columns in (2..material.total()).rev() {
                slices.iter_mut().for_each(|of_side| of_side.truncate(max_columns - 1));
                let folder = tempfile::tempdir().unwrap();
                let (folder, text) = (folder.path(), material.to_string());
                generate_bounded(folder, &text, rules, max_columns);
                let table = open(folder, &text, rules);
                let what = format!("{} under {rules} rules", table.extent());
                assert_eq!(table.positions(), table.extent().positions(), "{what}");
                // Its bytes are those of the first slices, written alone.
                let alone = Files::written((material, rules), &slices, |_| true);
                assert!(Files::read(folder, material, rules) == alone, "{what}");

                // What it does not cover.
                let tables = Tablebase::open(folder, rules).unwrap();
                assert_eq!(tables.extent(material), Ok(table.extent()));
                for &side in material.stored_sides() {
                    for columns in max_columns + 1..=material.total() {
                        let index = material.slice(side, columns);
                        for number in [0, index.positions() / 2, index.positions() - 1] {
                            let position = index.position(number);
                            let value = tables.officers_value(&position).unwrap_err();
                            let wdl = tables.officers_wdl(&position).unwrap_err();
                            for error in [value, wdl] {
                                assert!(is_beyond(&error, max_columns, columns), "{error}");
                            }
                        }
                    }
                }
            }
        }
    }
}

fn is_beyond(error: &ProbeError, bound: usize, found: usize) -> bool {
    error.is_not_covered()
        && matches!(error, ProbeError::Table { error, .. }
            if *error == TableError::BeyondColumns { max_columns: bound, columns: found })
}

/// The naive solver knows no index, no symmetry and no slices.
fn assert_equal_to_naive(text: &str, max_columns: usize, rules: RuleSet) {
    let of = material(text);
    let solution = Solution::of_material(of.white(), of.black(), max_columns, rules);
    let folder = tempfile::tempdir().unwrap();
    check_generated(folder.path(), &solution, extent(text, max_columns), rules);
}

#[test]
fn two_columns_of_all_counters_of_the_game_are_solved_as_the_naive_solver_does() {
    for text in ["11-11", "21-1", "8-7"] {
        assert_equal_to_naive(text, 2, RuleSet::Lasca);
    }
    for rules in [RuleSet::Bignor, RuleSet::Rejump] {
        assert_equal_to_naive("11-11", 2, rules);
        assert_equal_to_naive("12-1", 2, rules);
    }
}

#[test]
fn three_columns_are_solved_as_the_naive_solver_does() {
    for rules in RuleSet::ALL {
        assert_equal_to_naive("3-2", 3, rules);
    }
    assert_equal_to_naive("6-1", 3, RuleSet::Lasca);
}

#[test]
fn a_table_of_more_columns_replaces_one_of_fewer_and_never_the_other_way_round() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, name) = (RuleSet::Lasca, material("3-2"));
    let generate = |max_columns: Option<usize>| {
        let generator = Generator::new(folder.path(), rules);
        let generator = max_columns.into_iter().fold(generator, Generator::max_columns);
        let found = generator.existing(name).unwrap();
        let made = generator.generate(name, &Silent).unwrap();
        assert_eq!(found.is_some(), made.was_there);
        assert_eq!(open(folder.path(), "3-2", rules).extent(), made.extent);
        (made.was_there, made.extent.max_columns())
    };
    assert_eq!(generate(Some(3)), (false, Some(3)));
    assert_eq!(generate(Some(2)), (true, Some(3)));
    assert_eq!(generate(Some(4)), (false, Some(4)));
    assert_eq!(generate(Some(3)), (true, Some(4)));
    assert_eq!(generate(None), (false, None));
    assert_eq!(generate(Some(4)), (true, None));
    assert_eq!(generate(Some(12)), (true, None));

    // The DTW file of a whole table is lost. The rest of it is not given up for a smaller one.
    fs::remove_file(folder.path().join("lasca-3-2.ltbd")).unwrap();
    let error = Generator::new(folder.path(), rules).max_columns(3).existing(name).unwrap_err();
    match error {
        GenerateError::OtherTable { found, wanted, .. } => {
            assert_eq!((found.0, wanted.0), (Extent::whole(name).unwrap(), extent("3-2", 3)));
        }
        error => panic!("{error}"),
    }
    assert_eq!(generate(None), (false, None));
}

/// The tables of two folders as one.
fn open_all(folders: [&Path; 2], rules: RuleSet) -> Tablebase {
    Tablebase::options(rules).open(folders).unwrap()
}

#[test]
fn of_several_folders_the_one_with_more_columns_answers() {
    let [small, large, target] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let rules = RuleSet::Lasca;
    generate_bounded(small.path(), "2-2", rules, 2);
    generate_bounded(large.path(), "2-2", rules, 3);
    let position: Position = "a1W c3W e5BB w".parse().unwrap();
    for folders in [[small.path(), large.path()], [large.path(), small.path()]] {
        let tables = open_all(folders, rules);
        assert_eq!(tables.tables().len(), 1);
        assert_eq!(tables.extent(material("2-2")), Ok(extent("2-2", 3)));
        assert!(tables.value(&position).is_ok());
        let others = folders.map(Path::to_owned).to_vec();
        let generator = Generator::new(target.path(), rules).other_folders(others);
        let found = generator.clone().max_columns(3).existing(material("2-2")).unwrap();
        assert_eq!(found, Some(large.path().join("lasca-2-2.ltbw")));
        assert_eq!(generator.existing(material("2-2")).unwrap(), None);
    }
    // The other folder gets a larger one.
    let tables = open_all([small.path(), large.path()], rules);
    tables.value(&position).unwrap();
    Generator::new(small.path(), rules).generate(material("2-2"), &Silent).unwrap();
    let tables = open_all([small.path(), large.path()], rules);
    assert_eq!(tables.extent(material("2-2")).unwrap().max_columns(), None);
}

#[test]
fn a_larger_table_that_cannot_serve_does_not_hide_a_smaller_one() {
    let [small, large] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (rules, name) = (RuleSet::Lasca, material("2-2"));
    generate_bounded(small.path(), "2-2", rules, 3);
    Generator::new(large.path(), rules).generate(name, &Silent).unwrap();
    let position: Position = "a1WWB c3B w".parse().unwrap();
    let value = Tablebase::open(small.path(), rules).unwrap().value(&position).unwrap();
    // The larger one has no distances.
    fs::remove_file(large.path().join("lasca-2-2.ltbd")).unwrap();
    for folders in [[small.path(), large.path()], [large.path(), small.path()]] {
        let tables = open_all(folders, rules);
        assert_eq!(tables.value(&position), Ok(value));
        assert_eq!(tables.extent(name), Ok(extent("2-2", 3)));
    }
}

#[test]
fn a_table_that_is_there_is_reported_while_another_run_of_its_material_works() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, name) = (RuleSet::Lasca, material("3-2"));
    generate_bounded(folder.path(), "3-2", rules, 2);
    let work = folder.path().join(".work/lasca-3-2");
    fs::create_dir_all(&work).unwrap();
    let lock = fs::File::create(work.join("lock")).unwrap();
    lock.lock().unwrap();
    let generator = Generator::new(folder.path(), rules).max_columns(2);
    assert!(generator.generate(name, &Silent).unwrap().was_there);
    assert!(work.join("lock").exists(), "the other run still needs it");
    drop(lock);
    assert!(generator.generate(name, &Silent).unwrap().was_there);
    assert!(!folder.path().join(".work").exists());
}

#[test]
fn a_bounded_table_must_hold_exactly_the_slices_of_its_columns() {
    let (rules, name) = (RuleSet::Lasca, material("3-2"));
    let folder = tempfile::tempdir().unwrap();
    generate_bounded(folder.path(), "3-2", rules, 3);
    let files = Files::read(folder.path(), name, rules);
    let opened = |bound: u8| {
        let mut wdl = files.wdl.clone();
        wdl[14] = bound;
        seal(&mut wdl, 0);
        Table::open(wdl, None)
    };
    assert_eq!(opened(3).unwrap().check_whole(), Ok(()));
    for bound in [4, 0] {
        let error = opened(bound).unwrap().check_whole().unwrap_err();
        assert_eq!(error.to_string(), "the slice of 4 columns for stored side 0 is missing");
    }
    for (bound, field, found) in [
        (2, "columns", 3),
        (1, "column bound", 1),
        (5, "column bound", 5),
        (13, "column bound", 13),
    ] {
        let error = opened(bound).unwrap_err().to_string();
        assert!(error.contains(&format!("holds {found} as its {field},")), "{bound}: {error}");
    }
    let beyond: OfficerPosition =
        (&"a1W c3W e5W b2BB w".parse::<Position>().unwrap()).try_into().unwrap();
    let table = Table::open(files.wdl, Some(files.dtw.into())).unwrap();
    let error = TableError::BeyondColumns { max_columns: 3, columns: 4 };
    assert_eq!(table.wdl(&beyond), Err(error.clone()));
    assert_eq!(table.value(&beyond), Err(error));
}

#[test]
fn the_kept_bounded_table_is_made_again_byte_for_byte() {
    let kept = Path::new(crate::ROOT).join("tests/data");
    let name: Material = material("11-11");
    let folder = tempfile::tempdir().unwrap();
    generate_bounded(folder.path(), "11-11", RuleSet::Lasca, 2);
    let made = Files::read(folder.path(), name, RuleSet::Lasca);
    assert!(Files::read(&kept, name, RuleSet::Lasca) == made);
    assert_eq!(made.wdl[14], 2);
    assert_eq!(open(&kept, "11-11", RuleSet::Lasca).extent(), extent("11-11", 2));
}

/// Some captures of four columns go in circles in 8-8, so these slices are full. The search knows nothing of
/// tables here.
#[test]
#[ignore = "slow: generates 8-8 of up to four columns, and searches thousands of its positions"]
fn full_slices_hold_what_searches_find_out() {
    const COMPARED: usize = 10_000;
    let folder = tempfile::tempdir().unwrap();
    generate_bounded(folder.path(), "8-8", RuleSet::Lasca, 4);
    let table = open(folder.path(), "8-8", RuleSet::Lasca);
    table.check_bytes().unwrap();
    assert!(check_contents(&table, KeepIn::Memory, 10, &Silent).is_right());
    let slice = table.slice(0, 4).unwrap();
    assert!(slice.is_full() && !table.slice(0, 3).unwrap().is_full());
    let index = slice.index();
    let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    let (compared, tried) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let captures = AtomicUsize::new(0);
    (0..8).into_par_iter().for_each(|seed| {
        let mut numbers = Numbers(seed);
        while compared.load(Relaxed) < COMPARED {
            let officers = index.position(numbers.any() % index.positions());
            let position = officers.to_position(Color::White).unwrap();
            let mut solver = Solver::new(&position, RuleSet::Lasca, 4 << 20).unwrap();
            let stop = solver.run(&Budget::default()).unwrap();
            assert!(tried.fetch_add(1, Relaxed) < 1000 * COMPARED, "{compared:?} are solved");
            if stop != Stop::Solved {
                continue;
            }
            let value = tables.value(&position).unwrap();
            assert_eq!(solver.wdl(), Some(value.wdl()), "{position}");
            let proved = solver.value(&Budget::default()).unwrap();
            assert!(proved.at_most() >= value.dtw(), "{position}: {proved}, {value}");
            if solver.exact(&Budget::default()).unwrap() == Stop::Solved {
                assert_eq!(solver.value(&Budget::default()).unwrap(), value, "{position}");
            }
            compared.fetch_add(1, Relaxed);
            captures.fetch_add(usize::from(officers.placement().must_capture()), Relaxed);
        }
    });
    println!("{compared:?} of {tried:?} compared, {captures:?} of them capture positions");
    assert!(captures.into_inner() > COMPARED / 10);
}
