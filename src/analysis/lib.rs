//! What is asked of endgame tablebases for Lasca (Laska), and what goes beyond them.
//!
//! The tables themselves are the package [`lasca_tablebase`]: making them, and the value of a position in them. This one
//! stands on its public face, and asks more than one value:
//!
//! 1. If no table covers a position, [`search`] looks for a proof, with the tables at its leaves.
//! 2. [`answer`] puts all that is known together, whether it comes from the tables or from a search.
//! 3. [`study`] and [`certify`] make studies, reviews and proofs of such answers.
//!
//! ```
//! use lasca_analysis::search::{Budget, Solver};
//! use lasca_tablebase::rules::RuleSet;
//! use lasca_tablebase::Wdl;
//!
//! let mut solver = Solver::new(&"a1B b2w b4wwb w".parse()?, RuleSet::Lasca, 1 << 24)?;
//! solver.run(&Budget::default())?;
//! assert_eq!(solver.wdl(), Some(Wdl::Win));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! Each module imports only modules above it.
//!
//! | module | what is there |
//! | --- | --- |
//! | [`search`] | any position solved by search, soldiers and 22 counters too |
//! | [`answer`] | all that is known of a position, from the tables or by search |
//! | [`study`] | annotated endings, and whether what they claim is true |
//! | [`certify`] | proofs of a position's value that can be checked without tables |
//! | [`statistics`] | what a table says as a whole: counts, longest wins, zugzwangs |
//! | [`find`] | positions that authors look for, such as wins by only moves |
//! | [`booklet`] | endings as a page of HTML with boards, for print |
//!
//! The package compiles for browsers too. The feature `generate` brings `statistics` and [`find::positions`], which
//! look at all values of a table.
//!
//! [`answer::json`], [`study::json`] and [`find::json`] have whole answers with the keys that the program prints.
//! [`Tally`](statistics::Tally) and [`Zugzwangs`](statistics::Zugzwangs) are written the same way.

// On docs.rs, each item shows the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Where a feature is missing, links to what it brings lead nowhere. On docs.rs, none is missing.
#![cfg_attr(not(feature = "generate"), allow(rustdoc::broken_intra_doc_links))]

pub mod answer;
pub mod booklet;
pub mod certify;
pub mod find;
pub mod search;
#[cfg(feature = "generate")]
pub mod statistics;
pub mod study;
