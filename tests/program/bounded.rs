//! Bounded tables: `generate --columns`. `cases.txt` has what the other commands say of its tables.

use crate::run::Folder;
use serde_json::{Value, json};
use std::fs;

#[test]
fn generate_keeps_the_table_with_more_columns() {
    let folder = Folder::empty();
    let plan = folder.run("generate --up-to 4 --columns 3 --dry-run --json").exits(0).json();
    let bounds: Vec<&Value> = plan.iter().map(|line| &line["max_columns"]).collect();
    assert_eq!(bounds, [&json!(null), &json!(null), &json!(3), &json!(3)]);
    let bounded = "2-2 with at most 3 columns: ";
    for (args, prints, is_there) in [
        ("--columns 3", bounded, false),
        ("--columns 2", bounded, true),
        ("", "2-2: ", false),
        ("--columns 3", "2-2: ", true),
    ] {
        let ran = folder.run(format!("generate 2-2 {args}")).exits(0).prints(prints);
        assert_eq!(ran.stdout.contains("already there"), is_there, "{args}: {}", ran.stdout);
    }
    // A larger table without distances is not replaced, and the command for it is named.
    folder.remove("lasca-2-2.ltbd");
    let again = format!("lasca-tb generate 2-2 --tables {}", folder.name());
    folder.run("generate 2-2 --columns 3").exits(1).says(&again);
}

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
