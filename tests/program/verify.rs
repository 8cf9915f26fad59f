//! `lasca-tb verify`: what is right, and how it tells what is wrong.

use crate::common::tables::{Files, field, first_histogram, material, put, slice_at, u64_at};
use crate::run::{Folder, has, write_wrong_table};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::FileKind;
use serde_json::{Value, json};

#[test]
fn verify_finds_wrong_values_in_intact_bytes() {
    let folder = Folder::empty();
    write_wrong_table(&folder);
    folder.run("verify --bytes-only").exits(0).prints("bytes intact");
    let verified = folder.run("verify --json").exits(1).answer();
    has(&verified, json!({"bytes_intact": true, "values_right": false}));
    assert!(verified["differences"].as_u64().unwrap() > 10);
    assert_eq!(verified["first_differences"].as_array().unwrap().len(), 10);
    let text = folder.run("verify --limit 2").exits(1).prints("bytes intact; VALUES WRONG, ");
    for found in &verified["first_differences"].as_array().unwrap()[..2] {
        let told = |value: &Value| match (value["wdl"].as_str().unwrap(), &value["dtw"]) {
            (wdl, Value::Null) => wdl.to_owned(),
            (wdl, dtw) => format!("{wdl} in {dtw}"),
        };
        let [stored, expected] = ["stored", "expected"].map(|key| told(&found[key]));
        let position = found["position"].as_str().unwrap();
        let line = format!("\n  {position}: stored {stored}, expected {expected}\n");
        assert!(text.stdout.contains(&line), "{line} in {}", text.stdout);
    }
    text.prints(" more\n");
}

#[test]
fn verify_finds_wrong_statistics_in_intact_bytes() {
    let folder = Folder::with(&["2-1"]);
    let of = material("2-1");
    let whole = Files::shipped("2-1");
    // As many captures as there are not; and what is won in so many plies is won in others.
    let mut more_captures = whole.clone();
    for kind in FileKind::ALL {
        let file = more_captures.of_mut(kind);
        for slice in 0..4 {
            let entry = slice_at(file, slice);
            put(file, entry + field::slice::CAPTURE, 7);
        }
    }
    let mut other_plies = whole.clone();
    let last = first_histogram(&whole.dtw).end - field::HISTOGRAM_ENTRY_LEN;
    put(&mut other_plies.dtw, last, u64_at(&whole.dtw, last) + 2);
    for (mut files, count) in [(more_captures, "capture"), (other_plies, "plies to the end")] {
        files.seal();
        files.put(&folder, of, RuleSet::Lasca);
        folder.run("stats 2-1").exits(0);
        folder
            .run("verify")
            .exits(1)
            .prints("bytes intact; values right, all 2,332; STATISTICS WRONG\n  white, 2 columns, ")
            .prints(&format!("{count}: stored "));
        let verified = folder.run("verify --json").exits(1).answer();
        has(&verified, json!({"statistics_right": false, "values_right": true}));
        let wrong = verified["wrong_statistics"].as_array().unwrap();
        assert!(wrong[0]["count"].as_str().unwrap().ends_with(count));
        let place = |wrong: &Value| (wrong["columns"].as_u64(), wrong["side"] == "black");
        assert!(wrong.is_sorted_by_key(place), "{wrong:?}");
    }
}
