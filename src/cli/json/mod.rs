//! The lines of JSON. Each struct is one kind of line or a part of one, and its fields are the keys, in
//! this order.
//!
//! Values are seen from the side to move (`wdl`: `"win"`, `"draw"` or `"loss"`). Distances (`dtw`) are
//! in plies to the end of the game. Something that does not exist is `null`, such as the distance of a
//! draw, or the longest win where nobody wins.

mod find;
#[cfg(all(test, feature = "server"))]
mod schema;
mod stats;
mod study;
mod tables;

use lasca_tablebase::answer::{self, ValueRange};
use lasca_tablebase::certify::{Certificate, Verdict};
use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::{self, Standing};
use lasca_tablebase::rules::{Color, Move, Position, RuleSet};
use lasca_tablebase::{Rating, Value, Wdl};
use serde::Serialize;
use std::path::Path;

pub use find::*;
pub use stats::*;
pub use study::*;
pub use tables::*;

/// Writes a value as one line of JSON, without a newline.
pub fn to_line(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(line) => line,
        Err(error) => unreachable!("these structs have plain keys and fields: {error}"),
    }
}

/// The version of the protocol by which programs use `probe`, `explain`, `solve` and `moves` over
/// standard input and output. It changes when a key is removed or gets another meaning, but not when a
/// key is added. `docs/PROTOCOL.md` describes the protocol.
pub const PROTOCOL: u32 = 2;

/// The answer to the line `protocol` of standard input, with `--stdin`: who answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Greeting {
    /// The version of these lines.
    #[cfg_attr(test, schemars(extend("const" = PROTOCOL)))]
    pub protocol: u32,
    /// The name of the program.
    pub program: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The command.
    pub command: &'static str,
    /// The rule set of the answers.
    pub rules: &'static str,
}

impl Greeting {
    /// The greeting of a command under these rules.
    pub fn new(command: &'static str, rules: RuleSet) -> Greeting {
        Greeting {
            protocol: PROTOCOL,
            program: "lasca-tb",
            version: env!("CARGO_PKG_VERSION"),
            command,
            rules: rules.name(),
        }
    }
}

/// What is known of a position.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// The number that the line asked with: `id=7`. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// What it is worth to the side to move. `moves` does not tell.
    #[serde(flatten)]
    pub value: Option<Known>,
    /// All legal moves, best first; without distances, those that win, then those that draw, then those
    /// that lose. Empty if the game is over. `moves` lists them in the order of their squares. Absent with
    /// `--brief`, and if `solve` is not asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveAnswer>>,
    /// The best line known: to the end of the game, to the first position that repeats, or to where
    /// nothing is known any more. Only from `solve` and with `--line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<MoveAnswer>>,
    /// How that line ends; `null` if nothing is known of the position after it. Comes with `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<Option<LineEnd>>,
    /// What a search has taken, if there was one.
    #[serde(flatten)]
    pub effort: Option<Effort>,
}

/// A move, and what is known of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MoveAnswer {
    /// The move, such as `c3-d4`. A capture shows the columns that it leaves: `a1-b2BB-c3WWWB`.
    #[serde(rename = "move")]
    #[cfg_attr(test, schemars(length(min = 5)))]
    pub played: String,
    /// The position after the move.
    pub position: String,
    /// What it is worth to the side that makes it, counted from before the move. `moves` does not tell,
    /// nor does the line of a search.
    #[serde(flatten)]
    pub value: Option<Known>,
    /// How the move compares with the other moves of its position; `null` if that is open. Only from
    /// `explain` and `find`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<Option<&'static str>>,
    /// The best line known after the move. Only from `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<MoveAnswer>>,
    /// How that line ends; `null` if nothing is known of the position after it. Comes with `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<Option<LineEnd>>,
    /// How many legal replies there are. Only from `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<usize>,
    /// The replies that are known to hold the draw; `null` after a move that is not known to draw. Only
    /// from `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holding: Option<Option<Vec<String>>>,
}

/// A value, as far as it is known.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Known {
    /// The result: of a position for the side to move, of a move for the side that makes it; `null` if a
    /// search has left it open.
    pub wdl: Option<&'static str>,
    /// The distance to the end of the game, in plies, for a move counted from before it; `null` for a
    /// draw, or if the exact distance is not known.
    pub dtw: Option<u16>,
    /// What a search has proved beyond that.
    #[serde(flatten)]
    pub proved: Option<Proved>,
}

/// What a search tells of a value, and the tables do not need to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Proved {
    /// The plies that the proof of a win or loss needs at most; `null` without such a proof. Only if it
    /// was searched.
    pub at_most: Option<u16>,
    /// The sides that are proved unable to win. Only if it was searched.
    pub excluded: Vec<&'static str>,
}

/// What a search has taken.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Effort {
    /// How many positions the search has met. Only if it was searched.
    pub positions: u64,
    /// How long the search took, in seconds. Only if it was searched.
    pub seconds: f64,
}

impl Answer {
    /// The answer. `text` writes the positions.
    pub fn new(answer: &answer::Answer, text: impl Fn(&Position) -> String) -> Answer {
        let side = answer.position.side_to_move();
        let is_searched = answer.effort.is_some();
        let proved = |value, side| Known::new(value, is_searched.then_some(side));
        let step = |step: &answer::MoveAnswer| {
            let of_tables = (!is_searched).then(|| Known::new(step.value, None));
            MoveAnswer::new(&step.played, &step.after, of_tables, &text)
        };
        let line = |line: &answer::Line| line.moves.iter().map(step).collect();
        let rated = |rated: &answer::MoveAnswer| {
            let value = Some(proved(rated.value, side));
            let mut answer = MoveAnswer::new(&rated.played, &rated.after, value, &text);
            if let Some(proof) = &rated.proof {
                let holding = proof.holding.as_ref();
                answer.standing = Some(proof.standing.map(Standing::name));
                answer.line = Some(line(&proof.line));
                answer.line_end = Some(proof.line.end.map(LineEnd::from));
                answer.replies = Some(proof.replies);
                answer.holding = Some(holding.map(|moves| moves.iter().map(played).collect()));
            }
            answer
        };
        Answer {
            id: None,
            position: text(&answer.position),
            value: Some(proved(answer.value, side)),
            moves: answer.moves.as_ref().map(|moves| moves.iter().map(rated).collect()),
            line: answer.line.as_ref().map(line),
            line_end: answer.line.as_ref().map(|line| line.end.map(LineEnd::from)),
            effort: answer.effort.map(|effort| Effort {
                positions: effort.positions,
                seconds: effort.time.as_secs_f64(),
            }),
        }
    }

    /// A position with its value alone.
    pub fn brief(position: &Position, value: Value) -> Answer {
        Answer { value: Some(value.into()), ..Answer::unknown(position.to_string()) }
    }

    /// A position without a value.
    pub fn unknown(position: String) -> Answer {
        let (value, moves, line, line_end, effort) = (None, None, None, None, None);
        Answer { id: None, position, value, moves, line, line_end, effort }
    }
}

/// The move as text, with the columns that a capture leaves.
pub fn played(rated: &answer::MoveAnswer) -> String {
    move_text(&rated.played, &rated.after)
}

impl MoveAnswer {
    /// A move with its value. `text` writes the position.
    pub fn new(
        played: &Move,
        after: &Position,
        value: Option<Known>,
        text: impl Fn(&Position) -> String,
    ) -> MoveAnswer {
        MoveAnswer {
            played: move_text(played, after),
            position: text(after),
            value,
            standing: None,
            line: None,
            line_end: None,
            replies: None,
            holding: None,
        }
    }
}

impl Known {
    /// What is known; if it was searched, also what is proved, with this side to move.
    fn new(value: ValueRange, searched: Option<Color>) -> Known {
        let excluded = |side| {
            let sides = value.excluded(side);
            Color::ALL.into_iter().filter(|&color| sides[color]).map(Color::name).collect()
        };
        Known {
            wdl: value.wdl().map(Wdl::name),
            dtw: value.exact().and_then(Value::dtw),
            proved: searched
                .map(|side| Proved { at_most: value.at_most(), excluded: excluded(side) }),
        }
    }
}

impl From<Value> for Known {
    fn from(value: Value) -> Known {
        Known::new(value.into(), None)
    }
}

impl From<Rating> for Known {
    fn from(Rating { wdl, dtw }: Rating) -> Known {
        Known { wdl: Some(wdl.name()), dtw, proved: None }
    }
}

impl From<probe::LineEnd> for LineEnd {
    fn from(end: probe::LineEnd) -> LineEnd {
        match end {
            probe::LineEnd::GameOver { winner: Color::White } => LineEnd::WhiteWins,
            probe::LineEnd::GameOver { winner: Color::Black } => LineEnd::BlackWins,
            probe::LineEnd::Repetition => LineEnd::Repetition,
        }
    }
}

impl LineEnd {
    /// `1-0`, `0-1` or `1/2`.
    pub fn symbol(self) -> &'static str {
        match self {
            LineEnd::WhiteWins => "1-0",
            LineEnd::BlackWins => "0-1",
            LineEnd::Repetition => "1/2",
        }
    }
}

/// How a line of best play ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum LineEnd {
    /// White has won.
    #[serde(rename = "white wins")]
    WhiteWins,
    /// Black has won.
    #[serde(rename = "black wins")]
    BlackWins,
    /// The position is repeated: a draw.
    #[serde(rename = "repetition")]
    Repetition,
}

/// A position that has no answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unanswered<'a> {
    /// The number that the line asked with: `id=7`. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The text as it was given. If it is far too long, only its beginning.
    pub position: &'a str,
    /// Why there is no answer.
    pub error: &'a str,
}

/// How far a search over HTTP is.
#[cfg(feature = "server")]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Progress {
    /// What it is finding out: who wins, the exact distance, or what each move is worth.
    pub searching: &'static str,
    /// How many positions it has met.
    pub positions: u64,
    /// How long it has taken so far, in seconds.
    pub seconds: f64,
    /// What is proved so far, if that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub so_far: Option<Answer>,
}

/// A request that was refused and is not about a position.
#[cfg(feature = "server")]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Refused<'a> {
    /// The reason.
    pub error: &'a str,
}

/// A certificate that has been written: `certify --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Certified {
    /// The position in list form.
    pub position: String,
    /// The rule set.
    pub rules: &'static str,
    /// Who wins, for the side to move.
    pub wdl: &'static str,
    /// The distance to the end of the game, in plies; `null` for a draw, or if the exact distance is not
    /// known.
    pub dtw: Option<u16>,
    /// The plies that the proof of a win or loss needs at most; `null` for a draw.
    pub at_most: Option<u16>,
    /// Who wins; `null` for a draw.
    pub winner: Option<&'static str>,
    /// How many positions White's strategy has; `null` if there is none.
    pub white: Option<usize>,
    /// How many positions Black's strategy has; `null` if there is none.
    pub black: Option<usize>,
    /// The certificate's file.
    pub path: String,
    /// The length of the file, in bytes.
    pub bytes: u64,
}

impl Certified {
    /// The line for a certificate that was written to a file of this many bytes.
    pub fn new(certificate: &Certificate, path: &Path, bytes: u64) -> Certified {
        let side_to_move = certificate.position().side_to_move();
        let (winner, value) = match certificate.verdict() {
            Verdict::Win { winner, plies } if winner == side_to_move => {
                (Some(winner), Value::Win(plies))
            }
            Verdict::Win { winner, plies } => (Some(winner), Value::Loss(plies)),
            Verdict::Draw => (None, Value::Draw),
        };
        let positions = |side: Color| {
            certificate.strategies().iter().find(|s| s.side() == side).map(|s| s.len())
        };
        Certified {
            position: certificate.position().to_string(),
            rules: certificate.rules().name(),
            wdl: value.wdl().name(),
            dtw: value.dtw().filter(|_| certificate.is_exact()),
            at_most: value.dtw(),
            winner: winner.map(Color::name),
            white: positions(Color::White),
            black: positions(Color::Black),
            path: path.display().to_string(),
            bytes,
        }
    }
}
