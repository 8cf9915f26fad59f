//! The manual pages, which packages and users install beside the program. `tools/dev/test-release` tries the completions
//! for shells.

use crate::common::unchecked::not_checked;
use crate::run::{Folder, Ran, run};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// Runs a program with these arguments; `None` if it is not installed, which is told, or if it may be another one
/// than that of Linux.
fn run_if_installed(program: &str, args: &[&str]) -> Option<Ran> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    match Command::new(program).args(args).output() {
        Ok(output) => Some(Ran::of(&[&[program], args].concat().join(" "), &output)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            not_checked(&format!("there is no {program}"));
            None
        }
        Err(error) => panic!("{program}: {error}"),
    }
}

/// The names of the commands, as the help lists them.
pub fn commands() -> BTreeSet<String> {
    let help = run("-h").exits(0).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let lines = list.lines().filter(|line| !line.starts_with("   "));
    let names = lines.map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

#[test]
fn the_program_and_every_command_have_a_manual_page() {
    let folder = Folder::empty();
    let pages = folder.join("not/yet");
    for _ in 0..2 {
        // The second time, they are there.
        let ran = run(format!("man --out {}", pages.display())).exits(0);
        assert_eq!(ran.stdout, "");
    }
    let files = fs::read_dir(&pages).unwrap();
    let names: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let mut expected: BTreeSet<String> =
        commands().iter().map(|name| format!("lasca-tb-{name}.1")).collect();
    assert!(expected.contains("lasca-tb-probe.1") && expected.contains("lasca-tb-man.1"));
    expected.insert("lasca-tb.1".to_owned());
    let documents = ["commands", "protocol", "server", "studies"];
    expected.extend(documents.map(|name| format!("lasca-tb-{name}.1")));
    assert_eq!(names, expected);
    for name in &names {
        let page = pages.join(name);
        for (program, args) in [
            ("groff", &["-k", "-ww", "-man", "-Tutf8"][..]),
            ("man", &["--warnings", "-E", "UTF-8", "-l"]),
        ] {
            let args = [args, &[page.to_str().unwrap()]].concat();
            run_if_installed(program, &args).map(|ran| ran.exits(0).quietly());
        }
    }
    let page = fs::read_to_string(pages.join("lasca-tb-certify.1")).unwrap();
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXTRA"] {
        assert!(page.lines().any(|line| line == format!(".SH {section}")), "{section}: {page}");
    }
    assert!(page.contains("\nExit status:\n  0  ") && page.contains("\nExamples:\n  lasca"));
    for (name, part) in documents.into_iter().zip([
        ".SH \"Positions and moves\"\n.PP\nA position consists of its columns",
        ".TP\n\\fBquit\\fR\nnone. All lines before it are answered first\n",
        ".PP\n.nf\n[Unit]\nDescription=Lasca endgame tables\n",
        ".IP \\(bu 2\nA \\fBmove number\\fR is \\fB3.\\fR before ",
    ]) {
        let page = fs::read_to_string(pages.join(format!("lasca-tb-{name}.1"))).unwrap();
        assert!(page.contains(part), "{name}: {page}");
        assert!(!page.contains("](") && !page.contains("**"), "{name}: {page}");
    }
}
