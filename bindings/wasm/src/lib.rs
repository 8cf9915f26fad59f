//! The Rust half of the npm package: the library's answers as texts of JSON, and its errors as texts of JSON
//! that are thrown. `package/index.js` makes objects of them.
//!
//! All functions work for as long as they take. A search works in parts, so that a worker can read its messages
//! between two of them.

use lasca_analysis::answer::json::{Answer, Failed, Forms, Searching};
use lasca_analysis::answer::{Question, Search, SearchLimits};
use lasca_analysis::certify::{Certificate, CertifyError, DEFAULT_MAX_POSITIONS};
use lasca_analysis::find::{Practice, json::Endings};
use lasca_analysis::search::{Budget, Solver};
use lasca_analysis::study::{json::Studies, parse};
use lasca_tablebase::index::Material;
use lasca_tablebase::notation::{Palette, Picture, parse_move};
use lasca_tablebase::probe::{ProbeError, TableEntry, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::table::{FileKind, json::Stats};
use lasca_tablebase::{Progress, Reason, SearchStatus, Silent};
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// JSON, or what is thrown.
type Json = Result<String, Thrown>;

/// Why there is no answer. JavaScript gets it as a text of JSON.
#[derive(Debug)]
pub struct Thrown(Failed);

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> JsValue {
        JsValue::from_str(&text(&thrown.0))
    }
}

impl From<ProbeError> for Thrown {
    fn from(mut error: ProbeError) -> Thrown {
        if let ProbeError::MissingTable { folders, .. } = &mut error {
            *folders = vec!["this tablebase".into()];
        }
        Thrown((&error).into())
    }
}

impl From<CertifyError> for Thrown {
    fn from(error: CertifyError) -> Thrown {
        match error {
            CertifyError::Probe(error) => error.into(),
            error => because(Reason::NotCovered)(error),
        }
    }
}

fn because<E: Display>(reason: Reason) -> impl Fn(E) -> Thrown {
    move |error| Thrown(Failed::new(reason, error.to_string()))
}

fn text(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => unreachable!("these structs have plain keys and fields: {error}"),
    }
}

fn rule_set(name: &str) -> Result<RuleSet, Thrown> {
    name.parse().map_err(because(Reason::BadArgument))
}

fn read(position: &str) -> Result<Position, Thrown> {
    position.parse().map_err(because(Reason::NotAPosition))
}

fn read_all(positions: &[String]) -> Result<Vec<Position>, Thrown> {
    positions.iter().map(|position| read(position)).collect()
}

fn material(name: &str) -> Result<Material, Thrown> {
    name.parse().map_err(because(Reason::BadArgument))
}

fn answer(answer: &lasca_analysis::answer::Answer) -> Answer {
    Answer::new(answer)
}

fn seconds(seconds: f64) -> Result<Duration, Thrown> {
    Duration::try_from_secs_f64(seconds).map_err(because(Reason::BadArgument))
}

/// Both forms of a position, its material and its images under the symmetries of the game.
#[wasm_bindgen]
pub fn position(position: &str) -> Json {
    Ok(text(&Forms::new(&read(position)?)))
}

/// The materials of positions, each of which stands on a line: each material once, with the fewest columns of its
/// positions. Positions in which a side has no counters are left out: they are over, and no table has them.
#[wasm_bindgen]
pub fn materials(positions: &str) -> Json {
    let mut found: HashMap<Material, usize> = HashMap::new();
    for position in positions.lines() {
        let position = read(position)?;
        if let Ok(material) = Material::of(&position) {
            let columns = position.occupied().len();
            found
                .entry(material)
                .and_modify(|least| *least = columns.min(*least))
                .or_insert(columns);
        }
    }
    Ok(text(&Vec::from_iter(found)))
}

/// The legal moves of a position.
#[wasm_bindgen(js_name = legalMoves)]
pub fn legal_moves(rules: &str, position: &str) -> Json {
    let position = read(position)?;
    let moves = position.successors(rule_set(rules)?).map_err(because(Reason::TooManyMoves))?;
    Ok(text(&Answer::of_moves(&position, &moves)))
}

/// The picture of a position as SVG, in the colours of the page.
#[wasm_bindgen]
pub fn picture(position: &str) -> Result<String, Thrown> {
    let picture = Picture { palette: Palette::WOOD, ..Picture::default() };
    Ok(picture.svg(&read(position)?))
}

/// The position after a move.
#[wasm_bindgen]
pub fn play(rules: &str, position: &str, played: &str) -> Result<String, Thrown> {
    let (position, rules) = (read(position)?, rule_set(rules)?);
    let (_, after) = parse_move(played, &position, rules)
        .map_err(|error| Thrown(Failed::new(error.reason(), error.to_string())))?;
    Ok(after.to_string())
}

/// The bytes of the files of a table.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug)]
pub struct Files {
    /// Those of its WDL file.
    pub wdl: Vec<u8>,
    /// Those of its DTW file.
    pub dtw: Vec<u8>,
}

/// Tables in memory under one rule set.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Tables {
    tables: Tablebase,
}

#[wasm_bindgen]
impl Tables {
    /// No tables yet.
    #[wasm_bindgen(constructor)]
    pub fn new(rules: &str) -> Result<Tables, Thrown> {
        Ok(Tables { tables: Tablebase::options(rule_set(rules)?).empty() })
    }

    /// Adds a table: the bytes of its WDL file and, for distances, those of its DTW file.
    pub fn add(&mut self, wdl: Vec<u8>, dtw: Option<Vec<u8>>) -> Result<(), Thrown> {
        let damaged = because(Reason::Damaged);
        self.tables.add_table(wdl, dtw.map(Into::into)).map_err(damaged)
    }

    /// The rules, and the tables as `lasca-tb list --json` lists them.
    pub fn list(&self) -> String {
        text(&json!({
            "rules": self.tables.rules(),
            "tables": self.tables.tables().into_iter().map(listed).collect::<Vec<_>>(),
        }))
    }

    /// The value of a position; with its moves, its best line, and what proves the value of each move, if that
    /// is wanted.
    pub fn probe(&self, position: &str, moves: bool, line: bool, proofs: bool) -> Json {
        let question = Question { moves, line, proofs, ..Question::new(&self.tables) };
        Ok(text(&answer(&question.of_tables(&read(position)?)?)))
    }

    /// All that is known of a position, for a board. The positions `before` it in the game count for the move to play.
    pub fn known(&self, position: &str, before: Vec<String>) -> Json {
        let known = Question::of_board(&self.tables, &read(position)?)?;
        Ok(text(&answer(&known.in_game(read_all(&before)?))))
    }

    /// The positions of the studies in a text, with what the tables tell of them.
    pub fn studies(&self, studies: &str) -> Json {
        let parsed = parse(studies).map_err(because(Reason::NotAStudy))?;
        let played = Studies::new(&parsed, &self.tables, &Silent)?;
        // Nobody stops it.
        Ok(text(&played.ok_or_else(|| because(Reason::InternalError)("stopped"))?))
    }

    /// The values of many positions, each on a line: `[wdl, dtw]` of each, or `null` where no table has it.
    pub fn values(&self, positions: &str) -> Json {
        let value = |line: &str| {
            let value = self.tables.try_value(&read(line)?)?;
            Ok(value.map(|value| (value.wdl(), value.dtw())))
        };
        Ok(text(&positions.lines().map(value).collect::<Result<Vec<_>, Thrown>>()?))
    }

    /// Endings to practise.
    #[allow(clippy::too_many_arguments)]
    pub fn endings(
        &self,
        of: &str,
        draw: bool,
        choices: &[usize],
        plies: &[u16],
        limit: usize,
        seed: u64,
    ) -> Json {
        let (any, of) = (Practice::default(), material(of)?);
        let practice = Practice {
            result: if draw { lasca_tablebase::Wdl::Draw } else { lasca_tablebase::Wdl::Win },
            choices: range("choices", choices, any.choices)?,
            plies: range("plies", plies, any.plies)?,
            limit,
            ..any
        };
        let picked = practice.pick(&self.tables, of, seed, &Silent)?;
        Ok(text(&Endings::new(&practice, of, seed, &picked)))
    }

    /// The counts of a material.
    pub fn stats(&self, of: &str) -> Json {
        let of = material(of)?;
        Ok(text(&Stats::of(self.tables.table(of)?, of)))
    }

    /// The bytes of the files of a material's table.
    pub fn files(&self, of: &str) -> Result<Files, Thrown> {
        let of = material(of)?;
        self.tables.extent_with_distances(of)?;
        let table = self.tables.table(of)?;
        let bytes = |kind| table.bytes_in_memory(kind).unwrap_or_default().to_vec();
        Ok(Files { wdl: bytes(FileKind::Wdl), dtw: bytes(FileKind::Dtw) })
    }

    /// A search that has not begun. The positions `before` in the game count for the move to play.
    pub fn solve(
        &self,
        position: &str,
        before: Vec<String>,
        exact: bool,
        moves: bool,
        time: Option<f64>,
        memory: Option<u32>,
    ) -> Result<Solving, Thrown> {
        let before = read_all(&before)?;
        let (position, time) = (read(position)?, time.map(seconds).transpose()?);
        let limits =
            SearchLimits { time, threads: 1, memory: bytes(memory), ..SearchLimits::default() };
        let question = Question { exact, moves, line: true, ..Question::new(&self.tables) };
        let search = question.search(&position, limits)?;
        Ok(Solving { search, before, positions: Positions::default() })
    }

    /// A certificate of the value of a position, as text.
    pub fn certify(&self, position: &str, time: Option<f64>, memory: Option<u32>) -> Json {
        let budget = Budget::new(time.map(seconds).transpose()?, 1, &Silent);
        let (position, most) = (read(position)?, DEFAULT_MAX_POSITIONS);
        let run = |solver: &mut Solver| solver.run(&budget);
        let found = Certificate::prove(&position, &self.tables, most, bytes(memory), run)?;
        let mut written = Vec::new();
        found.write_text(&mut written).map_err(because(Reason::NoMemory))?;
        String::from_utf8(written).map_err(because(Reason::InternalError))
    }
}

/// The most bytes that a search holds.
fn bytes(memory: Option<u32>) -> u64 {
    memory.map_or(SearchLimits::DEFAULT.memory, u64::from)
}

fn listed(entry: &TableEntry) -> serde_json::Value {
    let table = entry.table().ok();
    json!({
        "material": entry.material(),
        "rules": entry.rules(),
        "max_columns": table.and_then(|table| table.extent().max_columns()),
        "bytes": entry.bytes(),
        "distances": table.is_some_and(|table| table.has_dtw()),
    })
}

/// A range of two numbers, or all.
fn range<T: Copy + PartialOrd + Display>(
    what: &str,
    ends: &[T],
    all: RangeInclusive<T>,
) -> Result<RangeInclusive<T>, Thrown> {
    match *ends {
        [] => Ok(all),
        [least, most] if all.contains(&least) && all.contains(&most) && least <= most => {
            Ok(least..=most)
        }
        _ => {
            let expected =
                format!("two numbers from {} to {}, the smaller first", all.start(), all.end());
            Err(because(Reason::BadArgument)(format!("{what}: expected {expected}")))
        }
    }
}

/// A search under way.
#[wasm_bindgen]
pub struct Solving {
    search: Search,
    before: Vec<Position>,
    positions: Positions,
}

#[wasm_bindgen]
impl Solving {
    /// Searches for some milliseconds, or to the end of the stage. Returns whether the search is over.
    #[wasm_bindgen(js_name = goOn)]
    pub fn go_on(&mut self, milliseconds: f64) -> Result<bool, Thrown> {
        let part = Some(seconds(milliseconds / 1000.0)?);
        Ok(self.search.go_on(part, &self.positions)?)
    }

    /// How far the search is, which is not over.
    pub fn progress(&self) -> Option<String> {
        let (stage, time) = (self.search.stage()?, self.search.time());
        Some(text(&Searching::new(stage, self.positions.0.load(Ordering::Relaxed), time)))
    }

    /// What is found so far.
    pub fn answer(&mut self) -> Json {
        let found = self.search.answer(&Silent)?;
        Ok(text(&answer(&found.in_game(self.before.clone()))))
    }
}

/// How many positions a search has met.
#[derive(Default)]
struct Positions(AtomicU64);

impl Progress for Positions {
    fn searching(&self, status: &SearchStatus) {
        self.0.store(status.positions, Ordering::Relaxed);
    }
}
