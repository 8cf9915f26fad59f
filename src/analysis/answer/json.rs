//! Answers in the form in which programs get them, as JSON or in another format of serde.
//!
//! `docs/PROTOCOL.md` explains the keys. They stand in the order of the fields. `docs/output.schema.json`, which describes
//! each of them, is made from these structs and from those of the program, with the first paragraphs of their documentation.
//! A key that may be absent is never `null` there, unless its field is marked as nullable.

use super::Stage;
use crate::search::Stop;
#[cfg(feature = "generate")]
use lasca_tablebase::generate::MakePlan;
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The number that the line asked with: `id=7`. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The position in list form.
    pub position: String,
    /// What it is worth to the side to move; `None` if that was not asked for.
    #[serde(flatten)]
    pub value: Option<Known>,
    /// All legal moves, best first; without distances, those that win, then those that draw, then those that lose. Moves
    /// that a search has left open have the best estimate first. Empty if the game is over. `moves` lists them in the
    /// order of their squares. Absent with `--brief`, and if `solve` is not asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<RatedStep>>,
    /// The move to play: a proved win, or else an open move that looks good, a draw, the best open move, the longest
    /// defence. Comes with `moves`, but not from the command `moves`. Absent if the game is over, and if a table tells a win
    /// without distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 5)))]
    pub best_move: Option<String>,
    /// The best line known: to the end of the game, to the first position that repeats, or to where nothing is known any
    /// more. Only from `solve` and `/known`, and with `--line` or `line=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<RatedStep>>,
    /// How that line ends: who wins, or `repetition`, which is a draw; `null` if nothing is known of the position after it.
    /// Comes with `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = line_ends(), "nullable" = true)))]
    pub line_end: Option<Option<&'static str>>,
    /// How many positions the search has met. Only if it was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// How long the search took, in seconds. Only if it was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Why the search has stopped before it found all that was asked for: its time was over; its memory was full; it was
    /// stopped; a position has too many moves; the distance rests on tables without distances. Absent if it found all, or
    /// if nothing was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = stops())))]
    pub stop: Option<&'static str>,
}

/// A move, and what is known of it.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MoveAnswer"))]
pub struct RatedStep {
    /// The move, such as `c3-d4`. A capture shows the columns that it leaves: `a1-b2BB-c3WWWB`.
    #[serde(rename = "move")]
    #[cfg_attr(feature = "schema", schemars(length(min = 5)))]
    pub played: String,
    /// The position after the move.
    pub position: String,
    /// What the move is worth to the side that makes it, counted from before the move.
    #[serde(flatten)]
    pub value: Option<Known>,
    /// What an open move looks worth to the side that makes it: larger is better, and 0 is even. It proves nothing. Only if
    /// a search has left the result of the move open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = -100, max = 100)))]
    pub estimate: Option<i8>,
    /// The play that is expected after the move, which proves nothing. Only for the two open moves with the best estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_line: Option<Vec<RatedStep>>,
    /// How the move compares with the other moves of its position; `null` if that is open. Only from `explain` and `find`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("nullable" = true)))]
    pub standing: Option<Option<Standing>>,
    /// What proves the value of the move.
    #[serde(flatten)]
    pub proof: Option<Proof>,
}

/// What proves the value of a move.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proof {
    /// The best line known after the move. Only from `explain`.
    line: Vec<RatedStep>,
    /// How that line ends: who wins, or `repetition`, which is a draw; `null` if nothing is known of the position after it.
    /// Comes with `line`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = line_ends(), "nullable" = true)))]
    line_end: Option<&'static str>,
    /// How many legal replies there are. Only from `explain`.
    replies: usize,
    /// The replies that are known to hold the draw; `null` after a move that is not known to draw. Only from `explain`.
    #[cfg_attr(feature = "schema", schemars(extend("nullable" = true)))]
    holding: Option<Vec<String>>,
}

/// A value, as far as it is known.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Known {
    /// The result: of a position for the side to move, of a move for the side that makes it; `null` if a search has left it
    /// open.
    #[cfg_attr(feature = "schema", schemars(extend("nullable" = true)))]
    wdl: Option<Wdl>,
    /// The distance to the end of the game, in plies, for a move counted from before it; `null` for a draw, or if the exact
    /// distance is not known.
    #[cfg_attr(feature = "schema", schemars(extend("nullable" = true)))]
    dtw: Option<u16>,
    /// The plies that the proof of a win or loss needs at most; `null` without such a proof. Only if it was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("nullable" = true)))]
    at_most: Option<Option<u16>>,
    /// The sides that are proved unable to win. Only if it was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded: Option<Vec<Color>>,
}

/// How far a search is, if it was asked for with `progress=1`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Progress"))]
pub struct Searching {
    /// What it is finding out: who wins, the exact distance, or what each move is worth.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["position", "distance", "moves"])))]
    searching: &'static str,
    /// How many positions it has met.
    positions: u64,
    /// How long it has taken so far, in seconds.
    seconds: f64,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Refused"))]
pub struct Failed {
    /// Why, in words for people.
    pub error: String,
    /// Why, in a word for programs.
    pub reason: Reason,
    /// The material of the table that would answer, if there can be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// The number of columns of the position, if `material` is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
    /// The table that would answer, and what it takes to make it here. Absent if there can be none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub make: Option<ToMake>,
    /// What can be done, each thing on a line of its own: a command, or a sentence. Absent if nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What it takes to make a table.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToMake {
    /// The material of the table.
    pub material: Material,
    /// The most columns of a position in it.
    pub columns: usize,
    /// How many positions it stores.
    pub positions: u64,
    /// About how many seconds it takes on this machine.
    pub seconds: f64,
    /// How many bytes of memory it takes.
    pub memory: u64,
}

#[cfg(feature = "generate")]
impl From<&MakePlan> for ToMake {
    fn from(plan: &MakePlan) -> ToMake {
        let &MakePlan { extent, positions, memory, time, .. } = plan;
        // Nobody knows it better than to two digits.
        let digits = 10f64.powi(1 - time.as_secs_f64().max(0.001).log10().floor() as i32);
        let seconds = (time.as_secs_f64() * digits).round() / digits;
        let (material, columns) = (extent.material(), *extent.columns().end());
        ToMake { material, columns, positions, seconds, memory }
    }
}

impl Failed {
    /// A reason in words and in a word, and no more.
    pub fn new(reason: Reason, error: impl Into<String>) -> Failed {
        let (error, material, columns) = (error.into(), None, None);
        Failed { error, reason, material, columns, make: None, hint: None }
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

impl Searching {
    /// A search that is at this stage, and has met this many positions in so long.
    pub fn new(stage: Stage, positions: u64, time: Duration) -> Searching {
        let searching = match stage {
            Stage::Position => "position",
            Stage::Distance => "distance",
            Stage::Moves | Stage::Estimates => "moves",
        };
        Searching { searching, positions, seconds: time.as_secs_f64() }
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
        let estimated = |moves: &Vec<RatedMove>| {
            let moves = moves.iter().map(|step| RatedStep::new(&step.played, &step.after, None));
            moves.collect::<Vec<RatedStep>>()
        };
        let line = |line: &Line| line.moves.iter().map(step).collect::<Vec<RatedStep>>();
        let rated = |(number, rated): (usize, &RatedMove)| {
            let value = Some(proved(rated.value, side));
            let shown = RatedStep {
                estimate: answer.estimate_of(number),
                estimated_line: (answer.estimated_lines.get(number))
                    .filter(|line| !line.is_empty())
                    .map(estimated),
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
        RatedStep { played, position, value, ..RatedStep::default() }
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

/// All words of [`line_end`].
#[cfg(feature = "schema")]
pub fn line_ends() -> [&'static str; 3] {
    [Outcome::Win(Color::White), Outcome::Win(Color::Black), Outcome::Draw].map(line_end)
}

/// All words of [`why_stopped`].
#[cfg(feature = "schema")]
fn stops() -> [Option<&'static str>; 5] {
    [Stop::Time, Stop::Memory, Stop::Cancelled, Stop::TooManyMoves, Stop::NoDistances]
        .map(why_stopped)
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
