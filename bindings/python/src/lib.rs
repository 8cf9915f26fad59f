//! The module `lasca_tb._native`: the calls of the Python package `lasca_tb` into the Rust library.
//!
//! It returns numbers and plain text for what is asked very often, and texts of JSON for all other answers. The
//! classes that users see, with their documentation, are written in Python, in `python/lasca_tb`. Long calls release
//! the interpreter's lock.

use lasca_analysis::answer::json::{Answer, Forms, RatedStep, line_end};
use lasca_analysis::study::{ParseStudyError, ReviewError};
use lasca_tablebase::generate::GenerateError;
use lasca_tablebase::index::{Material, MaterialError};
use lasca_tablebase::notation::{self, Palette, Picture, TextError};
use lasca_tablebase::probe::{FolderError, Load, ProbeError, RatedMove, TableEntry, Tablebase};
use lasca_tablebase::rules::{Color, Move, ParseRuleSetError, Position, RuleSet};
use lasca_tablebase::table::{Access, FileKind, Table};
use lasca_tablebase::{Outcome, Reason, Value, ValueRange, Wdl};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::RwLock;
use std::thread;
use std::time::Duration;

mod find;
mod interruptible;
mod make;
mod search;

/// How many positions a bulk call answers before it checks whether the user wants to stop it.
const AT_ONCE: usize = 1 << 14;

/// How many positions each thread must have to be worth starting.
const WORTH_A_THREAD: usize = 256;

/// Win (1), draw (0) or loss (-1), and the distance in plies.
type PlainValue = (i8, Option<u16>);

/// A table: material, rule set, WDL file, positions, bytes and the longest win.
type PlainTable = (String, &'static str, Option<PathBuf>, Option<u64>, Option<u64>, Option<u16>);

/// What is loaded: the materials with win, draw or loss, those with distances, those left out, and the
/// bytes of memory.
type PlainLoaded = (Vec<String>, Vec<String>, Vec<String>, u64);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// An argument is not one of the allowed values.
    #[error("{0}")]
    Argument(String),
    #[error(transparent)]
    Rules(#[from] ParseRuleSetError),
    #[error(transparent)]
    Material(#[from] MaterialError),
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(transparent)]
    Study(#[from] ParseStudyError),
    /// A move of a game is not legal.
    #[error(transparent)]
    Game(ReviewError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Make(GenerateError),
    /// A search has not found out who wins.
    #[error("{0}")]
    Open(String),
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| exception(py, failure).unwrap_or_else(|error| error))
    }
}

impl Failure {
    fn reason(&self) -> Reason {
        match self {
            Failure::Argument(_) | Failure::Rules(_) | Failure::Material(_) => Reason::BadArgument,
            Failure::Text(error) => error.reason(),
            Failure::Study(_) => Reason::NotAStudy,
            Failure::Game(error) => error.reason(),
            Failure::Folder(_) => Reason::Unreadable,
            Failure::Probe(error) => error.reason(),
            Failure::Make(error) if error.is_negative() => Reason::TooLarge,
            // There are no files, so the system has refused memory or a thread.
            Failure::Make(_) => Reason::NoMemory,
            Failure::Open(_) => Reason::NotCovered,
        }
    }
}

/// The exception for a failure, with its attributes.
fn exception(py: Python<'_>, failure: Failure) -> PyResult<PyErr> {
    let (message, reason) = (failure.to_string(), failure.reason());
    let name = match reason {
        Reason::BadArgument => return Ok(PyValueError::new_err(message)),
        Reason::NoMemory => return Ok(PyMemoryError::new_err(message)),
        Reason::NotAPosition | Reason::NotAMove | Reason::NotAStudy => "ParseError",
        Reason::GameOver => "GameOverError",
        Reason::NotCovered if matches!(failure, Failure::Open(_)) => "OpenError",
        Reason::NotCovered | Reason::OtherRules | Reason::NoDistances => "NotInTablesError",
        Reason::Unreadable => "ReadError",
        _ => "Error",
    };
    let error = py.import("lasca_tb._errors")?.getattr(name)?.call1((message,))?;
    error.setattr("reason", reason.name())?;
    match failure {
        Failure::Text(TextError { at, .. }) if name == "ParseError" => {
            error.setattr("character", at)?
        }
        Failure::Probe(
            ProbeError::MissingTable { material, .. }
            | ProbeError::Table { material, .. }
            | ProbeError::OtherRules { material, .. },
        ) => error.setattr("material", material.to_string())?,
        _ => {}
    }
    Ok(PyErr::from_value(error))
}

/// The text of a position or a move. Half of a surrogate pair, which only a text in Python can contain, becomes a
/// character that stands in none.
struct Text(String);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Text> {
        match object.cast::<PyString>() {
            Ok(text) => Ok(Text(text.to_string_lossy().into_owned())),
            Err(_) => {
                let expected = format!("expected a text, found {}", object.repr()?);
                Err(PyTypeError::new_err(expected))
            }
        }
    }
}

fn read_rules(name: &str) -> Result<RuleSet, Failure> {
    Ok(name.parse()?)
}

fn read_material(text: &str) -> Result<Material, Failure> {
    Ok(text.parse()?)
}

fn read_position(text: &Text) -> Result<Position, Failure> {
    Ok(text.0.parse()?)
}

fn read_seconds(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds).map_err(|error| Failure::Argument(error.to_string()))
}

fn plain_wdl(wdl: Wdl) -> i8 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::Draw => 0,
        Wdl::Win => 1,
    }
}

fn plain_value(value: Value) -> PlainValue {
    (plain_wdl(value.wdl()), value.dtw())
}

/// A move with its value, for JSON.
fn step<V: Clone + Into<ValueRange>>(rated: &RatedMove<V>) -> RatedStep {
    let value = rated.value.clone().into();
    RatedStep::new(&rated.played, &rated.after, Some(value.into()))
}

/// JSON.
fn text(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

fn value(tables: &Tablebase, position: &Position) -> Result<PlainValue, ProbeError> {
    tables.value(position).map(plain_value)
}

/// Open tables.
#[pyclass(frozen, module = "lasca_tb._native")]
struct Tables {
    /// `None` after closing. No thread holds this lock while it reads files or waits for the
    /// interpreter's lock: others wait for it with the interpreter's lock in their hands.
    tables: RwLock<Option<Tablebase>>,
}

impl Tables {
    /// The tables, for the time of one call. If they are closed meanwhile, the call still has them.
    fn open(&self) -> Result<Tablebase, Failure> {
        self.held().ok_or_else(closed)
    }

    fn held(&self) -> Option<Tablebase> {
        self.tables.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// The answer to a question about a position.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        position: &Text,
        answer: impl FnOnce(&Tablebase, &Position) -> Result<T, ProbeError> + Send,
    ) -> PyResult<T> {
        let tables = self.open()?;
        let found =
            py.detach(|| -> Result<_, Failure> { Ok(answer(&tables, &read_position(position)?)?) });
        Ok(found?)
    }
}

/// What is known of a table without a look at its values.
fn plain_table(file: &TableEntry) -> PlainTable {
    let table = file.table().ok();
    let wins =
        |table: &Table| table.slices().iter().filter_map(|slice| slice.stats().max_win()).max();
    (
        file.material().to_string(),
        file.rules().name(),
        file.path_of(FileKind::Wdl),
        table.map(Table::positions),
        file.bytes(),
        table.and_then(wins),
    )
}

/// The materials of the tables for the rules of the answers.
fn of_own_rules(tables: &Tablebase) -> Vec<Material> {
    let listed = tables.tables().into_iter().filter(|file| file.rules() == tables.rules());
    listed.map(TableEntry::material).collect()
}

fn closed() -> Failure {
    Failure::Argument("the tablebase is closed".to_owned())
}

#[pymethods]
impl Tables {
    #[new]
    fn new(
        py: Python<'_>,
        folders: Vec<PathBuf>,
        rules: &str,
        cache_bytes: u64,
        access: &str,
        included: bool,
    ) -> PyResult<Tables> {
        let rules = read_rules(rules)?;
        let access = match access {
            "automatic" => Access::Automatic,
            "private" => Access::Private,
            "mapped" => Access::Mapped,
            other => {
                let expected = "expected access \"automatic\", \"private\" or \"mapped\"";
                return Err(Failure::Argument(format!("{expected}, found {other:?}")).into());
            }
        };
        let options = Tablebase::options(rules).cache(cache_bytes).access(access);
        let mut tables = py.detach(|| options.open(folders)).map_err(Failure::Folder)?;
        if included {
            tables.add_included();
        }
        Ok(Tables { tables: RwLock::new(Some(tables)) })
    }

    /// Whether win, draw or loss, or distances too, are known for positions of a material.
    fn covers(&self, py: Python<'_>, material: &str, dtw: bool) -> PyResult<bool> {
        let (tables, material) = (self.open()?, read_material(material)?);
        let extent = if dtw { Tablebase::extent_with_distances } else { Tablebase::extent };
        Ok(py.detach(|| extent(&tables, material).is_ok()))
    }

    /// Closes the tables. Calls under way in other threads keep them until they end.
    fn close(&self, py: Python<'_>) {
        let held = {
            let mut held = self.tables.write().unwrap_or_else(|poisoned| poisoned.into_inner());
            held.take()
        };
        py.detach(|| drop(held));
    }

    #[getter]
    fn closed(&self) -> bool {
        self.held().is_none()
    }

    /// Material, rule set and file of each table; a table that is a part of the package has no file.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<PlainTable>> {
        let tables = self.open()?;
        // Each table is closed before the next one is opened.
        Ok(py.detach(|| {
            tables.tables().into_iter().map(|file| plain_table(&file.closed())).collect()
        }))
    }

    /// The materials of the tables for the rules of the answers.
    fn materials(&self) -> PyResult<Vec<String>> {
        Ok(of_own_rules(&self.open()?).iter().map(Material::to_string).collect())
    }

    /// The column bound of the table of a material; `None` if it is whole.
    fn max_columns(&self, py: Python<'_>, material: &str) -> PyResult<Option<usize>> {
        let (tables, material) = (self.open()?, read_material(material)?);
        let extent = py.detach(|| tables.extent(material)).map_err(Failure::from)?;
        Ok(extent.max_columns())
    }

    /// Loads values into memory, those of all materials if `materials` is `None`: a table at a time, the smallest
    /// first. The error of a table that cannot be loaded is raised after all others are.
    fn load(
        &self,
        py: Python<'_>,
        materials: Option<Vec<String>>,
        dtw: bool,
        max_bytes: u64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PlainLoaded> {
        let tables = self.open()?;
        let mut chosen = match materials {
            None => of_own_rules(&tables),
            Some(texts) => {
                let read = |text: &String| Ok(read_material(text)?.normalized());
                texts.iter().map(read).collect::<Result<Vec<_>, Failure>>()?
            }
        };
        let size =
            |of: &Material| (tables.table(*of).map_or(0, Table::positions), of.white(), of.black());
        py.detach(|| chosen.sort_by_cached_key(size));
        chosen.dedup();
        let load = |materials| {
            let threads = NonZero::new(threads);
            tables.load(&Load {
                materials: Some(materials),
                dtw,
                limit: max_bytes,
                threads,
                ..Load::default()
            })
        };
        // Of none, it tells how much is loaded.
        let mut report = py.detach(|| load(Vec::new()));
        for (done, &material) in (1..).zip(&chosen) {
            let loaded = py.detach(|| load(vec![material]));
            report.wdl.extend(loaded.wdl);
            report.dtw.extend(loaded.dtw);
            report.left_out.extend(loaded.left_out);
            report.errors.extend(loaded.errors);
            report.bytes = loaded.bytes;
            if !goes_on(py, progress.as_ref(), Some((done, chosen.len() as u64)))? {
                break;
            }
        }
        if let Some(error) = report.errors.into_iter().next() {
            return Err(Failure::from(error).into());
        }
        let [wdl, dtw, left_out] = [report.wdl, report.dtw, report.left_out]
            .map(|materials| materials.iter().map(Material::to_string).collect());
        Ok((wdl, dtw, left_out, report.bytes))
    }

    fn probe(&self, py: Python<'_>, position: Text) -> PyResult<PlainValue> {
        self.ask(py, &position, value)
    }

    fn wdl(&self, py: Python<'_>, position: Text) -> PyResult<i8> {
        self.ask(py, &position, |tables, position| tables.wdl(position).map(plain_wdl))
    }

    /// For each position, its value or the exception that says why there is none; fewer if `progress` stops it.
    fn probe_many(
        &self,
        py: Python<'_>,
        positions: Vec<Text>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let tables = self.open()?;
        let threads = at_most(threads).get().min(positions.len() / WORTH_A_THREAD);
        let pool = (threads > 1).then(|| pool(threads)).transpose()?;
        let answer =
            |text: &Text| -> Result<_, Failure> { Ok(value(&tables, &read_position(text)?)?) };
        let mut answers = Vec::with_capacity(positions.len());
        for part in positions.chunks(AT_ONCE) {
            let found: Vec<_> = py.detach(|| match &pool {
                None => part.iter().map(answer).collect(),
                Some(pool) => pool.install(|| part.par_iter().map(answer).collect()),
            });
            for answer in found {
                answers.push(match answer {
                    Ok(value) => value.into_pyobject(py)?.into_any().unbind(),
                    Err(failure) => PyErr::from(failure).into_value(py).into_any(),
                });
            }
            let done = (answers.len() as u64, positions.len() as u64);
            if !goes_on(py, progress.as_ref(), Some(done))? {
                break;
            }
        }
        Ok(answers)
    }

    fn moves(&self, py: Python<'_>, position: Text) -> PyResult<String> {
        let moves = self.ask(py, &position, Tablebase::moves)?;
        text(&moves.iter().map(step).collect::<Vec<_>>())
    }

    fn best_line(&self, py: Python<'_>, position: Text) -> PyResult<String> {
        let line = self.ask(py, &position, Tablebase::best_line)?;
        text(&Answer {
            line: Some(line.moves.iter().map(step).collect()),
            line_end: Some(line.end.map(line_end)),
            ..Answer::default()
        })
    }
}

/// The position that a text means, as the library writes it.
#[pyfunction]
fn position(position: Text) -> PyResult<String> {
    Ok(read_position(&position)?.to_string())
}

/// The position drawn with letters.
#[pyfunction]
fn board(position: Text) -> PyResult<String> {
    Ok(notation::board_text(&read_position(&position)?))
}

/// Both forms of a position, its material and its images.
#[pyfunction]
fn forms(position: Text) -> PyResult<String> {
    text(&Forms::new(&read_position(&position)?))
}

/// The colour of the side that has won.
#[pyfunction]
fn winner(position: Text) -> PyResult<Option<&'static str>> {
    Ok(read_position(&position)?.outcome().and_then(Outcome::winner).map(Color::name))
}

/// The picture of a position.
#[pyfunction]
fn position_svg(
    position: Text,
    size: u16,
    palette: &str,
    coordinates: bool,
    arrow: Option<Text>,
    rules: &str,
) -> PyResult<String> {
    let (position, rules) = (read_position(&position)?, read_rules(rules)?);
    let palette = palette.parse::<Palette>();
    let palette = palette.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let arrow = match arrow {
        Some(text) => Some(read_move(&text, &position, rules)?.0),
        None => None,
    };
    let picture = Picture { size, palette, coordinates, arrow, ..Picture::default() };
    Ok(picture.svg(&position))
}

/// A legal move, and the position after it.
fn read_move(text: &Text, position: &Position, rules: RuleSet) -> PyResult<(Move, Position)> {
    Ok(notation::parse_move(&text.0, position, rules).map_err(Failure::from)?)
}

/// The legal moves of a position.
#[pyfunction]
fn moves(position: Text, rules: &str) -> PyResult<String> {
    let position = read_position(&position)?;
    let moves = position.successors(read_rules(rules)?).map_err(ProbeError::from);
    let moves = moves.map_err(Failure::from)?;
    text(&Answer::of_moves(&position, &moves))
}

/// The position after a move.
#[pyfunction]
fn play(position: Text, played: Text, rules: &str) -> PyResult<String> {
    let (position, rules) = (read_position(&position)?, read_rules(rules)?);
    Ok(read_move(&played, &position, rules)?.1.to_string())
}

/// How many threads work at most; 0 stands for one per processor.
fn at_most(threads: usize) -> NonZero<usize> {
    let processors = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    NonZero::new(threads).unwrap_or_else(processors)
}

/// So many threads. They end with the call: in a process that is forked from this one, as `multiprocessing` does, they
/// would be missing.
fn pool(threads: usize) -> PyResult<ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Whether to go on, after Ctrl-C, if this is the main thread, and `progress`, which is told these numbers if there are
/// any.
fn goes_on(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    told: Option<(u64, u64)>,
) -> PyResult<bool> {
    py.check_signals()?;
    let (Some(progress), Some(told)) = (progress, told) else { return Ok(true) };
    let answer = progress.call1(py, told)?;
    // Only False stops: a function that returns nothing means to go on.
    Ok(!answer.bind(py).is(PyBool::new(py, false)))
}

/// The part of the package `lasca_tb` that is written in Rust. Use the package instead.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::Tables;
    #[pymodule_export]
    use super::find::{find, practice};
    #[pymodule_export]
    use super::make::make;
    #[pymodule_export]
    use super::search::{best_move, certify, games, review, solve};
    #[pymodule_export]
    use super::{board, forms, moves, play, position, position_svg, winner};

    /// The most turns of only moves that can be asked for.
    #[pymodule_export]
    const MOST_TURNS: usize = lasca_analysis::find::Filter::MOST_TURNS;
    #[pymodule_export]
    const MOST_CHOICES: usize = lasca_analysis::find::Practice::MOST_CHOICES;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The most memory of a search if nothing else is said.
    #[pymodule_export]
    const MEMORY: u64 = lasca_analysis::answer::SearchLimits::DEFAULT.memory;
}
