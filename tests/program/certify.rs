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
    let folder = Folder::empty();
    let out = folder.file("proof.txt");
    for (position, rules, verdict) in [
        (LASKER, "bignor", "rules bignor"),
        ("a5w b6b c7b w", "bignor", "Black wins in 0 plies, proved with 0 positions"),
        ("a1WBW c3WB e5BBW w", "lasca", "a1WBW c3WB e5BBW w: "),
    ] {
        let certify = format!("certify '{position}' --rules {rules} --make 0 --out {out}");
        let said = run(certify).exits(0).quietly().stdout;
        let text = fs::read_to_string(&out).unwrap();
        assert!(said.contains(verdict) || text.contains(verdict), "{said}\n{text}");
        accepts(text, &format!("rules {rules}"));
    }
    let answer = run(format!("certify '{LASKER}' --json --threads 2 --out {out}")).answer();
    has(&answer, json!({"wdl": "win", "dtw": null, "winner": "white", "black": null}));
    assert!(answer["at_most"].as_u64() >= Some(25), "{answer}");
}
