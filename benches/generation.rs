//! Solving whole materials, on all threads. Nothing is written.

mod common;

use common::criterion;
use criterion::{Criterion, SamplingMode, Throughput};
use lasca_tablebase::index::{Extent, Material, SliceIndex};
use lasca_tablebase::internals::{SliceSolver, SliceValues};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::SliceStats;
use xxhash_rust::xxh3::xxh3_64;

fn main() {
    let mut criterion = criterion();
    // The totals of 3-2 are those of `tests/data/totals.csv`; the rest is what an earlier version
    // found.
    bench_material(
        &mut criterion,
        "3-2",
        &[
            Expected {
                win: 979_538,
                draw: 121_760,
                loss: 43_102,
                max_dtw: 41,
                checksum: 0xdfbb_514c_def7_915b,
            },
            Expected {
                win: 175_884,
                draw: 277_152,
                loss: 691_364,
                max_dtw: 42,
                checksum: 0xd618_4eb7_ed11_f449,
            },
        ],
    );
    bench_material(
        &mut criterion,
        "3-3",
        &[Expected {
            win: 6_376_700,
            draw: 2_180_632,
            loss: 2_777_868,
            max_dtw: 89,
            checksum: 0x1e28_b513_095b_2252,
        }],
    );
    criterion.final_summary();
}

/// What is known of a material with one side to move.
#[derive(Debug, PartialEq)]
struct Expected {
    win: u64,
    draw: u64,
    loss: u64,
    max_dtw: u16,
    /// Of how many positions of each number of columns have each value.
    checksum: u64,
}

fn bench_material(criterion: &mut Criterion, name: &str, expected: &[Expected]) {
    let material: Material = name.parse().unwrap();
    let solver = SliceSolver::new(material, RuleSet::Lasca);
    let solved = solver.solve().unwrap();
    let stored: u64 = solved.iter().flatten().map(SliceValues::len).sum();
    assert_eq!(stored, Extent::whole(material).unwrap().positions());
    let found: Vec<Expected> = material
        .stored_sides()
        .iter()
        .zip(&solved)
        .map(|(&side, slices)| count(material.counters(side), material.counters(!side), slices))
        .collect();
    assert_eq!(found, expected, "{name}");

    let mut group = criterion.benchmark_group("generation");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(stored));
    group.bench_function(name, |bencher| bencher.iter(|| solver.solve().unwrap()));
    group.finish();
}

/// Counts the values of one side to move, and sums them up in a number that does not depend on how
/// positions are numbered.
fn count(mover: usize, other: usize, slices: &[SliceValues]) -> Expected {
    let mut all = SliceStats::default();
    let mut bytes = Vec::new();
    for (columns, slice) in (2..).zip(slices) {
        let index = SliceIndex::new(mover, other, columns).unwrap();
        let stats = SliceStats::count(&index, slice).expect("values in memory can be read");
        bytes.extend(stats.draw.to_le_bytes());
        for (&dtw, &positions) in &stats.histogram {
            bytes.extend(u64::from(dtw).to_le_bytes());
            bytes.extend(positions.to_le_bytes());
        }
        all.merge(&stats);
    }
    Expected {
        win: all.win,
        draw: all.draw,
        loss: all.loss,
        max_dtw: all.max_dtw().unwrap(),
        checksum: xxh3_64(&bytes),
    }
}
