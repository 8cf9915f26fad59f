//! `lasca-tb certify`: the file that it writes, and why it may write none.

use crate::LASKER;
use crate::common::checker::accepts;
use crate::run::{Folder, has, run};
use serde_json::json;
use std::fs;

/// Black to move loses in 12 plies; Black to move draws.
const STUDIED_LOSS: &str = "c3W e5W c5B e3B b";
const STUDIED_DRAW: &str = "c3W c5W e3B e5B b";

#[test]
fn certify_writes_a_file_and_says_so() {
    let folder = Folder::empty();
    let out = folder.file("proof.txt");
    let certify = |args: &str| run(format!("certify {args} --out {out}")).exits(0).quietly();
    let ran = certify("c3W e5W c5B e3B b");
    let expected = "c3W e3B c5B e5W b: White wins in 12 plies, proved with 212 positions: ";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    let bytes = folder.read("proof.txt");
    accepts(&bytes, "white wins in at most 12 plies");
    let expected = json!({
        "position": "c3W e3B c5B e5W b", "rules": "lasca", "wdl": "loss", "dtw": 12, "at_most": 12,
        "winner": "white", "white": 212, "black": null, "path": out, "bytes": bytes.len(),
    });
    assert_eq!(certify(&format!("'{STUDIED_LOSS}' --json")).answer(), expected);
    certify("'a1W b2B w'").prints("a1W b2B w: White wins in 1 ply, proved with 1 position: ");

    let answer = certify(&format!("'{STUDIED_DRAW}' --json")).answer();
    has(&answer, json!({"wdl": "draw", "winner": null}));
    assert!(answer["white"].is_u64() && answer["black"].is_u64());
    accepts(folder.read("proof.txt"), "neither side can force a win");
}

#[test]
fn a_position_that_no_table_covers_is_searched() {
    let (folder, empty) = (Folder::empty(), Folder::empty());
    let out = folder.file("proof.txt");
    for (position, rules, tables, verdict) in [
        (LASKER, "lasca", "tables", "White wins in at most "),
        (LASKER, "bignor", "tables", "rules bignor"),
        ("d6w f6w a3b e3b w", "rejump", "tables", "rules rejump"),
        (STUDIED_LOSS, "bignor", empty.name(), "White wins in at most "),
        ("a5w b6b c7b w", "bignor", empty.name(), "Black wins in 0 plies, proved with 0 positions"),
        ("a1WWWWWW c3BBBBBB w", "lasca", "tables", "in at most "),
        ("a1WBW c3WB e5BBW w", "lasca", "tables", "a1WBW c3WB e5BBW w: "),
    ] {
        let ran = run(format!(
            "certify '{position}' --rules {rules} --tables {tables} --make 0 --out {out}"
        ));
        let said = ran.exits(0).quietly().stdout;
        let text = fs::read_to_string(&out).unwrap();
        assert!(said.contains(verdict) || text.contains(verdict), "{said}\n{text}");
        accepts(text, &format!("rules {rules}"));
    }
    let answer = run(format!("certify '{LASKER}' --json --threads 2 --out {out}")).answer();
    has(&answer, json!({"wdl": "win", "dtw": null, "winner": "white", "black": null}));
    assert!(answer["at_most"].as_u64() >= Some(25), "{answer}");
}

#[test]
fn tables_without_distances_are_passed_over_and_damaged_ones_are_an_error() {
    let (folder, tables) = (Folder::empty(), Folder::of_bignor(&["2-2"]));
    let out = folder.file("proof.txt");
    let bytes = tables.read("bignor-2-2.ltbd");
    tables.remove("bignor-2-2.ltbd");
    let certify = |position| tables.run(format!("certify '{position}' --make 0 --out {out}"));
    let soldiers = "d6w f2W b2b g7B b";
    for position in [STUDIED_LOSS, soldiers] {
        certify(position).exits(0).quietly();
        accepts(folder.read("proof.txt"), "");
        folder.remove("proof.txt");
    }
    // The header, and what it points to.
    for damaged in [10..20, 100..bytes.len()] {
        tables.write("bignor-2-2.ltbd", &bytes);
        tables.damage("bignor-2-2.ltbd", damaged);
        for position in [STUDIED_LOSS, soldiers] {
            let refused = certify(position).exits(1).says("bignor-2-2.ltbd: ");
            assert_eq!((refused.stdout.as_str(), folder.names().len()), ("", 0), "{position}");
        }
    }
}
