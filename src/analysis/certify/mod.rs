//! Certificates: proofs of a position's value that can be checked without tables.
//!
//! The rules of the game are enough to check a certificate. `tools/check_certificate.py` does so, and shares no code
//! with this crate. `docs/CERTIFICATE.md` describes the file and shows why it is a proof.
//!
//! A [`Certificate`] holds a [`Strategy`] for the side that wins; if the position is drawn, it holds one
//! for each side. A strategy is a set of positions, each with the move that its side plays there.
//! Whatever the other side replies, the next position is in the set again. Of positions that a symmetry
//! of the board maps onto each other, the set holds one; with a soldier on the board, left and right
//! exchanged is the only symmetry.
//!
//! The proof comes from the tables if they cover the position ([`Certificate::of_tables`]), or from a
//! search, which can solve any position ([`Certificate::of_search`]). [`Certificate::prove`] asks the
//! tables first, and searches what they do not cover.
//!
//! ```
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! use lasca_tablebase::Value;
//! use lasca_analysis::certify::{Certificate, DEFAULT_MAX_POSITIONS};
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! let tables = Tablebase::open("tables", RuleSet::Lasca)?;
//! let position = "b2B d2W a7W w".parse()?;
//! let certificate = Certificate::of_tables(&tables, &position, DEFAULT_MAX_POSITIONS)?;
//! assert_eq!(certificate.value(), Value::Win(5));
//! let mut text = Vec::new();
//! certificate.write_text(&mut text)?;
//! assert!(String::from_utf8(text)?.starts_with(
//!     "lasca-certificate 1\n\
//!      rules lasca\n\
//!      position b2B d2W a7W w\n\
//!      verdict white wins in 5\n"
//! ));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod error;
mod strategy;

pub use certificate::{Certificate, DEFAULT_MAX_POSITIONS};
pub use error::CertifyError;
pub use strategy::{Strategy, StrategyMove};
