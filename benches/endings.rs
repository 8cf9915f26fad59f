//! Endings of whole games: how many the search solves in which time, or with how many positions.
//!
//! ```sh
//! cargo bench -p lasca-benches --bench endings      # each ending of the suite, 10 seconds at most
//! cargo bench -p lasca-benches --bench endings -- --seconds 60 --threads 2 --memory-mib 8192
//! cargo bench -p lasca-benches --bench endings -- --positions 1000000 --plies 40 --list
//! cargo bench -p lasca-benches --bench endings -- --seed 7 --games 24 --rules bignor
//! cargo bench -p lasca-benches --bench endings -- --make > tests/data/endings.csv
//! ```
//!
//! The suite is made by a simple player, which plays itself from the start position: some random
//! moves first, and then alpha-beta search of 4 to 8 plies. It holds the positions 10, 20, 30 and 40
//! plies before the end of games that one side has won. The same program makes the same suite.
//! `--seed` takes other games instead. A search that has met as many positions as `--positions` says
//! is stopped, which no other work of the machine disturbs.

mod common;
#[path = "common/player.rs"]
mod player;

use common::{MostPositions, has, option};
use lasca_analysis::search::{Budget, Solver, Stop};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// How many plies before the end of a game the positions of the suite are.
const PLIES: [usize; 4] = [10, 20, 30, 40];
const GAMES: usize = 50;
/// The seed of the suite.
const SEED: u64 = 0x1a5c_a191_1000_0001;

/// A position some plies before the end of a game.
struct Ending {
    plies: usize,
    winner: Color,
    position: Position,
}

fn main() {
    if has("--make") {
        println!("plies,winner,position");
        for ending in endings(SEED, GAMES, RuleSet::Lasca) {
            println!("{},{},{}", ending.plies, ending.winner.name(), ending.position);
        }
    } else if has("--test") {
        check();
    } else if has("--bench") {
        measure();
    }
}

/// The endings of games that the player plays.
fn endings(seed: u64, games: usize, rules: RuleSet) -> Vec<Ending> {
    let games = player::games(seed, games, 4..=8, rules);
    let of = |plies| {
        let ending = move |(winner, game): &(Color, Vec<Position>)| Ending {
            plies,
            winner: *winner,
            position: game[game.len() - 1 - plies],
        };
        games.iter().map(ending)
    };
    PLIES.into_iter().flat_map(of).collect()
}

/// The endings of the suite.
fn suite() -> Vec<Ending> {
    let named = |name: &str| Color::ALL.into_iter().find(|color| color.name() == name);
    let ending = |line: &str| {
        let mut fields = line.split(',');
        Some(Ending {
            plies: fields.next()?.parse().ok()?,
            winner: fields.next().and_then(named)?,
            position: fields.next()?.parse().ok()?,
        })
    };
    let suite = include_str!("../tests/data/endings.csv").lines().skip(1);
    suite.map(|line| ending(line).unwrap_or_else(|| panic!("{line}: expected an ending"))).collect()
}

/// Checks the suite, and solves some of its endings without measuring.
fn check() {
    let suite = suite();
    assert_eq!(suite.len(), PLIES.len() * GAMES);
    for Ending { winner, position, .. } in suite.iter().take(5) {
        let mut solver = Solver::new(position, RuleSet::Lasca, 1 << 30).expect("memory");
        assert_eq!(solver.run(&Budget::default()), Ok(Stop::Solved), "{position}");
        assert_eq!(solver.winner(), Some(*winner), "{position}");
    }
}

fn measure() {
    let most = option("--positions", u64::MAX);
    let seconds = option("--seconds", if most == u64::MAX { 10 } else { 3600 });
    let threads = option("--threads", 1);
    let memory = option("--memory-mib", 4096) << 20;
    let only = option("--plies", 0);
    let rules = option("--rules", RuleSet::Lasca);
    let list = has("--list");
    let endings = match option("--seed", 0) {
        0 => suite(),
        seed => endings(seed, option("--games", GAMES), rules),
    };
    println!(
        "plies before the end | endings | solved in 1 s | in 10 s | in all | won by the winner | \
         million positions | seconds"
    );
    for plies in PLIES.into_iter().filter(|&plies| only == 0 || plies == only) {
        let (mut times, mut count, mut won) = (Vec::new(), 0, 0);
        let (mut positions, mut spent) = (0, 0.0);
        for Ending { winner, position, .. } in endings.iter().filter(|ending| ending.plies == plies)
        {
            count += 1;
            let most = MostPositions { positions: most, met: AtomicU64::new(0) };
            let begun = Instant::now();
            let mut solver = Solver::new(position, rules, memory).expect("memory");
            let budget = Budget::new(Some(Duration::from_secs(seconds)), threads, &most);
            let stop = solver.run(&budget).expect("no table is read");
            let time = begun.elapsed().as_secs_f64();
            let status = solver.status();
            positions += status.positions;
            spent += time;
            if stop == Stop::Solved {
                times.push(time);
                won += usize::from(solver.winner() == Some(*winner));
            }
            if list {
                println!(
                    "{position},{stop:?},{:?},{time:.3} s,{} positions,{} bytes",
                    solver.wdl(),
                    status.positions,
                    status.bytes
                );
            }
        }
        let within = |seconds: f64| times.iter().filter(|&&time| time <= seconds).count();
        println!(
            "{plies} | {count} | {} | {} | {} | {won} | {:.2} | {spent:.1}",
            within(1.0),
            within(10.0),
            times.len(),
            positions as f64 / 1e6,
        );
    }
}
