//! Endgame tablebases for Lasca (Laska), Emanuel Lasker's column-checkers of 1911.

pub mod notation;
pub mod rules;
