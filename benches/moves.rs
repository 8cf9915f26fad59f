//! Move generation: the whole game's, and that of officers alone.

mod common;

use common::{criterion, positions};
use criterion::{Criterion, Throughput};
use lasca_tablebase::internals::uncaptures;
use lasca_tablebase::rules::{Color, OfficerPosition, Position, RuleSet, perft};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;

const RULES: RuleSet = RuleSet::Lasca;

fn main() {
    let mut criterion = criterion();
    bench_successors(&mut criterion);
    bench_captures(&mut criterion);
    bench_perft(&mut criterion);
    bench_keys(&mut criterion);
    criterion.final_summary();
}

fn sample() -> Vec<OfficerPosition> {
    positions("4-4".parse().unwrap(), 1000)
}

fn bench_successors(criterion: &mut Criterion) {
    let positions: Vec<Position> =
        sample().iter().map(|officers| officers.to_position(Color::White).unwrap()).collect();
    let successors = || {
        positions.iter().map(|position| black_box(position).successors(RULES).len()).sum::<usize>()
    };
    // Another way to the same number: each move can be played.
    let played = |position: &Position| {
        let play = |played| position.play(&played, RULES).is_ok();
        position.moves(RULES).iter().filter(|&&played| play(played)).count()
    };
    assert_eq!(positions.iter().map(played).sum::<usize>(), successors());

    let mut group = criterion.benchmark_group("moves");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("successors of 4-4", |bencher| bencher.iter(successors));
    group.finish();
}

fn bench_captures(criterion: &mut Criterion) {
    let capturing: Vec<OfficerPosition> =
        sample().into_iter().filter(|position| position.placement().must_capture()).collect();
    let mut reached = Vec::new();
    for position in &capturing {
        position.captures(RULES, |after| reached.push((*position, *after)));
    }
    assert!(reached.len() >= capturing.len(), "a capture position has a capture");
    for (before, after) in &reached {
        let mut found = false;
        uncaptures(after, RULES, false, |position| found |= position == before);
        assert!(found, "{before:?}");
    }

    let mut group = criterion.benchmark_group("moves");
    group.throughput(Throughput::Elements(capturing.len() as u64));
    group.bench_function("captures of 4-4", |bencher| {
        bencher.iter(|| {
            let mut captures = 0;
            capturing
                .iter()
                .for_each(|position| black_box(position).captures(RULES, |_| captures += 1));
            captures
        });
    });
    group.throughput(Throughput::Elements(reached.len() as u64));
    group.bench_function("captures of 4-4, undone", |bencher| {
        bencher.iter(|| {
            let mut undone = 0;
            for (_, after) in &reached {
                uncaptures(black_box(after), RULES, false, |_| undone += 1);
            }
            undone
        });
    });
    group.finish();
}

fn bench_perft(criterion: &mut Criterion) {
    // The counts are those of `tests/data/perft.csv`.
    let start = Position::start();
    let officers: Position = "a1WWW d4BBB w".parse().unwrap();
    assert_eq!(perft(&start, RULES, 6), 324);
    assert_eq!(perft(&officers, RULES, 6), 348);

    let mut group = criterion.benchmark_group("perft");
    group.bench_function("start, depth 6", |bencher| {
        bencher.iter(|| perft(black_box(&start), RULES, 6));
    });
    group.bench_function("a1WWW d4BBB w, depth 6", |bencher| {
        bencher.iter(|| perft(black_box(&officers), RULES, 6));
    });
    // As an engine searches: each position lists its moves, and makes one after another.
    let game: Position = "a1w b2w c1w c3W e1w e3wb d6b e5b f6B g7b w".parse().unwrap();
    let count = perft(&game, RULES, 6);
    assert_eq!(by_list(&game, 6), count);
    group.throughput(Throughput::Elements(count));
    group.bench_function("an open game, depth 6", |bencher| {
        bencher.iter(|| perft(black_box(&game), RULES, 6));
    });
    group.bench_function("an open game, depth 6, by lists of moves", |bencher| {
        bencher.iter(|| by_list(black_box(&game), 6));
    });
    group.bench_function("an open game, depth 6, by successors", |bencher| {
        bencher.iter(|| by_successors(black_box(&game), 6));
    });
    group.finish();
}

fn by_list(position: &Position, depth: u32) -> u64 {
    let moves = position.moves(RULES);
    match depth {
        1 => moves.len() as u64,
        _ => moves.iter().map(|played| by_list(&position.play_unchecked(played), depth - 1)).sum(),
    }
}

fn by_successors(position: &Position, depth: u32) -> u64 {
    let successors = position.successors(RULES);
    match depth {
        1 => successors.len() as u64,
        _ => successors.iter().map(|(_, after)| by_successors(after, depth - 1)).sum(),
    }
}

fn bench_keys(criterion: &mut Criterion) {
    let positions: Vec<Position> =
        sample().iter().map(|officers| officers.to_position(Color::White).unwrap()).collect();
    let mut keys: Vec<u64> = positions.iter().map(Position::key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), positions.iter().collect::<HashSet<_>>().len());

    let mut group = criterion.benchmark_group("keys");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("keys of 4-4", |bencher| {
        bencher.iter(|| positions.iter().fold(0, |all, position| all ^ black_box(position).key()));
    });
    group.bench_function("keys of canonical forms of 4-4", |bencher| {
        let key = |position: &Position| black_box(position).canonical().key();
        bencher.iter(|| positions.iter().fold(0, |all, position| all ^ key(position)));
    });
    let std = RandomState::new();
    group.bench_function("hashes of std of 4-4", |bencher| {
        bencher.iter(|| positions.iter().fold(0, |all, p| all ^ std.hash_one(black_box(p))));
    });
    group.finish();
}
