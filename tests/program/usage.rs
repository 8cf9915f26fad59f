//! What holds for every command: wrong usage, closed pipes, the width of text.

#[cfg(target_os = "linux")]
use crate::common::wait::wait_until;
#[cfg(target_os = "linux")]
use crate::run::process_by;
use crate::run::{Folder, Ran, copy, output, process, run, run_with_input};
use rayon::prelude::*;
use std::fs;
use std::io::Write;
use std::process::Stdio;

#[test]
fn text_for_people_keeps_to_80_columns() {
    let (bounded, parent) = (Folder::empty(), Folder::with(&["2-1"]));
    let deep = parent.join("a".repeat(70)).join("b".repeat(70));
    fs::create_dir_all(&deep).unwrap();
    copy(&parent, "lasca-2-1", &deep, "lasca-2-1");
    let make_bounded = format!("generate 12-10 --columns 2 --tables {}", bounded.name());
    let check = |line: &str| {
        let ran = run(line).exits(0);
        // Results of one line are whole in a pipe.
        let is_whole = |line: &&str| line.starts_with("12-10 ") && line.ends_with("/s)");
        let mut lines = ran.stdout.lines().filter(|line| !is_whole(line));
        let wide = lines.find(|line| line.chars().count() > 80);
        assert_eq!((wide, ran.stdout.is_empty()), (None, false), "{line}");
        assert!(!line.starts_with("help") || ran.stdout.contains("\nExample"), "{line}");
    };
    check(&format!("{make_bounded} --dry-run"));
    check(&make_bounded);
    let mut lines: Vec<String> = [
        "stats 3-3",
        "stats 2-3",
        "stats 3-2 --by pieces,stackings",
        "stats 2-2 --zugzwang --longest 20",
        "stats 1-1 --zugzwang=0 --longest 1 --by pieces",
        "find 3-2 --only-moves 3 --limit 50",
        "find 3-2 --limit 20",
        "probe 'c3W d4WB e5BB w' --line",
        "explain 'a1WW d4BBB w'",
        "explain 'd2W d4W f2B f4B b'",
        &format!("review --seconds 0 {}", crate::study::files().join(" ")),
        "generate --up-to 6 --dry-run",
        &format!("stats 12-10 --tables {}", bounded.name()),
        "verify 3-3",
        "list",
        &format!("list --tables {}", deep.display()),
        "moves 'a1W c1WB e1W g1W b2W d2BBB f4B a7B c7BW w'",
        "moves start",
        "--help",
        "-h",
    ]
    .map(str::to_owned)
    .into();
    for name in crate::setup::commands() {
        lines.extend([format!("help {name}"), format!("{name} -h")]);
    }
    lines.par_iter().for_each(|line| check(line));
    #[cfg(feature = "server")]
    run("help serve").exits(0).prints("\nExit status:\n");
}

/// Runs the program while nobody reads its standard output.
fn run_into_closed_pipe(line: &str, input: &str) -> Ran {
    let mut command = process(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    Ran::of(line, &child.wait_with_output().unwrap())
}

#[test]
fn a_closed_pipe_ends_quietly_and_changes_neither_work_nor_status() {
    for line in ["probe --stdin", "stats 3-2", "--help"] {
        run_into_closed_pipe(line, &"a1W b2B w\n".repeat(20_000)).exits(0).quietly();
    }
    let folder = Folder::empty();
    let into_closed_pipe = |line: &str, input: &str| {
        run_into_closed_pipe(&format!("{line} --tables {}", folder.name()), input)
    };
    into_closed_pipe("generate --up-to 4 --json", "").exits(0).quietly();
    assert_eq!(folder.names().iter().filter(|name| name.ends_with("ltbw")).count(), 4);
    into_closed_pipe("verify", "").exits(0).quietly();
    folder.damage("lasca-1-1.ltbw", 100..110);
    folder.cut("lasca-2-2.ltbw", 1000);
    for line in ["verify", "verify --json", "list"] {
        into_closed_pipe(line, "").exits(1).quietly();
    }
    let wrong = "c1W b2B b6W w, White to move loses\n1. c1-b2-a3 1-0";
    into_closed_pipe("study -", wrong).exits(1).quietly();
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    for line in ["list", "--help"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = process(line).stdout(full).output().unwrap();
        Ran::of(line, &output).exits(2).says("cannot write standard output");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_text_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let bad = OsStr::from_bytes(b"a1W\xff b2B w");
    for line in ["probe", "moves", "stats", "generate", "--rules", ""] {
        Ran::of(line, &process(line).arg(bad).output().unwrap()).exits(2);
    }
    // A folder may have any name, except where the system has names of text only.
    if cfg!(target_os = "macos") {
        return;
    }
    let folder = Folder::empty();
    let odd = folder.join(OsStr::from_bytes(b"tables\xff"));
    for line in ["generate 1-1 --json --tables", "list --tables"] {
        let ran = Ran::of(line, &process(line).arg(&odd).output().unwrap()).exits(0);
        assert!(!line.contains("--json") || ran.json().len() == 1);
    }
}

#[test]
fn what_would_control_a_terminal_is_shown_as_text() {
    // What begins a line, or turns around the order of what follows, would too.
    if cfg!(unix) {
        let folder = Folder::empty();
        let odd = folder.file("lf\nlasca-tb:well\u{202e}\u{2028}\u{1b}[31mb");
        let shown = |ran: &Ran| {
            for line in format!("{}{}", ran.stdout, ran.stderr).lines() {
                assert!(!line.trim_start().starts_with("lasca-tb:well"), "{line}");
                assert!(!line.contains(['\u{202e}', '\u{2028}', '\u{1b}']), "{line:?}");
            }
        };
        let at = |line: &str| {
            let mut words = line.split(' ').collect::<Vec<_>>();
            words.iter_mut().filter(|word| **word == "ODD").for_each(|word| *word = &odd);
            let line = line.replace("ODD", "…");
            Ran::of(&line, &output(process("").args(words), ""))
        };
        shown(&at("--tables ODD stats 2-2").exits(1).says("no folder `"));
        shown(&at("study ODD").exits(2));
        fs::create_dir(&odd).unwrap();
        shown(
            &at("--tables ODD --no-included stats 2-2 --make 0")
                .exits(1)
                .says("\\u{202e}")
                .says("hint: "),
        );
        shown(&at("--tables ODD --no-included list").exits(0).says("no tables"));
        shown(&at("--tables ODD generate 1-1").exits(0));
        shown(&at("--tables ODD list").exits(0).prints("\\u{202e}"));
        fs::write(format!("{odd}/lasca-1-1.ltbw"), "").unwrap();
        for line in ["list", "verify", "verify 1-1", "stats 1-1", "probe a1W b2B w"] {
            shown(&at(&format!("--tables ODD --no-included {line}")).exits(1));
        }
    }
    for line in [
        "--tables a\u{1b}[31mb list",
        "study a\u{1b}[31mb",
        "study -\u{1b}[31mb",
        "--\u{1b}[31mb list",
        "generate \u{1b}[31mb",
        "list --rules \u{1b}[31mb",
        "probe a1W\u{1b}[31mb",
    ] {
        let ran = run(line);
        let shown = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!shown.contains("\u{1b}[31mb"), "{line}: {shown}");
        assert!(!ran.stderr.contains("panicked"), "{line}: {shown}");
    }
    let game = "# a\u{1b}[31mb\r\u{8}\na1W b2B w\n";
    let review = run_with_input("review - --seconds 0", game).exits(0);
    review.prints("# a\\u{1b}[31mb\\u{d}\\u{8}\n{");
}

/// Begins the program in a terminal, until this is shown there. Returns also what was shown so far.
#[cfg(target_os = "linux")]
#[track_caller]
fn begin_in_terminal(part: &str, line: &str) -> (std::process::Child, Vec<u8>) {
    use std::io::Read;
    // A shell that stayed beside the program would end by Ctrl-C with a status of its own.
    const SCRIPT: &str = "exec script -qec \"exec $(printf '%q ' \"$0\" \"$@\")\" /dev/null";
    let mut command = process_by(SCRIPT, line);
    command.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let terminal = child.stdout.as_mut().unwrap();
    let (mut shown, mut bytes) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&shown).contains(part) {
        let read = terminal.read(&mut bytes).unwrap();
        assert_ne!(read, 0, "{line} has ended: {}", String::from_utf8_lossy(&shown));
        shown.extend(&bytes[..read]);
    }
    (child, shown)
}

/// Runs the program in a terminal, and presses Ctrl-C there when it shows this. What it has shown is standard output.
#[cfg(target_os = "linux")]
#[track_caller]
fn run_until_it_shows(part: &str, line: &str) -> Ran {
    let (mut child, mut shown) = begin_in_terminal(part, line);
    child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let mut output = child.wait_with_output().unwrap();
    shown.append(&mut output.stdout);
    output.stdout = shown;
    Ran::of(line, &output)
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_whose_terminal_is_closed_saves_its_state() {
    let folder = Folder::empty();
    let line = format!("generate 4-4 --threads 1 --no-included --tables {}", folder.name());
    let (mut terminal, _) = begin_in_terminal("5 columns: ply", &line);
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    let is_saved =
        |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with("columns-");
    wait_until("its state is saved", || {
        fs::read_dir(folder.join(".work/lasca-4-4")).unwrap().any(|entry| is_saved(entry.unwrap()))
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_how_far_a_count_is() {
    run_until_it_shows("0 of 6 first moves", "perft start 100").exits(128 + libc::SIGINT);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_search_for_a_proof_in_order() {
    let folder = Folder::empty();
    let certify = format!("certify start --memory 3G --out {}", folder.file("proof.txt"));
    let ran = run_until_it_shows("it is open whether White or Black can win", &certify);
    ran.exits(1).prints("the search was stopped");
    assert_eq!(folder.names().len(), 0);
}
