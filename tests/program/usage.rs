//! What holds for every command: wrong usage, closed pipes, the width of text.

use crate::BINARY;
use crate::run::{Ran, copy, path, run, run_with_input, tables};
use assert_cmd::Command;
use std::fs;
use std::io::Write;
use std::process::Stdio;
use tempfile::TempDir;

#[test]
fn text_for_people_keeps_to_80_columns() {
    let tables = tables();
    let folder = ["--tables", path(&tables)];
    let deep = tables.path().join("a".repeat(70)).join("b".repeat(70));
    fs::create_dir_all(&deep).unwrap();
    copy(tables.path(), "lasca-2-1", &deep, "lasca-2-1");
    let bounded = TempDir::new().unwrap();
    let make_bounded = ["generate", "12-10", "--columns", "2", "--tables", path(&bounded)];
    let studies = crate::study::files();
    let studies: Vec<&str> = studies.iter().map(String::as_str).collect();
    let mut all = vec![
        [&["stats", "3-3"][..], &folder].concat(),
        [&["stats", "2-3"][..], &folder].concat(),
        vec!["stats", "3-2", "--by", "columns,pieces,stackings"],
        vec!["stats", "2-2", "--zugzwang", "--longest", "20", "--histogram", "--without-takes"],
        vec!["stats", "1-1", "--zugzwang", "0", "--longest", "1", "--by", "pieces"],
        [&["find", "3-3", "--only-moves", "5", "--limit", "50"][..], &folder].concat(),
        [&["find", "3-2", "--limit", "20"][..], &folder].concat(),
        [&["probe", "c3W d4WB e5BB w", "--line"][..], &folder].concat(),
        vec!["explain", "a1WW d4BBB w"],
        vec!["explain", "d2W d4W f2B f4B b"],
        [&["study", "--seconds", "0"][..], &studies].concat(),
        vec!["study", crate::study::LASKER],
        [&["generate", "--up-to", "12", "--dry-run"][..], &folder].concat(),
        [&make_bounded[..], &["--dry-run"]].concat(),
        make_bounded.to_vec(),
        // Now it is there.
        make_bounded.to_vec(),
        [&["verify", "3-3"][..], &folder].concat(),
        [&["list"][..], &folder].concat(),
        vec!["list", "--tables", deep.to_str().unwrap()],
        vec!["moves", "a1W c1WB e1W g1W b2W d2BBB f4B a7B c7BW w"],
        vec!["moves", "start"],
        vec!["--help"],
        vec!["-h"],
    ];
    let commands = crate::setup::commands();
    all.extend(commands.iter().flat_map(|name| [vec!["help", name], vec![name, "-h"]]));
    for args in all {
        let ran = run(&args);
        // A study may refute what its author claims.
        let ran = if args[0] == "study" { ran } else { ran.exits(0) };
        let wide = ran.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{}", ran.args);
        assert!(!ran.stdout.is_empty(), "{}", ran.args);
        if args[0] == "help" {
            assert!(ran.stdout.contains("\nExample"), "{}", ran.args);
        }
    }
    #[cfg(feature = "server")]
    run(&["help", "serve"]).exits(0).prints("\nExit status:\n");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let tables = tables();
    let input = "a1W b2B w\n".repeat(20_000);
    for args in [
        &["probe", "--stdin", "--tables", path(&tables)][..],
        &["stats", "3-2", "--tables", path(&tables)],
        &["--help"],
    ] {
        let mut child = std::process::Command::new(BINARY)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        // It may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let ran = Ran::of(args, &output).exits(0);
        assert_eq!(ran.stderr, "", "{}", ran.args);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let tables = tables();
    for args in [&["list", "--tables", path(&tables)][..], &["--help"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(BINARY).args(args).stdout(full).output().unwrap();
        Ran::of(args, &output).exits(2).says("cannot write standard output");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_text_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let bad = OsStr::from_bytes(b"a1W\xff b2B w");
    for args in [
        [OsStr::new("probe"), bad],
        [OsStr::new("moves"), bad],
        [OsStr::new("stats"), bad],
        [OsStr::new("generate"), bad],
        [OsStr::new("--rules"), bad],
        [bad, bad],
    ] {
        let output = Command::new(BINARY).args(args).output().unwrap();
        Ran::of(&[], &output).exits(2);
    }
    // A folder may have any name, except where the system has names of text only.
    if cfg!(target_os = "macos") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let odd = folder.path().join(OsStr::from_bytes(b"tables\xff"));
    let output =
        Command::new(BINARY).args(["generate", "1-1", "--json", "--tables"]).arg(&odd).output();
    assert_eq!(Ran::of(&["generate"], &output.unwrap()).exits(0).json().len(), 1);
    let output = Command::new(BINARY).args(["list", "--tables"]).arg(&odd).output();
    Ran::of(&[], &output.unwrap()).exits(0);
}

#[test]
fn wrong_usage_is_refused() {
    for args in [
        &["frobnicate"][..],
        &["--frobnicate"],
        &["probe"],
        &["probe", "--stdin", "a1W b2B w"],
        &["verify", "--limit", "x"],
        &["stats", "2-1", "3-1"],
        &["generate", "--dry-run"],
    ] {
        run(args).exits(2);
    }
    assert_eq!(run(&[]).status, Some(2));
    run(&["find", "3-3", "--defence", "every"]).exits(2).says("--only-moves <N>");
    run(&["find", "--only-moves", "2"]).exits(2).says("<MATERIAL>");
    run(&["--version"]).exits(0).prints(env!("CARGO_PKG_VERSION"));
}

#[test]
fn what_would_control_a_terminal_is_shown_as_text() {
    let folder = TempDir::new().unwrap();
    let odd = folder.path().join("a\u{1b}[31mb");
    fs::create_dir(&odd).unwrap();
    let (odd, missing) = (odd.to_str().unwrap(), "a\u{1b}[31mb");
    let color = ["--color", "always"];
    let file = format!("{odd}/x.study");
    fs::write(&file, "no study").unwrap();
    for args in [
        &["--tables", missing, "probe", "a1W b2B w"][..],
        &["--tables", missing, "list"],
        &["--tables", odd, "list"],
        &["--tables", odd, "probe", "a1W b2B w"],
        &["--tables", odd, "generate", "1-1"],
        &["--tables", odd, "--tables", "tables", "generate", "1-1"],
        &["--tables", odd, "list"],
        &["certify", "a1W b2B w", "--out", &format!("{odd}/proof")],
        &["study", &file],
        &["study", missing],
        &["study", "-\u{1b}[31mb"],
        &["--\u{1b}[31mb", "list"],
        &["\u{1b}[31mb"],
        &["generate", "\u{1b}[31mb"],
        &["list", "--rules", "\u{1b}[31mb"],
        &["probe", "a1W\u{1b}[31mb"],
    ] {
        let ran = run(&[&color, args].concat());
        let shown = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!shown.contains("\u{1b}[31mb"), "{}: {shown}", ran.args);
        assert!(!ran.stderr.contains("panicked"), "{}: {shown}", ran.args);
    }
    let ran = run(&["--tables", missing, "list"]).exits(1);
    ran.says("there is no folder `a\\u{1b}[31mb` here; ").says("--tables $'a\\u001b[31mb'");
    run(&["--tables", odd, "list"]).exits(0).prints("a\\u{1b}[31mb/lasca-1-1");
    let answers = run_with_input(&["moves", "--stdin"], "a\u{1b}[31mb\n").exits(2);
    answers.prints("a\\u{1b}[31mb: no answer");
}

#[test]
fn options_say_which_numbers_they_expect() {
    let options: [(&[&str], &str); 9] = [
        (&["generate", "--up-to"], "expected a whole number from 2 to 22, found"),
        (&["generate", "4-4", "--columns"], "expected a whole number from 2 to 22, found"),
        (&["generate", "1-1", "--threads"], "expected a whole number from 0 to 65535, found"),
        (&["generate", "1-1", "--memory"], "expected a size such as"),
        (&["verify", "--limit"], "expected a whole number from 0 to 1000000000, found"),
        (&["stats", "2-1", "--longest"], "expected a whole number from 1 to 10000, found"),
        (
            &["certify", "start", "--out", "x", "--max-positions"],
            "expected a whole number from 1 to ",
        ),
        (&["probe", "start", "--seconds"], "expected a number of seconds such as"),
        (&["perft", "start"], "expected a number of plies from 0 to 100"),
    ];
    for (args, expected) in options {
        for value in ["-3", "abc", "", "99999999999999999999999999x"] {
            let ran = run(&[args, &[value]].concat()).exits(2).says(expected);
            assert!(!ran.stderr.contains("-- -"), "{}", ran.stderr);
        }
    }
    for (value, found) in
        [("0", "0"), ("-3", "-3"), ("abc", "\"abc\""), ("23", "23"), ("3.5", "\"3.5\"")]
    {
        let found = format!("expected a whole number from 2 to 22, found {found}\n");
        run(&["generate", "--up-to", value]).exits(2).says(&found);
    }
    #[cfg(feature = "server")]
    for option in ["workers", "time-limit", "patience", "connections", "search-seconds"] {
        let option = format!("--{option}");
        run(&["serve", &option, "0"]).exits(2).says("expected a whole number from 1 to ");
    }
}

#[test]
fn a_command_without_arguments_names_what_is_wanted() {
    for (args, wanted) in [
        (&["generate"][..], "<MATERIAL|--up-to <N>>"),
        (&["generate", "--dry-run"], "<MATERIAL|--up-to <N>>"),
        (&["probe"], "<POSITION|--stdin>"),
        (&["explain"], "<POSITION|--stdin>"),
        (&["solve"], "<POSITION|--stdin>"),
        (&["moves"], "<POSITION|--stdin>"),
        (&["study"], "<FILE>"),
        (&["certify", "start"], "--out <FILE>"),
        (&["stats"], "<MATERIAL>"),
        (&["report"], "--out <FILE>"),
        (&["perft", "start"], "<DEPTH>"),
    ] {
        run(args).exits(2).says(wanted).says("try '--help'");
    }
}
