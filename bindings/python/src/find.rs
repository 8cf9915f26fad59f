//! Finding positions that authors look for.

use crate::interruptible::interruptible;
use crate::{Failure, Tables, at_most, pool, read_material, step, text};
use lasca_analysis::answer::json::{Answer, RatedStep, line_end};
use lasca_analysis::find::{Defence, Filter, Find, Practice, positions};
use lasca_tablebase::{Silent, Wdl};
use pyo3::prelude::*;
use serde::Serialize;

/// Positions of a material, the most striking first.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
pub fn find(
    py: Python<'_>,
    tables: &Tables,
    material: &str,
    result: Option<i8>,
    plies: Option<(u16, u16)>,
    only_moves: usize,
    every_defence: bool,
    quiet_only: bool,
    columns: (usize, usize),
    limit: usize,
    threads: usize,
) -> PyResult<String> {
    let (tables, material) = (tables.open()?, read_material(material)?);
    let filter = Filter {
        result: result.map(|number| match number {
            ..0 => Wdl::Loss,
            0 => Wdl::Draw,
            1.. => Wdl::Win,
        }),
        plies: plies.map(|(least, most)| least..=most),
        only_moves,
        defence: if every_defence { Defence::Every } else { Defence::Best },
        quiet: quiet_only,
        columns: columns.0..=columns.1,
        limit,
        ..Filter::default()
    };
    let threads = pool(at_most(threads).get())?;
    let found = interruptible(py, None, |progress| {
        threads.install(|| positions(&tables, material, &filter, progress))
    })?;
    told(&found.map_err(Failure::from)?)
}

/// Endings of a material to practise, picked at random.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
pub fn practice(
    py: Python<'_>,
    tables: &Tables,
    material: &str,
    draw: bool,
    plies: (u16, u16),
    choices: (usize, usize),
    seed: u64,
    limit: usize,
) -> PyResult<String> {
    let (tables, material) = (tables.open()?, read_material(material)?);
    let practice = Practice {
        result: if draw { Wdl::Draw } else { Wdl::Win },
        choices: choices.0..=choices.1,
        plies: plies.0..=plies.1,
        limit,
        ..Practice::default()
    };
    let picked = py.detach(|| practice.pick(&tables, material, seed, &Silent));
    told(&picked.map_err(Failure::from)?.endings)
}

/// A position that was found, for JSON.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    answer: Answer,
    only_moves: usize,
    choices: usize,
}

fn told(found: &[Find]) -> PyResult<String> {
    let told = found.iter().map(|find| {
        let moves = find.solution.moves.iter().zip(&find.standings);
        let step = |(rated, &standing)| RatedStep { standing: Some(Some(standing)), ..step(rated) };
        let answer = Answer {
            line: Some(moves.map(step).collect()),
            line_end: Some(find.solution.end.map(line_end)),
            ..Answer::brief(&find.position, find.value)
        };
        Told { answer, only_moves: find.only_moves, choices: find.choices }
    });
    text(&told.collect::<Vec<_>>())
}
