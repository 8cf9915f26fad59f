//! Matches of the search, which plays its best move, against simple players and against itself.
//!
//! ```sh
//! cargo bench -p lasca-benches --bench matches                     # 100 games against each opponent
//! cargo bench -p lasca-benches --bench matches -- --positions 20000 --games 20
//! cargo bench -p lasca-benches --bench matches -- --against greedy --from start
//! ```
//!
//! Games begin at the start position with two random plies, or after 8 to 20 of them. Each beginning is played
//! twice, with either colour. A game is drawn when a position occurs three times, or after 300 plies. A
//! search proves until it has met as many positions as `--positions` says, and then estimates open moves. So the
//! same matches come out each time.

mod common;

use common::{MostPositions, has, option};
use lasca_analysis::answer::{Question, SearchLimits, Stage};
use lasca_common::numbers::Numbers;
use lasca_tablebase::Silent;
use lasca_tablebase::rules::{Color, Move, Position, RuleSet};
use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

const RULES: RuleSet = RuleSet::Lasca;
const LONGEST: usize = 300;

#[derive(Clone, Copy)]
enum Player {
    Random,
    /// Plays the move with the most captures, and of these the one that leaves the fewest replies.
    Greedy,
    /// Searches so many positions.
    Search(u64),
}

fn main() {
    let is_test = has("--test");
    let positions = option("--positions", if is_test { 500 } else { 10_000 });
    let games = option("--games", if is_test { 2 } else { 100 });
    let against: String = option("--against", String::new());
    let from: String = option("--from", String::new());
    let searcher = Player::Search(positions);
    let opponents = [
        ("random", Player::Random),
        ("greedy", Player::Greedy),
        ("quarter", Player::Search(positions / 4)),
    ];
    println!("from | against | games | won | drawn | lost | plies | seconds for a search");
    for (start, random_plies) in [("start", 2..=2), ("middle", 8..=20)] {
        for (name, opponent) in opponents {
            if !name.starts_with(&against) || !start.starts_with(&from) {
                continue;
            }
            let [won, drawn, lost, plies, searches, milliseconds] =
                play_match(searcher, opponent, games, random_plies.clone());
            let seconds = milliseconds as f64 / 1000.0 / searches.max(1) as f64;
            println!(
                "{start} | {name} | {games} | {won} | {drawn} | {lost} | {plies} | {seconds:.3}"
            );
            assert!(!is_test || won + drawn + lost == games, "each game has an end");
        }
    }
}

/// Plays games. Returns how many the first player wins, draws and loses, their plies, and how many searches he made
/// and their milliseconds.
fn play_match(
    player: Player,
    opponent: Player,
    games: u64,
    random_plies: RangeInclusive<usize>,
) -> [u64; 6] {
    let mut numbers = Numbers(0);
    let mut sums = [0; 6];
    let mut beginning = Vec::new();
    for game in 0..games {
        let color = if game % 2 == 0 { Color::White } else { Color::Black };
        if color == Color::White {
            beginning = begin(&random_plies, &mut numbers);
        }
        let mut passed = beginning.clone();
        let winner = loop {
            let here = passed[passed.len() - 1];
            let occurrences = passed.iter().filter(|&&position| position == here).count();
            if occurrences == 3 || passed.len() > LONGEST {
                break None;
            }
            let mine = here.side_to_move() == color;
            let begun = Instant::now();
            let reply = (if mine { player } else { opponent }).reply(&here, &mut numbers);
            if mine {
                sums[4] += 1;
                sums[5] += begun.elapsed().as_millis() as u64;
            }
            match reply {
                Some(after) => passed.push(after),
                None if here.commanded_by(!here.side_to_move()).is_empty() => {
                    break Some(here.side_to_move());
                }
                None => break Some(!here.side_to_move()),
            }
        };
        sums[winner.map_or(1, |winner| if winner == color { 0 } else { 2 })] += 1;
        sums[3] += passed.len() as u64 - 1;
    }
    sums
}

/// The positions of a game that begins with random plies and is not over then.
fn begin(random_plies: &RangeInclusive<usize>, numbers: &mut Numbers) -> Vec<Position> {
    let plies = random_plies.start() + numbers.below(random_plies.end() - random_plies.start() + 1);
    let mut game = vec![Position::start()];
    while game.len() <= plies {
        match Player::Random.reply(&game[game.len() - 1], numbers) {
            Some(after) => game.push(after),
            None => game.truncate(1),
        }
    }
    match game[game.len() - 1].successors(RULES).unwrap().is_empty() {
        true => begin(random_plies, numbers),
        false => game,
    }
}

impl Player {
    /// The position after the move of the player; `None` if there is none.
    fn reply(self, position: &Position, numbers: &mut Numbers) -> Option<Position> {
        let mut successors = position.successors(RULES).unwrap();
        match self {
            _ if successors.len() < 2 => {}
            Player::Random => {}
            Player::Greedy => {
                let worth = |(played, after): &(Move, Position)| {
                    (played.jumped().count(), Reverse(after.successors(RULES).unwrap().len()))
                };
                let best = successors.iter().map(worth).max();
                successors.retain(|reply| Some(worth(reply)) == best);
            }
            Player::Search(positions) => return Some(searched(position, positions)),
        }
        let any = numbers.below(successors.len().max(1));
        successors.get(any).map(|(_, after)| *after)
    }
}

/// The position after the best move that a search of so many positions finds.
fn searched(position: &Position, positions: u64) -> Position {
    let question = Question { exact: true, moves: true, ..Question::new(RULES) };
    let limits = SearchLimits { memory: 1 << 30, ..SearchLimits::default() };
    let mut search = question.search(position, limits).expect("memory");
    let most = MostPositions { positions, met: AtomicU64::new(0) };
    loop {
        // What is estimated has its own share.
        let is_over = match search.stage() {
            Some(Stage::Estimates) => search.go_on(None, &Silent),
            _ => search.go_on(None, &most),
        };
        if is_over.expect("no table is read") {
            break;
        }
    }
    let answer = search.answer(&Silent).expect("no table is read");
    answer.best_move().expect("the game is not over").after
}
