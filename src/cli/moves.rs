//! `moves`: lists the legal moves of a position.

use crate::answer::{Style, why_over};
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::{Answer, MoveAnswer};
use crate::positions::{Asked, Positions, Shown};
use crate::text;
use lasca_tablebase::notation::board_text;
use lasca_tablebase::rules::Position;
#[cfg(feature = "server")]
use lasca_tablebase::rules::RuleSet;

/// List the legal moves of a position
///
/// Each move is listed with the position that it leads to. The command needs no tables, and the
/// position may have soldiers and up to 22 counters.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb moves \"b2W c3B c5BB w\"
  lasca-tb moves --stdin --json < positions.txt")]
pub struct Args {
    #[command(flatten)]
    positions: Positions,
}

/// Prints the moves.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    let style = Style { row_form: args.positions.row_form(), brief: None, needs_distance: false };
    let asked = Asked { command: "moves", rules, json: global.json, brief: false, options: &[] };
    args.positions.answer_with(asked, true, &|&position, _| {
        let moves = position.successors(rules);
        let text = |position: &Position| style.text(position);
        let moves = moves.iter().map(|(played, after)| MoveAnswer::new(played, after, None, text));
        let (moves, text) = (Some(moves.collect()), text(&position));
        let answer = Answer { position: text, moves, ..Answer::default() };
        Ok(Box::new(Moves { position, answer }))
    })
}

/// The moves of a position; `None` if their texts are longer than `most_bytes` together.
#[cfg(feature = "server")]
pub fn short_answer(rules: RuleSet, position: &Position, most_bytes: usize) -> Option<Answer> {
    let (mut moves, mut bytes) = (Vec::new(), 0);
    // A position has a letter for each counter, a square and the side to move; a move has two squares.
    // So more moves than these are too long.
    let counters = position.columns().map(|(_, column)| column.height()).sum::<usize>();
    let most = most_bytes / (counters + "a1 w".len() + "a1-b2".len());
    for (played, after) in position.successors_up_to(rules, most)? {
        let legal = MoveAnswer::new(&played, &after, None, Position::to_string);
        bytes += legal.played.len() + legal.position.len();
        if bytes > most_bytes {
            return None;
        }
        moves.push(legal);
    }
    Some(Answer { position: position.to_string(), moves: Some(moves), ..Answer::default() })
}

/// The legal moves of a position.
struct Moves {
    position: Position,
    answer: Answer,
}

impl Moves {
    fn moves(&self) -> &[MoveAnswer] {
        self.answer.moves.as_deref().unwrap_or_default()
    }
}

impl Shown for Moves {
    fn json(&self) -> Answer {
        self.answer.clone()
    }

    fn page(&self) -> String {
        let mut lines = vec![board_text(&self.position), String::new()];
        match self.moves().len() {
            0 => lines.push(why_over(&self.position)),
            1 => lines.push("1 move:".to_owned()),
            moves => lines.push(format!("{moves} moves:")),
        }
        let row = |legal: &MoveAnswer| vec![legal.played.clone(), legal.position.clone()];
        let rows: Vec<Vec<String>> = self.moves().iter().map(row).collect();
        lines.extend(text::table(2, "ll", &rows));
        lines.join("\n")
    }

    fn line(&self) -> String {
        let moves: Vec<&str> = self.moves().iter().map(|legal| legal.played.as_str()).collect();
        match moves.as_slice() {
            [] => format!("{}: no move", self.answer.position),
            moves => format!("{}: {}", self.answer.position, moves.join(" ")),
        }
    }
}
