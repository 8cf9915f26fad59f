//! The ways to read the files of tables, side by side.
//!
//! ```sh
//! lasca-tb generate --up-to 8 --tables /tmp/t8
//! cargo bench -p lasca-benches --bench access -- --tables /tmp/t8 --rounds 5
//! ```
//!
//! Each measurement runs in a process of its own, the ways in turns, and the least of the rounds is
//! shown: other programs can only add to it. Where the program may drop the system's cache of files (as
//! root, on Linux), `cold` is after that. Hot figures are processor time; cold ones are the time on the clock.

mod common;

use common::budget::option;
use common::{TABLES, has, positions_of, processor_time, since_start, slices};
use lasca_tablebase::index::SliceIndex;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{OfficerPosition, RuleSet};
use lasca_tablebase::table::Access;
use std::fs;
use std::hint::black_box;
use std::process::Command;
use std::time::Duration;

const WAYS: [(&str, Access); 2] = [("private", Access::Private), ("mapped", Access::Mapped)];

/// What is measured, in order: the unit stands behind the name.
const FIGURES: [&str; 6] = [
    "open all, cold (ms)",
    "WDL, first 1,000, cold (us each)",
    "DTW, first 1,000, cold (us each)",
    "open all, hot (ms)",
    "WDL, hot (ns each)",
    "DTW, hot (ns each)",
];

fn main() {
    let tables = option("--tables", TABLES.to_owned());
    let one = option("--one", String::new());
    if let Some((_, access)) = WAYS.iter().find(|(name, _)| *name == one) {
        measure(&tables, *access).iter().for_each(|figure| println!("{figure}"));
    } else if has("--bench") {
        compare(&tables, option("--rounds", 3));
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
    let mut least = [[f64::INFINITY; FIGURES.len()]; WAYS.len()];
    let mut drops = true;
    for _ in 0..rounds {
        for ((name, _), least) in WAYS.iter().zip(&mut least) {
            drops &= fs::write("/proc/sys/vm/drop_caches", "3").is_ok();
            let program = std::env::current_exe().expect("this program");
            let output = Command::new(program).args(["--one", name, "--tables", folder]).output();
            let output = output.expect("this program runs again");
            let text = String::from_utf8(output.stdout).expect("numbers");
            let figures: Vec<f64> = text.lines().map(|line| line.parse().expect(line)).collect();
            assert_eq!(figures.len(), FIGURES.len(), "{}", String::from_utf8_lossy(&output.stderr));
            for (least, figure) in least.iter_mut().zip(figures) {
                *least = least.min(figure);
            }
        }
    }
    if !drops {
        println!("The cache of files could not be dropped: what is called cold is hot.");
    }
    println!("{:40}{:>12}{:>12}", "", WAYS[0].0, WAYS[1].0);
    for (number, name) in FIGURES.iter().enumerate() {
        println!("{name:40}{:>12.1}{:>12.1}", least[0][number], least[1][number]);
    }
}

/// Opens all tables. Decoded blocks are not kept, so that each probe reads the files.
fn open(folder: &str, access: Access) -> Tablebase {
    let options = Tablebase::options(RuleSet::Lasca).cache(0).access(access);
    let tables = options.open([folder]).expect(folder);
    let all: u64 = tables.tables().into_iter().map(|file| file.table().unwrap().positions()).sum();
    assert!(all > 0, "{folder} holds tables");
    tables
}

/// Positions of all tables, each as likely as any other.
fn positions(tables: &Tablebase, count: usize) -> Vec<OfficerPosition> {
    let all: Vec<SliceIndex> =
        tables.tables().into_iter().flat_map(|file| slices(file.material())).collect();
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
    let timed = |now: fn() -> Duration, work: &mut dyn FnMut()| {
        let begun = now();
        work();
        (now() - begun).as_secs_f64()
    };
    // Without opening a file, so that what follows is cold.
    let listed = Tablebase::open(folder, RuleSet::Lasca).expect(folder);
    let all = positions(&listed, 1_000_000);
    let mut tables = None;
    let open_cold = timed(since_start, &mut || tables = Some(open(folder, access)));
    let tables = tables.expect("they were opened");
    let wdl_cold = timed(since_start, &mut || wdls(&tables, &all[..1_000]));
    let dtw_cold = timed(since_start, &mut || values(&tables, &all[1_000..2_000]));
    let open_hot = timed(processor_time, &mut || {
        (0..100).for_each(|_| drop(black_box(open(folder, access))));
    });
    wdls(&tables, &all);
    values(&tables, &all[..100_000]);
    let wdl_hot = timed(processor_time, &mut || wdls(&tables, &all));
    let dtw_hot = timed(processor_time, &mut || values(&tables, &all[..100_000]));
    [open_cold * 1e3, wdl_cold * 1e3, dtw_cold * 1e3, open_hot * 10.0, wdl_hot * 1e3, dtw_hot * 1e4]
}
