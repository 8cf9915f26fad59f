//! The manual pages, which packages and users install beside the program. `tools/dev/test-release` tries the completions
//! for shells.

use crate::common::unchecked::not_checked;
use crate::run::{Folder, Ran, run};
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// Expects that groff has nothing to say against a manual page. That it is not installed is told, and other systems than
/// Linux may have another one.
fn can_be_formatted(page: &Path) {
    if cfg!(target_os = "linux") {
        match Command::new("groff").args(["-k", "-ww", "-man", "-Tutf8"]).arg(page).output() {
            Ok(output) => drop(Ran::of("groff", &output).exits(0).quietly()),
            Err(error) if error.kind() == ErrorKind::NotFound => not_checked("there is no groff"),
            Err(error) => panic!("groff: {error}"),
        }
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
    names.iter().for_each(|name| can_be_formatted(&pages.join(name)));
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
