//! The lines of JSON. `docs/output.schema.json` describes every key, and tests hold what the program
//! prints against it.
//!
//! The keys stand in the order of the fields, and of the words in `json!`.

use lasca_tablebase::index::Material;
use lasca_tablebase::rules::RuleSet;
use serde::Serialize;
use serde_json::{Map, json};

pub use lasca_analysis::answer::json::{Answer, Failed, RatedStep, line_end};

/// Any JSON.
pub type Json = serde_json::Value;

/// Writes a value as one line of JSON, without a newline.
pub fn to_line(value: &impl Serialize) -> String {
    serde_json::to_string(value)
        .unwrap_or_else(|error| unreachable!("these structs have plain keys and fields: {error}"))
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
/// standard input and output, and the server. It changes when a key is removed or gets another meaning, but not when a
/// key is added. `docs/PROTOCOL.md` describes the protocol.
pub const PROTOCOL: u32 = 2;

/// Who answers.
#[derive(Clone, Debug, Serialize)]
pub struct Greeting {
    /// The number that the line asked with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// [`PROTOCOL`].
    pub protocol: u32,
    pub program: &'static str,
    pub version: &'static str,
    pub command: &'static str,
    /// The rule set of the answers.
    pub rules: RuleSet,
    /// Whether the server searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<bool>,
}

impl Greeting {
    /// The greeting of a command.
    pub fn new(id: Option<u64>, command: &'static str, rules: RuleSet) -> Greeting {
        let (program, version) = ("lasca-tb", env!("CARGO_PKG_VERSION"));
        Greeting { id, protocol: PROTOCOL, program, version, command, rules, searches: None }
    }
}

/// The same answer with the move to play, but without the other moves and the line.
pub fn best_move_alone(answer: Answer) -> Answer {
    Answer { moves: None, line: None, line_end: None, ..answer }
}

/// A position that has no answer.
#[derive(Clone, Debug, Serialize)]
pub struct Unanswered<'a> {
    /// The number that the line asked with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The text as it was given. If it is far too long, only its beginning.
    pub position: &'a str,
    #[serde(flatten)]
    pub failed: &'a Failed,
}
