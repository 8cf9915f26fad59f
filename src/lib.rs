//! Endgame tablebases for Lasca (Laska), Emanuel Lasker's column draughts of 1911.
//!
//! A table holds, for every position of a material such as `4-3` (four white counters and three black
//! ones, all of them officers), who wins and in how many plies.
//!
//! | module | what is there |
//! | --- | --- |
//! | [`rules`] | squares, columns, positions, moves and un-moves, symmetries: all of Lasca |
//! | [`notation`] | positions and moves as text |
//! | [`index`] | positions of officers to numbers and back |
//! | [`retrograde`] | retrograde analysis of one material |
//! | [`mod@table`] | the file format: writer, reader, checksums |
//! | [`generate`] | from a plan to tables on disk |
//! | [`probe`] | answers from a folder of tables |
//! | [`study`] | annotated endings, and whether their claims are right |
//! | [`certify`] | proofs of a position's value that stand without the tables |
//! | [`verify`] | whether the values of a table are right |
//! | [`analysis`] | what a table says as a whole: stackings, deepest wins, zugzwangs |
//! | [`report`] | a page of HTML about endgames |
//!
//! Each uses only those above it. To ask, open a folder with [`probe::Tablebase`]; to make tables,
//! begin with [`generate::Generator`]. [`Value`] and [`Wdl`] are always those of the side to move,
//! and distances are in plies. No function prints anything: long work reports to a [`Progress`].
//!
//! ```
//! use lasca_tablebase::rules::{Position, RuleSet};
//!
//! let position: Position = "a1WWW b2BBB w".parse()?;
//! for (played, after) in position.successors(RuleSet::Lasca) {
//!     assert_eq!(played.to_string(), "a1-b2-c3");
//!     assert_eq!(after.to_string(), "b2BB c3WWWB b");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod certify;
mod durable;
mod forward;
pub mod generate;
pub mod index;
pub mod notation;
pub mod probe;
mod progress;
pub mod report;
pub mod retrograde;
pub mod rules;
pub mod study;
pub mod table;
mod value;
pub mod values;
pub mod verify;

pub use progress::{Progress, Silent};
pub use value::{Value, Wdl};

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
