//! The programs in `examples`, with their own `main` left out.

use crate::common::tables::shipped;
use std::error::Error;
use std::fs;
use std::io::Write;

#[allow(dead_code, reason = "only cargo calls main")]
#[path = "../../examples/engine.rs"]
mod engine;
#[allow(dead_code, reason = "only cargo calls main")]
#[path = "../../examples/generate.rs"]
mod generate;
#[allow(dead_code, reason = "only cargo calls main")]
#[path = "../../examples/probe.rs"]
mod probe;

type Run = fn(&[String], &mut dyn Write) -> Result<(), Box<dyn Error>>;

/// What an example writes, and the error that it ends with.
fn run(example: Run, arguments: &[&str]) -> (String, String) {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let mut out = Vec::new();
    let error = example(&arguments, &mut out).err().map(|error| error.to_string());
    (String::from_utf8(out).unwrap(), error.unwrap_or_default())
}

fn tables() -> &'static str {
    shipped().to_str().unwrap()
}

#[test]
fn the_example_that_probes_shows_the_value_of_each_move() {
    let (out, error) = run(probe::run, &[tables(), "a1WW b2BB w"]);
    assert_eq!(error, "");
    let expected = "  a b c d e f g\nWhite to move\nFor the side to move: win in 3\na1-b2B-c3WWB     win in 3\n";
    assert!(out.ends_with(expected), "{out}");
    assert!(run(probe::run, &[tables()]).1.starts_with("usage: "));
    assert!(run(probe::run, &[tables(), "a2W w"]).1.contains("at character 1: "));
}

#[test]
fn the_example_that_generates_makes_a_table_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let expected = |verb| {
        let table = folder.path().join("lasca-2-1.ltbw");
        (format!("{}: {verb}\n", table.display()), String::new())
    };
    assert_eq!(run(generate::run, &[path, "2-1"]), expected("written"));
    assert_eq!(run(generate::run, &[path, "2-1"]), expected("there already"));
    assert!(run(generate::run, &[path, "21"]).1.starts_with("expected a material"));
}

#[test]
fn the_example_of_an_engine_uses_the_tables_as_soon_as_no_soldier_is_left() {
    // Officers only: the distances of the tables.
    let (out, error) = run(engine::run, &[tables(), "b2B d2W a7W w", "2"]);
    assert_eq!(error, "");
    assert!(out.lines().next().unwrap().ends_with("wins in 5 plies"), "{out}");
    assert!(out.ends_with("searched positions: 0\n"), "{out}");
    // A soldier is promoted first.
    let arguments = |folder| [folder, "c3W d6w a3B w", "3"];
    let (out, error) = run(engine::run, &arguments(tables()));
    assert_eq!(error, "");
    assert!(out.lines().any(|line| line.ends_with(" wins in 3 plies")), "{out}");
    // Without tables, the scores are guesses.
    let nothing = tempfile::tempdir().unwrap();
    let (out, _) = run(engine::run, &arguments(nothing.path().to_str().unwrap()));
    assert!(!out.contains("plies"), "{out}");
    for depth in ["0", "256", "x"] {
        let expected = format!("expected a DEPTH from 1 to 255, found {depth}");
        assert_eq!(run(engine::run, &[tables(), "a1W c3B w", depth]).1, expected);
    }
    let (out, _) = run(engine::run, &[tables(), "a1WB b", "2"]);
    assert!(out.starts_with("the game is over\n"), "{out}");
}

#[test]
fn the_example_of_an_engine_does_without_distances_but_not_with_damaged_tables() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        fs::copy(shipped().join(name), folder.path().join(name)).unwrap();
    };
    copy("lasca-2-1.ltbw");
    let arguments = [folder.path().to_str().unwrap(), "b2B d2W a7W w", "2"];
    let (out, error) = run(engine::run, &arguments);
    assert_eq!(error, "");
    assert!(out.lines().take(5).all(|line| line.ends_with(" wins")), "{out}");
    for damaged in ["lasca-2-1.ltbd", "lasca-2-1.ltbw"] {
        copy("lasca-2-1.ltbd");
        let path = folder.path().join(damaged);
        fs::write(&path, &fs::read(&path).unwrap()[..40]).unwrap();
        assert!(run(engine::run, &arguments).1.contains(damaged));
    }
}
