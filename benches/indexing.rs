//! Positions to numbers and back.

mod common;

use common::{criterion, positions_of};
use criterion::{Criterion, Throughput};
use lasca_tablebase::index::SliceIndex;
use std::hint::black_box;
use std::slice;
use std::time::Instant;

const POSITIONS: usize = 1000;

fn main() {
    for columns in [4, 6, 8, 9, 10, 12] {
        time_the_lists(columns);
    }
    let mut criterion = criterion();
    for columns in [4, 6, 8] {
        bench_slice(&mut criterion, &SliceIndex::new(4, 4, columns).unwrap());
    }
    criterion.final_summary();
}

/// The first position of so many columns that a program numbers waits for lists, which are made once.
fn time_the_lists(columns: usize) {
    let slice = SliceIndex::new(6, 6, columns).unwrap();
    let begin = Instant::now();
    let position = slice.position(slice.positions() / 2);
    let first = begin.elapsed();
    assert!(slice.number(&position).is_some());
    println!("{columns} columns: the lists take {:.1} ms", first.as_secs_f64() * 1e3);
}

fn bench_slice(criterion: &mut Criterion, index: &SliceIndex) {
    let positions = positions_of(slice::from_ref(index), POSITIONS);
    let numbers: Vec<u64> =
        positions.iter().map(|position| index.number(position).unwrap()).collect();
    let mut group = criterion.benchmark_group(format!("index of 4-4, {} columns", index.columns()));
    group.throughput(Throughput::Elements(POSITIONS as u64));
    group.bench_function("position to number", |bencher| {
        bencher.iter(|| {
            let number = |position| index.number(black_box(position)).unwrap();
            positions.iter().map(number).fold(0, u64::wrapping_add)
        });
    });
    group.bench_function("number to position", |bencher| {
        bencher.iter(|| {
            for &number in &numbers {
                black_box(index.position(black_box(number)));
            }
        });
    });
    group.finish();
}
