//! Move generation: the whole game's, and that of officers alone.

mod common;

use common::{criterion, positions};
use criterion::{Criterion, Throughput};
use lasca_tablebase::internals::uncaptures;
use lasca_tablebase::rules::{Color, OfficerPosition, Position, RuleSet, perft};
use std::hint::black_box;

const RULES: RuleSet = RuleSet::Lasca;

fn main() {
    let mut criterion = criterion();
    bench_officers(&mut criterion);
    bench_perft(&mut criterion);
    criterion.final_summary();
}

fn bench_officers(criterion: &mut Criterion) {
    let officers = positions("4-4".parse().unwrap(), 1000);
    let all: Vec<Position> =
        officers.iter().map(|officers| officers.to_position(Color::White).unwrap()).collect();
    let capturing: Vec<&OfficerPosition> =
        officers.iter().filter(|position| position.placement().must_capture()).collect();
    let mut reached = Vec::new();
    capturing.iter().for_each(|before| before.captures(RULES, |after| reached.push(*after)));
    assert!(reached.len() >= capturing.len(), "a capture position has a capture");

    let mut group = criterion.benchmark_group("4-4");
    group.throughput(Throughput::Elements(all.len() as u64));
    group.bench_function("successors", |bencher| {
        let successors = |position: &Position| black_box(position).successors(RULES).unwrap().len();
        bencher.iter(|| all.iter().map(successors).sum::<usize>());
    });
    group.bench_function("keys", |bencher| {
        bencher.iter(|| all.iter().fold(0, |keys, position| keys ^ black_box(position).key()));
    });
    group.bench_function("keys of canonical forms", |bencher| {
        let key = |position: &Position| black_box(position).canonical().key();
        bencher.iter(|| all.iter().fold(0, |keys, position| keys ^ key(position)));
    });
    group.throughput(Throughput::Elements(capturing.len() as u64));
    group.bench_function("captures", |bencher| {
        bencher.iter(|| {
            let mut captures = 0;
            let mut count = |of: &OfficerPosition| of.captures(RULES, |_| captures += 1);
            capturing.iter().for_each(|position| count(black_box(position)));
            captures
        });
    });
    group.throughput(Throughput::Elements(reached.len() as u64));
    group.bench_function("captures, undone", |bencher| {
        bencher.iter(|| {
            let mut undone = 0;
            let mut count = |after| uncaptures(after, RULES, false, |_| undone += 1);
            reached.iter().for_each(|after| count(black_box(after)));
            undone
        });
    });
    group.finish();
}

fn bench_perft(criterion: &mut Criterion) {
    let start = Position::start();
    let game: Position = "a1w b2w c1w c3W e1w e3wb d6b e5b f6B g7b w".parse().unwrap();
    let mut group = criterion.benchmark_group("perft");
    group.bench_function("start, depth 6", |bencher| {
        bencher.iter(|| perft(black_box(&start), RULES, 6));
    });
    let count = perft(&game, RULES, 6);
    assert_eq!(by_list(&game, 6), count);
    group.throughput(Throughput::Elements(count));
    group.bench_function("an open game, depth 6", |bencher| {
        bencher.iter(|| perft(black_box(&game), RULES, 6));
    });
    group.bench_function("an open game, depth 6, by lists of moves", |bencher| {
        bencher.iter(|| by_list(black_box(&game), 6));
    });
    group.finish();
}

/// Counts as an engine searches: each position lists its moves, and makes one after another.
fn by_list(position: &Position, depth: u32) -> u64 {
    let moves = position.moves(RULES).unwrap();
    match depth {
        1 => moves.len() as u64,
        _ => moves.iter().map(|played| by_list(&position.play_unchecked(played), depth - 1)).sum(),
    }
}
