//! The reasons why tables have no answer, as the lines of commands and the server tell them. `cases.txt` has most
//! others, and no test can show `internal_error`.

use crate::common::tables::{material, positions_in, shipped, solve, whole, write_table};
use crate::run::{Folder, copy};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::RuleSet;
use std::fs;

/// A folder for `bignor` rules, and positions about which it has no answer, each with the reason.
fn unanswered() -> (Folder, Vec<(&'static str, String)>) {
    let folder = Folder::of_bignor(&["1-1", "2-1", "2-2"]);
    folder.cut("bignor-1-1.ltbw", 100);
    folder.remove("bignor-2-1.ltbd");
    fs::create_dir(folder.join("bignor-3-1.ltbw")).unwrap();
    copy(shipped(), "lasca-3-2", &folder, "lasca-3-2");
    // The values are those of other rules.
    let of = material("2-2");
    write_table(&folder, (of, RuleSet::Bignor), &solve(of, RuleSet::Rejump), |_| true);
    let tables = Tablebase::open(&*folder, RuleSet::Bignor).unwrap();
    let positions = positions_in(whole(of), 1000).map(|(side, at)| at.to_position(side).unwrap());
    let contradicts =
        |position: &_| matches!(tables.best_line(position), Err(ProbeError::Inconsistent { .. }));
    let contradicted = positions.into_iter().find(contradicts).unwrap();
    let positions = [
        ("not_a_position", "a1W b2B"),
        ("not_covered", "a1w c3B w"),
        ("other_rules", "a1WWW c3BB w"),
        ("no_distances", "a1WW c3B w"),
        ("damaged", "a1W g7B w"),
        ("unreadable", "a1WWW g7B w"),
        ("inconsistent", &contradicted.to_string()),
    ];
    (folder, positions.map(|(reason, position)| (reason, position.to_owned())).into())
}

#[test]
fn lines_tell_each_reason() {
    let (folder, unanswered) = unanswered();
    let input: Vec<&str> = unanswered.iter().map(|(_, position)| position.as_str()).collect();
    let answers = folder.run_with_input("probe --line --stdin --json", input.join("\n")).json();
    for ((reason, position), answer) in unanswered.iter().zip(&answers) {
        assert_eq!(answer["reason"], *reason, "{position}: {answer}");
        // Where distances are missing, a search for the result alone would find what is known.
        let hint = answer["hint"].as_str().unwrap_or_default();
        assert_eq!(hint.contains(" --exact"), *reason == "no_distances", "{hint}");
    }
    assert_eq!(answers.len(), unanswered.len());
}

#[cfg(feature = "server")]
#[test]
fn the_server_tells_each_reason() {
    use crate::server::{Server, target};
    let (folder, unanswered) = unanswered();
    let server = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
    for (reason, position) in &unanswered {
        let answer = server.get(&format!("{}&line=1", target("/probe", position)));
        let is_wrong_here = ["damaged", "unreadable", "inconsistent"].contains(reason);
        assert_eq!(answer.status == 500, is_wrong_here, "{position}: {answer:?}");
        let answer = answer.json();
        assert_eq!(answer["reason"], *reason, "{position}: {answer}");
        assert!(!answer.to_string().contains(folder.name()), "{answer}");
    }
    server.ask("/solve", "a1W g7B w").refuses(500, "bignor-1-1.ltbw: ");
    let listed = server.get("/tables");
    assert!(!listed.text().contains(folder.name()));
    assert!(listed.text().contains("\"error\":\"bignor-1-1.ltbw: "), "{}", listed.text());
}
