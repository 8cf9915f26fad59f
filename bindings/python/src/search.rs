//! All that is known of a position, from tables or by search, and proofs of it in a file.

use crate::interruptible::{Messages, interruptible};
use crate::make::limits;
use crate::{Failure, Tables, Text, at_most, read_position, read_rules, read_seconds, step, text};
use lasca_analysis::answer::json::{self, Known};
use lasca_analysis::answer::{Answer, Question, SearchLimits, Searched, plan_for, search_and_make};
use lasca_analysis::certify::{Certificate, CertifyError};
use lasca_analysis::search::{Budget, Solver};
use lasca_analysis::study::{self, Mark, Review, ReviewError, ReviewedPly};
use lasca_tablebase::Silent;
use lasca_tablebase::notation::TextError;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::Position;
use pyo3::prelude::*;
use serde_json::json;

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
    /// How long making the table that the answer needs may take.
    make: f64,
    progress: Option<Py<PyAny>>,
}

impl Asked {
    /// Searches the position, and makes the table that the answer needs, if that is allowed. If making it fails,
    /// the search goes without it.
    fn search<T: Searched + Send>(
        self,
        py: Python<'_>,
        search: impl Fn(Question, &Position, SearchLimits, &Messages) -> T + Send + Sync,
    ) -> PyResult<T> {
        let position = &read_position(&self.text)?;
        let limits = &limits(self.make, self.memory, self.threads)?;
        let has_tables = self.tables.is_some();
        self.run(py, |question, allowed, progress| {
            let ask = |allowed| search(question.clone(), position, allowed, progress);
            let tables = &question.tables;
            let plan = || plan_for(tables, position, limits, Some(allowed));
            let plan = has_tables.then(plan).flatten();
            search_and_make(position, plan, allowed, ask, |plan| {
                let _ = tables.make(plan, progress);
            })
        })
    }

    /// What the search may use.
    fn allowed(&self) -> Result<SearchLimits, Failure> {
        let time = self.seconds.map(read_seconds).transpose()?;
        let (threads, memory) = (at_most(self.threads).get(), self.memory);
        Ok(SearchLimits { time, threads, memory, ..SearchLimits::default() })
    }

    /// Does the work of a search, with what it may use.
    fn run<T: Send>(
        self,
        py: Python<'_>,
        search: impl Fn(&Question, SearchLimits, &Messages) -> T + Send + Sync,
    ) -> PyResult<T> {
        let rules = read_rules(&self.rules)?;
        let allowed = self.allowed()?;
        let tables = self.tables.map(|tables| tables.get().open()).transpose()?;
        let question = Question::new(tables.map_or(rules.into(), Tablebase::from));
        interruptible(py, self.progress.as_ref(), |messages| search(&question, allowed, messages))
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
) -> PyResult<String> {
    let answer = asked.search(py, |question, position, allowed, progress| {
        let question = Question { exact, moves, proofs, line: true, ..question };
        match of_tables {
            true => question.answer(position, Some(allowed), progress),
            false => question.by_search(position, allowed, progress),
        }
    })?;
    found(&answer.map_err(Failure::from)?)
}

/// The move to play, by the tables or a search.
#[pyfunction]
pub fn best_move(py: Python<'_>, asked: Asked, before: Vec<Text>) -> PyResult<String> {
    let before = before.iter().map(read_position).collect::<Result<Vec<_>, _>>()?;
    let answer = asked.search(py, |question, position, allowed, progress| {
        Question::for_play(question.tables, position, Some(allowed), progress)
    })?;
    let answer = answer.map_err(Failure::from)?.in_game(before);
    if answer.best_move().is_none() {
        let side_to_move = answer.position.side_to_move();
        return Err(Failure::Text(TextError::game_over(side_to_move)).into());
    }
    found(&answer)
}

/// Proves the value of a position.
#[pyfunction]
pub fn certify(py: Python<'_>, asked: Asked, max_positions: usize) -> PyResult<String> {
    let found = asked.search(py, |question, position, allowed, progress| {
        let budget = Budget::new(allowed.time, allowed.threads, progress);
        let run = |solver: &mut Solver| solver.run(&budget);
        Certificate::prove(position, question.tables, max_positions, allowed.memory, run)
    })?;
    let certificate = found.map_err(|error| match error {
        CertifyError::Probe(error) => error.into(),
        CertifyError::TooLarge { .. } => Failure::Argument(error.to_string()),
        error => Failure::Open(error.to_string()),
    })?;
    let mut written = Vec::new();
    certificate.write_text(&mut written)?;
    text(&json!({
        "text": String::from_utf8(written)?,
        "winner": certificate.outcome().winner(),
        "at_most": certificate.value().at_most(),
        "exact": certificate.value().exact().is_some(),
        "positions": certificate.strategies().iter().map(|strategy| strategy.len()).sum::<usize>(),
    }))
}

/// Finds out who is winning at each ply of games.
#[pyfunction]
pub fn review(py: Python<'_>, asked: Asked, total: Option<f64>) -> PyResult<String> {
    let games = study::parse(&asked.text.0).map_err(Failure::Study)?;
    let total = total.map(read_seconds).transpose()?;
    let reviews: Result<Vec<Review>, ReviewError> =
        asked.run(py, |question, allowed, progress| {
            let of = |game| study::review(game, &question.tables, Some(allowed), total, progress);
            games.iter().map(of).collect()
        })?;
    all_told(reviews)
}

/// Reads games: the same, but nothing is found out.
#[pyfunction]
pub fn games(games: Text, rules: &str) -> PyResult<String> {
    let (games, rules) = (study::parse(&games.0).map_err(Failure::Study)?, read_rules(rules)?);
    let of = |game| study::review(game, rules, None, None, &Silent);
    all_told(games.iter().map(of).collect())
}

fn all_told(reviews: Result<Vec<Review>, ReviewError>) -> PyResult<String> {
    let reviews = reviews.map_err(|error| match error {
        ReviewError::Search(error) => error.into(),
        error => Failure::Game(error),
    })?;
    text(&reviews.iter().map(told).collect::<Vec<_>>())
}

fn told(review: &Review) -> serde_json::Value {
    let ply = |ply: &ReviewedPly| {
        let played = ply.played.as_ref();
        let better = played.iter().flat_map(|played| played.better.moves.iter().map(step));
        json!({
            "number": ply.number.to_string(),
            "position": ply.position,
            "value": Known::new(ply.value, Some(ply.position.side_to_move())),
            "move": played.map(|played| played.rated.to_string()),
            "mark": played.and_then(|played| played.mark).map(Mark::symbol),
            "better": better.collect::<Vec<_>>(),
        })
    };
    json!({
        "title": review.title,
        "text": review.to_string(),
        "known_from": review.known_from(),
        "plies": review.plies.iter().map(ply).collect::<Vec<_>>(),
    })
}

/// An answer as JSON. Of what tables have answered too, it tells all that is known.
fn found(answer: &Answer) -> PyResult<String> {
    let known = |value| Some(Known::new(value, Some(answer.position.side_to_move())));
    let mut told = json::Answer::new(answer);
    told.value = known(answer.value);
    let moves = told.moves.iter_mut().flatten().zip(answer.moves.iter().flatten());
    moves.for_each(|(told, rated)| told.value = known(rated.value));
    told.positions.get_or_insert(0);
    told.seconds.get_or_insert(0.0);
    // Python has a word for each reason, also if all is found.
    told.stop.get_or_insert("finished");
    text(&told)
}
