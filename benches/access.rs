//! The ways to read the files of tables, side by side: time to open, time to probe, and memory.
//!
//! ```sh
//! lasca-tb generate --up-to 8 --tables /tmp/t8
//! cargo bench -p lasca-benches --bench access -- --tables /tmp/t8 --rounds 5
//! ```
//!
//! Each measurement runs in a process of its own, the ways in turns, and the least of the rounds is
//! shown: other programs can only add to it. Where the program may drop the system's cache of files (as
//! root, on Linux), `cold` is after that. Hot figures are processor time unless they say otherwise; cold
//! ones are the time on the clock.

mod common;

use common::budget::option;
use common::{TABLES, positions_of, processor_time, slices};
use lasca_tablebase::index::SliceIndex;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{OfficerPosition, RuleSet};
use lasca_tablebase::table::Access;
use std::fs;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

const WAYS: [(&str, Access); 2] = [("private", Access::Private), ("mapped", Access::Mapped)];

/// What is measured, in order: the unit stands behind the name.
const FIGURES: [&str; 11] = [
    "open all, cold (ms)",
    "WDL, first 1,000, cold (us each)",
    "DTW, first 1,000, cold (us each)",
    "open all, hot (ms)",
    "WDL, hot (ns each)",
    "DTW, hot (ns each)",
    "anonymous memory after opening (KiB)",
    "memory of files after opening (KiB)",
    "anonymous memory after probing (KiB)",
    "memory of files after probing (KiB)",
    "all bytes checked, on the clock (ms)",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tables = option(&arguments, "--tables", TABLES.to_owned());
    let one = option(&arguments, "--one", String::new());
    if let Some((_, access)) = WAYS.iter().find(|(name, _)| *name == one) {
        measure(&tables, *access).iter().for_each(|figure| println!("{figure}"));
    } else if arguments.iter().any(|argument| argument == "--bench") {
        compare(&tables, option(&arguments, "--rounds", 3));
    } else {
        check(&tables);
    }
}

/// Checks that all ways give the same values.
fn check(folder: &str) {
    let [private, mapped] = WAYS.map(|(_, access)| open(folder, access));
    for position in positions(&private, 1_000) {
        assert_eq!(private.officers_value(&position), mapped.officers_value(&position));
        assert_eq!(private.officers_wdl(&position), mapped.officers_wdl(&position));
    }
}

/// Measures the ways in turns, and prints the least of each figure.
fn compare(folder: &str, rounds: usize) {
    check(folder);
    let mut measured = WAYS.map(|_| Vec::new());
    let mut drops = true;
    for _ in 0..rounds {
        for ((name, _), measured) in WAYS.iter().zip(&mut measured) {
            drops &= fs::write("/proc/sys/vm/drop_caches", "3").is_ok();
            let program = std::env::current_exe().expect("this program");
            let output = Command::new(program).args(["--one", name, "--tables", folder]).output();
            let output = output.expect("this program runs again");
            let text = String::from_utf8(output.stdout).expect("numbers");
            let figures: Vec<f64> = text.lines().map(|line| line.parse().expect(line)).collect();
            assert_eq!(figures.len(), FIGURES.len(), "{}", String::from_utf8_lossy(&output.stderr));
            measured.push(figures);
        }
    }
    if !drops {
        println!("The cache of files could not be dropped: what is called cold is hot.");
    }
    println!("{:40}{:>12}{:>12}", "", WAYS[0].0, WAYS[1].0);
    for (number, name) in FIGURES.iter().enumerate() {
        let least = |rounds: &Vec<Vec<f64>>| {
            rounds.iter().map(|figures| figures[number]).fold(f64::INFINITY, f64::min)
        };
        println!("{name:40}{:>12.1}{:>12.1}", least(&measured[0]), least(&measured[1]));
    }
}

/// Opens all tables. Decoded blocks are not kept, so that each probe reads the files.
fn open(folder: &str, access: Access) -> Tablebase {
    let options = Tablebase::options(RuleSet::Lasca).cache(0).access(access);
    let tables = options.open([folder]).expect(folder);
    let all: u64 = tables.tables().iter().map(|file| file.table().unwrap().positions()).sum();
    assert!(all > 0, "{folder} holds tables");
    tables
}

/// Positions of all tables, each as likely as any other.
fn positions(tables: &Tablebase, count: usize) -> Vec<OfficerPosition> {
    let all: Vec<SliceIndex> =
        tables.tables().iter().flat_map(|file| slices(file.material())).collect();
    positions_of(&all, count)
}

fn measure(folder: &str, access: Access) -> [f64; FIGURES.len()] {
    let wdls = |tables: &Tablebase, of: &[OfficerPosition]| {
        of.iter().for_each(|position| {
            black_box(tables.officers_wdl(position).unwrap());
        });
    };
    let values = |tables: &Tablebase, of: &[OfficerPosition]| {
        of.iter().for_each(|position| {
            black_box(tables.officers_value(position).unwrap());
        });
    };
    let on_clock = |work: &mut dyn FnMut()| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    let processor = |work: &mut dyn FnMut()| {
        let begun = processor_time();
        work();
        (processor_time() - begun).as_secs_f64()
    };
    // Without opening a file, so that what follows is cold.
    let listed = Tablebase::open(folder, RuleSet::Lasca).expect(folder);
    let all = positions(&listed, 1_000_000);
    let before = memory();
    let mut tables = None;
    let open_cold = on_clock(&mut || tables = Some(open(folder, access)));
    let opened = memory();
    let tables = tables.expect("they were opened");
    let wdl_cold = on_clock(&mut || wdls(&tables, &all[..1_000]));
    let dtw_cold = on_clock(&mut || values(&tables, &all[1_000..2_000]));
    let open_hot = processor(&mut || (0..100).for_each(|_| drop(black_box(open(folder, access)))));
    wdls(&tables, &all);
    values(&tables, &all[..100_000]);
    let wdl_hot = processor(&mut || wdls(&tables, &all));
    let dtw_hot = processor(&mut || values(&tables, &all[..100_000]));
    let probed = memory();
    let check_all = on_clock(&mut || {
        tables.tables().iter().for_each(|file| file.table().unwrap().check_bytes().unwrap());
    });
    let kib = |now: u64, then: u64| now.saturating_sub(then) as f64;
    [
        open_cold * 1e3,
        wdl_cold * 1e3,
        dtw_cold * 1e3,
        open_hot * 10.0,
        wdl_hot * 1e3,
        dtw_hot * 1e4,
        kib(opened.0, before.0),
        kib(opened.1, before.1),
        kib(probed.0, before.0),
        kib(probed.1, before.1),
        check_all * 1e3,
    ]
}

/// The memory of this process in KiB: anonymous, and of files. Zeros where the system does not tell.
fn memory() -> (u64, u64) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    };
    (field("RssAnon:"), field("RssFile:"))
}
