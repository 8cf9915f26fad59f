//! `lasca-tb probe`: one position and many, for people and programs.

use crate::BINARY;
use crate::run::{csv, has_keys, path, run, run_with_input, tables};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

#[test]
fn probe_answers_as_the_contract_says() {
    let tables = tables();
    let ran = run(&["probe", "a1WWW b2BBB w", "--json", "--tables", path(&tables)]).exits(0);
    assert_eq!(
        ran.stdout,
        concat!(
            r#"{"position":"a1WWW b2BBB w","wdl":"win","dtw":5,"moves":["#,
            r#"{"move":"a1-b2BB-c3WWWB","position":"b2BB c3WWWB b","wdl":"win","dtw":5}]}"#,
            "\n"
        )
    );
    let ran = run(&[
        "probe",
        "a1WWW",
        "d4BBB,",
        "White",
        "to",
        "move",
        "--json",
        "--tables",
        path(&tables),
    ]);
    assert_eq!(ran.exits(0).json()[0]["dtw"], 21);
    let ran = run(&["probe", "/////BBB,,/WWW,,, w", "--json", "--tables", path(&tables)]);
    assert_eq!(ran.exits(0).json()[0]["position"], "a1WWW b2BBB w");
}

#[test]
fn the_moves_of_a_probe_come_best_first_and_the_first_has_the_value_of_the_position() {
    let tables = tables();
    let probe = |position| {
        let ran = run(&["probe", position, "--json", "--tables", path(&tables)]).exits(0);
        ran.json().remove(0)
    };
    let win = probe("b2B d2W a7W w");
    let distances: Vec<u64> =
        win["moves"].as_array().unwrap().iter().map(|m| m["dtw"].as_u64().unwrap()).collect();
    assert_eq!(distances, [5, 9, 11, 13, 13]);
    let draw = probe("a1W g1W a7B g7B w");
    assert_eq!((&draw["wdl"], &draw["dtw"]), (&json!("draw"), &Value::Null));
    assert_eq!(draw["moves"][0]["wdl"], "draw");
    let over = probe("a1W b2B c3B w");
    assert_eq!(over, json!({"position": "a1W b2B c3B w", "wdl": "loss", "dtw": 0, "moves": []}));
    let over = probe("c3WB w");
    assert_eq!(over, json!({"position": "c3WB w", "wdl": "win", "dtw": 0, "moves": []}));
}

#[test]
fn a_line_goes_to_the_end_of_the_game_or_to_a_repetition() {
    let tables = tables();
    let probe = |position, rules| {
        let args =
            ["probe", position, "--line", "--json", "--rules", rules, "--tables", path(&tables)];
        run(&args).exits(0).json().remove(0)
    };
    let win = probe("a1WWW b2BBB w", "lasca");
    has_keys(&win, "position wdl dtw moves line line_end");
    let line = win["line"].as_array().unwrap();
    let distances: Vec<u64> = line.iter().map(|m| m["dtw"].as_u64().unwrap()).collect();
    assert_eq!(distances, [5, 4, 3, 2, 1]);
    line.iter().for_each(|played| has_keys(played, "move position wdl dtw"));
    assert_eq!((&line[1]["wdl"], &win["line_end"]), (&json!("loss"), &json!("white wins")));
    assert_eq!(probe("a1W b2B c3B w", "lasca")["line_end"], "black wins");
    assert_eq!(probe("a1W g1W a7B g7B w", "lasca")["line_end"], "repetition");
    assert_eq!(probe("a1W g1W a7B g7B w", "bignor")["line_end"], "white wins");
}

#[test]
fn probe_draws_the_board_for_people() {
    let tables = tables();
    run(&["probe", "a1WWW b2BBB w", "--line", "--tables", path(&tables)])
        .exits(0)
        .prints("2   BBB .   .\n1 WWW .   .   .\n")
        .prints("White wins in 5 plies.")
        .prints("  a1-b2BB-c3WWWB  win in 5  b2BB c3WWWB b\n")
        .prints("Best line:\n  1.    a1-b2BB-c3WWWB")
        .prints("\n  1...  ")
        .prints("\n  3.    ")
        .prints("White has won.\n");
    let says = |position, verdict| {
        run(&["probe", position, "--tables", path(&tables)]).exits(0).prints(verdict);
    };
    says("a1W b2B c3B w", "White has lost: it cannot move.");
    says("a1WB w", "White has won: Black commands no column.");
    says("a1WB b", "Black has lost: it commands no column.");
    says("a1W g1W a7B g7B w", "Drawn.");
    says("a1W c3B w", "White loses in 2 plies.");
}

#[test]
fn a_position_that_is_none_is_refused_with_where_and_why() {
    let tables = tables();
    for (text, message) in [
        ("", "expected a position"),
        (" ", "expected a position"),
        ("a1W b2B", "side to move"),
        ("a1W b2B x", "side to move"),
        ("26W b2B w", "26"),
        ("0W b2B w", "25 squares"),
        ("h8W b2B w", "h8"),
        ("a2W b2B w", "a2"),
        ("a1W a1B w", "a1"),
        ("a1X b2B w", "X"),
        ("a1 b2B w", ""),
        ("w", ""),
        ("a1W b2B w w", ""),
        ("//// w", ""),
        (",,,,,/,,/,,,/,,/,,,/,,/,,W, w", ""),
        ("\u{1F600}", ""),
    ] {
        for command in ["probe", "moves"] {
            let args = [command, text];
            let folder = ["--tables", path(&tables)];
            let args = if command == "probe" { [args, folder].concat() } else { args.to_vec() };
            let ran = run(&args).exits(2).says(message);
            assert_eq!(ran.stdout, "", "{command} {text}");
            let ran = run(&[args.as_slice(), &["--json"]].concat()).exits(2).prints(message);
            assert_eq!(ran.stderr, "", "the reason is told once");
            has_keys(&ran.json()[0], "position error");
            assert_eq!(ran.json()[0]["position"], text);
        }
    }
}

#[test]
fn a_position_that_the_tables_do_not_cover_has_no_answer() {
    let tables = tables();
    for (text, message) in [
        ("a1w c3B w", "soldier on a1"),
        ("a1WBW c3B w", "a1WBW"),
        ("a1WWWW c3BBB w", "generate 4-3"),
        ("c3WWWBB c5BBW w", "there are 4 white counters and 4 black ones"),
        ("a1WWW c3BBBB w", "generate 4-3"),
        ("a1WWWWWWWW c3BBBBB w", "generate 8-5 --columns 3"),
    ] {
        let args = ["probe", text, "--tables", path(&tables)];
        run(&args).exits(1).says(message);
        let ran = run(&[&args[..], &["--json"]].concat()).exits(1);
        assert_eq!(ran.stderr, "", "the reason is told once");
        assert_eq!(ran.json()[0]["position"], text);
        assert!(ran.json()[0]["error"].as_str().unwrap().contains(message));
    }
    let bignor = ["--rules", "bignor", "--tables", path(&tables)];
    run(&[&["probe", "a1W c3B w"], &bignor[..]].concat()).exits(1).says("under bignor rules");
}

#[test]
fn every_line_of_input_is_answered_by_one_line() {
    let tables = tables();
    let input =
        b"a1W b2B w\r\n\na1w c3B w\n26W b2B w\n\xff\xfe\nb2W c3B w, x\n  c3WB w  \na1WWWW c3BBB w";
    let args = ["probe", "--stdin", "--json", "--tables", path(&tables)];
    let ran = run_with_input(&args, input.as_slice()).exits(2).says("6 of 8 lines");
    let answers = ran.json();
    let answered: Vec<bool> = answers.iter().map(|line| line["error"].is_null()).collect();
    assert_eq!(answered, [true, false, false, false, false, false, true, false]);
    assert_eq!(answers[1]["position"], "");
    assert_eq!(answers[2]["position"], "a1w c3B w");
    assert_eq!(answers[4]["position"], "\u{fffd}\u{fffd}");

    let ran = run_with_input(&["probe", "--stdin", "--tables", path(&tables)], input.as_slice());
    let ran = ran.exits(2).prints("a1W b2B w: win in 1, a1-b2-c3WB\n");
    assert_eq!(ran.stdout.lines().count(), 8);
    let ran = run_with_input(&["moves", "--stdin"], input.as_slice()).exits(2);
    let ran = ran.prints("a1W b2B w: a1-b2-c3WB\n").prints("c3WB w: no move\n");
    assert_eq!(ran.stdout.lines().count(), 8);
}

#[test]
fn the_exit_status_of_many_lines_is_that_of_the_worst() {
    let tables = tables();
    let status = |input: &str, expected| {
        run_with_input(&["probe", "--stdin", "--tables", path(&tables)], input).exits(expected);
    };
    status("", 0);
    status("a1W b2B w\n", 0);
    status("a1W b2B w\na1w c3B w\n", 1);
    status("x\na1w c3B w\n", 2);
}

#[test]
fn an_endless_line_is_answered_once() {
    let tables = tables();
    let long = ["a".repeat(1 << 20).as_str(), "\na1W b2B w\n"].concat();
    let args = ["probe", "--stdin", "--json", "--tables", path(&tables)];
    let answers = run_with_input(&args, long).exits(2).json();
    assert_eq!(answers.len(), 2);
    assert!(answers[0]["position"].as_str().unwrap().len() < 100);
    assert!(answers[0]["error"].as_str().unwrap().contains("65536 bytes"));
    assert_eq!(answers[1]["dtw"], 1);
    let words: Vec<&str> = ["probe"].into_iter().chain(vec!["a1W"; 2000]).collect();
    run(&words).exits(2);
}

/// Sends parts of lines to `probe --stdin` and waits for an answer after each, which must contain what is
/// said; the command must end with this status.
fn waits_for_each_answer(form: &str, parts: &[(&str, &str)], status: i32) {
    let tables = tables();
    let mut child = std::process::Command::new(BINARY)
        .args(["probe", "--stdin", form, "--tables", path(&tables)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (send, answers) = mpsc::channel();
    std::thread::spawn(move || stdout.lines().try_for_each(|line| send.send(line.unwrap())));
    for (part, expected) in parts {
        stdin.write_all(part.as_bytes()).unwrap();
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(answer.contains(expected), "{answer}");
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(status));
}

#[test]
fn a_program_that_waits_for_each_answer_gets_it() {
    // The second time a line and a half: the first is answered though more is to come.
    let parts = ["a1W b2B w\n", "a1W b2B w\na1W", " b2B w\n"].map(|part| (part, "\"dtw\":1"));
    waits_for_each_answer("--json", &parts, 0);
}

#[test]
fn probing_agrees_with_the_brute_force_solver() {
    let tables = tables();
    let expected: Vec<Vec<String>> = csv("positions.csv");
    let input: String = expected.iter().map(|row| format!("{}\n", row[0])).collect();
    let args = ["probe", "--stdin", "--json", "--tables", path(&tables)];
    let answers = run_with_input(&args, input).exits(0).json();
    assert_eq!(answers.len(), expected.len());
    for (row, answer) in expected.iter().zip(&answers) {
        let dtw = answer["dtw"].as_u64().map_or(String::new(), |dtw| dtw.to_string());
        let found = [&answer["position"], &answer["wdl"]].map(|v| v.as_str().unwrap());
        assert_eq!(*row, [found[0], found[1], &dtw]);
    }
}

// --brief

#[test]
fn a_brief_answer_is_the_value_alone() {
    let tables = tables();
    let brief = |position| {
        let args = ["probe", "--brief", position, "--tables", path(&tables)];
        let json = run(&[args.as_slice(), &["--json"]].concat()).exits(0);
        (run(&args).exits(0).stdout, json.stdout)
    };
    for (position, text, wdl, dtw) in [
        ("a1WWW b2BBB w", "win 5", "win", "5"),
        ("a1W g1W a7B g7B w", "draw", "draw", "null"),
        ("a1W c3B w", "loss 2", "loss", "2"),
        ("a1W b2B c3B w", "loss 0", "loss", "0"),
        ("c3WB w", "win 0", "win", "0"),
    ] {
        let json = format!("{{\"position\":\"{position}\",\"wdl\":\"{wdl}\",\"dtw\":{dtw}}}\n");
        assert_eq!(brief(position), (format!("{text}\n"), json));
    }
    let args = ["probe", "--brief", "--row-form", "--json", "a1WWW b2BBB w"];
    let ran = run(&[args.as_slice(), &["--tables", path(&tables)]].concat()).exits(0);
    assert_eq!(ran.json()[0]["position"], "/////BBB,,/WWW,,, w");
    for position in ["a1W", "a1W b2B w"] {
        run(&["probe", "--brief", "--line", position]).exits(2).says("--line");
    }
}

#[test]
fn a_brief_answer_to_what_has_none_begins_with_error() {
    let tables = tables();
    let input = b"a1W b2B w\n\na1w c3B w\n26W b2B w\n\xff\na1WWWW c3BBB w\n  c3WB b";
    let args = ["probe", "--stdin", "--brief", "--tables", path(&tables)];
    let ran = run_with_input(&args, input.as_slice()).exits(2).says("5 of 7 lines");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[6]), (7, "win 1", "loss 0"));
    assert!(lines[1..6].iter().all(|line| line.starts_with("error: ")), "{lines:?}");
    let why = "error: not in the tables: expected officers only, found a soldier on a1; a search can \
               answer: lasca-tb solve \"a1w c3B w\" --tables ";
    assert!(lines[2].starts_with(why), "{}", lines[2]);

    let args = [args.as_slice(), &["--json"]].concat();
    let answers = run_with_input(&args, input.as_slice()).exits(2).json();
    for (answer, line) in answers.iter().zip(&lines) {
        match line.strip_prefix("error: ") {
            Some(error) => {
                has_keys(answer, "position error");
                assert_eq!(answer["error"], error);
            }
            None => has_keys(answer, "position wdl dtw"),
        }
    }
    let status = |input: &str, expected| {
        run_with_input(&args, input).exits(expected);
    };
    status("a1W b2B w\n", 0);
    status("a1w c3B w\na1W b2B w\n", 1);

    let ran = run(&["probe", "--brief", "a1w c3B w", "--tables", path(&tables)]).exits(1);
    assert_eq!(ran.says("soldier on a1").stdout, "");
}

#[test]
fn brief_answers_are_those_of_the_brute_force_solver() {
    let tables = tables();
    let expected = csv("positions.csv");
    let input: String = expected.iter().map(|row| format!("{}\n", row[0])).collect();
    let args = ["probe", "--stdin", "--brief", "--tables", path(&tables)];
    let answers = run_with_input(&args, input).exits(0).stdout;
    assert_eq!(answers.lines().count(), expected.len());
    for (row, answer) in expected.iter().zip(answers.lines()) {
        assert_eq!(answer, format!("{} {}", row[1], row[2]).trim_end(), "{}", row[0]);
    }
}

#[test]
fn an_engine_that_waits_for_each_brief_answer_gets_it() {
    let parts = [("a1W b2B w\n", "win 1"), ("a1W\n", "error: "), ("a1W b2B w\na1W", "win 1")];
    waits_for_each_answer("--brief", &parts, 2);
}
