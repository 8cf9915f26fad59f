//! What packages and users install beside the program: completions for shells, and manual pages.

use crate::run::{Ran, path, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Runs a program with these arguments; `None` if it is not installed, or if it may be another one
/// than that of Linux: macOS has a very old bash and another man, and the bash of Windows may be an
/// invitation to install Linux.
fn run_if_installed(program: &str, args: &[&str]) -> Option<Ran> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    match Command::new(program).args(args).output() {
        Ok(output) => Some(Ran::of(&[&[program], args].concat(), &output)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("{program}: {error}"),
    }
}

/// Writes the completions for a shell to a file of the folder.
fn completions(shell: &str, folder: &TempDir) -> PathBuf {
    let file = folder.path().join(shell);
    let ran = run(&["completions", shell]).exits(0);
    assert_eq!(ran.stderr, "");
    fs::write(&file, ran.stdout).unwrap();
    file
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The names of the commands, as the help lists them.
pub fn commands() -> BTreeSet<String> {
    let help = run(&["-h"]).exits(0).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let lines = list.lines().filter(|line| !line.starts_with("   "));
    let names = lines.map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

#[test]
fn each_shell_accepts_its_completions() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = completions(shell, &folder);
        if let Some(ran) = run_if_installed(shell, &["-n", text(&script)]) {
            assert_eq!(ran.exits(0).stderr, "");
        }
    }
    let script = fs::read_to_string(completions("powershell", &folder)).unwrap();
    assert!(script.contains("Register-ArgumentCompleter") && script.contains("'generate'"));
    run(&["completions"]).exits(2).says("expected a shell");
    run(&["completions", "tcsh"]).exits(2).says("bash");
}

#[test]
fn bash_completes_commands_options_and_their_values() {
    let folder = TempDir::new().unwrap();
    let script = completions("bash", &folder);
    let ask = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
               _lasca__tb lasca-tb \"${@: -1}\" \"${@: -2:1}\"; echo \"${COMPREPLY[@]}\"";
    for (words, completed) in [
        (&["lasca-tb", "pro"][..], "probe\n"),
        (&["lasca-tb", "probe", "--row"], "--row-form\n"),
        (&["lasca-tb", "stats", "--rules", "b"], "bignor\n"),
        (&["lasca-tb", "completions", "fi"], "fish\n"),
    ] {
        let args = [&["--norc", "-c", ask, "bash", text(&script)], words].concat();
        let Some(ran) = run_if_installed("bash", &args) else { return };
        assert_eq!((ran.stderr.as_str(), ran.stdout.as_str()), ("", completed), "{words:?}");
    }
}

#[test]
fn fish_completes_commands_options_and_their_values() {
    let folder = TempDir::new().unwrap();
    let script = completions("fish", &folder);
    for (line, completed) in [
        ("lasca-tb pro", &["probe"][..]),
        ("lasca-tb probe --row", &["--row-form"]),
        ("lasca-tb stats --rules b", &["bignor"]),
        ("lasca-tb --rules ", &["bignor", "lasca", "rejump"]),
        ("lasca-tb -q --color ", &["always", "auto", "never"]),
        ("lasca-tb completions ", &["bash", "elvish", "fish", "powershell", "zsh"]),
    ] {
        let ask = "source $argv[1]; complete -C $argv[2]";
        let args = ["--no-config", "-c", ask, text(&script), line];
        let Some(ran) = run_if_installed("fish", &args) else { return };
        // A description may follow after a tab.
        let offered: Vec<&str> =
            ran.stdout.lines().filter_map(|line| line.split('\t').next()).collect();
        assert_eq!(offered, completed, "{line}: {}", ran.stderr);
    }
}

#[test]
fn the_program_and_every_command_have_a_manual_page() {
    let folder = TempDir::new().unwrap();
    let pages = folder.path().join("not/yet");
    assert_eq!(run(&["man", "--out", text(&pages)]).exits(0).stdout, "");
    let files = fs::read_dir(&pages).unwrap();
    let names: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let mut expected: BTreeSet<String> =
        commands().iter().map(|name| format!("lasca-tb-{name}.1")).collect();
    assert!(expected.contains("lasca-tb-probe.1") && expected.contains("lasca-tb-man.1"));
    expected.insert("lasca-tb.1".to_owned());
    assert_eq!(names, expected);
    for name in &names {
        let page = pages.join(name);
        let source = fs::read_to_string(&page).unwrap();
        assert!(source.contains(&format!("lasca-tb {}", env!("CARGO_PKG_VERSION"))), "{name}");
        for (program, args) in [
            ("groff", &["-ww", "-man", "-Tutf8"][..]),
            ("man", &["--warnings", "-E", "UTF-8", "-l"]),
        ] {
            let Some(ran) = run_if_installed(program, &[args, &[text(&page)]].concat()) else {
                continue;
            };
            assert_eq!(ran.exits(0).stderr, "", "{program}");
        }
    }
    // The same pages again.
    run(&["man", "--out", text(&pages)]).exits(0);
}

#[test]
fn manual_pages_have_the_sections_of_the_help() {
    let folder = TempDir::new().unwrap();
    run(&["man", "--out", path(&folder)]).exits(0);
    let page = fs::read_to_string(folder.path().join("lasca-tb-certify.1")).unwrap();
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"] {
        let is_there = [section.to_owned(), format!("\"{section}\"")]
            .iter()
            .any(|name| page.lines().any(|line| line == format!(".SH {name}")));
        assert!(is_there, "{section}: {page}");
    }
    // In the page, a hyphen is written with a backslash.
    let page = |name: &str| {
        let page = fs::read_to_string(folder.path().join(name)).unwrap();
        page.replace('\\', "")
    };
    let find = page("lasca-tb-find.1");
    assert!(find.contains("fBlasca-tb findfR [OPTIONS] <MATERIAL>...\n"), "{find}");
    assert!(page("lasca-tb-explain.1").contains("is also called lasca-tb line."));
    assert!(page("lasca-tb.1").contains("\n.SH COMMANDS\n"));
}

#[test]
fn manual_pages_are_written_to_a_folder_only() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    run(&["man", "--out", text(&file)]).exits(2).says("expected a folder, found a file");
    run(&["man", "--out", "-"]).exits(2).says("expected a folder");
    run(&["man"]).exits(2).says("expected the folder to write to after --out");
}
