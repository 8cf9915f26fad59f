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

use lasca_tablebase::certify::{Certificate, Verdict};
use lasca_tablebase::probe::{self, Standing};
use lasca_tablebase::rules::{Color, RuleSet};
use lasca_tablebase::{Value, Wdl};
use serde::{Serialize, Serializer};
use std::fmt;
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
/// key is added. `docs/PROTOCOL.md` and `docs/protocol.schema.json` describe the protocol.
pub const PROTOCOL: u32 = 1;

/// The answer to the line `protocol` of standard input, with `--stdin`: who answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Greeting {
    /// The version of these lines.
    pub protocol: u32,
    /// The name of the program.
    pub program: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The command; `line` stands for `explain`.
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

/// A position with its value and the value of each of its moves: `probe --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Probe {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
    /// All legal moves, best first; without distances, those that win, then those that draw, then those
    /// that lose. Empty if the game is over.
    pub moves: Vec<RatedMove>,
    /// Best play, to the end of the game or to the first position that repeats. Only with `--line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<RatedMove>>,
    /// How that line ends. Only with `--line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<LineEnd>,
}

/// A position with its value alone: `probe --brief --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Brief {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
}

/// A value as two keys.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rating {
    /// The result: of a position for the side to move, of a move for the side that makes it.
    #[serde(serialize_with = "by_name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub wdl: Wdl,
    /// The distance to the end of the game, in plies, for a move counted from before it; `null` for a
    /// draw, or if the table's `.ltbd` file is missing.
    pub dtw: Option<u16>,
}

/// A type whose values have names in JSON.
trait Named {
    fn name(&self) -> &'static str;
}

impl Named for Wdl {
    fn name(&self) -> &'static str {
        Wdl::name(*self)
    }
}

impl Named for Standing {
    fn name(&self) -> &'static str {
        Standing::name(*self)
    }
}

fn by_name<S: Serializer>(value: &impl Named, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

fn name_or_null<S: Serializer>(
    value: &Option<impl Named>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Named::name).serialize(serializer)
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

impl From<lasca_tablebase::Rating> for Rating {
    fn from(rating: lasca_tablebase::Rating) -> Rating {
        let lasca_tablebase::Rating { wdl, dtw } = rating;
        Rating { wdl, dtw }
    }
}

impl From<Value> for Rating {
    fn from(value: Value) -> Rating {
        lasca_tablebase::Rating::from(value).into()
    }
}

impl fmt::Display for Rating {
    /// Writes `win in 5`, `draw`, or `loss` if the distance is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rating { wdl, dtw } = *self;
        lasca_tablebase::Rating { wdl, dtw }.fmt(f)
    }
}

/// A move with its value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RatedMove {
    /// The move, such as `c3-d4`. A capture shows the columns that it leaves: `a1-b2BB-c3WWWB`.
    #[serde(rename = "move")]
    pub played: String,
    /// The position after the move.
    pub position: String,
    /// The value for the side that makes the move, counted from the position before it.
    #[serde(flatten)]
    pub value: Rating,
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

/// A position with its legal moves: `moves --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Moves {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// All legal moves, in the order of their squares. Empty if the game is over.
    pub moves: Vec<LegalMove>,
}

/// A move without a value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LegalMove {
    /// The move, such as `c3-d4`. A capture shows the columns that it leaves: `a1-b2BB-c3WWWB`.
    #[serde(rename = "move")]
    pub played: String,
    /// The position after the move.
    pub position: String,
}

/// What a search has proved about a position: `solve --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Solved<'a> {
    /// The position in list form, or in row form with `--row-form`.
    pub position: &'a str,
    /// Who wins, for the side to move; `null` if the position is open.
    pub wdl: Option<&'static str>,
    /// The distance to the end of the game, in plies; `null` for a draw, or if the exact distance is not
    /// known.
    pub dtw: Option<u16>,
    /// The plies that the proof of a win or loss needs at most; `null` without such a proof.
    pub at_most: Option<u16>,
    /// The sides that are proved unable to win.
    pub excluded: Vec<&'static str>,
    /// The best line known. Empty if the position is open.
    pub line: Vec<LegalMove>,
    /// How that line ends; `null` if nothing is known of the position after it.
    pub line_end: Option<LineEnd>,
    /// All legal moves, best first. Only with `--moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<SolvedMove>>,
    /// How many positions the search has met.
    pub positions: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// A move, and what a search has proved about it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SolvedMove {
    /// The move, such as `c3-d4`. A capture shows the columns that it leaves: `a1-b2BB-c3WWWB`.
    #[serde(rename = "move")]
    pub played: String,
    /// The position after the move.
    pub position: String,
    /// Who wins, for the side that makes the move; `null` if that is open.
    pub wdl: Option<&'static str>,
    /// The plies that the proof of a win or loss needs at most, counted from before the move; `null`
    /// without such a proof.
    pub at_most: Option<u16>,
    /// The sides that are proved unable to win after the move.
    pub excluded: Vec<&'static str>,
}

/// What a search has proved of a position or a move: four keys of `probe --seconds --json` and
/// `explain --seconds --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Proved {
    /// Who wins, for the side to move, or for the side that makes the move; `null` if that is open.
    pub wdl: Option<&'static str>,
    /// The distance to the end of the game, in plies; `null` for a draw, or if the exact distance is not
    /// known.
    pub dtw: Option<u16>,
    /// The plies that the proof of a win or loss needs at most; `null` without such a proof.
    pub at_most: Option<u16>,
    /// The sides that are proved unable to win.
    pub excluded: Vec<&'static str>,
}

/// A move, and what a search has proved of it. Distances count from before the move.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProvedMove {
    /// The move, such as `c3-d4`. A capture shows the columns that it leaves: `a1-b2BB-c3WWWB`.
    #[serde(rename = "move")]
    pub played: String,
    /// The position after the move.
    pub position: String,
    /// What is proved of it.
    #[serde(flatten)]
    pub value: Proved,
}

/// A position that was searched because the tables have no answer: `probe --seconds --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchedProbe {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// What is proved of it.
    #[serde(flatten)]
    pub value: Proved,
    /// All legal moves, best first. Empty if the game is over. Not with `--brief`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<ProvedMove>>,
    /// The best line known. Empty if the position is open. Only with `--line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<LegalMove>>,
    /// How that line ends; `null` if nothing is known of the position after it. Only with `--line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<Option<LineEnd>>,
    /// How many positions the search has met.
    pub positions: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// A position that was searched because the tables have no answer, with the line or the replies that
/// prove the value of each move: `explain --seconds --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchedAlternatives {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// What is proved of it.
    #[serde(flatten)]
    pub value: Proved,
    /// All legal moves, best first. Empty if the game is over.
    pub moves: Vec<SearchedAlternative>,
    /// How many positions the search has met.
    pub positions: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// A move of a position that was searched, with the line that proves its value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchedAlternative {
    /// The move, and what is proved of it.
    #[serde(flatten)]
    pub rated: ProvedMove,
    /// How the move compares with the other moves of its position; `null` if that is open.
    #[serde(serialize_with = "name_or_null")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    #[cfg_attr(test, schemars(extend("enum" = ["only legal move", "only move", "one of several", "gives away", null])))]
    pub standing: Option<Standing>,
    /// The best line known after the move.
    pub line: Vec<LegalMove>,
    /// How that line ends; `null` if nothing is known of the position after it.
    pub line_end: Option<LineEnd>,
    /// How many legal replies there are.
    pub replies: usize,
    /// The replies that are proved to hold the draw; `null` after a move that is not proved to draw.
    pub holding: Option<Vec<String>>,
}

/// A position with the line or the replies that prove the value of each move: `explain --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Alternatives {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
    /// All legal moves, best first. Empty if the game is over.
    pub moves: Vec<Alternative>,
}

/// A move with the line that proves its value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Alternative {
    /// The move and its value.
    #[serde(flatten)]
    pub rated: RatedMove,
    /// How the move compares with the other moves of its position.
    #[serde(serialize_with = "by_name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub standing: Standing,
    /// Best play after the move, to the end of the game or to the first position that repeats.
    pub line: Vec<RatedMove>,
    /// How that line ends.
    pub line_end: LineEnd,
    /// How many legal replies there are.
    pub replies: usize,
    /// The replies that hold the draw; `null` after a move that does not draw.
    pub holding: Option<Vec<String>>,
}

/// A position that has no answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unanswered<'a> {
    /// The text as it was given. If it is far too long, only its beginning.
    pub position: &'a str,
    /// Why there is no answer.
    pub error: &'a str,
}

/// How far a search over HTTP is.
#[cfg(feature = "server")]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Progress<S> {
    /// What it is finding out: who wins, the exact distance, or what each move is worth.
    pub searching: &'static str,
    /// How many positions it has met.
    pub positions: u64,
    /// How long it has taken so far, in seconds.
    pub seconds: f64,
    /// What is proved so far, if that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub so_far: Option<S>,
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
