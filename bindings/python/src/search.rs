//! Searching a position.

use crate::{Failure, PlainStep, Tables, Text, plain_wdl};
use lasca_tablebase::Value;
use lasca_tablebase::answer::{Answer, Follow, MoveAnswer, Question, SearchLimits, ValueRange};
use lasca_tablebase::notation::move_text;
use lasca_tablebase::rules::{Color, RuleSet};
use lasca_tablebase::search::{Limits, SearchError, Status, Stop, Watch};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How often the interpreter is asked whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// A move, the position that it leads to, its result, the plies at most, and who cannot win after it.
type PlainSearched = (String, String, Option<i8>, Option<u16>, Vec<&'static str>);

/// What a search has found: the fields of the class `Solution`.
type PlainSolution = (
    Option<i8>,
    Option<u16>,
    Option<u16>,
    Vec<&'static str>,
    Vec<PlainStep>,
    Option<Vec<PlainSearched>>,
    u64,
    f64,
    &'static str,
);

/// Searches a position.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
pub fn solve(
    py: Python<'_>,
    position: Text,
    tables: Option<&Tables>,
    rules: &str,
    seconds: Option<f64>,
    memory: u64,
    threads: usize,
    exact: bool,
    moves: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<PlainSolution> {
    let rules: RuleSet = crate::read_rules(rules)?;
    let tables = tables.map(Tables::open).transpose()?;
    let position = crate::read_position(&position)?;
    let seconds = seconds.map(Duration::try_from_secs_f64).transpose();
    let seconds = seconds.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let asker = Asker {
        progress,
        cancelled: AtomicBool::new(false),
        state: Mutex::new(State { asked: Instant::now(), error: None }),
    };
    let limits = Limits { time: seconds, threads, cancelled: Some(&asker.cancelled) };
    let search = SearchLimits { limits, memory };
    let found = py.detach(|| {
        let question = Question::new(rules, tables.as_deref());
        let question = Question { exact, moves, line: true, ..question };
        question.by_search(&position, search, &asker)
    });
    asker.raised()?;
    let found = found.map_err(exception)?;
    // The last word is Ctrl-C's, however short the search was.
    py.check_signals()?;
    Ok(plain(&found))
}

fn exception(error: SearchError) -> PyErr {
    match error {
        SearchError::Probe(error) => PyErr::from(Failure::Probe(error)),
        error @ SearchError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
    }
}

fn plain(answer: &Answer) -> PlainSolution {
    let Answer { position, value, moves, line, effort, .. } = answer;
    let (positions, time, stop) = effort.map_or((0, Duration::ZERO, Stop::Solved), |effort| {
        (effort.positions, effort.time, effort.stop)
    });
    (
        value.wdl().map(plain_wdl),
        value.exact().and_then(Value::dtw),
        value.at_most(),
        excluded(*value, position.side_to_move()),
        line.iter().flat_map(|line| line.moves.iter().map(plain_step)).collect(),
        moves.as_ref().map(|moves| moves.iter().map(plain_move).collect()),
        positions,
        time.as_secs_f64(),
        match stop {
            Stop::Solved => "finished",
            Stop::Time => "time",
            Stop::Memory => "memory",
            Stop::Cancelled => "cancelled",
        },
    )
}

fn plain_step(step: &MoveAnswer) -> PlainStep {
    (move_text(&step.played, &step.after), step.after.to_string())
}

fn plain_move(rated: &MoveAnswer) -> PlainSearched {
    let (text, after) = plain_step(rated);
    let value = rated.value;
    let excluded = excluded(value, !rated.after.side_to_move());
    (text, after, value.wdl().map(plain_wdl), value.at_most(), excluded)
}

/// The names of the sides that cannot win.
fn excluded(value: ValueRange, side_to_move: Color) -> Vec<&'static str> {
    let sides = value.excluded(side_to_move);
    Color::ALL.into_iter().filter(|&color| sides[color]).map(Color::name).collect()
}

/// Asks the interpreter now and then whether the search is to go on.
struct Asker {
    progress: Option<Py<PyAny>>,
    cancelled: AtomicBool,
    state: Mutex<State>,
}

struct State {
    asked: Instant,
    /// What the interpreter has raised.
    error: Option<PyErr>,
}

impl Asker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Passes on what the interpreter has raised.
    fn raised(&self) -> PyResult<()> {
        self.state().error.take().map_or(Ok(()), Err)
    }

    /// Whether to go on.
    fn ask(&self, py: Python<'_>, status: &Status) -> PyResult<bool> {
        // Ctrl-C, if this is the main thread.
        py.check_signals()?;
        let Some(progress) = &self.progress else { return Ok(true) };
        let answer = progress.call1(py, (status.positions, status.bytes))?;
        // Only False stops: a function that returns nothing means to go on.
        Ok(!answer.bind(py).is(pyo3::types::PyBool::new(py, false)))
    }
}

impl Watch for Asker {
    fn searching(&self, status: &Status) {
        {
            let mut state = self.state();
            if state.asked.elapsed() < ASK_EVERY || state.error.is_some() {
                return;
            }
            state.asked = Instant::now();
        }
        match Python::attach(|py| self.ask(py, status)) {
            Ok(true) => {}
            Ok(false) => self.cancelled.store(true, Ordering::Relaxed),
            Err(error) => {
                self.state().error = Some(error);
                self.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Follow for Asker {
    fn is_gone(&self) -> bool {
        self.state().error.is_some()
    }
}
