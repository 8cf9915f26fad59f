//! The options of all commands, `-` for standard input and output, versions and aliases.

use crate::run::{Folder, run, run_with_input};

const POSITION: &str = "'a1WW c3B w'";

#[test]
fn global_options_stand_before_the_command_or_after_it_and_the_last_counts() {
    let (tables, empty) = (Folder::of_other_rules(), Folder::empty());
    let folder = tables.name();
    let probe = "probe 'a1WW c3BB w'";
    let after = format!("{probe} --tables {folder} --rules bignor --threads 2 --json");
    let expected = run(after).exits(0);
    assert_eq!(expected.answer()["position"], "a1WW c3BB w");
    for line in [
        format!("--tables {folder} --rules bignor --threads 2 --json {probe}"),
        format!("-t {folder} -r bignor -j 2 -q --json {probe}"),
        format!("--json -t {folder} -r bignor -j2 {probe}"),
        // What stands after the command counts, and of equal options the last.
        format!("-t nothing -r lasca {probe} -r bignor -t {folder} --json"),
        format!("{probe} -t {folder} -r lasca -r bignor --json --json -q -q"),
        format!("-r lasca -r bignor --json --json -q -q -t {folder} {probe}"),
        // All folders count.
        format!("-t {} -t {folder} -r bignor --json {probe}", empty.name()),
        format!("{probe} -t {folder} -t {} -r bignor --json", empty.name()),
    ] {
        assert_eq!(run(&line).exits(0).stdout, expected.stdout, "{line}");
    }
    run(format!("-t nothing probe {POSITION}")).exits(1).says("nothing");
    // Other options are given once, unless their help says more.
    for line in ["solve start --seconds 1 --seconds 2", "serve --addr [::1]:0 --addr 127.0.0.1:0"] {
        run(line).exits(2).says("cannot be used multiple times");
    }
    // Suggested commands repeat what stands before the command.
    let command = format!("lasca-tb generate 2-1 --rules rejump --tables {}", empty.name());
    run(format!("-t {} -r rejump probe {POSITION} --make 0", empty.name())).exits(1).says(&command);
}

#[test]
fn quiet_hides_notes_and_keeps_errors_and_results() {
    let empty = Folder::empty();
    empty.run("list --rules bignor").exits(0).says("there are no tables");
    empty.run("list --rules bignor --quiet").exits(0).quietly();
    let loud = run_with_input("probe -", "a1WW c3B w\nx\n").exits(2);
    let quiet = run_with_input("-q probe -", "a1WW c3B w\nx\n").quietly();
    let loud = loud.says("1 of 2 lines has no answer");
    assert_eq!((quiet.status, quiet.stdout), (Some(2), loud.stdout));
    run("-q probe x").exits(2).says("expected");
}

#[test]
fn a_dash_is_standard_output_for_certificates_and_pictures() {
    let folder = Folder::empty();
    for (line, note) in [("certify 'a1WW c3B w'", "White wins in"), ("picture start", "")] {
        run(format!("{line} -o {}", folder.file("file"))).exits(0);
        let written = String::from_utf8(folder.read("file")).unwrap();
        assert_eq!(run(format!("{line} -o -")).exits(0).says(note).stdout, written);
        assert_eq!(run(format!("{line} -o - --quiet")).exits(0).quietly().stdout, written);
    }
}

#[test]
fn the_short_version_is_one_line_and_the_long_one_tells_of_the_build() {
    let short = format!("lasca-tb {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run("-V").exits(0).stdout, short);
    let long = run("--version").exits(0).stdout;
    let lines: Vec<&str> = long.lines().collect();
    assert!(lines[0].starts_with(short.trim_end()), "{long}");
    let format = format!("table format: {}", lasca_tablebase::table::VERSION);
    assert_eq!(lines[1..], [&format, "protocol: 2"]);
}
