//! Verifying whole tables, on all threads: every value, every distance and the statistics.
//!
//! ```sh
//! lasca-tb generate 4-4 5-3 --tables /tmp/tables
//! cargo bench -p lasca-benches --bench verifying -- --tables /tmp/tables --materials 4-4,5-3 --rounds 5
//! ```
//!
//! Shows the least time of the rounds on the clock, and the positions a second. Every round must find the
//! table right. With `--test` there is one round, of which nothing is shown.

mod common;

use common::TABLES;
use common::budget::option;
use lasca_tablebase::Silent;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{FileKind, Table, file_name};
use lasca_tablebase::verify::check_table;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tables = option(&arguments, "--tables", PathBuf::from(TABLES));
    let materials = option(&arguments, "--materials", "3-3,4-2".to_owned());
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let rounds = option(&arguments, "--rounds", 3);
    for material in materials.split(',') {
        let file = file_name(material.parse().expect("a material"), RuleSet::Lasca, FileKind::Wdl);
        let table = Table::open_file(&tables.join(file)).expect("a table");
        let times = (0..if is_test { 1 } else { rounds }).map(|_| check(&table));
        let seconds = times.min().expect("at least one round").as_secs_f64();
        if !is_test {
            let million = table.positions() as f64 / seconds / 1e6;
            println!(
                "verifying/{material}: {seconds:.3} s, {million:.1} million positions a second"
            );
        }
    }
}

/// Verifies a table, which must be right, and returns how long that took.
fn check(table: &Table) -> Duration {
    let started = Instant::now();
    let report = check_table(table, 1, &Silent).unwrap();
    let time = started.elapsed();
    assert!(report.is_right(), "{}: {report:?}", table.material());
    time
}
