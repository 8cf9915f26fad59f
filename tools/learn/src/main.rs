//! Learns the weights of the net that guides the search.
//!
//! ```sh
//! cargo run --release -p lasca-learn -- src/analysis/search/net.bin
//! ```
//!
//! Each round solves endings of games that a simple player has played, guided by the net of the
//! round before; the first round by an estimate that was not learned. A net then learns what the
//! numbers of the positions became. The same program and options give the same bytes.

#[path = "../../../benches/common/mod.rs"]
mod common;
#[path = "../../../benches/common/player.rs"]
mod player;
mod train;

use common::{MostPositions, option};
use lasca_analysis::search::{Budget, Sample, Solver, Stop};
use lasca_tablebase::rules::{Position, RuleSet};
use rayon::prelude::*;
use std::sync::atomic::AtomicU64;

/// The most samples of an ending.
const SAMPLES: usize = 3000;
/// Each round plays so many times as many games as the one before,
const GROWTH: u64 = 3;
/// but at most so many, or as many as the first round if that plays more.
const MOST_GAMES: u64 = 2700;
/// One ending in so many is not learned from: it tells how good the net is.
const CHECKED: usize = 10;

fn main() {
    let Some(out) = std::env::args().nth(1).filter(|first| !first.starts_with('-')) else {
        eprintln!(
            "usage: lasca-learn FILE [--rounds 5] [--games 300] [--positions 200000] [--seed 1000000] \
             [--rules lasca] [--check 1000000]"
        );
        std::process::exit(2);
    };
    let rules = option("--rules", RuleSet::Lasca);
    let mut games = option("--games", 300);
    let positions = option("--positions", 200_000);
    let mut seed = option("--seed", 1_000_000);
    let check = option("--check", 1_000_000);
    let mut net: Option<&'static [u8]> = None;
    for _ in 0..option("--rounds", 5) {
        let endings = endings(seed, games, rules);
        let samples = search(&endings, rules, net, positions);
        let weights = train::train(&samples, CHECKED, seed);
        if let Err(error) = std::fs::write(&out, &weights) {
            eprintln!("cannot write {out}: {error}");
            std::process::exit(2);
        }
        // The program ends when the last round has.
        net = Some(weights.leak());
        (seed, games) = (seed + games, (games * GROWTH).min(MOST_GAMES.max(games)));
    }
    for plies in [20, 30, 40] {
        print!("suite, {plies} plies: ");
        search(&suite(plies), rules, net, check);
    }
}

/// The endings of the suite so many plies before the end of a game.
fn suite(plies: usize) -> Vec<Position> {
    let suite = include_str!("../../../tests/data/endings.csv").lines();
    let suite = suite.filter_map(|line| line.strip_prefix(&format!("{plies},"))?.split_once(','));
    suite.map(|(_, position)| position.parse().expect("a position")).collect()
}

/// Endings of games, each with a seed of its own: 20, 30 and 40 plies before the end in turn. Those
/// of the suite are left out.
fn endings(seed: u64, games: u64, rules: RuleSet) -> Vec<Position> {
    let suite = [20, 30, 40].map(suite).concat();
    let ending = |i: u64| {
        let (_, game) = player::games(mixed(seed + i), 1, 4..=4, rules).pop()?;
        let ending = game[game.len() - 21 - 10 * (i as usize % 3)];
        (!suite.contains(&ending)).then_some(ending)
    };
    (0..games).into_par_iter().filter_map(ending).collect()
}

/// A seed that differs much from those of the numbers beside it.
const fn mixed(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

/// Searches all endings, and returns the samples of each.
fn search(
    endings: &[Position],
    rules: RuleSet,
    net: Option<&'static [u8]>,
    positions: u64,
) -> Vec<Vec<Sample>> {
    let search = |ending: &Position| {
        let most = MostPositions { positions, met: AtomicU64::new(0) };
        let mut solver = Solver::guided(ending, rules, net, 1 << 30).expect("memory");
        let stop = solver.run(&Budget::new(None, 1, &most)).expect("no table is read");
        (stop == Stop::Solved, solver.status().positions, solver.samples(SAMPLES))
    };
    let results: Vec<_> = endings.par_iter().map(search).collect();
    println!(
        "{} endings, {} solved, {:.1} million positions",
        results.len(),
        results.iter().filter(|result| result.0).count(),
        results.iter().map(|result| result.1).sum::<u64>() as f64 / 1e6
    );
    results.into_iter().map(|result| result.2).collect()
}
