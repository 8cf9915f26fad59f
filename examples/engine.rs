//! A small engine. Inside its search, the tables say who wins, and nothing below is searched; at the
//! root, they also give the distances, so that a won ending comes nearer to its end with each move.
//!
//! It searches deeper and deeper. From one depth to the next, it keeps the best move of each position that it
//! met, and tries it first. Where a capture is due, it searches on until none is.
//!
//! ```sh
//! cargo run --release --example engine -- tables "c3W d6w a3B w" 6
//! ```

use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Move, Position, RuleSet};
use lasca_tablebase::{Value, Wdl};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

const RULES: RuleSet = RuleSet::Lasca;

/// The score of a win, less its distance in plies.
const WON: i32 = 1_000_000;
/// The least score of a win whose distance is not known.
const WON_SOMEHOW: i32 = WON / 2;

struct Engine<'a> {
    tables: &'a Tablebase,
    /// The best move of positions, and their keys, by the lowest bits of the key.
    best: Vec<(u64, Option<Move>)>,
    positions: u64,
}

impl Engine<'_> {
    /// The score of each move for the side that makes it, best first.
    fn moves(&mut self, position: &Position, depth: u8) -> Result<Vec<(i32, String)>, ProbeError> {
        let mut moves = Vec::new();
        for (played, after) in position.successors(RULES)? {
            let score = match self.tables.known_value(&after) {
                Ok(known) => {
                    let dtw = known.exact().and_then(Value::dtw);
                    let won = dtw.map_or(WON_SOMEHOW, |plies| WON - 1 - i32::from(plies));
                    of(-known.worst().wdl(), won)
                }
                Err(error) if error.is_not_covered() => {
                    let search = |depth| self.search(&after, depth, -WON, WON);
                    -(0..depth).map(search).last().expect("the depth is at least 1")?
                }
                Err(error) => return Err(error),
            };
            moves.push((score, move_text(&played, &after)));
        }
        moves.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        Ok(moves)
    }

    /// The score of a position for the side to move: alpha-beta search.
    fn search(
        &mut self,
        position: &Position,
        depth: u8,
        mut alpha: i32,
        beta: i32,
    ) -> Result<i32, ProbeError> {
        self.positions += 1;
        // A win that is found sooner is better.
        let won = WON_SOMEHOW + i32::from(depth);
        // Where no table covers the position, this takes some nanoseconds.
        if let Some(wdl) = self.tables.try_wdl(position)? {
            return Ok(of(wdl, won));
        }
        let mut moves = position.moves(RULES)?;
        if moves.is_empty() {
            let has_won = position.commanded_by(!position.side_to_move()).is_empty();
            return Ok(if has_won { won } else { -won });
        }
        // The moves tell whether a capture is due: then all of them are captures.
        if depth == 0 && !moves[0].is_capture() {
            return Ok(worth(position));
        }
        let key = position.key();
        let entry = key as usize % self.best.len();
        let tried = self.best[entry];
        if let (true, Some(best)) = (tried.0 == key, tried.1) {
            let place = moves.iter().position(|&played| played == best);
            place.into_iter().for_each(|place| moves.swap(0, place));
        }
        let mut score = -WON;
        for played in &moves {
            let after = position.play_unchecked(played);
            let found = -self.search(&after, depth.saturating_sub(1), -beta, -alpha)?;
            if found > score {
                score = found;
                self.best[entry] = (key, Some(*played));
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        Ok(score)
    }
}

/// The score of a result, if a win has this score.
fn of(wdl: Wdl, won: i32) -> i32 {
    match wdl {
        Wdl::Win => won,
        Wdl::Draw => 0,
        Wdl::Loss => -won,
    }
}

/// A guess of the score for the side to move: columns are worth more than the counters in them.
fn worth(position: &Position) -> i32 {
    let worth = |color| {
        let columns = position.commanded_by(color).into_iter();
        columns.map(|square| 100 + 10 * position.column(square).count(color) as i32).sum::<i32>()
    };
    worth(position.side_to_move()) - worth(!position.side_to_move())
}

/// A score in words. A number is a guess.
fn text(score: i32) -> String {
    let result = if score > 0 { "wins" } else { "loses" };
    match score.abs() {
        size if size >= WON - i32::from(u16::MAX) => format!("{result} in {} plies", WON - size),
        size if size >= WON_SOMEHOW => result.to_owned(),
        _ => format!("{score:+}"),
    }
}

/// Writes the score of each move, best first.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let [folder, position, depth] = arguments else {
        return Err("usage: engine FOLDER POSITION DEPTH".into());
    };
    let position: Position = position.parse()?;
    let depth = match depth.parse() {
        Ok(depth @ 1..=u8::MAX) => depth,
        _ => return Err(format!("expected a DEPTH from 1 to 255, found {depth}").into()),
    };
    let tables = Tablebase::open(folder, RULES)?;
    let mut engine = Engine { tables: &tables, best: vec![(0, None); 1 << 16], positions: 0 };
    let moves = engine.moves(&position, depth)?;
    if moves.is_empty() {
        writeln!(out, "the game is over")?;
    }
    for (score, played) in moves {
        writeln!(out, "{played:16} {}", text(score))?;
    }
    writeln!(out, "searched positions: {}", engine.positions)?;
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
