//! Bounded tables: `generate --columns`, and what the other commands say of its tables.

use crate::run::{path, run, run_with_input};
use tempfile::TempDir;

/// Three columns, and four.
const THREE: &str = "a1W c3W e5BBB w";
const FOUR: &str = "a1W c3W e5WB g7B w";

#[test]
fn every_command_says_how_many_columns_a_bounded_table_covers() {
    let folder = TempDir::new().unwrap();
    let tables = ["--tables", path(&folder)];
    let with = |args: &[&str]| run(&[args, &tables].concat());
    let made = with(&["generate", "2-3", "--columns", "3", "--json"]).exits(0).json();
    assert_eq!(made[0]["max_columns"], 3);
    with(&["list"]).exits(0).prints("columns").prints("up to 3");
    let listed = with(&["list", "--json"]).exits(0).json();
    assert_eq!((&listed[0]["max_columns"], &listed[0]["positions"]), (&3.into(), &30_180.into()));
    let stats = with(&["stats", "3-2", "--json"]).exits(0).json();
    assert_eq!(stats[0]["max_columns"], 3);
    let columns = stats[0]["columns"].as_array().unwrap();
    assert_eq!(
        columns.iter().map(|of| of["columns"].as_u64()).collect::<Vec<_>>(),
        [Some(2), Some(3)]
    );
    with(&["stats", "3-2", "--zugzwang", "--longest", "1", "--by", "pieces"])
        .exits(0)
        .prints("3-2 with at most 3 columns under lasca rules");
    with(&["verify", "3-2"]).exits(0).prints("3-2 with at most 3 columns under lasca rules: bytes");
    assert_eq!(with(&["verify", "--json"]).exits(0).json()[0]["max_columns"], 3);
    let page = folder.path().join("page.html");
    with(&["report", "3-2", "--out", page.to_str().unwrap()]).exits(0);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("Only positions with at most 3 columns are counted."));

    with(&["probe", THREE]).exits(0);
    with(&["explain", THREE]).exits(0);
    let command = format!("lasca-tb generate 3-2 --columns 4 --tables {}", path(&folder));
    with(&["probe", FOUR])
        .exits(1)
        .says("holds positions of at most 3 columns, and this one has 4")
        .says(&command);
    let answers = run_with_input(
        &["probe", "--stdin", "--json", "--tables", path(&folder)],
        format!("{FOUR}\n{THREE}\n"),
    );
    let answers = answers.exits(1).json();
    assert!(answers[0]["error"].as_str().unwrap().contains("at most 3 columns"), "{answers:?}");
    assert!(answers[1]["wdl"].is_string(), "{answers:?}");
    // A search goes on where the table ends.
    with(&["solve", FOUR]).exits(0);
    let proof = folder.path().join("proof");
    with(&["certify", "a1WW c3B d6B g7W w", "--out", proof.to_str().unwrap()]).exits(0);
}

#[test]
fn generate_keeps_the_table_with_more_columns() {
    let folder = TempDir::new().unwrap();
    let generate =
        |args: &[&str]| run(&[&["generate"], args, &["--tables", path(&folder)]].concat());
    let plan = generate(&["--up-to", "4", "--columns", "3", "--dry-run", "--json"]).exits(0).json();
    let bounds: Vec<_> = plan.iter().map(|line| line["max_columns"].as_u64()).collect();
    assert_eq!(bounds, [None, None, Some(3), Some(3)]);
    generate(&["2-2", "--columns", "3"]).exits(0).prints("2-2 with at most 3 columns: ");
    generate(&["2-2", "--columns", "2"])
        .exits(0)
        .prints("2-2 with at most 3 columns: ")
        .prints("already there");
    let made = generate(&["2-2"]).exits(0);
    assert!(
        made.stdout.starts_with("2-2: ") && !made.stdout.contains("already"),
        "{}",
        made.stdout
    );
    generate(&["2-2", "--columns", "3"]).exits(0).prints("already there");
}

#[test]
fn a_material_of_more_than_twelve_counters_needs_columns() {
    let folder = TempDir::new().unwrap();
    let generate =
        |args: &[&str]| run(&[&["generate"], args, &["--tables", path(&folder)]].concat());
    generate(&["11-11"]).exits(2).says("needs a column bound").says("--columns");
    generate(&["--up-to", "13"]).exits(2).says("no work was started");
    generate(&["11-11", "--columns", "9"]).exits(2).says("a column bound of at most 8 for 11-11");
    generate(&["11-11", "--columns", "13"]).exits(2).says("a column bound of at most 8 for 11-11");
    generate(&["2-1", "--columns", "13"]).exits(0).prints("2-1: ");
    generate(&["11-11", "--columns", "1"]).exits(2);
    generate(&["11-11", "--columns", "2", "--dry-run"]).exits(0).prints("up to 2");
    generate(&["11-11", "--columns", "2"]).exits(0);
    run(&["verify", "11-11", "--tables", path(&folder)]).exits(0);
    let missing = "a1WWWWWWWWWWWW c3BBBBBB w";
    run(&["probe", missing, "--tables", path(&folder)])
        .exits(1)
        .says("lasca-tb generate 12-6 --columns 3 --tables");
    let four = "a1WWWWWWWWWWWW c3BBBBBB e5B g7B w";
    run(&["probe", four, "--tables", path(&folder)])
        .exits(1)
        .says("lasca-tb generate 12-8 --columns 4 --tables");
    // No table has so many columns of this material.
    let many = "a1WW c1WW e1WW g1WW b2W d2W f2W a7BB c7BB e7BB g7BB b6B d6B f6B w";
    let refused = run(&["probe", many, "--tables", path(&folder)]).exits(1);
    assert!(!refused.stderr.contains("make it with"), "{}", refused.stderr);
}

#[test]
fn a_study_names_commands_for_each_column_bound_that_its_positions_need() {
    let folder = TempDir::new().unwrap();
    let tables = ["--tables", path(&folder)];
    run(&[&["generate", "2-2", "--columns", "2"][..], &tables].concat()).exits(0);
    let studies = "a1WWWWWWWWWWWW c3BBBBBB e5B g7B w wins\n\n\
        a1WW c1W e1WW g7BB e7B w wins\n\n\
        a1W c3W e5BB w wins\n";
    let study = folder.path().join("study");
    std::fs::write(&study, studies).unwrap();
    let found = run(&[&["study", study.to_str().unwrap(), "--seconds", "0"][..], &tables].concat());
    let at = path(&folder);
    found.exits(0).prints(&format!(
        "lasca-tb generate 5-3 --tables {at} && lasca-tb generate 2-2 --columns 3 --tables {at} && \
         lasca-tb generate 12-8 --columns 4 --tables {at}"
    ));
}

#[test]
fn a_larger_table_without_distances_is_not_replaced_and_the_command_for_it_is_named() {
    let folder = TempDir::new().unwrap();
    let generate =
        |args: &[&str]| run(&[&["generate"], args, &["--tables", path(&folder)]].concat());
    generate(&["2-2"]).exits(0);
    std::fs::remove_file(folder.path().join("lasca-2-2.ltbd")).unwrap();
    generate(&["2-2", "--columns", "3"])
        .exits(1)
        .says(&format!("lasca-tb generate 2-2 --tables {}", path(&folder)));
}
