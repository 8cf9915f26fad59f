//! Tables that are damaged, misnamed or incomplete.

use crate::common::tables::{Files, material, slice_at};
use crate::run::{Folder, copy, has, run};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::FileKind;
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_damaged_table_is_found_by_all_that_read_it() {
    let folder = Folder::of_bignor(&["2-1", "3-2"]);
    let both = Files::read(&folder, material("3-2"), RuleSet::Bignor);
    for kind in FileKind::ALL {
        let name = format!("bignor-3-2.{}", kind.extension());
        let whole = both.of(kind);
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            bytes
        };
        for (damage, bytes) in [
            ("empty", Vec::new()),
            ("its header flipped", flipped(9)),
            ("its directory flipped", flipped(slice_at(whole, 1))),
        ] {
            folder.write(&name, bytes);
            let listed = folder.run("list --json").exits(1).json();
            assert_eq!((listed.len(), &listed[1]["positions"]), (2, &Value::Null), "{damage}");
            assert!(listed[1]["error"].is_string(), "{damage}");
            folder.run("list").exits(1).prints("damaged: ");
            folder.run("stats 3-2").exits(1).says(&name);
            folder.run("probe 'a1WWW b2BB w'").exits(1).says(&name);
            let verified = folder.run("verify --json").exits(1).json();
            has(&verified[0], json!({"values_right": true}));
            has(&verified[1], json!({"bytes_intact": false, "values_right": null}));
            has(&verified[1], json!({"statistics_right": null, "differences": null}));
            let ran = folder.run("verify 3-2").exits(1).prints("DAMAGED");
            // A file of another version is named again where it says what to do.
            let named = ran.stdout.matches(&folder.file(&name)).count();
            assert!(named == 1 || damage == "its header flipped", "{damage}: {}", ran.stdout);
            // The other table still answers.
            folder.run("probe 'a1WW c3B w'").exits(0);
        }
        folder.write(&name, whole);
    }
}

#[test]
fn files_under_the_names_of_others_are_found() {
    let (folder, others) = (Folder::of_bignor(&["2-1", "3-1"]), Folder::of_other_rules());
    copy(&folder, "bignor-3-1", &folder, "bignor-2-2");
    copy(&others, "bignor-2-2", &folder, "rejump-2-2");
    fs::copy(folder.join("bignor-3-1.ltbd"), folder.join("bignor-2-1.ltbd")).unwrap();
    let not_with_it = "bignor-2-1.ltbd: the DTW file was not made with the WDL file beside it";
    folder.run("list").exits(1);
    folder.run("verify").exits(1).prints(not_with_it);
    folder.run("probe 'a1WW c3B w'").exits(1).says(not_with_it);
    folder
        .run("probe 'a1WW c3BB w'")
        .exits(1)
        .says("bignor-2-2.ltbw: expected the table of 2-2 under bignor rules, found that of 3-1")
        .says("to bignor-3-1.ltbw, or remove");
    let line = format!("probe 'a1WW c3BB w' --rules rejump --tables {}", folder.name());
    run(line).exits(1).says(
        "rejump-2-2.ltbw: expected the table of 2-2 under rejump rules, found that of 2-2 und",
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_or_folder_with_the_name_of_a_table_is_an_error_and_a_link_is_none() {
    let folder = Folder::of_bignor(&["1-1", "3-1", "3-2"]);
    let pipe = folder.join("bignor-2-1.ltbw");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(folder.join("bignor-2-2.ltbw")).unwrap();
    folder.remove("bignor-3-2.ltbd");
    fs::create_dir(folder.join("bignor-3-2.ltbd")).unwrap();
    let elsewhere = Folder::of_bignor(&["3-1"]);
    for name in ["bignor-3-1.ltbw", "bignor-3-1.ltbd"] {
        folder.remove(name);
        std::os::unix::fs::symlink(elsewhere.join(name), folder.join(name)).unwrap();
    }
    let listed = folder.run("list --json").exits(1).json();
    let errors: Vec<bool> = listed.iter().map(|line| line["error"].is_string()).collect();
    assert_eq!(errors, [false, true, false, true, true]);
    let listed = folder.run("list").exits(1).prints("cannot be read: ");
    assert!(!listed.stdout.contains("damaged: "), "{}", listed.stdout);
    for (position, found) in [
        ("a1WW c3B w", "expected a regular file, found a pipe"),
        ("a1WW c3BB w", "expected a regular file, found a folder"),
        ("a1WWW c3BB w", "bignor-3-2.ltbd: expected a regular file"),
    ] {
        folder.run(format!("probe '{position}'")).exits(2).says(found);
    }
    folder.run("probe 'a1WWW c3B w'").exits(0);
    let text = folder
        .run("verify")
        .exits(1)
        .prints("2-1 under bignor rules: CANNOT BE READ\n")
        .prints("bignor-2-1.ltbw: expected a regular file")
        .prints("3-1 under bignor rules: bytes intact; values right")
        .stdout;
    assert!(!text.contains("DAMAGED") && !text.contains("generate"), "{text}");
    let verified = folder.run("verify --json").exits(1).json();
    let intact = verified.iter().map(|line| line["bytes_intact"].as_bool().unwrap());
    assert!(intact.eq(errors.iter().map(|error| !error)), "{verified:?}");
}
