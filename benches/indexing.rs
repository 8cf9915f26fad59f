//! Positions to numbers and back.

mod common;

use common::{Numbers, criterion};
use criterion::{Criterion, Throughput};
use lasca_tablebase::index::SliceIndex;
use lasca_tablebase::rules::{OfficerPosition, Symmetry};
use std::hint::black_box;
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

fn bench_slice(criterion: &mut Criterion, slice: &SliceIndex) {
    let mut random = Numbers::new();
    let numbers: Vec<u64> = (0..POSITIONS).map(|_| random.below(slice.positions())).collect();
    let positions: Vec<OfficerPosition> =
        numbers.iter().map(|&number| slice.position(number)).collect();
    for (position, &number) in positions.iter().zip(&numbers) {
        let found = slice.number(position).unwrap();
        // A position whose squares have a symmetry of their own may have several numbers; they
        // name the same position up to that symmetry.
        assert_eq!(slice.number(&slice.position(found)), Some(found));
        let occupied = position.placement().occupied();
        let maps_onto_itself = |symmetry: &Symmetry| {
            occupied.into_iter().all(|square| occupied.contains(symmetry.apply(square)))
        };
        assert!(found == number || Symmetry::all().filter(maps_onto_itself).count() > 1);
    }

    let mut group = criterion.benchmark_group(format!("index of 4-4, {} columns", slice.columns()));
    group.throughput(Throughput::Elements(POSITIONS as u64));
    group.bench_function("position to number", |bencher| {
        bencher.iter(|| {
            let number = |position| slice.number(black_box(position)).unwrap();
            positions.iter().map(number).fold(0, u64::wrapping_add)
        });
    });
    group.bench_function("number to position", |bencher| {
        bencher.iter(|| {
            for &number in &numbers {
                black_box(slice.position(black_box(number)));
            }
        });
    });
    group.finish();
}
