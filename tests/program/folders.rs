//! `lasca-tb list`, and where the program looks for tables.

use crate::run::{Ran, command, copies, path, run, run_with_input, tables};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn list_shows_each_table() {
    let tables = tables();
    let listed = run(&["list", "--json", "--tables", path(&tables)]).exits(0).json();
    assert_eq!(listed.len(), 9);
    assert_eq!(listed[0]["material"], "1-1");
    run(&["list", "--tables", path(&tables)]).exits(0).prints("301,260");
    let args = ["list", "--json", "--rules", "bignor", "--tables", path(&tables)];
    assert_eq!(run(&args).exits(0).json().len(), 1);
    let empty = TempDir::new().unwrap();
    assert_eq!(run(&["list", "--tables", path(&empty)]).exits(0).says("no tables").stdout, "");
}

#[test]
fn list_tells_a_file_that_cannot_be_read_from_a_damaged_one() {
    let tables = copies(&["lasca-1-1"]);
    fs::create_dir(tables.path().join("lasca-2-1.ltbw")).unwrap();
    fs::write(tables.path().join("lasca-3-1.ltbw"), "damaged").unwrap();
    let args = ["list", "--tables", path(&tables)];
    let ran = run(&args).exits(1);
    let errors: Vec<&str> = ran.stdout.lines().filter(|line| line.contains(": ")).collect();
    assert!(errors[0].starts_with("cannot be read: "), "{errors:?}");
    assert!(errors[1].starts_with("damaged: "), "{errors:?}");
}

#[test]
fn a_table_that_cannot_be_read_is_no_answer_of_no() {
    let tables = copies(&["lasca-1-1"]);
    fs::create_dir(tables.path().join("lasca-2-1.ltbw")).unwrap();
    for command in [&["probe", "a1WW c3B w"][..], &["explain", "a1WW c3B w"], &["stats", "2-1"]] {
        let args = [command, &["--tables", path(&tables)]].concat();
        run(&args).exits(2).says("lasca-2-1.ltbw");
    }
}

#[test]
fn the_folder_is_the_option_else_the_variable_else_tables() {
    let tables = tables();
    let elsewhere = copies(&["lasca-1-1"]);
    let empty = TempDir::new().unwrap();
    let list = |args: &[&str], variable: Option<&str>, at: &Path| {
        let mut command = command(&[&["list", "--json"], args].concat());
        command.current_dir(at);
        variable.map(|folder| command.env("LASCA_TABLES", folder));
        Ran::of(&[&["list"], args].concat(), &command.output().unwrap())
    };
    let count = |ran: Ran| ran.exits(0).json().len();
    assert_eq!(count(list(&[], Some(path(&elsewhere)), empty.path())), 1);
    assert_eq!(count(list(&["--tables", path(&tables)], Some(path(&elsewhere)), empty.path())), 9);
    let ran = list(&[], None, empty.path()).exits(1);
    ran.says("there is no folder `tables` here; name another with --tables or LASCA_TABLES, ");
    list(&[], Some(""), empty.path()).exits(1).says("there is no folder `tables` here; ");
    fs::create_dir(empty.path().join("tables")).unwrap();
    assert_eq!(count(list(&[], None, empty.path())), 0);
}

#[test]
fn tables_may_be_spread_over_folders() {
    let (one, other) = (copies(&["lasca-1-1"]), copies(&["lasca-2-1"]));
    let list = std::env::join_paths([one.path(), other.path()]).unwrap();
    let list = list.to_str().unwrap();
    let input = "a1W c3B w\na1WW c3B w\n";
    for folders in [&["--tables", list][..], &["--tables", path(&one), "--tables", path(&other)]] {
        run_with_input(&[&["probe", "--stdin"], folders].concat(), input).exits(0);
        run(&[&["verify"], folders].concat()).exits(0);
    }
    run(&["probe", "a1WW c3B w", "--tables", path(&one)]).exits(1);
    run(&["probe", "a1WW c3B w", "--tables", ""]).exits(2).says("expected a folder");
    run(&["probe", "a1WW c3B w", "--tables", ":"]).exits(2).says("expected a folder");
}

#[test]
fn without_the_folder_of_tables_each_position_is_answered_with_why() {
    let missing = ["--tables", "no/such/folder"];
    let ran = |args: &[&str]| run(&[args, &missing].concat());
    ran(&["probe", "a1W c3B w"]).exits(1).says("no/such/folder");
    ran(&["probe", "a1W c3B"]).exits(2).says("side to move");
    // No folder would help where there are soldiers.
    let soldiers = ran(&["probe", "start"]).exits(1).says("found a soldier on a1; a search can ");
    soldiers.says("lasca-tb solve start\n");
    for command in [&["stats", "2-1"][..], &["list"], &["verify"], &["verify", "2-1"]] {
        ran(command).exits(1).says("no/such/folder");
    }
    let input = "a1W c3B w\na1W\na1W c5B b\n";
    let args = [&["probe", "--stdin", "--json"][..], &missing].concat();
    let answers = run_with_input(&args, input).exits(2).says("3 of 3 lines").json();
    assert_eq!(answers.len(), 3);
    for line in [0, 2] {
        assert!(answers[line]["error"].as_str().unwrap().contains("no/such/folder"));
    }
    // A folder that is there and none is another matter.
    let file = TempDir::new().unwrap();
    let file = file.path().join("file");
    fs::write(&file, "").unwrap();
    run(&["probe", "a1W c3B w", "--tables", file.to_str().unwrap()]).exits(2).says("file");
}
