//! The commands that messages suggest: copying them into a shell works.

use crate::run::{Ran, copies, path, run, tables, write_wrong_table};
use crate::{BINARY, ROOT};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The end of the suggested command after this text.
#[track_caller]
fn suggested(said: &str, after: &str) -> String {
    let (_, command) = said.split_once(after).unwrap_or_else(|| panic!("{after:?}: {said}"));
    let end = command.find(['\n', ';']).unwrap_or(command.len());
    command[..end].split(" (or add").next().unwrap().to_owned()
}

/// Runs a suggested command in a shell.
#[track_caller]
fn copy_into_shell(command: &str) -> Ran {
    assert!(command.starts_with("lasca-tb "), "{command}");
    let command = command.replacen("lasca-tb", BINARY, 1);
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(ROOT)
        .env_remove("LASCA_TABLES")
        .output()
        .unwrap();
    Ran::of(&[&command], &output)
}

/// A folder whose name a shell would read as two words, with copies of these tables.
fn folder_with_a_space(names: &[&str]) -> (TempDir, PathBuf) {
    let (from, at) = (copies(names), TempDir::new().unwrap());
    let folder = at.path().join("my tables");
    fs::rename(from.path(), &folder).unwrap();
    (at, folder)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
#[cfg(unix)]
fn a_missing_table_is_made_by_the_suggested_command() {
    let (_at, folder) = folder_with_a_space(&["lasca-1-1"]);
    let tables = ["--tables", text(&folder)];
    let probe = [&["probe", "a1WW c3B w"][..], &tables].concat();
    let ran = run(&probe).exits(1);
    copy_into_shell(&suggested(&ran.stderr, "make it with: ")).exits(0);
    run(&probe).exits(0);
    let probe = [&probe[..], &["--rules", "bignor"]].concat();
    let ran = run(&probe).exits(1);
    copy_into_shell(&suggested(&ran.stderr, "or make the table with: ")).exits(0);
    run(&probe).exits(0);
}

#[test]
#[cfg(unix)]
fn what_the_tables_do_not_cover_is_answered_by_the_command_that_the_error_names() {
    let (_at, folder) = folder_with_a_space(&["lasca-1-1"]);
    for (command, position, rules) in [
        ("probe", "c5w e5W d2b w", "lasca"),
        ("explain", "a1WWWWWWW g7BBBBBB w", "lasca"),
        ("probe", "a1W b2BB w", "rejump"),
    ] {
        let args = [command, position, "--tables", text(&folder), "--rules", rules];
        let ran = run(&args).exits(1);
        let solve = suggested(&ran.stderr, "a search can answer: ");
        assert!(solve.contains("my tables"), "{solve}");
        copy_into_shell(&format!("{solve} --brief --seconds 20")).exits(0);
    }
}

#[test]
#[cfg(unix)]
fn a_suggested_command_names_the_folder_that_the_variable_names() {
    let (_at, folder) = folder_with_a_space(&["lasca-1-1"]);
    let probe = |folder: &Path| {
        let mut command = Command::new(BINARY);
        command.args(["probe", "a1WW c3B w"]).env("LASCA_TABLES", folder);
        Ran::of(&["probe"], &command.output().unwrap())
    };
    let ran = probe(&folder).exits(1);
    copy_into_shell(&suggested(&ran.stderr, "make it with: ")).exits(0);
    probe(&folder).exits(0);
}

#[test]
#[cfg(unix)]
fn messages_do_not_depend_on_the_name_of_the_program_s_file() {
    let folder = TempDir::new().unwrap();
    let other = folder.path().join("other-name");
    std::os::unix::fs::symlink(BINARY, &other).unwrap();
    let said = |program: &Path, args: &[&str]| {
        let ran = Ran::of(args, &Command::new(program).args(args).output().unwrap());
        ran.exits(2).stderr
    };
    for args in [&["generate"][..], &["generate", "--nothing"], &["nothing"], &["perft"]] {
        assert_eq!(said(&other, args), said(Path::new(BINARY), args));
    }
    assert!(said(&other, &["generate"]).contains("\nUsage: lasca-tb generate "));
}

#[test]
#[cfg(unix)]
fn a_missing_folder_and_an_empty_one_get_tables_by_the_suggested_command() {
    let at = TempDir::new().unwrap();
    let (missing, empty) = (at.path().join("not yet"), at.path().join("it's empty"));
    fs::create_dir(&empty).unwrap();
    for folder in [missing, empty] {
        let list = ["list", "--tables", text(&folder)];
        let ran = run(&list);
        let command = suggested(&ran.stderr, "make tables with: ");
        assert!(command.starts_with("lasca-tb generate --up-to 6 --tables "), "{command}");
        copy_into_shell(&command.replace("--up-to 6", "--up-to 3")).exits(0);
        assert_eq!(run(&list).exits(0).stderr, "");
    }
    let ran = run(&["verify", "--rules", "rejump", "--tables", path(&at)]).exits(1);
    let command = suggested(&ran.stderr, "make tables with: ");
    assert!(command.starts_with("lasca-tb generate --up-to 6 --rules rejump --tables "));
}

#[test]
#[cfg(unix)]
fn a_damaged_table_is_mended_by_the_command_that_verify_names() {
    let sound = tables();
    for ending in ["ltbw", "ltbd"] {
        let (_at, folder) = folder_with_a_space(&["lasca-2-1", "lasca-1-1"]);
        let file = folder.join("lasca-2-1").with_extension(ending);
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
        // The command is about the folder of the file, even if another one holds a sound table.
        let folders = ["--tables", text(&folder), "--tables", path(&sound)];
        let verify = [&["verify"][..], &folders].concat();
        let ran = run(&verify).exits(1).prints("DAMAGED");
        assert_eq!(ran.stdout.matches("mend it with: ").count(), 1, "{}", ran.stdout);
        copy_into_shell(&suggested(&ran.stdout, "mend it with: ")).exits(0);
        run(&verify).exits(0);
    }
}

#[test]
#[cfg(unix)]
fn a_table_of_another_version_and_one_with_wrong_values_are_to_be_removed_first() {
    let (_at, folder) = folder_with_a_space(&["lasca-2-1"]);
    let file = folder.join("lasca-2-1.ltbw");
    let mut bytes = fs::read(&file).unwrap();
    // The format version stands behind the eight bytes that every table begins with.
    bytes[8] ^= 0x40;
    fs::write(&file, bytes).unwrap();
    let verify = ["verify", "--tables", text(&folder)];
    for _ in 0..2 {
        let ran = run(&verify).exits(1);
        let (_, file) = ran.stdout.split_once(" remove ").expect(&ran.stdout);
        let (file, _) = file.split_once(", and then make the table again with: ").unwrap();
        let command = suggested(&ran.stdout, "again with: ");
        fs::remove_file(file).unwrap();
        copy_into_shell(&command).exits(0);
        run(&verify).exits(0);
        // The second time, its values are wrong.
        write_wrong_table(&folder);
    }
}

#[test]
fn a_suggested_command_is_not_broken_into_lines() {
    let deep = TempDir::new().unwrap();
    let folder = deep.path().join("a".repeat(90));
    fs::create_dir(&folder).unwrap();
    let study = "tests/studies/09-three-officers-each.study";
    let args = ["study", study, "--seconds", "0", "--tables", text(&folder)];
    let ran = run(&args);
    let command = suggested(&ran.stdout, "make them with: ");
    assert!(command.ends_with(&format!(" --tables {}", text(&folder))), "{command}");
}
