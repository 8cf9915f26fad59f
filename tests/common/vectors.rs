//! Positions and their values that brute-force solvers found which share no code with this crate.

use super::position;
use lasca_tablebase::Value;
use lasca_tablebase::rules::Position;
use std::str::FromStr;

/// Positions of officers under the default rule set.
pub fn positions() -> Vec<(Position, Value)> {
    valued(include_str!("../data/positions.csv"), "position,result,plies")
}

/// Positions with soldiers under the default rule set.
pub fn soldiers() -> Vec<(Position, Value)> {
    valued(include_str!("../data/soldiers.csv"), "position,wdl,dtw")
}

fn valued(csv: &str, header: &str) -> Vec<(Position, Value)> {
    rows(csv, header, |[text, result, plies]| {
        let value = match (result, plies) {
            ("win", plies) => Value::Win(number(plies)),
            ("draw", "") => Value::Draw,
            ("loss", plies) => Value::Loss(number(plies)),
            _ => panic!("expected a result, found {result:?} in {plies:?} plies"),
        };
        (position(text), value)
    })
}

/// The rows of a CSV file after the first, which must be `header`.
pub fn rows<const N: usize, T>(
    csv: &str,
    header: &str,
    mut read: impl FnMut([&str; N]) -> T,
) -> Vec<T> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(header));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            read(fields.try_into().unwrap_or_else(|_| panic!("expected {N} fields in {line:?}")))
        })
        .collect()
}

/// Reads a number of any type.
pub fn number<T: FromStr>(field: &str) -> T {
    field.parse().unwrap_or_else(|_| panic!("expected a number, found {field:?}"))
}
