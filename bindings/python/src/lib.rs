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
use lasca_tablebase::rules::{NotOfficers, ParseRuleSetError, Position, RuleSet};
use lasca_tablebase::table::Access;
use lasca_tablebase::{Value, Wdl};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use rayon::prelude::*;
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
    /// An argument is not one of the allowed values.
    Argument(String),
    /// A text is no position, or no legal move. The number is that of the character where the problem is.
    Text(String, Option<usize>),
    /// There is too little memory.
    Memory(String),
    Folder(FolderError),
    Probe(ProbeError),
}

impl From<ParsePositionError> for Failure {
    fn from(error: ParsePositionError) -> Failure {
        Failure::Text(error.to_string(), error.at)
    }
}

impl From<ParseMoveError> for Failure {
    fn from(error: ParseMoveError) -> Failure {
        Failure::Text(error.to_string(), error.at)
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        Failure::Folder(error)
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

/// The exception for a failure, with its attributes.
fn exception(py: Python<'_>, failure: Failure) -> PyResult<PyErr> {
    let facts = PyDict::new(py);
    let error = match failure {
        Failure::Argument(message) => PyValueError::new_err(message),
        Failure::Memory(message) => PyMemoryError::new_err(message),
        Failure::Text(message, character) => {
            facts.set_item("character", character)?;
            errors::ParseError::new_err(message)
        }
        Failure::Folder(error) => {
            facts.set_item("path", &error.folder)?;
            errors::ReadError::new_err(error.to_string())
        }
        Failure::Probe(error) => {
            let message = error.to_string();
            state(error, &facts)?(message)
        }
    };
    for (name, fact) in facts {
        error.value(py).setattr(name.cast::<PyString>()?, fact)?;
    }
    Ok(error)
}

/// States the facts of an error, and returns what makes its exception of the message.
fn state(error: ProbeError, facts: &Bound<'_, PyDict>) -> PyResult<fn(String) -> PyErr> {
    let game = facts.py().import("lasca_tb._game")?;
    let rules = |rules: RuleSet| game.call_method1("Rules", (rules.name(),));
    let table =
        |(material, of): (Material, RuleSet)| Ok::<_, PyErr>((material.to_string(), rules(of)?));
    let of_table = |material: Material, of| {
        facts.set_item("material", material.to_string())?;
        facts.set_item("rules", rules(of)?)
    };
    Ok(match error {
        ProbeError::NotOfficers(
            NotOfficers::Soldier(square) | NotOfficers::Unreachable(square, _),
        ) => {
            facts.set_item("square", square.to_string())?;
            errors::NotOfficersError::new_err
        }
        ProbeError::Material(_) => errors::NotInTablesError::new_err,
        ProbeError::BeyondColumns { material, rules, path, max_columns, columns } => {
            of_table(material, rules)?;
            facts.set_item("path", path)?;
            facts.set_item("max_columns", max_columns)?;
            facts.set_item("columns", columns)?;
            errors::BeyondColumnsError::new_err
        }
        ProbeError::MissingTable { material, rules, folders, .. } => {
            of_table(material, rules)?;
            facts.set_item("folders", PyTuple::new(facts.py(), folders)?)?;
            errors::MissingTableError::new_err
        }
        ProbeError::OtherRules { material, asked, found, .. } => {
            of_table(material, asked)?;
            let found: Vec<_> = found.into_iter().map(rules).collect::<PyResult<_>>()?;
            facts.set_item("found", PyTuple::new(facts.py(), found)?)?;
            errors::OtherRulesError::new_err
        }
        ProbeError::MissingDtw { path } => {
            facts.set_item("path", path)?;
            errors::MissingDtwError::new_err
        }
        ProbeError::WrongTable { path, expected, found } => {
            facts.set_item("path", path)?;
            facts.set_item("expected", table(expected)?)?;
            facts.set_item("found", table(found)?)?;
            errors::WrongTableError::new_err
        }
        ProbeError::Damaged { path, .. } => {
            facts.set_item("path", path)?;
            errors::DamagedTableError::new_err
        }
        ProbeError::Inconsistent { position } => {
            facts.set_item("position", game.call_method1("Position", (position.to_string(),))?)?;
            errors::InconsistentTablesError::new_err
        }
        ProbeError::Unreadable { path, .. } => {
            facts.set_item("path", path)?;
            errors::ReadError::new_err
        }
        _ => errors::Error::new_err,
    })
}

/// The text of a position or a move. In Python, a text can contain half of a surrogate pair, which a text in
/// Rust cannot: then this is the place of the first such half, counted from 1.
struct Text(Result<PyBackedStr, usize>);

impl Text {
    fn get(&self) -> Result<&str, Failure> {
        self.0.as_deref().map_err(|&place| {
            let expected = "expected a text in Unicode, found half of a surrogate pair";
            Failure::Text(format!("at character {place}: {expected}"), Some(place))
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Text> {
        let py = object.py();
        match object.extract::<PyBackedStr>() {
            Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => {
                let start: usize = error.value(py).getattr("start")?.extract()?;
                Ok(Text(Err(start + 1)))
            }
            text => Ok(Text(Ok(text?))),
        }
    }
}

fn read_rules(name: &str) -> Result<RuleSet, Failure> {
    name.parse().map_err(|error: ParseRuleSetError| Failure::Argument(error.to_string()))
}

fn read_material(text: &str) -> Result<Material, Failure> {
    text.parse().map_err(|error: MaterialError| Failure::Argument(error.to_string()))
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
    fn open(&self) -> Result<Arc<Tablebase>, Failure> {
        self.held().ok_or_else(closed)
    }

    fn held(&self) -> Option<Arc<Tablebase>> {
        self.tables.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    fn add(&self, folder: PathBuf) -> Result<usize, Failure> {
        let _one = self.adding.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut tables = Tablebase::clone(&*self.open()?);
        let count = tables.add_directory(folder)?;
        let mut held = self.tables.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        *held.as_mut().ok_or_else(closed)? = Arc::new(tables);
        Ok(count)
    }
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
        Ok(py.detach(|| self.add(folder))?)
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
        let extent = py.detach(|| tables.extent(material)).map_err(Failure::from)?;
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
            load.materials = Some(read.collect::<Result<Vec<_>, Failure>>()?);
        }
        let report = py.detach(|| tables.load(&load));
        if let Some(error) = report.errors.into_iter().next() {
            let failure = match error {
                ProbeError::Unreadable { kind: ErrorKind::OutOfMemory, .. } => {
                    Failure::Memory(error.to_string())
                }
                error => Failure::Probe(error),
            };
            return Err(failure.into());
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
        let answer = |text: &Text| value(&tables, text);
        answer_all(py, &positions, threads, answer, |answer| {
            answers.push(match answer {
                Ok(value) => value.into_pyobject(py)?.into_any().unbind(),
                Err(failure) => PyErr::from(failure).into_value(py).into_any(),
            });
            Ok(())
        })?;
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
            let moves = tables.moves(&read_position(&position)?)?;
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
                let Some(wdl) = range.wdl() else { unreachable!("tables know who wins") };
                (plain_wdl(wdl), range.exact().and_then(Value::dtw))
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
        notation::parse_move(played.get()?, &position, rules).map_err(Failure::from)?;
    Ok((move_text(&played, &after), after.to_string()))
}

/// Does work with this many threads. They end with the call: in a process that is forked from this one, as
/// `multiprocessing` does, they would be missing.
fn with_threads<A: Send>(threads: usize, work: impl FnOnce() -> A + Send) -> PyResult<A> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?.install(work))
}

/// Finds the answers to many items with at most this many threads, and hands each on in its turn.
fn answer_all<T: Sync, A: Send>(
    py: Python<'_>,
    items: &[T],
    threads: usize,
    answer: impl Fn(&T) -> A + Sync,
    mut take: impl FnMut(A) -> PyResult<()>,
) -> PyResult<()> {
    let threads = threads.min(items.len() / WORTH_A_THREAD).max(1);
    for part in items.chunks(AT_ONCE) {
        py.check_signals()?;
        let answers = py.detach(|| match threads {
            1 => Ok(part.iter().map(&answer).collect::<Vec<A>>()),
            _ => with_threads(threads, || part.par_iter().map(&answer).collect()),
        })?;
        answers.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
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
