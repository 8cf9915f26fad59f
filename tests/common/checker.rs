//! `tools/check_certificate.py`, the checker of certificates, and that of the library, which says the same.

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

/// Expects that both checkers accept this text, and that the one in Python says this of it.
#[track_caller]
pub fn accepts(text: impl AsRef<[u8]>, part: &str) {
    let text = str::from_utf8(text.as_ref()).unwrap();
    accepts_all(&[(text.to_owned(), part.to_owned())]);
}

/// Expects that both checkers reject this text, and the one in Python for this reason.
#[track_caller]
pub fn rejects(text: impl AsRef<str>, part: &str) {
    let text = text.as_ref();
    assert!(Certificate::read_text(text).is_err(), "{text}");
    for answer in check_all(&[text.to_owned()]).unwrap_or_default() {
        let is_rejected = answer.starts_with("rejected: ") && answer.contains(part);
        assert!(is_rejected, "expected a rejection with {part:?}, found {answer}");
    }
}

/// What the checker says to each of these texts, in one run of Python; `None` if there is none. The
/// library accepts and rejects the same.
pub fn check_all(texts: &[String]) -> Option<Vec<String>> {
    if texts.is_empty() {
        return Some(Vec::new());
    }
    const CHECK_ALL: &str = "\
import io, sys
sys.path.insert(0, 'tools')
import check_certificate as checker
for text in sys.stdin.buffer.read().decode('ascii').split('\\0'):
    try:
        print('accepted:', checker.check(io.StringIO(text, newline='\\n')))
    except checker.Rejected as why:
        print('rejected:', why)
";
    let (printed, status) = run_python(&["-c", CHECK_ALL], texts.join("\0").as_bytes())?;
    assert_eq!(status, 0, "{printed}");
    let answers: Vec<String> = printed.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), texts.len(), "{printed}");
    for (text, answer) in texts.iter().zip(&answers) {
        let read = Certificate::read_text(text).map(|certificate| certificate.value());
        assert_eq!(read.is_ok(), answer.starts_with("accepted: "), "{read:?} {answer}\n{text}");
    }
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

/// Expects that both checkers accept each of these texts, that the library writes it as it was, and that
/// the checker in Python tells this claim.
#[track_caller]
pub fn accepts_all(proofs: &[(String, String)]) {
    for (text, _) in proofs {
        let read = Certificate::read_text(text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert_eq!(&text_of(&read), text);
    }
    let texts: Vec<String> = proofs.iter().map(|(text, _)| text.clone()).collect();
    for (answer, (text, claim)) in check_all(&texts).unwrap_or_default().iter().zip(proofs) {
        assert!(answer.starts_with("accepted: ") && answer.contains(claim), "{answer}\n{text}");
    }
}
