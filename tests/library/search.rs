//! The search, compared with the naive solver, which lists all positions that play can reach and then
//! solves them; and with golden values, also where tables are its leaves.

use crate::common::naive::Solution;
use crate::common::numbers::Numbers;
use crate::common::recorder::Recorder;
use crate::common::tables::{shipped_tables, without_distances};
use crate::common::{position, vectors};
use lasca_analysis::certify::{Certificate, DEFAULT_MAX_POSITIONS};
use lasca_analysis::search::{Budget, Solver, Stop};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::{Silent, Value, Wdl};
use std::sync::LazyLock;
use std::time::Duration;

pub const MEMORY: u64 = 1 << 28;

// Random positions

/// Random positions of few counters, officers and soldiers, with all that play leads to from them.
pub fn graphs(seed: u64, count: usize, most: usize) -> impl Iterator<Item = (RuleSet, Solution)> {
    let mut numbers = Numbers(seed);
    let tried = std::iter::repeat_with(move || {
        let rules = *numbers.choose(&RuleSet::ALL);
        let counters = 2 + numbers.below(5);
        let letters: &[u8] = if numbers.below(3) == 0 { b"wbWB" } else { b"wwwbbbWB" };
        let columns = 2 + numbers.below(counters - 1);
        (rules, numbers.position(counters, columns, letters))
    });
    tried
        .filter(|(_, position)| position.both_command())
        .filter_map(move |(rules, start)| {
            Some((rules, Solution::of_play_from(&start, rules, most)?))
        })
        .filter(|(_, naive)| naive.len() > 30)
        .take(count)
}

/// A position of each of the first graphs, which are made once for all tests; another one for each seed.
fn questions(
    seed: u64,
    count: usize,
) -> impl Iterator<Item = (RuleSet, &'static Solution, Position)> {
    static GRAPHS: LazyLock<Vec<(RuleSet, Solution)>> =
        LazyLock::new(|| graphs(0x1001, 150, 20_000).collect());
    assert!(count <= GRAPHS.len());
    let mut numbers = Numbers(seed);
    GRAPHS
        .iter()
        .take(count)
        .map(move |(rules, naive)| (*rules, naive, naive.position(numbers.below(naive.len()))))
}

/// The solver of a position that it has solved, with the help of the tables if there are any.
pub fn solved(position: &Position, tables: impl Into<Tablebase>, threads: usize) -> Solver {
    let mut solver = Solver::new(position, tables, MEMORY).unwrap();
    let budget = Budget::new(None, threads, &Silent);
    assert_eq!(solver.run(&budget), Ok(Stop::Solved), "{position}");
    solver
}

/// Checks that a search has found who wins, and a win that takes no fewer plies than it must.
#[track_caller]
fn check_result(solver: &mut Solver, value: Value) {
    let what = format!("{} under {}", solver.position(), solver.rules());
    assert_eq!(solver.wdl(), Some(value.wdl()), "{what}");
    let proved = solver.value(&Budget::default()).unwrap();
    assert_eq!(proved.wdl(), Some(value.wdl()), "{what}");
    assert!(proved.at_most() >= value.dtw(), "{what}: {proved}, {value}");
}

/// Checks that a search finds the exact distance.
#[track_caller]
fn check_distance(solver: &mut Solver, value: Value) {
    let stop = solver.exact(&Budget::default()).unwrap();
    let what = format!("{} under {}", solver.position(), solver.rules());
    assert_eq!(
        (stop, solver.value(&Budget::default()).unwrap().exact()),
        (Stop::Solved, Some(value)),
        "{what}"
    );
}

/// Checks that what is proved of a position is true.
fn check_claims(solver: &Solver, position: &Position, value: Value) {
    let excluded = solver.excluded();
    for side in Color::ALL {
        let wins = if position.side_to_move() == side { Wdl::Win } else { Wdl::Loss };
        assert!(!(excluded[side] && value.wdl() == wins), "{position}: {side} can win");
    }
    if let Some(wdl) = solver.wdl() {
        assert_eq!(wdl, value.wdl(), "{position}");
    }
}

/// Solves a position and checks what is said of it, with its distance if that is asked for.
fn check_solved(position: &Position, rules: RuleSet, threads: usize, value: Value, exact: bool) {
    let mut solver = solved(position, rules, threads);
    check_claims(&solver, position, value);
    check_result(&mut solver, value);
    if exact {
        check_distance(&mut solver, value);
    }
}

#[test]
fn results_and_distances_equal_those_of_the_naive_solver() {
    let mut values = [0; 3];
    let questions = (0..4).flat_map(|round| questions(round, 150));
    for (number, (rules, naive, position)) in questions.enumerate() {
        let value = naive.get(&position).unwrap();
        values[value.wdl() as usize] += 1;
        let (threads, exact) = match number % 19 {
            0 | 1 => (1, true),
            // They leave places among the positions that they do not use.
            2 => ([2, 8][number / 19 % 2], true),
            _ => (1, false),
        };
        check_solved(&position, rules, threads, value, exact);
    }
    assert!(values.iter().all(|&count| count > 25), "{values:?}");
}

#[test]
fn each_move_is_rated_as_the_naive_solver_says() {
    for (rules, naive, position) in questions(0x3003, 60) {
        let mut solver = Solver::new(&position, rules, MEMORY).unwrap();
        assert_eq!(solver.rate_moves(&Budget::default()), Ok(Stop::Solved));
        let moves = solver.proved_moves(&position, &Budget::default()).unwrap();
        // The moves settle the position.
        let value = naive.get(&position).unwrap();
        assert_eq!(solver.wdl(), Some(value.wdl()), "{position}");
        check_claims(&solver, &position, value);
        assert_eq!(moves.len(), position.moves(rules).unwrap().len());
        for rated in moves {
            let value = naive.get(&rated.after).unwrap().before_move();
            assert_eq!(rated.value.wdl(), Some(value.wdl()), "{position}, {}", rated.played);
            assert!(rated.value.at_most() >= value.dtw());
        }
    }
}

/// In small graphs most lines come back to where they were.
#[test]
#[ignore = "slow: asks thousands of questions"]
fn thousands_of_questions_where_play_repeats_are_answered_right() {
    let (mut asked, mut draws) = (0, 0);
    for (rules, naive) in graphs(0x6006, 400, 3_000) {
        let mut numbers = Numbers(naive.len() as u64);
        for threads in [1, 2].repeat(10) {
            let position = naive.position(numbers.below(naive.len()));
            let value = naive.get(&position).unwrap();
            check_solved(&position, rules, threads, value, true);
            asked += 1;
            draws += usize::from(value == Value::Draw);
        }
    }
    println!("{asked} questions, {draws} of them drawn");
}

#[test]
fn what_an_interrupted_search_has_proved_is_true() {
    let mut open = 0;
    for (rules, naive, position) in questions(0x5005, 60) {
        let value = naive.get(&position).unwrap();
        let mut solver = Solver::new(&position, rules, MEMORY).unwrap();
        loop {
            let impatient = Recorder::stopping_when(|seen| seen.reports() > 0);
            let stop = solver.run(&Budget::new(None, 1, &impatient)).unwrap();
            check_claims(&solver, &position, value);
            if stop == Stop::Solved {
                break;
            }
            assert_eq!(stop, Stop::Cancelled);
            open += 1;
        }
        assert_eq!(solver.wdl(), Some(value.wdl()));
    }
    assert!(open > 20, "only {open} searches were interrupted");
}

#[test]
fn draws_whose_searches_come_to_circles_are_solved() {
    // Both are drawn, as the tables of 3-3 say.
    let draws = ["b4B g7B e5BW a7W a5W w", "g5BW b6W e1WB g3B w"];
    for (text, threads) in draws.into_iter().zip([1, 2]) {
        let position = position(text);
        let mut solver = Solver::new(&position, RuleSet::Lasca, MEMORY).unwrap();
        let impatient = Recorder::stopping_when(|seen| seen.reports() >= 300);
        let budget = Budget::new(None, threads, &impatient);
        assert_eq!(solver.run(&budget), Ok(Stop::Solved), "{text}");
        assert_eq!(solver.wdl(), Some(Wdl::Draw), "{text}");
    }
}

// Lines

#[test]
fn the_line_of_a_win_ends_where_the_loser_cannot_move() {
    for (rules, _, position) in questions(0x7007, 60) {
        let mut solver = solved(&position, rules, 1);
        let line = solver.line(&position, &Budget::default()).unwrap();
        let mut at = position;
        for next in &line {
            at = at.play(&next.played, rules).unwrap();
            assert_eq!(at, next.after);
        }
        if let Some(winner) = solver.winner() {
            let plies = solver.value(&Budget::default()).unwrap().at_most().unwrap();
            assert_eq!(line.len(), usize::from(plies), "{position}");
            assert!(at.successors(rules).unwrap().is_empty() && at.side_to_move() != winner);
        } else {
            assert!(!line.is_empty());
        }
    }
}

#[test]
fn each_move_of_an_exact_line_keeps_the_distance() {
    let (mut lines, mut choices) = (0, 0);
    for (rules, naive, position) in questions(0x8008, 150) {
        let value = naive.get(&position).unwrap();
        if matches!(value, Value::Draw | Value::Loss(0)) {
            continue;
        }
        let mut solver = solved(&position, rules, 1);
        check_distance(&mut solver, value);
        for rates_moves in [false, true] {
            if rates_moves {
                solver.rate_moves(&Budget::default()).unwrap();
            }
            let (mut at, mut expected) = (position, value);
            for rated in solver.line(&position, &Budget::default()).unwrap() {
                let what = format!("{position} under {rules}: {rated} in {at}");
                assert_eq!(rated.value.exact(), Some(expected), "{what}");
                assert_eq!(naive.get(&rated.after).unwrap().before_move(), expected, "{what}");
                let others = at.successors(rules).unwrap().into_iter();
                let others = others.map(|(_, after)| naive.get(&after).unwrap().before_move());
                choices += usize::from(others.into_iter().any(|other| other < expected));
                at = rated.after;
                expected = naive.get(&at).unwrap();
            }
            assert_eq!(expected.dtw(), Some(0), "{position} under {rules}");
        }
        let moves = solver.proved_moves(&position, &Budget::default()).unwrap();
        assert_eq!(moves.first().map(|best| best.value.exact()), Some(Some(value)), "{position}");
        for rated in moves {
            let value = naive.get(&rated.after).unwrap().before_move();
            let range = rated.value.worst()..=rated.value.best();
            assert!(range.contains(&value), "{position} under {rules}: {rated} {range:?}");
        }
        lines += 1;
    }
    assert!(lines > 60 && choices > 150, "{lines} lines with {choices} choices");
}

// Known results

/// They take longer than all other golden positions together.
const HARDEST: [&str; 3] = ["e1W c3b g3W g5Bb b", "g3B b4w c7b e7W b", "c1w b2W c5B d6b w"];

/// Checks who wins, and of every fourth position in how many plies, as that takes longer.
fn check_golden_values(golden: impl Iterator<Item = (Position, Value)>) -> usize {
    let check = |(number, (position, value)): (usize, (Position, Value))| {
        check_solved(&position, RuleSet::Lasca, 1, value, number % 4 == 1);
    };
    golden.enumerate().map(check).count()
}

#[test]
fn positions_have_their_golden_values() {
    let hardest = HARDEST.map(position);
    let soldiers = vectors::soldiers().into_iter();
    assert_eq!(check_golden_values(soldiers.filter(|golden| !hardest.contains(&golden.0))), 147);
    assert_eq!(check_golden_values(vectors::positions().into_iter().take(100)), 100);
}

#[test]
#[ignore = "slow: takes a minute"]
fn the_hardest_positions_with_soldiers_have_their_golden_values() {
    let hardest = HARDEST.map(position);
    let soldiers = vectors::soldiers().into_iter();
    assert_eq!(check_golden_values(soldiers.filter(|golden| hardest.contains(&golden.0))), 3);
}

#[test]
fn laskers_ending_is_won_and_takes_little_memory() {
    let position = position("a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w");
    let mut solver = Solver::new(&position, RuleSet::Lasca, 50_000_000).unwrap();
    assert_eq!(solver.run(&Budget::default()), Ok(Stop::Solved));
    assert_eq!(solver.winner(), Some(Color::White));
    assert!(solver.status().bytes <= 50_000_000);
}

// Limits

#[test]
fn a_search_keeps_to_its_memory() {
    for (memory, threads) in [(4 << 20, 1), (12 << 20, 8), (11_111_111, 1)] {
        let mut solver = Solver::new(&Position::start(), RuleSet::Lasca, memory).unwrap();
        let budget = Budget::new(None, threads, &Silent);
        assert_eq!(solver.run(&budget), Ok(Stop::Memory));
        let status = solver.status();
        assert!(status.bytes <= memory, "{} bytes", status.bytes);
        assert!(status.positions * 100 > memory, "{} positions", status.positions);
        assert_eq!(solver.wdl(), None);
        // What is done afterwards fits in too.
        solver.rate_moves(&Budget::default()).unwrap();
        assert_eq!(solver.proved_moves(&Position::start(), &Budget::default()).unwrap().len(), 6);
        assert!(solver.status().bytes <= memory);
    }
    assert!(Solver::new(&Position::start(), RuleSet::Lasca, 1000).is_err());
}

#[test]
fn little_memory_is_enough_for_few_positions() {
    // Their searches run out of steps early. The tables have these values.
    for (text, wdl) in [
        ("c1WW f4BB w", Wdl::Win),
        ("a3WW e5W f6BB b", Wdl::Loss),
        ("e1BW a3WW g3BB b", Wdl::Win),
        ("c3BB d6WW w", Wdl::Win),
    ] {
        for threads in [1, 8] {
            let mut solver = Solver::new(&position(text), RuleSet::Lasca, 4 << 20).unwrap();
            let budget = Budget::new(None, threads, &Silent);
            assert_eq!(solver.run(&budget), Ok(Stop::Solved), "{text}");
            assert_eq!(solver.wdl(), Some(wdl), "{text}");
        }
    }
}

#[test]
fn a_position_with_thousands_of_captures_finds_room() {
    let position = position("c3W b2BBBBb d2bBB b4bb d4Bbbb f4BBBb w");
    // They end in 3,364 positions.
    assert_eq!(position.moves(RuleSet::Rejump).unwrap().len(), 3894);
    let mut solver = Solver::new(&position, RuleSet::Rejump, MEMORY).unwrap();
    let stop = solver.run(&Budget::new(Some(Duration::from_secs(5)), 1, &Silent)).unwrap();
    assert!(matches!(stop, Stop::Solved | Stop::Time), "{stop:?}");
    assert!(solver.status().positions > 3364);
}

// With tables

#[test]
fn the_tables_as_leaves_change_no_result() {
    check_with_tables(20);
}

#[test]
#[ignore = "slow: looks for long distances"]
fn the_tables_as_leaves_change_no_distance() {
    check_with_tables(u16::MAX);
}

/// Compares results, proofs, and the distances of at most so many plies.
fn check_with_tables(longest: u16) {
    let tables = shipped_tables();
    for (position, value) in vectors::soldiers().into_iter().step_by(3) {
        let mut solver = solved(&position, &tables, 1);
        check_result(&mut solver, value);
        if value.dtw() <= Some(longest) {
            check_distance(&mut solver, value);
        }
        let Some(winner) = solver.winner() else { continue };
        let plies = solver.value(&Budget::default()).unwrap().at_most().unwrap();
        assert_eq!(
            solver.line(&position, &Budget::default()).unwrap().len(),
            usize::from(plies),
            "{position}"
        );
        let proof = Certificate::of_search(&mut solver, DEFAULT_MAX_POSITIONS).unwrap();
        assert_eq!(proof.strategies()[0].side(), winner);
        for step in proof.strategies()[0].moves() {
            if let Some(wdl) = tables.try_wdl(&step.position.parse().unwrap()).unwrap() {
                assert_eq!(wdl, Wdl::Win, "{}", step.position);
            }
        }
    }
}

#[test]
fn a_search_that_comes_to_very_many_moves_says_so() {
    let position = position("c3W b2BBBBB d2BbBbB b4bBbBb d4bbbbbb w");
    let mut solver = Solver::new(&position, RuleSet::Rejump, MEMORY).unwrap();
    assert_eq!(solver.run(&Budget::default()), Ok(Stop::TooManyMoves));
    assert_eq!(solver.wdl(), None);
    assert_eq!(solver.rate_moves(&Budget::default()), Ok(Stop::TooManyMoves));
    assert_eq!(solver.estimate_moves(&Budget::default()), Ok(Stop::TooManyMoves));
    assert!(matches!(
        solver.proved_moves(&position, &Budget::default()),
        Err(ProbeError::TooManyMoves(_))
    ));
}

#[test]
fn tables_without_distances_tell_who_wins() {
    let (_folder, bare) = without_distances("3-2");
    let tables = shipped_tables();
    let mut decided = 0;
    for (position, value) in vectors::positions() {
        if bare.wdl(&position).is_err() || value.wdl() == Wdl::Draw {
            continue;
        }
        let mut solver = solved(&position, &bare, 1);
        assert_eq!(solver.wdl(), Some(value.wdl()), "{position}");
        // That a side is blocked is known without a table.
        let at_once = value.dtw().filter(|&plies| plies == 0);
        assert_eq!(solver.value(&Budget::default()).unwrap().at_most(), at_once, "{position}");
        solver.rate_moves(&Budget::default()).unwrap();
        for rated in solver.proved_moves(&position, &Budget::default()).unwrap() {
            let after = tables.wdl(&rated.after).unwrap_or(Wdl::Loss);
            assert_eq!(rated.value.wdl(), Some(-after), "{position} {}", rated.played);
        }
        let stop = solver.exact(&Budget::default()).unwrap();
        match solver.value(&Budget::default()).unwrap().exact() {
            Some(exact) => assert_eq!((exact, stop), (value, Stop::Solved), "{position}"),
            None => assert_eq!(stop, Stop::NoDistances, "{position}"),
        }
        decided += 1;
        if decided == 30 {
            break;
        }
    }
    assert_eq!(decided, 30);
}
