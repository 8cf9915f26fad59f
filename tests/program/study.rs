//! Annotated endings on the command line: `lasca-tb study`, `lasca-tb explain`, and the ten studies in
//! `tests/studies` with their report.

use crate::ROOT;
use crate::run::{Folder, has, has_keys, run};
use serde_json::json;
use std::fs;
use std::path::Path;

/// The files of the ten endings, by name, as they are given on the command line.
pub fn files() -> Vec<String> {
    let folder = Path::new(ROOT).join("tests/studies");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut files: Vec<String> = names
        .filter(|name| name.ends_with(".study") && name.starts_with(|c: char| c.is_ascii_digit()))
        .map(|name| format!("tests/studies/{name}"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 10);
    files
}

/// Lasker's ending, with fourteen counters and soldiers among them.
pub const LASKER: &str = "tests/studies/10-lasker.study";

/// The longest win for each number of counters, from two, one study each.
const LONGEST_WINS: &str = "tests/studies/longest-wins.study";

/// What a run with the tables of up to eight counters prints.
const REPORT: &str = include_str!("../studies/report.txt");

// The ten endings

#[test]
fn the_report_is_current_for_all_studies() {
    // The search is so fast that its time limit makes no difference to the report.
    let line = format!("study --seconds 600 --tables tables {}", files().join(" "));
    let page = run(line).exits(1).stdout;
    assert!(page == REPORT, "the run says\n{page}");
    let wide = page.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
}

/// Shells of other systems expand them.
#[cfg(windows)]
#[test]
fn patterns_of_file_names_are_expanded() {
    let page = run("study tests/studies/0[1-2]*.study --seconds 0").exits(0).stdout;
    assert!(
        page.contains("01-leap-frog.study") && page.contains("02-leap-frog-with-a-run-up.study"),
        "{page}"
    );
}

/// Expects that the studies of up to so many counters, whose tables are made, are confirmed claim by claim. A study with
/// more counters is legal, and no table here knows more of it.
#[track_caller]
fn confirms_longest_wins(file: &str, counters: usize) {
    let line = format!("study --json --seconds 0 --tables tables {file}");
    let reports = run(line).exits(0).json();
    for (report, number) in reports.iter().zip(2..) {
        let claims = report["claims"].as_array().unwrap();
        let confirmed = claims.iter().filter(|claim| claim["finding"] == "confirmed").count();
        if number <= counters {
            assert_eq!(confirmed, claims.len(), "{report}");
        }
        assert!(report["title"].as_str().unwrap().starts_with(&format!("{number} counters")));
    }
    assert!(reports.len() + 1 >= counters, "{}", reports.len());
}

#[test]
fn the_longest_wins_are_as_long_as_their_studies_say() {
    let folder = Folder::empty();
    let all = include_str!("../studies/longest-wins.study");
    let (short, _) = all.split_once("# 7 counters").unwrap();
    folder.write("short.study", short);
    confirms_longest_wins(&folder.file("short.study"), 6);
}

/// Slow.
#[test]
#[ignore = "slow: makes the tables of 4-3 and 4-4"]
fn the_longest_wins_of_seven_and_eight_counters_are_as_long_as_their_studies_say() {
    confirms_longest_wins(LONGEST_WINS, 8);
}

/// The rows of the table in `docs/STUDIES.md` that compares Lasker's line with best play.
fn compared() -> Vec<Vec<&'static str>> {
    let page = include_str!("../../docs/STUDIES.md");
    let (_, rows) = page.rsplit_once("| --- | --- | --- | --- |\n").unwrap();
    let rows = rows.lines().take_while(|line| line.starts_with('|'));
    let cells = |row: &'static str| row.strip_prefix('|')?.strip_suffix('|');
    rows.map(|row| cells(row).unwrap().split('|').map(str::trim).collect()).collect()
}

/// What each move of a position is worth: a text such as `wins in 5`, and a number that is greater for
/// what the side to move prefers. No table is used.
fn exact_moves(position: &str) -> Vec<(String, String, i64)> {
    let empty = Folder::empty();
    let solve = |position: &str| empty.run(format!("solve '{position}' --exact --json")).answer();
    let listed = run(format!("moves '{position}' --json")).answer();
    let rated = listed["moves"].as_array().unwrap().iter().map(|played| {
        let after = solve(played["position"].as_str().unwrap());
        let plies = after["dtw"].as_i64().unwrap() + 1;
        let (verb, worth) = match after["wdl"].as_str().unwrap() {
            "loss" => ("wins", 1000 - plies),
            _ => ("loses", plies),
        };
        (played["move"].as_str().unwrap().to_owned(), format!("{verb} in {plies}"), worth)
    });
    rated.collect()
}

#[test]
#[ignore = "slow: searches for a hundred exact distances"]
fn the_comparison_of_laskers_line_with_best_play_is_current() {
    let study = run(format!("study {LASKER} --json --seconds 600")).answer();
    let mut claims = study["claims"].as_array().unwrap().clone();
    claims.retain(|claim| claim["kind"] == "move");
    assert_eq!((claims.len(), compared().len()), (19, 19));
    for (claim, row) in claims.into_iter().zip(compared()) {
        let name = row[0].split(' ').nth(1).unwrap();
        let mut others = exact_moves(claim["position"].as_str().unwrap());
        let at = others.iter().position(|(other, ..)| other == name).unwrap();
        let (_, mine, worth) = others.remove(at);
        // Those of equal worth stay in the order of their squares.
        others.sort_by_key(|other| -other.2);
        let named = |which: &dyn Fn(i64) -> bool| {
            let names = others.iter().filter(|other| which(other.2)).map(|other| other.0.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let mine = match others.first() {
            Some((_, text, most)) if *most > worth => {
                format!("{mine}, {} {text}", named(&|worth| worth == *most))
            }
            _ => mine,
        };
        let as_good = match others.is_empty() {
            true => "the only legal move".to_owned(),
            false => Some(named(&|other| other == worth))
                .filter(|s| !s.is_empty())
                .unwrap_or("no other".into()),
        };
        let worse = others.iter().filter(|other| other.2 < worth);
        let worse = worse.map(|(name, text, _)| format!("{name} {text}")).collect::<Vec<_>>();
        assert_eq!(row[1..], [mine, as_good, worse.join(", ")], "{}", row[0]);
    }
}

#[test]
fn the_studies_have_all_published_moves_and_those_alone() {
    let published = include_str!("../data/endings_moves.txt");
    let endings = published.split_once("# Endings with officers only\n").unwrap().1;
    // The published list repeats the moves that lead to a variation: count those that are new.
    let mut expected = std::collections::HashSet::new();
    for line in endings.lines().filter(|line| !line.starts_with('#')) {
        let (position, moves) = line.split_once(" : ").unwrap();
        let mut passed = position.to_owned();
        for played in moves.split(' ') {
            passed = format!("{passed} {}", played.trim_end_matches(['!', '?']));
            expected.insert(passed.clone());
        }
    }
    let studies = run(format!("study --json --seconds 0 {}", files().join(" "))).json();
    let played: u64 = studies.iter().map(|study| study["moves"].as_u64().unwrap()).sum();
    assert_eq!((studies.len(), played as usize), (10, expected.len()));
    assert!(studies.iter().all(|study| study["unplayed"] == 0));
}

// Search

#[test]
fn laskers_ending_is_confirmed_claim_by_claim_without_any_table() {
    let empty = Folder::empty();
    let ran = empty.run(format!("study {LASKER} --json --seconds 600 --make 0")).exits(0).quietly();
    let study = ran.answer();
    has(&study, json!({"moves": 19, "confirmed": 21}));
    let claims = study["claims"].as_array().unwrap();
    let of = |claim: &str| claims.iter().find(|found| found["claim"] == claim).unwrap();
    has(&claims[0], json!({"kind": "verdict", "dtw": 25}));
    let key = json!({"standing": "only move", "dtw": 25, "explanation": "the only move that wins (in 25)"});
    has(of("1. c1-b2!"), key);
    assert_eq!(of("1... a1-b2wbBb-c3BwW")["standing"], "only legal move");
    assert!(claims.iter().all(|claim| claim["at_most"].is_u64()));
    let page = empty.run(format!("study {LASKER} --seconds 0 --make 0"));
    page.prints("not in the tables  verdict, White wins: a soldier on a1");
}

#[test]
fn what_cannot_be_checked_is_told_with_its_place_and_the_others_are_checked() {
    let folder = Folder::of_bignor(&["1-1", "2-2"]);
    folder.damage("bignor-2-2.ltbd", 10..20);
    let studies = "c3W e5W c5B e3B b loses\n\na1W c3B w loses\n";
    for seconds in ["0", "5"] {
        let check = |args: &str| {
            let line = format!("study - --seconds {seconds} {args}");
            folder.run_with_input(line, studies).exits(1)
        };
        let ran = check("").says("bignor-2-2.ltbd: ").prints("\n1 study under bignor rules");
        assert!(ran.stderr.starts_with("lasca-tb: standard input, line 1: "), "{}", ran.stderr);
        assert!(ran.stdout.starts_with("standard input, line 3\n"), "{}", ran.stdout);
        let lines = check("--json").json();
        has_keys(&lines[0], "file line error reason hint");
        assert_eq!((&lines[0]["line"], &lines[1]["confirmed"]), (&json!(1), &json!(1)));
    }
    folder.write("good", "a1W c3B w loses");
    let good = folder.file("good");
    folder.write("bad", b"a1W c3B w\n\xff");
    let bad = folder.file("bad");
    let ran = run(format!("study {bad} {good}")).exits(2).prints("1 study under lasca rules");
    ran.says(&format!("lasca-tb: {bad}: line 2: expected text in UTF-8, found the byte ff"));
    let lines = run(format!("study --json {bad} {good}")).exits(2).json();
    has_keys(&lines[0], "file error reason");
    assert_eq!(lines[1]["confirmed"], 1);
    run(format!("study {good} --tables /no/such/folder")).exits(1);
    run(format!("study {good} {good}")).exits(0);
}

#[cfg(unix)]
#[test]
fn a_file_without_an_end_is_not_read_to_its_end() {
    let said = "/dev/zero: expected at most 16.00 MiB, found more";
    run("study /dev/zero").exits(2).says(said);
    run("review /dev/zero").exits(2).says(said);
}
