//! Searching a position.

use crate::{Failure, PlainStep, Tables, Text, plain_wdl};
use lasca_tablebase::notation::move_text;
use lasca_tablebase::rules::{ByColor, Color, RuleSet};
use lasca_tablebase::search::{
    Limits, LineMove, MoveRating, SearchError, Solver, Status, Stop, Watch,
};
use lasca_tablebase::{Value, Wdl};
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

/// What is to be found out, and with what.
struct Question<'a> {
    seconds: Option<Duration>,
    threads: usize,
    exact: bool,
    moves: bool,
    asker: &'a Asker,
    begun: Instant,
}

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
    let begun = Instant::now();
    let question = Question { seconds, threads, exact, moves, asker: &asker, begun };
    let found = py.detach(|| {
        let mut solver =
            Solver::new(&position, rules, tables.as_deref(), memory).map_err(exception)?;
        question.answer(&mut solver)
    })?;
    // The last word is Ctrl-C's, however short the search was.
    py.check_signals()?;
    Ok(found)
}

fn exception(error: SearchError) -> PyErr {
    match error {
        SearchError::Probe(error) => PyErr::from(Failure::Probe(error)),
        error @ SearchError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
    }
}

impl Question<'_> {
    fn limits(&self, time: Option<Duration>) -> Limits<'_> {
        Limits { time, threads: self.threads, cancelled: Some(&self.asker.cancelled) }
    }

    fn left(&self) -> Option<Duration> {
        self.seconds.map(|seconds| seconds.saturating_sub(self.begun.elapsed()))
    }

    fn answer(&self, solver: &mut Solver<'_>) -> PyResult<PlainSolution> {
        let run = solver.run(&self.limits(self.left()), self.asker);
        self.asker.raised()?;
        let mut stop = run.map_err(exception)?;
        let mut dtw = None;
        // The moves need time too; what they leave goes to the distance.
        let half = self.left().map(|left| if self.moves { left / 2 } else { left });
        self.narrow(solver, half, &mut dtw, &mut stop)?;
        let mut moves = None;
        if self.moves {
            let rated = solver.rate_moves(&self.limits(self.left()), self.asker);
            self.asker.raised()?;
            if let Some((of_moves, _)) = or_out_of_memory(rated, &mut stop)? {
                self.narrow(solver, self.left(), &mut dtw, &mut stop)?;
                stop = if stop == Stop::Solved { of_moves } else { stop };
                let position = *solver.position();
                moves = or_out_of_memory(solver.proved_moves(&position), &mut stop)?;
            }
        }
        let line = or_out_of_memory(solver.line(), &mut stop)?.unwrap_or_default();
        let at_most = or_out_of_memory(solver.at_most(), &mut stop)?.flatten();
        Ok((
            solver.wdl().map(plain_wdl),
            dtw,
            at_most.and_then(Value::dtw),
            named(solver.excluded()),
            line.iter().map(plain_step).collect(),
            moves.map(plain_moves),
            solver.status().positions,
            self.begun.elapsed().as_secs_f64(),
            match stop {
                Stop::Solved => "finished",
                Stop::Time => "time",
                Stop::Memory => "memory",
                Stop::Cancelled => "cancelled",
            },
        ))
    }

    /// Seeks the exact distance, if it is asked for, there is one, and it is not known yet. A search
    /// that was cancelled does not begin anew.
    fn narrow(
        &self,
        solver: &mut Solver<'_>,
        time: Option<Duration>,
        dtw: &mut Option<u16>,
        stop: &mut Stop,
    ) -> PyResult<()> {
        let is_decided = matches!(solver.wdl(), Some(Wdl::Win | Wdl::Loss));
        if !self.exact || dtw.is_some() || !is_decided || *stop == Stop::Cancelled {
            return Ok(());
        }
        let narrowed = solver.exact(&self.limits(time), self.asker);
        self.asker.raised()?;
        if let Some((why, bounds)) = or_out_of_memory(narrowed, stop)? {
            *dtw = bounds.and_then(|bounds| bounds.exact());
            *stop = why;
        }
        Ok(())
    }
}

/// A result that is left out if memory is not enough for it.
fn or_out_of_memory<T>(result: Result<T, SearchError>, stop: &mut Stop) -> PyResult<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(SearchError::Memory { .. }) => {
            *stop = Stop::Memory;
            Ok(None)
        }
        Err(error) => Err(exception(error)),
    }
}

fn plain_step(step: &LineMove) -> PlainStep {
    (move_text(&step.played, &step.after), step.after.to_string())
}

fn plain_moves(moves: Vec<MoveRating>) -> Vec<PlainSearched> {
    let plain = |rated: &MoveRating| {
        (
            move_text(&rated.played, &rated.after),
            rated.after.to_string(),
            rated.wdl.map(plain_wdl),
            rated.at_most.and_then(Value::dtw),
            named(rated.excluded),
        )
    };
    moves.iter().map(plain).collect()
}

fn named(sides: ByColor<bool>) -> Vec<&'static str> {
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
