//! Looks positions up in tables: the value of a position and of each of its moves, and best play.
//!
//! ```
//! use lasca_tablebase::Value;
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! let tables = Tablebase::open("tables", RuleSet::Lasca)?;
//! let position = "b2B d2W a7W w".parse()?;
//! assert_eq!(tables.value(&position)?, Value::Win(5));
//! let best = tables.best_move(&position)?.unwrap();
//! assert_eq!(best.value, Value::Win(5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod coverage;
mod entry;
mod error;
mod folders;
#[cfg(feature = "included")]
mod included;
pub(crate) mod line;
mod load;
mod made;
mod many;
mod standing;
mod tablebase;

pub use entry::{Origin, TableEntry};
pub use error::ProbeError;
pub use folders::FolderError;
pub use line::{Line, RatedMove};
pub use load::{Load, LoadReport};
pub use standing::Standing;
pub use tablebase::{Options, Tablebase};
