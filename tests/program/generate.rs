//! `lasca-tb generate`: what it makes, what it leaves alone, and what it refuses.

use crate::common::tables::{Files, field, material};
use crate::run::{copies, copy, path, run};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{FileKind, file_name};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn generate_makes_tables_and_leaves_those_that_are_there() {
    let folder = TempDir::new().unwrap();
    let args = ["generate", "1-2", "2-2", "2-1", "--tables", path(&folder), "--json"];
    let first = run(&args).exits(0).json();
    let materials: Vec<&Value> = first.iter().map(|line| &line["material"]).collect();
    assert_eq!(materials, ["2-1", "2-2"]);
    for line in &first {
        assert_eq!(line["already_there"], false);
        assert_eq!(line["solved_positions"], line["positions"]);
        let path = Path::new(line["path"].as_str().unwrap());
        assert_eq!(path.extension().unwrap(), FileKind::Wdl.extension());
        let len =
            |kind: FileKind| fs::metadata(path.with_extension(kind.extension())).unwrap().len();
        assert_eq!(line["bytes"], len(FileKind::Wdl) + len(FileKind::Dtw));
    }
    assert_eq!((&first[0]["positions"], &first[0]["max_dtw"]), (&json!(2332), &json!(14)));

    let again = run(&args).exits(0).json();
    assert!(again.iter().all(|line| line["already_there"] == true));
    assert!(again.iter().all(|line| line["positions_per_second"].is_null()));
    assert!(again.iter().all(|line| line["solved_positions"] == 0));
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn generate_says_a_line_a_material() {
    let folder = TempDir::new().unwrap();
    let ran = run(&["generate", "--up-to", "3", "--threads", "1", "--tables", path(&folder)]);
    let ran = ran.exits(0).prints("1-1: 100 positions, up to 10 plies, ");
    assert_eq!(ran.stdout.lines().count(), 2);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_dry_run_plans_and_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let below = folder.path().join("tables");
    let args = ["generate", "--up-to", "6", "--dry-run", "--tables", below.to_str().unwrap()];
    run(&args).exits(0).prints("to do").prints("3-3");
    let planned = run(&[args.as_slice(), &["--json"]].concat()).exits(0).json();
    assert_eq!(planned.len(), 9);
    for line in &planned {
        let slices = line["slices"].as_array().unwrap();
        let sum: u64 = slices.iter().map(|slice| slice["positions"].as_u64().unwrap()).sum();
        assert_eq!(line["positions"], sum);
    }
    assert!(!below.exists());
}

#[test]
fn a_material_that_needs_too_much_memory_is_refused_before_anything_is_begun() {
    let folder = TempDir::new().unwrap();
    let below = folder.path().join("tables");
    let folder = ["--tables", below.to_str().unwrap()];
    let ran = |args: &[&str]| run(&[args, &folder].concat());
    ran(&["generate", "1-1", "4-4", "--memory", "6M"])
        .exits(2)
        .says("4-4 needs at least ")
        .says("--memory allows 6.0 MiB");
    assert!(!below.exists());
    ran(&["generate", "6-6", "--memory", "1G", "--dry-run"])
        .exits(0)
        .prints("too large")
        .says("without --dry-run, this is refused");
    let planned = ran(&["generate", "6-6", "--dry-run", "--json"]).exits(0).json().remove(0);
    if planned["memory_limit"]
        .as_u64()
        .is_some_and(|limit| planned["memory"].as_u64() > Some(limit))
    {
        ran(&["generate", "1-1", "6-6"])
            .exits(2)
            .says("6-6 needs ")
            .says("is free on this machine");
        assert!(!below.exists());
    }
}

#[test]
fn generate_refuses_what_is_no_material() {
    for (material, message) in [
        ("4", "expected a material such as 4-3"),
        ("4-", "expected a material such as 4-3"),
        ("a-b", "expected a material such as 4-3"),
        ("4-3-2", "expected a material such as 4-3"),
        ("0-0", "at least one counter on each side"),
        ("3-0", "at least one counter on each side"),
        ("12-11", "at most 22 counters"),
        ("9-4", "give one with --columns"),
        ("99999999999999999999-1", "expected a material such as 4-3"),
    ] {
        run(&["generate", "1-1", material, "--tables", "/nowhere"]).exits(2).says(message);
    }
    run(&["generate", "2-1", "--up-to", "3"]).exits(2).says("--up-to");
    run(&["generate", "1-1", "--threads", "60000", "--tables", "/nowhere"])
        .exits(2)
        .says("expected at most ")
        .says("found 60000");
    run(&["generate", "1-1", "--rules", "chess"]).exits(2).says("rejump");
}

#[test]
fn generate_says_which_folder_cannot_be_written() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("tables");
    let ran = run(&["generate", "1-1", "--tables", below.to_str().unwrap()]);
    let ran = ran.exits(2).says("file/tables");
    assert!(!ran.stderr.contains("kept"), "nothing was begun: {}", ran.stderr);
    run(&["generate", "1-1", "--tables", file.to_str().unwrap()]).exits(2).says("file");
}

#[test]
fn tables_in_any_folder_are_there_and_new_ones_go_to_the_first() {
    let (first, second) = (copies(&["lasca-1-1"]), copies(&["lasca-2-1"]));
    let tables = std::env::join_paths([first.path(), second.path()]).unwrap();
    let lists = [
        vec!["--tables", tables.to_str().unwrap()],
        vec!["--tables", path(&first), "--tables", path(&second)],
    ];
    for folders in lists {
        let args = [&["generate", "--up-to", "3"][..], &folders].concat();
        let planned = run(&[&args[..], &["--dry-run", "--json"]].concat()).exits(0).json();
        assert!(planned.iter().all(|line| line["already_there"] == true), "{planned:?}");
        let found = format!("found in {}", path(&second));
        run(&[&args[..], &["--dry-run"]].concat()).exits(0).prints(&found);
        run(&args).exits(0).prints(&format!("already there in {}", path(&second)));
        let made = run(&[&args[..], &["--json"]].concat()).exits(0).json();
        assert!(made[1]["path"].as_str().unwrap().starts_with(path(&second)), "{made:?}");
    }
    // The folder that is not written to need not even exist, and the table there counts only if it is
    // sound.
    let damaged = second.path().join("lasca-2-1.ltbd");
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[field::HEADER_LEN] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let folders = ["--tables", path(&first), "--tables", path(&second), "--tables", "/nowhere"];
    let made = run(&[&["generate", "2-1", "--json"][..], &folders].concat()).exits(0).json();
    assert_eq!(made[0]["already_there"], false);
    assert!(made[0]["path"].as_str().unwrap().starts_with(path(&first)), "{made:?}");
    run(&["verify", "2-1", "--tables", path(&first)]).exits(0);
    assert_eq!(fs::read_dir(second.path()).unwrap().count(), 2);
}

#[test]
fn a_sound_table_under_the_name_of_another_is_not_overwritten() {
    let tables = copies(&["lasca-2-1"]);
    copy(tables.path(), "lasca-2-1", tables.path(), "lasca-3-1");
    let of_name = || Files::read(tables.path(), material("3-1"), RuleSet::Lasca);
    let before = of_name();
    for dry_run in [&[][..], &["--dry-run"]] {
        let args = [&["generate", "2-2", "3-1", "--tables", path(&tables)], dry_run].concat();
        run(&args)
            .exits(1)
            .says("lasca-3-1.ltbw: expected the table of 3-1 under lasca rules")
            .says("found a sound table of 2-1")
            .says("rename its files to lasca-2-1.*")
            .says("no work was started");
    }
    assert!(of_name() == before);
    // Nor is it if only one of its files was renamed.
    fs::remove_file(tables.path().join("lasca-3-1.ltbd")).unwrap();
    run(&["generate", "3-1", "--tables", path(&tables)]).exits(1).says("sound table of 2-1");
    // A damaged one is of no use to anybody.
    let file = tables.path().join("lasca-3-1.ltbw");
    let mut bytes = fs::read(&file).unwrap();
    bytes[field::HEADER_LEN] ^= 1;
    fs::write(&file, bytes).unwrap();
    run(&["generate", "3-1", "--tables", path(&tables)]).exits(0);
    run(&["verify", "3-1", "--tables", path(&tables)]).exits(0);
}

#[test]
fn checkpoints_are_as_often_as_asked_for() {
    let folder = TempDir::new().unwrap();
    let args = ["generate", "2-1", "--tables", path(&folder), "--checkpoint"];
    for seconds in ["", "x", "-1", "nan", "inf", "1e300"] {
        let ran = run(&[&args[..], &[seconds]].concat()).exits(2).says("--checkpoint");
        assert!(ran.stderr.contains("number of seconds"), "{}", ran.stderr);
    }
    for seconds in ["0", "0.001", "100"] {
        run(&[&args[..], &[seconds]].concat()).exits(0);
    }
}

#[test]
fn generate_makes_a_damaged_table_again() {
    for kind in FileKind::ALL {
        let folder = copies(&["lasca-2-1"]);
        let (of, rules) = (material("2-1"), RuleSet::Lasca);
        let file = folder.path().join(file_name(of, rules, kind));
        let whole = Files::read(folder.path(), of, rules);
        let bytes = whole.of(kind);
        let mut flipped = bytes.clone();
        // The first byte after the header is of a value: opening does not read it.
        flipped[field::HEADER_LEN] ^= 1;
        for damaged in [Some(&bytes[..bytes.len() / 2]), Some(&flipped), None] {
            match damaged {
                Some(bytes) => fs::write(&file, bytes).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            let args = ["generate", "2-1", "--tables", path(&folder), "--json"];
            let made = run(&args).exits(0).json();
            assert_eq!(made[0]["already_there"], false);
            assert!(Files::read(folder.path(), of, rules) == whole);
        }
    }
}
