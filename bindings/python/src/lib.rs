//! The module `lasca_tb._native`: the calls of the Python package `lasca_tb` into the Rust library.
//!
//! It returns plain tuples and text. The classes that users see, with their documentation, are written
//! in Python, in `python/lasca_tb`. Long calls release the interpreter's lock.

use lasca_tablebase::Value;
use lasca_tablebase::index::{Material, MaterialError};
use lasca_tablebase::notation::{ParsePositionError, move_text};
use lasca_tablebase::probe::{
    FolderError, LineEnd, Load, Options, ProbeError, RatedMove, Tablebase,
};
use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet};
use lasca_tablebase::table::Access;
use pyo3::exceptions::{PyMemoryError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};

mod search;

/// The exceptions, which are defined in Python.
mod errors {
    #![allow(missing_docs, reason = "the macro writes its own")]
    pyo3::import_exception!(lasca_tb._errors, Error);
    pyo3::import_exception!(lasca_tb._errors, ParseError);
    pyo3::import_exception!(lasca_tb._errors, NotInTablesError);
    pyo3::import_exception!(lasca_tb._errors, BeyondColumnsError);
    pyo3::import_exception!(lasca_tb._errors, MissingTableError);
    pyo3::import_exception!(lasca_tb._errors, DamagedTableError);
    pyo3::import_exception!(lasca_tb._errors, ReadError);
}

/// How many positions a bulk call answers before it checks whether the user wants to stop it.
const AT_ONCE: usize = 1 << 16;

/// How many positions each thread must have to be worth starting.
const WORTH_A_THREAD: usize = 256;

/// Win, draw or loss, and the distance in plies.
type PlainValue = (&'static str, Option<u16>);

/// A move, the position that it leads to, and its value.
type PlainMove = (String, String, PlainValue);

/// What is loaded: the materials with win, draw or loss, those with distances, those left out, and the
/// bytes of memory.
type PlainLoaded = (Vec<String>, Vec<String>, Vec<String>, u64);

/// Why there is no answer.
enum Failure {
    Surrogate(usize),
    Text(ParsePositionError),
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
        let error = match failure {
            Failure::Surrogate(place) => {
                return errors::ParseError::new_err(format!(
                    "at character {place}: expected a text in Unicode, found half of a surrogate pair"
                ));
            }
            Failure::Text(error) => return errors::ParseError::new_err(error.to_string()),
            Failure::Probe(error) => error,
        };
        let text = error.to_string();
        match error {
            ProbeError::NotOfficers(_) | ProbeError::Material(_) => {
                errors::NotInTablesError::new_err(text)
            }
            ProbeError::BeyondColumns { .. } => errors::BeyondColumnsError::new_err(text),
            ProbeError::MissingTable { .. }
            | ProbeError::MissingDtw { .. }
            | ProbeError::OtherRules { .. } => errors::MissingTableError::new_err(text),
            ProbeError::WrongTable { .. }
            | ProbeError::Damaged { .. }
            | ProbeError::Inconsistent { .. } => errors::DamagedTableError::new_err(text),
            ProbeError::Unreadable { .. } => errors::ReadError::new_err(text),
            _ => errors::Error::new_err(text),
        }
    }
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

fn plain_value(value: Value) -> PlainValue {
    (value.wdl().name(), value.dtw())
}

fn plain_move(rated: &RatedMove) -> PlainMove {
    let text = move_text(&rated.played, &rated.after);
    (text, rated.after.to_string(), plain_value(rated.value))
}

fn value(tables: &Tablebase, text: &Text) -> Result<PlainValue, Failure> {
    Ok(plain_value(tables.value(&text.get()?.parse()?)?))
}

/// Reads a position, and checks that tables can cover it. Without the check, a position that no table
/// covers would have an empty list of moves if the side to move is blocked.
fn read_for_moves(text: &Text) -> Result<Position, Failure> {
    let position: Position = text.get()?.parse()?;
    if position.both_command() {
        OfficerPosition::try_from(&position).map_err(ProbeError::NotOfficers)?;
    }
    Ok(position)
}

/// Open tables.
#[pyclass(frozen, module = "lasca_tb._native")]
struct Tables {
    /// `None` after closing.
    tables: RwLock<Option<Arc<Tablebase>>>,
}

impl Tables {
    /// The tables, for the time of one call. If they are closed meanwhile, the call still has them.
    fn open(&self) -> PyResult<Arc<Tablebase>> {
        let held = self.tables.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        held.clone().ok_or_else(|| PyValueError::new_err("the tablebase is closed"))
    }
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
        let options = Options::default().with_cache(cache_bytes).with_access(access);
        let mut tables = Tablebase::with_options(rules, options);
        let added = py.detach(|| {
            folders.iter().try_for_each(|folder| tables.add_directory(folder).map(|_| ()))
        });
        added.map_err(|error: FolderError| errors::ReadError::new_err(error.to_string()))?;
        Ok(Tables { tables: RwLock::new(Some(Arc::new(tables))) })
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
        self.tables.read().unwrap_or_else(|poisoned| poisoned.into_inner()).is_none()
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
        let tables = self.open()?;
        let material: Material = material
            .parse()
            .map_err(|error: MaterialError| PyValueError::new_err(error.to_string()))?;
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
        let mut load = Load::default().with_dtw(dtw).with_limit(max_bytes);
        if let Some(threads) = threads {
            load = load.with_threads(threads);
        }
        if let Some(materials) = materials {
            let read = |text: &String| text.parse::<Material>();
            let read: Result<Vec<Material>, _> = materials.iter().map(read).collect();
            load = load
                .with_materials(&read.map_err(|error| PyValueError::new_err(error.to_string()))?);
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

    fn wdl(&self, py: Python<'_>, position: Text) -> PyResult<&'static str> {
        let tables = self.open()?;
        let wdl =
            py.detach(|| -> Result<_, Failure> { Ok(tables.wdl(&position.get()?.parse()?)?) });
        Ok(wdl?.name())
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
            for answer in py.detach(|| answer_all(&tables, part, threads)) {
                answers.push(match answer {
                    Ok(value) => value.into_pyobject(py)?.into_any().unbind(),
                    Err(failure) => PyErr::from(failure).into_value(py).into_any(),
                });
            }
        }
        Ok(answers)
    }

    fn moves(&self, py: Python<'_>, position: Text) -> PyResult<Vec<PlainMove>> {
        let tables = self.open()?;
        let moves = py.detach(|| -> Result<_, Failure> {
            let moves = tables.moves(&read_for_moves(&position)?)?;
            Ok(moves.iter().map(plain_move).collect())
        });
        Ok(moves?)
    }

    /// The moves of best play, and the colour of the winner if a side wins.
    fn best_line(
        &self,
        py: Python<'_>,
        position: Text,
    ) -> PyResult<(Vec<PlainMove>, Option<&'static str>)> {
        let tables = self.open()?;
        let line = py.detach(|| -> Result<_, Failure> {
            let line = tables.best_line(&position.get()?.parse()?)?;
            let winner = match line.end {
                LineEnd::GameOver { winner } => Some(winner.name()),
                LineEnd::Repetition => None,
            };
            Ok((line.moves.iter().map(plain_move).collect(), winner))
        });
        Ok(line?)
    }
}

/// The values of positions, found by at most this many threads.
///
/// The threads are started for the call. A pool of threads would be missing in a process that is forked
/// from this one, as `multiprocessing` does.
fn answer_all(
    tables: &Tablebase,
    positions: &[Text],
    threads: usize,
) -> Vec<Result<PlainValue, Failure>> {
    let answer = |part: &[Text]| -> Vec<Result<PlainValue, Failure>> {
        part.iter().map(|text| value(tables, text)).collect()
    };
    let threads = threads.min(positions.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return answer(positions);
    }
    let parts = positions.chunks(positions.len().div_ceil(threads));
    std::thread::scope(|scope| {
        let at_work: Vec<_> = parts.map(|part| scope.spawn(|| answer(part))).collect();
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
    use super::search::solve;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
