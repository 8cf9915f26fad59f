//! Why a position has no answer, from tables or by a search.

use super::Origin;
use crate::Reason;
use crate::index::{Material, MaterialError};
use crate::rules::{NotOfficers, Position, RuleSet, TooManyMoves};
use crate::table::TableError;
use std::path::PathBuf;

/// Why a position has no answer, from tables or by a search with them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// No table holds the position: it has a soldier, or a column that officers cannot build (each
    /// column of theirs is some counters of its owner over some of the other side).
    #[error("not in the tables: {0}")]
    NotOfficers(#[source] NotOfficers),
    /// No table holds this many counters.
    #[error("not in the tables: {0}")]
    Material(#[source] MaterialError),
    /// The table of this material is in none of the folders, and not in memory.
    #[error("{}", missing_from(*material, *rules, folders))]
    MissingTable {
        /// The material of the table, in which White has at least as many counters as Black.
        material: Material,
        /// The rule set that was asked for.
        rules: RuleSet,
        /// The folders that were searched.
        folders: Vec<PathBuf>,
        /// The number of columns of the position that was asked about; `None` if the question was not
        /// about a position.
        columns: Option<usize>,
    },
    /// There is a table of this material, but for another rule set.
    #[error(
        "expected a table of {material} under {asked} rules, found one under {}",
        found.iter().map(|rules| rules.name()).collect::<Vec<_>>().join(" and ")
    )]
    OtherRules {
        /// The material of the table.
        material: Material,
        /// The rule set that was asked for.
        asked: RuleSet,
        /// The rule sets for which there is a table.
        found: Vec<RuleSet>,
        /// The number of columns of the position that was asked about; `None` if the question was not
        /// about a position.
        columns: Option<usize>,
    },
    /// The table of this material is there, and cannot answer: it is damaged or cannot be read, or it is bounded or
    /// has no distances.
    #[error("{origin}: {error}")]
    Table {
        /// The material of the table.
        material: Material,
        /// The rule set.
        rules: RuleSet,
        /// The file that the error is about.
        origin: Origin,
        /// What is wrong with it.
        #[source]
        error: TableError,
    },
    /// The tables contradict themselves: no move of a position has the value of the position. A
    /// verification of the tables finds out more.
    #[error("the tables contradict themselves at {position}")]
    Inconsistent {
        /// The position.
        position: Box<Position>,
    },
    /// The memory for a search is too little to begin with, or the system has not as much.
    #[error("the search needs more memory than it was given ({memory} bytes{})", at_least(*needed))]
    SearchMemory {
        /// The bytes that were to be used.
        memory: u64,
        /// How many bytes are needed at least, if that is known.
        needed: Option<u64>,
    },
    /// A position whose moves were to be looked up has more than are listed.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
}

impl ProbeError {
    /// Whether the tables do not cover the position: it has soldiers, or there is no table of its
    /// material under these rules, or that table is bounded and does not cover this many columns, or it
    /// has no distances although one was asked for. A search may still find an answer. Every other
    /// error means that something is wrong with the tables.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let error = tables.value(&"a1w c3B w".parse()?).unwrap_err();
    /// assert!(error.is_not_covered());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_not_covered(&self) -> bool {
        matches!(self.reason(), Reason::NotCovered | Reason::OtherRules | Reason::NoDistances)
    }

    /// The reason, in a word for programs.
    pub fn reason(&self) -> Reason {
        match self {
            ProbeError::NotOfficers(_)
            | ProbeError::Material(_)
            | ProbeError::MissingTable { .. } => Reason::NotCovered,
            ProbeError::OtherRules { .. } => Reason::OtherRules,
            ProbeError::Table { error, .. } => error.reason(),
            ProbeError::Inconsistent { .. } => Reason::Inconsistent,
            ProbeError::SearchMemory { .. } => Reason::NoMemory,
            ProbeError::TooManyMoves(_) => Reason::TooManyMoves,
        }
    }

    /// The material of the table that would answer, and the number of columns of the position that was
    /// asked about, as far as the error is about such a table and position.
    pub fn table_needed(&self) -> (Option<Material>, Option<usize>) {
        match *self {
            ProbeError::MissingTable { material, columns, .. }
            | ProbeError::OtherRules { material, columns, .. } => (Some(material), columns),
            ProbeError::Table {
                material,
                error: TableError::BeyondColumns { columns, .. },
                ..
            } => (Some(material), Some(columns)),
            _ => (None, None),
        }
    }
}

/// A part of the message of [`ProbeError::SearchMemory`].
fn at_least(needed: Option<u64>) -> String {
    needed.map_or(String::new(), |needed| format!("; it needs at least {needed} bytes"))
}

/// The message of [`ProbeError::MissingTable`].
fn missing_from(material: Material, rules: RuleSet, folders: &[PathBuf]) -> String {
    let table = format!("the table of {material} under {rules} rules");
    if folders.is_empty() {
        return format!("{table} is missing");
    }
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    format!("{table} is missing from {}", folders.join(", "))
}
