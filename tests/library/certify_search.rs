//! Certificates of what a search has proved, checked by `tools/check_certificate.py`. Damaged ones
//! are rejected; if one is accepted, its claim is true, which a solver says that shares nothing with
//! the search or the checker.

use crate::common::checker::{accepts, accepts_all, check, check_all, claim, text_of};
use crate::common::naive::Solution;
use crate::common::numbers::Numbers;
use crate::common::tables::{generated, shipped_tables};
use crate::common::{position, vectors};
use crate::search::{MEMORY, graphs, solved};
use lasca_tablebase::certify::{Certificate, CertifyError};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::search::{Limits, Solver, Stop};
use lasca_tablebase::{Outcome, Silent, Value, Wdl};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const MOST: usize = 1_000_000;
const LASKER: &str = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

/// The text of the certificate of what a search proves.
fn proof(position: &Position, rules: RuleSet, tables: Option<&Tablebase>) -> String {
    let certificate = Certificate::of_search(&mut solved(position, rules, tables, 1), MOST);
    text_of(&certificate.unwrap())
}

/// Expects that what is certified of a position is true, if not always the shortest win.
#[track_caller]
fn check_verdict(certificate: &Certificate, start: &Position, value: Value) {
    let proved = certificate.value();
    assert_eq!(proved.wdl(), Some(value.wdl()), "{start}");
    assert_eq!(certificate.outcome(), Outcome::of(value.wdl(), start.side_to_move()), "{start}");
    assert!(proved.at_most() >= value.dtw(), "{start}: {proved}, not {value}");
}

// Damage. `tools/dev/test_check_certificate.py` changes each part of smaller certificates.

/// A certificate with a line in the place of another one, or with a word in the place of a like one.
fn damaged(text: &str, random: &mut Numbers) -> String {
    const MORE_WORDS: &str = "lasca bignor rejump draw white black w b 1 2";
    let mut lines: Vec<&str> = text.lines().collect();
    let at = random.below(lines.len());
    if random.below(4) == 0 {
        lines[at] = lines[random.below(lines.len())];
        return lines.join("\n") + "\n";
    }
    let mut words: Vec<&str> = lines[at].split(' ').collect();
    let word = random.below(words.len());
    // Moves are like moves, numbers like numbers, squares with a column like such, sides like sides.
    let kind = |word: &str| {
        let is_square = word.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        (word.contains('-'), is_number, is_square, word.ends_with(':'))
    };
    let all = text.split_whitespace().chain(MORE_WORDS.split(' '));
    let like: Vec<&str> = all.filter(|&other| kind(other) == kind(words[word])).collect();
    words[word] = like[random.below(like.len())];
    let changed = words.join(" ");
    lines[at] = &changed;
    lines.join("\n") + "\n"
}

/// Whether the claim of a text is true; `None` if too many positions can arise to find out.
fn is_true(text: &str, most: usize) -> Option<bool> {
    let mut lines = text.lines().skip(1);
    let mut next = |word: &str| lines.next().unwrap().strip_prefix(word).unwrap();
    let rules: RuleSet = next("rules ").parse().unwrap();
    let start = position(next("position "));
    let verdict = next("verdict ");
    let value = Solution::of_play_from(&start, rules, most)?.get(&start)?;
    let outcome = Outcome::of(value.wdl(), start.side_to_move());
    Some(match (outcome, verdict.split_once(" wins in ")) {
        (Outcome::Draw, None) => true,
        (Outcome::Win(winner), Some((claimed, most))) => {
            winner.name() == claimed && value.dtw() <= Some(most.parse().unwrap())
        }
        _ => false,
    })
}

/// Checks certificates of random positions that few positions can arise from, and so many damaged ones of each.
fn check_random_positions(seed: u64, count: usize, most: usize, damages: usize) {
    let mut random = Numbers(seed);
    let (mut texts, mut claims) = (Vec::new(), Vec::new());
    for (number, (rules, naive)) in graphs(seed, count, most).enumerate() {
        let start = naive.position(0);
        let threads = 1 + usize::from(number % 8 == 7);
        let mut solver = solved(&start, rules, None, threads);
        let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
        check_verdict(&certificate, &start, naive.get(&start).unwrap());
        assert_eq!(certificate.version(), if start.has_soldier() { 2 } else { 1 });
        let text = text_of(&certificate);
        for _ in 0..damages {
            texts.push(damaged(&text, &mut random));
            claims.push(None);
        }
        texts.push(text);
        claims.push(Some(format!("{}, rules {rules}", claim(&certificate))));
    }
    let Some(answers) = check_all(&texts) else { return };
    let mut rejected = 0;
    for ((text, claim), answer) in texts.iter().zip(&claims).zip(&answers) {
        let is_accepted = answer.starts_with("accepted: ");
        match claim {
            Some(claim) => assert!(is_accepted && answer.contains(claim), "{answer}\n{text}"),
            None if is_accepted => assert_eq!(is_true(text, 40 * most), Some(true), "{text}"),
            None => rejected += 1,
        }
    }
    assert!(rejected >= count * damages / 2, "{rejected} rejected");
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
    assert_eq!(certificate.value().to_string(), "win in at most 25");
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
        proofs.push((text_of(&certificate), claim(&certificate)));
    }
    assert!(proofs.len() > 20, "{} certificates", proofs.len());
    accepts_all(&proofs);
}

#[test]
fn a_game_that_is_over_is_certified_without_a_strategy() {
    let (tables, mut proofs) = (shipped_tables(), Vec::new());
    for rules in RuleSet::ALL {
        for (text, winner) in [
            ("a1WB w", Color::White),
            ("a1Wbw b", Color::White),
            ("a5w b6b c7b w", Color::Black),
            ("g7wBbW w", Color::White),
            ("a1W c1WB b", Color::White),
            ("a1W c1WB w", Color::White),
            ("a1W b2B c3B w", Color::Black),
            ("a1WWWWWWW c1WWWW b", Color::White),
        ] {
            let start = position(text);
            let by_search = Certificate::of_search(&mut solved(&start, rules, None, 1), 0).unwrap();
            let is_covered = rules == RuleSet::Lasca && !start.has_soldier();
            let by_tables = is_covered.then(|| Certificate::prove(&tables, &start, 0).unwrap());
            for certificate in by_tables.into_iter().chain([by_search]) {
                assert_eq!(certificate.outcome(), Outcome::Win(winner), "{text}");
                assert_eq!(certificate.value().exact().and_then(Value::dtw), Some(0), "{text}");
                assert!(certificate.strategies()[0].is_empty());
                proofs.push((text_of(&certificate), claim(&certificate)));
            }
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
            drawn += usize::from(certificate.outcome() == Outcome::Draw);
            proofs.push((text_of(&certificate), claim(&certificate)));
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
        accepts(text_of(&certificate), &claim(&by_tables));
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
                    proofs.push((text_of(&certificate), claim(&certificate)));
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
    assert!(solver.value().unwrap().at_most() >= Some(25));
    if let Some((printed, status)) = check(text_of(&certificate)) {
        assert_eq!(status, 0, "{printed}");
    }
}
