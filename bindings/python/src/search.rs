//! All that is known of a position, from tables or by search, and proofs of it in a file.

use crate::{Failure, PlainStep, Tables, Text, plain_wdl, read_position, read_rules, winner};
use lasca_tablebase::answer::{Answer, Question, SearchLimits};
use lasca_tablebase::certify::{Certificate, CertifyError};
use lasca_tablebase::notation::MoveProblem;
use lasca_tablebase::probe::{Basis, RatedMove};
use lasca_tablebase::rules::{Color, Position};
use lasca_tablebase::search::{Limits, Solver, Stop};
use lasca_tablebase::study::{self, Mark, Review, ReviewError, ReviewedPly};
use lasca_tablebase::{Progress, SearchStatus, Value, ValueRange};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How often the interpreter is asked whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Why a search ended, as Python names it.
fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Solved => "finished",
        Stop::Time => "time",
        Stop::Memory => "memory",
        Stop::Cancelled => "cancelled",
        Stop::TooManyMoves => "too many moves",
        Stop::NoDistances => "no distances",
    }
}

/// What is known of a value: the result, the exact distance, the plies at most, and who cannot win.
type PlainRange = (Option<i8>, Option<u16>, Option<u16>, Vec<&'static str>);

/// A move and the position that it leads to, its value, how it compares with the others, its line, the
/// replies that hold a draw, and the estimate of an open move.
type PlainAnswer = (
    PlainStep,
    PlainRange,
    Option<&'static str>,
    Vec<PlainStep>,
    Option<Vec<PlainStep>>,
    Option<i8>,
);

/// What is known of a position: the fields of the class `Solution`.
pub(crate) type PlainSolution =
    (PlainRange, Vec<PlainStep>, Option<Vec<PlainAnswer>>, u64, f64, &'static str);

/// What is asked, and what a search may use: the arguments that the Python functions share.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    /// A position, or games.
    text: Text,
    tables: Option<Py<Tables>>,
    rules: String,
    seconds: Option<f64>,
    memory: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
}

impl Asked {
    /// Searches the position.
    fn search<T: Send>(
        self,
        py: Python<'_>,
        search: impl FnOnce(Question, &Position, SearchLimits, &Asker) -> T + Send,
    ) -> PyResult<T> {
        let position = read_position(&self.text)?;
        self.run(py, |question, allowed, asker| search(question, &position, allowed, asker))
    }

    /// Does the work of a search without the interpreter's lock. What the interpreter has raised
    /// meanwhile comes first, and the last word is Ctrl-C's, however short the search was.
    fn run<T: Send>(
        self,
        py: Python<'_>,
        search: impl FnOnce(Question, SearchLimits, &Asker) -> T + Send,
    ) -> PyResult<T> {
        let rules = read_rules(&self.rules)?;
        let tables = self.tables.map(|tables| tables.get().open()).transpose()?;
        let time = self.seconds.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| Failure::Argument(error.to_string()))?;
        let asker = Asker {
            progress: self.progress,
            cancelled: AtomicBool::new(false),
            state: Mutex::new(State { asked: Instant::now(), error: None }),
        };
        let limits = Limits { time, threads: self.threads };
        let allowed = SearchLimits { limits, memory: self.memory };
        let question = Question::new(tables.map_or(rules.into(), Basis::from));
        let found = py.detach(|| search(question, allowed, &asker));
        asker.raised()?;
        py.check_signals()?;
        Ok(found)
    }
}

/// What is known of a position. `of_tables` asks the tables first.
#[pyfunction]
pub fn solve(
    py: Python<'_>,
    asked: Asked,
    exact: bool,
    moves: bool,
    proofs: bool,
    of_tables: bool,
) -> PyResult<PlainSolution> {
    let found = asked.search(py, |question, position, allowed, asker| {
        let question = Question { exact, moves, proofs, line: true, ..question };
        match of_tables {
            true => question.answer(position, Some(allowed), asker),
            false => question.by_search(position, allowed, asker),
        }
    })?;
    Ok(plain(&found.map_err(Failure::from)?))
}

/// The move to play, by the tables or a search.
#[pyfunction]
pub fn best_move(py: Python<'_>, asked: Asked) -> PyResult<PlainAnswer> {
    let found = asked.search(py, |question, position, allowed, asker| {
        Question::for_play(question.basis, position, Some(allowed), asker)
    })?;
    let answer = found.map_err(Failure::from)?;
    let best = answer.best_move().map(|best| &best.after);
    let mut moves = answer.moves.iter().flatten().enumerate();
    match moves.find(|(_, rated)| Some(&rated.after) == best) {
        Some((number, rated)) => Ok(plain_move(&answer, number, rated)),
        None => {
            let side_to_move = answer.position.side_to_move();
            Err(Failure::Move(MoveProblem::GameOver { side_to_move }.into()).into())
        }
    }
}

/// The text of a certificate, the winner, the plies, whether they are exact, and the number of
/// positions.
type PlainCertificate = (String, Option<&'static str>, Option<u16>, bool, usize);

/// Proves the value of a position.
#[pyfunction]
pub fn certify(py: Python<'_>, asked: Asked, max_positions: usize) -> PyResult<PlainCertificate> {
    let found =
        asked.search(py, |question, position, SearchLimits { limits, memory }, asker| {
            let run = |solver: &mut Solver| solver.run(&limits, asker);
            Certificate::prove(position, question.basis, max_positions, memory, run)
        })?;
    let certificate = found.map_err(|error| match error {
        CertifyError::Probe(error) => error.into(),
        CertifyError::Search(error) => error.into(),
        CertifyError::TooLarge { .. } => Failure::Argument(error.to_string()),
        error => Failure::Open(error.to_string()),
    })?;
    let mut text = Vec::new();
    certificate.write_text(&mut text)?;
    let winner = winner(certificate.outcome());
    let (plies, is_exact) = (certificate.value().at_most(), certificate.value().exact().is_some());
    let positions = certificate.strategies().iter().map(|strategy| strategy.len()).sum();
    Ok((String::from_utf8(text)?, winner, plies, is_exact, positions))
}

/// A position of a game: its number and text, what is known of it, the move that was played and its mark, and
/// a better line.
type PlainPly = (String, String, PlainRange, Option<String>, Option<&'static str>, Vec<PlainStep>);

/// The title of a game, its review as a study, the first ply from which on all results are known, and its
/// positions.
type PlainReview = (Option<String>, String, Option<usize>, Vec<PlainPly>);

/// Finds out who is winning at each ply of games.
#[pyfunction]
pub fn review(py: Python<'_>, asked: Asked, total: Option<f64>) -> PyResult<Vec<PlainReview>> {
    let games = study::parse(asked.text.get()?).map_err(Failure::Study)?;
    let total = total.map(Duration::try_from_secs_f64).transpose();
    let total = total.map_err(|error| Failure::Argument(error.to_string()))?;
    let reviews: Result<Vec<Review>, ReviewError> = asked.run(py, |question, allowed, asker| {
        let of = |game| study::review(game, &question.basis, Some(allowed), total, asker);
        games.iter().map(of).collect()
    })?;
    let reviews = reviews.map_err(|error| match error {
        ReviewError::Search(error) => error.into(),
        error => Failure::Game(error),
    })?;
    Ok(reviews.iter().map(plain_review).collect())
}

fn plain_review(review: &Review) -> PlainReview {
    let plain_ply = |ply: &ReviewedPly| {
        let played = ply.played.as_ref();
        (
            ply.number.to_string(),
            ply.position.to_string(),
            plain_range(ply.value, ply.position.side_to_move()),
            played.map(|played| played.rated.to_string()),
            played.and_then(|played| played.mark).map(Mark::symbol),
            played.iter().flat_map(|played| played.better.moves.iter().map(plain_step)).collect(),
        )
    };
    let plies = review.plies.iter().map(plain_ply).collect();
    (review.title.clone(), review.to_string(), review.known_from(), plies)
}

pub(crate) fn plain(answer: &Answer) -> PlainSolution {
    let Answer { position, value, moves, line, effort, .. } = answer;
    let (positions, time, stop) = effort.map_or((0, Duration::ZERO, Stop::Solved), |effort| {
        (effort.positions, effort.time, effort.stop)
    });
    let plain_move = |(number, rated)| plain_move(answer, number, rated);
    (
        plain_range(*value, position.side_to_move()),
        line.iter().flat_map(|line| line.moves.iter().map(plain_step)).collect(),
        moves.as_ref().map(|moves| moves.iter().enumerate().map(plain_move).collect()),
        positions,
        time.as_secs_f64(),
        stop_name(stop),
    )
}

/// The move of an answer with this number.
fn plain_move(answer: &Answer, number: usize, rated: &RatedMove) -> PlainAnswer {
    let proof = answer.proof_of(number);
    let steps = |moves: &[RatedMove]| moves.iter().map(plain_step).collect();
    (
        plain_step(rated),
        plain_range(rated.value, answer.position.side_to_move()),
        proof.and_then(|proof| proof.standing).map(|standing| standing.name()),
        proof.map_or_else(Vec::new, |proof| steps(&proof.line.moves)),
        proof.and_then(|proof| proof.holding.as_deref()).map(steps),
        answer.estimate_of(number),
    )
}

fn plain_step(step: &RatedMove) -> PlainStep {
    (step.to_string(), step.after.to_string())
}

/// What is known of the value of this side.
fn plain_range(value: ValueRange, side: Color) -> PlainRange {
    let sides = value.excluded(side);
    let excluded = Color::ALL.into_iter().filter(|&color| sides[color]).map(Color::name).collect();
    (value.wdl().map(plain_wdl), value.exact().and_then(Value::dtw), value.at_most(), excluded)
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
    fn ask(&self, py: Python<'_>, status: &SearchStatus) -> PyResult<bool> {
        // Ctrl-C, if this is the main thread.
        py.check_signals()?;
        let Some(progress) = &self.progress else { return Ok(true) };
        let answer = progress.call1(py, (status.positions, status.bytes))?;
        // Only False stops: a function that returns nothing means to go on.
        Ok(!answer.bind(py).is(pyo3::types::PyBool::new(py, false)))
    }
}

impl Progress for Asker {
    fn searching(&self, status: &SearchStatus) {
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

    fn should_stop(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
