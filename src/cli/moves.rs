//! `moves`: lists the legal moves of a position.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::{self, Greeting};
use crate::probe;
use crate::question::{Answer, Question};
use crate::text::{self, Align};
use lasca_tablebase::notation::{board_text, move_text};
use lasca_tablebase::rules::{Move, Position, RuleSet};

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
    question: Question,
}

/// Prints the moves.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    let text = |position: &Position| args.question.text(position);
    let greeting = Greeting::new("moves", rules);
    args.question.answer_with(greeting, global.json, |position| Ok(answer(rules, position, text)))
}

/// The legal moves of a position. `text` writes the positions.
pub fn answer(
    rules: RuleSet,
    position: &Position,
    text: impl Fn(&Position) -> String,
) -> json::Moves {
    let moves = position.successors(rules);
    let moves = moves.into_iter().map(|(played, after)| legal_move(&played, &after, &text));
    json::Moves { position: text(position), moves: moves.collect() }
}

/// As [`answer`]; `None` if the texts of the moves are longer than `most_bytes` together.
#[cfg(feature = "server")]
pub fn short_answer(rules: RuleSet, position: &Position, most_bytes: usize) -> Option<json::Moves> {
    let text = Position::to_string;
    let mut answer = json::Moves { position: text(position), moves: Vec::new() };
    let mut bytes = 0;
    // A position has a letter for each counter, a square and the side to move; a move has two squares.
    // So more moves than these are too long.
    let counters = position.columns().map(|(_, column)| column.height()).sum::<usize>();
    let most = most_bytes / (counters + "a1 w".len() + "a1-b2".len());
    for (played, after) in position.successors_up_to(rules, most)? {
        let legal = legal_move(&played, &after, &text);
        bytes += legal.played.len() + legal.position.len();
        if bytes > most_bytes {
            return None;
        }
        answer.moves.push(legal);
    }
    Some(answer)
}

fn legal_move(
    played: &Move,
    after: &Position,
    text: &impl Fn(&Position) -> String,
) -> json::LegalMove {
    json::LegalMove { played: move_text(played, after), position: text(after) }
}

impl Answer for json::Moves {
    fn as_page(&self, position: &Position) -> String {
        let mut lines = vec![board_text(position), String::new()];
        match self.moves.len() {
            0 => lines.push(probe::why_over(position)),
            1 => lines.push("1 move:".to_owned()),
            moves => lines.push(format!("{moves} moves:")),
        }
        let rows: Vec<Vec<String>> =
            self.moves.iter().map(|m| vec![m.played.clone(), m.position.clone()]).collect();
        lines.extend(text::rows_in_width(2, &[Align::Left; 2], &rows));
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let moves: Vec<&str> = self.moves.iter().map(|m| m.played.as_str()).collect();
        match moves.as_slice() {
            [] => format!("{}: no move", self.position),
            moves => format!("{}: {}", self.position, moves.join(" ")),
        }
    }
}
