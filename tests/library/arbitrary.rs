//! Positions and texts that look like chance, for what holds for all of them.

use crate::common::numbers::Numbers;
use lasca_tablebase::rules::{Color, Column, Counter, CounterKind, Position, Square, SquareSet};
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How many positions or texts are tried.
pub const TRIALS: usize = 600;

/// Calls `check` with so many things that `make` makes, and shows the one for which it panics.
pub fn for_each<T: Debug>(trials: usize, make: impl Fn(&mut Numbers) -> T, check: impl Fn(&T)) {
    let mut numbers = Numbers(1);
    for _ in 0..trials {
        let made = make(&mut numbers);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&made))) {
            eprintln!("this fails for {made:?}");
            resume_unwind(panic);
        }
    }
}

/// A position with soldiers and officers in any order. In half of them, one column has a good many others
/// to jump.
pub fn any_position(numbers: &mut Numbers) -> Position {
    if numbers.below(2) == 0 { scattered(numbers) } else { hunted(numbers) }
}

fn scattered(numbers: &mut Numbers) -> Position {
    let squares = squares(numbers, Square::all(), 1..=7);
    let columns: Vec<_> = squares.into_iter().map(|square| (square, column(numbers))).collect();
    position(columns, color(numbers))
}

/// A column of the side to move, and up to six of the other side's on squares that it may jump.
/// Six keep the number of chains small where squares may be jumped again.
fn hunted(numbers: &mut Numbers) -> Position {
    let side = color(numbers);
    let hunter = squares(numbers, Square::all(), 1..=1)[0];
    let mut columns = vec![(hunter, commanded_by(column(numbers), side))];
    for square in squares(numbers, SquareSet::INTERIOR, 1..=6) {
        // What a column jumps stands on the other diagonal lattice.
        if square.rank() % 2 != hunter.rank() % 2 {
            columns.push((square, commanded_by(column(numbers), !side)));
        }
    }
    position(columns, side)
}

/// An officer position of the form that play reaches.
pub fn officer_position(numbers: &mut Numbers) -> Position {
    let (mut counters, mut columns) = (0, Vec::new());
    for square in squares(numbers, Square::all(), 2..=10) {
        let (own, prisoners) = (1 + numbers.below(3), numbers.below(3));
        counters += own + prisoners;
        // As many columns as fit a position.
        if counters <= Position::MAX_COUNTERS {
            let column = Column::officers(color(numbers), own, prisoners);
            columns.push((square, column.unwrap()));
        }
    }
    position(columns, color(numbers))
}

fn color(numbers: &mut Numbers) -> Color {
    *numbers.choose(&Color::ALL)
}

fn column(numbers: &mut Numbers) -> Column {
    let height = 1 + numbers.below(3);
    let counters = (0..height).map(|_| {
        let kind = *numbers.choose(&[CounterKind::Soldier, CounterKind::Officer]);
        Counter { color: color(numbers), kind }
    });
    Column::from_counters(counters).unwrap()
}

/// Some of these squares.
fn squares(
    numbers: &mut Numbers,
    of: impl IntoIterator<Item = Square>,
    counts: RangeInclusive<usize>,
) -> Vec<Square> {
    let mut squares: Vec<Square> = of.into_iter().collect();
    let count = within(numbers, counts);
    while squares.len() > count {
        squares.swap_remove(numbers.below(squares.len()));
    }
    squares
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

/// Some of these characters, which may repeat.
pub fn letters(numbers: &mut Numbers, of: &str, counts: RangeInclusive<usize>) -> String {
    let of: Vec<char> = of.chars().collect();
    (0..within(numbers, counts)).map(|_| *numbers.choose(&of)).collect()
}

/// A number in this range.
pub fn within(numbers: &mut Numbers, range: RangeInclusive<usize>) -> usize {
    range.start() + numbers.below(range.end() - range.start() + 1)
}
