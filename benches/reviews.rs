//! Reviews of whole games: how many plies before the end who is winning is known.
//!
//! ```sh
//! cargo bench -p lasca-benches --bench reviews -- --total 20       # 20 seconds for each of thirty games
//! cargo bench -p lasca-benches --bench reviews -- --seconds 1 --total 60 --seed 7 --games 10
//! ```
//!
//! The games are those of a simple player, which plays itself from the start position.

mod common;
#[path = "common/player.rs"]
mod player;

use common::TABLES;
use common::budget::option;
use lasca_tablebase::Silent;
use lasca_tablebase::answer::SearchLimits;
use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::search::Limits;
use lasca_tablebase::study::{Mark, parse, review};
use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let count = option(&arguments, "--games", if is_test { 1 } else { 30 });
    let time = Some(Duration::from_secs(option(&arguments, "--seconds", 5)));
    let total = Duration::from_secs(option(&arguments, "--total", if is_test { 1 } else { 20 }));
    let memory = option(&arguments, "--memory-mib", 4096) << 20;
    let search = SearchLimits { limits: Limits { time, ..Limits::default() }, memory };
    let tables = Tablebase::open(TABLES, RuleSet::Lasca).expect("tables");
    let mut known = Vec::new();
    println!("plies | known for the last | slips | only moves | not known");
    for (_, game) in player::games(option(&arguments, "--seed", 1), count, 4..=8, RuleSet::Lasca) {
        let game = parse(&text(&game)).expect("a game");
        let review =
            review(&game[0], &tables, Some(search), Some(total), &Silent).expect("legal moves");
        let plies = review.plies.len() - 1;
        known.push(plies - review.known_from().expect("the game is over"));
        let marked = |mark| {
            let marks = review.plies.iter().filter_map(|ply| ply.played.as_ref()?.mark);
            marks.filter(|&found| found == mark).count()
        };
        let [slips, only, open] = [Mark::Bad, Mark::Good, Mark::Interesting].map(marked);
        println!("{plies} | {} | {slips} | {only} | {open}", known[known.len() - 1]);
    }
    known.sort_unstable();
    let (least, middle, most) = (known[0], known[known.len() / 2], known[known.len() - 1]);
    println!("known for the last plies: at least {least}, at most {most}, median {middle}");
}

/// A game as a study.
fn text(game: &[Position]) -> String {
    let step = |pair: &[Position]| {
        let moves = pair[0].successors(RuleSet::Lasca);
        moves.iter().find(|step| step.1 == pair[1]).map(|(played, after)| move_text(played, after))
    };
    let moves: Vec<String> = game.windows(2).filter_map(step).collect();
    format!("start {}", moves.join(" "))
}
