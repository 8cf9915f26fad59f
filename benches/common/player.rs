//! A simple player, which plays itself from the start position: some random moves first, and then
//! alpha-beta search.

use lasca_tablebase::rules::{Color, Position, RuleSet};
use std::ops::RangeInclusive;

/// A game with fewer positions is too short: the random moves must be over 40 plies before its end.
const SHORTEST: usize = 52;

/// The same numbers in every run (xorshift).
struct Random(u64);

impl Random {
    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// Games that one side has won: who won, and the positions from the first to the last. The same seed
/// gives the same games. Each game is played with the next of the depths.
pub fn games(
    seed: u64,
    count: usize,
    depths: RangeInclusive<u32>,
    rules: RuleSet,
) -> Vec<(Color, Vec<Position>)> {
    let mut random = Random(seed);
    let mut games = Vec::new();
    while games.len() < count {
        let depth = depths.clone().cycle().nth(games.len());
        games.extend(depth.and_then(|depth| play(depth, rules, &mut random)));
    }
    games
}

/// Plays a game, if somebody wins it in time, and not too soon.
fn play(depth: u32, rules: RuleSet, random: &mut Random) -> Option<(Color, Vec<Position>)> {
    let mut game = vec![Position::start()];
    let at_random = 6 + random.below(6);
    for ply in 0..300 {
        let here = game[game.len() - 1];
        let mut successors = here.successors(rules).unwrap();
        if successors.is_empty() {
            return (game.len() > SHORTEST).then(|| (!here.side_to_move(), game));
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
                let value = -search(after, rules, depth - 1, i32::MIN + 1, -best.1);
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
fn search(position: &Position, rules: RuleSet, depth: u32, alpha: i32, beta: i32) -> i32 {
    let successors = position.successors(rules).unwrap();
    if successors.is_empty() {
        return -1_000_000 - depth as i32;
    }
    let captures = successors[0].0.squares().len() > 2;
    if depth == 0 && !captures {
        return evaluate(position);
    }
    let mut best = alpha;
    for (_, after) in &successors {
        let value = -search(after, rules, depth.saturating_sub(1), -beta, -best);
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
