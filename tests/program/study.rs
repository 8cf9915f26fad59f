//! Annotated endings on the command line: `lasca-tb study`, `lasca-tb explain`, and the ten studies in
//! `tests/studies` with their report.

use crate::ROOT;
use crate::run::{Ran, copies, has_keys, run, run_with_input};
use crate::schemas::OUTPUT;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn json_lines(text: &str) -> Vec<Value> {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_studies = lines.iter().filter(|line| line.get("file").is_some());
    of_studies.for_each(|line| OUTPUT.accepts("study", line));
    lines
}

/// The files of the ten endings, by name, as they are given on the command line.
pub fn files() -> Vec<String> {
    let folder = Path::new(ROOT).join("tests/studies");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut files: Vec<String> = names
        .filter(|name| name.ends_with(".study"))
        .map(|name| format!("tests/studies/{name}"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 10);
    files
}

/// Lasker's ending, with fourteen counters and soldiers among them.
pub const LASKER: &str = "tests/studies/10-lasker.study";

/// What the report shows of a run.
fn reported() -> &'static str {
    let report = include_str!("../../docs/STUDIES.md");
    report.split_once("```text\n").unwrap().1.split_once("```\n").unwrap().0
}

// The ten endings

#[test]
fn the_report_is_current_for_the_studies_whose_tables_ship() {
    let mut current = 0;
    for file in files() {
        // The search is so fast that its time limit makes no difference to the report.
        let seconds = if file == LASKER { "600" } else { "0" };
        let Ran { status, stdout: page, .. } =
            run(&["study", &file, "--tables", "tables", "--seconds", seconds]);
        let study = page.split_once("\n\n").unwrap().0;
        if study.contains("no table of ") {
            continue;
        }
        assert!(reported().contains(study), "docs/STUDIES.md lacks\n{study}");
        // Side by side: a move marked ? is no worse than the others, which lose too, and one marked !
        // wins later than another.
        assert_eq!(status, Some(i32::from(study.contains("REFUTED"))), "{file}");
        current += 1;
    }
    assert_eq!(current, 8);
}

/// Slow.
#[test]
#[ignore = "slow: makes all tables of up to eight counters"]
fn the_report_is_current_for_all_studies() {
    let tables = TempDir::new().unwrap();
    let folder = ["--tables", tables.path().to_str().unwrap()];
    run(&[&["generate", "--up-to", "8"][..], &folder].concat()).exits(0);
    let files = files();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let page = run(&[&["study", "--seconds", "600"][..], &folder, &files].concat()).exits(1).stdout;
    assert!(page == reported(), "the run says\n{page}");
}

/// The rows of the table in the report that compares Lasker's line with best play.
fn compared() -> Vec<Vec<&'static str>> {
    let report = include_str!("../../docs/STUDIES.md");
    let (_, rows) = report.split_once("| --- | --- | --- | --- | --- |\n").unwrap();
    let rows = rows.lines().take_while(|line| line.starts_with('|'));
    let cells = |row: &'static str| row.strip_prefix('|')?.strip_suffix('|');
    rows.map(|row| cells(row).unwrap().split('|').map(str::trim).collect()).collect()
}

#[test]
fn laskers_line_is_compared_with_best_play_move_by_move() {
    let study = run(&["study", LASKER, "--json", "--tables", "tables", "--seconds", "600"])
        .json()
        .remove(0);
    let played = study["claims"].as_array().unwrap().iter().filter(|claim| claim["kind"] == "move");
    let rows = compared();
    let mut expected = 25;
    for (claim, row) in played.zip(&rows) {
        let [played, best, this, ..] = row[..] else { panic!("{row:?}") };
        assert_eq!(claim["claim"].as_str().unwrap().trim_end_matches('!'), played);
        let plies = |cell: &str| cell.split(' ').nth(2).unwrap().parse::<u64>().unwrap();
        // Best play loses a ply with each move; a move that is not the best loses more.
        assert_eq!(plies(best), expected, "{row:?}");
        let won = claim["wdl"] == "win";
        assert!(this.starts_with(if won { "wins in " } else { "loses in " }), "{row:?}");
        assert!(if won { plies(this) >= plies(best) } else { plies(this) <= plies(best) });
        assert!(claim["at_most"].as_u64().unwrap() >= plies(this), "{row:?} {claim}");
        expected = plies(this) - 1;
    }
    assert_eq!((rows.len(), expected), (19, 4));
}

/// What each move of a position is worth: a text such as `wins in 5`, and a number that is greater for
/// what the side to move prefers. No table is used.
fn exact_moves(position: &str) -> Vec<(String, String, i64)> {
    let folder = TempDir::new().unwrap();
    let solve = |position: &str| {
        let folder = ["--tables", folder.path().to_str().unwrap()];
        let found = run(&[&["solve", position, "--exact", "--json"][..], &folder].concat()).stdout;
        json_lines(&found).remove(0)
    };
    let listed = run(&["moves", position, "--json"]).stdout;
    let moves = json_lines(&listed).remove(0)["moves"].as_array().unwrap().clone();
    let rated = moves.iter().map(|played| {
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

/// Slow.
#[test]
#[ignore = "slow: searches for a hundred exact distances"]
fn the_comparison_of_laskers_line_with_best_play_is_current() {
    let study = run(&["study", LASKER, "--json", "--tables", "tables", "--seconds", "600"])
        .json()
        .remove(0);
    let played = study["claims"].as_array().unwrap().iter().filter(|claim| claim["kind"] == "move");
    for (claim, row) in played.zip(compared()) {
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
        let best = match others.first() {
            Some((_, text, most)) if *most > worth => {
                format!("{text} by {}", named(&|worth| worth == *most))
            }
            _ => mine.clone(),
        };
        let as_good = match others.is_empty() {
            true => "the only legal move".to_owned(),
            false => Some(named(&|other| other == worth))
                .filter(|s| !s.is_empty())
                .unwrap_or("no other".into()),
        };
        let worse = others.iter().filter(|other| other.2 < worth);
        let worse = worse.map(|(name, text, _)| format!("{name} {text}")).collect::<Vec<_>>();
        assert_eq!(row[1..], [best, mine, as_good, worse.join(", ")], "{}", row[0]);
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
    let mut args = vec!["study", "--json", "--tables", "tables", "--seconds", "0"];
    let files = files();
    args.extend(files.iter().map(String::as_str));
    let studies = run(&args).json();
    let played: u64 = studies.iter().map(|study| study["moves"].as_u64().unwrap()).sum();
    assert_eq!((studies.len(), played as usize), (10, expected.len()));
    assert!(studies.iter().all(|study| study["unplayed"] == 0));
}

// The command

const STUDY: &str =
    "# Two\nc3W e5W c5B e3B, Black to move draws\n1... e3-d4 2. c3-d2! d4-e5-f6BW 1-0\n";

#[test]
fn what_is_refuted_is_refuted_by_a_line() {
    let Ran { stdout: page, stderr, .. } = run_with_input(&["study", "-"], STUDY).exits(1);
    assert_eq!(stderr, "");
    let expected = "\
standard input, line 2: Two
  c3W e3B c5B e5W b
  2:32   REFUTED    verdict, a draw: White wins in 12 plies
         Best play: 1... ";
    assert!(page.starts_with(expected), "{page}");
    for part in [
        "  3:15   REFUTED    2. c3-d2!: gives the win away and loses in 10\n",
        "         These win: c3-b4 (in 7) and e5-d6 (in 7)\n         Best reply: 2... d4-e5-f6BW 3. ",
        "  3:33   REFUTED    1-0: Black wins in 8 plies\n         Best play: 3. ",
        "  2 moves without a mark give nothing away\n\n1 study under lasca rules, 3 moves played\n",
        "  moves marked ! or !!          0        1     0\n",
    ] {
        assert!(page.contains(part), "expected {part:?} in\n{page}");
    }
    let page = run_with_input(&["study", "-"], "a1W b2BB w\n1. a1-b2BB-c3").stdout;
    assert!(
        page.contains("2:4    REFUTED    1. a1-b2BB-c3: at column 7: expected b2B, "),
        "{page}"
    );
    let tables = copies(&["lasca-2-2"]);
    let folder = tables.path().to_str().unwrap();
    let args = ["study", "-", "--rules", "bignor", "--seconds", "0", "--tables", folder];
    let Ran { status, stdout: page, .. } = run_with_input(&args, STUDY);
    assert_eq!(status, Some(0), "{page}");
    assert!(page.contains("not in the tables  verdict, a draw: no table of 2-2 under bignor"));
    let command = format!("lasca-tb generate 2-2 --rules bignor --tables {folder}\n");
    assert!(page.ends_with(&command), "{page}");
}

#[test]
fn a_move_marked_as_good_that_is_not_the_best_is_refuted_by_a_better_one() {
    let wins = "e3W g5W f4B g3B w\n1. e3-d2!";
    let Ran { stdout: page, stderr, .. } = run_with_input(&["study", "-"], wins).exits(1);
    assert_eq!(stderr, "");
    for part in [
        "  2:4    REFUTED    1. e3-d2!: not the best: it wins in 15, e3-f2 in 5\n         \
         Better: 1. e3-f2 ",
        " 1-0\n\n",
        "  moves marked ! or !!          0        1     0\n",
    ] {
        assert!(page.contains(part), "expected {part:?} in\n{page}");
    }
    let text = run_with_input(&["study", "-", "--json"], wins).exits(1).stdout;
    let claim = &json_lines(&text)[0]["claims"][0];
    assert_eq!(
        (&claim["finding"], &claim["standing"]),
        (&json!("refuted"), &json!("one of several"))
    );
    assert_eq!((&claim["wdl"], &claim["dtw"]), (&json!("win"), &json!(15)));
    assert_eq!(claim["explanation"], "not the best: it wins in 15, e3-f2 in 5");
    assert_eq!(claim["better"], json!(["e3-f2"]));
    assert_eq!(
        (&claim["best_line"][0], &claim["line_end"]),
        (&json!("e3-f2"), &json!("white wins"))
    );
    assert_eq!(claim["best_line"].as_array().unwrap().len(), 5);
    let page = run_with_input(&["study", "-"], "c3W e5W c5B e3B b\n1... e3-d4!").exits(1).stdout;
    assert!(page.contains("1... e3-d4!: not the best: it loses in 8, "), "{page}");
    assert!(page.contains("\n         Better: 1... "), "{page}");
    // Of several moves that draw none is better, and a mark such as !? claims nothing.
    for good in ["c3W e3B c5W e5B b\n1... e3-f4!", "e3W g5W f4B g3B w\n1. e3-d2!?"] {
        let Ran { status, stdout: page, .. } = run_with_input(&["study", "-"], good);
        assert_eq!(status, Some(0), "{page}");
    }
}

#[test]
fn the_json_of_a_study_has_all_its_findings() {
    let text = run_with_input(&["study", "-", "--json"], STUDY).exits(1).stdout;
    let study = json_lines(&text).remove(0);
    assert_eq!((&study["title"], &study["line"]), (&json!("Two"), &json!(2)));
    assert_eq!((&study["confirmed"], &study["refuted"]), (&json!(2), &json!(3)));
    let claims = study["claims"].as_array().unwrap();
    let bad = &claims[2];
    assert_eq!(bad["claim"], "2. c3-d2!");
    assert_eq!((&bad["mark"], &bad["finding"]), (&json!("!"), &json!("refuted")));
    assert_eq!((&bad["wdl"], &bad["dtw"]), (&json!("loss"), &json!(10)));
    assert_eq!(bad["better"], json!(["c3-b4", "e5-d6"]));
    assert_eq!(bad["best_line"].as_array().unwrap().len(), 9);
    assert_eq!((&bad["line_end"], &bad["standing"]), (&json!("black wins"), &json!("gives away")));
    let illegal = "a1W c3B w\n1. a1-a3";
    let claim = &run_with_input(&["study", "-", "--json"], illegal).json()[0]["claims"][0];
    assert_eq!((&claim["finding"], &claim["line_end"]), (&json!("refuted"), &Value::Null));
}

// Search

/// Runs `study` without any table.
fn run_without_tables(args: &[&str], input: &str) -> (Option<i32>, String) {
    let empty = TempDir::new().unwrap();
    let args = [&["study", "--tables", empty.path().to_str().unwrap()], args].concat();
    let Ran { status, stdout: page, stderr, .. } = run_with_input(&args, input);
    assert_eq!(stderr, "", "{args:?}");
    (status, page)
}

#[test]
fn laskers_ending_is_confirmed_claim_by_claim() {
    let (status, text) = run_without_tables(&[LASKER, "--json", "--seconds", "600"], "");
    let study = json_lines(&text).remove(0);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!((&study["moves"], &study["confirmed"]), (&json!(19), &json!(21)));
    let claims = study["claims"].as_array().unwrap();
    let of = |claim: &str| claims.iter().find(|found| found["claim"] == claim).unwrap();
    assert_eq!((&claims[0]["kind"], &claims[0]["dtw"]), (&json!("verdict"), &json!(25)));
    let key = of("1. c1-b2!");
    assert_eq!((&key["standing"], &key["dtw"]), (&json!("only move"), &json!(25)));
    assert_eq!(key["explanation"], "the only move that wins (in 25)");
    assert_eq!(of("1... a1-b2wbBb-c3BwW")["standing"], "only legal move");
    assert!(claims.iter().all(|claim| claim["at_most"].is_u64()));
    let (_, page) = run_without_tables(&[LASKER, "--seconds", "0"], "");
    assert!(page.contains("not in the tables  verdict, White wins: a soldier on a1"), "{page}");
}

#[test]
fn claims_outside_the_tables_are_refuted_by_a_line_too() {
    let soldiers = "a1B b2w b4wwb, White to move draws\n1. b2-c3? a1-b2 1/2";
    let (status, page) = run_without_tables(&["-"], soldiers);
    assert_eq!(status, Some(1), "{page}");
    for part in [
        "REFUTED    verdict, a draw: White wins in 5 plies\n         Best play: 1. ",
        "REFUTED    1. b2-c3?: gives nothing away: it wins in ",
        "REFUTED    1/2: White wins in ",
        "  1 move without a mark gives nothing away\n",
    ] {
        assert!(page.contains(part), "expected {part:?} in\n{page}");
    }
    // Under other rules too.
    let under = |rules| run_without_tables(&["-", "--rules", rules], "a1W b2BBw w wins").1;
    assert!(under("bignor").contains(" verdict"), "{}", under("bignor"));
    assert!(under("rejump").contains(" verdict"), "{}", under("rejump"));
}

#[test]
fn what_the_search_does_not_decide_is_open() {
    let start = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w wins 1. a3-b4! c5-b4-a3";
    let (status, page) = run_without_tables(&["-", "--seconds", "0.1"], start);
    assert_eq!(status, Some(0), "{page}");
    for part in [
        "open       verdict, White wins: neither a win nor a draw is proved\n",
        "open       1. a3-b4!: proved of the position: nothing; of the move:\n         nothing\n",
        "  1 move without a mark is open\n",
    ] {
        assert!(page.contains(part), "expected {part:?} in\n{page}");
    }
    let (_, text) = run_without_tables(&["-", "--seconds", "0.1", "--json"], start);
    let study = json_lines(&text).remove(0);
    assert_eq!((&study["open"], &study["not_in_tables"]), (&json!(3), &json!(0)));
    assert_eq!(
        (&study["claims"][0]["finding"], &study["claims"][0]["wdl"]),
        (&json!("open"), &Value::Null)
    );
    run(&["study", "-", "--seconds", "soon"]).exits(2);
    run_with_input(&["study", "-", "--memory", "1", "--tables", "tables"], start)
        .exits(2)
        .says("--memory");
}

#[test]
fn a_table_without_distances_is_passed_over() {
    let tables = copies(&["lasca-2-2"]);
    let folder = tables.path().to_str().unwrap();
    fs::remove_file(tables.path().join("lasca-2-2.ltbd")).unwrap();
    // Officers that the table would cover, and soldiers that may become such officers.
    let soldiers = "d6w f2W b2b g7B b draws";
    for study in [STUDY, soldiers] {
        let without = |args: &[&str]| {
            let args = [&["study", "-", "--seconds", "60", "--tables"], args].concat();
            let Ran { status, stdout: text, stderr, .. } = run_with_input(&args, study);
            assert_eq!(stderr, "", "{args:?}");
            (status, text)
        };
        let empty = TempDir::new().unwrap();
        assert_eq!(without(&[folder]), without(&[empty.path().to_str().unwrap()]));
        let (_, text) = without(&[folder, "--json"]);
        for claim in json_lines(&text)[0]["claims"].as_array().unwrap() {
            assert!(claim["finding"] == "confirmed" || claim["finding"] == "refuted", "{claim}");
            let is_rough = claim["wdl"] == "draw" || claim["mark"].is_null();
            assert!(claim["dtw"].is_u64() || is_rough, "{claim}");
        }
    }
    let args = ["study", "-", "--seconds", "0", "--tables", folder, "--json"];
    let Ran { stdout: text, stderr, .. } = run_with_input(&args, STUDY).exits(0);
    assert_eq!(stderr, "");
    let claim = &json_lines(&text)[0]["claims"][0];
    assert_eq!(claim["finding"], "not in the tables");
    assert!(
        claim["explanation"].as_str().unwrap().contains("lasca-2-2.ltbd is missing"),
        "{claim}"
    );
}

#[test]
fn a_study_that_cannot_be_checked_is_told_and_the_others_are_checked() {
    let tables = copies(&["lasca-1-1", "lasca-2-2"]);
    let folder = tables.path().to_str().unwrap();
    let damaged = tables.path().join("lasca-2-2.ltbd");
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[10..20].fill(0x5a);
    fs::write(&damaged, bytes).unwrap();
    let (officers, soldiers) = ("c3W e5W c5B e3B b loses", "d6w f2W b2b g7B b draws");
    for seconds in ["0", "5"] {
        let studies = format!("{officers}\n\na1W c3B w loses\n");
        let args = ["study", "-", "--tables", folder, "--seconds", seconds];
        let Ran { status, stdout: page, stderr, .. } = run_with_input(&args, &*studies);
        assert_eq!(status, Some(1), "{stderr}");
        assert!(stderr.starts_with("lasca-tb: standard input, line 1: "), "{stderr}");
        assert!(stderr.contains("lasca-2-2.ltbd: "), "{stderr}");
        assert!(page.starts_with("standard input, line 3\n"), "{page}");
        assert!(page.contains("\n1 study under lasca rules"), "{page}");
        let text = run_with_input(&[&args[..], &["--json"]].concat(), &*studies).exits(1).stdout;
        let lines = json_lines(&text);
        has_keys(&lines[0], "file line error");
        assert_eq!((&lines[0]["line"], &lines[1]["confirmed"]), (&json!(1), &json!(1)));
    }
    // Memory is too little for a search, but the tables need no search.
    let studies = format!("a1W c3B w loses\n\n{soldiers}\n\na1W c3B w draws\n");
    let args = ["study", "-", "--memory", "1", "--tables", "tables"];
    let Ran { status, stdout: page, stderr, .. } = run_with_input(&args, studies);
    assert_eq!(status, Some(2));
    assert!(stderr.starts_with("lasca-tb: standard input, line 3: "), "{stderr}");
    assert!(stderr.contains("--memory"), "{stderr}");
    assert!(page.contains("2 studies under lasca rules"), "{page}");
}

#[test]
fn a_file_that_is_no_study_is_told_with_its_place_and_the_others_are_checked() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, bytes: &[u8]| -> PathBuf {
        fs::write(folder.path().join(name), bytes).unwrap();
        folder.path().join(name)
    };
    let good = file("good", b"a1W c3B w loses");
    let good = good.to_str().unwrap();
    for (name, bytes, message) in [
        (
            "a",
            &b"a1W c3B w\n1. a1-b2 (2. c3"[..],
            "line 2, column 11: expected the number 1. or 1..., found 2.",
        ),
        ("b", b"", "expected a study"),
        ("c", b"a1W c3B w\n\xff", "line 2: expected text in UTF-8"),
        ("d", b"a1W c3B w {", "expected '}'"),
    ] {
        let path = file(name, bytes);
        let path = path.to_str().unwrap();
        let Ran { status, stdout: page, stderr, .. } = run(&["study", path, good]);
        assert_eq!(status, Some(2), "{stderr}");
        assert!(stderr.starts_with(&format!("lasca-tb: {path}: ")), "{stderr}");
        assert!(stderr.contains(message), "{stderr}");
        assert!(page.contains("1 study under lasca rules"), "{page}");
        let text = run(&["study", "--json", path, good]).exits(2).stdout;
        has_keys(&json_lines(&text)[0], "file error");
        assert_eq!(json_lines(&text)[1]["confirmed"], 1);
    }
    run(&["study", "/no/such/file"]).exits(2).says("/no/such/file: ");
    run(&["study"]).exits(2);
    run(&["study", good, "--tables", "/no/such/folder"]).exits(1);
    run(&["study", good, good]).exits(0);
}

// line

#[test]
fn line_plays_each_move_to_the_end_and_marks_the_only_one() {
    let page = run(&["explain", "c3W d4B c5B e5W w"]).exits(0).stdout;
    assert!(page.contains("\nWhite wins in 7 plies.\n\n  1. c3-b4: win in 7\n"), "{page}");
    assert!(page.contains(" 1-0\n\n  1. c3-b2: loss in 10\n       1... "), "{page}");
    let page = run(&["explain", "d2W", "d4W", "f2B", "f4B", "b"]).stdout;
    for part in [
        "Drawn.\nBlack holds only by f2-g3 (1 of 8).\n",
        "  1... f2-g3: draw, only move\n       White holds by 2. ",
        " (2 of 8).\n",
    ] {
        assert!(page.contains(part), "expected {part:?} in\n{page}");
    }
    assert!(
        run(&["explain", "a1W b2B c3B w"]).stdout.ends_with("White has lost: it cannot move.\n")
    );
    run(&["explain", "a1w b2b w"]).exits(1);
    run(&["explain", "a1W"]).exits(2);
    let Ran { status, stdout: lines, .. } =
        run_with_input(&["explain", "--stdin"], "a1W b2B w\nx\n");
    assert_eq!((status, lines.lines().count()), (Some(2), 2));
}

#[test]
fn line_and_probe_agree() {
    for position in ["c3W d4B c5B e5W w", "d2W d4W f2B f4B b", "a1WW d4BBB w", "a1Wb w"] {
        let line = run(&["explain", position, "--json"]).json().remove(0);
        let probe = run(&["probe", position, "--line", "--json"]).json().remove(0);
        for key in ["position", "wdl", "dtw"] {
            assert_eq!(line[key], probe[key]);
        }
        let moves = line["moves"].as_array().unwrap();
        assert_eq!(moves.len(), probe["moves"].as_array().unwrap().len());
        for (alternative, rated) in moves.iter().zip(probe["moves"].as_array().unwrap()) {
            has_keys(alternative, "move position wdl dtw standing line line_end replies holding");
            for key in ["move", "position", "wdl", "dtw"] {
                assert_eq!(alternative[key], rated[key]);
            }
            assert_eq!(alternative["holding"].is_null(), alternative["wdl"] != "draw");
        }
        if line["wdl"] != "draw" && !moves.is_empty() {
            assert_eq!(
                moves[0]["line"].as_array().unwrap()[..],
                probe["line"].as_array().unwrap()[1..]
            );
            assert_eq!(moves[0]["line_end"], probe["line_end"]);
        }
    }
}
