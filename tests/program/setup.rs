//! What packages and users install beside the program: completions for shells, and manual pages.

use crate::common::unchecked::not_checked;
use crate::run::{Folder, Ran, run};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// Runs a program with these arguments; `None` if it is not installed, which is told at the end, or if it may be
/// another one than that of Linux: macOS has a very old bash and another man, and the bash of Windows may be an
/// invitation to install Linux.
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

/// Writes the completions for a shell to a file of the folder.
fn completions(shell: &str, folder: &Folder) -> String {
    folder.write(shell, run(format!("completions {shell}")).exits(0).quietly().stdout);
    folder.file(shell)
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
fn each_shell_accepts_its_completions() {
    let folder = Folder::empty();
    for shell in ["bash", "zsh", "fish"] {
        let script = completions(shell, &folder);
        if let Some(ran) = run_if_installed(shell, &["-n", &script]) {
            ran.exits(0).quietly();
        }
    }
    let script = fs::read_to_string(completions("powershell", &folder)).unwrap();
    assert!(script.contains("Register-ArgumentCompleter") && script.contains("'generate'"));
}

#[test]
fn bash_and_fish_complete_commands_options_and_their_values() {
    let folder = Folder::empty();
    let [bash, fish] = ["bash", "fish"].map(|shell| completions(shell, &folder));
    let ask_bash = "source \"$1\"; shift; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
        _lasca__tb lasca-tb \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"; echo \"${COMPREPLY[*]}\"";
    let ask_fish = "source $argv[1]; complete -C $argv[2]";
    for (line, completed) in [
        ("lasca-tb pro", "probe"),
        ("lasca-tb probe --bri", "--brief"),
        ("lasca-tb stats --rules b", "bignor"),
    ] {
        let args = ["--norc", "-c", ask_bash, "bash", &bash, line];
        if let Some(ran) = run_if_installed("bash", &args) {
            assert_eq!(ran.quietly().stdout.trim_end(), completed, "{line}");
        }
        if let Some(ran) = run_if_installed("fish", &["--no-config", "-c", ask_fish, &fish, line]) {
            // A description may follow after a tab.
            let offered = ran.stdout.lines().filter_map(|line| line.split('\t').next());
            assert_eq!(offered.collect::<Vec<_>>(), [completed], "{line}: {}", ran.stderr);
        }
    }
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
