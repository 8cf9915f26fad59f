//! `lasca-tb probe`: one position and many, for people and programs.

use crate::run::{Folder, Session, csv, has, process, run_with_input, with_home};
use serde_json::{Value, json};

#[test]
fn every_line_of_input_is_answered_by_one_line() {
    let folder = Folder::with(&["1-1", "2-1"]);
    let input =
        b"a1W b2B w\r\n\na1w c3B w\n26W b2B w\n\xff\xfe\nb2W c3B w, x\n  c3WB w  \na1WWWW c3BBB w";
    let ask = |line: &str| folder.run_with_input(line, input.as_slice()).exits(2);
    let ran = ask("probe --stdin").says("6 of 8 lines");
    // What it takes to make a table differs from run to run.
    let lasting = |mut answers: Vec<Value>| {
        for answer in &mut answers {
            let _ = ["make", "hint"].map(|key| answer.as_object_mut().unwrap().remove(key));
        }
        answers
    };
    let answers = ran.json();
    // Lines are answered in JSON anyway.
    assert_eq!(lasting(ask("probe --stdin --json").json()), lasting(answers.clone()));
    let answered: Vec<bool> = answers.iter().map(|line| line["error"].is_null()).collect();
    assert_eq!(answered, [true, false, false, false, false, false, true, false]);
    for (line, position) in [(1, ""), (2, "a1w c3B w"), (4, "\u{fffd}\u{fffd}")] {
        assert_eq!(answers[line]["position"], position);
    }
    let brief = ask("probe --stdin --brief").says("6 of 8 lines").json();
    assert_eq!(brief.len(), 8);
    for (brief, answer) in brief.iter().zip(&answers) {
        for key in ["position", "wdl", "dtw", "error"] {
            assert_eq!(brief[key], answer[key], "{key}");
        }
        assert!(brief.get("moves").is_none(), "{brief}");
    }
    assert_eq!(
        answers[2]["error"],
        "not in the tables: expected officers only, found a soldier on a1"
    );
    let reason = |line: usize| answers[line]["reason"].as_str();
    assert_eq!(
        (reason(0), reason(1), reason(2)),
        (None, Some("not_a_position"), Some("not_covered"))
    );
    let hint = answers[2]["hint"].as_str().unwrap();
    assert!(hint.starts_with("lasca-tb solve \"a1w c3B w\" --tables "), "{hint}");
    assert_eq!((&answers[7]["material"], &answers[7]["columns"]), (&json!("4-3"), &json!(2)));
    assert_eq!(ask("moves --stdin").stdout.lines().count(), 8);
    folder.run_with_input("probe --stdin", "").exits(0).quietly();
}

/// Sends parts of lines and waits for an answer after each.
#[test]
fn a_program_that_waits_for_each_answer_gets_it() {
    // The second time a line and a half: the first is answered though more is to come.
    let win = "\"dtw\":1";
    let mut session = Session::start("probe --stdin", &mut process("probe --stdin"));
    for (part, expected) in
        [("a1W b2B w\n", win), ("a1W b2B w\na1W", win), (" b2B w\n", win), ("a1W\n", "\"error\":")]
    {
        let answer = session.ask(part);
        assert!(answer.contains(expected), "{answer}");
    }
    session.ended().exits(2);
}

#[test]
fn probing_agrees_with_the_brute_force_solver() {
    let expected: Vec<Vec<String>> = csv("positions.csv");
    let input: String = expected.iter().map(|row| format!("{}\n", row[0])).collect();
    let answers = run_with_input("probe --stdin --json", &*input).exits(0).json();
    let brief = run_with_input("probe --stdin --brief", input).exits(0).json();
    assert_eq!((answers.len(), brief.len()), (expected.len(), expected.len()));
    for ((row, answer), brief) in expected.iter().zip(&answers).zip(&brief) {
        let dtw = row[2].parse().map_or(Value::Null, |dtw: u64| json!(dtw));
        let value = json!({"position": row[0], "wdl": row[1], "dtw": dtw});
        has(answer, value.clone());
        assert_eq!(*brief, value);
    }
}

#[test]
fn a_session_answers_from_tables_that_are_made_while_it_lasts() {
    const QUESTION: &str = "b2B d2W a7W w";
    let home = Folder::empty();
    std::fs::create_dir(home.join("there")).unwrap();
    let folders = ["--tables there", "--tables later", ""];
    for (number, folder) in folders.iter().enumerate() {
        let process = |line: String| {
            let mut process = process(&line);
            with_home(process.current_dir(&home), &home);
            process
        };
        let start = |command: &str| {
            let line = format!("{command} - --json --rules rejump {folder}");
            Session::start(line.clone(), &mut process(line))
        };
        let mut sessions = ["probe", "explain"].map(start);
        // Without a folder that it was told of, a search does not begin.
        let mut solving = (number != 1).then(|| start("solve"));
        for session in &mut sessions {
            assert_eq!(session.ask_json(QUESTION)["wdl"], Value::Null);
        }
        if let Some(session) = &mut solving {
            assert!(session.ask_json(QUESTION)["positions"].as_u64() > Some(1));
        }
        let generate = format!("generate 2-1 --rules rejump {folder}");
        assert!(process(generate).output().unwrap().status.success());
        for mut session in sessions {
            assert_eq!(session.ask_json(QUESTION)["wdl"], "win", "{folder}");
            session.ended();
        }
        if let Some(mut session) = solving {
            assert_eq!(session.ask_json(QUESTION)["positions"], 1, "{folder}");
            session.ended();
        }
    }
}
