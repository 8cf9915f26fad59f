//! `lasca-tb list`, and where the program looks for tables.

use crate::ROOT;
use crate::run::{Folder, Ran, copy, output, process, with_home};
use std::fs;

/// Runs the program where nobody has made tables: in this empty folder, which is the user's home too. The variable
/// may name folders.
fn run_in(home: &Folder, line: impl AsRef<str>, variable: Option<&str>, input: &str) -> Ran {
    let mut process = process(line.as_ref());
    with_home(process.current_dir(home), home);
    process.envs(variable.map(|folders| ("LASCA_TABLES", folders)));
    Ran::of(line.as_ref(), &output(&mut process, input))
}

#[test]
fn every_command_that_asks_tables_answers_without_any_folder() {
    let home = Folder::empty();
    let run = |line: &str, input: &str| run_in(&home, line, None, input);
    for (line, prints) in [
        ("probe 'a1WWW b2BBB w'", "White wins in 5 plies."),
        ("probe 'a1WWW b2BBB w' --line", "White has won."),
        ("explain 'd2W d4W f2B f4B b'", "Black holds only by f2-g3"),
        ("solve 'c3WW e3BW b6B w' --brief --exact", "win 19"),
        ("stats 3-2", "3-2 under lasca rules"),
        ("stats 2-1 --longest 1", "2-1 under lasca rules"),
        ("find 3-2 --only-moves 2 --limit 1", "# 3-2: "),
        ("certify 'c3W e5W c5B e3B b' --out -", "verdict white wins in 12"),
        ("list --json", "\"material\":\"3-3\",\"rules\":\"lasca\",\"path\":null,"),
    ] {
        run(line, "").exits(0).prints(prints);
    }
    run("probe --stdin", "a1W b2B w\n").exits(0).prints("\"dtw\":1");
    run("study - --seconds 0", "c3W e5W c5B e3B b loses\n").exits(0).prints("1 confirmed");
    let listed = run("list", "").exits(0).quietly().stdout;
    assert_eq!(listed.matches("inside the program\n").count(), 9, "{listed}");
    // The tables inside the program are for one rule set, and are no files to check.
    run("list --rules bignor", "").exits(0).says("there are no tables for bignor rules in ");
    let missing = "the table of 2-1 under rejump rules is missing\nhint: lasca-tb generate 2-1 --rules rejump";
    for command in ["probe 'a1WW c3B w'", "explain 'a1WW c3B w'", "stats 2-1", "find 2-1"] {
        run(&format!("{command} --rules rejump --make 0"), "").exits(1).says(missing);
    }
    let missing = "the table of 4-3 under lasca rules is missing\nhint: lasca-tb generate 4-3\n";
    for command in ["probe 'a1WWWW c3BBB w'", "stats 4-3", "find 4-3"] {
        run(&format!("{command} --make 0"), "").exits(1).says(missing);
    }
    run("verify", "").exits(1).says("there is no folder `");
    run("verify 2-1", "").exits(1).says("there is no folder `");
    assert!(home.names().is_empty());
}

#[test]
fn without_the_tables_inside_the_program_only_those_in_folders_are_used() {
    let (home, folder) = (Folder::empty(), Folder::with(&["2-1"]));
    let run = |line: String| run_in(&home, line, None, "");
    let missing = "the table of 2-1 under lasca rules is missing";
    for line in ["probe 'a1WW c3B w'", "explain 'a1WW c3B w'", "stats 2-1", "find 2-1"] {
        run(format!("{line} --no-included --make 0")).exits(1).says(missing);
        let with_folder = run(format!("--no-included {line} --tables {}", folder.name())).exits(0);
        assert_eq!(with_folder.stdout, run(line.to_owned()).exits(0).stdout);
    }
    for (line, count) in [("list --json --no-included", 0), ("list --json", 9)] {
        assert_eq!(run(line.to_owned()).exits(0).json().len(), count);
    }
    let solve = |option: &str| {
        let solved = run(format!("solve 'b2B d2W a7W w' --exact --json --make 0 {option}"))
            .exits(0)
            .answer();
        (solved["dtw"].as_u64(), solved["positions"] == 1)
    };
    assert_eq!((solve(""), solve("--no-included")), ((Some(5), true), (Some(5), false)));
    let study = format!("study {ROOT}/tests/studies/05-two-oppositions.study --seconds 0 --make 0");
    run(format!("{study} --no-included")).exits(0).prints("not in the tables");
}

#[test]
fn a_folder_that_nobody_named_is_passed_over_if_it_cannot_be_read() {
    let home = Folder::empty();
    let tables = with_home(&mut process(""), &home);
    fs::create_dir_all(tables.parent().unwrap()).unwrap();
    fs::write(tables, "a file where a folder should be").unwrap();
    for line in ["list", "probe 'a1WW c3B w'", "stats 2-1", "solve 'a1WW c3B w'"] {
        run_in(&home, line, None, "").exits(0).quietly();
    }
}

#[test]
fn the_folders_are_the_option_else_the_variable_else_tables_and_that_of_the_user() {
    let (tables, elsewhere) = (Folder::of_bignor(&["1-1", "2-1"]), Folder::of_bignor(&["3-1"]));
    let home = Folder::empty();
    let list = |args: &str, variable| {
        run_in(&home, format!("list --json --rules bignor {args}"), variable, "")
    };
    let count = |ran: Ran| ran.exits(0).json().len();
    assert_eq!(count(list("", Some(elsewhere.name()))), 1);
    assert_eq!(count(list(&format!("--tables {}", tables.name()), Some(elsewhere.name()))), 2);
    // The variable can name several.
    let joined = std::env::join_paths([&*elsewhere, &*tables]).unwrap();
    assert_eq!(count(list("", joined.to_str())), 3);
    let of_user = with_home(&mut process(""), &home);
    for variable in [None, Some("")] {
        let listed = list("", variable).says("there are no tables for bignor rules in ");
        assert_eq!(count(listed.says(&of_user.display().to_string())), 0);
    }
    // It is made when tables are.
    let generate = |materials: &str| {
        run_in(&home, format!("generate {materials} --rules bignor"), None, "").exits(0)
    };
    let says = format!("tables are written to {}\n", of_user.display());
    generate("1-1 2-1 3-1").says(&says);
    assert_eq!(count(list("", None)), 3);
    // Beside `tables`, where new ones are made, that of the user is read too.
    let here = home.join("tables");
    fs::create_dir(&here).unwrap();
    assert_eq!(count(list("", None)), 3);
    generate("4-1 3-1").quietly();
    assert_eq!((count(list("", None)), here.read_dir().unwrap().count()), (4, 2));
    // What is there twice is listed once.
    copy(&of_user, "bignor-3-1", &here, "bignor-3-1");
    assert_eq!(count(list("", None)), 4);
    // But not in place of a damaged one.
    home.damage("tables/bignor-3-1.ltbw", 0..1);
    assert_eq!(list("", None).exits(1).json().len(), 5);
}
