//! The options of all commands, `-` for standard input and output, colours, versions and aliases.

use crate::run::{Ran, command, path, run, run_with_input, tables};
use std::fs;
use tempfile::TempDir;

const POSITION: &str = "a1WW c3B w";

/// What starts a colour.
const ESCAPE: char = '\u{1b}';

#[test]
fn global_options_stand_before_the_command_or_after_it() {
    let tables = tables();
    let (folder, position) = (path(&tables), "a1WW c3BB w");
    let after =
        ["probe", position, "--tables", folder, "--rules", "bignor", "--threads", "2", "--json"];
    let expected = run(&after).exits(0);
    assert_eq!(expected.json()[0]["position"], position);
    for args in [
        &["--tables", folder, "--rules", "bignor", "--threads", "2", "--json", "probe", position][..],
        &["-t", folder, "-r", "bignor", "-j", "2", "-q", "--json", "probe", position],
        &["--json", "-t", folder, "probe", "-r", "bignor", "-j2", position],
        // What stands after the command counts.
        &[
            "-t", "nothing", "-r", "lasca", "probe", "-r", "bignor", "-t", folder, "--json",
            position,
        ],
    ] {
        assert_eq!(run(args).exits(0).stdout, expected.stdout, "{args:?}");
    }
    run(&["--threads", "-3", "list"]).exits(2).says("expected a whole number from 0 to 65535");
    run(&["-j", "60000", "perft", "start", "1"]).exits(2).says("expected at most");
    run(&["-t", "nothing", "probe", POSITION]).exits(1).says("nothing");
}

#[test]
fn the_last_of_equal_options_counts() {
    let tables = tables();
    let empty = TempDir::new().unwrap();
    let at = ["--tables", path(&tables), "probe", "a1WW c3BB w", "--tables", path(&tables)];
    let expected = run(&[&at[..], &["--rules", "bignor", "--json"]].concat()).exits(0).stdout;
    let twice = ["--rules", "lasca", "--rules", "bignor", "--json", "--json", "-q", "-q"];
    assert_eq!(run(&[&at[..], &twice].concat()).exits(0).stdout, expected);
    assert_eq!(run(&[&twice[..], &at].concat()).exits(0).stdout, expected);
    run(&["moves", "--color", "never", "--color", "always", POSITION]).exits(0);
    // All folders count.
    for folders in [[path(&empty), path(&tables)], [path(&tables), path(&empty)]] {
        run(&["probe", POSITION, "--tables", folders[0], "--tables", folders[1]]).exits(0);
    }
}

#[test]
fn names_of_values_may_be_in_capitals() {
    let tables = tables();
    let ask = |args: &[&str]| run(&[args, &["--tables", path(&tables)]].concat()).exits(0).stdout;
    for (args, as_listed) in [
        (&["stats", "2-1", "--rules", "LASCA"][..], &["stats", "2-1", "--rules", "lasca"][..]),
        (&["stats", "2-1", "--by", "Pieces"], &["stats", "2-1", "--by", "pieces"]),
        (&["find", "2-1", "--value", "WIN"], &["find", "2-1", "--value", "win"]),
        (
            &["find", "3-2", "--only-moves", "2", "--defence", "Every", "--color", "Never"],
            &["find", "3-2", "--only-moves", "2", "--defence", "every", "--color", "never"],
        ),
    ] {
        assert_eq!(ask(args), ask(as_listed), "{args:?}");
    }
    run(&["completions", "Bash"]).exits(0);
}

#[test]
fn suggested_commands_repeat_options_from_before_the_command() {
    let folder = TempDir::new().unwrap();
    let args = ["-t", path(&folder), "-r", "rejump", "probe", POSITION];
    let command = format!("lasca-tb generate 2-1 --rules rejump --tables {}", path(&folder));
    run(&args).exits(1).says(&command);
}

#[test]
fn several_folders_are_named_before_the_command_too() {
    let tables = tables();
    let empty = TempDir::new().unwrap();
    let folders = ["-t", path(&empty), "-t", path(&tables)];
    run(&[&folders[..], &["probe", POSITION]].concat()).exits(0);
    run(&[&["probe", POSITION][..], &folders].concat()).exits(0);
}

#[test]
fn json_is_refused_by_commands_that_have_none() {
    for args in [
        &["perft", "start", "1"][..],
        &["report", "--out", "x.html"],
        &["completions", "bash"],
        &["man", "--out", "x"],
    ] {
        for args in [[&["--json"], args].concat(), [args, &["--json"]].concat()] {
            run(&args).exits(2).says("prints no JSON");
        }
    }
    for args in [["--json", "solve", "start", "--brief"], ["solve", "start", "-b", "--json"]] {
        run(&args).exits(2).says("expected --brief or --json");
    }
    // The help lists only what has an effect.
    let help = run(&["help", "perft"]).exits(0).stdout;
    assert!(help.contains("--quiet") && !help.contains("--json"), "{help}");
    for name in ["probe", "stats", "list", "moves"] {
        let help = run(&["help", name]).exits(0).stdout;
        assert!(help.contains("docs/PROTOCOL.md"), "{help}");
        assert_eq!(help.matches("--json\n").count(), 1, "{help}");
    }
}

#[test]
fn options_without_effect_are_accepted() {
    let all = ["--tables", "nothing", "--rules", "lasca", "--threads", "1", "--quiet"];
    for args in [&["moves", POSITION][..], &["perft", "start", "1"], &["completions", "fish"]] {
        let ran = run(&[&all, args].concat()).exits(0);
        assert_eq!((ran.stderr, ran.stdout), (String::new(), run(args).exits(0).stdout));
    }
}

#[test]
fn quiet_hides_notes_and_keeps_errors_and_results() {
    let (tables, empty) = (tables(), TempDir::new().unwrap());
    let list = ["list", "--tables", path(&empty)];
    run(&list).exits(0).says("there are no tables");
    assert_eq!(run(&[&list[..], &["--quiet"]].concat()).exits(0).stderr, "");

    let lines = ["probe", "-", "--tables", path(&tables)];
    let loud = run_with_input(&lines, "a1WW c3B w\nx\n");
    let quiet = run_with_input(&[&["-q"], &lines[..]].concat(), "a1WW c3B w\nx\n");
    assert!(loud.stderr.contains("1 of 2 lines has no answer"), "{}", loud.stderr);
    assert_eq!((quiet.stderr, quiet.status), (String::new(), Some(2)));
    assert_eq!(quiet.stdout, loud.stdout);

    run(&["-q", "probe", "x", "--tables", path(&tables)]).exits(2).says("expected");
}

/// Runs the program where the environment says nothing about colours, except for this.
fn with_variable(args: &[&str], variable: Option<(&str, &str)>) -> Ran {
    let mut command = command(args);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.envs(variable);
    Ran::of(args, &command.output().unwrap())
}

#[test]
fn colours_are_used_where_they_are_asked_for() {
    let tables = tables();
    let at = ["--tables", path(&tables)];
    for args in [
        &["probe", POSITION, "--line"][..],
        &["explain", POSITION],
        &["verify", "2-1"],
        &["study", "tests/studies/01-leap-frog.study"],
    ] {
        let colored = |more: &[&str], variable| {
            let args = [more, args, &at].concat();
            let ran = with_variable(&args, variable);
            (ran.stdout.contains(ESCAPE), anstream::adapter::strip_str(&ran.stdout).to_string())
        };
        let (is_colored, plain) = colored(&[], None);
        assert!(!is_colored, "{args:?}: {plain}");
        assert_eq!(colored(&["--color", "always"], None), (true, plain.clone()), "{args:?}");
        for (more, variable, expected) in [
            (&["--color=always"][..], ("NO_COLOR", "1"), true),
            (&["--color", "never"], ("CLICOLOR_FORCE", "1"), false),
            (&["--color", "auto"], ("NO_COLOR", "1"), false),
            (&[], ("CLICOLOR_FORCE", "1"), true),
        ] {
            assert_eq!(
                colored(more, Some(variable)).0,
                expected,
                "{args:?}, {more:?}, {variable:?}"
            );
        }
    }
}

#[test]
fn colours_are_never_in_json_and_in_answers_to_lines() {
    let tables = tables();
    let at = ["--color", "always", "--tables", path(&tables)];
    let json = run(&[&at[..], &["probe", POSITION, "--json"]].concat()).exits(0);
    assert!(!json.stdout.contains(ESCAPE), "{}", json.stdout);
    let lines = run_with_input(&[&at[..], &["probe", "-"]].concat(), POSITION).exits(0);
    assert!(!lines.stdout.contains(ESCAPE), "{}", lines.stdout);
}

#[test]
fn the_table_keeps_its_columns_in_colours() {
    let tables = tables();
    let args = ["probe", "b2B d2W a7W w", "--line", "--tables", path(&tables)];
    let plain = with_variable(&args, None).exits(0).stdout;
    let args = [&args[..], &["--color", "always"]].concat();
    let colored = with_variable(&args, None).exits(0).stdout;
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}

#[test]
fn a_dash_is_standard_output_for_certificates_and_reports() {
    let (tables, folder) = (tables(), TempDir::new().unwrap());
    let file = folder.path().join("file");
    for (args, note) in [(&["certify", POSITION][..], "White wins in"), (&["report", "2-1"], "")] {
        let args = [args, &["--tables", path(&tables), "-o"]].concat();
        run(&[&args[..], &[file.to_str().unwrap()]].concat()).exits(0);
        let written = fs::read_to_string(&file).unwrap();
        let ran = run(&[&args[..], &["-"]].concat()).exits(0).says(note);
        assert_eq!(ran.stdout, written);
        let quiet = run(&[&args[..], &["-", "--quiet"]].concat()).exits(0);
        assert_eq!((quiet.stdout, quiet.stderr), (written, String::new()));
    }
    assert!(!fs::exists(std::path::Path::new(crate::ROOT).join("-")).unwrap());
    let both = ["certify", POSITION, "--json", "--out", "-", "--tables", path(&tables)];
    run(&both).exits(2).says("expected a file after --out");
}

#[test]
fn a_dash_is_standard_input_for_positions() {
    let tables = tables();
    for name in ["probe", "explain", "solve", "moves"] {
        let ask = |dash| {
            let args = [name, dash, "--tables", path(&tables)];
            run_with_input(&args, "a1WW c3B w\nb2W d4B b\n").exits(0).stdout
        };
        let answers = ask("-");
        assert_eq!((answers.lines().count(), &answers), (2, &ask("--stdin")), "{name}");
    }
}

#[test]
fn a_dash_stands_alone() {
    for name in ["probe", "explain", "solve", "moves"] {
        run_with_input(&[name, "-", "--stdin", "--row-form"], "").exits(0);
        for (args, found) in [
            (&["-", "-"][..], "- -"),
            (&[POSITION, "-"], "a1WW c3B w -"),
            (&["--stdin", POSITION], "--stdin a1WW c3B w"),
        ] {
            let found =
                format!("expected one position, or - alone for standard input, found \"{found}\"");
            run(&[&[name], args].concat()).exits(2).says(&found);
        }
    }
    run_with_input(&["study", "-", "-"], "").exits(2).says("expected - once");
}

#[test]
fn explain_is_also_called_line() {
    let tables = tables();
    let ask = |name| run(&[name, POSITION, "--tables", path(&tables)]).exits(0).stdout;
    assert_eq!(ask("line"), ask("explain"));
    run(&["-h"]).exits(0).prints("[alias: line]");
    assert_eq!(run(&["help", "line"]).exits(0).stdout, run(&["help", "explain"]).stdout);
}

#[test]
fn the_short_version_is_one_line_and_the_long_one_tells_of_the_build() {
    let short = format!("lasca-tb {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["-V"]).exits(0).stdout, short);
    let long = run(&["--version"]).exits(0).stdout;
    let lines: Vec<&str> = long.lines().collect();
    assert!(lines[0].starts_with(short.trim_end()), "{long}");
    let features = match (cfg!(feature = "mpi"), cfg!(feature = "server")) {
        (true, true) => "features: mpi, server",
        (true, false) => "features: mpi",
        (false, true) => "features: server",
        (false, false) => "features: none",
    };
    let format = format!("table format: {}", lasca_tablebase::table::VERSION);
    assert_eq!(lines[1..], [features, &format, "protocol: 2"]);
}
