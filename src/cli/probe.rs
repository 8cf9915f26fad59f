//! `probe`: looks up the value of a position and of its moves.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::json::{self, Greeting, LineEnd, Rating};
use crate::question::{Answer, Question};
use crate::text::{self, Align};
use lasca_tablebase::Wdl;
use lasca_tablebase::notation::{board_text, move_text};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Move, Position, RuleSet};

/// Look up who wins a position, and what each move is worth
///
/// A win or a loss comes with its distance: the number of plies until the loser cannot move, if both
/// sides play best. The value of a move is seen from the side that makes it, and its distance counts
/// from the position before the move. The best move comes first.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb probe \"a1WWW b2BBB w\" --line
  lasca-tb probe --stdin --json < positions.txt > answers.jsonl
  lasca-tb probe --stdin --brief < positions.txt > values.txt")]
pub struct Args {
    #[command(flatten)]
    question: Question,

    #[command(flatten)]
    folders: Folders,

    /// Also show best play, to the end of the game or to the first repetition
    #[arg(long)]
    line: bool,

    /// Print only the value, which is fastest for many positions
    ///
    /// The answer is a line such as `win 5`, `draw` or `loss 12`. The number is the distance in
    /// plies. If the table's .ltbd file, which has the distances, is missing, the answer is just
    /// `win` or `loss`. With --stdin, a position without an answer gives `error:` and the reason.
    #[arg(long, conflicts_with = "line")]
    brief: bool,

    /// Print one JSON object per position
    ///
    /// Keys: position, wdl (win, draw or loss), dtw (plies, or null for a draw or without the table's
    /// .ltbd file), moves (move, position, wdl, dtw; not with --brief). --line adds line (with the
    /// same keys as moves) and line_end (white wins, black wins or repetition). If there is no
    /// answer: position, error.
    #[arg(long)]
    json: bool,
}

/// Prints the answers.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    // Without tables, the answer to each position says why.
    let tables = args.folders.open(rules);
    let tables = || tables.as_ref().map_err(Failure::clone);
    let (question, greeting) = (&args.question, Greeting::new("probe", rules));
    if args.brief {
        let answer = |position: &Position| Ok(brief(tables()?, position, args)?);
        question.answer_with(greeting, args.json, answer)
    } else {
        let text = |position: &Position| question.text(position);
        let answer = |position: &Position| Ok(answer(tables()?, position, args.line, text)?);
        question.answer_with(greeting, args.json, answer)
    }
}

fn brief(tables: &Tablebase, position: &Position, args: &Args) -> Result<json::Brief, ProbeError> {
    let value = tables.rating(position)?.into();
    Ok(json::Brief { position: args.question.text(position), value })
}

/// The value of a position and of its moves, and best play if `line` is asked for. `text` writes
/// the positions. Without a DTW file, distances are left out, and best play is an error.
pub fn answer(
    tables: &Tablebase,
    position: &Position,
    line: bool,
    text: impl Fn(&Position) -> String,
) -> Result<json::Probe, ProbeError> {
    let rated = |played: &Move, after: &Position, value: Rating| json::RatedMove {
        played: move_text(played, after),
        position: text(after),
        value,
    };
    let value = tables.rating(position)?.into();
    let moves = tables.move_ratings(position)?;
    let mut answer = json::Probe {
        position: text(position),
        value,
        moves: moves.iter().map(|m| rated(&m.played, &m.after, m.rating.into())).collect(),
        line: None,
        line_end: None,
    };
    if line {
        let line = tables.best_line(position)?;
        let moves = line.moves.iter().map(|m| rated(&m.played, &m.after, m.value.into()));
        answer.line = Some(moves.collect());
        answer.line_end = Some(line.end.into());
    }
    Ok(answer)
}

/// Who wins, in a sentence.
pub fn verdict(position: &Position, value: Rating, is_over: bool) -> String {
    let side = position.side_to_move();
    let verb = match value.wdl {
        _ if is_over => return why_over(position),
        Wdl::Win => "wins",
        Wdl::Draw => return "Drawn.".to_owned(),
        Wdl::Loss => "loses",
    };
    match value.dtw {
        Some(dtw) => format!("{side} {verb} in {}.", text::plies(dtw)),
        None => format!("{side} {verb}; the distance is not known without a .ltbd file."),
    }
}

/// Why a position has no moves, in a sentence.
pub fn why_over(position: &Position) -> String {
    let side = position.side_to_move();
    if position.commanded_by(side).is_empty() {
        format!("{side} has lost: it commands no column.")
    } else if position.commanded_by(!side).is_empty() {
        format!("{side} has won: {} commands no column.", !side)
    } else {
        format!("{side} has lost: it cannot move.")
    }
}

impl Answer for json::Probe {
    fn as_page(&self, position: &Position) -> String {
        let mut lines = vec![board_text(position), String::new()];
        lines.push(verdict(position, self.value, self.moves.is_empty()));
        if !self.moves.is_empty() {
            lines.push(String::new());
        }
        let rows: Vec<Vec<String>> = self.moves.iter().map(cells).collect();
        lines.extend(text::rows_in_width(2, &[Align::Left; 3], &rows));
        if let (Some(line), Some(end)) = (&self.line, self.line_end)
            && !line.is_empty()
        {
            lines.extend([String::new(), "Best line:".to_owned()]);
            let numbered =
                |(i, rated)| std::iter::once(format!("{}.", i + 1)).chain(cells(rated)).collect();
            let rows: Vec<Vec<String>> = line.iter().enumerate().map(numbered).collect();
            let align = [Align::Right, Align::Left, Align::Left, Align::Left];
            lines.extend(text::rows_in_width(2, &align, &rows));
            lines.push(
                match end {
                    LineEnd::WhiteWins => "White has won.",
                    LineEnd::BlackWins => "Black has won.",
                    LineEnd::Repetition => "The position is repeated: a draw.",
                }
                .to_owned(),
            );
        }
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let played: Vec<&str> = match &self.line {
            Some(line) => line.iter().map(|rated| rated.played.as_str()).collect(),
            None => self.moves.iter().take(1).map(|rated| rated.played.as_str()).collect(),
        };
        let mut text = format!("{}: {}", self.position, self.value);
        if !played.is_empty() {
            text.push_str(", ");
            text.push_str(&played.join(" "));
        }
        text
    }
}

impl Answer for json::Brief {
    fn as_page(&self, _: &Position) -> String {
        self.as_line()
    }

    fn as_line(&self) -> String {
        match self.value.dtw {
            Some(plies) => format!("{} {plies}", self.value.wdl.name()),
            None => self.value.wdl.name().to_owned(),
        }
    }

    fn no_answer(_: &str, error: &str) -> String {
        format!("error: {error}")
    }
}

fn cells(rated: &json::RatedMove) -> Vec<String> {
    vec![rated.played.clone(), rated.value.to_string(), rated.position.clone()]
}
