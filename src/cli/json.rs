//! The lines of JSON. `docs/output.schema.json` describes every key, and tests hold what the program
//! prints against it.
//!
//! The keys stand in the order of the fields, and of the words in `json!`.

use lasca_tablebase::answer;
use lasca_tablebase::index::Material;
use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::{Line, RatedMove, Standing};
use lasca_tablebase::rules::{Color, Move, Position, RuleSet};
use lasca_tablebase::{Outcome, Value, ValueRange, Wdl};
use serde::Serialize;
use serde_json::{Map, json};

/// Any JSON.
pub type Json = serde_json::Value;

/// Writes a value as one line of JSON, without a newline.
pub fn to_line(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(line) => line,
        Err(error) => unreachable!("these structs have plain keys and fields: {error}"),
    }
}

/// One object with the keys of both.
pub fn joined(first: impl Serialize, second: impl Serialize) -> Json {
    let mut all = Map::new();
    for part in [json!(first), json!(second)] {
        let Json::Object(keys) = part else { unreachable!("only objects are joined") };
        all.extend(keys);
    }
    Json::Object(all)
}

/// What the line about a table begins with. The column bound is there if there is one.
pub fn table_head(material: Material, rules: RuleSet, max_columns: Option<usize>) -> Json {
    let mut head = json!({ "material": material, "rules": rules });
    if let Some(columns) = max_columns {
        head["max_columns"] = json!(columns);
    }
    head
}

/// The version of the protocol by which programs use `probe`, `explain`, `solve` and `moves` over
/// standard input and output. It changes when a key is removed or gets another meaning, but not when a
/// key is added. `docs/PROTOCOL.md` describes the protocol.
pub const PROTOCOL: u32 = 2;

/// What is known of a position.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// The number that the line asked with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    pub position: String,
    /// `None` from `moves`, which does not tell.
    #[serde(flatten)]
    pub value: Option<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveAnswer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<MoveAnswer>>,
    /// How the line ends, if anything is known of the position after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<Option<&'static str>>,
    /// How many positions a search has met, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A move, and what is known of it.
#[derive(Clone, Debug, Serialize)]
pub struct MoveAnswer {
    #[serde(rename = "move")]
    pub played: String,
    pub position: String,
    /// What the move is worth to the side that makes it, counted from before the move.
    #[serde(flatten)]
    pub value: Option<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<Option<Standing>>,
    /// What proves the value of the move: an object with keys of its own.
    #[serde(flatten)]
    pub proof: Option<Json>,
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

impl Answer {
    /// The answer. `text` writes the positions.
    pub fn new(answer: &answer::Answer, text: impl Fn(&Position) -> String) -> Answer {
        let side = answer.position.side_to_move();
        let is_searched = answer.effort.is_some();
        let proved = |value, side| Known::new(value, is_searched.then_some(side));
        let step = |step: &RatedMove| {
            let of_tables = (!is_searched).then(|| Known::new(step.value, None));
            MoveAnswer::new(&step.played, &step.after, of_tables, &text)
        };
        let line = |line: &Line| line.moves.iter().map(step).collect::<Vec<MoveAnswer>>();
        let rated = |(number, rated): (usize, &RatedMove)| {
            let value = Some(proved(rated.value, side));
            let shown = MoveAnswer::new(&rated.played, &rated.after, value, &text);
            let Some(proof) = answer.proof_of(number) else { return shown };
            let holding = proof.holding.as_ref();
            let texts = |moves: &Vec<RatedMove>| -> Json {
                moves.iter().map(RatedMove::to_string).collect()
            };
            let proved = json!({
                "line": line(&proof.line),
                "line_end": proof.line.end.map(line_end),
                "replies": proof.replies,
                "holding": holding.map(texts),
            });
            MoveAnswer { standing: Some(proof.standing), proof: Some(proved), ..shown }
        };
        Answer {
            position: text(&answer.position),
            value: Some(proved(answer.value, side)),
            moves: answer.moves.as_ref().map(|moves| moves.iter().enumerate().map(rated).collect()),
            line: answer.line.as_ref().map(line),
            line_end: answer.line.as_ref().map(|line| line.end.map(line_end)),
            positions: answer.effort.map(|effort| effort.positions),
            seconds: answer.effort.map(|effort| effort.time.as_secs_f64()),
            ..Answer::default()
        }
    }

    /// A position with its value alone.
    pub fn brief(position: &Position, value: Value) -> Answer {
        let position = position.to_string();
        Answer { position, value: Some(value.into()), ..Answer::default() }
    }
}

impl MoveAnswer {
    /// A move with its value. `text` writes the position.
    pub fn new(
        played: &Move,
        after: &Position,
        value: Option<Known>,
        text: impl Fn(&Position) -> String,
    ) -> MoveAnswer {
        let (played, position) = (move_text(played, after), text(after));
        MoveAnswer { played, position, value, standing: None, proof: None }
    }
}

impl Known {
    /// What is known; if it was searched, also what is proved, with this side to move.
    fn new(value: ValueRange, searched: Option<Color>) -> Known {
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

/// How a line of best play ends.
pub fn line_end(end: Outcome) -> &'static str {
    match end {
        Outcome::Win(Color::White) => "white wins",
        Outcome::Win(Color::Black) => "black wins",
        Outcome::Draw => "repetition",
    }
}

/// A position that has no answer.
#[derive(Clone, Debug, Serialize)]
pub struct Unanswered<'a> {
    /// The number that the line asked with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The text as it was given. If it is far too long, only its beginning.
    pub position: &'a str,
    pub error: &'a str,
}
