//! The memory that `lasca-tb generate` plans, and what it takes.

#![cfg(target_os = "linux")]

use crate::run::{Ran, command, path};
use std::time::Duration;
use tempfile::TempDir;

/// What `generate --json` says of its memory: planned, and in use at the busiest time.
fn memory_of(arguments: &[&str]) -> (f64, f64) {
    let folder = TempDir::new().unwrap();
    let options = ["generate", "--json", "--threads", "2", "--tables", path(&folder)];
    let args = [&options, arguments].concat();
    let output = command(&args).timeout(Duration::from_secs(900)).output().unwrap();
    let made = Ran::of(&args, &output).exits(0).json().remove(0);
    (made["planned_memory"].as_f64().unwrap(), made["peak_memory"].as_f64().unwrap())
}

/// Run it in release builds: what a debug build holds beside the values is not what plans are for.
#[test]
#[ignore = "slow: takes a minute"]
fn memory_is_what_the_plan_says() {
    for arguments in [
        &["4-4"][..],
        &["5-3"],
        &["6-2"],
        &["7-1"],
        &["8-1"],
        &["8-8", "--columns", "4"],
        &["11-11", "--columns", "3"],
        &["4-3", "--memory", "24M"],
    ] {
        let (planned, peak) = memory_of(arguments);
        assert!((planned / peak - 1.0).abs() <= 0.1, "{arguments:?}: {planned} {peak}");
    }
    // The busiest time of these is short, and a plan may leave more room for it.
    for arguments in [
        &["6-6", "--columns", "4"][..],
        &["12-1", "--columns", "4"],
        &["12-1", "--columns", "5", "--memory", "58M"],
        &["21-1", "--columns", "4"],
    ] {
        let (planned, peak) = memory_of(arguments);
        assert!((0.9..=1.5).contains(&(planned / peak)), "{arguments:?}: {planned} {peak}");
    }
    let (_, peak) = memory_of(&["4-3", "--memory", "16M"]);
    assert!(peak <= f64::from(16 << 20), "{peak} bytes");
}
