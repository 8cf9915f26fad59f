//! What is found of the claims of a study.

use crate::common::tables::shipped_tables;
use lasca_analysis::answer::SearchLimits;
use lasca_analysis::study::{CheckedClaim, Claim, Finding, StudyReport, Truth, check, parse};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::{Value, ValueRange};
use std::time::Duration;

fn checked(text: &str) -> StudyReport {
    let tables = shipped_tables();
    check(&parse(text).unwrap()[0], &tables, None).unwrap()
}

/// `c`, `r` or `n` for each claim: confirmed, refuted or not in the tables.
fn findings(text: &str) -> String {
    checked(text).claims.iter().map(letter).collect()
}

fn letter(claim: &CheckedClaim) -> char {
    match claim.finding {
        Finding::Confirmed(_) => 'c',
        Finding::Refuted { .. } => 'r',
        Finding::NotInTables(_) => 'n',
        Finding::Open { .. } => 'o',
    }
}

#[test]
fn a_search_finds_the_same_as_the_tables() {
    let search = SearchLimits { memory: 1 << 26, ..SearchLimits::default() };
    for (position, played) in [
        ("c3W d4B c5B e5W w", ["c3-b4", "c3-d2", "c3-b2", "e5-d6"]),
        ("c3W e3W c5B w", ["c3-b4", "c3-d4", "e3-f4", "c3-b2"]),
    ] {
        let mut text = format!("{position} wins 1. {}", played[0]);
        for played in played {
            for mark in ["", "!", "?"] {
                text += &format!(" (1. {played}{mark} 1-0 0-1 1/2)");
            }
        }
        let study = &parse(&text).unwrap()[0];
        let searched = check(study, RuleSet::Lasca, Some(search)).unwrap();
        let tables = checked(&text);
        assert_eq!((searched.moves, searched.claims.len()), (13, 50));
        for (searched, tables) in searched.claims.iter().zip(&tables.claims) {
            assert_eq!(searched.claim, tables.claim, "{position}");
            let found = (letter(searched), letter(tables));
            assert!(found.0 == found.1 && "cr".contains(found.0), "{position}: {searched:?}");
            // Outcomes and marked moves have exact distances, and so have refutations.
            let is_rough = matches!(searched.claim, Claim::Move { mark: None, .. });
            if !is_rough || found.0 == 'r' {
                let (searched, tables) = (&searched.finding, &tables.finding);
                assert_eq!(value(searched), value(tables), "{position}");
            }
        }
    }
}

fn value(finding: &Finding) -> Option<ValueRange> {
    match finding {
        Finding::Confirmed(truth) | Finding::Refuted { truth, .. } => match truth {
            Truth::Illegal(_) => None,
            Truth::Value(value)
            | Truth::Sound { value, .. }
            | Truth::Mistake { value, .. }
            | Truth::NotBest { value, .. } => Some(*value),
        },
        _ => None,
    }
}

#[test]
fn a_verdict_must_be_the_value_neither_better_nor_worse() {
    let fork = |claim: &str| findings(&format!("c3W e5W c5B e3B, Black to move {claim}"));
    for right in ["loses", "lost", "is lost", "White wins", "1-0", "+-", "white wins."] {
        assert_eq!(fork(right), "c", "{right}");
    }
    for wrong in ["wins", "can draw", "White loses", "0-1", "-+", "=", "1/2", "½"] {
        assert_eq!(fork(wrong), "r", "{wrong}");
    }
    assert_eq!(fork(""), "");
}

#[test]
fn a_claimed_length_must_be_the_exact_distance() {
    let search = SearchLimits { memory: 1 << 24, ..SearchLimits::default() };
    // Black loses in 12, and in 8 after e3-d4.
    for (claims, found) in [
        ("loses in 12", "c"),
        ("White wins in 12 plies.", "c"),
        ("+- in 12", "c"),
        ("loses in 10", "r"),
        ("loses in 14", "r"),
        ("loses in 11", "r"),
        ("wins in 12", "r"),
        ("1... e3-d4 1-0 in 7", "cc"),
        ("1... e3-d4+- in 7 plies, 1-0 in 12 0-1 in 7", "ccrr"),
    ] {
        let text = format!("c3W e5W c5B e3B, Black to move {claims}");
        assert_eq!(findings(&text), found, "{claims}");
        let searched = check(&parse(&text).unwrap()[0], RuleSet::Lasca, Some(search)).unwrap();
        assert_eq!(searched.claims.iter().map(letter).collect::<String>(), found, "{claims}");
    }
    // The game is over.
    assert_eq!(
        (findings("a1WB w wins in 0"), findings("a1WB w wins in 1")),
        ("c".into(), "r".into())
    );
    let none = SearchLimits { time: Some(Duration::ZERO), ..search };
    let study = &parse("c3W e5W c5B e3B b loses in 12").unwrap()[0];
    assert_eq!(letter(&check(study, RuleSet::Lasca, Some(none)).unwrap().claims[0]), 'o');
}

#[test]
fn marks_are_confirmed_by_what_the_move_keeps_or_gives_away() {
    // White to move; c3-b4 and e5-d6 win in 7, c3-d2 loses.
    let marked = |played: &str| findings(&format!("c3W d4B c5B e5W w {played}"));
    for (right, wrong) in [("c3-b4", "c3-d2"), ("c3-b4!", "c3-d2!"), ("c3-b4!!", "c3-d2 !!")] {
        assert_eq!((marked(right), marked(wrong)), ("c".into(), "r".into()), "{right}");
    }
    for (right, wrong) in [("c3-d2?", "c3-b4?"), ("c3-d2??", "c3-b4 ??")] {
        assert_eq!((marked(right), marked(wrong)), ("c".into(), "r".into()), "{right}");
    }
    for nothing in ["c3-b4!?", "c3-b4?!", "c3-d2!?", "c3-d2?!"] {
        assert_eq!(marked(nothing), "", "{nothing}");
    }
}

#[test]
fn a_move_marked_as_good_must_be_as_good_as_the_best_while_others_need_only_keep_the_result() {
    // White wins in 5 by e3-f2, in 15 by e3-d2; Black loses in 12 after e3-f2 and after c5-b6,
    // in 8 after any other move.
    let (wins, loses) = ("e3W g5W f4B g3B w", "c3W e5W c5B e3B b");
    for (position, best, worse) in [(wins, "e3-f2", "e3-d2"), (loses, "c5-b6", "e3-d4")] {
        let marked = |played: &str| findings(&format!("{position} {played}"));
        for mark in ["!", "!!"] {
            assert_eq!(marked(&format!("{best}{mark}")), "c", "{best}{mark}");
            assert_eq!(marked(&format!("{worse}{mark}")), "r", "{worse}{mark}");
        }
        assert_eq!(marked(worse), "c", "{worse}");
        for nothing in ["!?", "?!"] {
            assert_eq!(marked(&format!("{worse}{nothing}")), "", "{worse}{nothing}");
        }
    }
    // Four moves draw, and none of them is better than the others.
    for drawing in ["e3-f2", "e3-f4", "e5-f4", "e5-f6"] {
        assert_eq!(findings(&format!("c3W e3B c5W e5B b {drawing}!")), "c", "{drawing}");
    }
    // All that Black can do, and so the best.
    assert_eq!(findings("a1W b2BB w a1-b2-c3!"), "c");
}

#[test]
fn variations_start_before_or_after_the_move_that_they_follow() {
    let study = "c3W e5W c5B e3B b 1... e3-d4 (1... e3-f2 2. e5-d6) (2. c3-b4 d4-e5-f6)
        [c5-b6] 2. e5-d6 0-1";
    let report = checked(study);
    assert_eq!(report.moves, 7);
    let result = report.claims.last().unwrap();
    let Claim::Result { claimed, after } = &result.claim else { panic!("{result:?}") };
    assert_eq!((format!("{claimed:#}"), &**after), ("Black wins".to_owned(), "2. e5-d6"));
    assert_eq!(result.position.to_string(), "c3W d4B c5B d6W b");
    assert_eq!(result.number.to_string(), "2...");
    let Finding::Refuted { truth: Truth::Value(value), line } = &result.finding else {
        panic!("{result:?}");
    };
    assert_eq!((value.exact(), line.moves.len()), (Some(Value::Loss(6)), 6));
}

#[test]
fn a_move_that_is_not_legal_ends_its_line_and_the_variations_after_it() {
    let study = "a1WWW b2BBB w 1. a1-b2BBB-c3 (1. a1-b2-c3WWWB b2-c3-d4) (1... b2-c3) b2-c3 \
                 (b2-a1) 2. c3-d4 1-0";
    let report = checked(study);
    assert_eq!((report.moves, report.unplayed), (2, 4));
    let illegal = &report.claims[0];
    assert_eq!(illegal.location.to_string(), "line 1, column 18");
    let Finding::Refuted { truth: Truth::Illegal(error), .. } = &illegal.finding else {
        panic!("{illegal:?}");
    };
    assert!(error.to_string().contains("expected b2BB, the column that arises"), "{error}");
}

#[test]
fn a_position_without_a_table_is_reported_and_a_game_that_is_over_needs_none() {
    assert_eq!(findings("a1w c3b w draws 1. a1-b2? 0-1"), "nnn");
    assert_eq!(findings("a1WWWWWWW g7BBBBBBB w wins"), "n");
    assert_eq!(findings("a1WWWWWW g7BBBBBB w wins"), "n");
    // A white soldier that is blocked.
    assert_eq!(findings("a5w b6b c7b w loses"), "c");
    assert_eq!(findings("a5w b6b c7b w wins"), "r");
    assert_eq!(findings("a1Wb w wins"), "c");
}
