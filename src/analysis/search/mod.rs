//! Solving any position by search: soldiers, officers, up to 22 counters.
//!
//! A [`Solver`] answers two questions about a position, "can White force a win?" and "can Black?".
//! A yes to one ends the search; two noes prove a draw. Every answer is a proof: it can be written as a
//! [`Certificate`](crate::certify::Certificate), and what is not proved is reported as open.
//!
//! ```
//! use lasca_tablebase::rules::{Color, RuleSet};
//! use lasca_analysis::search::{Budget, Solver, Stop};
//! use lasca_tablebase::{Silent, Value, Wdl};
//! use std::time::Duration;
//!
//! let position = "a1B g5bBB g7WwB w".parse()?;
//! let budget = Budget::new(Some(Duration::from_secs(60)), 1, &Silent);
//! let mut solver = Solver::new(&position, RuleSet::Lasca, 64 << 20)?;
//! assert_eq!(solver.run(&budget)?, Stop::Solved);
//! assert_eq!(solver.wdl(), Some(Wdl::Loss));
//! assert_eq!(solver.winner(), Some(Color::Black));
//! assert!(solver.excluded().white && !solver.excluded().black);
//! // The proof may take longer than best play; the exact distance is another search.
//! assert!(solver.value(&budget)?.at_most() >= Some(26));
//! solver.exact(&budget)?;
//! assert_eq!(solver.value(&budget)?.exact(), Some(Value::Loss(26)));
//! assert_eq!(solver.line(&position, &budget)?.len(), 26);
//! solver.rate_moves(&budget)?;
//! for rated in solver.proved_moves(&position, &budget)? {
//!     assert_eq!(rated.value.wdl(), Some(Wdl::Loss));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The graph
//!
//! Each position that the search meets is stored once, under an exact key (`key`). Mirror
//! images, all eight images of a position of officers, and positions with the colours exchanged and
//! the board turned, are the same position there: the side to move always moves up the board. A
//! position that was expanded keeps the list of positions that its moves lead to. So the search
//! knows a graph that grows, and nothing is ever forgotten: when the memory is full, the search
//! stops.
//!
//! # The walk
//!
//! Depth-first proof-number search (`walk`, `numbers`) decides what to expand next. Each open
//! question has two numbers: how hard it looks to prove a yes, and a no. From the root the search
//! goes to the move where the answer looks nearest, again and again, and back as soon as another
//! move looks better. See A. Nagai, *Df-pn algorithm for searching AND/OR trees and its
//! applications* (2002), and T. Ueda and others, *Weak proof-number search* (2008), for the use of
//! the maximum in place of the sum. The first numbers come from a small net (`net`), whose weights
//! `tools/learn` has learned from what the numbers became in searches under the rules `lasca`. A
//! forced capture is played out as soon as it is met, so the first numbers are those of what follows.
//!
//! # Why the answers are true
//!
//! Play may go in circles, and a game without end is a draw. A search that calls a position "not
//! won" because it has come back to it is right on the line that it is on, and may be wrong when the
//! position is reached in another way: this is the graph-history interaction problem (A. Kishimoto
//! and M. Müller, *A general solution to the graph history interaction problem*, 2004). Here no
//! such answer is ever stored. A question is answered in four cases only:
//!
//! 1. The game is over, or a table covers the position.
//! 2. The answer follows from answers about the positions that the moves lead to: one move to a
//!    position where the other side fails is enough, and if every move fails, so does the side.
//!    A proved win rests on wins that were proved before it, so it has a finite number of plies.
//! 3. A sweep (`sweep`) has shown that the attacker could not force a win even if all positions
//!    that were not expanded yet were won for him. It works backwards from these, except those that
//!    he is known not to win; what it does not reach is closed: there the other side always has a move to a
//!    position of the same kind, and all moves of the attacker lead to such positions. Whether play
//!    ends or goes in circles for ever, the attacker does not win.
//! 4. An earlier search under the same rules has proved it, in a review of a game whose memory was full. Such
//!    an answer is one about the position too, however it is reached.
//!
//! The proof numbers decide only where to look. So it does not matter for the answers how the net
//! was learned, nor how wrong it is. It is asked only about positions that neither the rules nor a
//! table decide, and whatever it says becomes numbers of at least 1, which no case above takes for an
//! answer. A circle makes the numbers grow; when only circles seem to be left, or the graph has grown
//! much, a sweep is made. If there was little new to settle, positions are expanded in the order of
//! meeting, so that the search always ends: when all is expanded, a sweep answers everything.
//!
//! Tables of officers serve as leaves, as endgame databases did in the solution of checkers
//! (J. Schaeffer and others, *Checkers is solved*, 2007).
//!
//! # Distances
//!
//! A pass backwards over the graph (`distance`) works out how many plies the proved wins take: an
//! upper bound of the true distance, since moves that were not expanded may be quicker. The same pass
//! with all such positions taken as won at once gives a lower bound, and what has no distance then is
//! what a sweep answers. [`Solver::exact`] (`exact`) brings the two together. Where they meet, the moves of
//! best play are those that keep both bounds.
//!
//! # Estimates
//!
//! Where nothing is proved, [`Solver::estimate_moves`] says what moves look worth, by an alpha-beta search
//! (`estimates`). That only reads the graph, so it changes no answer.
//!
//! # Memory and threads
//!
//! A position takes about 64 bytes: 32 for itself, 4 for each move, at most 11 to be found by, and
//! what a pass over the graph needs, which is set aside beforehand. No more than the given bytes are
//! ever held. Up to 255 threads can walk in one graph. A position looks a little harder to a thread for each
//! other thread that is on it, so they part where moves look equally good. Passes over the graph are made by
//! all threads too.

mod budget;
mod distance;
mod error;
mod estimates;
mod exact;
mod graph;
#[cfg(feature = "learn")]
mod history;
mod key;
mod leaves;
mod memory;
mod net;
mod numbers;
mod ratings;
#[cfg(feature = "learn")]
mod samples;
mod shared;
mod solver;
mod strategy;
mod sweep;
mod walk;

pub use budget::{Budget, Stop};
pub(crate) use key::Key;
pub(crate) use leaves::with_distances;
pub(crate) use ratings::sort_moves;
#[cfg(feature = "learn")]
pub use samples::{Sample, Shape};
pub use solver::Solver;
pub(crate) use strategy::ProvedMoves;
