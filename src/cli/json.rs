//! The lines of JSON. The keys stand in the order of the fields. `docs/output.schema.json` is made from these
//! structs, and from those of the commands and of `lasca_analysis`, as `schema` says. Tests hold what the program prints
//! against it.

use lasca_tablebase::Reason;
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::rules::RuleSet;
use serde::Serialize;

#[cfg(feature = "schema")]
pub use lasca_analysis::answer::json::line_ends;
pub use lasca_analysis::answer::json::{Answer, Failed, RatedStep, line_end};

/// Writes a value as one line of JSON, without a newline.
pub fn to_line(value: &impl Serialize) -> String {
    serde_json::to_string(value)
        .unwrap_or_else(|error| unreachable!("these structs have plain keys and fields: {error}"))
}

/// What the line about a table begins with.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TableHead {
    /// The material of the table.
    pub material: Material,
    /// The rule set.
    pub rules: RuleSet,
    /// The column bound. Absent if the table is whole or cannot be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
}

impl TableHead {
    /// The head of the line about the table with this extent.
    pub fn new(extent: Extent, rules: RuleSet) -> TableHead {
        TableHead { material: extent.material(), rules, max_columns: extent.max_columns() }
    }
}

/// What is wrong with a table, or with a file. The line says what it is about.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// What is wrong, in words for people.
    pub error: String,
    /// Why, in a word for programs.
    pub reason: Reason,
    /// What can be done, each thing on a line of its own: a command, or a sentence. Absent if nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl From<Failed> for Fault {
    fn from(Failed { error, reason, hint, .. }: Failed) -> Fault {
        Fault { error, reason, hint }
    }
}

/// The version of the protocol by which programs use `probe`, `explain`, `solve` and `moves` over
/// standard input and output, and the server. It changes when a key is removed or gets another meaning, but not when a
/// key is added. `docs/PROTOCOL.md` describes the protocol.
pub const PROTOCOL: u32 = 2;

/// The name of the program.
const PROGRAM: &str = "lasca-tb";

/// Who answers: the answer to the line `protocol` of standard input, with `--stdin`, and to `/version`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Greeting {
    /// The number that the line asked with: `id=7 protocol`. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The version of these lines.
    #[cfg_attr(feature = "schema", schemars(extend("const" = PROTOCOL)))]
    pub protocol: u32,
    /// The name of the program.
    #[cfg_attr(feature = "schema", schemars(extend("const" = PROGRAM)))]
    pub program: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The command.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["probe", "explain", "solve", "moves", "serve"])))]
    pub command: &'static str,
    /// The rule set of the answers.
    pub rules: RuleSet,
    /// Whether the server searches. Only in the answer to `/version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<bool>,
}

impl Greeting {
    /// The greeting of a command.
    pub fn new(id: Option<u64>, command: &'static str, rules: RuleSet) -> Greeting {
        let (program, version) = (PROGRAM, env!("CARGO_PKG_VERSION"));
        Greeting { id, protocol: PROTOCOL, program, version, command, rules, searches: None }
    }
}

/// A position that has no answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unanswered<'a> {
    /// The number that the line asked with: `id=7`. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The text as it was given.
    pub position: &'a str,
    #[serde(flatten)]
    pub failed: &'a Failed,
}
