//! Certificates, and `tools/check_certificate.py`, which shares nothing with this crate: it accepts
//! what is proved, rejects forged proofs, and knows the same moves. `common::python` says what happens
//! where there is no Python.

use crate::ROOT;
use crate::common::checker::{accepts, accepts_all, claim, rejects, run_python, text_of};
use crate::common::numbers::Numbers;
use crate::common::tables::{generated, shipped_tables};
use crate::common::{position, vectors};
use lasca_tablebase::Value;
use lasca_tablebase::certify::{Certificate, CertifyError, DEFAULT_MAX_POSITIONS};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, RuleSet};
use std::fmt::Write as _;
use tempfile::TempDir;

/// Black to move loses in 12 plies; Black to move draws.
const STUDIED_LOSS: &str = "c3W e5W c5B e3B b";
const STUDIED_DRAW: &str = "c3W c5W e3B e5B b";

fn prove(tables: &Tablebase, text: &str) -> Certificate {
    Certificate::prove(tables, &position(text), DEFAULT_MAX_POSITIONS).unwrap()
}

/// The certificate with one line changed, which must be there.
#[track_caller]
fn with_line(text: &str, line: &str, instead: &str) -> String {
    assert_eq!(text.lines().filter(|&l| l == line).count(), 1, "{line:?} in\n{text}");
    text.replace(&format!("{line}\n"), instead)
}

// What is accepted

#[test]
fn what_the_tables_say_of_many_positions_is_proved() {
    let tables = shipped_tables();
    let mut proofs = Vec::new();
    for (position, value) in vectors::positions().into_iter().step_by(31) {
        let certificate = Certificate::prove(&tables, &position, DEFAULT_MAX_POSITIONS).unwrap();
        assert_eq!(certificate.value(), value, "{position}");
        proofs.push((text_of(&certificate), claim(&certificate)));
    }
    accepts_all(&proofs);
}

#[test]
fn published_endings_are_proved() {
    let tables = shipped_tables();
    let certificate = prove(&tables, STUDIED_LOSS);
    assert_eq!(certificate.value(), Value::Loss(12));
    accepts(text_of(&certificate), "(212 positions of white, ");
    accepts(text_of(&prove(&tables, "a3W e5W a1B b6B w")), "white wins in at most 11 plies");
    for drawn in [STUDIED_DRAW, "d2W d4W f2B f4B b"] {
        let certificate = prove(&tables, drawn);
        assert_eq!(certificate.value(), Value::Draw);
        let sides: Vec<Color> = certificate.strategies().iter().map(|s| s.side()).collect();
        assert_eq!(sides, Color::ALL);
        accepts(text_of(&certificate), "neither side can force a win");
    }
}

#[test]
fn a_proof_is_the_same_each_time() {
    let prove = || text_of(&prove(&shipped_tables(), STUDIED_DRAW));
    assert!(prove() == prove());
}

#[test]
fn each_rule_set_has_proofs_of_its_own() {
    let mut proofs = Vec::new();
    for rules in [RuleSet::Bignor, RuleSet::Rejump] {
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
    }
    accepts_all(&proofs);
}

// What is refused

#[test]
fn a_proof_that_would_be_too_large_is_refused() {
    let tables = shipped_tables();
    let certify = |text, most| Certificate::prove(&tables, &position(text), most);
    assert_eq!(certify(STUDIED_LOSS, 212).unwrap().strategies()[0].len(), 212);
    let error = certify(STUDIED_LOSS, 211).unwrap_err();
    let expected = CertifyError::TooLarge { side: Color::White, wins: true, max_positions: 211 };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("at most 211 positions"), "{error}");

    let sizes: Vec<usize> =
        certify(STUDIED_DRAW, usize::MAX).unwrap().strategies().iter().map(|s| s.len()).collect();
    assert!(certify(STUDIED_DRAW, sizes[0] + sizes[1]).is_ok());
    for (most, side) in [(sizes[0] + sizes[1] - 1, Color::Black), (sizes[0] - 1, Color::White)] {
        let expected = CertifyError::TooLarge { side, wins: false, max_positions: most };
        assert_eq!(certify(STUDIED_DRAW, most).unwrap_err(), expected);
    }
    assert!(certify("a1W c1WB b", 0).is_ok(), "a game that is over needs no position");
}

#[test]
fn positions_outside_the_tables_are_refused() {
    let tables = shipped_tables();
    let certify = |text| Certificate::prove(&tables, &position(text), 10).unwrap_err();
    for soldiers in ["a1w c3B w", "a1Ww c3W b"] {
        let error = certify(soldiers);
        assert!(matches!(error, CertifyError::Probe(ProbeError::NotOfficers(_))), "{error}");
    }
    let error = certify("a1WWWWWW c3BBBBBB w");
    assert!(matches!(error, CertifyError::Probe(ProbeError::MissingTable { .. })), "{error}");
    let bounded = std::path::Path::new(ROOT).join("tests/data");
    let bounded = Tablebase::open(bounded, RuleSet::Lasca).unwrap();
    let beyond = position("a1WWWWWWWWWWW c1BBBBB e1BBBBBB w");
    let error = Certificate::prove(&bounded, &beyond, 10).unwrap_err();
    assert!(matches!(error, CertifyError::Probe(ProbeError::BeyondColumns { .. })), "{error}");
}

// The file

#[test]
fn a_file_holds_the_text_and_replaces_what_was_there() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("proof");
    let certificate = prove(&shipped_tables(), STUDIED_LOSS);
    let text = text_of(&certificate).into_bytes();
    std::fs::write(&path, "before").unwrap();
    for _ in 0..2 {
        assert_eq!(certificate.save(&path).unwrap(), text.len() as u64);
        assert!(std::fs::read(&path).unwrap() == text);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }
    // The checker reads it.
    let checked = run_python(&["tools/check_certificate.py", path.to_str().unwrap()], b"");
    if let Some((printed, status)) = checked {
        assert!(status == 0 && printed.starts_with("accepted: "), "{printed}");
    }
    assert!(certificate.save(folder.path()).is_err(), "a folder stays");
    assert!(certificate.save(&folder.path().join("none/proof")).is_err());
}

// Tampering. `tools/dev/test_check_certificate.py` changes each part of certificates of its own, and the tests of
// the search's certificates damage theirs.

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

#[test]
fn a_wrong_verdict_on_a_game_that_is_over_is_seen() {
    let over = text_of(&prove(&shipped_tables(), "a1W c1WB b"));
    let other =
        over.replace("white wins", "black wins").replace("strategy white", "strategy black");
    rejects(other, "the game is over, white has won");
    let draw = over.replace("white wins in 0", "draw").replace("end\n", "strategy black 0\nend\n");
    rejects(draw, "the game is over, and no draw");
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
    ];
    let mut numbers = Numbers(0);
    let mut lines = String::new();
    for rules in RuleSet::ALL {
        for start in starts {
            for _ in 0..6 {
                let mut at = position(start);
                for _ in 0..40 {
                    let moves = at.successors(rules);
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
