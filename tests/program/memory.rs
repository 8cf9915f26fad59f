//! The memory that `lasca-tb generate` plans, and what it takes.

#![cfg(target_os = "linux")]

use crate::run::Folder;

/// What `generate --json` says of its memory: planned, and in use at the busiest time. If that is much less
/// than planned, the two threads may not have been busiest together, as on a machine that has other work: then it is that
/// of up to ten runs.
fn memory_of(args: &str) -> (f64, f64) {
    let (mut planned, mut peak): (f64, f64) = (0.0, 0.0);
    for _ in 0..10 {
        let made = Folder::empty().run(format!("generate --json --threads 2 {args}")).answer();
        planned = made["planned_memory"].as_f64().unwrap();
        peak = peak.max(made["peak_memory"].as_f64().unwrap());
        if planned <= 1.1 * peak {
            break;
        }
    }
    (planned, peak)
}

/// Run it in release builds: what a debug build holds beside the values is not what plans are for.
#[test]
#[ignore = "slow: takes a minute"]
fn memory_is_what_the_plan_says() {
    for args in ["4-4", "5-3", "6-2", "7-1", "8-1", "8-8 --columns 4", "4-3 --memory 24M"] {
        let (planned, peak) = memory_of(args);
        assert!((planned / peak - 1.0).abs() <= 0.1, "{args}: {planned} {peak}");
    }
    // The busiest time of these is short, and a plan may leave more room for it. That of 11-11 is when both of
    // its chunks are coded at once, which needs a third thread, as one packs the codes.
    for args in [
        "6-6 --columns 4",
        "11-11 --columns 3",
        "12-1 --columns 4",
        "12-1 --columns 5 --memory 58M",
        "21-1 --columns 4",
    ] {
        let (planned, peak) = memory_of(args);
        assert!((0.9..=1.5).contains(&(planned / peak)), "{args}: {planned} {peak}");
    }
    let (_, peak) = memory_of("4-3 --memory 16M");
    assert!(peak <= f64::from(16 << 20), "{peak} bytes");
}
