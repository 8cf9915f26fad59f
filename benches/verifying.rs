//! Verifying whole tables, on all threads: every value, every distance and the statistics.
//!
//! ```sh
//! lasca-tb generate 4-4 5-3 --tables /tmp/tables
//! cargo bench -p lasca-benches --bench verifying -- --tables /tmp/tables --rounds 5 4-4 5-3
//! ```
//!
//! Shows the least time of the rounds on the clock, and the positions a second. Without materials it
//! verifies the largest of the tables that ship.

use lasca_tablebase::Silent;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::Table;
use lasca_tablebase::verify::check_table;
use std::path::Path;
use std::time::Instant;

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");

fn main() {
    let (mut tables, mut rounds, mut materials) = (TABLES.to_owned(), 3, Vec::new());
    let mut arguments = std::env::args().skip(1);
    let mut measure = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => measure = true,
            "--tables" => tables = arguments.next().expect("a folder"),
            "--rounds" => rounds = arguments.next().expect("a number").parse().expect("a number"),
            _ => materials.push(argument),
        }
    }
    if !measure {
        return;
    }
    if materials.is_empty() {
        materials = ["3-3", "4-2"].map(str::to_owned).to_vec();
    }
    for material in materials {
        let file = format!("{}-{material}.ltbw", RuleSet::default());
        let table = Table::open_file(&Path::new(&tables).join(file)).expect("a table");
        let mut least = f64::INFINITY;
        for _ in 0..rounds {
            let started = Instant::now();
            let report = check_table(&table, 1, &Silent);
            let seconds = started.elapsed().as_secs_f64();
            assert!(report.is_right(), "{material}: {report:?}");
            least = least.min(seconds);
        }
        let million = table.positions() as f64 / least / 1e6;
        println!("verifying/{material}: {least:.3} s, {million:.1} million positions a second");
    }
}
