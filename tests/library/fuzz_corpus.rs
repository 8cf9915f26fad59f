//! What the fuzz targets do, on the inputs that are kept: `fuzz/README.md` tells how to look for more.

#[path = "../../fuzz/targets/bodies.rs"]
mod bodies;
use crate::ROOT;
use crate::common::tables::Files;
use lasca_tablebase::notation::parse_move;
use lasca_tablebase::rules::{Position, RuleSet};
use std::fs;
use std::path::Path;

/// Runs a target on the inputs in its folder, if there are any, and returns them with their names.
fn run(target: &str, body: fn(&[u8])) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(ROOT).join("fuzz/corpus").join(target);
    let kept: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
        })
        .collect();
    for (name, input) in &kept {
        // Shown if the test fails: the input that it failed on is the last.
        println!("{target}/{name}");
        body(input);
    }
    kept
}

/// Whether an input's name says that it is to be refused. What else a run of the fuzzer found, and
/// was kept under some name, must only not panic.
fn is_wrong(name: &str) -> Option<bool> {
    match name.split('-').next() {
        Some("list" | "rows" | "quiet" | "capture" | "marks") => Some(false),
        Some("wrong" | "not" | "empty") => Some(true),
        _ => None,
    }
}

#[test]
fn any_text_is_read_as_a_position_or_refused() {
    let kept = run("position_text", bodies::position_text);
    assert!(!kept.is_empty());
    for (name, input) in kept {
        let text = String::from_utf8_lossy(&input);
        let refused = text.parse::<Position>().is_err();
        assert!(is_wrong(&name).is_none_or(|wrong| wrong == refused), "{name}");
    }
}

#[test]
fn any_text_is_read_as_a_legal_move_or_refused() {
    let kept = run("move_text", bodies::move_text);
    assert!(!kept.is_empty());
    for (name, input) in kept {
        let text = String::from_utf8_lossy(&input);
        let (position, text) = text.split_once('\n').unwrap();
        let position: Position = position.parse().unwrap();
        let rules = if name.contains("rejump") { RuleSet::Rejump } else { RuleSet::Lasca };
        let refused = parse_move(text, &position, rules).is_err();
        assert!(is_wrong(&name).is_none_or(|wrong| wrong == refused), "{name}");
    }
}

#[test]
fn any_bytes_are_opened_as_a_table_or_refused() {
    for name in ["1-1", "2-1", "2-2"] {
        let files = Files::shipped(name);
        let whole = [&files.wdl[..], &files.dtw].concat();
        assert_eq!(bodies::two_files(&whole), (&files.wdl[..], Some(&files.dtw[..])));
        bodies::table_bytes(&whole);
        bodies::table_bytes(&whole[..whole.len() / 2]);
    }
    run("table_bytes", bodies::table_bytes);
}
