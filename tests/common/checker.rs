//! `tools/check_certificate.py`, the checker of certificates.

use super::python::{python, script};
use lasca_analysis::certify::Certificate;
use lasca_tablebase::Outcome;
use std::io::Write;
use std::process::Stdio;

/// What Python prints, given these arguments and this input, and its exit status; `None` if there is
/// no Python.
pub fn run_python(args: &[&str], input: &[u8]) -> Option<(String, i32)> {
    let mut child = script(python()?, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may stop reading at the first thing that is wrong.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("Traceback"), "{stderr}");
    let printed = String::from_utf8(output.stdout).unwrap() + &stderr;
    Some((printed, output.status.code().unwrap()))
}

/// Expects that the checker accepts this text, and says this of it.
#[track_caller]
pub fn accepts(text: impl AsRef<[u8]>, part: &str) {
    let text = str::from_utf8(text.as_ref()).unwrap();
    accepts_all(&[(text.to_owned(), part.to_owned())]);
}

/// Expects that the checker rejects this text for this reason.
#[track_caller]
pub fn rejects(text: impl AsRef<str>, part: &str) {
    for answer in check_all(&[text.as_ref().to_owned()]).unwrap_or_default() {
        let is_rejected = answer.starts_with("rejected: ") && answer.contains(part);
        assert!(is_rejected, "expected a rejection with {part:?}, found {answer}");
    }
}

/// What the checker says to each of these texts, in one run of Python; `None` if there is none.
pub fn check_all(texts: &[String]) -> Option<Vec<String>> {
    if texts.is_empty() {
        return Some(Vec::new());
    }
    const CHECK_ALL: &str = "\
import io, sys
sys.path.insert(0, 'tools')
import check_certificate as checker
for text in sys.stdin.buffer.read().decode().split('\\0'):
    try:
        print('accepted:', checker.check(io.StringIO(text, newline='\\n')))
    except checker.Rejected as why:
        print('rejected:', why)
";
    let (printed, status) = run_python(&["-c", CHECK_ALL], texts.join("\0").as_bytes())?;
    assert_eq!(status, 0, "{printed}");
    let answers: Vec<String> = printed.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), texts.len(), "{printed}");
    Some(answers)
}

/// The text of a certificate.
pub fn text_of(certificate: &Certificate) -> String {
    let mut text = Vec::new();
    certificate.write_text(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// What the checker prints when it accepts this certificate.
pub fn claim(certificate: &Certificate) -> String {
    match certificate.outcome() {
        Outcome::Draw => "neither side can force a win".to_owned(),
        Outcome::Win(winner) => {
            let plies = certificate.value().at_most().unwrap();
            format!("{} wins in at most {plies} plies", winner.name())
        }
    }
}

/// Expects that the checker accepts each of these texts, and tells this claim.
#[track_caller]
pub fn accepts_all(proofs: &[(String, String)]) {
    let texts: Vec<String> = proofs.iter().map(|(text, _)| text.clone()).collect();
    for (answer, (text, claim)) in check_all(&texts).unwrap_or_default().iter().zip(proofs) {
        assert!(answer.starts_with("accepted: ") && answer.contains(claim), "{answer}\n{text}");
    }
}
