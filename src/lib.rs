//! Endgame tablebases for Lasca (Laska), Emanuel Lasker's column-checkers of 1911.

pub mod index;
pub mod notation;
pub mod rules;
pub mod solve;
mod value;
pub mod verify;

pub use value::{Value, Wdl};
