//! `SHA256SUMS`: `verify` and `list` compare a folder with the list of a release.

use crate::common::tables::shipped;
use crate::run::Folder;
use std::fs;

#[test]
fn verify_compares_the_tables_with_the_list_of_their_folder_and_list_says_what_is_missing() {
    let whole = fs::read_to_string(shipped().join("SHA256SUMS")).unwrap();
    let lines = whole.lines().filter(|line| line.contains("-2-1.") || line.contains("-1-1."));
    // What a list says of other files does not matter.
    let others = format!("{0}  README.md\n{0}  more/notes\n\n", "0".repeat(64));
    let listed: String = lines.map(|line| format!("{line}\n")).chain([others]).collect();
    let folder = Folder::with(&["1-1", "2-1"]);
    folder.write("SHA256SUMS", &listed);
    let verified = folder.run("verify --json").exits(0).json();
    assert_eq!(verified.iter().map(|line| &line["as_listed"]).collect::<Vec<_>>(), [true, true]);
    folder.run("list").exits(0).says("all tables that").says("SHA256SUMS names are here");

    // Its own checksums tell nothing of a good table in place of another one.
    let distances = folder.read("lasca-2-1.ltbd");
    folder.remove("lasca-2-1.ltbd");
    folder.run("verify").exits(1).prints("NOT AS LISTED\n  ").prints("there is no DTW file");
    let missing = "SHA256SUMS names files that are not here: lasca-2-1.ltbd\n";
    folder.run("list").exits(0).says(missing);
    folder.write("lasca-2-1.ltbd", distances);
    let sum = listed.find("  lasca-2-1.ltbw").unwrap() - 64;
    let mut other = listed.clone();
    other.replace_range(sum..sum + 64, &"0".repeat(64));
    folder.write("SHA256SUMS", &other);
    folder.run("verify 1-1").exits(0);
    folder
        .run("verify 2-1 --bytes-only")
        .exits(1)
        .prints("bytes intact; NOT AS LISTED\n")
        .prints("lasca-2-1.ltbw is not the file that SHA256SUMS names");

    folder.write("SHA256SUMS", &listed);
    folder.remove("lasca-2-1.ltbw");
    folder.run("verify").exits(1).prints("2-1 under lasca rules: MISSING\n");
    folder.run("verify --rules bignor").exits(1).says("no tables");
    // Twice the same is no contradiction.
    folder.write(
        "SHA256SUMS",
        format!("{0}  lasca-3-1.ltbw\n{0}  ./lasca-3-1.ltbw\n", "0".repeat(64)),
    );
    folder.run("list").exits(0);
    let other = format!("{}  lasca-3-1.ltbw\n{}  lasca-3-1.ltbw\n", "0".repeat(64), "1".repeat(64));
    folder.write("SHA256SUMS", other);
    for line in ["verify", "list"] {
        folder
            .run(line)
            .exits(2)
            .says("SHA256SUMS, line 2: expected the sum of lasca-3-1.ltbw that");
    }
    for name in ["more/lasca-1-1.ltbw", "../lasca-1-1.ltbw", "/lasca-1-1.ltbw"] {
        folder.write("SHA256SUMS", format!("{}  {name}\n", "0".repeat(64)));
        let said =
            format!("SHA256SUMS names tables in other folders, which are not checked: {name}\n");
        let listed = folder.run("list").exits(0).says(&said);
        assert!(!listed.stderr.contains("all tables"), "{}", listed.stderr);
        folder.run("verify").exits(1).says(&said);
        folder.run("verify 1-1").exits(0);
    }
    folder.write("SHA256SUMS", "abc  lasca-2-1.ltbw\n");
    for line in ["verify", "list"] {
        let ran = folder.run(line).exits(2);
        ran.says("SHA256SUMS, line 1: expected a SHA-256 of 64 digits, two spaces");
    }
}

#[test]
#[cfg(unix)]
fn pipes_in_place_of_tables_and_lists_are_not_waited_for() {
    let folder = Folder::with(&["1-1"]);
    let whole = fs::read_to_string(shipped().join("SHA256SUMS")).unwrap();
    folder.write("SHA256SUMS", whole.lines().next().unwrap());
    let put_pipe = |name: &str| {
        folder.remove(name);
        assert!(
            std::process::Command::new("mkfifo").arg(folder.file(name)).status().unwrap().success()
        );
    };
    put_pipe("lasca-1-1.ltbd");
    put_pipe("lasca-1-1.ltbw");
    folder.run("verify").exits(1).prints("CANNOT BE READ\n").prints_none_of(&["AS LISTED"]);
    put_pipe("SHA256SUMS");
    folder.run("list").exits(2).says("SHA256SUMS: expected a regular file");
}
