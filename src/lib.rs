//! Endgame tablebases for Lasca (Laska), Emanuel Lasker's column-checkers of 1911.

pub mod generate;
pub mod index;
pub mod notation;
pub mod probe;
mod progress;
pub mod rules;
pub mod solve;
pub mod table;
mod value;
pub mod verify;

pub use progress::{Progress, Silent};
pub use value::{Value, Wdl};
