//! `lasca-tb find`: positions for studies, which `study` confirms.

use crate::ROOT;
use crate::run::{run, run_with_input};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn a_study_confirms_every_line_of_what_is_found() {
    for (args, claims, studies) in [
        ("--value draw --only-moves 6", 6, 8),
        ("--value win --only-moves 3 --defence every --quiet-only", 3, 10),
        ("--plies 21..", 11, 10),
    ] {
        let found = run(format!("find 3-3 {args}")).exits(0).stdout;
        let reports = run_with_input("study - --json", found).exits(0).json();
        // Studies that run together are listed once, so there may be fewer than the limit of ten.
        assert_eq!(reports.len(), studies, "{args}");
        for report in &reports {
            let checked = report["claims"].as_array().unwrap();
            let is_confirmed = |claim: &Value| claim["finding"] == "confirmed";
            assert!(checked.len() > claims && checked.iter().all(is_confirmed), "{report}");
        }
    }
}

/// The page about the commands shows a study, with the command that finds it.
#[test]
fn the_study_in_the_documents_is_the_one_that_is_found() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/COMMANDS.md")).unwrap();
    let mut lines = page.lines().filter_map(|line| line.strip_prefix("lasca-tb "));
    let command =
        lines.find(|line| line.starts_with("find ") && line.ends_with("--limit 1")).unwrap();
    let study = run(command).exits(0).stdout;
    assert!(page.contains(&study), "expected in docs/COMMANDS.md:\n{study}");
}
