//! `lasca-tb certify`: the file that it writes, and why it may write none.

use crate::common::checker::accepts;
#[cfg(target_os = "linux")]
use crate::run::{OnTerminal, signal};
use crate::run::{Ran, copies, path, run};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

/// Black to move loses in 12 plies; Black to move draws.
const STUDIED_LOSS: &str = "c3W e5W c5B e3B b";
const STUDIED_DRAW: &str = "c3W c5W e3B e5B b";

/// An ending of fourteen counters that Lasker published in 1911. White wins.
const LASKER: &str = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

/// The position that a game starts from, which nobody has solved.
const START: &str = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";

fn certify(args: &[&str]) -> Ran {
    run(&[&["certify"], args].concat())
}

#[test]
fn certify_writes_a_file_and_says_so() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("proof.txt");
    let out = path.to_str().unwrap();
    let Ran { stdout, stderr, .. } =
        certify(&["c3W", "e5W", "c5B", "e3B", "b", "--out", out]).exits(0);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(stderr, "");
    let expected = "c3W e3B c5B e5W b: White wins in 12 plies, proved with 212 positions: ";
    assert!(stdout.starts_with(expected), "{stdout}");
    accepts(&bytes, "white wins in at most 12 plies");

    let expected = json!({
        "position": "c3W e3B c5B e5W b", "rules": "lasca", "wdl": "loss", "dtw": 12, "at_most": 12,
        "winner": "white", "white": 212, "black": null, "path": out, "bytes": bytes.len(),
    });
    assert_eq!(certify(&[STUDIED_LOSS, "--json", "--out", out]).exits(0).json(), [expected]);

    let won = certify(&["a1W b2B w", "--out", out]).exits(0);
    won.prints("a1W b2B w: White wins in 1 ply, proved with 1 position: ");

    let answer = certify(&[STUDIED_DRAW, "--json", "--out", out]).exits(0).json().remove(0);
    assert_eq!((&answer["wdl"], &answer["winner"]), (&json!("draw"), &json!(null)));
    assert!(answer["white"].is_u64() && answer["black"].is_u64());
    let text = fs::read(&path).unwrap();
    accepts(text, "neither side can force a win");
}

#[test]
fn certify_says_why_there_is_no_proof_and_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("proof");
    let out = path.to_str().unwrap();
    let nowhere = folder.path().join("none/proof");
    let here = folder.path().to_str().unwrap();
    for (args, expected, why) in [
        (&[STUDIED_LOSS, "--max-positions", "9", "--out", out][..], 1, "at most 9 positions"),
        (&[LASKER, "--max-positions", "9", "--out", out], 1, "--max-positions allows more"),
        (&[START, "--seconds", "0.2", "--out", out], 1, "--seconds allows more time"),
        (&[START, "--memory", "4M", "--out", out], 1, "--memory allows more"),
        (&[START, "--memory", "1", "--out", out], 2, "--memory"),
        (&[START, "--seconds", "soon", "--out", out], 2, "--seconds"),
        (&[START, "--threads", "60000", "--out", out], 2, "threads"),
        (&[STUDIED_LOSS, "--out", out, "--tables", "none"], 1, "none"),
        (&["a1WWWW", "--out", out], 2, "side to move"),
        (&["--out", out], 2, "<POSITION>"),
        (&[STUDIED_LOSS], 2, "--out"),
        (&[STUDIED_LOSS, "--out", out, "--max-positions", "0"], 2, "--max-positions"),
        (&[STUDIED_LOSS, "--out", nowhere.to_str().unwrap()], 2, "cannot write "),
        (&[STUDIED_LOSS, "--out", here], 2, "expected a file or nothing"),
        (&[STUDIED_LOSS, "--out", ""], 2, ""),
    ] {
        let ran = certify(args).exits(expected).says(why);
        assert_eq!(ran.stdout, "", "{args:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{args:?}");
    }
}

#[test]
fn a_position_that_no_table_covers_is_searched() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("proof.txt");
    let out = path.to_str().unwrap();
    let empty = TempDir::new().unwrap();
    let empty = empty.path().to_str().unwrap();
    for (position, rules, tables, verdict) in [
        (LASKER, "lasca", "tables", "White wins in at most "),
        (LASKER, "lasca", empty, "White wins in at most "),
        (LASKER, "bignor", "tables", "rules bignor"),
        ("d6w f6w a3b e3b w", "rejump", "tables", "rules rejump"),
        (STUDIED_LOSS, "lasca", empty, "White wins in at most "),
        (STUDIED_LOSS, "bignor", "tables", "rules bignor"),
        ("a5w b6b c7b w", "lasca", empty, "Black wins in 0 plies, proved with 0 positions"),
        ("a1WWWWWW c3BBBBBB w", "lasca", "tables", "in at most "),
        ("a1WBW c3WB e5BBW w", "lasca", "tables", "a1WBW c3WB e5BBW w: "),
    ] {
        let args = [position, "--rules", rules, "--tables", tables, "--out", out];
        let Ran { stdout, stderr, .. } = certify(&args).exits(0);
        assert_eq!(stderr, "", "{args:?}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(stdout.contains(verdict) || text.contains(verdict), "{stdout}\n{text}");
        accepts(text, &format!("rules {rules}"));
    }
    let args = [LASKER, "--json", "--threads", "2", "--out", out];
    let answer = certify(&args).exits(0).json().remove(0);
    assert_eq!((&answer["wdl"], &answer["dtw"]), (&json!("win"), &json!(null)));
    assert!(answer["at_most"].as_u64() >= Some(25), "{answer}");
    assert_eq!((&answer["winner"], &answer["black"]), (&json!("white"), &json!(null)));
}

#[test]
fn tables_without_distances_are_passed_over_and_damaged_ones_are_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("proof.txt");
    let out = path.to_str().unwrap();
    let soldiers = "d6w f2W b2b g7B b";
    let tables = copies(&["lasca-2-2"]);
    let certify = |position| certify(&[position, "--tables", self::path(&tables), "--out", out]);
    for position in [STUDIED_LOSS, soldiers] {
        certify(position).exits(0);
    }
    let distances = tables.path().join("lasca-2-2.ltbd");
    let bytes = fs::read(&distances).unwrap();
    fs::remove_file(&distances).unwrap();
    for position in [STUDIED_LOSS, soldiers] {
        fs::remove_file(&path).unwrap();
        assert_eq!(certify(position).exits(0).stderr, "", "{position}");
        accepts(fs::read(&path).unwrap(), "");
    }
    // The header, and what it points to.
    for damaged in [10..20, 100..bytes.len()] {
        let mut bytes = bytes.clone();
        bytes[damaged].fill(0x5a);
        fs::write(&distances, bytes).unwrap();
        for position in [STUDIED_LOSS, soldiers] {
            let _ = fs::remove_file(&path);
            let refused = certify(position).exits(1).says("lasca-2-2.ltbd: ");
            assert_eq!(refused.stdout, "", "{position}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_search_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("proof.txt");
    let args = ["certify", START, "--memory", "3G", "--out", path.to_str().unwrap()];
    let mut running = OnTerminal::start(&args, libc::SIG_DFL);
    running.shows("it is open whether White or Black can win");
    signal(&running.child, "INT");
    running.ended().exits(1).says("the result is open").says("the search was stopped");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
