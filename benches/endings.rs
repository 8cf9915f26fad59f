//! Endings of whole games: how many the search solves in which time.
//!
//! ```sh
//! cargo bench -p lasca-benches --bench endings      # each ending of the suite, 10 seconds at most
//! cargo bench -p lasca-benches --bench endings -- --seconds 60 --threads 2 --memory-mib 8192
//! cargo bench -p lasca-benches --bench endings -- --plies 40 --list
//! cargo bench -p lasca-benches --bench endings -- --make > tests/data/endings.csv
//! ```
//!
//! The suite is made by a simple player, which plays itself from the start position: some random
//! moves first, and then alpha-beta search of 4 to 8 plies. It holds the positions 10, 20, 30 and 40
//! plies before the end of games that one side has won. The same program makes the same suite.

use lasca_tablebase::Silent;
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::search::{Limits, Solver, Stop};
use std::time::{Duration, Instant};

const RULES: RuleSet = RuleSet::Lasca;
/// How many plies before the end of a game the positions of the suite are.
const PLIES: [usize; 4] = [10, 20, 30, 40];
const GAMES: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--make") {
        make();
    } else if has("--test") {
        check();
    } else if has("--bench") {
        measure(&arguments);
    }
}

/// Checks the suite, and solves some of its endings without measuring.
fn check() {
    let suite = include_str!("../tests/data/endings.csv");
    assert_eq!(suite.lines().count(), 1 + PLIES.len() * GAMES);
    for line in suite.lines().skip(1).filter(|line| line.starts_with("10,")).take(5) {
        let [_, winner, text] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}: expected three fields");
        };
        let position: Position = text.parse().expect(line);
        let mut solver = Solver::new(&position, RULES, None, 1 << 30).expect(line);
        assert_eq!(solver.run(&Limits::default(), &Silent), Ok(Stop::Solved), "{line}");
        assert_eq!(solver.winner().map(Color::name), Some(winner), "{line}");
    }
}

/// The number after an option, or another one if it is not given.
fn option(arguments: &[String], name: &str, default: u64) -> u64 {
    let given = arguments.iter().position(|argument| argument == name);
    given.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(default)
}

fn measure(arguments: &[String]) {
    let seconds = option(arguments, "--seconds", 10);
    let threads = option(arguments, "--threads", 1) as usize;
    let memory = option(arguments, "--memory-mib", 4096) << 20;
    let only = option(arguments, "--plies", 0) as usize;
    let list = arguments.iter().any(|argument| argument == "--list");
    let suite = include_str!("../tests/data/endings.csv");
    let limits = Limits { time: Some(Duration::from_secs(seconds)), threads, ..Limits::default() };
    println!(
        "plies before the end | positions | solved in 1 s | in 10 s | in {seconds} s | won by the winner"
    );
    for plies in PLIES.into_iter().filter(|&plies| only == 0 || plies == only) {
        let (mut times, mut count, mut won) = (Vec::new(), 0, 0);
        let (mut positions, mut spent) = (0, 0.0);
        for line in suite.lines().skip(1) {
            let [before, winner, text] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("{line}: expected three fields");
            };
            if before != plies.to_string() {
                continue;
            }
            count += 1;
            let position: Position = text.parse().expect("the suite holds positions");
            let begun = Instant::now();
            let mut solver = Solver::new(&position, RULES, None, memory).expect("memory");
            let stop = solver.run(&limits, &Silent).expect("no table is read");
            let time = begun.elapsed().as_secs_f64();
            let status = solver.status();
            positions += status.positions;
            spent += time;
            if stop == Stop::Solved {
                times.push(time);
                won += usize::from(solver.winner().is_some_and(|color| color.name() == winner));
            }
            if list {
                println!(
                    "{text},{stop:?},{:?},{time:.3} s,{} positions,{} bytes",
                    solver.wdl(),
                    status.positions,
                    status.bytes
                );
            }
        }
        let within = |seconds: f64| times.iter().filter(|&&time| time <= seconds).count();
        println!(
            "{plies} | {count} | {} | {} | {} | {won} | {:.2} million positions a second",
            within(1.0),
            within(10.0),
            times.len(),
            positions as f64 / spent / 1e6
        );
    }
}

/// Prints the suite.
fn make() {
    println!("plies,winner,position");
    let mut random = Random(0x1a5c_a191_1000_0001);
    let mut games = Vec::new();
    while games.len() < GAMES {
        let depth = 4 + games.len() as u32 % 5;
        if let Some(game) = play(depth, &mut random) {
            games.push(game);
        }
    }
    for plies in PLIES {
        for game in &games {
            // Whoever is to move in the last position has lost.
            let winner = !game[game.len() - 1].side_to_move();
            let position = game[game.len() - 1 - plies];
            println!("{plies},{},{position}", winner.name());
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// Plays a game, and returns its positions; nothing if nobody wins in time, or too soon.
fn play(depth: u32, random: &mut Random) -> Option<Vec<Position>> {
    let mut game = vec![Position::start()];
    let at_random = 6 + random.below(6);
    for ply in 0..300 {
        let here = game[game.len() - 1];
        let mut successors = here.successors(RULES);
        if successors.is_empty() {
            // The random moves must be over before the suite begins.
            return (game.len() > PLIES[3] + 12).then_some(game);
        }
        if game.iter().filter(|&&position| position == here).count() == 3 {
            return None;
        }
        // Of equal moves the first is played: any may be the first.
        for i in (1..successors.len()).rev() {
            successors.swap(i, random.below(i + 1));
        }
        let chosen = if ply < at_random || successors.len() == 1 {
            0
        } else {
            let mut best = (0, i32::MIN + 1);
            for (place, (_, after)) in successors.iter().enumerate() {
                let value = -search(after, depth - 1, i32::MIN + 1, -best.1);
                if value > best.1 {
                    best = (place, value);
                }
            }
            best.0
        };
        game.push(successors[chosen].1);
    }
    None
}

/// What a position is worth to the side to move, between alpha and beta. Captures are played out.
fn search(position: &Position, depth: u32, alpha: i32, beta: i32) -> i32 {
    let successors = position.successors(RULES);
    if successors.is_empty() {
        return -1_000_000 - depth as i32;
    }
    let captures = successors[0].0.squares().len() > 2;
    if depth == 0 && !captures {
        return evaluate(position);
    }
    let mut best = alpha;
    for (_, after) in &successors {
        let value = -search(after, depth.saturating_sub(1), -beta, -best);
        best = best.max(value);
        if best >= beta {
            break;
        }
    }
    best
}

/// Columns that are held for long, prisoners, officers, and soldiers that are far forward.
fn evaluate(position: &Position) -> i32 {
    let mut score = 0;
    for (square, column) in position.columns() {
        let Some(commander) = column.commander() else { continue };
        let own = column.counters().take_while(|counter| counter.color == commander.color).count();
        let forward = match commander.color {
            Color::White => square.rank(),
            Color::Black => 6 - square.rank(),
        };
        let mut worth = 80 + 20 * own as i32 + 8 * (column.height() - own) as i32;
        worth += if commander.letter().is_uppercase() { 60 } else { 5 * forward };
        score += if commander.color == position.side_to_move() { worth } else { -worth };
    }
    score
}
