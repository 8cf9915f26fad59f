//! The command lines of `cases.txt`, which says with what status each of them ends, and what it says.

use crate::run::{Folder, Ran, run};
use crate::{LASKER, START};
use rayon::prelude::*;
use std::net::TcpListener;

/// The lines that a line of the list stands for.
fn alternatives(line: &str) -> Vec<String> {
    let Some((before, rest)) = line.split_once('{') else { return vec![line.to_owned()] };
    let (group, after) = rest.split_once('}').unwrap();
    group.split('|').flat_map(|one| alternatives(&format!("{before}{one}{after}"))).collect()
}

/// Runs a command, and compares what it does with what is expected.
fn check(line: &str, status: i32, said: &[String]) {
    let Ran { stdout, stderr, .. } = run(line).exits(status);
    let all = format!("{stdout}{stderr}");
    assert!(said.iter().all(|said| all.contains(said)), "{line}: expected {said:?} in\n{all}");
    if status == 2 {
        // JSON alone is printed where there is no result, and no work was begun that could be kept.
        assert!(stdout.is_empty() || line.contains("--json"), "{line}\n{stdout}");
        // A number below 0 is no option that could be passed in another way.
        assert!(!stderr.contains("-- -") && !stderr.contains("kept"), "{line}\n{stderr}");
    }
}

/// The cases of the list: with their statuses, and what is said.
fn cases(list: &str) -> Vec<(i32, String, Vec<String>)> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |case: String| {
        let mut parts = case.split(" => ").map(|part| part.replace("\\n", "\n"));
        let line = parts.next().unwrap();
        let (status, line) = line.split_once(' ').unwrap();
        (status.parse().unwrap(), line.to_owned(), parts.collect())
    };
    lines.flat_map(alternatives).map(read).collect()
}

#[test]
fn every_command_ends_and_speaks_as_the_list_says() {
    let (folder, tables) =
        (Folder::empty(), Folder::with(&["1-1", "2-1", "2-2", "3-1", "3-2", "4-1"]));
    folder.write("file", "a1WW b2B w\n");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let list = include_str!("cases.txt").replace("FOLDER", folder.name());
    let list = list.replace("TABLES", tables.name()).replace("LASKER", LASKER);
    let list = list.replace("START", &format!("'{START}'"));
    let list = list.replace("TAKEN", &taken.local_addr().unwrap().to_string());
    let mut cases = cases(&list);
    let is_there = |line: &str| cfg!(feature = "server") || !line.starts_with("serve ");
    cases.retain(|(_, line, _)| !line.starts_with("GET ") && is_there(line));
    cases.par_iter().for_each(|(status, line, said)| check(line, *status, said));
    assert_eq!(run("").status, Some(2));
    assert_eq!((folder.read("file"), folder.names().len()), (b"a1WW b2B w\n".to_vec(), 1));
}

#[cfg(feature = "server")]
#[test]
fn every_request_is_answered_as_the_list_says() {
    let server = crate::server::Server::start(&["--search-seconds", "5"]);
    let mut client = server.connect();
    for (status, line, said) in cases(include_str!("cases.txt")) {
        let Some(target) = line.strip_prefix("GET ") else { continue };
        let answer = client.get(target);
        let (found, text) = (i32::from(answer.status), answer.text());
        assert_eq!((found, answer.json().is_object()), (status, true), "{line}: {text}");
        assert!(said.iter().all(|said| text.contains(said)), "{line}: expected {said:?} in {text}");
    }
}
