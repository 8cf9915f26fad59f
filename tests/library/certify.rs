//! Certificates of what tables say and of what a search has proved, and
//! `tools/check_certificate.py`, which shares nothing with this crate: it accepts what is proved,
//! rejects damaged and forged proofs unless what they claim is true (which a solver says that shares
//! nothing with the search or the checker), and knows the same moves. `common::python` says what
//! happens where there is no Python.

use crate::common::checker::{
    accepts, accepts_all, check_all, claim, rejects, run_python, text_of,
};
use crate::common::naive::Solution;
use crate::common::numbers::Numbers;
use crate::common::tables::{generated, shipped_tables, without_distances};
use crate::common::{ROOT, position, vectors};
use crate::search::{MEMORY, graphs, solved};
use lasca_analysis::certify::{Certificate, CertifyError, StrategyMove};
use lasca_analysis::search::{Budget, Solver, Stop};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::table::TableError;
use lasca_tablebase::{Outcome, Reason, Silent, Value};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

const MOST: usize = 1_000_000;

/// Black to move loses in 12 plies; Black to move draws; White to move wins.
const STUDIED_LOSS: &str = "c3W e5W c5B e3B b";
const STUDIED_DRAW: &str = "c3W c5W e3B e5B b";
const LASKER: &str = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

fn prove(tables: &Tablebase, text: &str) -> Certificate {
    Certificate::of_tables(tables, &position(text), MOST).unwrap()
}

/// The certificate of what a search proves.
fn searched(position: &Position, tables: impl Into<Tablebase>) -> Certificate {
    Certificate::of_search(&mut solved(position, tables, 1), MOST).unwrap()
}

/// How many positions all strategies of a certificate hold.
fn size(certificate: &Certificate) -> usize {
    certificate.strategies().iter().map(|strategy| strategy.len()).sum()
}

/// Expects that what is certified of a position is true, if not always the shortest win.
#[track_caller]
fn check_verdict(certificate: &Certificate, start: &Position, value: Value) {
    let proved = certificate.value();
    assert_eq!(proved.wdl(), Some(value.wdl()), "{start}");
    assert_eq!(certificate.outcome(), Outcome::of(value.wdl(), start.side_to_move()), "{start}");
    assert!(proved.at_most() >= value.dtw(), "{start}: {proved}, not {value}");
}

// What is proved

#[test]
fn what_tables_and_searches_say_of_golden_positions_is_proved() {
    let tables = shipped_tables();
    let officers = vectors::positions().into_iter().step_by(31).map(|(start, value)| {
        let certificate = Certificate::of_tables(&tables, &start, MOST).unwrap();
        assert_eq!(certificate.value(), value, "{start}");
        (start, value, certificate)
    });
    let soldiers = vectors::soldiers().into_iter().step_by(5).map(|(start, value)| {
        let certificate = searched(&start, RuleSet::Lasca);
        (start, value, certificate)
    });
    let mut proofs = Vec::new();
    for (start, value, certificate) in officers.chain(soldiers) {
        check_verdict(&certificate, &start, value);
        if size(&certificate) <= 4000 || !start.has_soldier() {
            proofs.push((text_of(&certificate), claim(&certificate)));
        }
    }
    assert!(proofs.len() > 50, "{} certificates", proofs.len());
    accepts_all(&proofs);
}

#[test]
fn after_the_search_for_the_exact_distance_the_proof_is_as_short() {
    let mut solver = solved(&position(LASKER), RuleSet::Lasca, 1);
    solver.exact(&Budget::default()).unwrap();
    let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
    assert_eq!(certificate.value().to_string(), "win in at most 25");
    accepts(text_of(&certificate), "white wins in at most 25 plies");
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
            let mut solver = solved(&start, rules, 1);
            let by_search = Certificate::of_search(&mut solver, 0).unwrap();
            assert_eq!(solver.rate_moves(&Budget::default()), Ok(Stop::Solved), "{text}");
            assert!(solver.proved_moves(&start, &Budget::default()).unwrap().is_empty(), "{text}");
            let is_covered = rules == RuleSet::Lasca && !start.has_soldier();
            let by_tables = is_covered.then(|| Certificate::of_tables(&tables, &start, 0).unwrap());
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
fn a_proof_is_the_same_each_time() {
    let (tables, lasker) = (shipped_tables(), position(LASKER));
    let of_tables = || text_of(&prove(&tables, STUDIED_DRAW));
    assert!(of_tables() == of_tables());
    let of_search = || text_of(&searched(&lasker, RuleSet::Lasca));
    assert!(of_search() == of_search());
    // Several threads may find another one, which is as good.
    let mut solver = solved(&lasker, RuleSet::Lasca, 3);
    let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
    check_verdict(&certificate, &lasker, Value::Win(25));
    accepts(text_of(&certificate), "white wins in at most ");
}

// Tables as leaves

/// Positions of two counters a side, some of them soldiers, until officers are left.
pub const SOLDIERS: [&str; 8] = [
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
fn each_rule_set_has_proofs_of_its_own_in_which_the_tables_go_on_where_a_search_ends() {
    let (mut with_leaves, mut drawn, mut proofs) = (0, 0, Vec::new());
    for rules in RuleSet::ALL {
        let folder = generated(&["2-1", "2-2"], rules);
        let tables = Tablebase::open(folder.path(), rules).unwrap();
        for text in ["a1W b2BB w", STUDIED_LOSS, STUDIED_DRAW, "a1WB c3WB b", "d4WW c5B e5B w"] {
            proofs.push((text_of(&prove(&tables, text)), format!("rules {rules}")));
        }
        if rules == RuleSet::Rejump {
            let text = text_of(&prove(&tables, "a1W b2BB w"));
            assert!(text.contains("\nstrategy white 1\na1W b2BB w: a1-b2-c3-b2-a1 1\n"), "{text}");
            let as_lasca = with_line(&text, "rules rejump", "rules lasca\n");
            rejects(as_lasca, "a1-b2-c3-b2-a1 is not a legal move");
        }
        for text in SOLDIERS {
            let mut solver = solved(&position(text), &tables, 1);
            let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
            for strategy in certificate.strategies() {
                let is_covered =
                    |step: &StrategyMove| tables.try_wdl(&position(&step.position)) != Ok(None);
                with_leaves += usize::from(strategy.moves().iter().any(is_covered));
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
        let by_tables = Certificate::of_tables(&tables, &start, MOST).unwrap();
        let by_search = searched(&start, &tables);
        assert_eq!(text_of(&by_search), text_of(&by_tables));
        // A search that has looked at the moves all the same knows some positions in two ways.
        let mut solver = solved(&start, &tables, 1);
        solver.rate_moves(&Budget::default()).unwrap();
        let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
        accepts(text_of(&certificate), &claim(&by_tables));
    }
}

/// What damaged distances lead to is tested in `answer`.
#[test]
fn without_the_distances_of_a_table_there_is_no_proof_and_the_error_says_why() {
    let (_folder, tables) = without_distances("2-2");
    let (mut missing, mut proofs) = (0, Vec::new());
    for text in SOLDIERS {
        let mut solver = solved(&position(text), &tables, 1);
        match Certificate::of_search(&mut solver, MOST) {
            Ok(certificate) => proofs.push((text_of(&certificate), claim(&certificate))),
            Err(CertifyError::Probe(error)) if error.reason() == Reason::NoDistances => {
                missing += 1
            }
            Err(error) => panic!("{text}: {error}"),
        }
    }
    assert!(missing >= 3, "{missing} missing");
    accepts_all(&proofs);
}

// What is refused

#[test]
fn a_proof_that_would_be_too_large_is_refused() {
    let tables = shipped_tables();
    let certify = |text, most| Certificate::of_tables(&tables, &position(text), most);
    assert_eq!(certify(STUDIED_LOSS, 212).unwrap().strategies()[0].len(), 212);
    let error = certify(STUDIED_LOSS, 211).unwrap_err();
    let expected = CertifyError::TooLarge { side: Color::White, wins: true, max_positions: 211 };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("at most 211 positions"), "{error}");

    let drawn = certify(STUDIED_DRAW, usize::MAX).unwrap();
    let (both, white) = (size(&drawn), drawn.strategies()[0].len());
    assert!(certify(STUDIED_DRAW, both).is_ok());
    for (most, side) in [(both - 1, Color::Black), (white - 1, Color::White)] {
        let expected = CertifyError::TooLarge { side, wins: false, max_positions: most };
        assert_eq!(certify(STUDIED_DRAW, most).unwrap_err(), expected);
    }
    assert!(certify("a1W c1WB b", 0).is_ok(), "a game that is over needs no position");

    let mut solver = solved(&position(LASKER), RuleSet::Lasca, 1);
    let most = size(&Certificate::of_search(&mut solver, MOST).unwrap());
    assert!(Certificate::of_search(&mut solver, most).is_ok());
    let error = Certificate::of_search(&mut solver, most - 1).unwrap_err();
    assert!(matches!(error, CertifyError::TooLarge { .. }), "{error:?}");
}

#[test]
fn positions_outside_the_tables_are_refused() {
    let tables = shipped_tables();
    let certify = |text| Certificate::of_tables(&tables, &position(text), 10).unwrap_err();
    for soldiers in ["a1w c3B w", "a1Ww c3W b"] {
        let error = certify(soldiers);
        assert!(matches!(error, CertifyError::Probe(ProbeError::NotOfficers(_))), "{error}");
    }
    let error = certify("a1WWWWWW c3BBBBBB w");
    assert!(matches!(error, CertifyError::Probe(ProbeError::MissingTable { .. })), "{error}");
    let bounded = Path::new(ROOT).join("tests/data");
    let bounded = Tablebase::open(bounded, RuleSet::Lasca).unwrap();
    let beyond = position("a1WWWWWWWWWWW c1BBBBB e1BBBBBB w");
    let error = Certificate::of_tables(&bounded, &beyond, 10).unwrap_err();
    assert!(
        matches!(
            error,
            CertifyError::Probe(ProbeError::Table { error: TableError::BeyondColumns { .. }, .. })
        ),
        "{error}"
    );
}

#[test]
fn an_open_result_has_no_proof() {
    let mut solver = Solver::new(&Position::start(), RuleSet::Lasca, MEMORY).unwrap();
    let budget = Budget::new(Some(Duration::from_millis(50)), 1, &Silent);
    assert_eq!(solver.run(&budget), Ok(Stop::Time));
    let error = Certificate::of_search(&mut solver, MOST).unwrap_err();
    assert!(matches!(error, CertifyError::Open { excluded, .. } if !excluded.white), "{error:?}");
    assert!(error.to_string().contains("neither a win nor a draw is proved"), "{error}");
}

// Damage. `tools/dev/test_check_certificate.py` changes each part of smaller certificates.

/// A certificate with a line in the place of another one or exchanged with it, with a character in the place of another
/// one, or with a word in the place of a like one.
fn damaged(text: &str, random: &mut Numbers) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let at = random.below(lines.len());
    match random.below(8) {
        0 => lines[at] = lines[random.below(lines.len())],
        1 => lines.swap(at, random.below(text.lines().count())),
        2 => {
            // Up to two characters go, and maybe one comes, of the certificate or such as none has.
            let (from, other) = (random.below(text.len()), random.below(text.len()));
            let to = text.len().min(from + random.below(3));
            let other = &text[other..=other];
            let instead = *random.choose(&[other, other, "", "x", "\t", "é"]);
            return [&text[..from], instead, &text[to..]].concat();
        }
        _ => {
            let line = with_other_word(lines[at], text, random);
            return text.replacen(lines[at], &line, 1);
        }
    }
    lines.join("\n") + "\n"
}

/// A line of a certificate with a word of the certificate, or another one, in the place of a like one.
fn with_other_word(line: &str, text: &str, random: &mut Numbers) -> String {
    const MORE_WORDS: &str = "lasca bignor rejump draw white black w b 1 2";
    let mut words: Vec<&str> = line.split(' ').collect();
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
    words.join(" ")
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
    let (mut texts, mut claims, mut drawn) = (Vec::new(), Vec::new(), 0);
    for (number, (rules, naive)) in graphs(seed, count, most).enumerate() {
        let start = naive.position(0);
        let threads = 1 + usize::from(number % 8 == 7);
        let mut solver = solved(&start, rules, threads);
        let certificate = Certificate::of_search(&mut solver, MOST).unwrap();
        check_verdict(&certificate, &start, naive.get(&start).unwrap());
        for side in Color::ALL {
            let loses = certificate.outcome() == Outcome::Win(!side);
            let has_one = certificate.strategies().iter().any(|strategy| strategy.side() == side);
            assert_eq!(has_one, !loses, "{start}");
        }
        drawn += usize::from(certificate.outcome() == Outcome::Draw);
        assert_eq!(certificate.version(), if start.has_soldier() { 2 } else { 1 });
        let text = text_of(&certificate);
        for _ in 0..damages {
            texts.push(damaged(&text, &mut random));
            claims.push(None);
        }
        texts.push(text);
        claims.push(Some(format!("{}, rules {rules}", claim(&certificate))));
    }
    assert!((count / 20..count / 2).contains(&drawn), "{drawn} of {count} are drawn");
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
    check_random_positions(0x8008, 120, 3000, 3);
}

/// Slow.
#[test]
#[ignore = "slow: checks hundreds of certificates in Python"]
fn proofs_of_hundreds_of_positions_are_accepted_and_damaged_ones_are_not() {
    check_random_positions(0x9009, 450, 12_000, 12);
}

/// The certificate with one line changed, which must be there.
#[track_caller]
fn with_line(text: &str, line: &str, instead: &str) -> String {
    assert_eq!(text.lines().filter(|&l| l == line).count(), 1, "{line:?} in\n{text}");
    text.replace(&format!("{line}\n"), instead)
}

/// Nothing but the last capture is amiss: Black makes it, and White has no more.
#[test]
fn a_strategy_that_leads_to_a_lost_position_is_seen() {
    for (start, played, end) in
        [("d4W f6B w", "d4-e5", "f6-e5-d4"), ("a3W d2B c5B w", "a3-b4", "c5-b4-a3")]
    {
        let forged = format!(
            "lasca-certificate 1\nrules lasca\nposition {start}\nverdict draw\n\
             strategy white 1\n{start}: {played}\nstrategy black 0\nend\n"
        );
        rejects(&forged, &format!("after {end} white has lost"));
        let forged = forged
            .replace("verdict draw", "verdict white wins in 3")
            .replace(&format!(": {played}"), &format!(": {played} 3"))
            .replace("strategy black 0\n", "");
        rejects(&forged, &format!("after {end} white has lost"));
    }
}

// The checker itself

/// Two move generators that share nothing find the same moves, in games from these positions, with
/// soldiers too.
#[test]
fn the_checker_knows_the_same_moves() {
    const SCRIPT: &str = "
import sys
sys.path.insert(0, 'tools')
import check_certificate as c
for line in sys.stdin:
    rules, text, expected = line.rstrip('\\n').split('\\t')
    board, side = c.read_position(text)
    after = c.moves(board, side, rules).items()
    found = sorted(f'{c.move_text(m)}={c.position_text(b, c.OTHER[side])}' for m, b in after)
    if found != expected.split(';') and (found or expected):
        sys.exit(f'{line}found {found}')
print('the same')
";
    let starts = [
        "a1WWW b2BBB w",
        "c3WWWBB c5BBW w",
        "d2W d4W d6W f2B f4B f6B b",
        "c3W d4BB d6BB b6BB b4BB w",
        "b2WW d2WWB f2WWW b6BBB d6BBW f6BB c5B e3W d4B w",
        "c3BBWW e3BBW e5BW c5B d4WWBB a1W g7WW b",
        "a1WBW b2BWB c5WWBWB e5BBW w",
        "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w",
        "b2wB d2Ww f2w c3wbB c5bW e5b d6Bw f6bbW w",
        "c5wwB d6bbW f6bw b2bBw d4WbwB a7w e1b b",
        "a7wB b6Ww c7w d6b c5W e3w g1B w",
        "e1bw g1b d2Bb f2b e3B b6b c7W b",
    ];
    let mut numbers = Numbers(0);
    let mut lines = String::new();
    for rules in RuleSet::ALL {
        for start in starts {
            for _ in 0..6 {
                let mut at = position(start);
                for _ in 0..40 {
                    let moves = at.successors(rules).unwrap();
                    let mut named: Vec<String> =
                        moves.iter().map(|(played, after)| format!("{played}={after}")).collect();
                    named.sort();
                    let _ = writeln!(lines, "{rules}\t{at}\t{}", named.join(";"));
                    if moves.is_empty() {
                        break;
                    }
                    at = numbers.choose(&moves).1;
                }
            }
        }
    }
    assert!(lines.lines().count() > 1000);
    if let Some((printed, status)) = run_python(&["-c", SCRIPT], lines.as_bytes()) {
        assert_eq!((printed.as_str(), status), ("the same\n", 0));
    }
}
