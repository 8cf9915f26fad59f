//! What was probably meant by a text that is not a position.

use crate::hints::{self, CommandLine};
use lasca_tablebase::index::Material;
use lasca_tablebase::notation::ParsePositionError;
use lasca_tablebase::rules::Square;
use std::path::Path;

/// The error; and the squares beside the place that it names, if nobody plays there.
pub fn with_squares(error: &ParsePositionError) -> String {
    let ParsePositionError::UnknownSquare { found, .. } = error else { return error.to_string() };
    let squares: Vec<String> = beside(found).iter().map(Square::to_string).collect();
    match squares.as_slice() {
        [] => error.to_string(),
        squares => format!("{error}; the squares beside it are {}", squares.join(", ")),
    }
}

/// The squares that share a side with the place of the board that a text begins with, such as `a2`.
fn beside(text: &str) -> Vec<Square> {
    let [file @ b'a'..=b'z', rank @ b'0'..=b'9', ..] = *text.to_ascii_lowercase().as_bytes() else {
        return Vec::new();
    };
    let places = [(file - 1, rank), (file, rank - 1), (file, rank + 1), (file + 1, rank)];
    let square =
        |(file, rank)| Square::from_name(&format!("{}{}", char::from(file), char::from(rank)));
    places.into_iter().filter_map(square).collect()
}

/// What is wrong, and the command that was probably meant, if a command that wants a position gets a
/// material or a file.
pub fn instead_of_position(command: &str, text: &str) -> Option<String> {
    if let Ok(material) = text.parse::<Material>() {
        let meant = CommandLine::new("stats").word(material).rules(hints::given_rules());
        return Some(format!("expected a position, found the material {text}; try {meant}"));
    }
    let meant = match Path::new(text) {
        path if !path.is_file() => return None,
        path if path.extension().is_some_and(|ending| ending == "study") => {
            CommandLine::new("study").word(text).to_string()
        }
        _ => format!("{} < {}", CommandLine::new(command).word("--stdin"), hints::quoted(text)),
    };
    Some(format!("expected a position, found the file {text}; try {meant}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::rules::Position;

    #[test]
    fn a_place_where_nobody_plays_brings_the_squares_beside_it() {
        for (text, expected) in [
            ("a2W b2B w", "; the squares beside it are a1, a3, b2"),
            ("a1W h1B w", "; the squares beside it are g1"),
            ("a1W g8B w", "; the squares beside it are g7"),
            ("a1W A4B w", "; the squares beside it are a3, a5, b4"),
            ("a1W b9B w", ""),
            ("a1W é1B w", ""),
            ("a1W", ""),
        ] {
            let error = text.parse::<Position>().unwrap_err();
            assert_eq!(with_squares(&error), format!("{error}{expected}"), "{text}");
        }
    }
}
