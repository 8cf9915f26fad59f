//! Tables are read as they were written: every value, in every way to ask, however they were made.
//!
//! `tools/read_table.py` is the reader that was written from `docs/FORMAT.md` alone; nothing here
//! repeats it.

use crate::common::numbers::Numbers;
use crate::common::tables::{
    Files, Slices, assert_holds, each_position, field, first_histogram, material, put, slice_at,
    solve, u64_at,
};
use lasca_tablebase::index::SliceIndex;
use lasca_tablebase::internals::{Distance, SliceValues};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet};
use lasca_tablebase::table::{FileKind, Table, TableError};
use lasca_tablebase::{Value, Wdl};

#[track_caller]
fn assert_files_hold(files: &Files, expected: &Slices) {
    let table = files.table();
    assert_holds(&table, expected, |position| {
        (table.wdl(position).unwrap(), table.value(position).unwrap())
    });
}

#[test]
fn captures_may_be_stored_for_some_numbers_of_columns_and_not_for_others() {
    let table = (material("3-1"), RuleSet::Lasca);
    let expected = solve(table.0, table.1);
    for whole in [[2, 3], [2, 4], [3, 4]] {
        let files = Files::written(table, &expected, |columns| !whole.contains(&columns));
        let opened = files.table();
        for slice in opened.slices() {
            assert_eq!(slice.is_full(), whole.contains(&slice.columns()));
        }
        assert_files_hold(&files, &expected);
    }
}

/// Values that no rules lead to: runs of draws, short and long distances.
fn made_up(index: &SliceIndex, numbers: &mut Numbers, longest: u16) -> SliceValues {
    let mut distances = Vec::new();
    while (distances.len() as u64) < index.positions() {
        let longest_run = *numbers.choose(&[1, 3, 40, 700]);
        let run = 1 + numbers.below(longest_run);
        let about = numbers.below(usize::from(longest) + 1) as u16;
        let spread = *numbers.choose(&[1, 2, 8, usize::from(longest) + 1]);
        let drawn = numbers.below(4) == 0;
        for _ in 0..run {
            let dtw = about.wrapping_add(numbers.below(spread) as u16).min(longest);
            distances.push(Distance::new((!drawn).then_some(dtw)).unwrap());
        }
    }
    distances.truncate(index.positions() as usize);
    distances[0] = Distance::new(Some(longest)).unwrap();
    SliceValues::from_distances(distances.into_iter())
}

#[test]
fn distances_of_any_length_are_read_as_they_were_written() {
    let mut numbers = Numbers(0);
    for (material, longest) in
        [("1-1", 65_534), ("2-1", 65_533), ("2-2", 1_000), ("3-1", 300), ("2-2", 60_000)]
    {
        let material = crate::common::tables::material(material);
        let mut of_slice = |side, k| made_up(&material.slice(side, k), &mut numbers, longest);
        let mut of_side = |&side| material.columns().map(|k| of_slice(side, k)).collect();
        let slices: Slices = material.stored_sides().iter().map(&mut of_side).collect();
        let distances = slices
            .iter()
            .flatten()
            .flat_map(|slice| (0..slice.len()).filter_map(|number| slice.distance(number).dtw()));
        assert_eq!(distances.max(), Some(longest));
        let files = Files::written((material, RuleSet::Lasca), &slices, |_| false);
        assert_files_hold(&files, &slices);
    }
}

#[test]
fn the_wdl_file_alone_answers_who_wins_and_says_that_it_knows_no_distance() {
    for name in ["2-1", "2-2", "3-1"] {
        let files = Files::shipped(name);
        let (both, alone) = (files.table(), Table::open(files.wdl.clone(), None).unwrap());
        assert!(both.has_dtw() && !alone.has_dtw());
        assert_eq!((alone.bytes(), alone.bytes_of(FileKind::Dtw)), (files.wdl.len() as u64, 0));
        each_position(&both, |slice, number| {
            let position = slice.index().position(number);
            assert_eq!(alone.wdl(&position), both.wdl(&position));
            assert_eq!(alone.value(&position), Err(TableError::NoDtw));
        });
        assert_eq!(alone.read().unwrap_err(), TableError::NoDtw);
        alone.check_bytes().unwrap();
        alone.check_whole().unwrap();
    }
}

#[test]
fn a_dtw_file_that_was_not_made_with_the_wdl_file_is_refused() {
    let (lasca, of) = (Files::shipped("2-1"), material("2-1"));
    let of_rejump = solve(of, RuleSet::Rejump);
    let others = [
        // Other values in a table that says it is the same.
        Files::written((of, RuleSet::Lasca), &of_rejump, |_| true),
        Files::shipped("2-2"),
        Files::written((of, RuleSet::Rejump), &of_rejump, |_| true),
    ];
    let mismatched = TableError::Mismatched;
    for other in others {
        for (wdl, dtw) in [(&lasca.wdl, &other.dtw), (&other.wdl, &lasca.dtw)] {
            let found = Table::open(wdl.to_vec(), Some(dtw.to_vec().into())).unwrap_err();
            assert_eq!(found, mismatched);
            assert_eq!(found.kind(), FileKind::Dtw);
        }
    }
    assert!(mismatched.to_string().contains("not made with the WDL file"));
}

#[test]
fn a_file_says_what_is_wrong_with_it_before_any_value_is_asked_for() {
    let whole = Files::shipped("2-1");
    let len = whole.wdl.len() as u64;
    type Change = fn(&mut Vec<u8>);
    type Expected = fn(FileKind, u64) -> TableError;
    let no_table: Expected = |file, _| {
        let problem = "this is not a table: its first bytes differ".to_owned();
        TableError::Damaged { file, problem }
    };
    let in_header: [(Change, Expected); 7] = [
        (|file| file.clear(), no_table),
        (|file| file[0] ^= 1, no_table),
        (|file| file.truncate(9), |file, _| TableError::Length { file, expected: 88, found: 9 }),
        (|file| file.truncate(87), |file, _| TableError::Length { file, expected: 88, found: 87 }),
        (
            |file| file.truncate(file.len() - 1),
            |file, len| TableError::Length { file, expected: len, found: len - 1 },
        ),
        (
            |file| file.push(0),
            |file, len| TableError::Length { file, expected: len, found: len + 1 },
        ),
        (|file| file[field::VERSION] = 9, |file, _| TableError::Version { file, found: 9 }),
    ];
    for kind in FileKind::ALL {
        let len = whole.of(kind).len() as u64;
        for (change, expected) in in_header {
            let mut files = whole.clone();
            change(files.of_mut(kind));
            let error = files.open().unwrap_err();
            assert_eq!((&error, error.kind()), (&expected(kind, len), kind));
        }
    }
    let exchanged = Table::open(whole.dtw.clone(), Some(whole.wdl.clone().into())).unwrap_err();
    assert_eq!(exchanged.to_string(), "expected a WDL file, found a DTW file");
    assert_eq!(
        Table::open(whole.wdl.clone(), Some(whole.wdl.clone().into())).unwrap_err().kind(),
        FileKind::Dtw
    );

    let says = |change: &dyn Fn(&mut Files), words: &[&str]| {
        let mut files = whole.clone();
        change(&mut files);
        let said = files.open().unwrap_err().to_string();
        assert!(words.iter().all(|words| said.contains(words)), "expected {words:?} in {said}");
    };
    says(&|f| f.wdl.truncate(100), &[&format!("expected {len} bytes, found 100"), "cut short"]);
    says(&|f| f.dtw.extend(b"more"), &["something was added"]);
    says(&|f| f.wdl[field::VERSION] = 3, &["format version 2, found 3", "newer"]);
    says(&|f| f.wdl[field::RULES] ^= 1, &["the header is damaged", "checksum"]);
    let at = slice_at(&whole.wdl, 0);
    says(&|f| f.wdl[at] ^= 1, &["the directory is damaged", "checksum"]);
    says(&|f| *f.dtw.last_mut().unwrap() ^= 1, &["the page list is damaged", "checksum"]);
    let sealed = |change: &dyn Fn(&mut Files), words: &[&str]| {
        says(
            &|files| {
                change(files);
                files.seal();
            },
            words,
        );
    };
    sealed(&|f| f.wdl[field::RULES] = 77, &["77 as its rule set"]);
    sealed(&|f| f.wdl[field::KIND] = 2, &["2 as its kind"]);
    sealed(&|f| f.wdl[field::WHITE] = 0, &["names no material"]);
    sealed(&|f| f.wdl[field::WHITE] = 22, &["names no material"]);
    // A material of more than twelve counters has bounded tables only.
    sealed(&|f| f.wdl[field::WHITE] = 13, &["0 as its column bound"]);
    sealed(&|f| f.wdl[field::WHITE + 1] = 3, &["2 as its white counters"]);
    sealed(&|f| f.wdl[field::SLICES + 1] = 1, &["number of slices"]);
    sealed(&|f| put(&mut f.wdl, field::DIRECTORY_AT, 1 << 60), &["directory offset"]);
    sealed(&|f| put(&mut f.dtw, field::DIRECTORY_LEN, u64::MAX), &["the directory lies outside"]);
    sealed(&|f| put(&mut f.dtw, field::FILE_LEN, 7), &["expected 7 bytes"]);
    use field::slice;
    sealed(&|f| f.wdl[at + slice::SIDE] = 5, &["5 as its side to move"]);
    sealed(&|f| f.wdl[at + slice::SIDE + 1] = 25, &["25 as its columns"]);
    sealed(&|f| f.wdl[at + slice::SIDE] = 1, &["is listed twice"]);
    sealed(&|f| f.wdl[at + slice::HALVES] = 1, &["1 as its halves"]);
    sealed(&|f| f.wdl[at + slice::FULL] = 2, &["2 as its full"]);

    // Statistics that cannot be.
    let all = "win + draw + loss";
    let (of_dtw, histogram) = (slice_at(&whole.dtw, 0), first_histogram(&whole.dtw));
    let (first, last) = (histogram.start, histogram.end - field::HISTOGRAM_ENTRY_LEN);
    let more = |file: &mut [u8], at| put(file, at, u64_at(file, at) + 1);
    let huge = |file: &mut [u8], at| put(file, at, u64::MAX);
    let huge_twice = |f: &mut Files| {
        huge(&mut f.wdl, at + slice::WIN);
        huge(&mut f.wdl, at + slice::DRAW);
    };
    sealed(&huge_twice, &[all]);
    sealed(&|f| more(&mut f.wdl, at + slice::DRAW), &[all]);
    sealed(&|f| more(&mut f.dtw, of_dtw + slice::DRAW), &[all]);
    sealed(&|f| more(&mut f.dtw, first + 8), &["plies should be"]);
    sealed(&|f| huge(&mut f.dtw, first + 8), &["plies should be"]);
    sealed(&|f| huge(&mut f.wdl, at + slice::CAPTURE), &["capture"]);
    sealed(&|f| put(&mut f.dtw, last, 65_535), &["plies"]);
    sealed(&|f| put(&mut f.dtw, last, 1 << 40), &["plies"]);
    sealed(&|f| put(&mut f.dtw, last, u64_at(&whole.dtw, first)), &["plies"]);
    sealed(&|f| put(&mut f.dtw, first + 8, 0), &["positions"]);
}

#[test]
fn a_table_that_is_replaced_answers_who_wins_between_the_two_renames() {
    let (material, rules) = (material("2-1"), RuleSet::Lasca);
    let values = solve(material, rules);
    let [old, new] = [false, true].map(|end| Files::written((material, rules), &values, |_| end));
    assert!(old.wdl != new.wdl);
    let folder = tempfile::tempdir().unwrap();
    let position: Position = "b2B d2W a7W w".parse().unwrap();
    let between = Files { wdl: old.wdl.clone(), dtw: new.dtw.clone() };
    for (files, whole) in [(&old, true), (&between, false), (&new, true)] {
        files.put(folder.path(), material, rules);
        let tables = Tablebase::open(folder.path(), rules).unwrap();
        assert_eq!(tables.wdl(&position), Ok(Wdl::Win));
        match tables.value(&position) {
            Ok(value) => assert!(whole && value == Value::Win(5)),
            Err(ProbeError::Table { error, .. }) => {
                assert!(!whole && error == TableError::Mismatched);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_dtw_file_whose_directory_does_not_fit_that_of_the_wdl_file_is_refused() {
    let whole = Files::shipped("2-1");
    let error_after_change = |change: usize| {
        let mut files = whole.clone();
        let at = slice_at(&files.wdl, 0) + change;
        files.wdl[at] ^= 1;
        files.seal();
        files.open().unwrap_err()
    };
    assert_eq!(error_after_change(field::slice::CAPTURE), TableError::Mismatched);
    // Already the two sides to move of the WDL file do not fit each other.
    let error = error_after_change(field::slice::FULL).to_string();
    assert!(error.contains("the directory holds 1 as its full,"), "{error}");
    // Sealed again as they were, they are what they were: no page is left without a checksum.
    let whole = Files::shipped("3-3");
    assert!(whole.dtw.len() > 2 * field::PAGE_LEN, "several pages are looked at");
    let mut files = whole.clone();
    files.seal();
    assert!(files == whole);
}

#[test]
fn a_position_of_another_material_is_an_error() {
    let files = Files::shipped("2-1");
    let table = files.table();
    for text in ["a1W c3B w", "a1WW c3BB w", "a1WWW c3B w", "a1WWW c3BBB e5W g7W w"] {
        let position = OfficerPosition::try_from(&text.parse::<Position>().unwrap()).unwrap();
        let error = table.wdl(&position).unwrap_err();
        assert!(error.to_string().starts_with("the slice of "), "{text}: {error}");
        assert_eq!(table.value(&position), Err(error), "{text}");
    }
}

/// A table as it was written when version 2 was settled. It is never made anew.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../format-2");

#[test]
fn a_table_of_version_2_is_read_for_good() {
    let material = material("2-1");
    let files = Files::read(KEPT.as_ref(), material, RuleSet::Lasca);
    let (table, tables) = (files.table(), Tablebase::open(KEPT, RuleSet::Lasca).unwrap());
    table.check_bytes().unwrap();
    assert_eq!(table.positions(), 2_332);
    assert_holds(&table, &solve(material, RuleSet::Lasca), |position| {
        (tables.officers_wdl(position).unwrap(), tables.officers_value(position).unwrap())
    });
}
