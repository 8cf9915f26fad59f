//! The command lines of `cases.txt`, which says with what status each of them ends, and what it says.

use crate::run::{Folder, Ran, run, run_with_input};
use crate::stats::check_nesting;
use crate::{LASKER, START};
use rayon::prelude::*;
use serde_json::Value;
use std::net::TcpListener;

/// The lines that a line of the list stands for.
fn alternatives(line: &str) -> Vec<String> {
    let Some((before, rest)) = line.split_once('{') else { return vec![line.to_owned()] };
    let (group, after) = rest.split_once('}').unwrap();
    group.split('|').flat_map(|one| alternatives(&format!("{before}{one}{after}"))).collect()
}

/// A line of the list.
struct Case {
    status: i32,
    line: String,
    input: String,
    said: Vec<String>,
    whole: Option<String>,
}

/// The lines of a list, in which these names stand for others.
fn cases(list: &str, names: &[(&str, &str)]) -> Vec<Case> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        // A name may be a path of Windows, with a backslash.
        let fill = |part: &str| {
            names.iter().fold(part.to_owned(), |text, (name, is)| text.replace(name, is))
        };
        let text = |part: &str| fill(&part.replace("\\n", "\n").replace("\\r", "\r"));
        let (line, whole) =
            line.split_once(" == ").map_or((line, None), |(l, w)| (l, Some(text(w))));
        let mut parts = line.split(" => ");
        let (status, line) = parts.next().unwrap().split_once(' ').unwrap();
        let said: Vec<String> = parts.map(text).collect();
        let (line, input) = line.split_once(" <<< ").unwrap_or((line, ""));
        let (status, input) = (status.parse().unwrap(), text(input));
        let case = move |line: String| Case {
            status,
            line: fill(&line),
            input: input.clone(),
            said: said.clone(),
            whole: whole.clone(),
        };
        alternatives(line).into_iter().map(case)
    };
    lines.flat_map(read).collect()
}

/// Runs a command, and compares what it does with what is expected.
fn check(Case { status, line, input, said, whole }: &Case) {
    let Ran { stdout, stderr, .. } = run_with_input(line, input.as_bytes()).exits(*status);
    // An error in JSON repeats the question, which proves nothing.
    let in_json = serde_json::from_str::<Value>(&stdout).ok().and_then(|answer| {
        let text = |key: &str| Some(answer.get(key)?.as_str()?.to_owned());
        let error = text("error")?;
        assert!(stderr.is_empty(), "{line}: {stderr}");
        let others = ["hint", "reason"].map(|key| text(key).unwrap_or_default());
        Some([error, others.join("\n")].join("\n"))
    });
    let all = in_json.unwrap_or_else(|| format!("{stdout}{stderr}"));
    assert!(said.iter().all(|said| all.contains(said)), "{line}: expected {said:?} in\n{all}");
    assert!(whole.as_ref().is_none_or(|whole| *whole == stdout), "{line}: {stdout}");
    if stdout.starts_with("<!DOCTYPE") {
        check_nesting(line, &stdout);
    }
    if *status == 2 && input.is_empty() {
        // JSON alone is printed where there is no result, and no work was begun that could be kept.
        assert!(stdout.is_empty() || line.contains("--json"), "{line}\n{stdout}");
        // A number below 0 is no option that could be passed in another way.
        assert!(!stderr.contains("-- -") && !stderr.contains("kept"), "{line}\n{stderr}");
    }
}

#[test]
fn every_command_ends_and_speaks_as_the_list_says() {
    let (folder, tables) =
        (Folder::empty(), Folder::with(&["1-1", "2-1", "2-2", "3-1", "3-2", "4-1"]));
    let others = Folder::of_other_rules();
    let (bounded, half) =
        (Folder::empty(), Folder::of_bignor(&["1-1", "2-1", "2-2", "3-1", "3-2"]));
    bounded.run("generate 2-3 --columns 3 --rules bignor").exits(0);
    for name in ["bignor-2-1.ltbd", "bignor-2-2.ltbd", "bignor-3-1.ltbw", "bignor-3-2.ltbd"] {
        half.remove(name);
    }
    folder.write("file", "a1WW b2B w\n");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let names = [
        ("FOLDER", folder.name()),
        ("TABLES", tables.name()),
        ("LASKER", LASKER),
        ("START", START),
        ("OTHERS", others.name()),
        ("BOUNDED", bounded.name()),
        ("HALF", half.name()),
        ("TAKEN", &taken),
    ];
    let mut cases = cases(include_str!("cases.txt"), &names);
    cases.retain(|case| {
        let needs_server = case.line.starts_with("serve ");
        !case.line.starts_with("GET ") && (cfg!(feature = "server") || !needs_server)
    });
    cases.par_iter().for_each(check);
    assert_eq!(half.run("list --json").json().len(), 4);
    assert_eq!(run("").status, Some(2));
    assert_eq!((folder.read("file"), folder.names().len()), (b"a1WW b2B w\n".to_vec(), 1));
}

#[cfg(feature = "server")]
#[test]
fn every_request_is_answered_as_the_list_says() {
    let server = crate::server::Server::start(&["--search-seconds", "5"]);
    let mut client = server.connect();
    for Case { status, line, said, .. } in cases(include_str!("cases.txt"), &[]) {
        let Some(target) = line.strip_prefix("GET ") else { continue };
        let answer = client.get(target);
        let (found, text) = (i32::from(answer.status), answer.text());
        assert_eq!((found, answer.json().is_object()), (status, true), "{line}: {text}");
        // What is expected without quotation marks must stand in the error, not in the question.
        let json = answer.json();
        let error = json["error"].as_str().unwrap_or(&text);
        let is_said = |said: &String| match said.starts_with('"') {
            true => text.contains(said),
            false => error.contains(said),
        };
        assert!(said.iter().all(is_said), "{line}: expected {said:?} in {text}");
    }
}
