//! Endgame tablebases for Lasca (Laska), Emanuel Lasker's column draughts of 1911.
//!
//! A table covers one *material*, such as `4-3`: four white counters against three black ones, all
//! of them officers. For every position of that material it says who wins, and in how many plies.
//!
//! To ask, open a folder of tables with [`probe::Tablebase`]. To make tables, begin with
//! [`generate::Generator`]. A [`Value`] or [`Wdl`] is always that of the side to move, and distances
//! are in plies. No function of this crate prints anything: long work reports to a [`Progress`]. Structs of options, such
//! as [`probe::Load`], may get fields in later versions, so they are written with `..Load::default()` at the end.
//!
//! ```
//! use lasca_tablebase::rules::{Position, RuleSet};
//!
//! let position: Position = "a1WWW b2BBB w".parse()?;
//! for (played, after) in position.successors(RuleSet::Lasca)? {
//!     assert_eq!(played.to_string(), "a1-b2-c3");
//!     assert_eq!(after.to_string(), "b2BB c3WWWB b");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a table comes to be
//!
//! 1. [`generate`] plans: it divides the material into slices, positions with the same side to move and
//!    number of columns, and decides where their values are kept. A run goes on with what an earlier one
//!    saved.
//! 2. [`index`] numbers the positions of a slice. The [`rules`] say which moves lead from one to another.
//! 3. The slices are solved, those with fewer columns first: ply by ply, backwards from the positions that are lost at
//!    once. [`processes`] lets several processes share the work; a program that runs alone is one of them.
//! 4. [`mod@table`] codes the values and writes both files. Where it is proved that all sequences of captures end,
//!    capture positions are left out. Nothing appears under the names of the files before they are whole.
//!
//! [`verify`] then reads the files again, and checks every value by looking forward from each position. It shares
//! only the rules, the numbering and the containers of values with what solves the slices.
//!
//! # How a question is answered
//!
//! 1. [`notation`] reads the position, and [`index`] finds its number.
//! 2. [`probe`] finds the table in its folders, and [`mod@table`] reads the value that is stored under the
//!    number.
//! 3. If the value of this position is not stored, [`capture_search`] works it out from those that are,
//!    after a few moves. For tables in memory, it remembers what it has worked out. It does the same for whole
//!    slices when tables are verified.
//!
//! The package `lasca-analysis` answers what takes more than that: searches, whole answers, studies, certificates and
//! statistics.
//!
//! # Modules
//!
//! Each module imports only modules above it; but positions in the texts of errors are printed as [`notation`] does.
//! The [`guide`] says with which of them to begin, and explains each word.
//!
//! | module | what is there |
//! | --- | --- |
//! | [`rules`] | all of Lasca: squares, columns, positions, moves, symmetries |
//! | [`notation`] | positions and moves as text, and positions as pictures |
//! | [`index`] | a number for each position of officers, and back |
//! | [`processes`] | several processes that work together, as MPI runs them, and what they tell each other |
//! | [`mod@table`] | the file format: writer, reader, codes, checksums |
//! | [`capture_search`] | the values that a table does not store, worked out from those that it does |
//! | [`generate`] | making tables: what is needed, solving, checking, writing |
//! | [`verify`] | checking every value of a table against those that its moves lead to |
//! | [`probe`] | answers from folders of tables: values, best moves, best play |
//!
//! Without any feature, this is a prober: `rules`, `notation`, `index`, reading `table`s, `capture_search` and
//! `probe`. It compiles for browsers too, where tables are bytes in memory. The feature `included` makes the tables of
//! up to six counters a part of the program. The feature `generate` brings the rest.
//!
//! # Serde
//!
//! With the feature `serde`, positions, moves and values can be written as JSON and in other formats. To read what has a
//! text, parse that text:
//!
//! | type | form |
//! | --- | --- |
//! | [`Position`](rules::Position) | `"a1WWW b2BBB w"` |
//! | [`Move`](rules::Move) | `"a1-b2-c3"`, all its squares |
//! | [`Square`](rules::Square), [`Counter`](rules::Counter) | `"d4"`, `"W"` |
//! | [`Column`](rules::Column) | `"WBB"`, from the top down |
//! | [`Material`](index::Material), [`RuleSet`](rules::RuleSet) | `"4-3"`, `"lasca"` |
//! | [`Color`](rules::Color), [`CounterKind`](rules::CounterKind) | `"white"`, `"officer"` |
//! | [`Wdl`], [`Standing`](probe::Standing) | `"win"`, `"only move"`: their names |
//! | [`Value`] | `{"wdl":"win","dtw":5}`; `dtw` is `null` for a draw |
//! | [`ValueRange`] of one value | as that [`Value`] |
//! | [`ValueRange`] of one result | `{"wdl":"win","dtw":null}` |
//! | any other [`ValueRange`] | `{"worst":{"wdl":"win","dtw":9},"best":{"wdl":"win","dtw":5}}` |
//! | [`Outcome`] | `{"win":"white"}` or `"draw"` |
//!
//! A [`RatedMove`](probe::RatedMove) is `{"move":"a1-b2-c3","position":"b2B c3WB b","wdl":"win","dtw":3}`.
//! [`Line`](probe::Line) and [`ByColor`](rules::ByColor) are written field by field, and with the feature `generate`
//! also [`Difference`](verify::Difference), [`WrongStatistic`](verify::WrongStatistic) and
//! [`SlicePlan`](generate::SlicePlan).

// On docs.rs, each item shows the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "generate"),
    allow(
        dead_code,
        unused_imports,
        reason = "parts of the rules, the index and the values serve the generator alone"
    )
)]
// Where a feature is missing, links to what it brings lead nowhere. On docs.rs, none is missing.
#![cfg_attr(
    not(all(feature = "generate", feature = "serde")),
    allow(rustdoc::broken_intra_doc_links)
)]

// The unit tests use modules of `tests`, where the crate has this name.
#[cfg(test)]
extern crate self as lasca_tablebase;

pub mod capture_search;
#[cfg(feature = "generate")]
mod checked;
mod clock;
#[cfg(feature = "generate")]
mod durable;
mod file_at;
#[cfg(feature = "generate")]
mod forward;
#[cfg(feature = "generate")]
pub mod generate;
pub mod index;
#[cfg(feature = "generate")]
mod least;
pub mod notation;
mod portable;
mod prefetch;
pub mod probe;
#[cfg(feature = "generate")]
pub mod processes;
mod progress;
mod reason;
mod reserve;
mod results;
#[cfg(feature = "generate")]
mod retrograde;
pub mod rules;
#[cfg(feature = "schema")]
mod schema;
pub mod table;
#[cfg(test)]
mod testing;
#[cfg(feature = "serde")]
mod text_serde;
mod threads;
mod value;
mod values;
#[cfg(feature = "generate")]
pub mod verify;
mod zstd_frame;

#[doc = include_str!("../docs/LIBRARY.md")]
pub mod guide {
    #[doc = include_str!("../docs/WORDS.md")]
    pub mod words {}
}

/// What the package `lasca-analysis`, and the tests, benches and tools of this repository, need beyond the public face
/// of the crate. Nothing here is meant for others, and all of it may change
/// at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::clock::Instant;
    #[cfg(feature = "generate")]
    pub use crate::index::slice::MaskRows;
    #[cfg(feature = "generate")]
    pub use crate::least::LeastItems;
    pub use crate::notation::moves::{check_form, split_column};
    pub use crate::notation::picture::escaped;
    pub use crate::notation::position::is_start;
    pub use crate::notation::scan::{
        excerpt, is_blank, is_dash, is_mark, is_separator, square_len, word_len,
    };
    pub use crate::portable::AtomicU64;
    pub use crate::prefetch::{prefetch, prefetch_at};
    pub use crate::probe::line::value_if_over;
    #[cfg(feature = "generate")]
    pub use crate::progress::Done;
    pub use crate::results::{check_target, save};
    #[cfg(feature = "generate")]
    pub use crate::retrograde::SliceSolver;
    pub use crate::rules::mobility::{Mobility, Movers, Ways, ways};
    pub use crate::rules::officers::uncaptures;
    pub use crate::rules::placement::{Chain, possible_chains, possible_chains_back};
    pub use crate::table::open::header_extent;
    pub use crate::threads::{Threads, beside, side_by_side};
    #[cfg(feature = "generate")]
    pub use crate::values::{Distance, SliceValues};
}

#[cfg(feature = "generate")]
pub(crate) use progress::Done;
pub use progress::{Progress, SearchStatus, Silent};
pub use reason::Reason;
#[cfg(feature = "generate")]
pub use threads::with_threads;
pub use value::{Outcome, Value, ValueRange, Wdl};

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// All examples are compiled as one program. If that fails, rustdoc compiles each of them by itself and says nothing:
/// `cargo test` takes longer. An example with `include_bytes!` of a path from its file on leads to that.
///
/// ```
/// assert_ne!(module_path!(), "rust_out", "each example was compiled by itself");
/// ```
#[cfg(doctest)]
struct OneProgram;
