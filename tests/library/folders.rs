//! Tablebases of several folders, added one by one.

use crate::common::tables::{
    Files, copies_of, generate_bounded, material, shipped_tables, without_distances,
};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::{Reason, Value, Wdl};
use std::fs;
use std::path::Path;

#[test]
fn folders_are_added_one_by_one_and_all_their_tables_answer() {
    let [first, second] = [copies_of(&["3-1", "2-2"]), copies_of(&["2-1", "3-2", "2-2"])];
    let all = shipped_tables();
    let positions = ["a1WW c3W e5B w", "a1W c3B w", "b2B d2W a7W w", "a1WB c3W e5BB w"];
    let positions = positions.map(|text| text.parse::<Position>().unwrap());
    let mut tables = Tablebase::options(RuleSet::Lasca).empty();
    assert_eq!((tables.most_counters(), tables.tables().len()), (0, 0));
    for (folder, count, answered) in [(&first, 2, 1), (&second, 3, 3)] {
        assert_eq!(tables.add_directory(folder).unwrap(), count);
        let answers: Vec<_> = positions.iter().map(|position| tables.value(position)).collect();
        assert_eq!(answers.iter().flatten().count(), answered);
        for (position, answer) in positions.iter().zip(answers) {
            if let Ok(value) = answer {
                assert_eq!(all.value(position), Ok(value), "{position}");
            }
        }
    }
    assert_eq!((tables.most_counters(), tables.tables().len()), (5, 4));
    let used = tables.tables().into_iter().find(|file| file.material() == material("2-2")).unwrap();
    assert_eq!(used.path().and_then(Path::parent), Some(first.path()));
    // What comes later is for who opens the folder later.
    Files::shipped("4-1").put(second.path(), material("4-1"), RuleSet::Lasca);
    assert!(tables.extent(material("4-1")).is_err());
    assert_eq!(Tablebase::open(&second, RuleSet::Lasca).unwrap().tables().len(), 4);
}

#[test]
fn a_folder_that_cannot_be_read_changes_nothing() {
    let folder = copies_of(&["2-1"]);
    let mut tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    let missing = folder.path().join("missing");
    for wrong in [&missing, &folder.path().join("lasca-2-1.ltbw")] {
        let error = tables.add_directory(wrong).unwrap_err();
        assert_eq!(&error.folder, wrong);
    }
    assert!(tables.extent(material("2-1")).is_ok());
}

#[test]
fn what_is_covered_depends_on_the_files_and_the_rule_set() {
    let folder = copies_of(&["2-1", "2-2", "3-1", "3-2"]);
    let path = |name: &str| folder.path().join(name);
    fs::remove_file(path("lasca-3-1.ltbd")).unwrap();
    fs::write(path("lasca-3-2.ltbw"), "damaged").unwrap();
    fs::write(path("lasca-2-2.ltbd"), "damaged").unwrap();
    generate_bounded(folder.path(), "4-2", RuleSet::Bignor, 2);
    let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    let covered = |text| {
        let material = material(text);
        (tables.extent(material).is_ok(), tables.extent_with_distances(material).is_ok())
    };
    assert_eq!(covered("1-2"), (true, true));
    assert_eq!(covered("3-1"), (true, false));
    assert_eq!(covered("2-2"), (true, false));
    assert!(tables.wdl(&"a1W c3W b6B d6B w".parse().unwrap()).is_ok());
    let error = tables.extent_with_distances(material("2-2")).unwrap_err();
    assert!(error.reason() == Reason::Damaged, "{error}");
    assert_eq!(covered("3-2"), (false, false));
    assert_eq!(covered("4-2"), (false, false));
    assert_eq!(tables.most_counters(), 5);
    let mut tables = Tablebase::options(RuleSet::Bignor).empty();
    assert_eq!(tables.add_directory(folder.path()).unwrap(), 1);
    // A bounded table.
    assert!(tables.extent_with_distances(material("4-2")).is_ok());
    assert_eq!(tables.most_counters(), 6);
}

#[test]
fn a_dtw_file_that_cannot_be_read_is_tried_again_and_wdls_are_answered_meanwhile() {
    let (folder, of) = (copies_of(&["2-1"]), material("2-1"));
    let dtw = folder.path().join("lasca-2-1.ltbd");
    let bytes = fs::read(&dtw).unwrap();
    fs::remove_file(&dtw).unwrap();
    fs::create_dir(&dtw).unwrap();
    let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    let position = "b2B d2W a7W w".parse().unwrap();
    for error in [tables.value(&position).err(), tables.extent_with_distances(of).err()] {
        let Some(ProbeError::Table { origin, error, .. }) = error else { panic!("{error:?}") };
        assert_eq!((origin.path(), error.reason()), (Some(&*dtw), Reason::Unreadable));
    }
    assert_eq!(tables.wdl(&position), Ok(Wdl::Win));
    assert!(tables.extent(of).is_ok() && tables.extent_with_distances(of).is_err());
    fs::remove_dir(&dtw).unwrap();
    fs::write(&dtw, bytes).unwrap();
    assert_eq!(tables.value(&position), Ok(Value::Win(5)));
    assert!(tables.extent_with_distances(of).is_ok());
}

fn none_if_not_covered<T>(error: ProbeError) -> Result<Option<T>, ProbeError> {
    if error.is_not_covered() { Ok(None) } else { Err(error) }
}

/// The most columns of positions of a material that are covered.
pub fn most_columns(tables: &Tablebase, of: &str) -> Option<usize> {
    Some(*tables.extent(material(of)).ok()?.columns().end())
}

#[test]
fn what_is_not_covered_is_no_error_for_who_tries() {
    let (folder, _) = without_distances("2-1");
    let rules = RuleSet::Lasca;
    generate_bounded(folder.path(), "2-2", rules, 3);
    let tables = Tablebase::open(folder.path(), rules).unwrap();
    assert_eq!(["2-2", "1-2", "4-4"].map(|of| most_columns(&tables, of)), [Some(3), Some(3), None]);
    for text in [
        // Covered; no distances; too many columns; no table; a soldier; a column that officers cannot build;
        // over, and covered by none.
        "a1W b2BB d4W w",
        "a1WW e5BB w",
        "a1W c3W e5B b",
        "a1W c1W e7B g7B w",
        "a1WWW b2B w",
        "a1WWWW e5BBBB g7B w",
        "a1W b2Bb w",
        "a1WBW e5B w",
        "c3wB w",
    ] {
        let position: Position = text.parse().unwrap();
        let value = tables.value(&position).map(Some).or_else(none_if_not_covered);
        assert_eq!(tables.try_value(&position), value, "{text}");
        let wdl = tables.wdl(&position).map(Some).or_else(none_if_not_covered);
        assert_eq!(tables.try_wdl(&position), wdl, "{text}");
    }
    fs::write(folder.path().join("lasca-2-2.ltbw"), "damaged").unwrap();
    let tables = Tablebase::open(folder.path(), rules).unwrap();
    let position = "a1WW e5BB w".parse().unwrap();
    assert!(tables.try_wdl(&position).is_err_and(|error| error.reason() == Reason::Damaged));
    assert_eq!(most_columns(&tables, "2-2"), None);
}
