//! Bounded tables: `generate --columns`. `cases.txt` has what the other commands say of its tables.

use crate::run::Folder;
use std::fs;

#[test]
fn a_material_of_more_than_twelve_counters_needs_columns() {
    let folder = Folder::empty();
    folder.run("generate 11-11 --columns 2").exits(0);
    folder.run("verify 11-11").exits(0);
    // No table has so many columns of this material.
    let many = "a1WW c1WW e1WW g1WW b2W d2W f2W a7BB c7BB e7BB g7BB b6B d6B f6B w";
    let refused = folder.run(format!("probe '{many}'")).exits(1);
    assert!(!refused.stderr.contains("hint: lasca-tb generate"), "{}", refused.stderr);
}

#[test]
fn a_study_names_commands_for_each_column_bound_that_its_positions_need() {
    let folder = Folder::empty();
    folder.run("generate 5-2 --columns 2").exits(0);
    let studies = "a1WWWWWWWWWWWW c3BBBBBB e5B g7B w wins\n\n\
        a1WW c1W e1WW g7BB e7B w wins\n\n\
        a1WWWW c3W e5BB w wins\n";
    let study = folder.file("study");
    fs::write(&study, studies).unwrap();
    let at = folder.name();
    folder.run(format!("study {study} --seconds 0 --make 0")).exits(0).prints(&format!(
        "lasca-tb generate 12-8 --columns 4 --tables {at} && lasca-tb generate 5-2 --columns 3 --tables \
         {at} && lasca-tb generate 5-3 --tables {at}"
    ));
}
