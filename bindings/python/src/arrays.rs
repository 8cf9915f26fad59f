//! Positions of officers as arrays of small numbers: many at once, without a Python object for each.
//!
//! A board is 25 pairs of bytes, one for each square in Lasker's order. The first is the number of
//! officers on top, positive for White's and negative for Black's; the second is the number of prisoners
//! beneath. Both are 0 on an empty square.

use crate::{Failure, Tables, Text, answer_all, plain_wdl, read_position};
use lasca_tablebase::Value;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, Placement, Position, Square, SquareSet};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::num::NonZero;

/// The bytes of a board.
const BOARD: usize = 2 * Square::COUNT;

/// A board, and whether Black is to move.
type Row<'a> = (&'a [u8; BOARD], u8);

/// The result of a position that the tables do not cover.
const UNKNOWN: i8 = i8::MIN;

/// Names the row of a board that is no position.
fn at_row(row: usize) -> impl Fn(Failure) -> Failure {
    move |failure| match failure {
        Failure::Argument(why) => Failure::Argument(format!("at row {row}: {why}")),
        failure => failure,
    }
}

/// The position of a row, as its side to move sees it.
fn read(board: &[u8], black_to_move: bool) -> Result<OfficerPosition, Failure> {
    let mut placement = Placement { mover: SquareSet::EMPTY, other: SquareSet::EMPTY };
    let (mut mover, mut other) = ([0; Square::COUNT], [0; Square::COUNT]);
    let mut counters = 0;
    for (square, pair) in Square::all().zip(board.as_chunks::<2>().0) {
        let [top, prisoners] = pair.map(u8::cast_signed);
        if (top, prisoners) == (0, 0) {
            continue;
        }
        if top == 0 || prisoners < 0 {
            return Err(Failure::Argument(format!(
                "expected officers on top of {square} and at least 0 prisoners beneath, found {top} \
                 and {prisoners}"
            )));
        }
        let (i, own, prisoners) = (square.index(), top.unsigned_abs(), prisoners as u8);
        counters += usize::from(own) + usize::from(prisoners);
        if (top < 0) == black_to_move {
            placement.mover.insert(square);
            (mover[i], other[i]) = (own, prisoners);
        } else {
            placement.other.insert(square);
            (mover[i], other[i]) = (prisoners, own);
        }
    }
    let most = Position::MAX_COUNTERS;
    if !(1..=most).contains(&counters) {
        return Err(Failure::Argument(format!("expected 1 to {most} counters, found {counters}")));
    }
    OfficerPosition::new(placement, mover, other)
        .ok_or_else(|| Failure::Argument("expected a position of officers".to_owned()))
}

/// The board of a position of officers.
fn write(position: &Position) -> Result<[u8; BOARD], Failure> {
    OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
    let mut board = [0; BOARD];
    for (square, column) in position.columns() {
        let counts = column.own_and_prisoners().zip(column.owner());
        let Some(((own, prisoners), owner)) = counts else { continue };
        // A position has 22 counters at most.
        let own = own as i8;
        let top = if owner == Color::White { own } else { -own };
        board[2 * square.index()] = top as u8;
        board[2 * square.index() + 1] = prisoners as u8;
    }
    Ok(board)
}

/// The boards of positions, and for each a byte that is 1 if Black is to move.
#[pyfunction]
pub fn to_arrays<'py>(
    py: Python<'py>,
    positions: Vec<Text>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let mut boards = Vec::with_capacity(positions.len() * BOARD);
    let mut black = Vec::with_capacity(positions.len());
    for text in &positions {
        let position = read_position(text)?;
        boards.extend(write(&position)?);
        black.push(u8::from(position.side_to_move() == Color::Black));
    }
    Ok((PyBytes::new(py, &boards), PyBytes::new(py, &black)))
}

/// The positions of boards, as text.
#[pyfunction]
pub fn from_arrays(boards: &[u8], black: &[u8]) -> PyResult<Vec<String>> {
    let rows = boards.as_chunks::<BOARD>().0.iter().zip(black).enumerate();
    let texts = rows.map(|(row, (board, &black))| {
        let side = if black != 0 { Color::Black } else { Color::White };
        let officers = read(board, black != 0).map_err(at_row(row))?;
        // A row that could be read is a position.
        Ok(officers.to_position(side).map_or_else(String::new, |position| position.to_string()))
    });
    texts.collect()
}

/// The results of boards as bytes, and their distances as numbers of two bytes in the machine's order:
/// -1 for a draw, or without `dtw`. With `return_unknown`, the result of a position that the tables do not
/// cover is -128, and its distance -1.
#[pyfunction]
pub fn probe_arrays<'py>(
    py: Python<'py>,
    tables: &Tables,
    boards: &[u8],
    black: &[u8],
    dtw: bool,
    return_unknown: bool,
    threads: usize,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let tables = tables.open()?;
    let boards = boards.as_chunks::<BOARD>().0;
    let rows: Vec<Row> = boards.iter().zip(black.iter().copied()).collect();
    let answer = |&(board, black): &Row| match read(board, black != 0)
        .and_then(|position| value(&tables, &position, dtw))
    {
        Err(Failure::Probe(error)) if return_unknown && error.is_not_covered() => Ok((UNKNOWN, -1)),
        other => other,
    };
    // Of these together, any that is not known is asked for again, for its error.
    let answer_some = |rows: &[Row]| match known_values(&tables, rows, dtw) {
        Some(answers) => answers.into_iter().map(Ok).collect(),
        None => rows.iter().map(answer).collect(),
    };
    let (mut wdls, mut dtws) = (Vec::new(), Vec::new());
    answer_all(py, &rows, threads, None, answer_some, |answer| {
        let (wdl, plies) = answer.map_err(at_row(wdls.len()))?;
        wdls.push(wdl as u8);
        dtws.extend(plies.to_ne_bytes());
        Ok(())
    })?;
    Ok((PyBytes::new(py, &wdls), PyBytes::new(py, &dtws)))
}

/// As [`value`] of many boards at once; `None` if one of them has none.
fn known_values(tables: &Tablebase, rows: &[Row], dtw: bool) -> Option<Vec<(i8, i16)>> {
    let read = |&(board, black): &Row| read(board, black != 0).ok();
    let positions: Vec<OfficerPosition> = rows.iter().map(read).collect::<Option<_>>()?;
    let one = Some(NonZero::<usize>::MIN);
    if !dtw {
        let wdls = tables.many_wdls(&positions, one).ok()?;
        return wdls.into_iter().map(|wdl| Some((plain_wdl(wdl?), -1))).collect();
    }
    let values = tables.many_values(&positions, one).ok()?;
    values.into_iter().map(|value| plain(value?).ok()).collect()
}

/// The result of a position, and its distance, which is -1 for a draw and if it is not asked for.
fn value(tables: &Tablebase, position: &OfficerPosition, dtw: bool) -> Result<(i8, i16), Failure> {
    if !dtw {
        return Ok((plain_wdl(tables.officers_wdl(position)?), -1));
    }
    plain(tables.officers_value(position)?)
}

fn plain(value: Value) -> Result<(i8, i16), Failure> {
    let plies = value.dtw().map_or(Ok(-1), i16::try_from);
    let plies =
        plies.map_err(|_| Failure::Argument(format!("{value} does not fit into two bytes")))?;
    Ok((plain_wdl(value.wdl()), plies))
}
