//! The lines that programs exchange with this one are what `docs/PROTOCOL.md` says and shows.

use crate::ROOT;
use crate::run::{Folder, csv, has_keys, run, run_with_input};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The page about the protocol.
fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("docs/PROTOCOL.md")).unwrap()
}

/// The answers to lines of input.
fn answers(args: &str, lines: &str) -> Vec<Value> {
    run_with_input(format!("{args} --stdin"), lines).json()
}

#[test]
fn the_options_say_which_keys_an_answer_has() {
    // Positions won, drawn, lost and over, and lines that have no answer.
    let positions = csv("positions.csv").into_iter().step_by(10).map(|mut row| row.swap_remove(0));
    let others =
        ["a1W b2B c3B w", "c3WB w", "protocol", "", "a1w c3B w", "a1WWWW c3BBB w", "26W w"];
    let lines: Vec<String> = positions.chain(others.map(str::to_owned)).collect();
    // In the folder of the source, there may be tables for other rules too.
    let folder = Folder::with(&["1-1", "2-1", "2-2", "3-1", "3-2", "4-1"]);
    let known = "wdl dtw";
    let explained = "wdl dtw standing line line_end replies holding";
    for (args, expected, of_moves) in [
        ("probe", "wdl dtw moves", known),
        ("probe --line", "wdl dtw moves line line_end", known),
        ("probe --brief", "wdl dtw", ""),
        ("explain", "wdl dtw moves", explained),
        ("moves", "moves", ""),
        ("solve --seconds 0.01", "wdl dtw line line_end", ""),
        ("solve --moves --exact --seconds 0.01", "wdl dtw moves line line_end", known),
        ("probe --rules bignor", "wdl dtw moves", known),
        ("probe --rules bignor --seconds 0.01", "wdl dtw moves", known),
        ("probe --line --rules bignor --seconds 0.01", "wdl dtw moves line line_end", known),
        ("probe --brief --rules bignor --seconds 0.01", "wdl dtw", ""),
        ("explain --rules bignor --seconds 0.01", "wdl dtw moves", explained),
    ] {
        let answers = answers(&format!("{args} --tables {}", folder.name()), &lines.join("\n"));
        assert_eq!(answers.len(), lines.len());
        let (mut greetings, mut errors, mut others) = (0, 0, 0);
        for answer in &answers {
            if answer.get("error").is_some() {
                errors += 1;
                continue;
            }
            if answer.get("protocol").is_some() {
                greetings += 1;
                continue;
            }
            others += 1;
            // A game that is over needs no search, except of the command that only searches.
            let is_searched = answer.get("seconds").is_some();
            let may_be = args.contains("--seconds");
            let must_be = args.starts_with("solve") || (may_be && answer["dtw"] != 0);
            assert!(if is_searched { may_be } else { !must_be }, "{answer}");
            let proved = if is_searched { "at_most excluded" } else { "" };
            let search = if is_searched { "positions seconds" } else { "" };
            // A search that leaves the value open says why.
            assert!(!answer["wdl"].is_null() || !is_searched || answer["stop"] == "time");
            let stop = answer.get("stop").map_or("", |_| "stop");
            let moves = answer["moves"].as_array().map_or(&[][..], |moves| moves);
            let has_best = args != "moves" && !moves.is_empty();
            let best = if has_best { "best_move" } else { "" };
            has_keys(answer, &format!("position {expected} {proved} {search} {stop} {best}"));
            for rated in moves {
                let is_open = is_searched && rated["wdl"].is_null();
                let estimate = if is_open { "estimate" } else { "" };
                let line = rated.get("estimated_line").filter(|_| is_open);
                let line = line.map_or("", |_| "estimated_line");
                has_keys(rated, &format!("move position {of_moves} {proved} {estimate} {line}"));
            }
        }
        let has_tables = !args.contains("bignor") || args.contains("--seconds");
        assert_eq!(greetings, 1);
        assert!(errors >= 2 && (others > 100 || !has_tables), "{args}: {errors} {others}");
    }
}

#[test]
fn the_session_in_the_documentation_is_as_it_is() {
    let page = page();
    let session = page.split("```text\n").find(|session| session.starts_with("> ")).unwrap();
    let (session, _) = session.split_once("```").unwrap();
    let lines = |mark| session.lines().filter_map(move |line| line.strip_prefix(mark));
    let sent: String = lines("> ").map(|line| format!("{line}\n")).collect();
    let said = run_with_input("probe --stdin", sent).exits(2);
    assert_eq!(said.stdout.lines().collect::<Vec<_>>(), lines("< ").collect::<Vec<_>>());
    assert!(page.contains(said.stderr.trim_end()), "{}", said.stderr);
}

/// Whether a line is as shown, where `…` stands for anything.
fn is_as_shown(line: &str, shown: &str) -> bool {
    let mut rest = line;
    let has_part = |(i, part): (usize, &str)| match rest.find(part) {
        Some(at) if i > 0 || at == 0 => {
            rest = &rest[at + part.len()..];
            true
        }
        _ => false,
    };
    shown.split('…').enumerate().all(has_part) && (rest.is_empty() || shown.ends_with('…'))
}

#[test]
fn the_lines_in_the_documentation_are_as_they_are() {
    let out = Folder::empty();
    let text = page();
    let mut commands = 0;
    for example in text.split("\n$ lasca-tb ").skip(1) {
        let (example, _) = example.split_once("\n```").unwrap_or((example, ""));
        let (command, lines) = example.split_once('\n').unwrap();
        let said = run(command.replace("proof.txt", &out.file("proof.txt"))).stdout;
        // JSON has the separators of Windows twice.
        let said = said.replace(r"\\", "/");
        let said = said.replace(&out.file("proof.txt").replace('\\', "/"), "proof.txt");
        for (i, shown) in lines.lines().enumerate() {
            let found = said.lines().nth(i).unwrap_or_default();
            assert!(is_as_shown(found, shown), "{command}\nexpected {shown}\nfound {found}");
        }
        commands += 1;
    }
    assert_eq!(commands, 6);
}
