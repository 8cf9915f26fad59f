//! The lines that programs exchange with this one are what `docs/PROTOCOL.md` says and shows.

use crate::ROOT;
use crate::run::{Folder, run, run_with_input};
use std::fs;
use std::path::Path;

/// The page about the protocol.
fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("docs/PROTOCOL.md")).unwrap()
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
