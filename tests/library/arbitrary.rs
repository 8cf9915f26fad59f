//! Random positions for the property tests.

use lasca_tablebase::rules::{Color, Column, Counter, CounterKind, Position, Square, SquareSet};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// Either side.
pub fn colors() -> impl Strategy<Value = Color> {
    select(&Color::ALL[..])
}

/// Positions with soldiers and officers in any order, half of them such that one column has a good
/// many others to jump.
pub fn positions() -> impl Strategy<Value = Position> {
    prop_oneof![scattered(), hunted()]
}

fn counters() -> impl Strategy<Value = Counter> {
    (colors(), select(&[CounterKind::Soldier, CounterKind::Officer][..]))
        .prop_map(|(color, kind)| Counter { color, kind })
}

fn columns() -> impl Strategy<Value = Column> {
    vec(counters(), 1..=3).prop_map(|counters| Column::from_counters(counters).unwrap())
}

fn scattered() -> impl Strategy<Value = Position> {
    subsequence(Square::all().collect::<Vec<_>>(), 1..=7)
        .prop_flat_map(|squares| {
            let height = squares.len();
            (Just(squares), vec(columns(), height), colors())
        })
        .prop_map(|(squares, columns, side)| position(squares.into_iter().zip(columns), side))
}

/// A column of the side to move, and up to six of the other side's on squares that it may jump.
/// Six keep the number of chains small where squares may be jumped again.
fn hunted() -> impl Strategy<Value = Position> {
    let jumpable = SquareSet::INTERIOR.into_iter().collect::<Vec<_>>();
    (select(Square::all().collect::<Vec<_>>()), columns(), subsequence(jumpable, 1..=6), colors())
        .prop_map(|(hunter, column, squares, side)| {
            // What a column jumps stands on the other diagonal lattice.
            let prey =
                squares.into_iter().filter(move |square| square.rank() % 2 != hunter.rank() % 2);
            (hunter, column, prey.collect::<Vec<_>>(), side)
        })
        .prop_flat_map(|(hunter, column, prey, side)| {
            let height = prey.len();
            (Just((hunter, column, prey, side)), vec(columns(), height))
        })
        .prop_map(|((hunter, column, prey, side), columns)| {
            let hunter = (hunter, commanded_by(column, side));
            let prey = prey.into_iter().zip(columns.into_iter().map(|c| commanded_by(c, !side)));
            position(std::iter::once(hunter).chain(prey), side)
        })
}

/// The column, or the same with its colours exchanged.
fn commanded_by(column: Column, color: Color) -> Column {
    if column.owner() == Some(color) { column } else { column.swap_colors() }
}

/// The position with these columns.
pub fn position(columns: impl IntoIterator<Item = (Square, Column)>, side: Color) -> Position {
    let mut board = [Column::EMPTY; Square::COUNT];
    for (square, column) in columns {
        board[square.index()] = column;
    }
    Position::new(board, side).unwrap()
}
