//! Certificates: they are accepted and rejected as `tools/check_certificate.py` does it, which shares nothing
//! with the library.

mod common;

use ::lasca_tb::lasca_tb_status::*;
use ::lasca_tb::lasca_tb_wdl::*;
use ::lasca_tb::*;
use common::{pass_over, root};
use lasca_tablebase::Silent;
use lasca_tablebase::certify::Certificate;
use lasca_tablebase::probe::{Basis, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::search::Limits;
use std::ffi::{CStr, CString};
use std::fs;
use std::mem::MaybeUninit;
use std::process::Command;

fn certificate(basis: impl Into<Basis>, text: &str) -> String {
    let position = text.parse().unwrap();
    let proved = Certificate::prove(&position, basis, 10_000, 1 << 26, |solver| {
        solver.run(&Limits::default(), &Silent)
    });
    let mut written = Vec::new();
    proved.unwrap().write_text(&mut written).unwrap();
    String::from_utf8(written).unwrap()
}

/// Certificates of each kind.
fn certificates() -> [String; 6] {
    let tables = Tablebase::open(root().join("tables"), RuleSet::Lasca).unwrap();
    [
        certificate(&tables, "a1WWW b2BBB w"),
        certificate(&tables, "b2B f6W a7W b"),
        certificate(&tables, "d2W f2B d4W f4B b"),
        certificate(&tables, "a1W b2B c3B w"),
        certificate(&tables, "a3b e3b d6w f6w w"),
        certificate(RuleSet::Rejump, "a1B b2w b4wwb w"),
    ]
}

/// Those of a few kilobytes.
fn small() -> Vec<String> {
    certificates().into_iter().filter(|text| text.len() < 5000).collect()
}

/// What the library says of a certificate.
fn check(text: &str) -> Result<lasca_tb_value, String> {
    let text = CString::new(text).unwrap();
    let mut value = MaybeUninit::uninit();
    let (rules, position) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the text ends with NUL, there is a place for the value, and the others may be NULL.
    let status =
        unsafe { lasca_tb_certificate_check(text.as_ptr(), rules, position, value.as_mut_ptr()) };
    match status {
        // SAFETY: it is written.
        LASCA_TB_OK => Ok(unsafe { value.assume_init() }),
        LASCA_TB_NOT_PROVED => {
            // SAFETY: the text lives until another call fails.
            Err(unsafe { CStr::from_ptr(lasca_tb_last_error()) }.to_str().unwrap().to_owned())
        }
        status => panic!("{status:?}"),
    }
}

#[test]
fn a_proof_is_accepted_with_its_value() {
    let results = certificates().map(|text| {
        let value = check(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
        let verdict = text.lines().nth(3).unwrap();
        let plies = verdict.rsplit(' ').next().unwrap().parse().unwrap_or(LASCA_TB_NO_DTW);
        assert_eq!(value.at_most, plies, "{verdict}");
        value.wdl
    });
    let (won, drawn, lost) = (LASCA_TB_WIN, LASCA_TB_DRAW, LASCA_TB_LOSS);
    assert_eq!(results, [won, lost, drawn, lost, drawn, won]);
}

#[test]
fn what_lacks_a_line_or_says_one_twice_is_rejected() {
    for text in small() {
        let lines: Vec<&str> = text.lines().collect();
        for number in 0..lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(number);
            assert!(check(&fewer.join("\n")).is_err(), "line {number} is missing: {text}");
            let mut more = lines.clone();
            more.insert(number, lines[number]);
            assert!(check(&more.join("\n")).is_err(), "line {number} is there twice: {text}");
        }
    }
}

#[test]
fn fewer_plies_than_the_quickest_win_takes_are_rejected() {
    for text in &certificates()[..2] {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let Some((before, plies)) = line.rsplit_once(' ') else { continue };
            let Ok(plies) = plies.parse::<u32>() else { continue };
            let mut changed = lines.clone();
            let line = format!("{before} {}", plies.wrapping_sub(1));
            changed[number] = &line;
            assert!(check(&changed.join("\n")).is_err(), "{line}: {text}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let texts = certificates();
    let [won, .., over, soldiers, _] = &texts;
    for (text, from, to, words) in [
        (won, "certificate 1", "certificate 3", "line 1: expected version 1 or 2"),
        (won, "rules lasca", "rules chess", "line 2: "),
        (won, "white wins in 5", "draw", "line 6: expected a move, and plies only if"),
        (won, "wins in 5", "loses", "line 4: expected draw, or who wins"),
        (
            won,
            "strategy white",
            "strategy black",
            "line 5: expected how many lines the strategy of",
        ),
        (won, "a1-b2-c3 5", "a1-b2 5", "line 6: expected a legal move"),
        (won, "c3-b2-a1 1", "c3-b2-a1 0", "line 8: expected at least one ply"),
        (
            won,
            "white 3\n",
            "white 4\na1W g7B b: g7-f6 1\n",
            "line 6: expected a position with White to move",
        ),
        (won, "\nend\n", "\nend\nmore\n", "expected end, and nothing after it"),
        (
            won,
            "white 3\n",
            "white 4\ng1WWW f2BBB w: g1-f2-e3 5\n",
            "line 7: expected a position that is no image of an earlier one",
        ),
        (
            won,
            "white 3\na1WWW b2BBB w: a1-b2-c3 5\nc3WWB d4BBW w: c3-d4-e5 3\n",
            "white 2\na1WWW b2BBB w: a1-b2-c3 5\n",
            "line 6: expected a line for",
        ),
        (over, "black", "white", "expected the result of a game that is over"),
        (soldiers, "certificate 2", "certificate 1", "expected officers alone in version 1"),
    ] {
        assert!(text.contains(from), "{from}");
        let told = check(&text.replace(from, to)).unwrap_err();
        assert!(told.contains(words), "{to}: {told}");
    }
}

/// Certificates with one character changed, and with the first two lines of a strategy exchanged, which does
/// no harm.
fn changed(texts: &[String]) -> Vec<String> {
    let mut choice = 1_u64;
    let mut below = |end: usize| {
        choice = choice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (choice >> 33) as usize % end
    };
    let mut changed = Vec::new();
    for text in texts {
        for _ in 0..8 {
            let mut bytes = text.clone().into_bytes();
            let (place, from) = (below(bytes.len()), below(bytes.len()));
            bytes[place] = bytes[from];
            changed.push(String::from_utf8(bytes).unwrap());
        }
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.len() > 8 {
            lines.swap(5, 6);
        }
        changed.push(lines.join("\n") + "\n");
    }
    changed
}

#[test]
fn the_other_checker_says_the_same_of_changed_certificates() {
    let python = std::env::var_os("LASCA_PYTHON").unwrap_or_else(|| "python3".into());
    if Command::new(&python).arg("--version").output().is_err() {
        return pass_over("there is no Python");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("certificate.txt");
    let small = small();
    let mut accepted = 0;
    for text in changed(&small) {
        fs::write(&file, &text).unwrap();
        let mut checker = Command::new(&python);
        checker.arg("-B").arg(root().join("tools/check_certificate.py")).arg(&file);
        let output = checker.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let ours = check(&text);
        assert_eq!(ours.is_ok(), told.starts_with("accepted"), "{ours:?} {told} {text}");
        accepted += usize::from(ours.is_ok());
    }
    assert!(accepted >= 3, "only {accepted} were accepted");
}
