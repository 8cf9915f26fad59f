//! The example engine, `engine`: its rules are those of the library, and it plays endings out
//! to the value that they have.

#![cfg(unix)]

mod common;

use common::{Linked, compile, root, run, under_valgrind};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Color, Position, RuleSet, perft};
use lasca_tablebase::search::{Limits, Solver};
use lasca_tablebase::{Silent, Value};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
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
        let sources = ["main.c", "match.c", "prove.c", "search.c", "lasca.c"]
            .map(|name| format!("bindings/c/engine/{name}"));
        compile(&program, &sources.each_ref().map(String::as_str), Linked::Statically);
        Engine { _folder: folder, program }
    }

    fn run(&self, arguments: &[&str]) -> String {
        run(Command::new(&self.program).args(arguments))
    }

    fn perft(&self, position: &Position, rules: RuleSet, depth: u32) -> u64 {
        let (text, depth) = (position.to_string(), depth.to_string());
        let printed = self.run(&["perft", &text, &depth, "--rules", rules.name()]);
        printed.trim().parse().unwrap()
    }

    /// The lines of a game that it plays against itself, both sides having the tables.
    fn play(&self, position: &str) -> Vec<String> {
        let tables = root().join("tables");
        let printed = self.run(&["play", position, "--tables", tables.to_str().unwrap()]);
        printed.lines().map(str::to_owned).collect()
    }
}

/// Numbers without rhyme, the same in each run.
struct Lottery(u64);

impl Lottery {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % count
    }
}

#[test]
fn it_counts_moves_as_the_library_does() {
    let engine = Engine::build();
    let golden = include_str!("../../../tests/data/perft.csv");
    for line in golden.lines().skip(1) {
        let (rules, rest) = line.split_once(',').unwrap();
        let (rest, count) = rest.rsplit_once(',').unwrap();
        let (text, depth) = rest.rsplit_once(',').unwrap();
        let position: Position = text.trim_matches('"').parse().unwrap();
        let counted = engine.perft(&position, rules.parse().unwrap(), depth.parse().unwrap());
        assert_eq!(counted.to_string(), count, "{line}");
    }
    assert_eq!(engine.run(&["perft", "start", "6"]), "324\n");
    // Games of no plan, soldiers, promotions and tall columns included.
    let mut lottery = Lottery(1911);
    for game in 0..12 {
        let rules = RuleSet::ALL[game % 3];
        let mut position = Position::start();
        for ply in 0..90 {
            let successors = position.successors(rules);
            if successors.is_empty() {
                break;
            }
            position = successors[lottery.below(successors.len())].1;
            if ply % 8 == 7 {
                let counted = engine.perft(&position, rules, 3);
                assert_eq!(counted, perft(&position, rules, 3), "{rules} {position}");
            }
        }
    }
}

#[test]
fn it_plays_a_won_ending_out_in_as_many_plies_as_the_tables_say() {
    let engine = Engine::build();
    let tables = Tablebase::open(root().join("tables"), RuleSet::Lasca).unwrap();
    for (text, expected) in [
        ("a1W c1W g1W e3B a7B w", Value::Win(41)),
        ("b2B d2W a7W w", Value::Win(5)),
        ("b2B f6W a7W b", Value::Loss(8)),
        ("c3WB e5WB w", Value::Win(0)),
        ("a1W b2B c3B w", Value::Loss(0)),
    ] {
        let position: Position = text.parse().unwrap();
        let value = tables.value(&position).unwrap();
        assert_eq!(value, expected, "{text}");
        let winner = match value {
            Value::Win(_) => position.side_to_move(),
            _ => !position.side_to_move(),
        };
        let plies = value.dtw().unwrap();
        let played = engine.play(text);
        let end = &played[usize::from(plies)];
        assert_eq!(*end, format!("{winner} wins after {plies} plies"), "{text}");
        // Each move keeps what the position has, one ply fewer each time: who is to move with an odd
        // number of them left wins.
        for (line, left) in played.iter().zip((1..=plies).rev()) {
            let word = if left % 2 == 1 { "win" } else { "loss" };
            assert!(line.ends_with(&format!("  {word} in {left}")), "{text}: {line}");
        }
    }
}

#[test]
fn it_holds_a_draw_and_says_so() {
    let played = Engine::build().play("d2W d4W f2B f4B b");
    assert_eq!(played[0], "f2-g3  draw");
    assert!(played[played.len() - 2].starts_with("drawn after"), "{played:?}");
}

/// Who wins each position that play from this one reaches, worked out from the rules alone: +1 the
/// side to move, -1 the other. Drawn positions have no entry.
fn solve(start: &Position) -> HashMap<Position, i32> {
    let mut replies: HashMap<Position, Vec<Position>> = HashMap::new();
    let mut waiting = vec![*start];
    while let Some(position) = waiting.pop() {
        if replies.contains_key(&position) {
            continue;
        }
        let after: Vec<Position> =
            position.successors(RuleSet::Lasca).into_iter().map(|(_, after)| after).collect();
        waiting.extend(&after);
        replies.insert(position, after);
    }
    let mut known: HashMap<Position, i32> = HashMap::new();
    for (position, after) in &replies {
        if after.is_empty() {
            let commands = !position.commanded_by(position.side_to_move()).is_empty();
            let opponent = !position.commanded_by(!position.side_to_move()).is_empty();
            known.insert(*position, if commands && !opponent { 1 } else { -1 });
        }
    }
    loop {
        let mut found = Vec::new();
        for (position, after) in
            replies.iter().filter(|(position, _)| !known.contains_key(*position))
        {
            let values: Vec<Option<i32>> = after.iter().map(|a| known.get(a).copied()).collect();
            if values.contains(&Some(-1)) {
                found.push((*position, 1));
            } else if values.iter().all(|&value| value == Some(1)) {
                found.push((*position, -1));
            }
        }
        if found.is_empty() {
            return known;
        }
        known.extend(found);
    }
}

#[test]
fn with_soldiers_on_the_board_it_searches_down_to_the_tables_and_plays_on_from_there() {
    let engine = Engine::build();
    let mut through_tables = 0;
    for text in ["c5w e5W d2b w", "a3w c3w e7B w", "c5w g3b w", "b6w d2b f2b b", "c3W d6b f6b w"] {
        let position: Position = text.parse().unwrap();
        let winner = match solve(&position).get(&position) {
            Some(1) => Some(position.side_to_move()),
            Some(_) => Some(!position.side_to_move()),
            None => None,
        };
        let played = engine.play(text);
        let end = &played[played.len() - 2];
        let expected = match winner {
            Some(Color::White) => "White wins",
            Some(Color::Black) => "Black wins",
            None => "drawn",
        };
        assert!(end.starts_with(expected), "{text}: expected {expected}, found {played:?}");
        let from_tables = played.iter().filter(|line| line.contains(" in ")).count();
        let from_search = played.iter().filter(|line| line.contains("score")).count();
        through_tables += usize::from(from_tables > 0 && from_search > 0);
    }
    assert!(through_tables >= 3, "only {through_tables} games went from search to tables");
}

#[test]
fn with_a_time_it_proves_endings_with_soldiers_and_plays_them_out() {
    let engine = Engine::build();
    // The ending that Lasker published in 1911, and one of 22 counters.
    for (text, winner) in [
        ("a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w", "White"),
        ("e1Bbbb g1Bbw b2w d2Bww f2BW c3wb g3w c5BwwwW g5b w", "Black"),
    ] {
        let position: Position = text.parse().unwrap();
        let mut solver = Solver::new(&position, RuleSet::Lasca, None, 1 << 28).unwrap();
        solver.run(&Limits::default(), &Silent).unwrap();
        assert_eq!(
            solver.winner().map(|color| color.to_string()).as_deref(),
            Some(winner),
            "{text}"
        );
        let printed = engine.run(&["play", text, "--time", "1500", "--share", "90"]);
        let lines: Vec<&str> = printed.lines().collect();
        let end = lines[lines.len() - 2];
        assert!(end.starts_with(&format!("{winner} wins after")), "{printed}");
        // Once the winner has a proof, it gets nearer to the end with each of its moves.
        let left = lines.iter().filter_map(|line| line.split_once("win in at most "));
        let left: Vec<u32> = left.map(|(_, plies)| plies.parse().unwrap()).collect();
        assert!(!left.is_empty() && left.is_sorted_by(|a, b| a > b), "{printed}");
    }
}

#[test]
fn a_match_counts_each_opening_with_both_colours() {
    let printed = Engine::build().run(&["match", "4", "--time", "1", "--seed", "5"]);
    let first: Vec<u32> =
        printed.lines().next().unwrap().split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let [won, drawn, lost, games] = first[..] else { panic!("{printed}") };
    assert_eq!((won + drawn + lost, games), (4, 4), "{printed}");
    assert!(printed.contains("Elo") && printed.contains("last 10 plies proved"), "{printed}");
}

#[test]
fn wrong_usage_and_missing_folders_are_told() {
    let engine = Engine::build();
    for (arguments, status, words) in [
        (&["play"][..], 2, "expected one position"),
        (&["dance", "start"], 2, "expected move, play, match or perft"),
        (&["match", "3"], 2, "expected an even number of games"),
        (&["match", "2", "--openings", "no/such/file"], 2, "cannot read no/such/file"),
        (&["match", "2", "--openings", "/dev/null"], 2, "the file of openings is empty"),
        (&["match", "start"], 2, "expected a number of at least 1"),
        (&["play", "start", "--share", "101"], 2, "expected a number"),
        (&["play", "a2W w"], 2, "expected a square"),
        (&["play", "a1W"], 2, "expected the side to move"),
        (&["play", "a1W a1B w"], 2, "expected each square once"),
        (&["perft", "start", "many"], 2, "expected a number"),
        (&["play", "start", "--rules", "chess"], 2, "expected lasca"),
        (&["play", "start", "--depth"], 2, "expected a value"),
        (&["move", "start", "--tables", "no/such/folder"], 1, "no/such/folder"),
    ] {
        let output = Command::new(&engine.program).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
    assert!(engine.run(&["--help"]).starts_with("usage:"));
}

#[test]
fn tables_without_distances_are_told_of() {
    let engine = Engine::build();
    let folder = tempfile::tempdir().unwrap();
    let move_with = |folder: &Path| {
        let mut command = Command::new(&engine.program);
        let output = command.args(["move", "b2B d2W a7W w", "--tables"]).arg(folder).output();
        let output = output.unwrap();
        assert!(output.status.success());
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for name in ["lasca-2-1.ltbw", "lasca-3-1.ltbw", "lasca-3-1.ltbd"] {
        fs::copy(root().join("tables").join(name), folder.path().join(name)).unwrap();
    }
    let (_, told) = move_with(folder.path());
    assert!(told.contains("found 1 without distances (.ltbd), such as that of 2-1"), "{told}");
    let (played, told) = move_with(&root().join("tables"));
    assert!(played.ends_with("win in 5\n"), "{played}");
    assert!(!told.contains("warning"), "{told}");
}

#[test]
fn without_distances_it_plays_no_win_whose_distance_is_not_known() {
    let engine = Engine::build();
    let folder = tempfile::tempdir().unwrap();
    let name = "lasca-2-1.ltbw";
    fs::copy(root().join("tables").join(name), folder.path().join(name)).unwrap();
    let tables = folder.path().to_str().unwrap();
    // The first move is proved to win, but the proof ends in the table.
    let text = "a3w c3w e7B w";
    let printed = engine.run(&["play", text, "--time", "200", "--share", "50", "--tables", tables]);
    assert!(printed.lines().next().unwrap().contains("  score "), "{printed}");
    assert!(printed.contains("win in at most") && !printed.contains("at most -1"), "{printed}");
    assert!(printed.contains("White wins after"), "{printed}");
}

#[test]
fn it_leaks_nothing() {
    let engine = Engine::build();
    let Some(mut command) = under_valgrind(&engine.program) else { return };
    command.args(["play", "c5w e5W d2b w", "--depth", "5", "--tables"]).arg(root().join("tables"));
    assert!(run(&mut command).contains("White wins"));
    let Some(mut command) = under_valgrind(&engine.program) else { return };
    command.args(["play", "c5w e5W d2b w", "--time", "500"]);
    assert!(run(&mut command).contains("win in at most"));
}
