//! Answers as text: what is known of a position, its moves and its best line.

use crate::failure::Status;
use crate::json;
use crate::positions::{Answered, LineOptions};
use crate::text;
use lasca_analysis::answer::{Answer, Proof};
use lasca_analysis::search::Stop;
use lasca_tablebase::notation::{MoveNumber, board_text};
use lasca_tablebase::probe::{Line, RatedMove, Standing};
use lasca_tablebase::rules::{Color, Position};
use lasca_tablebase::{Outcome, ValueRange, Wdl};

/// The length of a run without a capture, in plies, from which on it is named.
const NOTABLE_RUN: u16 = 10;

/// The indent of the text about a move.
const ABOUT: usize = 7;

/// How answers are shown.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Only the value is shown, if this is given; with the exact distance, if this is true.
    pub brief: Option<bool>,
    /// The exact distance is asked for, so an answer without it is not all that was wanted.
    pub needs_distance: bool,
}

/// An answer with the way to show it.
pub struct Known {
    answer: Answer,
    style: Style,
}

impl Known {
    /// Shows the answer, in the game of its line.
    pub fn shown(answer: Answer, style: Style, options: &LineOptions) -> Answered {
        let known = Known { answer: answer.in_game(options.before.clone()), style };
        let status = match known.answer.value.wdl() {
            Some(_) if !known.distance_is_open() => Status::Affirmative,
            _ => Status::Negative,
        };
        Ok((status, options.shown(|| json::Answer::new(&known.answer), || known.page())))
    }

    fn page(&self) -> String {
        if let Some(brief) = self.brief() {
            return brief;
        }
        let Answer { position, moves, proofs, line, .. } = &self.answer;
        let mut lines = vec![board_text(position), String::new(), self.verdict()];
        if self.distance_is_open() {
            lines.push("The exact distance is open.".to_owned());
        }
        let moves = moves.as_deref().unwrap_or_default();
        lines.extend(match proofs {
            Some(proofs) => self.proofs(moves, proofs),
            None => self.moves_table(moves),
        });
        lines.extend(line.iter().flat_map(|line| self.line_table(line)));
        lines.extend(self.effort());
        lines.join("\n")
    }

    fn is_searched(&self) -> bool {
        self.answer.effort.is_some()
    }

    fn distance_is_open(&self) -> bool {
        let value = self.answer.value;
        self.style.needs_distance && value.wdl().is_some() && value.exact().is_none()
    }

    /// `win 31`, `draw` or `open`, if only this is shown.
    fn brief(&self) -> Option<String> {
        let (value, with_plies) = (self.answer.value, self.style.brief?);
        let plies = value.exact().and_then(|value| value.dtw()).filter(|_| with_plies);
        Some(match (value.wdl(), plies) {
            (Some(wdl), Some(plies)) => format!("{} {plies}", wdl.name()),
            (Some(wdl), None) => wdl.name().to_owned(),
            (None, _) => "open".to_owned(),
        })
    }

    /// Who wins, or what is proved so far, in a sentence.
    fn verdict(&self) -> String {
        let Answer { position, value, .. } = &self.answer;
        let side = position.side_to_move();
        if value.exact().and_then(|value| value.dtw()) == Some(0) {
            return why_over(position);
        }
        let (subject, verb) = match (value.wdl(), self.is_searched()) {
            (None, _) => return self.proved_so_far(),
            (Some(Wdl::Draw), false) => return "Drawn.".to_owned(),
            (Some(Wdl::Draw), true) => return "Drawn: neither side can force a win.".to_owned(),
            (Some(Wdl::Win), _) => (side, "wins"),
            (Some(Wdl::Loss), false) => (side, "loses"),
            (Some(Wdl::Loss), true) => (!side, "wins"),
        };
        let how = match value.at_most() {
            None if !self.is_searched() => "; the distance is not known without a .ltbd file",
            _ => &text::in_plies(*value),
        };
        format!("{subject} {verb}{how}.")
    }

    fn proved_so_far(&self) -> String {
        match excluded(self.answer.value, self.answer.position.side_to_move()) {
            Some(color) => format!("{color} cannot win. Whether {} can win is open.", !color),
            None => "Open: neither a win nor a draw is proved.".to_owned(),
        }
    }

    /// A row with an estimate, if the move has one, in a column of its own, if there is any.
    fn row_with_estimate(&self, (number, rated): (usize, &RatedMove)) -> Vec<String> {
        let mut row = row(rated);
        if self.answer.estimates.iter().any(Option::is_some) {
            let estimate = self.answer.estimate_of(number);
            let estimate =
                estimate.map_or_else(String::new, |number| format!("estimate {number:+}"));
            row.insert(2, estimate);
        }
        row
    }

    fn moves_table(&self, moves: &[RatedMove]) -> Vec<String> {
        if moves.is_empty() {
            return Vec::new();
        }
        let rows: Vec<Vec<String>> =
            moves.iter().enumerate().map(|row| self.row_with_estimate(row)).collect();
        let heading = self.is_searched().then(|| "Moves:".to_owned());
        let mut lines: Vec<String> = std::iter::once(String::new()).chain(heading).collect();
        lines.extend(text::table(2, "llll", &rows));
        lines
    }

    fn line_table(&self, line: &Line) -> Vec<String> {
        if line.moves.is_empty() {
            return Vec::new();
        }
        let heading = if line.is_best { "Best line:" } else { "Best line known:" };
        let first = MoveNumber::first(self.answer.position.side_to_move());
        let mut lines = vec![String::new(), heading.to_owned()];
        if self.is_searched() {
            let moves: Vec<String> = line.moves.iter().map(RatedMove::to_string).collect();
            // As a study has it: where the line does not reach the end, it has no result.
            let end = line.end.map_or("", Outcome::symbol);
            lines.extend(text::moves_in_width(2, "", first, &moves, end));
            return lines;
        }
        let numbers = std::iter::successors(Some(first), |number| Some(number.next()));
        let numbered = |(number, rated): (MoveNumber, &RatedMove)| {
            std::iter::once(number.to_string()).chain(row(rated)).collect()
        };
        let rows: Vec<Vec<String>> = numbers.zip(&line.moves).map(numbered).collect();
        lines.extend(text::table(2, "llll", &rows));
        lines.extend(line.end.map(|end| match end {
            Outcome::Win(winner) => format!("{winner} has won."),
            Outcome::Draw => "The position is repeated: a draw.".to_owned(),
        }));
        lines
    }

    /// The moves with what proves their values.
    fn proofs(&self, moves: &[RatedMove], proofs: &[Proof]) -> Vec<String> {
        let mut lines = Vec::new();
        let side = self.answer.position.side_to_move();
        if self.answer.value.wdl() == Some(Wdl::Draw) && !self.is_searched() {
            let drawn = moves.iter().filter(|rated| rated.value.wdl() == Some(Wdl::Draw));
            let drawn: Vec<String> = drawn.map(RatedMove::to_string).collect();
            lines.extend(text::wrapped(0, &holds(&side.to_string(), "", &drawn, moves.len())));
        }
        let first = MoveNumber::first(side);
        for (rated, proof) in moves.iter().zip(proofs) {
            lines.push(String::new());
            lines.extend(text::hanging(&format!("  {first} "), 2, &with_standing((rated, proof))));
            lines.extend(about(proof, first.next(), rated));
        }
        lines
    }

    /// How much was searched.
    fn effort(&self) -> Vec<String> {
        let Some(effort) = self.answer.effort else { return Vec::new() };
        let (positions, time) = (text::grouped(effort.positions), text::duration(effort.time));
        let why = match effort.stop {
            Stop::Solved => "",
            Stop::Time => " Stopped at the time limit.",
            Stop::Memory => " The memory was full; `lasca-tb solve --memory` allows more.",
            Stop::TooManyMoves => " A position has more moves than are listed.",
            Stop::NoDistances => " The distance rests on tables without .ltbd files.",
            Stop::Cancelled => " The search was stopped.",
        };
        vec![String::new(), format!("Positions met: {positions}, in {time}.{why}")]
    }
}

/// A side that is proved to be unable to win.
pub fn excluded(value: ValueRange, side_to_move: Color) -> Option<Color> {
    let excluded = value.excluded(side_to_move);
    Color::ALL.into_iter().find(|&color| excluded[color])
}

/// A move with what it is worth and the position after it.
fn row(rated: &RatedMove) -> Vec<String> {
    vec![rated.to_string(), worth(rated), rated.after.to_string()]
}

/// What a move is worth, as far as that is known.
fn worth(rated: &RatedMove) -> String {
    match (rated.value.wdl(), excluded(rated.value, !rated.after.side_to_move())) {
        (Some(_), _) => rated.value.to_string(),
        (None, Some(color)) => format!("open, {color} cannot win"),
        (None, None) => "open".to_owned(),
    }
}

/// `f2-g3: draw, only move`.
fn with_standing((rated, proof): (&RatedMove, &Proof)) -> String {
    let only = proof.standing.filter(|standing| standing.is_only());
    let only = only.map(|only: Standing| format!(", {only}")).unwrap_or_default();
    format!("{rated}: {}{only}", worth(rated))
}

/// What proves the value of a move: the line after it, or the replies that hold the draw. Nothing if the
/// value is open.
fn about(proof: &Proof, reply: MoveNumber, rated: &RatedMove) -> Vec<String> {
    let holding = proof.holding.iter().flatten().map(RatedMove::to_string);
    let holding: Vec<String> = holding.collect();
    if holding.is_empty() {
        let line: Vec<String> = proof.line.moves.iter().map(RatedMove::to_string).collect();
        let end = proof.line.end.map_or("…", Outcome::symbol);
        let quiet = longest_run(std::iter::once(rated).chain(&proof.line.moves));
        let end_and_run = format!("{end} ({} in a row without a capture)", text::plies(quiet));
        return match line.is_empty() {
            _ if rated.value.wdl().is_none() => Vec::new(),
            true => vec![format!("{:ABOUT$}{end}", "")],
            false if quiet < NOTABLE_RUN => text::moves_in_width(ABOUT, "", reply, &line, end),
            false => text::moves_in_width(ABOUT, "", reply, &line, &end_and_run),
        };
    }
    let (side, number) = (reply.side.to_string(), format!("{reply}\u{a0}"));
    let holds = match proof.open_replies {
        0 => holds(&side, &number, &holding, proof.replies),
        open => {
            let (listed, replies) = (holding.join(", "), proof.replies);
            format!("{side} holds by {number}{listed}. Open replies: {open} of {replies}.")
        }
    };
    text::hanging(&" ".repeat(ABOUT), ABOUT, &holds)
}

/// The longest run of these moves that are no captures.
fn longest_run<'a>(moves: impl Iterator<Item = &'a RatedMove>) -> u16 {
    let (mut run, mut longest) = (0, 0);
    for rated in moves {
        run = if rated.played.is_capture() { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest
}

/// A sentence about the moves with which a side holds the draw.
fn holds(side: &str, number: &str, moves: &[String], legal: usize) -> String {
    let listed = moves.join(", ");
    match moves.len() {
        1 if legal == 1 => format!("{side} holds: {number}{listed} is its only legal move."),
        1 => format!("{side} holds only by {number}{listed} (1 of {legal})."),
        n if n == legal => format!("{side} holds by each move: {number}{listed} ({n})."),
        n => format!("{side} holds by {number}{listed} ({n} of {legal})."),
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
