//! `SHA256SUMS`: `verify` and `list` compare a folder with the list of a release.

use crate::run::{copies, path, run};
use std::fs;

#[test]
fn verify_compares_the_tables_with_the_list_of_their_folder_and_list_says_what_is_missing() {
    let shipped = fs::read_to_string("../../tables/SHA256SUMS").unwrap();
    let lines = shipped.lines().filter(|line| line.contains("-2-1.") || line.contains("-1-1."));
    let listed: String = lines.map(|line| format!("{line}\n")).collect();
    let tables = copies(&["lasca-1-1", "lasca-2-1"]);
    let file = |name: &str| tables.path().join(name);
    fs::write(file("SHA256SUMS"), &listed).unwrap();
    let verify = |more: &[&str]| run(&[&["verify", "--tables", path(&tables)], more].concat());
    let list = || run(&["list", "--tables", path(&tables)]).exits(0);
    let verified = verify(&["--json"]).exits(0).json();
    assert_eq!(verified.iter().map(|line| &line["as_listed"]).collect::<Vec<_>>(), [true, true]);
    list().says("all tables that").says("SHA256SUMS names are here");

    // Its own checksums tell nothing of a good table in place of another one.
    fs::rename(file("lasca-2-1.ltbd"), file("distances")).unwrap();
    verify(&[]).exits(1).prints("NOT AS LISTED\n  ").prints("there is no DTW file");
    list().says("SHA256SUMS names files that are not here: lasca-2-1.ltbd\n");
    fs::rename(file("distances"), file("lasca-2-1.ltbd")).unwrap();
    let sum = listed.find("  lasca-2-1.ltbw").unwrap() - 64;
    let mut other = listed.clone();
    other.replace_range(sum..sum + 64, &"0".repeat(64));
    fs::write(file("SHA256SUMS"), &other).unwrap();
    verify(&["1-1"]).exits(0);
    verify(&["2-1", "--bytes-only"])
        .exits(1)
        .prints("bytes intact; NOT AS LISTED\n")
        .prints("lasca-2-1.ltbw is not the file that SHA256SUMS names");

    fs::write(file("SHA256SUMS"), &listed).unwrap();
    fs::remove_file(file("lasca-2-1.ltbw")).unwrap();
    verify(&[]).exits(1).prints("2-1 under lasca rules: MISSING\n");
    verify(&["--rules", "bignor"]).exits(1).says("no tables");
    fs::write(file("SHA256SUMS"), "abc  lasca-2-1.ltbw\n").unwrap();
    for ran in [verify(&[]), run(&["list", "--tables", path(&tables)])] {
        ran.exits(2).says("SHA256SUMS, line 1: expected a SHA-256 of 64 digits, two spaces");
    }
}
