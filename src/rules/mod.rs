//! The rules of Lasca: the board, columns, positions, moves and symmetries.
//!
//! [`Position`] covers the whole game, with soldiers and any kind of column. [`OfficerPosition`] is for
//! positions in which every counter is an officer, as tables hold them.
//!
//! Nothing here needs a table, and nothing does any input or output.
//!
//! ```
//! use lasca_tablebase::rules::{Position, RuleSet};
//! let position: Position = "a1W b2BB w".parse().unwrap();
//! let moves = position.moves(RuleSet::Lasca)?;
//! assert_eq!(moves.len(), 1);
//! assert_eq!(moves[0].to_string(), "a1-b2-c3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod color;
mod column;
mod key;
mod list;
pub(crate) mod mobility;
mod moves;
pub(crate) mod officers;
mod perft;
pub(crate) mod placement;
mod position;
mod ruleset;
mod square;
mod symmetry;

pub use color::{ByColor, Color, ParseColorError};
pub use column::{Column, Counter, CounterKind, ParseColumnError};
pub use list::{MOST_MOVES, MoveList, TooManyMoves};
#[cfg(feature = "generate")]
pub(crate) use mobility::stepped;
pub use moves::{IllegalMove, Move};
pub(crate) use officers::uncaptures;
pub use officers::{NotOfficers, OfficerPosition};
pub use perft::perft;
pub(crate) use placement::{
    Chain, jump_starts, jumps, possible_chains, possible_chains_back, possible_jumps,
};
pub use placement::{Placement, Step};
pub use position::{Position, PositionError};
pub use ruleset::{ParseRuleSetError, RuleSet};
pub use square::{Direction, ParseSquaresError, Square, SquareSet, Squares};
pub use symmetry::Symmetry;
pub(crate) use symmetry::SymmetrySet;
