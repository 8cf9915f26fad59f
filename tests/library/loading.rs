//! Loaded tables answer as others do. The tests in `naive_solver` compare small ones at every position.

use crate::common::position;
use crate::common::tables::{
    Files, Slices, field, generate_bounded, generated, material, positions_in, shipped, solve,
    u64_at, whole, without_distances, write_table,
};
use lasca_tablebase::index::{Material, SliceIndex};
use lasca_tablebase::internals::{Distance, SliceValues};
use lasca_tablebase::probe::{Load, ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, RuleSet, Symmetry};
use lasca_tablebase::table::{Access, TableError};
use lasca_tablebase::{Reason, Value, Wdl};
use std::fs;
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

fn open(folder: &Path, rules: RuleSet) -> Tablebase {
    Tablebase::open(folder, rules).unwrap()
}

/// All positions of a material.
const ALL: u64 = u64::MAX;

/// Positions of a material, at most so many of each slice.
fn positions(material: Material, most: u64) -> Vec<OfficerPosition> {
    positions_in(whole(material), most).map(|(_, position)| position).collect()
}

/// Compares a tablebase in which everything is loaded with one in which nothing is. All positions are asked
/// twice: what is not stored is worked out first, and then remembered.
fn compare(folder: &Path, rules: RuleSet, material: Material, most: u64) {
    let (plain, loaded) = (open(folder, rules), open(folder, rules));
    let load = Load { materials: Some(vec![material]), ..Load::default() };
    let report = loaded.load(&load);
    assert_eq!((report.errors, report.left_out), (vec![], vec![]));
    assert_eq!((report.wdl, report.dtw), (vec![material], vec![]));
    let positions = positions(material, most);
    let twice = || positions.iter().chain(&positions);
    for position in twice() {
        let wdl = plain.officers_wdl(position).unwrap();
        assert_eq!(loaded.officers_wdl(position), Ok(wdl), "{position:?}");
    }
    compare_many(&loaded, &positions);
    let report = loaded.load(&Load { dtw: true, threads: NonZero::new(3), ..load });
    assert_eq!((report.errors, report.dtw), (vec![], vec![material]));
    for position in twice() {
        let value = plain.officers_value(position).unwrap();
        assert_eq!(loaded.officers_value(position), Ok(value), "{position:?}");
        assert_eq!(loaded.officers_wdl(position), Ok(value.wdl()), "{position:?}");
    }
    compare_many(&loaded, &positions);
}

/// Compares what is said of many positions at once with what is said of each.
fn compare_many(tables: &Tablebase, positions: &[OfficerPosition]) {
    let wdls: Vec<Option<Wdl>> =
        positions.iter().map(|position| tables.try_officers_wdl(position).unwrap()).collect();
    let values: Vec<Option<Value>> =
        positions.iter().map(|position| tables.try_officers_value(position).unwrap()).collect();
    for threads in [1, 3] {
        let threads = NonZero::new(threads);
        assert!(tables.many_wdls(positions, threads) == Ok(wdls.clone()));
        assert!(tables.many_values(positions, threads) == Ok(values.clone()));
    }
}

#[test]
fn many_positions_at_once_have_the_values_that_each_has() {
    let tables = open(shipped(), RuleSet::Lasca);
    let mut all: Vec<OfficerPosition> = ["3-3", "4-4", "2-1", "5-1"]
        .into_iter()
        .flat_map(|of| positions(material(of), 999))
        .collect();
    for over in ["a1W w", "a1B w", "a1W c1WB w"] {
        all.push(OfficerPosition::try_from(&position(over)).unwrap());
    }
    compare_many(&tables, &all);
    let load = Load { materials: Some(vec![material("3-3")]), dtw: true, ..Load::default() };
    tables.load(&load);
    compare_many(&tables, &all);
    assert_eq!(tables.many_wdls(&[], None), Ok(vec![]));
}

#[test]
fn tables_that_contradict_themselves_answer_alike_loaded_or_not() {
    let of = material("2-2");
    // Some values become losses and draws, alike for positions that are each other's images.
    let wrong = |number: u64, right: Option<u16>| match number % 7 {
        0 => Some(4),
        3 => None,
        _ => right,
    };
    let of_slice = |index: SliceIndex, slice: &SliceValues| {
        let distance = |number: u64| {
            let position = index.position(number).to_position(Color::White).unwrap();
            let image =
                |symmetry| OfficerPosition::try_from(&position.transformed(symmetry)).unwrap();
            let image = Symmetry::all().map(|g| index.number(&image(g)).unwrap()).min().unwrap();
            Distance::new(wrong(image, slice.distance(number).dtw())).unwrap()
        };
        SliceValues::from_distances((0..slice.len()).map(distance))
    };
    let slices: Slices = solve(of, RuleSet::Lasca)
        .iter()
        .map(|of_side| {
            let indexes = of.columns().map(|columns| of.slice(Color::White, columns));
            indexes.zip(of_side).map(|(index, slice)| of_slice(index, slice)).collect()
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path(), (of, RuleSet::Lasca), &slices, |_| true);
    let [plain, loaded] = [(); 2].map(|()| open(folder.path(), RuleSet::Lasca));
    let report = loaded.load(&Load { dtw: true, ..Load::default() });
    assert_eq!((report.errors, report.dtw), (vec![], vec![of]));
    let mut contradictions = 0;
    for position in [positions(of, ALL), positions(of, ALL)].iter().flatten() {
        assert_eq!(loaded.officers_wdl(position), plain.officers_wdl(position));
        let value = plain.officers_value(position);
        assert_eq!(loaded.officers_value(position), value, "{position:?}");
        if let Err(error) = value {
            let ProbeError::Table { error, .. } = error else { panic!("{error}") };
            let error = error.to_string();
            assert!(error.contains("does not follow from the values of its"), "{error}");
            contradictions += 1;
        }
    }
    assert!(contradictions > 1_000, "{contradictions}");
}

#[test]
fn positions_in_larger_materials_have_their_values_when_loaded_under_every_rule_set() {
    for text in ["4-2", "3-3", "5-1"] {
        compare(shipped(), RuleSet::Lasca, material(text), 700);
    }
    for (rules, text) in [(RuleSet::Bignor, "3-3"), (RuleSet::Rejump, "4-2")] {
        compare(generated(&[text], rules).path(), rules, material(text), 700);
    }
}

/// The same values, with every distance longer by so many plies. They must be an even number, so that wins
/// stay wins.
fn longer(slices: &Slices, plies: u16) -> Slices {
    let of_slice = |slice: &SliceValues| {
        let longer = |number| slice.distance(number).dtw().map(|dtw| dtw + plies);
        let distances = (0..slice.len()).map(|number| Distance::new(longer(number)).unwrap());
        SliceValues::from_distances(distances)
    };
    slices.iter().map(|of_side| of_side.iter().map(of_slice).collect()).collect()
}

#[test]
fn distances_that_do_not_fit_a_byte_and_stored_captures_are_loaded_too() {
    // The captures of all, some or no numbers of columns are worked out.
    let ends: [fn(usize) -> bool; 3] = [|_| true, |columns| columns == 3, |_| false];
    for (rules, captures_end) in RuleSet::ALL.into_iter().flat_map(|rules| ends.map(|e| (rules, e)))
    {
        // Wins and losses on both sides of 252 plies.
        let (folder, material) = (tempfile::tempdir().unwrap(), material("2-2"));
        let slices = longer(&solve(material, rules), 236);
        write_table(folder.path(), (material, rules), &slices, captures_end);
        compare(folder.path(), rules, material, ALL);
        let loaded = open(folder.path(), rules);
        let report = loaded.load(&Load { dtw: true, ..Load::default() });
        // Beside their bytes, they are listed.
        assert!(report.bytes > whole(material).positions() * 2, "{report:?}");
        let positions = positions(material, ALL);
        let values = || positions.iter().map(|position| loaded.officers_value(position).unwrap());
        for is_it in [Value::Win as fn(u16) -> Value, Value::Loss] {
            let is_there =
                |plies: Range<u16>| values().any(|value| plies.clone().any(|n| value == is_it(n)));
            assert!(is_there(240..252) && is_there(253..270), "{rules}");
        }
        // With either side to move, as they are.
        let folder = tempfile::tempdir().unwrap();
        let of = crate::common::tables::material("2-1");
        write_table(folder.path(), (of, rules), &solve(of, rules), captures_end);
        compare(folder.path(), rules, of, ALL);
    }
}

#[test]
fn tables_are_loaded_smallest_first_as_far_as_they_fit() {
    let tables = open(shipped(), RuleSet::Lasca);
    let of_rules = tables.tables().into_iter().filter(|file| file.rules() == RuleSet::Lasca);
    let all = tables.load(&Load { limit: 0, ..Load::default() });
    assert_eq!((all.wdl.len(), all.bytes, all.left_out.len()), (0, 0, of_rules.count()));
    assert!(all.left_out.is_sorted_by_key(|&material| whole(material).positions()));

    let some = tables.load(&Load { limit: 100_000, ..Load::default() });
    assert!(some.wdl.len() > 4 && some.bytes <= 100_000, "{some:?}");
    assert_eq!([&some.wdl[..], &some.left_out[..]].concat(), all.left_out);
    // Loaded already, they need no more memory.
    let again = tables.load(&Load { limit: some.bytes, ..Load::default() });
    assert_eq!(again, some);

    let by_hand = [material("3-3"), material("1-2")];
    let more =
        tables.load(&Load { materials: Some(by_hand.to_vec()), dtw: true, ..Load::default() });
    assert_eq!(
        (more.wdl, more.dtw),
        (vec![material("2-1"), material("3-3")], vec![material("2-1"), material("3-3")])
    );
    assert!(more.bytes > whole(material("3-3")).positions() * 5 / 4);
}

#[test]
fn each_material_is_reported_once_however_often_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    // They have as many positions as each other, so either may come first.
    let both = ["2-1", "2-2"];
    both.iter().for_each(|of| generate_bounded(folder.path(), of, RuleSet::Lasca, 2));
    let both = both.map(material);
    let asked = ["2-1", "2-2", "1-2", "3-3", "2-2", "3-3"].map(material);
    let load = Load { dtw: true, materials: Some(asked.to_vec()), ..Load::default() };
    let tables = open(folder.path(), RuleSet::Lasca);
    assert_eq!(tables.load(&Load { limit: 0, ..load.clone() }).left_out, both);
    let report = tables.load(&load);
    assert_eq!((report.wdl, report.dtw), (both.to_vec(), both.to_vec()));
    assert!(matches!(report.errors[..], [ProbeError::MissingTable { .. }]), "{:?}", report.errors);
}

#[test]
fn what_cannot_be_loaded_is_reported_and_answered_as_before() {
    let (folder, _) = without_distances("2-1");
    let of = material("4-2");
    let mut files = Files::shipped("4-2");
    let at = files.wdl.len() / 2;
    files.wdl[at] ^= 1;
    files.put(folder.path(), of, RuleSet::Lasca);

    let [plain, loaded] = [(); 2].map(|()| open(folder.path(), RuleSet::Lasca));
    let report = loaded.load(&Load { dtw: true, ..Load::default() });
    assert_eq!((report.wdl, report.dtw), (vec![material("2-1")], vec![]));
    // The smallest table comes first.
    let reasons: Vec<Reason> = report.errors.iter().map(ProbeError::reason).collect();
    assert_eq!(reasons, [Reason::NoDistances, Reason::Damaged], "{:?}", report.errors);
    for of in [of, material("2-1")] {
        for position in positions(of, 200) {
            assert_eq!(loaded.officers_wdl(&position), plain.officers_wdl(&position));
            assert_eq!(loaded.officers_value(&position), plain.officers_value(&position));
        }
    }
    let missing = loaded.load(&Load { materials: Some(vec![material("3-3")]), ..Load::default() });
    assert!(matches!(missing.errors[..], [ProbeError::MissingTable { .. }]), "{missing:?}");
}

#[test]
fn private_pages_of_files_count_as_memory() {
    let load = Load { dtw: true, materials: Some(vec![material("3-2")]), ..Load::default() };
    let bytes = |access| {
        let tables = Tablebase::options(RuleSet::Lasca).access(access).open([shipped()]).unwrap();
        tables.load(&load).bytes
    };
    let mapped = bytes(Access::Mapped);
    // All of the files before their directories.
    let pages_of = |ending: &str| {
        let file = fs::read(shipped().join(format!("lasca-3-2.{ending}"))).unwrap();
        u64_at(&file, field::DIRECTORY_AT)
    };
    assert_eq!(bytes(Access::Private), mapped + pages_of("ltbw") + pages_of("ltbd"));
    let mut included = Tablebase::options(RuleSet::Lasca).empty();
    included.add_included();
    assert_eq!(included.load(&load).bytes, mapped);
}

/// The files of a table that says it is of Lasca, and holds the values of these rules, all of them stored. So
/// two of them can be told apart.
fn with_values_of(of: Material, rules: RuleSet) -> Files {
    Files::written((of, RuleSet::Lasca), &solve(of, rules), |_| false)
}

#[test]
fn distances_of_another_table_are_not_loaded_beside_results_that_are() {
    let (folder, of) = (tempfile::tempdir().unwrap(), material("2-2"));
    let mut first = with_values_of(of, RuleSet::Lasca);
    first.dtw.truncate(100);
    first.put(folder.path(), of, RuleSet::Lasca);
    let tables = open(folder.path(), RuleSet::Lasca);
    assert_eq!(tables.load(&Load { dtw: true, ..Load::default() }).wdl, [of]);
    let wdls = || -> Vec<_> {
        positions(of, ALL).iter().map(|p| tables.officers_wdl(p).unwrap()).collect()
    };
    let before = wdls();

    // The WDL file that was loaded stays open.
    with_values_of(of, RuleSet::Rejump).put(folder.path(), of, RuleSet::Lasca);
    let report = tables.load(&Load { dtw: true, ..Load::default() });
    assert_eq!(report.dtw, []);
    let [ProbeError::Table { error, .. }] = &report.errors[..] else { panic!("{report:?}") };
    assert_eq!(*error, TableError::Mismatched);
    assert!(wdls() == before);
}

#[test]
fn clones_that_load_at_once_take_turns_and_keep_the_limit() {
    let load = |tables: &Tablebase, of: Material, limit: u64| {
        tables.load(&Load { dtw: true, materials: Some(vec![of]), limit, ..Load::default() })
    };
    let materials = ["3-3", "4-2"].map(material);
    let bytes = |of| load(&open(shipped(), RuleSet::Lasca), of, u64::MAX).bytes;
    let limit = materials.map(bytes).into_iter().max().unwrap();
    for _ in 0..5 {
        let tables = open(shipped(), RuleSet::Lasca);
        let begin = &Barrier::new(2);
        let reports = thread::scope(|scope| {
            let threads = materials.map(|of| {
                let clone = tables.clone();
                scope.spawn(move || {
                    begin.wait();
                    load(&clone, of, limit)
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        let loaded: usize = reports.iter().map(|report| report.dtw.len()).sum();
        let left_out: usize = reports.iter().map(|report| report.left_out.len()).sum();
        assert_eq!((loaded, left_out), (1, 1), "{reports:?}");
        assert!(tables.load(&Load { materials: Some(vec![]), ..Load::default() }).bytes <= limit);
    }
}
