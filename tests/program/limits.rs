//! What the program does where the system gives it little: memory, threads, and files of any length.

#![cfg(target_os = "linux")]

use crate::run::{Ran, command, path};
use crate::{BINARY, ROOT};
use assert_cmd::Command;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tables");

/// The command under a limit of the shell, such as `-v 20000`.
fn under(limit: &str, args: &[&str]) -> Command {
    let mut command = Command::new("bash");
    command
        .args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), BINARY])
        .args(args)
        .current_dir(ROOT)
        .env("LASCA_TABLES", SHIPPED)
        .timeout(Duration::from_secs(60));
    command
}

fn run_under(limit: &str, args: &[&str]) -> Ran {
    Ran::of(args, &under(limit, args).output().unwrap())
}

/// Expects that it is done, or that one message says why it is not.
#[track_caller]
fn is_done_or_says_why(limit: &str, ran: Ran) {
    let Ran { args, status, stdout, stderr } = &ran;
    let about = format!("{limit}: {args}: {status:?}\n{stdout}\n{stderr}");
    match status {
        Some(0) => assert_eq!(stderr, "", "{about}"),
        Some(2) => {
            assert!(stderr.starts_with("lasca-tb: "), "{about}");
            assert_eq!(stderr.lines().count(), 1, "{about}");
        }
        _ => panic!("{about}"),
    }
    // Intact tables are not called damaged because they cannot be read.
    assert!(!about.to_lowercase().contains("damage"), "{about}");
}

#[track_caller]
fn has_the_shipped_bytes(folder: &Path, material: &str) {
    for ending in ["ltbw", "ltbd"] {
        let name = format!("lasca-{material}.{ending}");
        let expected = fs::read(Path::new(SHIPPED).join(&name)).unwrap();
        assert!(fs::read(folder.join(&name)).unwrap() == expected, "{name}");
    }
}

#[test]
fn every_command_is_done_or_says_why_where_memory_is_scarce() {
    // With about so much, most work has no room, some of it has, and threads cannot be started.
    for limit in ["-v 20000", "-v 30000", "-d 2000"] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("file");
        let (folder, file) = (path(&folder), file.to_str().unwrap());
        for args in [
            &["generate", "3-2", "--threads", "2", "--tables", folder][..],
            &["verify", "3-2", "--threads", "2"],
            &["stats", "3-2", "--by", "pieces", "--zugzwang", "2"],
            &["report", "2-2", "--out", file],
            &["solve", "a1B b2w b4wwb w", "--threads", "2"],
        ] {
            is_done_or_says_why(limit, run_under(limit, args));
        }
        let args = ["probe", "--stdin", "--brief"];
        let lines = "a1WWW b2BBB w\n".repeat(100);
        let output = under(limit, &args).write_stdin(lines).output().unwrap();
        // A program that ends early leaves its input unread.
        is_done_or_says_why(limit, Ran::of(&args, &output));
    }
}

/// The least limit of addresses, in KiB, with which the program can begin. It depends on how it is compiled.
fn least_address_space() -> u64 {
    let begins = |limit: &u64| run_under(&format!("-v {limit}"), &["-V"]).status == Some(0);
    (1000..100_000).step_by(1000).find(begins).unwrap()
}

/// Without a material, `list` goes on with the next table if there is no memory for one.
#[test]
fn tables_that_there_is_no_memory_for_are_not_called_damaged() {
    // The address is taken, so the server ends after it has opened its tables.
    #[cfg(feature = "server")]
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    #[cfg(feature = "server")]
    let address = taken.local_addr().unwrap().to_string();
    let little = format!("-v {}", least_address_space() + 2000);
    for limit in [&little, "-v 30000", "-v 200000", "-d 2000", "-d 20000"] {
        let listed = run_under(limit, &["list"]);
        let about = format!("{limit}: {:?} {}{}", listed.status, listed.stdout, listed.stderr);
        assert!(matches!(listed.status, Some(0..=2)), "{about}");
        assert!(!about.contains("damaged") && !about.contains("panicked"), "{about}");
        assert_eq!(listed.status == Some(1), about.contains("cannot be read"), "{about}");
        #[cfg(feature = "server")]
        {
            let served = run_under(limit, &["serve", "--addr", &address, "--workers", "2"]);
            let about = format!("{limit}: {:?} {}", served.status, served.stderr);
            assert_eq!((served.status, served.stdout.as_str()), (Some(2), ""), "{about}");
            assert!(served.stderr.lines().all(|line| line.starts_with("lasca-tb: ")), "{about}");
            assert!(!about.contains("damaged"), "{about}");
        }
    }
}

#[test]
fn a_small_stack_is_enough() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    let file = file.to_str().unwrap();
    for args in [
        &["--help"][..],
        &["list"],
        &["probe", "a1WWW b2BBB w", "--line"],
        &["solve", "a1B b2w b4wwb w"],
        &["certify", "a1WWW b2BBB w", "--out", file],
        &["study", "tests/studies/01-leap-frog.study"],
        &["perft", "start", "5"],
        &["verify", "2-1"],
        &["generate", "2-1", "--tables", path(&folder)],
    ] {
        run_under("-s 32", args).exits(0);
    }
}

#[test]
fn few_open_files_are_enough_to_look_at_all_tables() {
    run_under("-n 16", &["list"]).exits(0);
    let verified = run_under("-n 16", &["verify", "--bytes-only", "--threads", "2"]).exits(0);
    // Nine come with the source, and a user may have made more.
    assert!(verified.stdout.matches("bytes intact").count() >= 9, "{}", verified.stdout);
}

#[test]
fn generate_keeps_within_the_address_space() {
    let folder = TempDir::new().unwrap();
    let generate = ["generate", "4-2", "--threads", "1", "--tables", path(&folder)];
    let little = format!("-v {}", least_address_space() + 6000);
    run_under(&little, &generate).exits(2).says("free within ulimit -v");
    // An allocator that sets addresses aside for each thread would take minutes here.
    run_under("-v 60000", &generate).exits(0);
    has_the_shipped_bytes(folder.path(), "4-2");
    run_under("-d 5000", &["generate", "5-2", "--threads", "1", "--tables", path(&folder)])
        .exits(2)
        .says("free within ulimit -d");
}

#[test]
fn threads_that_cannot_be_started_are_a_message() {
    let file = TempDir::new().unwrap();
    let out = file.path().join("file");
    for args in [
        &["generate", "2-1", "--threads", "2", "--tables", path(&file)][..],
        &["verify", "2-1", "--threads", "2"],
        &["stats", "2-1", "--zugzwang"],
        &["report", "2-1", "--out", out.to_str().unwrap()],
        &["solve", "a1B b2w b4wwb w"],
        &["certify", "a1WWW b2BBB w", "--out", out.to_str().unwrap()],
        #[cfg(feature = "server")]
        &["serve", "--addr", "127.0.0.1:0"],
    ] {
        // No stack of this size can be had.
        let output =
            command(args).env("RUST_MIN_STACK", (1u64 << 56).to_string()).output().unwrap();
        Ran::of(args, &output).exits(2).says("cannot start ");
    }
    // Lines are answered one after another instead.
    let mut probe = command(&["probe", "--stdin", "--brief", "--tables", SHIPPED]);
    let probe = probe.env("RUST_MIN_STACK", (1u64 << 56).to_string());
    let output = probe.write_stdin("a1WWW b2BBB w\n".repeat(10)).output().unwrap();
    let answers = Ran::of(&["probe"], &output).exits(0).stdout;
    assert_eq!(answers.lines().count(), 10);
}

/// Such a limit stands in for a full disk too: both make a write fail half-way.
#[test]
fn a_file_that_may_not_grow_further_is_a_message_and_the_next_run_goes_on() {
    let folder = TempDir::new().unwrap();
    let generate = ["generate", "3-2", "--threads", "1", "--tables", path(&folder)];
    run_under("-f 8", &generate).exits(2).says("File too large");
    let saving = [&generate[..], &["--checkpoint", "0.000001"]].concat();
    let stopped = run_under("-f 8", &saving).exits(2);
    stopped.says("File too large").says("the next run goes on from there");
    assert!(!folder.path().join("lasca-3-2.ltbw").exists());
    let json = [&generate[..], &["--json"]].concat();
    let made = run_under("-f unlimited", &json).exits(0).json();
    assert!(made[0]["solved_positions"].as_u64() < made[0]["positions"].as_u64(), "{made:?}");
    has_the_shipped_bytes(folder.path(), "3-2");
}
