//! Answers from a table on disk.

mod common;

use common::{criterion, positions};
use criterion::{Criterion, Throughput};
use lasca_tablebase::generate::Generator;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::{Silent, Value};
use std::hint::black_box;
use std::path::Path;

fn main() {
    let mut criterion = criterion();
    let folder = tempfile::tempdir().unwrap();
    let material = "3-2".parse().unwrap();
    Generator::new(folder.path(), RuleSet::Lasca).generate(material, &Silent).unwrap();
    let positions: Vec<Position> = positions(material, 1000)
        .iter()
        .map(|officers| officers.to_position(Color::White).unwrap())
        .collect();
    bench_answers(&mut criterion, folder.path(), &positions);
    bench_first_answer(&mut criterion, folder.path(), &positions[0]);
    criterion.final_summary();
}

fn bench_answers(criterion: &mut Criterion, folder: &Path, positions: &[Position]) {
    let tables = Tablebase::open(&[folder], RuleSet::Lasca).unwrap();
    let value = |position: &Position| tables.value(black_box(position)).unwrap();
    for position in positions {
        // The value of a position is that of its best move, or a loss if there is none.
        let best = tables.best_move(position).unwrap();
        assert_eq!(value(position), best.map_or(Value::Loss(0), |best| best.value), "{position}");
    }

    let mut group = criterion.benchmark_group("probing 3-2");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("value", |bencher| {
        bencher.iter(|| positions.iter().map(value).max());
    });
    group.bench_function("every move", |bencher| {
        let moves = |position| tables.moves(black_box(position)).unwrap().len();
        bencher.iter(|| positions.iter().map(moves).sum::<usize>());
    });
    group.finish();
}

/// With nothing open and nothing decoded, as when a program starts.
fn bench_first_answer(criterion: &mut Criterion, folder: &Path, position: &Position) {
    let first = || {
        let tables = Tablebase::open(&[folder], RuleSet::Lasca).unwrap();
        tables.value(black_box(position)).unwrap()
    };
    let tables = Tablebase::open(&[folder], RuleSet::Lasca).unwrap();
    assert_eq!(first(), tables.value(position).unwrap());

    let mut group = criterion.benchmark_group("probing 3-2");
    group.bench_function("open and answer once", |bencher| bencher.iter(first));
    group.finish();
}
