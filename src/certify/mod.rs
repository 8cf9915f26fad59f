//! Certificates: proofs of a position's value that stand without the tables.
//!
//! Whoever knows the rules can check one; `tools/check_certificate.py` does, and shares nothing with
//! this crate. `docs/CERTIFICATE.md` describes the file, and shows why what is in it is a proof.
//!
//! A [`Certificate`] holds a [`Strategy`] for the side that wins, or one for each side if the
//! position is drawn. A strategy is a set of positions, each with the move that its side plays
//! there, that no reply of the other side leaves. Positions that a symmetry of the board maps onto
//! each other stand in it once.
//!
//! ```
//! use lasca_tablebase::certify::{Certificate, DEFAULT_MAX_POSITIONS, Verdict};
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::{Color, RuleSet};
//! let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
//! let position = "b2B d2W a7W w".parse()?;
//! let certificate = Certificate::prove(&tables, &position, DEFAULT_MAX_POSITIONS)?;
//! assert_eq!(certificate.verdict(), Verdict::Win { winner: Color::White, plies: 5 });
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
mod file;
mod strategy;

pub use crate::durable::check_target;
pub use certificate::{Certificate, DEFAULT_MAX_POSITIONS, FORMAT_VERSION, Verdict};
pub use error::CertifyError;
pub use file::Encoding;
pub use strategy::{Entry, Strategy};
