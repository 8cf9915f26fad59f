//! `line`: shows for each move of a position the line that proves its value.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::json::{self, Greeting};
use crate::probe::verdict;
use crate::question::{Answer, Question};
use crate::text;
use lasca_tablebase::Wdl;
use lasca_tablebase::notation::{MoveNumber, board_text, move_text};
use lasca_tablebase::probe::{Alternative, ProbeError, RatedMove, Standing, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};

/// The indent of the text about a move.
const ABOUT: usize = 7;

/// Play out each move of a position: its value, and the line that shows it
///
/// For a move that wins or loses, the line is best play to the end: the winner takes the shortest
/// way and the loser the longest. For a move that draws, the replies that hold the draw are listed.
/// A move is marked if it is the only one that keeps the result.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb line \"c3W d4B c5B e5W w\"
  lasca-tb line \"d2W d4W f2B f4B b\" --json")]
pub struct Args {
    #[command(flatten)]
    question: Question,

    #[command(flatten)]
    folders: Folders,

    /// Print one JSON object per position
    ///
    /// Keys: position, wdl (win, draw or loss), dtw (plies, or null for a draw), moves. Keys of a
    /// move: move, position, wdl, dtw; standing (only legal move, only move, best, one of several or
    /// gives away); line (best play after the move, as moves with their values); line_end (white
    /// wins, black wins or repetition); replies (how many there are); holding (the replies that hold
    /// the draw, or null if the move does not draw). If there is no answer: position, error.
    #[arg(long)]
    json: bool,
}

/// Prints the answers.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    // Without tables, the answer to each position says why.
    let tables = args.folders.open(rules);
    args.question.answer_with(Greeting::new("line", rules), args.json, |position| {
        let tables = tables.as_ref().map_err(Failure::clone)?;
        Ok(answer(tables, position, |position| args.question.text(position))?)
    })
}

/// The moves of a position with the lines that prove their values. `text` writes the positions.
pub fn answer(
    tables: &Tablebase,
    position: &Position,
    text: impl Fn(&Position) -> String,
) -> Result<json::Alternatives, ProbeError> {
    let rated = |rated: &RatedMove| json::RatedMove {
        played: text_of(rated),
        position: text(&rated.after),
        value: rated.value.into(),
    };
    let alternative = |alternative: Alternative| json::Alternative {
        rated: rated(&alternative.rated),
        standing: alternative.standing,
        line: alternative.line.moves.iter().map(rated).collect(),
        line_end: alternative.line.end.into(),
        replies: alternative.replies,
        holding: (alternative.rated.value.wdl() == Wdl::Draw)
            .then(|| alternative.holding.iter().map(text_of).collect()),
    };
    Ok(json::Alternatives {
        position: text(position),
        value: tables.value(position)?.into(),
        moves: tables.alternatives(position)?.into_iter().map(alternative).collect(),
    })
}

fn text_of(rated: &RatedMove) -> String {
    move_text(&rated.played, &rated.after)
}

impl Answer for json::Alternatives {
    fn as_page(&self, position: &Position) -> String {
        let mut lines = vec![board_text(position), String::new()];
        lines.push(verdict(position, self.value, self.moves.is_empty()));
        if self.value.wdl == Wdl::Draw {
            lines.extend(text::wrapped(0, &self.holding(position)));
        }
        let first = MoveNumber::first(position.side_to_move());
        for alternative in &self.moves {
            lines.push(String::new());
            let head = format!("  {first} ");
            lines.extend(text::hanging(&head, 2, &alternative.text()));
            lines.extend(alternative.about(first.next()));
        }
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(json::Alternative::text).collect();
        let values = format!("{}: {}", self.position, self.value);
        if moves.is_empty() { values } else { format!("{values}; {}", moves.join("; ")) }
    }
}

impl json::Alternatives {
    /// A sentence about the moves that hold a drawn position.
    fn holding(&self, position: &Position) -> String {
        let drawn = |alternative: &&json::Alternative| alternative.rated.value.wdl == Wdl::Draw;
        let moves: Vec<&str> =
            self.moves.iter().filter(drawn).map(|a| a.rated.played.as_str()).collect();
        holds(&position.side_to_move().to_string(), "", &moves, self.moves.len())
    }
}

impl json::Alternative {
    /// `f2-g3, draw, only move`.
    fn text(&self) -> String {
        let value = format!("{}: {}", self.rated.played, self.rated.value);
        match self.standing {
            only @ (Standing::OnlyLegal | Standing::Only) => format!("{value}, {only}"),
            Standing::Best | Standing::Keeps | Standing::GivesAway => value,
        }
    }

    /// What proves the value: the line after the move, or the replies that hold the draw.
    fn about(&self, reply: MoveNumber) -> Vec<String> {
        if let Some(holding) = &self.holding {
            let moves: Vec<&str> = holding.iter().map(String::as_str).collect();
            let number = format!("{reply}\u{a0}");
            let holds = holds(&reply.side.to_string(), &number, &moves, self.replies);
            return text::hanging(&" ".repeat(ABOUT), ABOUT, &holds);
        }
        let moves: Vec<String> = self.line.iter().map(|rated| rated.played.clone()).collect();
        if moves.is_empty() {
            return vec![format!("{:ABOUT$}{}", "", self.line_end.symbol())];
        }
        text::moves_in_width(ABOUT, "", reply, &moves, self.line_end.symbol())
    }
}

/// A sentence about the moves with which a side holds the draw.
fn holds(side: &str, number: &str, moves: &[&str], legal: usize) -> String {
    let listed = moves.join(", ");
    match moves.len() {
        1 if legal == 1 => format!("{side} holds: {number}{listed} is its only legal move."),
        1 => format!("{side} holds only by {number}{listed} (1 of {legal})."),
        n if n == legal => format!("{side} holds by each move: {number}{listed} ({n})."),
        n => format!("{side} holds by {number}{listed} ({n} of {legal})."),
    }
}
