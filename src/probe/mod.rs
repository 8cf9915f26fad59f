//! Answers: the value of a position, of each of its moves, and the best line, from tables.
//!
//! ```
//! use lasca_tablebase::Value;
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
//! let position = "b2B d2W a7W w".parse()?;
//! assert_eq!(tables.value(&position)?, Value::Win(5));
//! let best = tables.best_move(&position)?.unwrap();
//! assert_eq!(best.value, Value::Win(5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod standing;
mod tablebase;

pub use error::{FolderError, ProbeError};
pub use standing::{Alternative, Standing};
pub use tablebase::{Line, LineEnd, Options, RatedMove, TableFile, Tablebase};
