//! Answers in the form in which programs get them, as JSON or in another format of serde.
//!
//! `docs/PROTOCOL.md` explains the keys, and `docs/output.schema.json` describes each of them. The keys stand
//! in the order of the fields.

use super::Stage;
use crate::search::{SearchError, Stop};
use lasca_tablebase::index::Material;
use lasca_tablebase::notation::{move_text, row_form};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Standing};
use lasca_tablebase::rules::{Color, Move, Position};
use lasca_tablebase::{Outcome, Reason, Value, ValueRange, Wdl};
use serde::Serialize;
use std::fmt::Display;
use std::time::Duration;

/// Both forms of a position as text, its material, and its images under the symmetries of the game, itself first:
/// those of the board if there is no soldier, and otherwise the one that exchanges left and right, as soldiers move up
/// or down.
///
/// ```
/// use lasca_analysis::answer::json::Forms;
/// let line = serde_json::to_string(&Forms::new(&"a1W b2b w".parse()?))?;
/// assert_eq!(
///     line,
///     r#"{"position":"a1W b2b w","rows":"/////b,,/W,,, w","material":"1-1","symmetric":["a1W b2b w","g1W f2b w"]}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Forms {
    position: String,
    rows: String,
    /// `None` if a side has no counters.
    material: Option<Material>,
    symmetric: Vec<String>,
}

/// What is known of a position.
///
/// ```
/// use lasca_tablebase::Value;
/// use lasca_analysis::answer::json;
/// let answer = json::Answer::brief(&"b2B d2W a7W w".parse()?, Value::Win(5));
/// let line = serde_json::to_string(&answer)?;
/// assert_eq!(line, r#"{"position":"b2B d2W a7W w","wdl":"win","dtw":5}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// The number that a program gave to its question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The position as text.
    pub position: String,
    /// What it is worth to the side to move; `None` if that was not asked for.
    #[serde(flatten)]
    pub value: Option<Known>,
    /// All legal moves, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<RatedStep>>,
    /// The move to play, if there is one and the moves are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_move: Option<String>,
    /// The best line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<RatedStep>>,
    /// How the line ends, if anything is known of the position after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<Option<&'static str>>,
    /// How many positions a search has met, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// How long it took, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Why it has stopped before it found all that was asked for, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<&'static str>,
}

/// A move, and what is known of it.
#[derive(Clone, Debug, Serialize)]
pub struct RatedStep {
    /// The move as text, with the columns that a capture leaves.
    #[serde(rename = "move")]
    pub played: String,
    /// The position after it as text.
    pub position: String,
    /// What the move is worth to the side that makes it, counted from before the move.
    #[serde(flatten)]
    pub value: Option<Known>,
    /// What the move looks worth, from -100 to 100, if a search has left its result open. This proves nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<i8>,
    /// How the move compares with the others; `Some(None)` if that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<Option<Standing>>,
    /// What proves the value of the move.
    #[serde(flatten)]
    pub proof: Option<Proof>,
}

/// What proves the value of a move.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    line: Vec<RatedStep>,
    line_end: Option<&'static str>,
    replies: usize,
    holding: Option<Vec<String>>,
}

/// A value, as far as it is known.
#[derive(Clone, Debug, Serialize)]
pub struct Known {
    wdl: Option<Wdl>,
    dtw: Option<u16>,
    /// This and the next are what a search tells, and the tables do not need to.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<Option<u16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded: Option<Vec<Color>>,
}

/// How far a search is.
#[derive(Clone, Debug, Serialize)]
pub struct Searching {
    searching: &'static str,
    positions: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    so_far: Option<Answer>,
}

/// Why there is no answer.
///
/// ```
/// use lasca_tablebase::Reason;
/// use lasca_analysis::answer::json::Failed;
/// let line = serde_json::to_string(&Failed::new(Reason::GameOver, "the game is over"))?;
/// assert_eq!(line, r#"{"error":"the game is over","reason":"game_over"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// The reason in words for people.
    pub error: String,
    /// The reason in a word for programs.
    pub reason: Reason,
    /// The material of the table that would answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// The number of columns of the position that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
    /// What the user can do, each thing on a line of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Failed {
    /// A reason in words and in a word, and no more.
    pub fn new(reason: Reason, error: impl Into<String>) -> Failed {
        Failed { error: error.into(), reason, material: None, columns: None, hint: None }
    }

    /// Adds what the user can do, on a line of its own.
    pub fn add_hint(&mut self, hint: impl Display) {
        let before = self.hint.take().map(|hints| hints + "\n").unwrap_or_default();
        self.hint = Some(format!("{before}{hint}"));
    }
}

impl From<&ProbeError> for Failed {
    fn from(error: &ProbeError) -> Failed {
        let (material, columns) = error.table_needed();
        Failed { material, columns, ..Failed::new(error.reason(), error.to_string()) }
    }
}

impl From<&SearchError> for Failed {
    fn from(error: &SearchError) -> Failed {
        match error {
            SearchError::Probe(error) => error.into(),
            error => Failed::new(error.reason(), error.to_string()),
        }
    }
}

impl Searching {
    /// A search that is at this stage, has met this many positions in so long, and has found `so_far`, if that
    /// is to be told.
    pub fn new(stage: Stage, positions: u64, time: Duration, so_far: Option<Answer>) -> Searching {
        let searching = match stage {
            Stage::Position => "position",
            Stage::Distance => "distance",
            Stage::Moves | Stage::Estimates => "moves",
        };
        // The search goes on.
        let so_far = so_far.map(|answer| Answer { stop: None, ..answer });
        Searching { searching, positions, seconds: time.as_secs_f64(), so_far }
    }
}

impl Forms {
    /// The forms of a position.
    pub fn new(position: &Position) -> Forms {
        let mut symmetric: Vec<String> = Vec::new();
        for symmetry in position.symmetries() {
            let image = position.transformed(symmetry).to_string();
            if !symmetric.contains(&image) {
                symmetric.push(image);
            }
        }
        Forms {
            position: position.to_string(),
            rows: row_form(position),
            material: Material::of(position).ok(),
            symmetric,
        }
    }
}

impl Answer {
    /// The answer that lists these moves of a position.
    pub fn of_moves(position: &Position, moves: &[(Move, Position)]) -> Answer {
        let moves = moves.iter().map(|(played, after)| RatedStep::new(played, after, None));
        let position = position.to_string();
        Answer { position, moves: Some(moves.collect()), ..Answer::default() }
    }

    /// An answer.
    pub fn new(answer: &super::Answer) -> Answer {
        let side = answer.position.side_to_move();
        let is_searched = answer.effort.is_some();
        let proved = |value, side| Known::new(value, is_searched.then_some(side));
        let step = |step: &RatedMove| {
            let of_tables = (!is_searched).then(|| Known::new(step.value, None));
            RatedStep::new(&step.played, &step.after, of_tables)
        };
        let line = |line: &Line| line.moves.iter().map(step).collect::<Vec<RatedStep>>();
        let rated = |(number, rated): (usize, &RatedMove)| {
            let value = Some(proved(rated.value, side));
            let shown = RatedStep {
                estimate: answer.estimate_of(number),
                ..RatedStep::new(&rated.played, &rated.after, value)
            };
            let Some(proof) = answer.proof_of(number) else { return shown };
            let texts = |moves: &Vec<RatedMove>| moves.iter().map(RatedMove::to_string).collect();
            let proved = Proof {
                line: line(&proof.line),
                line_end: proof.line.end.map(line_end),
                replies: proof.replies,
                holding: proof.holding.as_ref().map(texts),
            };
            RatedStep { standing: Some(proof.standing), proof: Some(proved), ..shown }
        };
        Answer {
            position: answer.position.to_string(),
            value: Some(proved(answer.value, side)),
            moves: answer.moves.as_ref().map(|moves| moves.iter().enumerate().map(rated).collect()),
            best_move: answer.best_move().map(RatedMove::to_string),
            line: answer.line.as_ref().map(line),
            line_end: answer.line.as_ref().map(|line| line.end.map(line_end)),
            positions: answer.effort.map(|effort| effort.positions),
            seconds: answer.effort.map(|effort| effort.time.as_secs_f64()),
            stop: answer.effort.and_then(|effort| why_stopped(effort.stop)),
            ..Answer::default()
        }
    }

    /// A position with its value alone.
    pub fn brief(position: &Position, value: Value) -> Answer {
        let position = position.to_string();
        Answer { position, value: Some(value.into()), ..Answer::default() }
    }
}

impl RatedStep {
    /// A move with its value.
    pub fn new(played: &Move, after: &Position, value: Option<Known>) -> RatedStep {
        let (played, position) = (move_text(played, after), after.to_string());
        RatedStep { played, position, value, estimate: None, standing: None, proof: None }
    }
}

impl Known {
    /// What is known; if it was searched, also what is proved, with this side to move.
    pub fn new(value: ValueRange, searched: Option<Color>) -> Known {
        let excluded = |side| {
            let sides = value.excluded(side);
            Color::ALL.into_iter().filter(|&color| sides[color]).collect()
        };
        Known {
            wdl: value.wdl(),
            dtw: value.exact().and_then(Value::dtw),
            at_most: searched.map(|_| value.at_most()),
            excluded: searched.map(excluded),
        }
    }
}

impl<T: Into<ValueRange>> From<T> for Known {
    fn from(value: T) -> Known {
        Known::new(value.into(), None)
    }
}

/// How a line of best play ends: `white wins`, `black wins` or `repetition`.
pub fn line_end(end: Outcome) -> &'static str {
    match end {
        Outcome::Win(Color::White) => "white wins",
        Outcome::Win(Color::Black) => "black wins",
        Outcome::Draw => "repetition",
    }
}

/// Why a search has stopped before it found all.
fn why_stopped(stop: Stop) -> Option<&'static str> {
    match stop {
        Stop::Solved => None,
        Stop::Time => Some("time"),
        Stop::Memory => Some("memory"),
        Stop::Cancelled => Some("cancelled"),
        Stop::TooManyMoves => Some("too_many_moves"),
        Stop::NoDistances => Some("no_distances"),
    }
}
