//! The example engine, `examples/engine.c`: its moves keep what the position has.

#![cfg(unix)]

mod common;

use common::{Linked, compile, root, run, under_valgrind};
use lasca_analysis::search::{Budget, Solver};
use lasca_tablebase::notation::parse_move;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::{Value, Wdl};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// The engine, compiled.
struct Engine {
    // Gone with it.
    _folder: TempDir,
    program: PathBuf,
}

impl Engine {
    fn build() -> Engine {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("engine");
        compile(&program, &["bindings/c/examples/engine.c"], Linked::Statically);
        Engine { _folder: folder, program }
    }

    /// What it says of the move that it makes, and the position after that, which a legal move of these
    /// rules leads to. `None` if the game is over.
    fn play(&self, position: &Position, options: &[&str]) -> Option<(String, Position)> {
        let text = position.to_string();
        let printed = run(Command::new(&self.program).arg(&text).args(options));
        if printed == "the game is over\n" {
            return None;
        }
        let [said, after] = printed.lines().collect::<Vec<_>>()[..] else { panic!("{printed}") };
        let (played, worth) = said.split_once("  ").unwrap();
        let (_, expected) = parse_move(played, position, RuleSet::Lasca).unwrap();
        assert_eq!(after, expected.to_string(), "{text}: {played}");
        Some((worth.to_owned(), expected))
    }
}

fn tables() -> String {
    root().join("tables").to_str().unwrap().to_owned()
}

#[test]
fn it_plays_a_won_ending_out_in_as_many_plies_as_the_tables_say() {
    let (engine, folder) = (Engine::build(), tables());
    let tables = Tablebase::open(&folder, RuleSet::Lasca).unwrap();
    for (text, expected) in [
        ("b2B d2W a7W w", Value::Win(5)),
        ("b2B f6W a7W b", Value::Loss(8)),
        ("c3WB e5WB w", Value::Win(0)),
        ("a1W b2B c3B w", Value::Loss(0)),
    ] {
        let mut position: Position = text.parse().unwrap();
        assert_eq!(tables.value(&position).unwrap(), expected, "{text}");
        for left in (1..=expected.dtw().unwrap()).rev() {
            let (worth, after) = engine.play(&position, &["8", &folder]).unwrap();
            // Who is to move with an odd number of plies left wins.
            let word = if left % 2 == 1 { "win" } else { "loss" };
            assert_eq!(worth, format!("{word} in {left}"), "{text}");
            position = after;
        }
        assert_eq!(engine.play(&position, &["8", &folder]), None, "{text}");
    }
    let drawn: Position = "d2W d4W f2B f4B b".parse().unwrap();
    let (worth, after) = engine.play(&drawn, &["8", &folder]).unwrap();
    assert_eq!((worth.as_str(), tables.value(&after).unwrap()), ("0", Value::Draw));
}

/// Who wins, as a search without tables proves it.
fn wdl(position: &Position) -> Wdl {
    let mut solver = Solver::new(position, RuleSet::Lasca, 1 << 28).unwrap();
    solver.run(&Budget::default()).unwrap();
    solver.wdl().unwrap()
}

#[test]
fn with_soldiers_on_the_board_its_move_keeps_the_result() {
    let (engine, folder) = (Engine::build(), tables());
    let mut known = 0;
    for text in [
        "c5w e5W d2b w",
        "a3w c3w e7B w",
        "c5w g3b w",
        "b6w d2b f2b b",
        "c3W d6b f6b w",
        "a1B b2w b4wwb w",
    ] {
        let position: Position = text.parse().unwrap();
        for options in [&["8", &folder][..], &["12"]] {
            let (worth, after) = engine.play(&position, options).unwrap();
            let expected = wdl(&position);
            assert_eq!(-wdl(&after), expected, "{text} {options:?}: {worth}, {after}");
            // What it says for certain is so.
            known += usize::from(worth.parse::<i32>().is_err());
            assert!(!worth.starts_with("win") || expected == Wdl::Win, "{text} {options:?}");
            assert!(!worth.starts_with("loss") || expected == Wdl::Loss, "{text} {options:?}");
        }
    }
    assert!(known >= 6, "only {known} moves are known to win or lose");
}

#[test]
fn wrong_usage_and_missing_files_are_told() {
    let engine = Engine::build();
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("tables/lasca-2-1.ltbw"), folder.path().join("lasca-2-1.ltbw")).unwrap();
    let (folder, won) = (folder.path().to_str().unwrap(), "b2B d2W a7W w");
    for (arguments, status, words) in [
        (&[][..], 2, "usage: engine"),
        (&[won, "64"], 2, "usage: engine"),
        (&["a2W w"], 2, "expected one of the 25 squares"),
        (&[won, "8", "no/such/folder"], 2, "no/such/folder"),
        (&[won, "8", folder], 0, "without distances"),
        (&["a1W c1W g7B a7B w", "8", folder], 0, "2-2"),
    ] {
        let output = Command::new(&engine.program).args(arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {told}");
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

#[test]
#[ignore = "slow: runs under valgrind"]
fn it_leaks_nothing() {
    let engine = Engine::build();
    // What Rust keeps of the main thread counts as possibly lost.
    let command = under_valgrind(&engine.program, "definite,indirect");
    let Some(mut command) = command else { return };
    command.args(["c5w e5W d2b w", "5", &tables()]);
    assert!(run(&mut command).contains("  "));
}
