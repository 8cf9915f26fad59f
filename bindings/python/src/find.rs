//! Finding positions that authors look for.

use crate::{
    Failure, PlainValue, Tables, plain_move, plain_value, read_material, winner, with_threads,
};
use lasca_tablebase::find::{Defence, Filter, Find, Practice, positions};
use lasca_tablebase::{Silent, Wdl};
use pyo3::prelude::*;

/// A move of a solution with its value, and how it compares with the others.
type PlainTurn = (crate::PlainMove, &'static str);

/// A position, its value, the turns of only moves, the choices, the solution, and the winner at its end.
type PlainFind = (String, PlainValue, usize, usize, Vec<PlainTurn>, Option<&'static str>);

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
) -> PyResult<Vec<PlainFind>> {
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
    let positions = || positions(&tables, material, &filter, &Silent);
    let found = py.detach(|| with_threads(threads, positions))?.map_err(Failure::from)?;
    Ok(plain(found))
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
) -> PyResult<Vec<PlainFind>> {
    let (tables, material) = (tables.open()?, read_material(material)?);
    let practice = Practice {
        result: if draw { Wdl::Draw } else { Wdl::Win },
        choices: choices.0..=choices.1,
        plies: plies.0..=plies.1,
        limit,
    };
    let picked = py.detach(|| practice.pick(&tables, material, seed, &Silent));
    Ok(plain(picked.map_err(Failure::from)?.endings))
}

fn plain(found: Vec<Find>) -> Vec<PlainFind> {
    let plain = found.into_iter().map(|find| {
        let winner = find.solution.end.and_then(winner);
        let standings = find.standings.iter().map(|standing| standing.name());
        let solution: Vec<PlainTurn> =
            find.solution.moves.iter().map(plain_move).zip(standings).collect();
        let position = find.position.to_string();
        (position, plain_value(find.value), find.only_moves, find.choices, solution, winner)
    });
    plain.collect()
}
