//! `lasca-tb stats`: the counts that every table keeps, and what it finds in the values.

use crate::common::python::{python, script};
use crate::common::tables::Files;
use crate::run::{Folder, Ran, output, process, run, run_with_input};
use crate::{BINARY, ROOT};
use serde_json::Value;
use std::cmp::Ordering;
use std::fs;
use std::path::Path;

#[track_caller]
fn stats(args: &str) -> Value {
    run(format!("stats --json {args}")).exits(0).answer()
}

/// Checks that each tag of the page that this command line makes closes the last one that is open.
pub fn check_nesting(line: &str, html: &str) {
    const VOID: [&str; 8] = ["meta", "br", "rect", "line", "ellipse", "!DOCTYPE", "link", "img"];
    let mut open: Vec<&str> = Vec::new();
    let style = html.find("<style>").unwrap()..html.find("</style>").unwrap();
    for (at, _) in html.match_indices('<') {
        if style.contains(&at) && at > style.start {
            continue;
        }
        let tag = &html[at + 1..at + html[at..].find('>').unwrap()];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            let from = at.saturating_sub(80);
            assert_eq!(open.pop(), Some(name), "{line}: near {}", &html[from..at + 20]);
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{line}: {open:?}");
}

/// `cases.txt` has what stands in booklets.
#[test]
fn booklets_have_a_board_and_a_solution_for_each_ending_and_no_more() {
    let two = "# A <title>\na1WW c3B b wins {A & B} 1... c3-b2?\n\n# Two\na1W b2B w wins\n";
    let studies = run_with_input("study - --html -", two).exits(1);
    assert_eq!(studies.stdout.matches("<svg").count(), 2);
    // A name, which nothing is loaded from.
    let html = studies.stdout.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    for outside in ["<script", "http:", "https:", "url(", "@import", "<link", "<img", "src="] {
        assert!(!html.contains(outside), "{outside}");
    }
    let found = run("find 2-2 --limit 5").exits(0).stdout;
    let booklet = run_with_input("study - --html -", found).exits(0);
    assert_eq!(booklet.stdout.matches("<svg").count(), 5);
}

#[test]
fn values_in_temporary_files_are_checked_and_counted_as_those_in_memory() {
    let positions = Files::shipped("4-2").table().positions();
    // What is needed with all values in memory, less one byte.
    let work = (16 << 20) + (8 << 20) + positions / 2;
    for line in ["verify 4-2 --threads 1", "stats 4-2 --longest 3 --threads 1"] {
        let in_files = format!("{line} --memory {}", positions + work - 1);
        let run_in = |folder: &str| {
            let mut command = process(&in_files);
            let ran = output(command.env("TMPDIR", folder).env("TMP", folder), "");
            Ran::of(&in_files, &ran)
        };
        assert_eq!(run_in(Folder::empty().name()).exits(0).stdout, run(line).exits(0).stdout);
        let ran = run_in(&Folder::empty().file("missing")).exits(2).says("missing");
        ran.says(": a temporary file for the values in");
    }
}

/// Of the page, what the tables that ship say: it is as `tools/dev/results` makes it.
#[test]
fn the_page_of_results_has_the_figures_of_the_tables_that_ship() {
    let Some(python) = python() else { return };
    let page = fs::read_to_string(Path::new(ROOT).join("docs/RESULTS.md")).unwrap();
    let counts = Folder::empty();
    let mut args = vec!["tools/dev/results", "--program", BINARY, "--data", counts.name()];
    args.extend(["1-1", "2-1", "3-1", "2-2", "4-1", "3-2", "5-1", "4-2", "3-3"]);
    let output = script(python, &args).env_remove("LASCA_TABLES").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = printed.lines().filter(|line| line.starts_with('|')).collect();
    // A row of the page may go on with cells for more columns.
    let missing = rows.iter().find(|row| !page.lines().any(|line| line.starts_with(**row)));
    assert_eq!(missing, None);
    assert!(rows.len() > 30, "{printed}");

    // Counted in another way: how often more columns win, of five counters.
    let mut results = [0, 0, 0];
    for material in ["4-1", "3-2"] {
        for entry in stats(&format!("{material} --by pieces"))["pieces"].as_array().unwrap() {
            let (white, black) = entry["pieces"].as_str().unwrap().split_once('v').unwrap();
            for side in ["white", "black"] {
                // Whether the side to move has more columns, or fewer.
                let keys = match (white.cmp(black), side) {
                    (Ordering::Equal, _) => continue,
                    (Ordering::Greater, "white") | (Ordering::Less, "black") => {
                        ["win", "draw", "loss"]
                    }
                    _ => ["loss", "draw", "win"],
                };
                for (result, key) in results.iter_mut().zip(keys) {
                    *result += entry[side][key].as_u64().unwrap();
                }
            }
        }
    }
    let all: u64 = results.iter().sum();
    let shares = results.map(|result| format!("{:.1}", 100.0 * result as f64 / all as f64));
    assert!(page.contains(&format!("\n| 5 | {} |", shares.join(" / "))), "{shares:?}");
}
