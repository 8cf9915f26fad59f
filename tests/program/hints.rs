//! The commands that messages suggest: copying them into a shell works.

use crate::BINARY;
use crate::common::tables::clone;
#[cfg(unix)]
use crate::run::write_wrong_table;
use crate::run::{Folder, Ran, output, process, run};
use std::fs;
use std::process::Command;

/// How the hint begins that makes a table.
const GENERATE: &str = "hint: lasca-tb generate";

/// The suggested command at the end of a line in which this text stands. The text ends with the command's name.
#[track_caller]
fn suggested(said: &str, text: &str) -> String {
    let at = said.find(text).unwrap_or_else(|| panic!("{text:?}: {said}"));
    let line = said[at..].lines().next().unwrap();
    line[line.find("lasca-tb ").unwrap()..].to_owned()
}

/// Runs a suggested command in a shell.
#[track_caller]
fn copy_into_shell(command: &str) -> Ran {
    assert!(command.starts_with("lasca-tb "), "{command}");
    #[cfg(unix)]
    let (mut shell, command) = {
        let command = command.replacen("lasca-tb", BINARY, 1);
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]);
        (shell, command)
    };
    #[cfg(windows)]
    let (mut shell, command) = {
        use std::os::windows::process::CommandExt;
        // The shell works on the drive of its folder.
        let program = std::path::absolute(BINARY).unwrap();
        let command = command.replacen("lasca-tb", program.to_str().unwrap(), 1);
        let mut shell = Command::new("cmd");
        shell.args(["/D", "/S", "/C"]).raw_arg(format!("\"{command}\""));
        (shell, command)
    };
    let output = shell.current_dir(clone()).env_remove("LASCA_TABLES").output().unwrap();
    Ran::of(&command, &output)
}

/// A folder in another one whose name a shell would read as two words, with copies of these tables. The
/// name is quoted.
fn folder_with_a_space(materials: &[&str]) -> (Folder, Folder, String) {
    let (from, at) = (Folder::with(materials), Folder::empty());
    #[cfg(unix)]
    std::os::unix::fs::symlink(&*from, at.join("my tables")).unwrap();
    #[cfg(windows)]
    {
        fs::create_dir(at.join("my tables")).unwrap();
        for name in from.names() {
            fs::copy(from.join(&name), at.join("my tables").join(name)).unwrap();
        }
    }
    let name = format!("'{}'", at.file("my tables"));
    (from, at, name)
}

#[test]
fn a_missing_table_is_made_by_the_suggested_command() {
    let (_from, at, name) = folder_with_a_space(&["1-1"]);
    for line in ["probe 'a1WWWWWW c3B w'", "probe 'a1WW c3B w' --rules bignor"] {
        let line = format!("{line} --tables {name} --make 0");
        copy_into_shell(&suggested(&run(&line).exits(1).stderr, GENERATE)).exits(0);
        run(&line).exits(0);
    }
    // It names the folder that the variable names.
    let probe = || {
        let mut command = process("probe 'a1WWW c3B w' --rules rejump --make 0");
        Ran::of("probe", &output(command.env("LASCA_TABLES", at.join("my tables")), ""))
    };
    copy_into_shell(&suggested(&probe().exits(1).stderr, GENERATE)).exits(0);
    probe().exits(0);
}

#[test]
fn what_the_tables_do_not_cover_is_answered_by_the_command_that_the_error_names() {
    let (_from, _at, name) = folder_with_a_space(&["1-1"]);
    for (command, rules) in [
        ("probe 'c5w e5W d2b w'", "lasca"),
        ("explain 'a1WWWWWWW g7BBBBBB w'", "lasca"),
        ("probe 'a1W b2BB w'", "rejump"),
    ] {
        let ran = run(format!("{command} --tables {name} --rules {rules} --make 0")).exits(1);
        let solve = suggested(&ran.stderr, "hint: lasca-tb solve");
        assert!(solve.contains("my tables"), "{solve}");
        let longer = solve.replace("--seconds 10", "--seconds 20");
        assert_ne!(longer, solve);
        copy_into_shell(&format!("{longer} --brief")).exits(0);
    }
}

#[cfg(unix)]
#[test]
fn messages_do_not_depend_on_the_name_of_the_program_s_file() {
    let folder = Folder::empty();
    std::os::unix::fs::symlink(BINARY, folder.join("other-name")).unwrap();
    for args in [&["generate"][..], &["generate", "--nothing"], &["nothing"], &["perft"]] {
        let output = Command::new(folder.join("other-name")).args(args).output().unwrap();
        let other = Ran::of("", &output).exits(2).stderr;
        assert_eq!(other, run(args.join(" ")).exits(2).stderr);
        assert!(args.len() == 1 || other.contains("\nUsage: lasca-tb generate "), "{other}");
    }
}

#[cfg(unix)]
#[test]
fn a_damaged_table_is_mended_by_the_command_that_verify_names() {
    for file in ["lasca-2-1.ltbw", "lasca-2-1.ltbd"] {
        let (from, _at, name) = folder_with_a_space(&["2-1", "1-1"]);
        let len = from.read(file).len();
        from.damage(file, len - 8..len);
        // The command is about the folder of the file, even if another one holds a sound table.
        let verify = format!("verify --tables {name} --tables tables 1-1 2-1");
        let ran = run(&verify).exits(1).prints("DAMAGED");
        assert_eq!(ran.stdout.matches(GENERATE).count(), 1, "{}", ran.stdout);
        copy_into_shell(&suggested(&ran.stdout, GENERATE)).exits(0);
        run(&verify).exits(0);
    }
}

#[cfg(unix)]
#[test]
fn a_table_of_another_version_and_one_with_wrong_values_are_to_be_removed_first() {
    let (from, _at, name) = folder_with_a_space(&["2-1"]);
    let verify = format!("verify --tables {name}");
    // The format version stands behind the eight bytes that every table begins with.
    from.damage("lasca-2-1.ltbw", 8..9);
    for _ in 0..2 {
        let ran = run(&verify).exits(1);
        let (_, file) = ran.stdout.split_once(" remove ").expect(&ran.stdout);
        let (file, _) = file.split_once(", and then make the table again with: ").unwrap();
        let command = suggested(&ran.stdout, "again with: lasca-tb generate");
        fs::remove_file(file.trim_matches('"')).unwrap();
        copy_into_shell(&command).exits(0);
        run(&verify).exits(0);
        // The second time, its values are wrong.
        write_wrong_table(&from);
    }
}
