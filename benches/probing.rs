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
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::{BlockCache, BlockId, DecodedBlock, value_with};
use lasca_tablebase::probe::{Load, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, Position, RuleSet};
use lasca_tablebase::table::Table;
use lasca_tablebase::{Value, Wdl};
use std::cell::Cell;
use std::collections::HashMap;
use std::env;
use std::hint::black_box;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;

fn main() {
    let mut criterion = criterion();
    let material: Material = "3-3".parse().unwrap();
    let tables = open();
    let all = positions(material, 20_000);
    check(&tables, &all);
    bench_wdl(&mut criterion, &tables, &all);
    bench_dtw(&mut criterion, &tables, &all[..2_000]);
    bench_threads(&mut criterion, &tables, &all);
    bench_moves(&mut criterion, &tables, &all[..1_000]);
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

fn group(criterion: &mut Criterion, elements: usize) -> BenchmarkGroup<'_, WallTime> {
    let mut group = criterion.benchmark_group("probing 3-3");
    group.throughput(Throughput::Elements(elements as u64));
    group
}

fn must_capture(position: &OfficerPosition) -> bool {
    position.placement().must_capture()
}

fn wdls(tables: &Tablebase, of: &[OfficerPosition]) -> usize {
    let wins = |position| tables.officers_wdl(black_box(position)).unwrap() == Wdl::Win;
    of.iter().filter(|position| wins(position)).count()
}

fn longest(tables: &Tablebase, of: &[OfficerPosition]) -> Option<u16> {
    let dtw = |position| tables.officers_value(black_box(position)).unwrap().dtw();
    of.iter().filter_map(dtw).max()
}

fn bench_wdl(criterion: &mut Criterion, tables: &Tablebase, all: &[OfficerPosition]) {
    let (captures, quiet): (Vec<OfficerPosition>, Vec<_>) =
        all.iter().partition(|p| must_capture(p));
    assert!(captures.len() > 1_000 && quiet.len() > 1_000);
    for (name, of) in [("wdl of a quiet position", quiet), ("wdl of a capture position", captures)]
    {
        let mut group = group(criterion, of.len());
        group.bench_function(name, |bencher| bencher.iter(|| wdls(tables, &of)));
        group.finish();
    }
}

fn bench_dtw(criterion: &mut Criterion, tables: &Tablebase, all: &[OfficerPosition]) {
    let stored = with_stored_dtw(tables.table("3-3".parse().unwrap()).unwrap(), all);
    assert!(stored.len() > all.len() / 10);
    let mut decoded = group(criterion, stored.len());
    // What is asked for again and again stays decoded.
    decoded.bench_function("dtw, block decoded", |bencher| {
        bencher.iter(|| longest(tables, &stored));
    });
    decoded.finish();

    // Nothing decoded is kept, as when each position is of another part of a large table.
    let forgetful = Tablebase::options(RuleSet::Lasca).cache(0).open([TABLES]).unwrap();
    assert_eq!(longest(&forgetful, all), longest(tables, all));
    let mut random = group(criterion, all.len());
    random.bench_function("dtw, random positions", |bencher| {
        bencher.iter(|| longest(&forgetful, all));
    });
    random.bench_function("dtw, random positions, blocks decoded", |bencher| {
        bencher.iter(|| longest(tables, all));
    });
    random.finish();
}

/// Counts the blocks that an answer takes.
struct Counting(Cell<usize>);

impl BlockCache for Counting {
    fn put(&self, _: BlockId, _: &Arc<DecodedBlock>) {
        self.0.set(self.0.get() + 1);
    }
}

/// The quiet positions whose distance is stored, and need not be found from those of the positions
/// that their moves lead to: no position on as many squares, with the rows adding up to a number as
/// odd or even, takes more than a block.
fn with_stored_dtw(table: &Table, all: &[OfficerPosition]) -> Vec<OfficerPosition> {
    let key = |position: &OfficerPosition| {
        let occupied = position.placement().occupied();
        (occupied.len(), occupied.into_iter().map(|square| square.rank()).sum::<i32>() % 2)
    };
    let quiet = || all.iter().filter(|position| !must_capture(position));
    let mut most = HashMap::new();
    for position in quiet() {
        let counting = Counting(Cell::new(0));
        // The sides have as many counters, so there is one stored side to move.
        value_with(table, position, 0, &counting).unwrap();
        let most = most.entry(key(position)).or_insert(0);
        *most = counting.0.get().max(*most);
    }
    quiet().filter(|position| most[&key(position)] == 1).copied().collect()
}

fn bench_threads(criterion: &mut Criterion, tables: &Tablebase, all: &[OfficerPosition]) {
    let expected = wdls(tables, all);
    for threads in [1, 2] {
        let run = || {
            thread::scope(|scope| {
                let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| wdls(tables, all))).collect();
                all.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
            })
        };
        assert_eq!(run(), threads * expected);
        let mut group = group(criterion, threads * all.len());
        let name = format!("wdl on {threads} thread{}", if threads == 1 { "" } else { "s" });
        group.bench_function(name, |bencher| bencher.iter(run));
        group.finish();
    }
}

fn bench_moves(criterion: &mut Criterion, tables: &Tablebase, all: &[OfficerPosition]) {
    let of: Vec<Position> =
        all.iter().map(|officers| officers.to_position(Color::White).unwrap()).collect();
    let mut group = group(criterion, of.len());
    group.bench_function("every move", |bencher| {
        let moves = |position| tables.moves(black_box(position)).unwrap().len();
        bencher.iter(|| of.iter().map(moves).sum::<usize>());
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
