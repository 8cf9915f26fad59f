//! The rules of Lasca: the board, columns, positions, moves and un-moves, and symmetries.
//!
//! Nothing here knows of tables, and nothing does any input or output. [`Position`] is the whole
//! game, soldiers included, for columns of any kind; [`Placement`] is what the tables' inner loops
//! use, the bare pattern of who commands which squares when every counter is an officer.
//!
//! ```
//! use lasca_tablebase::rules::{Position, RuleSet};
//! let position: Position = "a1W b2BB w".parse().unwrap();
//! let moves = position.moves(RuleSet::Lasca);
//! assert_eq!(moves.len(), 1);
//! assert_eq!(moves[0].to_string(), "a1-b2-c3");
//! ```

mod color;
mod column;
mod moves;
mod officers;
mod perft;
mod placement;
mod position;
mod ruleset;
mod square;
mod symmetry;
mod unmoves;

pub use color::{ByColor, Color};
pub use column::{Column, Counter, CounterKind, ParseColumnError};
pub use moves::{IllegalMove, Move};
pub use officers::{NotOfficers, OfficerPosition};
pub use perft::perft;
pub use placement::{Chain, Placement, Step, steps_between};
pub use position::{Position, PositionError};
pub use ruleset::{Continuation, ParseRuleSetError, RuleSet};
pub use square::{Direction, Square, SquareSet, Squares};
pub use symmetry::{Symmetry, SymmetrySet};
