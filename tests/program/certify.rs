//! `lasca-tb certify`: the file that it writes, and why it may write none.

use crate::ROOT;
use crate::common::checker::accepts;
use serde_json::json;
use tempfile::TempDir;

/// Black to move loses in 12 plies; Black to move draws.
const STUDIED_LOSS: &str = "c3W e5W c5B e3B b";
const STUDIED_DRAW: &str = "c3W c5W e3B e5B b";

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_lasca-tb"))
        .arg("certify")
        .args(args)
        .current_dir(ROOT)
        .env_remove("LASCA_TABLES")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn certify_writes_a_file_and_says_so() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("proof.txt");
    let out = path.to_str().unwrap();
    let (status, stdout, stderr) = run(&["c3W", "e5W", "c5B", "e3B", "b", "--plain", "--out", out]);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    let expected = "c3W e3B c5B e5W b: White wins in 12 plies, proved with 212 positions: ";
    assert!(stdout.starts_with(expected), "{stdout}");
    accepts(&bytes, "white wins in at most 12 plies");

    let (status, stdout, _) = run(&[STUDIED_LOSS, "--json", "--plain", "--out", out]);
    assert_eq!(status, Some(0));
    let expected = json!({
        "position": "c3W e3B c5B e5W b", "rules": "lasca", "wdl": "loss", "dtw": 12,
        "winner": "white", "white": 212, "black": null, "path": out, "bytes": bytes.len(),
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&stdout).unwrap(), expected);

    let (_, stdout, _) = run(&[STUDIED_DRAW, "--json", "--out", out]);
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&answer["wdl"], &answer["winner"]), (&json!("draw"), &json!(null)));
    assert!(answer["white"].is_u64() && answer["black"].is_u64());
    let text = zstd::decode_all(&std::fs::read(&path).unwrap()[..]).unwrap();
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
        (&["a1w c3B w", "--out", out], 1, "found a soldier on a1"),
        (&["a1WWWWWW c3BBBBBB w", "--out", out], 1, "lasca-tb generate 6-6"),
        (&[STUDIED_LOSS, "--out", out, "--rules", "bignor"], 1, "under bignor rules"),
        (&[STUDIED_LOSS, "--out", out, "--tables", "none"], 1, "none"),
        (&["a1WWWW", "--out", out], 2, "side to move"),
        (&["--out", out], 2, "POSITION"),
        (&[STUDIED_LOSS], 2, "--out"),
        (&[STUDIED_LOSS, "--out", out, "--max-positions", "0"], 2, "--max-positions"),
        (&[STUDIED_LOSS, "--out", nowhere.to_str().unwrap()], 2, "cannot write "),
        (&[STUDIED_LOSS, "--out", here], 2, "expected a file or nothing"),
        (&[STUDIED_LOSS, "--out", ""], 2, ""),
    ] {
        let (status, stdout, stderr) = run(args);
        assert_eq!((status, stdout.as_str()), (Some(expected), ""), "{args:?}\n{stderr}");
        assert!(stderr.starts_with("lasca-tb: ") && stderr.contains(why), "{args:?}\n{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{args:?}");
    }
}
