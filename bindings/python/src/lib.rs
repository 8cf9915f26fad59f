//! The module `lasca_tb._native`: the calls of the Python package `lasca_tb` into the Rust library.
//!
//! It returns plain tuples and text. The classes that users see, with their documentation, are written
//! in Python, in `python/lasca_tb`. Long calls release the interpreter's lock.

use lasca_tablebase::answer::{MoveAnswer, Question, ValueRange};
use lasca_tablebase::index::{Material, MaterialError};
use lasca_tablebase::notation::{self, ParseMoveError, ParsePositionError, move_text};
use lasca_tablebase::probe::{
    FolderError, LineEnd, Load, Options, ProbeError, RatedMove, Tablebase,
};
use lasca_tablebase::rules::{NotOfficers, OfficerPosition, Position, RuleSet};
use lasca_tablebase::table::Access;
use lasca_tablebase::{Value, Wdl};
use pyo3::exceptions::{PyMemoryError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};

mod arrays;
mod find;
mod search;

/// The exceptions, which are defined in Python.
mod errors {
    #![allow(missing_docs, reason = "the macro writes its own")]
    pyo3::import_exception!(lasca_tb._errors, Error);
    pyo3::import_exception!(lasca_tb._errors, ParseError);
    pyo3::import_exception!(lasca_tb._errors, NotInTablesError);
    pyo3::import_exception!(lasca_tb._errors, NotOfficersError);
    pyo3::import_exception!(lasca_tb._errors, BeyondColumnsError);
    pyo3::import_exception!(lasca_tb._errors, MissingTableError);
    pyo3::import_exception!(lasca_tb._errors, OtherRulesError);
    pyo3::import_exception!(lasca_tb._errors, MissingDtwError);
    pyo3::import_exception!(lasca_tb._errors, DamagedTableError);
    pyo3::import_exception!(lasca_tb._errors, WrongTableError);
    pyo3::import_exception!(lasca_tb._errors, InconsistentTablesError);
    pyo3::import_exception!(lasca_tb._errors, ReadError);
    pyo3::import_exception!(lasca_tb._errors, OpenError);
}

/// How many positions a bulk call answers before it checks whether the user wants to stop it.
const AT_ONCE: usize = 1 << 16;

/// How many positions each thread must have to be worth starting.
const WORTH_A_THREAD: usize = 256;

/// Win (1), draw (0) or loss (-1), and the distance in plies.
type PlainValue = (i8, Option<u16>);

/// A move and the position that it leads to.
type PlainStep = (String, String);

/// A move, the position that it leads to, and its value.
type PlainMove = (String, String, PlainValue);

/// What is loaded: the materials with win, draw or loss, those with distances, those left out, and the
/// bytes of memory.
type PlainLoaded = (Vec<String>, Vec<String>, Vec<String>, u64);

/// Why there is no answer.
enum Failure {
    Surrogate(usize),
    Text(ParsePositionError),
    Move(ParseMoveError),
    Folder(FolderError),
    Probe(ProbeError),
}

impl From<ParsePositionError> for Failure {
    fn from(error: ParsePositionError) -> Failure {
        Failure::Text(error)
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Failure {
        Failure::Probe(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| exception(py, failure).unwrap_or_else(|error| error))
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        Failure::Folder(error)
    }
}

/// The exception for a failure, with its attributes.
fn exception(py: Python<'_>, failure: Failure) -> PyResult<PyErr> {
    let facts = PyDict::new(py);
    let set = |name, fact: Bound<'_, PyAny>| facts.set_item(name, fact);
    let text = |text: String| PyString::new(py, &text).into_any();
    let path = |path: PathBuf| path.into_pyobject(py).map(Bound::into_any);
    let rules =
        |rules: RuleSet| py.import("lasca_tb._game")?.call_method1("Rules", (rules.name(),));
    let table = |(material, of): (Material, RuleSet)| {
        (material.to_string(), rules(of)?).into_pyobject(py).map(Bound::into_any)
    };
    let message = match &failure {
        Failure::Surrogate(place) => {
            format!(
                "at character {place}: expected a text in Unicode, found half of a surrogate pair"
            )
        }
        Failure::Text(error) => error.to_string(),
        Failure::Move(error) => error.to_string(),
        Failure::Folder(error) => error.to_string(),
        Failure::Probe(error) => error.to_string(),
    };
    let error = match failure {
        Failure::Surrogate(place) => {
            facts.set_item("character", place)?;
            errors::ParseError::new_err(message)
        }
        Failure::Text(error) => {
            facts.set_item("character", error.at)?;
            errors::ParseError::new_err(message)
        }
        Failure::Move(error) => {
            facts.set_item("character", error.at)?;
            errors::ParseError::new_err(message)
        }
        Failure::Folder(error) => {
            set("path", path(error.folder)?)?;
            errors::ReadError::new_err(message)
        }
        Failure::Probe(error) => match error {
            ProbeError::NotOfficers(
                NotOfficers::Soldier(square) | NotOfficers::Unreachable(square, _),
            ) => {
                set("square", text(square.to_string()))?;
                errors::NotOfficersError::new_err(message)
            }
            ProbeError::Material(_) => errors::NotInTablesError::new_err(message),
            ProbeError::BeyondColumns { material, rules: of, path: file, max_columns, columns } => {
                set("material", text(material.to_string()))?;
                set("rules", rules(of)?)?;
                set("path", path(file)?)?;
                facts.set_item("max_columns", max_columns)?;
                facts.set_item("columns", columns)?;
                errors::BeyondColumnsError::new_err(message)
            }
            ProbeError::MissingTable { material, rules: of, folders, .. } => {
                set("material", text(material.to_string()))?;
                set("rules", rules(of)?)?;
                set("folders", PyTuple::new(py, folders)?.into_any())?;
                errors::MissingTableError::new_err(message)
            }
            ProbeError::OtherRules { material, asked, found, .. } => {
                set("material", text(material.to_string()))?;
                set("rules", rules(asked)?)?;
                let found: Vec<_> = found.into_iter().map(rules).collect::<PyResult<_>>()?;
                set("found", PyTuple::new(py, found)?.into_any())?;
                errors::OtherRulesError::new_err(message)
            }
            ProbeError::MissingDtw { path: file } => {
                set("path", path(file)?)?;
                errors::MissingDtwError::new_err(message)
            }
            ProbeError::WrongTable { path: file, expected, found } => {
                set("path", path(file)?)?;
                set("expected", table(expected)?)?;
                set("found", table(found)?)?;
                errors::WrongTableError::new_err(message)
            }
            ProbeError::Damaged { path: file, .. } => {
                set("path", path(file)?)?;
                errors::DamagedTableError::new_err(message)
            }
            ProbeError::Inconsistent { position } => {
                let position = (position.to_string(),);
                set("position", py.import("lasca_tb._game")?.call_method1("Position", position)?)?;
                errors::InconsistentTablesError::new_err(message)
            }
            ProbeError::Unreadable { path: file, .. } => {
                set("path", path(file)?)?;
                errors::ReadError::new_err(message)
            }
            _ => errors::Error::new_err(message),
        },
    };
    for (name, fact) in facts {
        error.value(py).setattr(name.cast::<PyString>()?, fact)?;
    }
    Ok(error)
}

/// The text of a position. In Python, a text can contain half of a surrogate pair, which a text in Rust
/// cannot.
enum Text {
    Unicode(PyBackedStr),
    /// The place of the first such half, counted from 1.
    Surrogate(usize),
}

impl Text {
    fn get(&self) -> Result<&str, Failure> {
        match self {
            Text::Unicode(text) => Ok(text),
            Text::Surrogate(place) => Err(Failure::Surrogate(*place)),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Text> {
        let py = object.py();
        match object.extract::<PyBackedStr>() {
            Ok(text) => Ok(Text::Unicode(text)),
            Err(error) => {
                if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
                    return Err(error);
                }
                let start: usize = error.value(py).getattr("start")?.extract()?;
                Ok(Text::Surrogate(start + 1))
            }
        }
    }
}

fn read_rules(name: &str) -> PyResult<RuleSet> {
    name.parse().map_err(|error: lasca_tablebase::rules::ParseRuleSetError| {
        PyValueError::new_err(error.to_string())
    })
}

fn read_material(text: &str) -> PyResult<Material> {
    text.parse().map_err(|error: MaterialError| PyValueError::new_err(error.to_string()))
}

fn read_position(text: &Text) -> Result<Position, Failure> {
    Ok(text.get()?.parse()?)
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

fn plain_move(rated: &RatedMove) -> PlainMove {
    let text = move_text(&rated.played, &rated.after);
    (text, rated.after.to_string(), plain_value(rated.value))
}

fn value(tables: &Tablebase, text: &Text) -> Result<PlainValue, Failure> {
    Ok(plain_value(tables.value(&read_position(text)?)?))
}

/// Reads a position, and checks that tables can cover it. Without the check, a position that no table
/// covers would have an empty list of moves if the side to move is blocked.
fn read_for_moves(text: &Text) -> Result<Position, Failure> {
    let position = read_position(text)?;
    if position.both_command() {
        OfficerPosition::try_from(&position).map_err(ProbeError::NotOfficers)?;
    }
    Ok(position)
}

/// Open tables.
#[pyclass(frozen, module = "lasca_tb._native")]
struct Tables {
    /// `None` after closing. No thread holds this lock while it reads files or waits for the
    /// interpreter's lock: others wait for it with the interpreter's lock in their hands.
    tables: RwLock<Option<Arc<Tablebase>>>,
    /// Held while a folder is added, so that no other folder is lost.
    adding: Mutex<()>,
}

impl Tables {
    /// The tables, for the time of one call. If they are closed meanwhile, the call still has them.
    fn open(&self) -> PyResult<Arc<Tablebase>> {
        self.held().ok_or_else(closed)
    }

    fn held(&self) -> Option<Arc<Tablebase>> {
        self.tables.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Adds the tables of a folder. `None` if the tables are closed.
    fn add(&self, folder: PathBuf) -> Result<Option<usize>, FolderError> {
        let _one = self.adding.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(before) = self.held() else { return Ok(None) };
        let mut tables = Tablebase::clone(&before);
        let count = tables.add_directory(folder)?;
        let mut held = self.tables.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        Ok(held.as_mut().map(|held| {
            *held = Arc::new(tables);
            count
        }))
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("the tablebase is closed")
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
    ) -> PyResult<Tables> {
        let rules = read_rules(rules)?;
        let access = match access {
            "automatic" => Access::Automatic,
            "private" => Access::Private,
            "mapped" => Access::Mapped,
            other => {
                return Err(PyValueError::new_err(format!(
                    "expected access \"automatic\", \"private\" or \"mapped\", found {other:?}"
                )));
            }
        };
        let options = Options { cache: cache_bytes, access };
        let mut tables = Tablebase::with_options(rules, options);
        py.detach(|| {
            folders.iter().try_for_each(|folder| tables.add_directory(folder).map(|_| ()))
        })
        .map_err(Failure::Folder)?;
        Ok(Tables { tables: RwLock::new(Some(Arc::new(tables))), adding: Mutex::default() })
    }

    /// Adds the tables of a folder. Calls under way in other threads do not know of it.
    fn add_directory(&self, py: Python<'_>, folder: PathBuf) -> PyResult<usize> {
        py.detach(|| self.add(folder)).map_err(Failure::Folder)?.ok_or_else(closed)
    }

    /// Whether win, draw or loss is known for positions of a material.
    fn covers(&self, py: Python<'_>, material: &str) -> PyResult<bool> {
        let (tables, material) = (self.open()?, read_material(material)?);
        Ok(py.detach(|| tables.covers(material)))
    }

    /// Whether distances are known for positions of a material.
    fn covers_distances(&self, py: Python<'_>, material: &str) -> PyResult<bool> {
        let (tables, material) = (self.open()?, read_material(material)?);
        Ok(py.detach(|| tables.covers_distances(material)))
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

    /// Material, rule set and file of each table.
    fn tables(&self) -> PyResult<Vec<(String, &'static str, PathBuf)>> {
        let tables = self.open()?;
        let listed = tables
            .tables()
            .iter()
            .map(|file| (file.material().to_string(), file.rules().name(), file.path().to_owned()));
        Ok(listed.collect())
    }

    /// The column bound of the table of a material; `None` if it is whole.
    fn max_columns(&self, py: Python<'_>, material: &str) -> PyResult<Option<usize>> {
        let (tables, material) = (self.open()?, read_material(material)?);
        let extent = py.detach(|| tables.extent(material)).map_err(Failure::Probe)?;
        Ok(extent.max_columns())
    }

    /// Loads values into memory, those of all materials if `materials` is `None`. The error of a table
    /// that cannot be loaded is raised after all others are.
    fn load(
        &self,
        py: Python<'_>,
        materials: Option<Vec<String>>,
        dtw: bool,
        max_bytes: u64,
        threads: Option<NonZero<usize>>,
    ) -> PyResult<PlainLoaded> {
        let tables = self.open()?;
        let mut load = Load { dtw, limit: max_bytes, threads, ..Load::default() };
        if let Some(materials) = materials {
            let read = materials.iter().map(|text| read_material(text));
            load.materials = Some(read.collect::<PyResult<Vec<_>>>()?);
        }
        let report = py.detach(|| tables.load(&load));
        if let Some(error) = report.errors.into_iter().next() {
            return Err(match error {
                ProbeError::Unreadable { kind: ErrorKind::OutOfMemory, .. } => {
                    PyMemoryError::new_err(error.to_string())
                }
                error => Failure::Probe(error).into(),
            });
        }
        let [wdl, dtw, left_out] = [report.wdl, report.dtw, report.left_out]
            .map(|materials| materials.iter().map(Material::to_string).collect());
        Ok((wdl, dtw, left_out, report.bytes))
    }

    fn probe(&self, py: Python<'_>, position: Text) -> PyResult<PlainValue> {
        let tables = self.open()?;
        Ok(py.detach(|| value(&tables, &position))?)
    }

    fn wdl(&self, py: Python<'_>, position: Text) -> PyResult<i8> {
        let tables = self.open()?;
        let wdl =
            py.detach(|| -> Result<_, Failure> { Ok(tables.wdl(&read_position(&position)?)?) });
        Ok(plain_wdl(wdl?))
    }

    /// For each position, its value or the exception that says why there is none.
    fn probe_many(
        &self,
        py: Python<'_>,
        positions: Vec<Text>,
        threads: usize,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let tables = self.open()?;
        let mut answers = Vec::with_capacity(positions.len());
        for part in positions.chunks(AT_ONCE) {
            py.check_signals()?;
            for answer in py.detach(|| in_parts(part, threads, |text| value(&tables, text))) {
                answers.push(match answer {
                    Ok(value) => value.into_pyobject(py)?.into_any().unbind(),
                    Err(failure) => PyErr::from(failure).into_value(py).into_any(),
                });
            }
        }
        Ok(answers)
    }

    /// The results of boards as bytes, and their distances as numbers of two bytes in the machine's order:
    /// -1 for a draw, or without `dtw`. With `mark`, the result of a position that the tables do not
    /// cover is -128, and its distance -1.
    fn probe_arrays<'py>(
        &self,
        py: Python<'py>,
        boards: &[u8],
        black: &[u8],
        dtw: bool,
        mark: bool,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        arrays::probe(py, &*self.open()?, boards, black, dtw, mark, threads)
    }

    fn moves(&self, py: Python<'_>, position: Text) -> PyResult<Vec<PlainMove>> {
        let tables = self.open()?;
        let moves = py.detach(|| -> Result<_, Failure> {
            let moves = tables.moves(&read_for_moves(&position)?)?;
            Ok(moves.iter().map(plain_move).collect())
        });
        Ok(moves?)
    }

    /// The value of a position and its moves with theirs. Without the DTW file, distances are `None`.
    fn ratings(&self, py: Python<'_>, position: Text) -> PyResult<(PlainValue, Vec<PlainMove>)> {
        let tables = self.open()?;
        let ratings = py.detach(|| -> Result<_, Failure> {
            let position = read_position(&position)?;
            let question =
                Question { moves: true, ..Question::new(tables.rules(), Some(&*tables)) };
            let answer = question.of_tables(&position)?;
            let plain = |range: ValueRange| {
                // Tables know at least who wins.
                let wdl = range.wdl().map_or(0, plain_wdl);
                (wdl, range.exact().and_then(Value::dtw))
            };
            let plain_move = |rated: &MoveAnswer| {
                let text = move_text(&rated.played, &rated.after);
                (text, rated.after.to_string(), plain(rated.value))
            };
            Ok((plain(answer.value), answer.moves.iter().flatten().map(plain_move).collect()))
        });
        Ok(ratings?)
    }

    /// The moves of best play, and the colour of the winner if a side wins.
    fn best_line(
        &self,
        py: Python<'_>,
        position: Text,
    ) -> PyResult<(Vec<PlainMove>, Option<&'static str>)> {
        let tables = self.open()?;
        let line = py.detach(|| -> Result<_, Failure> {
            let line = tables.best_line(&read_position(&position)?)?;
            let winner = match line.end {
                LineEnd::GameOver { winner } => Some(winner.name()),
                LineEnd::Repetition => None,
            };
            Ok((line.moves.iter().map(plain_move).collect(), winner))
        });
        Ok(line?)
    }
}

/// The position that a text means, as the library writes it.
#[pyfunction]
fn position(position: Text) -> PyResult<String> {
    Ok(read_position(&position)?.to_string())
}

/// The picture of a position.
#[pyfunction]
fn position_svg(position: Text) -> PyResult<String> {
    Ok(notation::position_svg(&read_position(&position)?))
}

/// The legal moves of a position.
#[pyfunction]
fn moves(position: Text, rules: &str) -> PyResult<Vec<PlainStep>> {
    let moves = read_position(&position)?.successors(read_rules(rules)?);
    Ok(moves.iter().map(|(played, after)| (move_text(played, after), after.to_string())).collect())
}

/// A move as the library writes it, and the position after it.
#[pyfunction]
fn play(position: Text, played: Text, rules: &str) -> PyResult<PlainStep> {
    let (position, rules) = (read_position(&position)?, read_rules(rules)?);
    let (played, after) =
        notation::parse_move(played.get()?, &position, rules).map_err(Failure::Move)?;
    Ok((move_text(&played, &after), after.to_string()))
}

/// The answers to these items, found by at most this many threads.
///
/// The threads are started for the call. A pool of threads would be missing in a process that is forked
/// from this one, as `multiprocessing` does.
fn in_parts<T: Sync, A: Send>(
    items: &[T],
    threads: usize,
    answer: impl Fn(&T) -> A + Sync,
) -> Vec<A> {
    let threads = threads.min(items.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return items.iter().map(answer).collect();
    }
    let parts = items.chunks(items.len().div_ceil(threads));
    std::thread::scope(|scope| {
        let answer = &answer;
        let at_work: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(answer).collect::<Vec<A>>()))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        at_work.into_iter().flat_map(join).collect()
    })
}

/// The part of the package `lasca_tb` that is written in Rust. Use the package instead.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::Tables;
    #[pymodule_export]
    use super::arrays::{from_arrays, to_arrays};
    #[pymodule_export]
    use super::find::find;
    #[pymodule_export]
    use super::search::{certify, solve};
    #[pymodule_export]
    use super::{moves, play, position, position_svg};

    /// The most turns of only moves that can be asked for.
    #[pymodule_export]
    const MOST_TURNS: usize = lasca_tablebase::find::Filter::MOST_TURNS;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
