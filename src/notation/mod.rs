//! Positions and moves as text.
use crate::rules::Position;
use std::fmt;

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (square, column) in self.columns() {
            write!(f, "{square}{column} ")?;
        }
        write!(f, "{}", self.side_to_move().letter())
    }
}
