//! Tables that are damaged, misnamed or incomplete.

use crate::common::tables::{Files, material, slice_at};
use crate::run::{copies, copy, path, run, tables};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{FileKind, file_name};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

#[test]
fn a_damaged_table_is_found_by_all_that_read_it() {
    let (of, rules) = (material("3-2"), RuleSet::Lasca);
    let both = Files::read(tables().path(), of, rules);
    for kind in FileKind::ALL {
        let name = file_name(of, rules, kind);
        let whole = both.of(kind);
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            bytes
        };
        let damages = [
            ("empty", Vec::new()),
            ("cut short", whole[..whole.len() - 1].to_vec()),
            ("cut to the header", whole[..40].to_vec()),
            ("longer", [whole.as_slice(), b"x"].concat()),
            ("its first byte flipped", flipped(0)),
            ("its header flipped", flipped(9)),
            ("its directory flipped", flipped(slice_at(whole, 1))),
            ("its list of pages flipped", flipped(whole.len() - 1)),
            ("text", b"a1WWW b2BBB w\n".to_vec()),
        ];
        let folder = copies(&["lasca-2-1", "lasca-3-2"]);
        for (damage, bytes) in damages {
            fs::write(folder.path().join(&name), bytes).unwrap();
            let ran = |args: &[&str]| run(&[args, &["--tables", path(&folder)]].concat());
            let listed = ran(&["list", "--json"]).exits(1).json();
            assert_eq!(listed.len(), 2, "{damage}");
            assert_eq!(listed[1]["positions"], Value::Null, "{damage}");
            assert!(listed[1]["error"].is_string(), "{damage}");
            ran(&["list"]).exits(1).prints("damaged: ");
            ran(&["stats", "3-2"]).exits(1).says(&name);
            ran(&["probe", "a1WWW b2BB w"]).exits(1).says(&name);
            ran(&["verify", "3-2"]).exits(1).prints("DAMAGED");
            let verified = ran(&["verify", "--json"]).exits(1).json();
            assert_eq!(
                (&verified[0]["values_right"], &verified[1]["bytes_intact"]),
                (&json!(true), &json!(false))
            );
            // The other table still answers.
            ran(&["probe", "a1WW c3B w"]).exits(0);
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_found_by_verify() {
    for kind in FileKind::ALL {
        let folder = copies(&["lasca-2-1"]);
        let file = folder.path().join(file_name(material("2-1"), RuleSet::Lasca, kind));
        let whole = fs::read(&file).unwrap();
        let args = ["verify", "--bytes-only", "--tables", path(&folder)];
        for at in (0..whole.len()).step_by(61) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&file, bytes).unwrap();
            run(&args).exits(1).prints("DAMAGED");
        }
    }
}

#[test]
fn a_table_under_another_ones_name_is_found() {
    let folder = TempDir::new().unwrap();
    let from = tables();
    copy(from.path(), "lasca-3-1", folder.path(), "lasca-2-2");
    copy(from.path(), "bignor-2-2", folder.path(), "rejump-2-2");
    run(&["list", "--tables", path(&folder)]).exits(1);
    run(&["probe", "a1WW c3BB w", "--tables", path(&folder)])
        .exits(1)
        .says("lasca-2-2.ltbw: expected the table of 2-2 under lasca rules, found that of 3-1")
        .says("to lasca-3-1.ltbw, or remove");
    run(&["probe", "a1WW c3BB w", "--rules", "rejump", "--tables", path(&folder)]).exits(1).says(
        "rejump-2-2.ltbw: expected the table of 2-2 under rejump rules, found that of 2-2 und",
    );
    run(&["verify", "--tables", path(&folder)]).exits(1);
}

#[test]
fn files_of_two_tables_under_one_name_are_found() {
    let folder = copies(&["lasca-2-1"]);
    let from = tables();
    let to = folder.path().join("lasca-2-1.ltbd");
    fs::copy(from.path().join("lasca-3-1.ltbd"), to).unwrap();
    let ran = |args: &[&str]| run(&[args, &["--tables", path(&folder)]].concat());
    ran(&["probe", "a1WW c3B w"])
        .exits(1)
        .says("lasca-2-1.ltbd: the DTW file was not made with the WDL file beside it");
    ran(&["list"]).exits(1);
    ran(&["verify"]).exits(1).prints("lasca-2-1.ltbd: the DTW file was not made");
}

#[test]
fn a_table_without_its_dtw_file_is_told_from_a_whole_one() {
    let folder = copies(&["lasca-1-1", "lasca-2-1"]);
    fs::remove_file(folder.path().join("lasca-2-1.ltbd")).unwrap();
    let ran = |args: &[&str]| run(&[args, &["--tables", path(&folder)]].concat());
    let listed = ran(&["list", "--json"]).exits(0).json();
    assert_eq!((&listed[1]["positions"], &listed[1]["max_dtw"]), (&json!(2332), &Value::Null));
    assert_eq!((&listed[0]["distances"], &listed[1]["distances"]), (&json!(true), &json!(false)));
    // Who wins is known without it.
    ran(&["probe", "a1WW c3B w"]).exits(0).prints("White wins; the distance is not known");
    assert_eq!(ran(&["probe", "a1WW c3B w", "--brief"]).exits(0).stdout, "win\n");
    assert_eq!(ran(&["probe", "a1WW c3B b", "--brief"]).exits(0).stdout, "loss\n");
    let answer = &ran(&["probe", "a1WW c3B w", "--json"]).exits(0).json()[0];
    let whole = &run(&["probe", "a1WW c3B w", "--json"]).exits(0).json()[0];
    assert_eq!((&answer["wdl"], &answer["dtw"]), (&whole["wdl"], &Value::Null));
    let wdls = |answer: &Value| -> Vec<Value> {
        answer["moves"].as_array().unwrap().iter().map(|m| m["wdl"].clone()).collect()
    };
    assert_eq!(wdls(answer), wdls(whole));
    ran(&["probe", "a1WW c3B w", "--line"]).exits(1).says("lasca-2-1.ltbd is missing");
    ran(&["probe", "a1W c3B w"]).exits(0);
    ran(&["verify", "--bytes-only"]).exits(0);
    ran(&["verify", "2-1"])
        .exits(1)
        .prints("bytes intact; VALUES NOT CHECKED\n")
        .prints("lasca-2-1.ltbw: there is no DTW file");
    assert_eq!(ran(&["verify", "2-1", "--json"]).exits(1).json()[0]["values_right"], Value::Null);
    // A DTW file alone is no table.
    fs::remove_file(folder.path().join("lasca-1-1.ltbw")).unwrap();
    assert_eq!(ran(&["list", "--json"]).exits(0).json().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_pipe_or_folder_with_the_name_of_a_table_is_an_error() {
    let folder = copies(&["lasca-1-1", "lasca-3-2"]);
    let pipe = folder.path().join("lasca-2-1.ltbw");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(folder.path().join("lasca-2-2.ltbw")).unwrap();
    let dtw = folder.path().join("lasca-3-2.ltbd");
    fs::remove_file(&dtw).unwrap();
    fs::create_dir(&dtw).unwrap();
    // Links to a table are as good as the table.
    let shipped = tables();
    for name in ["lasca-3-1.ltbw", "lasca-3-1.ltbd"] {
        std::os::unix::fs::symlink(shipped.path().join(name), folder.path().join(name)).unwrap();
    }
    let tables = ["--tables", path(&folder)];
    let listed = run(&[&["list", "--json"], &tables[..]].concat()).exits(1).json();
    let errors: Vec<bool> = listed.iter().map(|line| line["error"].is_string()).collect();
    assert_eq!(errors, [false, true, false, true, true]);
    let ran = |args: &[&str]| run(&[args, &tables[..]].concat());
    ran(&["probe", "a1WW c3B w"]).exits(2).says("expected a regular file, found a pipe");
    ran(&["probe", "a1WW c3BB w"]).exits(2).says("expected a regular file, found a folder");
    ran(&["probe", "a1WWW c3BB w"]).exits(2).says("lasca-3-2.ltbd: expected a regular file");
    ran(&["probe", "a1WWW c3B w"]).exits(0);
    ran(&["verify"]).exits(1).prints("lasca-2-1.ltbw: expected a regular file");
}
