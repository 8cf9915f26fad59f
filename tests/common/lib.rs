//! What several tests share.

pub mod checker;
pub mod files;
pub mod naive;
pub mod numbers;
pub mod python;
pub mod recorder;
pub mod tables;
pub mod unchecked;
pub mod vectors;
pub mod wait;

use lasca_tablebase::rules::{Position, Symmetry};

/// The top folder of the source.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Reads a position, such as `a1WWW b2BBB w`.
///
/// # Panics
/// If the text is none.
#[track_caller]
pub fn position(text: &str) -> Position {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

/// A number for a position and all that are like it by symmetry, and by exchanging the colours if that
/// leaves the material as it is.
pub fn class_of(position: &Position) -> naive::Key {
    let counters = position.counters();
    let swapped = (counters.white == counters.black).then(|| position.swap_colors());
    let boards = [Some(*position), swapped].into_iter().flatten();
    let images = boards.flat_map(|board| Symmetry::all().map(move |g| board.transformed(g)));
    images.map(|image| naive::key_of(&image)).min().expect("at least eight images")
}
