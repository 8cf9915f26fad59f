//! Certificates of what a search has proved, checked by `tools/check_certificate.py`. Damaged ones
//! are rejected; if one is accepted, its claim is true, which a solver says that shares nothing with
//! the search or the checker.

use crate::common::checker::{accepts, accepts_all, check, check_all, claim, text_of};
use crate::common::naive::Solution;
use crate::common::numbers::Numbers;
use crate::common::tables::{generated, shipped_tables};
use crate::common::{position, vectors};
use crate::search::graphs;
use lasca_tablebase::certify::{Certificate, CertifyError, Verdict};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::search::{Limits, Solver, Stop};
use lasca_tablebase::{Silent, Value, Wdl};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const MEMORY: u64 = 1 << 28;
const MOST: usize = 1_000_000;
const LASKER: &str = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

fn solved<'a>(
    position: &Position,
    rules: RuleSet,
    tables: Option<&'a Tablebase>,
    threads: usize,
) -> Solver<'a> {
    let mut solver = Solver::new(position, rules, tables, MEMORY).unwrap();
    let limits = Limits { threads, ..Limits::default() };
    assert_eq!(solver.run(&limits, &Silent), Ok(Stop::Solved), "{position}");
    solver
}

/// The text of the certificate of what a search proves.
fn proof(position: &Position, rules: RuleSet, tables: Option<&Tablebase>) -> String {
    let certificate = Certificate::of_search(&mut solved(position, rules, tables, 1), MOST);
    text_of(&certificate.unwrap())
}

/// Expects that what is certified of a position is true, if not always the shortest win.
#[track_caller]
fn check_verdict(certificate: &Certificate, start: &Position, value: Value) {
    match (certificate.verdict(), Verdict::of(value, start.side_to_move())) {
        (Verdict::Draw, Verdict::Draw) => {}
        (Verdict::Win { winner, plies }, Verdict::Win { winner: true_winner, plies: exact }) => {
            assert!(winner == true_winner && plies >= exact, "{start}");
        }
        (found, expected) => panic!("{start}: {found}, not {expected}"),
    }
}

// Damage

/// A step of a certificate: its position, its move, and what stands after it.
fn step_of(line: &str) -> Option<(Position, &str, &str)> {
    let (before, rest) = line.split_once(": ")?;
    let (played, plies) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((before.parse().ok()?, played, plies))
}

fn line(position: &Position, played: &str, plies: &str) -> String {
    format!("{position}: {played} {plies}").trim_end().to_owned()
}

/// The kinds of damage.
const KINDS: [&str; 12] = [
    "another legal move",
    "a longer distance",
    "a shorter distance",
    "a position dropped",
    "a position added twice",
    "another rule set",
    "another verdict",
    "a quicker verdict",
    "a counter of a step changed",
    "a counter of the start changed",
    "the other side to move at the start",
    "version 1",
];

/// A certificate with damage of one kind; `None` if it has nothing to be damaged in this way.
fn damaged(text: &str, kind: &str, random: &mut Numbers) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let rules: RuleSet = lines[1].strip_prefix("rules ")?.parse().ok()?;
    let steps: Vec<usize> = (0..lines.len()).filter(|&at| step_of(&lines[at]).is_some()).collect();
    let place = (!steps.is_empty()).then(|| steps[random.below(steps.len())]);
    let is_step = |at: &usize| steps.contains(at);
    // The line that says how many steps the strategy of a step has.
    let header = |at: usize| (0..at).rev().find(|at| !is_step(at));
    let recounted = |header: &str, by: isize| {
        let (rest, count) = header.rsplit_once(' ').unwrap();
        format!("{rest} {}", count.parse::<isize>().unwrap() + by)
    };
    let toggled = |position: &str, random: &mut Numbers| {
        // A file has a letter too, but a digit after it; the last letter is the side to move.
        let letters = position.as_bytes();
        let is_counter =
            |at: &usize| b"wbWB".contains(&letters[*at]) && !letters[at + 1].is_ascii_digit();
        let places: Vec<usize> = (0..position.len() - 2).filter(is_counter).collect();
        let at = places[random.below(places.len())];
        let letter = position.as_bytes()[at] as char;
        let other = ['w', 'b', 'W', 'B'].into_iter().filter(|&other| other != letter);
        let other = other.collect::<Vec<char>>()[random.below(3)];
        format!("{}{other}{}", &position[..at], &position[at + 1..])
    };
    match kind {
        "another legal move" => {
            let (before, played, plies) = step_of(&lines[place?])?;
            let others = before.moves(rules).into_iter().map(|other| other.to_string());
            let others: Vec<String> = others.filter(|other| other != played).collect();
            (!others.is_empty()).then_some(())?;
            lines[place?] = line(&before, &others[random.below(others.len())], plies);
        }
        "a longer distance" | "a shorter distance" => {
            let (before, played, plies) = step_of(&lines[place?])?;
            let plies: i32 = plies.parse().ok()?;
            let plies = if kind == "a longer distance" { plies + 2 } else { plies - 2 };
            (plies >= 0).then_some(())?;
            lines[place?] = line(&before, played, &plies.to_string());
        }
        "a position dropped" => {
            let header = header(place?)?;
            lines[header] = recounted(&lines[header], -1);
            lines.remove(place?);
        }
        "a position added twice" => {
            let header = header(place?)?;
            lines[header] = recounted(&lines[header], 1);
            let again = lines[place?].clone();
            lines.insert(place?, again);
        }
        "another rule set" => {
            let others: Vec<RuleSet> =
                RuleSet::ALL.into_iter().filter(|&other| other != rules).collect();
            lines[1] = format!("rules {}", others[random.below(2)]);
        }
        "another verdict" => {
            let other = match lines[3].as_str() {
                "verdict draw" => "verdict white wins in 99".to_owned(),
                won if random.below(2) == 0 => won.replace("white", "x").replace("black", "white"),
                _ => "verdict draw".to_owned(),
            };
            lines[3] = other.replace('x', "black");
        }
        "a quicker verdict" => {
            let (rest, plies) = lines[3].rsplit_once(' ')?;
            let plies: i32 = plies.parse().ok()?;
            (plies >= 2).then_some(())?;
            lines[3] = format!("{rest} {}", plies - 2);
        }
        "a counter of a step changed" => {
            let (before, rest) = lines[place?].split_once(": ")?;
            lines[place?] = format!("{}: {rest}", toggled(before, random));
        }
        "a counter of the start changed" => {
            let start = lines[2].strip_prefix("position ")?;
            lines[2] = format!("position {}", toggled(start, random));
        }
        "the other side to move at the start" => {
            let start: Position = lines[2].strip_prefix("position ")?.parse().ok()?;
            lines[2] = format!("position {}", start.with_side_to_move(!start.side_to_move()));
        }
        "version 1" => {
            (lines[0] == "lasca-certificate 2").then_some(())?;
            lines[0] = "lasca-certificate 1".to_owned();
        }
        kind => unreachable!("{kind} is not one of the kinds"),
    }
    Some(lines.join("\n") + "\n")
}

/// Whether the claim of a text is true; `None` if too many positions can arise to find out.
fn is_true(text: &str, most: usize) -> Option<bool> {
    let mut lines = text.lines().skip(1);
    let mut next = |word: &str| lines.next().unwrap().strip_prefix(word).unwrap();
    let rules: RuleSet = next("rules ").parse().unwrap();
    let start = position(next("position "));
    let verdict = next("verdict ");
    let value = Solution::of_play_from(&start, rules, most)?.get(&start)?;
    Some(match (Verdict::of(value, start.side_to_move()), verdict.split_once(" wins in ")) {
        (Verdict::Draw, None) => true,
        (Verdict::Win { winner, plies }, Some((claimed, most))) => {
            winner.name() == claimed && plies <= most.parse().unwrap()
        }
        _ => false,
    })
}

/// Certificates of random positions that few positions can arise from, one of each kind of damage to
/// each, and how often each kind was accepted because what was claimed is still true.
fn check_random_positions(seed: u64, count: usize, most: usize, damages: usize) {
    let mut random = Numbers(seed);
    let mut texts = Vec::new();
    let mut claims = Vec::new();
    let mut results: BTreeMap<String, usize> = BTreeMap::new();
    for (number, (rules, naive)) in graphs(seed, count, most).enumerate() {
        let start = naive.position(0);
        let threads = 1 + usize::from(number % 8 == 7);
        let mut solver = solved(&start, rules, None, threads);
        let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
        let value = naive.get(&start).unwrap();
        check_verdict(&certificate, &start, value);
        assert_eq!(certificate.version(), if start.has_soldier() { 2 } else { 1 });
        *results.entry(format!("{rules}, {}", value.wdl())).or_default() += 1;
        let text = text_of(&certificate);
        for round in 0..damages {
            let kind = (number * damages + round) % KINDS.len();
            if let Some(damaged) = damaged(&text, KINDS[kind], &mut random) {
                texts.push(damaged);
                claims.push((Some(kind), String::new()));
            }
        }
        texts.push(text);
        claims.push((None, format!("{}, rules {rules}", claim(certificate.verdict()))));
    }
    let Some(answers) = check_all(&texts) else { return };
    let (mut accepted, mut rejected, mut still_true) = (0, 0, [0; KINDS.len()]);
    for ((text, (kind, claim)), answer) in texts.iter().zip(&claims).zip(&answers) {
        let Some(kind) = *kind else {
            accepted += 1;
            assert!(answer.starts_with("accepted: ") && answer.contains(claim), "{answer}\n{text}");
            continue;
        };
        if answer.starts_with("rejected: ") {
            rejected += 1;
        } else {
            assert_eq!(is_true(text, 40 * most), Some(true), "{}\n{text}", KINDS[kind]);
            still_true[kind] += 1;
        }
    }
    assert_eq!(accepted, count);
    println!("{results:?}: {accepted} accepted, {rejected} damaged ones rejected, still true:");
    for (kind, count) in KINDS.iter().zip(still_true).filter(|&(_, count)| count > 0) {
        println!("  {count:>4} {kind}");
    }
    assert!(rejected >= count * damages / 3, "{rejected} rejected");
    assert_eq!(still_true[4] + still_true[6] + still_true[11], 0, "these are never true");
}

#[test]
fn proofs_of_small_positions_are_accepted_and_damaged_ones_are_not() {
    check_random_positions(0x8008, 60, 3000, 3);
}

/// Slow.
#[test]
#[ignore = "slow: checks hundreds of certificates in Python"]
fn proofs_of_hundreds_of_positions_are_accepted_and_damaged_ones_are_not() {
    check_random_positions(0x9009, 450, 12_000, 12);
}

// Known positions

#[test]
fn laskers_ending_is_certified_with_and_without_tables() {
    let tables = shipped_tables();
    let lasker = position(LASKER);
    for tables in [None, Some(&tables)] {
        let text = proof(&lasker, RuleSet::Lasca, tables);
        assert!(text.starts_with("lasca-certificate 2\nrules lasca\nposition a1Bw "), "{text}");
        accepts(text, "white wins in at most ");
    }
    // After the search for the exact distance, the proof is as short.
    let mut solver = solved(&lasker, RuleSet::Lasca, None, 1);
    solver.exact(&Limits::default(), &Silent).unwrap();
    let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Win { winner: Color::White, plies: 25 });
    accepts(text_of(&certificate), "white wins in at most 25 plies");
}

#[test]
fn golden_positions_with_soldiers_are_certified() {
    let mut proofs = Vec::new();
    for (start, value) in vectors::soldiers().into_iter().step_by(5) {
        let mut solver = solved(&start, RuleSet::Lasca, None, 1);
        let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
        check_verdict(&certificate, &start, value);
        if certificate.strategies().iter().map(|strategy| strategy.len()).sum::<usize>() > 4000 {
            continue;
        }
        proofs.push((text_of(&certificate), claim(certificate.verdict())));
    }
    assert!(proofs.len() > 20, "{} certificates", proofs.len());
    accepts_all(&proofs);
}

#[test]
fn a_game_that_is_over_is_certified_without_a_strategy() {
    let mut proofs = Vec::new();
    for rules in RuleSet::ALL {
        for (text, winner) in [
            ("a1WB w", Color::White),
            ("a1Wbw b", Color::White),
            ("a5w b6b c7b w", Color::Black),
            ("g7wBbW w", Color::White),
        ] {
            let mut solver = solved(&position(text), rules, None, 1);
            let certificate = Certificate::of_search(&mut solver, 0).unwrap();
            assert_eq!(certificate.verdict(), Verdict::Win { winner, plies: 0 }, "{text}");
            assert!(certificate.is_exact() && certificate.strategies()[0].is_empty());
            proofs.push((text_of(&certificate), claim(certificate.verdict())));
        }
    }
    accepts_all(&proofs);
}

#[test]
fn officers_are_folded_by_all_eight_symmetries() {
    // The checker rejects a strategy with two images of a position.
    let mut proofs = Vec::new();
    for text in ["c3W e5W c5B e3B b", "c3W c5W e3B e5B b", "a1WWW b2BBB w", "a1WBW c3WB e5BBW w"] {
        let text = proof(&position(text), RuleSet::Lasca, None);
        assert!(text.starts_with("lasca-certificate 1\n"), "{text}");
        proofs.push((text, String::new()));
    }
    accepts_all(&proofs);
}

// Tables as leaves

/// Positions of two counters a side, some of them soldiers, until officers are left.
const SOLDIERS: [&str; 8] = [
    "a1w c3w d4B g5B w",
    "d6w f6w a3b e3b w",
    "a5w e7W c1B c3b b",
    "d6w f2W b2b g7B b",
    "d6w c3W b4B g7B w",
    "f6W b6w a1B d2b b",
    "c5Ww e3Bb w",
    "b6W e5w d2B g3b w",
];

#[test]
fn where_the_search_relies_on_tables_their_strategies_are_put_in() {
    let (mut with_leaves, mut drawn, mut proofs) = (0, 0, Vec::new());
    for rules in RuleSet::ALL {
        let folder = generated(&["2-2"], rules);
        let tables = Tablebase::open(folder.path(), rules).unwrap();
        for text in SOLDIERS {
            let start = position(text);
            let mut solver = solved(&start, rules, Some(&tables), 1);
            let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
            for side in Color::ALL {
                if let Some(strategy) = solver.strategy(side, MOST).unwrap() {
                    with_leaves += usize::from(!strategy.leaves.is_empty());
                }
            }
            drawn += usize::from(certificate.verdict() == Verdict::Draw);
            proofs.push((text_of(&certificate), claim(certificate.verdict())));
        }
    }
    accepts_all(&proofs);
    assert!(with_leaves >= 12 && drawn >= 3, "{with_leaves} with leaves, {drawn} drawn");
}

#[test]
fn a_position_that_the_tables_cover_has_the_proof_of_the_tables() {
    let folder = generated(&["2-2"], RuleSet::Lasca);
    let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    for text in ["c3W e5W c5B e3B b", "c3W c5W e3B e5B b", "a1WB c3WB b"] {
        let start = position(text);
        let by_tables = Certificate::prove(&tables, &start, MOST).unwrap();
        assert_eq!(proof(&start, RuleSet::Lasca, Some(&tables)), text_of(&by_tables));
        // A search that has looked at the moves all the same knows some positions in two ways.
        let mut solver = solved(&start, RuleSet::Lasca, Some(&tables), 1);
        solver.rate_moves(&Limits::default(), &Silent).unwrap();
        let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
        accepts(text_of(&certificate), &claim(by_tables.verdict()));
    }
}

/// A copy of the folder with one file of the table damaged, or missing.
fn with_file(folder: &Path, name: &str, change: impl Fn(&mut Vec<u8>) -> bool) -> TempDir {
    let changed = TempDir::new().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let mut bytes = fs::read(entry.path()).unwrap();
        if entry.file_name() != name || change(&mut bytes) {
            fs::write(changed.path().join(entry.file_name()), bytes).unwrap();
        }
    }
    changed
}

#[test]
fn without_the_distances_of_a_table_there_is_no_proof_and_the_error_says_why() {
    let folder = generated(&["2-2"], RuleSet::Lasca);
    let bare = with_file(folder.path(), "lasca-2-2.ltbd", |_| false);
    let damaged = with_file(folder.path(), "lasca-2-2.ltbd", |bytes| {
        let middle = bytes.len() / 2;
        bytes[100..middle].fill(0xa5);
        true
    });
    let (mut missing, mut broken, mut proofs) = (0, 0, Vec::new());
    for text in SOLDIERS {
        let start = position(text);
        for folder in [&bare, &damaged] {
            let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
            let Ok(mut solver) = Solver::new(&start, RuleSet::Lasca, Some(&tables), MEMORY) else {
                continue;
            };
            if solver.run(&Limits::default(), &Silent).is_err() {
                broken += 1;
                continue;
            }
            match Certificate::of_search(&mut solver, MOST) {
                Ok(certificate) => {
                    proofs.push((text_of(&certificate), claim(certificate.verdict())));
                }
                Err(CertifyError::Probe(ProbeError::MissingDtw { .. })) => missing += 1,
                Err(CertifyError::Probe(ProbeError::Damaged { .. })) => broken += 1,
                Err(error) => panic!("{text}: {error}"),
            }
        }
    }
    assert!(missing >= 3 && broken >= 3, "{missing} missing, {broken} damaged");
    accepts_all(&proofs);
}

// What has no proof

#[test]
fn an_open_result_has_no_proof() {
    let mut solver = Solver::new(&Position::start(), RuleSet::Lasca, None, MEMORY).unwrap();
    let limits = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    assert_eq!(solver.run(&limits, &Silent), Ok(Stop::Time));
    let error = Certificate::of_search(&mut solver, MOST).unwrap_err();
    assert!(matches!(error, CertifyError::Open { excluded, .. } if !excluded.white), "{error:?}");
    assert!(error.to_string().contains("neither a win nor a draw is proved"), "{error}");
}

#[test]
fn a_proof_that_would_be_too_large_is_refused() {
    let mut solver = solved(&position(LASKER), RuleSet::Lasca, None, 1);
    let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
    let size: usize = certificate.strategies().iter().map(|strategy| strategy.len()).sum();
    assert!(Certificate::of_search(&mut solver, size).is_ok());
    let error = Certificate::of_search(&mut solver, size - 1).unwrap_err();
    assert!(matches!(error, CertifyError::TooLarge { .. }), "{error:?}");
}

#[test]
fn one_thread_gives_the_same_proof_each_time() {
    let lasker = position(LASKER);
    assert!(proof(&lasker, RuleSet::Lasca, None) == proof(&lasker, RuleSet::Lasca, None));
    // Several threads may find another one, which is as good.
    let mut solver = solved(&lasker, RuleSet::Lasca, None, 3);
    let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
    assert_eq!(solver.wdl(), Some(Wdl::Win));
    assert!(solver.at_most().unwrap().and_then(Value::dtw) >= Some(25));
    if let Some((printed, status)) = check(text_of(&certificate)) {
        assert_eq!(status, 0, "{printed}");
    }
}
