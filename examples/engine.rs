//! A small engine. Inside its search, the tables say who wins, and nothing below is searched; at the
//! root, they also give the distances, so that a won ending comes nearer to its end with each move.
//!
//! ```sh
//! cargo run --release --example engine -- tables "c3W d6w a3B w" 6
//! ```

use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::{Value, Wdl};
use std::error::Error;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

const RULES: RuleSet = RuleSet::Lasca;

/// The score of a win, less its distance in plies.
const WON: i32 = 1_000_000;
/// The least score of a win whose distance is not known.
const WON_SOMEHOW: i32 = WON / 2;

struct Engine<'a> {
    tables: &'a Tablebase,
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
                    -self.search(&after, depth - 1, -WON, WON)?
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
        let mut is_over = true;
        let end = position.try_for_each_move(RULES, |_, after| {
            is_over = false;
            if depth == 0 {
                return ControlFlow::Break(Ok(worth(position)));
            }
            match self.search(after, depth - 1, -beta, -alpha) {
                Ok(score) => alpha = alpha.max(-score),
                Err(error) => return ControlFlow::Break(Err(error)),
            }
            if alpha >= beta { ControlFlow::Break(Ok(alpha)) } else { ControlFlow::Continue(()) }
        });
        match end {
            ControlFlow::Break(score) => score,
            ControlFlow::Continue(()) if is_over => {
                let has_won = position.commanded_by(!position.side_to_move()).is_empty();
                Ok(if has_won { won } else { -won })
            }
            ControlFlow::Continue(()) => Ok(alpha),
        }
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
    let mut engine = Engine { tables: &tables, positions: 0 };
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
