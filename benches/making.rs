//! Making and verifying tables: the time that each step takes, in nanoseconds a position.
//!
//! ```sh
//! cargo bench -p lasca-benches --bench making -- --rounds 5
//! lasca-tb generate 4-4 --tables /tmp/t8
//! cargo bench -p lasca-benches --bench making -- --tables /tmp/t8 --materials 4-4 --threads 2
//! ```
//!
//! What is solved and written must have the bytes of the tables. The statistics are measured alone, and as a
//! part of writing. With one thread, figures are processor time where the system tells it, and otherwise the
//! time on the clock. The least of the rounds counts: other programs can only add to it.

mod common;

use common::budget::option;
use common::{TABLES, has, processor_time, since_start};
use lasca_tablebase::Silent;
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::{Extent, Material, SliceIndex};
use lasca_tablebase::internals::{SliceSolver, SliceValues};
use lasca_tablebase::processes::Alone;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{
    FileKind, NewTable, SliceStats, Spread, Table, TableWriter, file_name,
};
use lasca_tablebase::verify::check_contents;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

const RULES: RuleSet = RuleSet::Lasca;

fn main() {
    let tables = option("--tables", PathBuf::from(TABLES));
    let materials = option("--materials", "3-2,3-3".to_owned());
    let rounds = if has("--bench") { option("--rounds", 3) } else { 1 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(option("--threads", 1));
    pool.build().unwrap().install(|| {
        for material in materials.split(',') {
            measure(&tables, material.parse().unwrap(), rounds);
        }
    });
}

fn measure(tables: &Path, material: Material, rounds: usize) {
    let now = if rayon::current_num_threads() == 1 { processor_time } else { since_start };
    let stored = Extent::whole(material).unwrap().positions();
    let timed = |name: &str, work: &mut dyn FnMut()| {
        let least = (0..rounds).map(|_| {
            let begun = now();
            work();
            now() - begun
        });
        let least = least.min().unwrap_or(Duration::ZERO);
        println!("{material} {name}: {:.2} ns a position", least.as_nanos() as f64 / stored as f64);
    };
    let solver = SliceSolver::new(material, RULES);
    let mut solved = Vec::new();
    timed("solving", &mut || solved = solver.solve().unwrap());
    let slices: Vec<Vec<(SliceIndex, &SliceValues)>> = material
        .columns()
        .enumerate()
        .map(|(at, columns)| {
            let sides = material.stored_sides().iter().zip(&solved);
            sides.map(|(&side, slices)| (material.slice(side, columns), &slices[at])).collect()
        })
        .collect();
    timed("statistics", &mut || {
        for (index, slice) in slices.iter().flatten() {
            black_box(SliceStats::count(index, slice).unwrap());
        }
    });
    timed("writing", &mut || write(tables, material, &slices));
    let table = Table::open_file(&tables.join(file_name(material, RULES, FileKind::Wdl))).unwrap();
    timed("verifying", &mut || {
        table.check_bytes().unwrap();
        assert!(check_contents(&table, KeepIn::Memory, 1, &Silent).is_right());
    });
}

/// Writes a table, and compares its bytes with those of the one that is there.
fn write(tables: &Path, material: Material, slices: &[Vec<(SliceIndex, &SliceValues)>]) {
    let folder = tempfile::tempdir().unwrap();
    let (path, extent) = (folder.path(), Extent::whole(material).unwrap());
    let table = NewTable { folder: path, temporary: path, extent, rules: RULES };
    let mut writer = TableWriter::create(&Alone, table).unwrap();
    for of_columns in slices {
        let sides = of_columns.iter().map(|(index, slice)| Spread::whole(index.clone(), slice));
        writer.add(sides.collect(), true, &Silent).unwrap();
    }
    writer.finish().unwrap();
    for kind in FileKind::ALL {
        let name = file_name(material, RULES, kind);
        let [made, expected] = [folder.path(), tables].map(|of| fs::read(of.join(&name)).unwrap());
        assert!(made == expected, "{name} differs");
    }
}
