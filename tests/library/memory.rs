//! Tables whose bytes are in memory.

use crate::common::tables::{
    Files, field, generate_bounded, generated, material, positions_in, seal, shipped_tables, whole,
};
use lasca_tablebase::probe::{Load, Origin, ProbeError, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{FileKind, Table};

/// The tables that ship of these materials, in memory.
fn in_memory(materials: &[&str]) -> Tablebase {
    let mut tables = Tablebase::options(RuleSet::Lasca).empty();
    for of in materials {
        let Files { wdl, dtw } = Files::shipped(of);
        tables.add_table(wdl, Some(dtw.into())).unwrap();
    }
    tables
}

#[test]
fn tables_in_memory_answer_as_those_in_files_do() {
    let files = shipped_tables();
    let tables = in_memory(&["2-1", "2-2", "3-1"]);
    assert_eq!((tables.tables().len(), tables.most_counters()), (3, 4));
    for loaded in [false, true] {
        if loaded {
            let report = tables.load(&Load { dtw: true, ..Load::default() });
            assert!(report.errors.is_empty() && report.dtw.len() == 3, "{report:?}");
        }
        for (side, officers) in
            ["2-1", "2-2", "3-1"].iter().flat_map(|of| positions_in(whole(material(of)), 500))
        {
            let position = officers.to_position(side).unwrap();
            assert_eq!(tables.value(&position), files.value(&position), "{position}");
            assert_eq!(tables.wdl(&position), files.wdl(&position), "{position}");
        }
    }
}

#[test]
fn errors_of_tables_in_memory_name_them() {
    let mut tables = Tablebase::options(RuleSet::Lasca).empty();
    let Files { wdl, mut dtw } = Files::shipped("2-2");
    let error = tables.add_table(&b"nothing"[..], None).unwrap_err();
    assert_eq!(error.to_string(), "this is not a table: its first bytes differ");
    assert_eq!(
        tables.add_table(wdl.clone(), Some(wdl.clone().into())).unwrap_err().kind(),
        FileKind::Dtw
    );
    // The last slice is left out of the directory.
    let mut incomplete = wdl.clone();
    incomplete[field::SLICES] -= 1;
    seal(&mut incomplete, 0);
    assert!(tables.add_table(incomplete, None).is_err());
    assert!(tables.tables().is_empty());
    tables.add_table(wdl.clone(), None).unwrap();
    let position = "a1W c1W e7B g7B w".parse().unwrap();
    let error = tables.value(&position).unwrap_err();
    assert_eq!(
        error.to_string(),
        "lasca-2-2.ltbd in memory: the file with the distances is missing; without it, only win, draw or loss is \
         known"
    );
    // The second table has distances, so it is used.
    dtw[field::HEADER_LEN + 20] ^= 1;
    tables.add_table(wdl, Some(dtw.into())).unwrap();
    let error = tables.value(&position).unwrap_err();
    let ProbeError::Table { origin, error, .. } = error else { panic!("{error}") };
    assert_eq!(origin, Origin::Memory("lasca-2-2.ltbd".to_owned()));
    assert_eq!((origin.path(), error.kind()), (None, FileKind::Dtw));
    assert!(tables.wdl(&position).is_ok());
}

#[test]
fn the_tables_that_are_included_are_those_that_ship() {
    let mut tables = Tablebase::options(RuleSet::Lasca).empty();
    tables.add_included();
    // The folder may have larger tables, too, which somebody has made.
    let folder = shipped_tables();
    let shipped: Vec<_> =
        folder.tables().into_iter().filter(|file| file.material().total() <= 6).collect();
    assert_eq!(tables.tables().len(), shipped.len());
    for (included, file) in tables.tables().into_iter().zip(shipped) {
        let (included, file) = (included.table().unwrap(), file.table().unwrap());
        included.check_whole().and_then(|()| included.check_bytes()).unwrap();
        // A header has the checksums of all that follows.
        let of = |table: &Table| (table.material(), table.bytes(), table.slices().len());
        assert_eq!(of(included), of(file));
    }
    let mut others = Tablebase::options(RuleSet::Bignor).empty();
    others.add_included();
    assert!(others.tables().is_empty());
}

#[test]
fn of_a_table_in_memory_and_in_a_folder_the_one_that_covers_more_answers() {
    let (of, rules) = (material("2-2"), RuleSet::Lasca);
    let folder = generated(&["2-1"], rules);
    let bounded = tempfile::tempdir().unwrap();
    generate_bounded(bounded.path(), "2-2", rules, 3);
    let Files { wdl, dtw } = Files::read(bounded.path(), of, rules);

    let opened = || {
        let mut tables = Tablebase::open(folder.path(), rules).unwrap();
        tables.add_table(wdl.clone(), Some(dtw.clone().into())).unwrap();
        tables
    };
    assert_eq!(opened().extent(of).unwrap().max_columns(), Some(3));
    // The folder gets a table that covers more.
    Files::shipped("2-2").put(folder.path(), of, rules);
    let tables = opened();
    assert_eq!(tables.extent(of), Ok(whole(of)));
    let position = "a1WW b2BB w".parse().unwrap();
    assert_eq!(tables.value(&position), shipped_tables().value(&position));

    // What covers as much is not read from the folder.
    let two = generated(&["2-1", "2-2"], rules);
    let mut tables = in_memory(&["2-2"]);
    assert_eq!(tables.add_directory(two.path()).unwrap(), 2);
    assert!(
        tables.tables().into_iter().all(|table| (table.material() == of) == table.path().is_none())
    );
    let mut tables = Tablebase::open(two.path(), rules).unwrap();
    let Files { wdl, dtw } = Files::shipped("2-2");
    tables.add_table(wdl, Some(dtw.into())).unwrap();
    assert!(
        tables.tables().into_iter().all(|table| (table.material() == of) == table.path().is_none())
    );
}

#[test]
fn a_file_that_is_no_table_does_not_take_the_place_of_one_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = in_memory(&["2-2"]);
    let mut files = Files::shipped("2-2");
    files.wdl.truncate(20);
    files.put(folder.path(), material("2-2"), RuleSet::Lasca);
    assert_eq!(tables.add_directory(folder.path()).unwrap(), 1);
    assert!(tables.extent(material("2-2")).is_ok());
}
