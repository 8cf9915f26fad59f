//! What several tests share.

#![allow(dead_code, reason = "no test uses all of it")]

pub mod checker;
pub mod naive;
pub mod numbers;
pub mod python;
pub mod tables;

use lasca_tablebase::rules::{Color, Column, Position, Square};

/// Reads a position in list form, such as `a1WWW b2BBB w`.
///
/// # Panics
/// If the text is not a position.
pub fn position(text: &str) -> Position {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let side_to_move = match words.pop() {
        Some("w") => Color::White,
        Some("b") => Color::Black,
        _ => panic!("expected w or b at the end of {text:?}"),
    };
    let mut columns = [Column::EMPTY; Square::COUNT];
    for word in words {
        let (name, counters) = word.split_at(2);
        let square = Square::from_name(name)
            .unwrap_or_else(|| panic!("expected a square, found {name:?} in {text:?}"));
        assert!(columns[square.index()].is_empty(), "{name} comes twice in {text:?}");
        columns[square.index()] =
            counters.parse().unwrap_or_else(|error| panic!("{error} in {text:?}"));
    }
    Position::new(columns, side_to_move).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}
