//! `probe`: the value of a position and of its moves.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::json::{self, Greeting, LineEnd, Rating};
use crate::question::{Answer, Question};
use crate::text::{self, Align};
use lasca_tablebase::notation::{board_text, move_text};
use lasca_tablebase::probe::{ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use std::cmp::Reverse;

/// Say who wins a position, and what each move is worth
///
/// A win or loss is given with its distance: the plies until the loser cannot move, both sides
/// playing best. A move's value is that of the side that makes it, counted from the position asked
/// about; the best move comes first.
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

    /// Also play on: the best line to the end of the game, or to the first repetition
    #[arg(long)]
    line: bool,

    /// Say the value alone, and no move: the quick answer to many positions
    ///
    /// A line such as `win 5`, `draw` or `loss 12`, the plies after the word; `win` or `loss` without
    /// them if the table's .ltbd file, which has the distances, is not there. With --stdin, `error:`
    /// and why if there is no answer.
    #[arg(long, conflicts_with = "line")]
    brief: bool,

    /// One JSON object a position
    ///
    /// Keys: position, wdl (win, draw or loss), dtw (plies; null for a draw, or without the table's
    /// .ltbd file), moves (move, position, wdl, dtw; no such key with --brief); with --line also line
    /// (as moves) and line_end (white wins, black wins or repetition). Without an answer: position,
    /// error.
    #[arg(long)]
    json: bool,
}

/// Prints the answers.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    // Without tables, each position is answered with why.
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
    let value = rating(tables, position)?;
    Ok(json::Brief { position: args.question.text(position), value })
}

/// The value of a position, without its distance if the table has none.
fn rating(tables: &Tablebase, position: &Position) -> Result<Rating, ProbeError> {
    match tables.value(position) {
        Err(ProbeError::MissingDtw { .. }) => {
            Ok(Rating { wdl: tables.wdl(position)?.name(), dtw: None })
        }
        value => value.map(Rating::from),
    }
}

/// The moves of a position by win, draw or loss alone, from a table that has no distances. A move
/// that ends the game, whose distance is known all the same, is the first of its kind.
fn moves_by_wdl(
    tables: &Tablebase,
    position: &Position,
    text: impl Fn(&Position) -> String,
) -> Result<Vec<json::RatedMove>, ProbeError> {
    let mut moves = Vec::new();
    for (played, after) in position.successors(tables.rules()) {
        let (wdl, dtw) = match tables.value(&after) {
            Err(ProbeError::MissingDtw { .. }) => (-tables.wdl(&after)?, None),
            value => {
                let value = value?.before_move();
                (value.wdl(), value.dtw())
            }
        };
        let rated = json::RatedMove {
            played: move_text(&played, &after),
            position: text(&after),
            value: Rating { wdl: wdl.name(), dtw },
        };
        moves.push((wdl, rated));
    }
    moves.sort_by_key(|(wdl, rated)| (Reverse(*wdl), rated.value.dtw.is_none()));
    Ok(moves.into_iter().map(|(_, rated)| rated).collect())
}

/// The value of a position and of its moves; and best play, if `line` is asked for. Positions are
/// written by `text`. Without distances, all but best play is told.
pub fn answer(
    tables: &Tablebase,
    position: &Position,
    line: bool,
    text: impl Fn(&Position) -> String,
) -> Result<json::Probe, ProbeError> {
    let json_of = |rated: &RatedMove| json::RatedMove {
        played: move_text(&rated.played, &rated.after),
        position: text(&rated.after),
        value: rated.value.into(),
    };
    let value = rating(tables, position)?;
    let moves = match tables.moves(position) {
        Err(ProbeError::MissingDtw { .. }) => moves_by_wdl(tables, position, &text)?,
        moves => moves?.iter().map(json_of).collect(),
    };
    let mut answer =
        json::Probe { position: text(position), value, moves, line: None, line_end: None };
    if line {
        let line = tables.best_line(position)?;
        answer.line_end = Some(line.end.into());
        answer.line = Some(line.moves.iter().map(json_of).collect());
    }
    Ok(answer)
}

/// Who wins, in a sentence.
pub fn verdict(position: &Position, value: Rating, is_over: bool) -> String {
    let side = position.side_to_move();
    match (is_over, value.wdl, value.dtw) {
        (true, ..) => why_over(position),
        (_, "win", Some(dtw)) => format!("{side} wins in {}.", text::plies(dtw)),
        (_, "loss", Some(dtw)) => format!("{side} loses in {}.", text::plies(dtw)),
        (_, "win", None) => format!("{side} wins; distances are not known without a .ltbd file."),
        (_, "loss", None) => format!("{side} loses; distances are not known without a .ltbd file."),
        _ => "Drawn.".to_owned(),
    }
}

/// Why there is no move in a position.
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

impl Rating {
    /// `win in 5`, `draw`.
    pub fn text(self) -> String {
        match self.dtw {
            Some(plies) => format!("{} in {plies}", self.wdl),
            None => self.wdl.to_owned(),
        }
    }
}

impl Answer for json::Probe {
    fn page(&self, position: &Position) -> String {
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
                    LineEnd::Repetition => "A position has come back: a draw.",
                }
                .to_owned(),
            );
        }
        lines.join("\n")
    }

    fn line(&self) -> String {
        let played: Vec<&str> = match &self.line {
            Some(line) => line.iter().map(|rated| rated.played.as_str()).collect(),
            None => self.moves.iter().take(1).map(|rated| rated.played.as_str()).collect(),
        };
        let mut text = format!("{}: {}", self.position, self.value.text());
        if !played.is_empty() {
            text.push_str(", ");
            text.push_str(&played.join(" "));
        }
        text
    }
}

impl Answer for json::Brief {
    fn page(&self, _: &Position) -> String {
        self.line()
    }

    fn line(&self) -> String {
        match self.value.dtw {
            Some(plies) => format!("{} {plies}", self.value.wdl),
            None => self.value.wdl.to_owned(),
        }
    }

    fn no_line(_: &str, error: &str) -> String {
        format!("error: {error}")
    }
}

fn cells(rated: &json::RatedMove) -> Vec<String> {
    vec![rated.played.clone(), rated.value.text(), rated.position.clone()]
}
