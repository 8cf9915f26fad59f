//! The JSON lines. Each struct is one kind of line; its fields are the keys, in this order.
//!
//! Values are seen by the side to move (`wdl`: `"win"`, `"draw"`, `"loss"`), distances are in plies
//! to the end of the game (`dtw`), and what does not exist is `null`: a draw's distance, the longest
//! win where nobody wins.

use lasca_tablebase::certify::{Certificate, Verdict};
use lasca_tablebase::probe::{self, Standing};
use lasca_tablebase::rules::{Color, RuleSet};
use lasca_tablebase::{Value, Wdl};
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::Path;

/// A value as JSON in one line, without a newline.
pub fn line(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(line) => line,
        Err(error) => unreachable!("these structs have plain keys and fields: {error}"),
    }
}

/// The version of the lines that programs and `probe`, `line` and `moves` exchange over standard
/// input and output. It changes when a key goes, or comes to mean something else; not when one
/// comes. `docs/PROTOCOL.md` describes them, and `docs/protocol.schema.json`.
const PROTOCOL: u32 = 1;

/// Who answers: the answer to the line `protocol`, with `--stdin`.
#[derive(Clone, Debug, Serialize)]
pub struct Greeting {
    /// The version of these lines.
    pub protocol: u32,
    /// The name of the program.
    pub program: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The command that answers: `"probe"`, `"line"` or `"moves"`.
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

/// A position with its value and that of all its moves: `probe --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Probe {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
    /// All legal moves, best first.
    pub moves: Vec<RatedMove>,
    /// Best play to the end, or to the first position that comes back: with `--line` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<RatedMove>>,
    /// How that line ends: with `--line` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<LineEnd>,
}

/// A position with its value alone: `probe --brief --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Brief {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
}

/// A value as two keys.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rating {
    /// `"win"`, `"draw"` or `"loss"`.
    #[serde(serialize_with = "by_name")]
    pub wdl: Wdl,
    /// Plies to the end of the game; `null` for a draw, or if the table has no DTW file.
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

impl From<probe::Rating> for Rating {
    fn from(rating: probe::Rating) -> Rating {
        let probe::Rating { wdl, dtw } = rating;
        Rating { wdl, dtw }
    }
}

impl From<Value> for Rating {
    fn from(value: Value) -> Rating {
        probe::Rating::from(value).into()
    }
}

impl fmt::Display for Rating {
    /// Writes `win in 5`, `draw`, or `loss` if the distance is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rating { wdl, dtw } = *self;
        probe::Rating { wdl, dtw }.fmt(f)
    }
}

/// A move with its value.
#[derive(Clone, Debug, Serialize)]
pub struct RatedMove {
    /// The move, a take with the columns it leaves: `a1-b2BB-c3WWWB`.
    #[serde(rename = "move")]
    pub played: String,
    /// The position that it leads to.
    pub position: String,
    /// Its value for the side that makes it, counted from the position before it.
    #[serde(flatten)]
    pub value: Rating,
}

/// How a line of best play ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum LineEnd {
    /// White has won.
    #[serde(rename = "white wins")]
    WhiteWins,
    /// Black has won.
    #[serde(rename = "black wins")]
    BlackWins,
    /// A position has come back: a draw.
    #[serde(rename = "repetition")]
    Repetition,
}

/// A position with its legal moves: `moves --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Moves {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// All legal moves in the order of their squares.
    pub moves: Vec<LegalMove>,
}

/// A move without a value.
#[derive(Clone, Debug, Serialize)]
pub struct LegalMove {
    /// The move, a take with the columns it leaves.
    #[serde(rename = "move")]
    pub played: String,
    /// The position that it leads to.
    pub position: String,
}

/// A position with what speaks for the value of each move: `line --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Alternatives {
    /// The position in list form, or in row form with `--row-form`.
    pub position: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
    /// All legal moves, best first.
    pub moves: Vec<Alternative>,
}

/// A move with what speaks for its value.
#[derive(Clone, Debug, Serialize)]
pub struct Alternative {
    /// The move and its value.
    #[serde(flatten)]
    pub rated: RatedMove,
    /// `"only legal move"`, `"only move"`, `"best"`, `"one of several"` or `"gives away"`.
    #[serde(serialize_with = "by_name")]
    pub standing: Standing,
    /// Best play after the move, to the end or to the first position that comes back.
    pub line: Vec<RatedMove>,
    /// How that line ends.
    pub line_end: LineEnd,
    /// How many legal replies there are.
    pub replies: usize,
    /// The replies that hold the draw; `null` after a move that does not draw.
    pub holding: Option<Vec<String>>,
}

/// A study with its findings: `study --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Study {
    /// The file, or `"standard input"`.
    pub file: String,
    /// The line of the position.
    pub line: usize,
    /// The title; `null` if there is none.
    pub title: Option<String>,
    /// The position in list form.
    pub position: String,
    /// The rule set.
    pub rules: &'static str,
    /// Moves that were played.
    pub moves: usize,
    /// Moves that could not be, as a move before them is not legal.
    pub unplayed: usize,
    /// How many claims are right.
    pub confirmed: usize,
    /// How many are wrong.
    pub refuted: usize,
    /// How many no table covers.
    pub not_in_tables: usize,
    /// All claims in the order of the text.
    pub claims: Vec<CheckedClaim>,
}

/// A claim of a study, and what the tables say to it.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedClaim {
    /// The line where it stands.
    pub line: usize,
    /// The character in that line.
    pub column: usize,
    /// `"verdict"`, `"result"` or `"move"`.
    pub kind: &'static str,
    /// `"1-0"`, `"0-1"` or `"1/2"`; or the move with its number and mark.
    pub claim: String,
    /// The mark of a move; `null` if there is none.
    pub mark: Option<&'static str>,
    /// The position that it is about; for a move, that before it.
    pub position: String,
    /// `"confirmed"`, `"refuted"` or `"not in the tables"`.
    pub finding: &'static str,
    /// Why, in words.
    pub explanation: String,
    /// The value of the position for the side to move, or of the move for the side that makes it;
    /// `null` if it is not known.
    pub wdl: Option<&'static str>,
    /// The distance that goes with it; `null` for a draw too.
    pub dtw: Option<u16>,
    /// How a move stands among the others; `null` for what is no move, or not known.
    pub standing: Option<&'static str>,
    /// Where a move gives something away: the moves that do not; where one marked as good is not the
    /// best: the moves that win sooner or lose later.
    pub better: Vec<String>,
    /// What refutes the claim: best play from the position; if the move gives something away, or is
    /// said to, from the reply to it.
    pub best_line: Vec<String>,
    /// How that line ends; `null` if there is none.
    pub line_end: Option<LineEnd>,
}

/// A file that holds no studies or cannot be read: `study --json`.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadStudies<'a> {
    /// The file, or `"standard input"`.
    pub file: &'a str,
    /// Why it was not read.
    pub error: &'a str,
}

/// A position that has no answer: `probe --json`, `line --json` and `moves --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Unanswered<'a> {
    /// The text as it was given (a line that is far too long: its beginning).
    pub position: &'a str,
    /// Why there is no answer.
    pub error: &'a str,
}

/// A request over HTTP that was refused and is about no position.
#[cfg(feature = "server")]
#[derive(Clone, Debug, Serialize)]
pub struct Refused<'a> {
    /// Why.
    pub error: &'a str,
}

/// The tables of a server.
#[cfg(feature = "server")]
#[derive(Clone, Debug, Serialize)]
pub struct Tables {
    /// The rule set of its answers.
    pub rules: &'static str,
    /// All its tables, as `list --json` has them; of their paths, the names of the files.
    pub tables: Vec<Listed>,
}

/// A certificate that has been written: `certify --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Certified {
    /// The position in list form.
    pub position: String,
    /// The rule set.
    pub rules: &'static str,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: Rating,
    /// `"white"` or `"black"`; `null` for a draw.
    pub winner: Option<&'static str>,
    /// The positions of White's strategy; `null` if there is none.
    pub white: Option<usize>,
    /// The positions of Black's strategy; `null` if there is none.
    pub black: Option<usize>,
    /// The certificate's file.
    pub path: String,
    /// The length of the file.
    pub bytes: u64,
}

impl Certified {
    /// What to say of a certificate that stands in a file of so many bytes.
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
            value: value.into(),
            winner: winner.map(Color::name),
            white: positions(Color::White),
            black: positions(Color::Black),
            path: path.display().to_string(),
            bytes,
        }
    }
}

/// What is to be generated: `generate --dry-run --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// Whether the table is there already, so that nothing would be done.
    pub already_there: bool,
    /// Positions to store.
    pub positions: u64,
    /// Bytes of memory at the most.
    pub memory: u64,
    /// Bytes of memory that may be used; `null` if the system does not say.
    pub memory_limit: Option<u64>,
    /// Whether slices are kept in memory; if not, in scratch files on disk.
    pub in_memory: bool,
    /// The slices in the order in which they are solved.
    pub slices: Vec<PlannedSlice>,
}

/// A slice to be solved.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlannedSlice {
    /// The number of columns.
    pub columns: usize,
    /// Positions to store.
    pub positions: u64,
    /// Bytes of memory while it is solved.
    pub memory: u64,
}

/// A table that has been made, or was there: `generate --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Generated {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The table's file.
    pub path: String,
    /// Positions stored.
    pub positions: u64,
    /// The length of the file.
    pub bytes: u64,
    /// The greatest distance in plies; `null` if all is drawn.
    pub max_dtw: Option<u16>,
    /// Whether the table was there before, so that nothing was done.
    pub already_there: bool,
    /// Positions solved by this run: fewer than `positions` where an earlier run had begun.
    pub solved_positions: u64,
    /// The time spent solving them.
    pub solving_seconds: f64,
    /// The time of the whole work on this material, writing included.
    pub total_seconds: f64,
    /// `solved_positions` by `solving_seconds`; `null` if none was solved.
    pub solving_positions_per_second: Option<f64>,
    /// `solved_positions` by `total_seconds`; `null` if none was solved.
    pub positions_per_second: Option<f64>,
    /// The bytes of memory that the plan says this material takes.
    pub planned_memory: u64,
    /// The most memory that the run has had in use so far, in bytes; `null` where the system does
    /// not say.
    pub peak_memory: Option<u64>,
}

/// What a check of a table found: `verify --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Verified {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The table's file; `null` if there is none.
    pub path: Option<String>,
    /// Positions stored; `null` if the table could not be opened.
    pub positions: Option<u64>,
    /// Whether the table is there and all its bytes match their checksums.
    pub bytes_intact: bool,
    /// Whether every value fits those of its successors; `null` if that was not checked.
    pub values_right: Option<bool>,
    /// How many values differ; `null` if that was not checked.
    pub differences: Option<u64>,
    /// The first values that differ.
    pub first_differences: Vec<Difference>,
    /// Whether the statistics that the table keeps are those of its values; `null` if that was not
    /// checked.
    pub statistics_right: Option<bool>,
    /// The first statistics that are not.
    pub wrong_statistics: Vec<WrongStatistic>,
    /// What is wrong with the table's file; `null` if nothing is.
    pub error: Option<String>,
    /// How long the check took.
    pub seconds: f64,
}

/// A value that does not fit those of its successors.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The position.
    pub position: String,
    /// The value in the table.
    pub stored: Rating,
    /// The value that follows from the position's successors.
    pub expected: Rating,
}

/// A number that a table keeps beside its values and that is not theirs.
#[derive(Clone, Debug, Serialize)]
pub struct WrongStatistic {
    /// The stored side to move, `white` or `black`.
    pub side: String,
    /// The number of columns.
    pub columns: usize,
    /// What is counted: `win`, `draw`, `loss`, `capture`, or `5 plies to the end`.
    pub count: String,
    /// The number in the table.
    pub stored: u64,
    /// The number that the values come to.
    pub counted: u64,
}

/// Counts of a material: `stats --json`. All are of positions in which both sides command a column,
/// symmetric ones counted apart.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// The material as asked for.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The positions with White to move.
    pub white: SideStats,
    /// The positions with Black to move.
    pub black: SideStats,
    /// By number of columns, both sides to move together.
    pub columns: Vec<ColumnStats>,
    /// By how many columns each side commands: with `--by pieces` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<Pieces>>,
    /// By the columns of each side, wherever they stand: with `--by stackings` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stackings: Option<Vec<Stacking>>,
    /// The deepest wins of the side to move: with `--longest` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<Vec<Brief>>,
    /// Mutual zugzwangs: with `--zugzwang` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zugzwangs: Option<Zugzwangs>,
}

/// How many positions are won, drawn and lost for the side to move.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tally {
    /// How many the side to move wins.
    pub win: u64,
    /// How many are drawn.
    pub draw: u64,
    /// How many it loses.
    pub loss: u64,
}

/// Counts of positions in which each side commands so many columns.
#[derive(Clone, Debug, Serialize)]
pub struct Pieces {
    /// White's columns, `v`, Black's columns: `2v3`.
    pub pieces: String,
    /// White to move.
    pub white: Tally,
    /// Black to move.
    pub black: Tally,
}

/// Counts of positions with these columns.
#[derive(Clone, Debug, Serialize)]
pub struct Stacking {
    /// White's columns, `v`, Black's columns: `WWB W v BB`.
    pub stacking: String,
    /// White to move.
    pub white: Tally,
    /// Black to move.
    pub black: Tally,
}

/// Mutual zugzwangs of both kinds.
#[derive(Clone, Debug, Serialize)]
pub struct Zugzwangs {
    /// Whoever is to move loses.
    pub full_point: ZugzwangKind,
    /// One side loses if it is to move; the game is drawn if the other is.
    pub half_point: ZugzwangKind,
}

/// Mutual zugzwangs of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct ZugzwangKind {
    /// How many boards there are, symmetric ones counted apart.
    pub boards: u64,
    /// How many there are when those alike count once.
    pub distinct: u64,
    /// Those with the fewest columns, of these the longest.
    pub listed: Vec<Zugzwang>,
}

/// A mutual zugzwang.
#[derive(Clone, Debug, Serialize)]
pub struct Zugzwang {
    /// The board with White to move.
    pub position: String,
    /// The value for White if White is to move.
    pub white: Rating,
    /// The value for Black if Black is to move.
    pub black: Rating,
}

/// Counts of positions with one side to move.
#[derive(Clone, Debug, Serialize)]
pub struct SideStats {
    /// How many the side to move wins.
    pub win: u64,
    /// How many are drawn.
    pub draw: u64,
    /// How many it loses.
    pub loss: u64,
    /// The longest win in plies; `null` if there is none.
    pub max_win: Option<u16>,
    /// The longest loss in plies; `null` if there is none.
    pub max_loss: Option<u16>,
    /// In how many it must take.
    pub capture: u64,
    /// How many have each distance that occurs: `[[plies, positions], …]`.
    pub histogram: Vec<(u16, u64)>,
}

/// Counts of positions with so many columns.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ColumnStats {
    /// The number of columns.
    pub columns: usize,
    /// How many the side to move wins.
    pub win: u64,
    /// How many are drawn.
    pub draw: u64,
    /// How many it loses.
    pub loss: u64,
}

/// A table in a folder: `list --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// The material of the table.
    pub material: String,
    /// The rule set.
    pub rules: &'static str,
    /// The table's WDL file.
    pub path: String,
    /// The length of the WDL and the DTW file together; `null` if the first cannot be read.
    pub bytes: Option<u64>,
    /// Positions stored; `null` if the table is damaged.
    pub positions: Option<u64>,
    /// The greatest distance in plies; `null` if all is drawn, the table is damaged, or it has no DTW
    /// file.
    pub max_dtw: Option<u16>,
    /// Whether distances are known: the table has its DTW file, and is not damaged.
    pub distances: bool,
    /// What is wrong with the table; the key is absent if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
