//! Wrong arguments: the message suggests what was meant, and what it suggests works.

use crate::run::{path, run, run_with_input, tables};
use std::fs;
use tempfile::TempDir;

/// What the message of a run with wrong arguments suggests.
#[track_caller]
fn meant(args: &[&str]) -> Vec<String> {
    let ran = run(args).exits(2);
    let (_, meant) =
        ran.stderr.split_once("did you mean ").unwrap_or_else(|| panic!("{}", ran.stderr));
    let (meant, _) = meant.split_once("?\n").unwrap();
    meant.split(" or ").map(str::to_owned).collect()
}

/// The words of a command, after the program's name.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in command.strip_prefix("lasca-tb ").unwrap().split('"').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[test]
fn a_suggested_word_takes_the_place_of_the_wrong_one() {
    let tables = tables();
    let folder = path(&tables);
    let all: [(&[&str], &str, &[&str]); 15] = [
        (&["statz", "2-1"], "statz", &["stats"]),
        (&["stats", "2-1", "--jsn"], "--jsn", &["--json"]),
        (&["stats", "2-1", "--rules", "lasa"], "lasa", &["lasca"]),
        (&["stats", "2-1", "--by", "piece"], "piece", &["pieces"]),
        (&["stats", "2_1"], "2_1", &["2-1"]),
        (&["stats", "2 1"], "2 1", &["2-1"]),
        (&["stats", "21"], "21", &["2-1"]),
        (&["stats", "2–1"], "2–1", &["2-1"]),
        (&["stats", "tables/lasca-2-1.ltbw"], "tables/lasca-2-1.ltbw", &["2-1"]),
        (&["stats", "a1WW b2B w"], "a1WW b2B w", &["2-1"]),
        (&["verify", "2v1"], "2v1", &["2-1"]),
        (&["probe", "a1WW b2B"], "a1WW b2B", &["a1WW b2B w", "a1WW b2B b"]),
        (&["probe", "a1WW a2B w"], "a1WW a2B w", &["a1WW a3B w", "a1WW b2B w"]),
        (&["explain", "a1 WW b2 B, whit"], "a1 WW b2 B, whit", &["a1WW b2B, white"]),
        (&["moves", "strat"], "strat", &["start"]),
    ];
    for (args, wrong, expected) in all {
        let found = meant(args);
        let found: Vec<&str> = found.iter().map(|word| word.trim_matches('"')).collect();
        assert_eq!(found, expected, "{args:?}");
        for word in found {
            let right: Vec<&str> =
                args.iter().map(|&arg| if arg == wrong { word } else { arg }).collect();
            let with_tables = ["--tables", folder];
            let options = if args[0] == "moves" { &[][..] } else { &with_tables };
            run(&[&right, options].concat()).exits(0);
        }
    }
}

#[test]
fn a_suggested_command_takes_the_place_of_the_wrong_one() {
    for (args, expected) in [
        (&["generate2-1"][..], "lasca-tb generate 2-1"),
        (&["2-1"], "lasca-tb stats 2-1"),
        (&["a1WW b2B w"], "lasca-tb probe \"a1WW b2B w\""),
        (&["a1WW", "b2B", "w"], "lasca-tb probe \"a1WW b2B w\""),
        (&["probe", "2-1"], "lasca-tb stats 2-1"),
        (&["explain", "tables/lasca-2-1.ltbw"], "lasca-tb stats 2-1"),
        (
            &["probe", "tests/studies/05-two-oppositions.study"],
            "lasca-tb study tests/studies/05-two-oppositions.study",
        ),
    ] {
        let found = meant(args);
        assert_eq!(found, [expected], "{args:?}");
        let words = words(&found[0]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        run(&words).exits(0);
    }
    assert_eq!(meant(&["stats", "2", "1"]), ["2-1"]);
}

#[test]
fn a_file_with_positions_is_to_be_read_from_standard_input() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("positions.txt");
    fs::write(&file, "a1WW b2B w\n").unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(meant(&["moves", file]), [format!("lasca-tb moves --stdin < {file}")]);
    run_with_input(&["moves", "--stdin"], fs::read(file).unwrap()).exits(0);
}

#[test]
fn at_most_two_names_are_suggested() {
    assert_eq!(meant(&["prove", "start"]), ["probe"]);
    assert_eq!(meant(&["comp"]), ["completions"]);
    assert_eq!(meant(&["lines", "start"]), ["explain"]);
    assert_eq!(meant(&["--line", "probe", "start"]), ["lasca-tb probe --line"]);
}

#[test]
fn what_is_not_clear_brings_no_suggestion() {
    for args in [
        &["stats", "4-3-2"][..],
        &["stats", "123"],
        &["stats", "a"],
        &["probe", "a1X b2B w"],
        &["probe", "no such file"],
        &["frobnicate"],
        &["stats", "2-1", "--frobnicate"],
        // The words are a little alike, and mean something else.
        &["query", "2-1"],
        &["search", "start"],
        &["play", "start"],
        &["version"],
        &["--verbose"],
        &["--seconds", "1", "x"],
    ] {
        let ran = run(args).exits(2);
        assert!(!ran.stderr.contains("did you mean"), "{}", ran.stderr);
    }
}
