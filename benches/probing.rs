//! Answers from tables, before and after they are loaded into memory.
//!
//! The tables are those of 3-3 that ship. With others in a folder that the variable `LASCA_TABLES`
//! names, those of 4-3 and 4-4 are measured too, and the time that it takes to load the whole folder:
//!
//! ```sh
//! lasca-tb generate --up-to 8 --tables /tmp/t8
//! LASCA_TABLES=/tmp/t8 cargo bench -p lasca-benches --bench probing -- loaded
//! ```

use criterion::{BatchSize, Criterion, Throughput};
use lasca_common::numbers::Numbers;
use lasca_tablebase::index::{Material, SliceIndex};
use lasca_tablebase::probe::{Load, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, RuleSet};
use lasca_tablebase::{Value, Wdl};
use std::env;
use std::hint::black_box;
use std::num::NonZero;
use std::time::Duration;

/// The tables that come with the source.
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");

fn main() {
    // Short runs: the bench is there to compare versions, and the effects of interest are large.
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    bench_loaded(&mut criterion, TABLES, "3-3");
    if let Ok(folder) = env::var("LASCA_TABLES") {
        bench_loaded(&mut criterion, &folder, "4-3");
        bench_loaded(&mut criterion, &folder, "4-4");
        bench_loading(&mut criterion, &folder);
    }
    criterion.final_summary();
}

/// Positions of a material with White to move, each as likely as any other.
fn positions(material: Material, count: usize) -> Vec<OfficerPosition> {
    let slice = |columns| SliceIndex::new(material.white(), material.black(), columns).unwrap();
    let slices: Vec<SliceIndex> = material.columns().map(slice).collect();
    let total: u64 = slices.iter().map(SliceIndex::positions).sum();
    let mut numbers = Numbers(0);
    let mut position = || {
        let mut number = numbers.any() % total;
        for slice in &slices {
            if number < slice.positions() {
                return slice.position(number);
            }
            number -= slice.positions();
        }
        unreachable!("the slices hold all positions")
    };
    (0..count).map(|_| position()).collect()
}

fn wdls(tables: &Tablebase, of: &[OfficerPosition]) -> usize {
    let wins = |position| tables.officers_wdl(black_box(position)).unwrap() == Wdl::Win;
    of.iter().filter(|position| wins(position)).count()
}

fn longest(tables: &Tablebase, of: &[OfficerPosition]) -> Option<u16> {
    let dtw = |position| tables.officers_value(black_box(position)).unwrap().dtw();
    of.iter().filter_map(dtw).max()
}

/// Random positions of a material, before its table is loaded, when they are asked for the first time after
/// that, and when they are asked for again. Positions come as structs, and as text, which is what a line of
/// `probe --stdin --brief` costs.
fn bench_loaded(criterion: &mut Criterion, folder: &str, material: &str) {
    let material: Material = material.parse().unwrap();
    let plain = Tablebase::open(folder, RuleSet::Lasca).unwrap();
    let all = positions(material, 200_000);
    let load = || {
        let tables = Tablebase::open(folder, RuleSet::Lasca).unwrap();
        let load = Load { materials: Some(vec![material]), dtw: true, ..Load::default() };
        assert_eq!(tables.load(&load).dtw, [material]);
        tables
    };
    let loaded = load();
    assert_eq!(wdls(&loaded, &all), wdls(&plain, &all));
    assert_eq!(longest(&loaded, &all[..2_000]), longest(&plain, &all[..2_000]));
    longest(&loaded, &all);
    let text = |officers: &OfficerPosition| officers.to_position(Color::White).unwrap().to_string();
    let texts: Vec<String> = all.iter().map(text).collect();

    let mut group = criterion.benchmark_group(format!("loaded {material}"));
    group.throughput(Throughput::Elements(all.len() as u64));
    for (name, tables) in [("wdl, not loaded", &plain), ("wdl", &loaded)] {
        group.bench_function(name, |bencher| bencher.iter(|| wdls(tables, &all)));
    }
    group.bench_function("dtw", |bencher| bencher.iter(|| longest(&loaded, &all)));
    let one = NonZero::new(1);
    let many_wdls = || loaded.many_wdls(black_box(&all), one).unwrap();
    let many_values = || loaded.many_values(black_box(&all), one).unwrap();
    let wins = many_wdls().into_iter().filter(|&wdl| wdl == Some(Wdl::Win)).count();
    assert_eq!(wins, wdls(&loaded, &all));
    assert_eq!(
        many_values().into_iter().flatten().filter_map(Value::dtw).max(),
        longest(&loaded, &all)
    );
    group.bench_function("wdl, many at once", |bencher| bencher.iter(many_wdls));
    group.bench_function("dtw, many at once", |bencher| bencher.iter(many_values));
    group.bench_function("wdl, first time", |bencher| {
        bencher.iter_batched_ref(load, |tables| wdls(tables, &all), BatchSize::PerIteration);
    });
    group.bench_function("dtw, first time", |bencher| {
        bencher.iter_batched_ref(load, |tables| longest(tables, &all), BatchSize::PerIteration);
    });
    group.bench_function("lines of text", |bencher| {
        let rating = |text: &String| {
            let position = black_box(text).parse().unwrap();
            loaded.known_value(&position).unwrap().to_string().len()
        };
        bencher.iter(|| texts.iter().map(rating).sum::<usize>());
    });
    group.finish();
}

/// The time to load all tables of a folder, on all processors.
fn bench_loading(criterion: &mut Criterion, folder: &str) {
    let tables = Tablebase::open(folder, RuleSet::Lasca).unwrap();
    for (of, dtw) in [("win, draw or loss", false), ("distances too", true)] {
        let report = tables.load(&Load { dtw, ..Load::default() });
        println!("{of}: {} tables take {} bytes", report.wdl.len(), report.bytes);
    }
    drop(tables);
    let mut group = criterion.benchmark_group("loaded folder");
    group.sample_size(10);
    for (name, dtw) in [("load wdl", false), ("load wdl and dtw", true)] {
        let load = || {
            let tables = Tablebase::open(folder, RuleSet::Lasca).unwrap();
            let report = tables.load(&Load { dtw, ..Load::default() });
            assert!(report.errors.is_empty() && !report.wdl.is_empty());
            tables
        };
        group.bench_function(name, |bencher| bencher.iter_with_large_drop(load));
    }
    group.finish();
}
