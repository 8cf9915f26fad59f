//! Answers from tables: from files in the page cache, and from memory once the tables are loaded.
//!
//! The tables are those of 3-3 that ship. With others in a folder that the variable `LASCA_TABLES`
//! names, those of 4-3 and 4-4 are measured too, and the time that it takes to load the whole folder:
//!
//! ```sh
//! lasca-tb generate --up-to 8 --tables /tmp/t8
//! LASCA_TABLES=/tmp/t8 cargo bench -p lasca-benches --bench probing -- loaded
//! ```

mod common;

use common::{TABLES, criterion, positions};
use criterion::{BatchSize, Criterion, Throughput};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{Load, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, Position, RuleSet};
use lasca_tablebase::{Value, Wdl};
use std::env;
use std::hint::black_box;
use std::num::NonZero;
use std::thread;

fn main() {
    let mut criterion = criterion();
    let material: Material = "3-3".parse().unwrap();
    let tables = open();
    let all = positions(material, 20_000);
    check(&tables, &all);
    bench_files(&mut criterion, &tables, &all);
    bench_uncovered(&mut criterion, &tables);
    bench_opening(&mut criterion, &all[0]);
    bench_loaded(&mut criterion, TABLES, "3-3");
    if let Ok(folder) = env::var("LASCA_TABLES") {
        bench_loaded(&mut criterion, &folder, "4-3");
        bench_loaded(&mut criterion, &folder, "4-4");
        bench_loading(&mut criterion, &folder);
    }
    criterion.final_summary();
}

fn open() -> Tablebase {
    Tablebase::open(TABLES, RuleSet::Lasca).unwrap()
}

/// The value of a position is that of its best move, or a loss if there is none.
fn check(tables: &Tablebase, all: &[OfficerPosition]) {
    for officers in all {
        let position = officers.to_position(Color::White).unwrap();
        let best = tables.best_move(&position).unwrap();
        let expected = best.map_or(Value::Loss(0), |best| best.value);
        assert_eq!(tables.officers_value(officers), Ok(expected), "{position}");
        assert_eq!(tables.officers_wdl(officers), Ok(expected.wdl()), "{position}");
    }
}

fn wdls(tables: &Tablebase, of: &[OfficerPosition]) -> usize {
    let wins = |position| tables.officers_wdl(black_box(position)).unwrap() == Wdl::Win;
    of.iter().filter(|position| wins(position)).count()
}

fn longest(tables: &Tablebase, of: &[OfficerPosition]) -> Option<u16> {
    let dtw = |position| tables.officers_value(black_box(position)).unwrap().dtw();
    of.iter().filter_map(dtw).max()
}

/// Files, of which the system has the pages in memory.
fn bench_files(criterion: &mut Criterion, tables: &Tablebase, all: &[OfficerPosition]) {
    let mut group = criterion.benchmark_group("probing 3-3");
    let (captures, quiet): (Vec<OfficerPosition>, Vec<_>) =
        all.iter().partition(|position| position.placement().must_capture());
    assert!(captures.len() > 1_000 && quiet.len() > 1_000);
    for (name, of) in [("wdl of a quiet position", quiet), ("wdl of a capture position", captures)]
    {
        group.throughput(Throughput::Elements(of.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| wdls(tables, &of)));
    }
    group.throughput(Throughput::Elements(2 * all.len() as u64));
    group.bench_function("wdl on 2 threads", |bencher| {
        bencher.iter(|| {
            thread::scope(|scope| {
                let other = scope.spawn(|| wdls(tables, all));
                wdls(tables, all) + other.join().unwrap()
            })
        });
    });

    let few = &all[..2_000];
    group.throughput(Throughput::Elements(few.len() as u64));
    // Nothing decoded is kept, as when each position is of another part of a large table.
    let forgetful = Tablebase::options(RuleSet::Lasca).cache(0).open([TABLES]).unwrap();
    assert_eq!(longest(&forgetful, few), longest(tables, few));
    for (name, tables) in [("dtw", &forgetful), ("dtw, blocks decoded", tables)] {
        group.bench_function(name, |bencher| bencher.iter(|| longest(tables, few)));
    }
    let whole: Vec<Position> =
        few.iter().map(|officers| officers.to_position(Color::White).unwrap()).collect();
    group.bench_function("every move", |bencher| {
        let moves = |position| tables.moves(black_box(position)).unwrap().len();
        bencher.iter(|| whole.iter().map(moves).sum::<usize>());
    });
    group.finish();
}

/// Positions that no table covers, as an engine asks about most of the time.
fn bench_uncovered(criterion: &mut Criterion, tables: &Tablebase) {
    let mut group = criterion.benchmark_group("uncovered");
    for (name, text) in [
        ("start", Position::start().to_string()),
        ("soldier", "a1W c3WW e5BBW g7w b6BB w".to_owned()),
        ("material without table", "a1W c3WWW e5BBB g7WB b6BBB w".to_owned()),
    ] {
        let position: Position = text.parse().unwrap();
        assert_eq!(tables.try_wdl(&position), Ok(None));
        assert_eq!(tables.try_value(&position), Ok(None));
        group.bench_function(format!("try_wdl, {name}"), |bencher| {
            bencher.iter(|| tables.try_wdl(black_box(&position)));
        });
        group.bench_function(format!("try_value, {name}"), |bencher| {
            bencher.iter(|| tables.try_value(black_box(&position)));
        });
    }
    group.finish();
}

/// With nothing open and nothing decoded, as when a program starts.
fn bench_opening(criterion: &mut Criterion, position: &OfficerPosition) {
    let first = || {
        let tables = open();
        tables.officers_value(black_box(position)).unwrap()
    };
    assert_eq!(Ok(first()), open().officers_value(position));
    let mut group = criterion.benchmark_group("opening");
    group.bench_function("open and answer once", |bencher| bencher.iter(first));
    group.finish();
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
