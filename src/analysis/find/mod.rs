//! Finding positions that authors and trainers look for: wins and draws by only moves.
//!
//! # Only moves
//!
//! `docs/WORDS.md`, on the [front page](crate#results) of the crate, says what a solver, a turn, an only
//! move and a choice are. [`Defence`] says which replies of the other side are looked at.
//!
//! A position has *N turns of only moves* if the solver has an only move at each of its next N turns,
//! whichever of these replies the other side chooses. A side line that ends sooner because the solver
//! wins is as good as one that goes on. But if both sides play best, the solver must have N turns: a
//! win in `2 N − 1` plies or more, or a loss in `2 N` or more. A drawn game always goes on.
//!
//! # The list
//!
//! [`positions`] goes through all values of a table. Its list has only one of the positions that are alike:
//! images under the symmetries of the board and, where both sides have as many counters, under an exchange
//! of the colours. Positions with more choices within the turns that are asked for come first, among these
//! those that are won or lost in more plies, and then those with fewer columns.
//!
//! Each comes with a [solution](Find::solution). A position is left out if it arises in the solution of one
//! before it, or if its own solution reaches such a position within the turns that are asked for; if none are, in its
//! first half. So studies that differ in their first moves only are listed once.
//!
//! ```
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! use lasca_tablebase::Silent;
//! use lasca_analysis::find::{Filter, positions};
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! let tables = Tablebase::open("tables", RuleSet::Lasca)?;
//! let filter = Filter { only_moves: 3, limit: 1, ..Filter::default() };
//! let found = positions(&tables, "2-2".parse()?, &filter, &Silent)?;
//! assert!(found[0].only_moves >= 3);
//! assert_eq!(tables.value(&found[0].position)?, found[0].value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Two captures that pass the same squares in another order are two moves, as everywhere in this crate.

#[cfg(feature = "generate")]
mod filter;
pub mod json;
mod only_moves;
mod random;
#[cfg(feature = "generate")]
mod solution;
#[cfg(feature = "generate")]
mod turns;

use lasca_tablebase::probe::{Line, Standing};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Value, Wdl};
use std::cmp::Reverse;

#[cfg(feature = "generate")]
pub use filter::{Filter, positions};
pub use only_moves::only_moves;
pub use random::{Picked, Practice};

/// The replies of the other side that are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Defence {
    /// The best replies: in a decided game those that hold out longest, in a drawn game those that keep
    /// the draw. If there are several, all of them count.
    #[default]
    Best,
    /// All legal replies. If a reply loses a drawn game, the solver must find the only winning move, and
    /// so on.
    Every,
}

/// How many turns the solver has until the game ends, if both sides play best.
fn solver_turns(value: Value) -> usize {
    match value {
        Value::Win(plies) => usize::from(plies).div_ceil(2),
        Value::Loss(plies) => usize::from(plies) / 2,
        Value::Draw => usize::MAX,
    }
}

/// A position that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Find {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
    /// For how many turns the solver has only moves; in a drawn game counted up to [`Filter::only_moves`].
    /// If that is 0, this is 0.
    pub only_moves: usize,
    /// How many choices the solver has in the solution, within as many turns as [`Filter::only_moves`] asks
    /// for.
    pub choices: usize,
    /// A line of best play. A decided game is played to its end. A drawn game is played for as many turns
    /// as [`Filter::only_moves`] asks for, or until a position is repeated.
    pub solution: Line<Value>,
    /// How each move of the solution compares with the other moves of its position.
    pub standings: Vec<Standing>,
}

impl Find {
    /// The moves of the solution as text, with `!` after the only moves of the solver.
    pub fn marked_moves(&self) -> impl Iterator<Item = String> {
        let moves = self.solution.moves.iter().zip(&self.standings).enumerate();
        moves.map(|(ply, (rated, &standing))| {
            let is_marked = self.is_turn(ply) && standing == Standing::Only;
            let mark = if is_marked { "!" } else { "" };
            format!("{rated}{mark}")
        })
    }

    /// Whether it is the solver's turn after this many plies of the solution.
    pub fn is_turn(&self, plies: usize) -> bool {
        plies.is_multiple_of(2) == (self.value.wdl() != Wdl::Loss)
    }

    /// By what positions are sorted, also those of several materials: the first have the least key.
    pub fn order(&self) -> impl Ord + use<> {
        let columns = self.position.columns().count();
        (Reverse(self.choices), Reverse(self.value.dtw()), columns)
    }
}
