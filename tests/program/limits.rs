//! What the program does where the system gives it little: memory, threads, and files of any length.

#![cfg(target_os = "linux")]

use crate::common::tables::shipped;
use crate::run::{Folder, Ran, output, process, run, run_under};
use std::fs;

/// Whether the system refused memory that the program cannot do without.
fn has_aborted(ran: &Ran) -> bool {
    ran.status.is_none() && ran.stderr.starts_with("memory allocation of ")
}

/// Expects that it is done, or that one message says why it is not. Returns whether it is done.
#[track_caller]
fn is_done_or_says_why(ran: Ran) -> bool {
    let Ran { line, status, stdout, stderr } = &ran;
    let about = format!("{line}: {status:?}\n{stdout}\n{stderr}");
    match status {
        Some(0) => assert_eq!(stderr, "", "{about}"),
        Some(2) => {
            assert!(stderr.starts_with("lasca-tb: "), "{about}");
            let others = stderr.lines().skip(1).filter(|line| !line.starts_with("hint: "));
            assert_eq!(others.count(), 0, "{about}");
        }
        _ => assert!(has_aborted(&ran), "{about}"),
    }
    // Intact tables are not called damaged because they cannot be read.
    assert!(!about.to_lowercase().contains("damage"), "{about}");
    *status == Some(0)
}

#[track_caller]
fn has_the_shipped_bytes(folder: &Folder, material: &str) {
    for name in ["ltbw", "ltbd"].map(|ending| format!("lasca-{material}.{ending}")) {
        assert!(folder.read(&name) == fs::read(shipped().join(&name)).unwrap(), "{name}");
    }
}

/// Command lines of work for several threads. What they write comes to this folder, or is printed.
fn work(folder: &Folder) -> Vec<String> {
    [
        &format!("generate 3-2 --tables {}", folder.name()),
        "verify 3-2",
        "stats 3-2 --by pieces --zugzwang=2",
        "find 3-2 --only-moves 2",
        "solve 'a1B b2w b4wwb w'",
        "certify 'a1WWW b2BBB w' --out -",
    ]
    .map(|line| format!("{line} --quiet"))
    .to_vec()
}

#[test]
fn threads_that_cannot_be_started_are_a_message() {
    let serve = cfg!(feature = "server").then_some("serve --addr 127.0.0.1:0");
    for line in ["verify 2-1", "probe --stdin", "solve --stdin"].into_iter().chain(serve) {
        // No stack of this size can be had.
        let mut command = process(&format!("{line} --threads 2"));
        command.env("RUST_MIN_STACK", (1u64 << 56).to_string());
        Ran::of(line, &output(&mut command, "")).exits(2).says("cannot start ");
    }
}

#[test]
fn every_command_is_done_or_says_why_where_memory_is_scarce() {
    // With about so much, most work has no room, some of it has, and threads cannot be started. With less than the
    // first, the system itself cannot start the program.
    let mut done = Vec::new();
    for limit in [&format!("-v {}", least_address_space()), "-v 30000", "-d 2000"] {
        let folder = Folder::empty();
        for line in work(&folder) {
            let ran = run_under(limit, &format!("{line} --threads 2"), "");
            done.push(is_done_or_says_why(ran));
        }
        // A program that ends early leaves its input unread.
        let input = "a1WWW b2BBB w\n".repeat(100);
        done.push(is_done_or_says_why(run_under(limit, "probe --stdin --brief", &input)));
    }
    assert!(done.contains(&true) && done.contains(&false), "{done:?}");
}

/// The least limit of addresses, in KiB, with which the program can begin. It depends on how it is compiled.
fn least_address_space() -> u64 {
    let begins = |limit: &u64| run_under(&format!("-v {limit}"), "-V", "").status == Some(0);
    (1000..100_000).step_by(1000).find(begins).unwrap()
}

#[test]
fn a_small_stack_and_few_open_files_are_enough() {
    let folder = Folder::empty();
    for line in [
        "--help",
        "list",
        "probe 'a1WWW b2BBB w' --line",
        "study tests/studies/01-leap-frog.study",
        "perft start 5",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain(work(&folder))
    {
        run_under("-s 1024", &line, "").exits(0);
    }
    run_under("-n 16", "list", "").exits(0);
    let verified = run_under("-n 16", "verify --bytes-only --threads 2", "").exits(0);
    assert!(verified.stdout.matches("bytes intact").count() == 9, "{}", verified.stdout);
}

#[test]
fn the_limit_of_open_files_is_raised_as_far_as_the_system_allows() {
    let tables = Folder::of_bignor(&["1-1", "2-1", "2-2", "3-1", "3-2", "4-1"]);
    let line = format!("probe - --rules bignor --tables {}", tables.name());
    let input = "a1W g7B w\na1WW g7B w\na1WW g7BB w\na1WWW g7B w\na1WWW g7BB w\na1WWWW g7B w\n";
    for options in ["", " --json --line --threads 1"] {
        run_under("-Sn 8", &format!("{line}{options}"), input).exits(0);
    }
}

#[test]
fn a_table_whose_memory_the_system_refuses_is_not_begun() {
    let folder = Folder::empty();
    // It needs 162 MiB. What this limit leaves does not count as free, so that only the system knows of it.
    let generate = format!("generate 5-3 --threads 1 --tables {}", folder.name());
    run_under("-d 40000", &generate, "").exits(2).says("there is not enough memory");
    assert!(folder.names().is_empty());
}

/// Such a limit stands in for a full disk too: both make a write fail half-way.
#[test]
fn a_file_that_may_not_grow_further_is_a_message_and_the_next_run_goes_on() {
    let folder = Folder::empty();
    let generate = format!("generate 3-2 --threads 1 --tables {}", folder.name());
    run_under("-f 8", &generate, "").exits(2).says("File too large");
    let checkpoints = format!("{generate} --checkpoint 0.000001");
    run_under("-f 8", &checkpoints, "").exits(2).says("File too large");
    assert!(!folder.join("lasca-3-2.ltbw").exists());
    let made = run_under("-f unlimited", &format!("{generate} --json"), "").exits(0).answer();
    assert!(made["solved_positions"].as_u64() < made["positions"].as_u64(), "{made}");
    has_the_shipped_bytes(&folder, "3-2");
}

#[test]
fn there_are_as_many_threads_as_there_is_memory_for() {
    let folder = Folder::empty();
    folder.run("generate 4-2 --memory 8M --threads 64 --quiet").exits(0);
    has_the_shipped_bytes(&folder, "4-2");
    let met = [1, 64].map(|threads| {
        let line = format!("solve start --json --memory 4M --threads {threads}");
        run(line).exits(1).answer()["positions"].as_f64().unwrap()
    });
    assert!(met[1] > 0.9 * met[0], "{met:?}");
}
